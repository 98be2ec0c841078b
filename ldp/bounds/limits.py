r"""From entropies to linear algebra: limits of :math:`n` times the error, for one mechanism."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp.bounds._common import gaussian_factor
from ldp.bounds.information import information_at, telling_channel
from ldp.types import Floats


class Averages(NamedTuple):
    """Averages over a sample of laws, and their standard errors, for the law and the frequencies.

    The standard errors say how much the sample of laws leaves open.
    """

    law: float
    frequencies: float
    law_error: float
    frequencies_error: float


def _laws(given: npt.ArrayLike, domain_size: int) -> Floats:
    laws = _checks.plain_array(given, "thetas")
    if laws.dtype.kind not in "iuf":
        raise TypeError(f"thetas must be real numbers, got dtype {laws.dtype}.")
    if laws.ndim != 2 or len(laws) < 2 or laws.shape[1] != domain_size:
        rule = f"(k, {domain_size}) with k > 1"
        raise ValueError(f"thetas must have shape {rule}, got {laws.shape}.")
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is not 1
        wrong = ~((laws >= 0).all(axis=1) & (np.abs(laws.sum(axis=1) - 1) <= 1e-9))
    if wrong.any():
        shown = _checks.shown(laws[wrong][0])
        raise ValueError(f"thetas must be laws in every row, got {shown}.")
    return laws.astype(np.float64)


def _at_laws(channel: npt.ArrayLike, thetas: npt.ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Fisher information of a report, covariance of a value, at every law; and the laws."""
    matrix = telling_channel(channel)
    laws = _laws(thetas, len(matrix))
    first = laws[:, :-1]
    sampling = first[:, :, None] * np.eye(len(matrix) - 1) - first[:, :, None] * first[:, None]
    return information_at(matrix, laws), sampling, laws


def _average(law: Floats, frequencies: Floats) -> Averages:
    root = math.sqrt(len(law))
    return Averages(
        float(law.mean()),
        float(frequencies.mean()),
        float(law.std(ddof=1) / root),
        float(frequencies.std(ddof=1) / root),
    )


def exact_limit(channel: npt.ArrayLike, thetas: npt.ArrayLike) -> Averages:
    r"""Limit of :math:`n` times the error of the posterior mean, and of maximum likelihood.

    .. math:: n\operatorname{MSE}\to\operatorname E\left[\operatorname{tr}J_\theta^{-1}\right],
              \qquad n\operatorname{MSE}_f\to\operatorname E\left[\operatorname{tr}J_\theta^{-1}
              -\Bigl(1-\sum_v\theta_v^2\Bigr)\right]

    in orthonormal coordinates, averaged over a prior with a density. No theorem of the paper: the
    posterior becomes normal (Bernstein and von Mises). That its second moments converge is checked
    in the book and not proved. Only a limit, and an average: at a single law on a face of the
    simplex, where frequencies are zero, a repaired estimate can have less than the trace.

    Parameters
    ----------
    channel : array_like, shape (d, m)
        Probability of each report (column) under each value (row): positive, of rank d.
    thetas : array_like, shape (k, d)
        Laws drawn from the prior, at least two.

    Returns
    -------
    Averages
        Squared errors times n, summed over values.

    Raises
    ------
    TypeError, ValueError
        If `channel` is no such channel or `thetas` are not laws.

    Examples
    --------
    >>> from ldp import GRR
    >>> laws = np.random.default_rng(0).dirichlet([0.5, 0.5], size=10_000)
    >>> round(exact_limit(GRR(2, 1.0).channel(), laws).frequencies, 6)  # whatever the prior
    1.841347

    References
    ----------
    ``S003``, Theorem 3.3, for which it is the rate.
    """
    information, _, laws = _at_laws(channel, thetas)
    inverse = np.linalg.inv(information)
    # The last coordinate is minus the sum of the others; its variance is the sum of all entries.
    law = np.trace(inverse, axis1=1, axis2=2) + inverse.sum(axis=(1, 2))
    return _average(law, law - (1 - (laws**2).sum(axis=1)))


