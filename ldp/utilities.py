r"""What a report is worth to whoever knows the law: utilities of a channel, larger is better.

Each takes the law :math:`\theta` of the value :math:`X` and the channel :math:`Q_{xy}=\Pr[Y=y\mid
X=x]` of the report :math:`Y`, whose own law is :math:`p=\theta Q`. S000 chooses by one of the six
in `UTILITIES` how to randomize the next value. They are definitions, for any channel;
:func:`ldp.protocols.prefix_utilities` computes them for many subsets of :class:`ldp.RRRR` at once.
A seventh, :func:`attack_success`, is what an attacker gains who wants the value itself.
"""

import math
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
import scipy

from ldp import _checks
from ldp._repeats import of_counts
from ldp.bounds.information import information_root, positive_channel
from ldp.types import Floats

__all__ = [
    "UTILITIES",
    "attack_success",
    "best_guess",
    "entropy",
    "fisher",
    "honest",
    "tv_posterior",
    "tv_report",
]


def fisher(theta: npt.ArrayLike, channel: npt.ArrayLike) -> float:
    r"""Minus the trace of the inverse Fisher information, :math:`-\operatorname{tr}F^{-1}`.

    The trace is the limit of :math:`n` times the summed squared error of maximum likelihood, taken
    in coordinates that favour no value (``tangent`` of :func:`ldp.bounds.fisher_information`).

    Parameters
    ----------
    theta : array_like, shape (d,)
        Law of the value.
    channel : array_like, shape (d, m)
        Probability of each report (column) under each value (row); positive.

    Returns
    -------
    float
        Minus infinity where the reports cannot tell all laws.

    Raises
    ------
    TypeError, ValueError
        If `theta` is no law or `channel` no channel of that many values.

    Examples
    --------
    >>> from ldp import GRR
    >>> round(fisher([0.5, 0.5], GRR(2, np.log(3)).channel()), 12)
    -2.0

    References
    ----------
    ``S000``, utility 1.
    """
    law, matrix = _law_and_channel(theta, channel)
    matrix = positive_channel(matrix)
    lengths = np.linalg.svd(information_root(matrix, law), compute_uv=False)
    least = lengths[0] * max(matrix.shape) * np.finfo(float).eps
    if lengths.size < law.size - 1 or lengths[-1] <= least:
        return -math.inf
    return -float((lengths**-2.0).sum())


def entropy(theta: npt.ArrayLike, channel: npt.ArrayLike) -> float:
    r"""Minus the entropy of the report, :math:`\sum_yp_y\ln p_y`, in nats.

    S000 prints the entropy itself, with the other sign: the noisiest report would be the best.

    Parameters, errors: see :func:`fisher`.

    Examples
    --------
    >>> round(entropy([1.0, 0.0], [[0.5, 0.5], [0.5, 0.5]]), 6)
    -0.693147

    References
    ----------
    ``S000``, utility 2.
    """
    law, matrix = _law_and_channel(theta, channel)
    of_reports = law @ matrix
    return float(scipy.special.xlogy(of_reports, of_reports).sum())


def tv_posterior(theta: npt.ArrayLike, channel: npt.ArrayLike) -> float:
    r"""How far a report moves the belief about the value, on average.

    .. math:: \operatorname E\bigl[\operatorname{TV}(\Pr[X\mid Y],\theta)\bigr]
              =\tfrac12\sum_{x,y}\theta_x\,|Q_{xy}-p_y|

    Parameters, errors: see :func:`fisher`.

    Examples
    --------
    >>> round(tv_posterior([0.5, 0.5], [[0.75, 0.25], [0.25, 0.75]]), 12)
    0.25

    References
    ----------
    ``S000``, utility 3.
    """
    law, matrix = _law_and_channel(theta, channel)
    return float(law @ np.abs(matrix - law @ matrix).sum(axis=1)) / 2


def tv_report(theta: npt.ArrayLike, channel: npt.ArrayLike) -> float:
    r"""Minus the total variation of report and value, :math:`-\tfrac12\sum_y|p_y-\theta_y|`.

    Parameters, errors: see :func:`fisher`; reports must be the values, so the channel is square.

    Examples
    --------
    >>> round(tv_report([1.0, 0.0], [[0.75, 0.25], [0.25, 0.75]]), 12)
    -0.25

    References
    ----------
    ``S000``, utility 4.
    """
    law, matrix = _law_and_channel(theta, channel, square=True)
    return -float(np.abs(law @ matrix - law).sum()) / 2


