r"""The linear estimator of every frequency oracle, its variance and its confidence intervals.

One report adds to the count of value :math:`v` a score :math:`s_v` with mean :math:`p` if its
user holds :math:`v` and :math:`q` otherwise. Everything here follows from that sentence.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from ldp import _checks
from ldp.tally import Tally, check_counts
from ldp.types import Floats, LinearOracle


def debias(tally: Tally, mechanism: LinearOracle) -> Floats:
    r"""Unbiased estimate of the frequency of every value.

    .. math:: \hat f_v = \frac{c_v/n - q}{p - q}

    Parameters
    ----------
    tally : Tally
        Counts :math:`c_v` of :math:`n\ge 1` reports.
    mechanism : FrequencyOracle
        The mechanism that made the reports.

    Returns
    -------
    ndarray, shape (d,)
        Frequencies, of the candidates if the tally has some. They estimate numbers that sum to
        one, but may be negative or above one.

    Raises
    ------
    TypeError, ValueError
        If `tally` is not a :class:`ldp.Tally`, is empty, of another size or another mechanism, or
        one that no reports give.

    Examples
    --------
    >>> from ldp import GRR, Tally, debias
    >>> warner = GRR(2, np.log(3))           # p = 3/4
    >>> debias(Tally([65, 35], 100), warner).round(12)
    array([0.8, 0.2])

    References
    ----------
    ``wang2017locally``, equation (2); ``warner1965randomized``.
    """
    check_oracle(mechanism)
    if not isinstance(tally, Tally):
        raise TypeError(f"tally must be a Tally, got {type(tally).__name__}.")
    if tally.mechanism is not None and tally.mechanism != mechanism:
        wrong = _checks.shown(tally.mechanism)
        raise ValueError(f"tally must be of mechanism {mechanism}, got one of {wrong}.")
    if tally.candidates is None and tally.counts.size != mechanism.domain_size:
        raise ValueError(
            f"tally must have {mechanism.domain_size} counts, got {tally.counts.size}."
        )
    if tally.num_reports == 0:
        raise ValueError("tally must hold at least one report to be debiased, got 0.")
    if tally.mechanism is None:
        check_counts(tally, mechanism, "counts of the tally")
    p, q = mechanism.p, mechanism.q
    estimate: Floats = (tally.counts / tally.num_reports - q) / (p - q)
    return estimate


def noise_variance(p: Any, q: Any, second_moment: Any, frequency: Any) -> Any:
    r"""Variance of one report's debiased score, given the users' values.

    .. math:: \frac{\mathrm{E}[s_v^2] - f p^2 - (1-f) q^2}{(p-q)^2}

    For a pure mechanism :math:`s_v` is an indicator, :math:`\mathrm{E}[s_v^2]=q+(p-q)f`, and this
    is :math:`\frac{q(1-q)}{(p-q)^2}+f\,\frac{1-p-q}{p-q}`.
    """
    return (second_moment - frequency * p**2 - (1 - frequency) * q**2) / (p - q) ** 2


def check_oracle(mechanism: Any) -> None:
    """Refuse what is no frequency oracle, a class that makes some among it."""
    if isinstance(mechanism, type) or not isinstance(mechanism, LinearOracle):
        raise TypeError(
            f"mechanism must be a frequency oracle, with one p and one q for all values, "
            f"got {_checks.shown(mechanism)}."
        )


def variance(
    mechanism: LinearOracle, num_reports: int, frequency: float | npt.ArrayLike = 0.0
) -> Any:
    r"""Variance of :func:`debias` caused by the randomizers alone, the users' values being given.

    .. math:: \operatorname{Var}[\hat f_v\mid x_1,\dots,x_n]
              =\frac{1}{n}\left(\frac{q(1-q)}{(p-q)^2}+f_v\,\frac{1-p-q}{p-q}\right)

    for a pure mechanism; :func:`noise_variance` is the general form.

    Parameters
    ----------
    mechanism : FrequencyOracle
    num_reports : int
        Number :math:`n\ge 1` of reports.
    frequency : float or array_like
        Frequency :math:`f_v` of a value among the users, or an array of such frequencies. For
        :class:`ldp.HadamardResponse` with several blocks the other users matter too: give all d
        frequencies; for any other shape the other users are spread evenly.

    Returns
    -------
    float or ndarray, in the shape of `frequency`
        Variance of a frequency (no unit); multiply by n**2 for the variance of a count.

    Raises
    ------
    TypeError, ValueError
        If `num_reports` is not a positive integer or a frequency lies outside [0, 1].

    Examples
    --------
    >>> from ldp import OUE, variance
    >>> round(variance(OUE(16, 1.0), 1_000), 6)     # 4e/(e-1)^2/n
    0.003683

    References
    ----------
    ``wang2017locally``, section 4 and Table 1.
    """
    check_oracle(mechanism)
    count = _checks.integer(num_reports, "num_reports", 1, 2**63 - 1)
    f = _checks.frequency(frequency)
    law = f if f.shape == (mechanism.domain_size,) else None
    result = _noise(mechanism, f, law) / count
    return float(result) if np.ndim(result) == 0 else result


def _noise(mechanism: LinearOracle, frequency: Floats, law: Floats | None) -> Any:
    """Variance of one report's debiased score."""
    square = mechanism.second_moment(frequency, law)
    return noise_variance(mechanism.p, mechanism.q, square, frequency)