def entropy_constants(channel: npt.ArrayLike, thetas: npt.ArrayLike) -> Averages:
    r"""Constants :math:`B_Q` (``law``) and :math:`C_Q` (``frequencies``) of the entropies.

    .. math:: h(\theta\mid Y)+\tfrac{d-1}2\ln n\to B_Q,\qquad
              H(T\mid Y)-\tfrac{d-1}2\ln n\to C_Q

    .. math:: B_Q=\tfrac{d-1}2\ln2\pi e-\tfrac12\operatorname E\ln\det J_\theta,\qquad
              C_Q=B_Q+\tfrac12\operatorname E\ln\frac{\det\sum_x\theta_xM_x}{\prod_y(\theta Q)_y}

    where :math:`M_x` is the covariance of the report of value :math:`x`, as a one-hot vector
    without its last entry. The last fraction is computed as :math:`\det(I-\Sigma_\theta J_\theta)`,
    with :math:`\Sigma_\theta` the covariance of a value: equal, and of size d - 1 instead of m - 1.

    Parameters
    ----------
    channel, thetas
        As for :func:`exact_limit`.

    Returns
    -------
    Averages
        In nats.

    Raises
    ------
    TypeError, ValueError
        If `channel` is no such channel or all but reveals the value, or `thetas` are not laws.

    Examples
    --------
    >>> from ldp import GRR
    >>> nodes = np.sin((np.arange(500) + 0.5) * np.pi / 1000) ** 2  # quadrature for Beta(1/2, 1/2)
    >>> laws = np.column_stack([nodes, 1 - nodes])
    >>> round(entropy_constants(GRR(2, 1.0).channel(), laws).law, 4)
    1.4395

    References
    ----------
    ``S003``, Theorem 4.2, (39)-(42), reconstructed.
    """
    information, sampling, laws = _at_laws(channel, thetas)
    learned = np.linalg.eigvals(sampling @ information).real
    if learned.max() > 1 - 1e-9:  # what a report leaves open would be rounding error
        raise ValueError(
            f"channel must leave values open in float64, got one that reveals {learned.max()}."
        )
    start = (laws.shape[1] - 1) / 2 * math.log(2 * math.pi * math.e)
    law = start - np.linalg.slogdet(information).logabsdet / 2
    return _average(law, law + np.log1p(-learned).sum(axis=1) / 2)


def entropy_limit(
    channel: npt.ArrayLike, thetas: npt.ArrayLike, *, sharp: bool = False
) -> Averages:
    r"""Lower bounds on the limits of :math:`n` times the error, from the entropies.

    .. math:: \lim n\operatorname{MSE}\ge\frac d{2\pi e}\,e^{2B_Q/(d-1)},\qquad
              \lim n\operatorname{MSE}_f\ge\frac d{2\pi e}\,e^{2C_Q/(d-1)}

    With `sharp` the factor :math:`d` becomes :math:`(d-1)d^{1/(d-1)}`. Only a limit.

    Parameters
    ----------
    channel, thetas
        As for :func:`exact_limit`.
    sharp : bool
        Use the larger constant.

    Returns
    -------
    Averages
        Squared errors times n, summed over values.

    Raises
    ------
    TypeError, ValueError
        As :func:`entropy_constants`.

    Examples
    --------
    >>> from ldp import GRR
    >>> laws = np.random.default_rng(0).dirichlet(np.ones(5), size=1000)
    >>> limits = [f(GRR(5, 1.0).channel(), laws).law for f in (entropy_limit, exact_limit)]
    >>> limits[0] < limits[1]
    True

    References
    ----------
    ``S003``, Corollary 4.3, (51) and (52), reconstructed.
    """
    sharp = _checks.flag(sharp, "sharp")
    d = len(_checks.channel(channel))
    constants = entropy_constants(channel, thetas)
    factor = gaussian_factor(d, sharp)
    law, frequencies = (factor * math.exp(2 * b / (d - 1)) for b in constants[:2])
    slope = 2 / (d - 1)  # of the logarithm
    errors = slope * law * constants.law_error, slope * frequencies * constants.frequencies_error
    return Averages(law, frequencies, *errors)