def best_guess(theta: npt.ArrayLike, channel: npt.ArrayLike) -> float:
    r"""Minus the mean squared error of the best guess at the value, a one-hot vector :math:`e_X`.

    .. math:: -\min_{\hat e}\operatorname E\,\|e_X-\hat e(Y)\|^2
              =-1+\sum_y\frac{\sum_x\theta_x^2Q_{xy}^2}{p_y}

    The best guess is the posterior :math:`\Pr[X\mid Y]`. S000 prints an argmin for the minimum.

    Parameters, errors: see :func:`fisher`.

    Examples
    --------
    >>> round(best_guess([0.5, 0.5], [[0.75, 0.25], [0.25, 0.75]]), 12)
    -0.375

    References
    ----------
    ``S000``, utility 5.
    """
    law, matrix = _law_and_channel(theta, channel)
    of_reports = law @ matrix
    possible = of_reports > 0
    squares = (law**2 @ matrix**2)[possible]
    return float((squares / of_reports[possible]).sum()) - 1


def honest(theta: npt.ArrayLike, channel: npt.ArrayLike) -> float:
    r"""Probability that the report is the value, :math:`\Pr[Y=X]=\sum_x\theta_xQ_{xx}`.

    Parameters, errors: see :func:`fisher`; reports must be the values, so the channel is square.

    Examples
    --------
    >>> honest([0.5, 0.5], [[0.75, 0.25], [0.25, 0.75]])
    0.75

    References
    ----------
    ``S000``, utility 6.
    """
    law, matrix = _law_and_channel(theta, channel, square=True)
    return float(law @ np.diag(matrix))


UTILITIES = MappingProxyType(
    {
        "fisher": fisher,
        "entropy": entropy,
        "tv_posterior": tv_posterior,
        "tv_report": tv_report,
        "mse": best_guess,
        "honest": honest,
    }
)
"""The six by name, in the order of S000."""


def attack_success(theta: npt.ArrayLike, channel: npt.ArrayLike, *, num_reports: int = 1) -> float:
    r"""Probability that the best guess at the value is right, after k independent reports of it.

    .. math:: \sum_{y_1,\dots,y_k}\max_x\,\theta_x\prod_{i=1}^kQ_{xy_i}

    Nobody who knows :math:`\theta` and :math:`Q` guesses better. One report of an
    :math:`\epsilon`-LDP channel gives at most :math:`e^\epsilon/(e^\epsilon+d-1)` under the uniform
    law, which :class:`ldp.GRR` attains. The sum is over the numbers of times that each outcome
    came, after outcomes that say the same of the value (proportional columns) are made one.

    Parameters
    ----------
    theta : array_like, shape (d,)
        Law of the value, as the attacker knows it.
    channel : array_like, shape (d, m)
        Probability of each report (column) under each value (row).
    num_reports : int, optional
        Number k of reports of the same value, each with fresh randomness.

    Returns
    -------
    float
        From :math:`\max_x\theta_x`, what a guess without reports attains, to 1. Columns are
        taken as proportional where their shapes agree to 12 decimals.

    Raises
    ------
    TypeError, ValueError
        If `theta` is no law, `channel` no channel of that many values, `num_reports` no positive
        integer, or if d times the number of terms of the sum is above :math:`2^{24}`.

    Examples
    --------
    >>> from ldp import GRR
    >>> uniform, channel = np.full(4, 1 / 4), GRR(4, 1.0).channel()
    >>> [round(attack_success(uniform, channel, num_reports=k), 3) for k in (1, 2, 4)]
    [0.475, 0.475, 0.603]
    """
    law, matrix = _law_and_channel(theta, channel)
    k = _checks.integer(num_reports, "num_reports", 1, 2**24)
    if k > 1:
        matrix = of_counts(matrix, k)
    return float((law[:, None] * matrix).max(axis=0).sum())


def _law_and_channel(
    theta: npt.ArrayLike, channel: npt.ArrayLike, square: bool = False
) -> tuple[Floats, Floats]:
    matrix = _checks.channel(channel)
    if square and matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"channel must have one report per value, got shape {matrix.shape}.")
    return _checks.distribution(theta, "theta", len(matrix)), matrix
