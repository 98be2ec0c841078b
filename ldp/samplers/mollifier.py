"""Samplers whose laws stay in a window, and the windows that are worth a name."""

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._frozen import freeze
from ldp._words import Words
from ldp.samplers import _law_kernels, _windows
from ldp.types import Floats


@dataclass(frozen=True, init=False, eq=False)
class Mollifier:
    r"""Draw from the law nearest to the private one among all laws between two bounds.

    With :math:`l` and :math:`u\le e^\epsilon l` the bounds, a person who holds the distribution
    :math:`P` reports one draw of

    .. math:: Q_P=\arg\min_{l\le Q\le u}D_{\mathrm{KL}}(P\,\|\,Q),\qquad
              Q_P(x)=\min\{\max\{c\,P(x),l_x\},u_x\},

    with the :math:`c` for which it sums to one. Any two laws of the window have probabilities
    within a factor :math:`e^\epsilon` of each other, so the report is
    :math:`\epsilon`-locally private whatever :math:`P` is. Where all values with :math:`P(x)>0`
    are at their upper bound and mass is left, no :math:`c` exists: the other values share the
    rest, each the same part of the way from :math:`l_x` to :math:`u_x`.

    The same law is nearest in every :math:`f`-divergence.

    Parameters
    ----------
    lower, upper : array_like, shape (d,)
        The bounds: positive, :math:`u\le e^\epsilon l` within 1e-9, :math:`\sum l\le1\le\sum u`.
    epsilon : float
        Privacy budget, at most 44.

    Raises
    ------
    TypeError, ValueError
        If the bounds are no such bounds, or no multiple of :math:`2^{-64}` lies between two.

    Notes
    -----
    A law is emitted as integer weights out of :math:`2^{64}`, one word for a report. The weight of
    a value lies between :math:`\lceil2^{64}l\rceil` and :math:`\lfloor2^{64}u\rfloor`, the latter
    at most :math:`e^\epsilon` times the former, in integers; weights sum to :math:`2^{64}` exactly.
    So the emitted laws of all private distributions, not just of those that were tried, keep the
    budget. They differ from the stated law by rounding:
    some :math:`10^{-15}`, for a million values :math:`10^{-11}`.

    Examples
    --------
    >>> m = Mollifier([0.2, 0.2, 0.1], [0.5, 0.5, 0.25], math.log(2.5))
    >>> m.law([1.0, 0.0, 0.0]).round(3).tolist()
    [0.5, 0.333, 0.167]
    >>> m.privatize([[1.0, 0.0, 0.0], [0.2, 0.2, 0.6]], np.random.default_rng(0)).shape
    (2,)

    References
    ----------
    ``S002``, "LDP samplers through relative mollifiers".
    """

    lower: Floats = field(repr=False)
    upper: Floats = field(repr=False)
    epsilon: float
    _low: Words = field(repr=False)
    _high: Words = field(repr=False)

    def __init__(self, lower: npt.ArrayLike, upper: npt.ArrayLike, epsilon: float) -> None:
        least = _checks.positive_vector(lower, "lower")
        largest = _checks.positive_vector(upper, "upper", least.size)
        budget = _windows.check_budget(epsilon)
        _windows.check_ratio(least, largest, budget)
        low, high = _windows.integer_windows(least, largest, budget)
        for array in (least, largest, low, high):
            array.flags.writeable = False
        freeze(self, lower=least, upper=largest, epsilon=budget, _low=low, _high=high)

    def __reduce__(self) -> tuple[type["Mollifier"], tuple[object, ...]]:
        """Let a copy be made and checked anew: pickled arrays would come back writable."""
        return Mollifier, (self.lower, self.upper, self.epsilon)

    @property
    def domain_size(self) -> int:
        """Number d of values."""
        return self.lower.size

    emitted_epsilon = property(_windows.emitted_epsilon)
    weights = _windows.weights
    privatize = _windows.privatize

    def law(self, laws: npt.ArrayLike) -> Floats:
        """Law of the report for each private distribution, shape (d,) or (n, d) as given.

        Raises ``TypeError`` or ``ValueError`` if a row is no distribution within 1e-9.
        """
        rows = _windows.check_laws(laws, self.domain_size)
        out = np.empty_like(rows)
        _law_kernels.project(rows, self.lower, self.upper, out)
        return out.reshape(np.shape(laws))