def sampling_variance(mechanism: LinearOracle, num_reports: int, theta: npt.ArrayLike) -> Floats:
    r"""Variance of :func:`debias` when the users themselves are drawn from a population.

    .. math:: \operatorname{Var}_\theta[\hat f_v]
              =\frac{\mathrm{E}[s_v^2]-\left(q+(p-q)\theta_v\right)^2}{n\,(p-q)^2},

    which is :func:`variance` at :math:`f=\theta` plus :math:`\theta_v(1-\theta_v)/n`.

    Parameters
    ----------
    mechanism : FrequencyOracle
    num_reports : int
        Number :math:`n\ge 1` of users.
    theta : array_like, shape (d,)
        Population law.

    Returns
    -------
    ndarray, shape (d,)

    Raises
    ------
    TypeError, ValueError
        If `theta` is not a distribution over the domain or `num_reports` not positive.

    Examples
    --------
    >>> from ldp import OUE, sampling_variance
    >>> sampling_variance(OUE(2, 1.0), 100, [0.5, 0.5]).round(6)
    array([0.044327, 0.044327])
    """
    check_oracle(mechanism)
    count = _checks.integer(num_reports, "num_reports", 1, 2**63 - 1)
    law = _checks.distribution(theta, "theta", mechanism.domain_size)
    noise: Floats = variance(mechanism, count, np.minimum(law, 1.0))
    return noise + law * (1 - law) / count


def confidence_interval(
    tally: Tally,
    mechanism: LinearOracle,
    *,
    level: float = 0.95,
    simultaneous: bool = False,
    population: bool = False,
) -> tuple[Floats, Floats]:
    r"""Score intervals for the frequency of every value.

    All :math:`f` with :math:`|\hat f_v-f|\le z\,\sqrt{\operatorname{Var}_f[\hat f_v]}`, where the
    variance is taken at :math:`f` and not at the estimate: a quadratic inequality, solved exactly.
    The normal approximation is the only one made, but for :class:`ldp.HadamardResponse` with
    several blocks, where the frequency of the value's block is estimated from the same tally.

    Parameters
    ----------
    tally : Tally
    mechanism : FrequencyOracle
    level : float
        Confidence level in (0, 1).
    simultaneous : bool
        If true all intervals hold together with probability at least `level` (Bonferroni, which
        needs no independence); otherwise each holds with probability `level`. Candidates must be
        chosen without the tally's reports; for the best of many see the ``intervals`` of
        :class:`ldp.heavy_hitters.HeavyHitters`.
    population : bool
        If true the target is the law the users were drawn from; otherwise their own frequencies.

    Returns
    -------
    lower, upper : ndarray, shape (d,)
        Ends of the intervals, not cut to [0, 1].

    Raises
    ------
    TypeError, ValueError
        If `level` is not in (0, 1), or as :func:`debias`.

    Examples
    --------
    >>> from ldp import GRR, Tally, confidence_interval
    >>> lower, upper = confidence_interval(Tally([65, 35], 100), GRR(2, np.log(3)))
    >>> lower.round(3), upper.round(3)
    (array([0.63, 0.03]), array([0.97, 0.37]))
    """
    level = _checks.between(level, "level")
    simultaneous = _checks.flag(simultaneous, "simultaneous")
    population = _checks.flag(population, "population")
    estimate = debias(tally, mechanism)
    tail = (1 - level) / 2 / (estimate.size if simultaneous else 1)
    z2 = float(scipy.special.ndtri(tail)) ** 2
    law = estimate if tally.candidates is None else None
    at_zero = _noise(mechanism, np.asarray(0.0), law) / tally.num_reports
    slope = _noise(mechanism, np.asarray(1.0), law) / tally.num_reports - at_zero
    drawn = 1 / tally.num_reports if population else 0.0
    # a f^2 - 2 b f + c <= 0, from (estimate - f)^2 <= z2 (at_zero + slope f + drawn f (1 - f))
    a = 1 + z2 * drawn
    b = estimate + z2 * (slope + drawn) / 2
    c = estimate**2 - z2 * at_zero
    # With several Hadamard blocks an estimate too extreme ever to occur can have no solution;
    # the interval is then the point that comes closest.
    half_width = np.sqrt(np.maximum(b**2 - a * c, 0.0)) / a
    return b / a - half_width, b / a + half_width