def relative_mollifier(prior: npt.ArrayLike, epsilon: float) -> Mollifier:
    r"""Return the sampler whose laws stay within a factor :math:`e^{\epsilon/2}` of a reference.

    .. math:: l=e^{-\epsilon/2}q,\qquad u=e^{\epsilon/2}q.

    It leaves :math:`q`, and all laws within that factor of it, as they are.

    Parameters
    ----------
    prior : array_like, shape (d,)
        The reference :math:`q`: a distribution, without zeros.
    epsilon : float
        Privacy budget, at most 44.

    Raises
    ------
    TypeError, ValueError
        If `prior` is no distribution or has a zero or a one.

    Examples
    --------
    >>> m = relative_mollifier([0.5, 0.3, 0.2], 1.0)
    >>> m.law([0.5, 0.3, 0.2]).tolist()
    [0.5, 0.3, 0.2]

    References
    ----------
    ``S002``, "LDP samplers through relative mollifiers".
    """
    q, budget = _windows.check_prior(prior), _windows.check_budget(epsilon)
    lower, upper = q * math.exp(-budget / 2), q * math.exp(budget / 2)
    return window_around("prior", float(q.min()), lower, upper, budget)


def minimax_mollifier(domain_size: int, epsilon: float) -> Mollifier:
    r"""Return the sampler with the best worst case over all private distributions, without a prior.

    .. math:: l_x=\frac{1}{e^\epsilon+d-1},\qquad u_x=\frac{e^\epsilon}{e^\epsilon+d-1}.

    The upper bound never binds: the law is :math:`\max\{cP(x),l_x\}`. Worst is a point mass,
    whose own value is reported with probability :math:`u_x`.

    Parameters
    ----------
    domain_size : int
        Number :math:`d\ge2` of values.
    epsilon : float
        Privacy budget, at most 44.

    Raises
    ------
    TypeError, ValueError
        If the arguments are outside their range.

    Examples
    --------
    >>> minimax_mollifier(3, 1.0).law([1.0, 0.0, 0.0]).round(3).tolist()
    [0.576, 0.212, 0.212]

    References
    ----------
    ``S002``, "Minimax optimal samplers", the non-linear one.
    """
    d, budget = _checks.domain_size(domain_size), _windows.check_budget(epsilon)
    share = math.exp(-budget)
    most = np.full(d, 1 / (1 + (d - 1) * share))
    return window_around("domain_size", d, most * share, most, budget)


def local_mollifier(prior: npt.ArrayLike, epsilon: float, factor: float) -> Mollifier:
    r"""Return the sampler for private distributions within a factor :math:`\gamma` of a prior.

    .. math:: l=\frac{\gamma+1}{e^\epsilon+\gamma}\,q,\qquad
              u=e^\epsilon l,\qquad 1<\gamma .

    With :math:`\gamma\le e^{\epsilon/2}` all these distributions are reported as they are. The
    budget holds for every private distribution, near the prior or not. If :math:`q` is uniform and
    :math:`d/(\gamma+1)` an integer, no sampler has a better worst case over
    :math:`q/\gamma\le P\le\gamma q`.

    Parameters
    ----------
    prior, epsilon
        As for :func:`relative_mollifier`.
    factor : float
        :math:`\gamma`, more than 1 and finite.

    Raises
    ------
    TypeError, ValueError
        If `prior` is no distribution or has a zero or a one, or `factor` is not above 1.

    Examples
    --------
    >>> m = local_mollifier([0.5, 0.3, 0.2], 1.0, 3.0)
    >>> m.law([0.25, 0.15, 0.6]).round(3).tolist()
    [0.387, 0.232, 0.38]

    References
    ----------
    ``ghoukasian2025locally`` treats this neighbourhood; optimality as stated here is shown in the
    book's chapter on sampling.
    """
    q, budget = _windows.check_prior(prior), _windows.check_budget(epsilon)
    gamma = _checks.positive(factor, "factor")
    if gamma <= 1:
        raise ValueError(f"factor must be more than 1, got {gamma}.")
    share = math.exp(-budget)
    upper = q * ((gamma + 1) / (1 + gamma * share))
    return window_around("prior", float(q.min()), upper * share, upper, budget)


def window_around(
    argument: str, value: float, lower: Floats, upper: Floats, epsilon: float
) -> Mollifier:
    """Return a window that was made of an argument, which is to blame if no weights fit into it."""
    try:
        return Mollifier(lower, upper, epsilon)
    except ValueError as error:
        raise ValueError(
            f"{argument} and epsilon must leave multiples of 2**-64 in the window of every value, "
            f"got {value} and {epsilon}."
        ) from error
