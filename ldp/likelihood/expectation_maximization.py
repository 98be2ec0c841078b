r"""Expectation maximisation, plain and smoothed, from a histogram of reports."""

import math
from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
import scipy

from ldp import _checks
from ldp.likelihood._kernels import window_score
from ldp.likelihood.maximum import Fit, certified_gap
from ldp.likelihood.reports import check_some, tallied_outcomes
from ldp.tally import Tally
from ldp.types import Floats, Mechanism, OutcomeMechanism, counts_outcomes

# (theta, shares) -> derivative of the likelihood, and how large the numbers were it was summed from
Score = Callable[[Floats, Floats], tuple[Floats, float]]
Predicted = Callable[[Floats], Floats]  # theta -> probability of every outcome


@runtime_checkable
class Windows(OutcomeMechanism, Protocol):
    """A mechanism whose outcome y has probability `q`, times `odds` if x <= y <= x + 2 half_width.

    Sums over such windows are differences of two sums from the left, whatever their width.
    """

    half_width: int
    odds: float
    q: float


def em(
    counts: npt.ArrayLike | Tally,
    channel: npt.ArrayLike | Mechanism,
    *,
    smooth: Sequence[float] | None = None,
    tolerance: float = 1e-9,
    max_iterations: int = 10_000,
    min_rise: float = 0.0,
) -> Fit:
    r"""Law of the values by expectation maximisation (EM), or with smoothing (EMS).

    From the uniform law, every step shares each report among the values in proportion to their
    posterior probability, and takes the shares as the next law:

    .. math:: \theta_v\leftarrow\theta_vD_v,\qquad
              D_v=\frac1n\sum_y s_y\,\frac{Q_{v,y}}{\sum_u\theta_uQ_{u,y}},

    :math:`s_y` being the number of reports with outcome :math:`y`. The likelihood never falls. EMS
    then replaces each :math:`\theta_v` by a weighted mean of itself and its two neighbours, and
    brings the sum back to one.

    Parameters
    ----------
    counts : array_like, shape (m,), or Tally
        How many reports had each outcome of the channel. A tally will do where it counts outcomes
        (:class:`ldp.types.OutcomeMechanism`); that a matrix is the channel of the tally's mechanism
        is not checked.
    channel : array_like, shape (d, m), or Mechanism
        Rows are values. With a :class:`ldp.SquareWave` a step takes :math:`O(d+m)` operations, with
        a matrix :math:`O(dm)`.
    smooth : sequence of three floats, optional
        Weights of the left neighbour, the value and the right neighbour; EMS of the literature is
        ``(1, 2, 1)``. At an end the weights of the two values there share the whole.
    tolerance : float
        EM stops when the certified `gap` is at most this, in nats per report; EMS, which maximises
        nothing, when a step moves the law by at most this in total (L1).
    max_iterations : int
        Most steps. EM may need many more than any practical number, for it slows down where the
        maximum gives no weight to a value; :func:`ldp.maximum_likelihood` gets there, in some
        seconds at a thousand values.
    min_rise : float
        Stop also when a step changes the log-likelihood of all reports by less than this, in nats.
        The rule of the literature, not a certificate: EM stopped early is less rough than the
        maximum. The default never stops.

    Returns
    -------
    Fit
        ``log_likelihood`` is the sum of :math:`s_y\log\sum_v\theta_vQ_{v,y}`; ``gap`` certifies how
        far the law is from the most likely one, for EMS too, which stays away from it on purpose.
        ``converged`` says whether `tolerance` was met.

    Raises
    ------
    TypeError, ValueError
        If `counts` are not non-negative numbers of which one is positive, an outcome that occurred
        is impossible, `channel` has a row that is no law, or `smooth` is not three non-negative
        weights with a positive middle one.

    Examples
    --------
    >>> from ldp import SquareWave, em
    >>> m = SquareWave(4, 2.0, half_width=1)
    >>> em([1, 6, 9, 5, 2, 1], m, smooth=(1, 2, 1)).theta.round(3)
    array([0.327, 0.307, 0.222, 0.144])

    References
    ----------
    ``dempster1977maximum``; ``silverman1990smoothed``; ``li2020estimating``; ``S004``,
    Algorithm 1 and EMS.
    """
    tolerance = _checks.positive(tolerance, "tolerance")
    max_iterations = _checks.integer(max_iterations, "max_iterations", 1)
    least_rise = _checks.not_negative(min_rise, "min_rise")
    if isinstance(counts, Tally):  # refused, if need be, before a large channel is made
        counts = _tallied(counts, channel)
    if isinstance(channel, Windows):
        score, predicted = _window_model(channel)
        domain_size, num_outcomes = channel.domain_size, channel.num_outcomes
    else:
        matrix = _checks.channel(channel.channel() if isinstance(channel, Mechanism) else channel)
        score, predicted = _dense_model(matrix)
        domain_size, num_outcomes = matrix.shape
    histogram = _histogram(counts, num_outcomes)
    smoother = None if smooth is None else _smoother(smooth, domain_size)
    theta = np.full(domain_size, 1 / domain_size)
    if (predicted(theta)[histogram > 0] == 0).any():
        raise ValueError("counts must be possible under some value, got some that are not.")

    def log_likelihood(law: Floats) -> float:
        return float(scipy.special.xlogy(histogram, predicted(law)).sum())

    shares = histogram / histogram.sum()
    before, stalled = -math.inf, False
    for iteration in range(max_iterations + 1):
        derivative, magnitude = score(theta, shares)
        gap = certified_gap(derivative, num_outcomes, magnitude)
        new = theta * derivative
        if smoother is not None:
            new = smoother(new)
        new /= new.sum()
        distance = gap if smoother is None else float(np.abs(new - theta).sum())
        if distance <= tolerance or stalled or iteration == max_iterations:
            break
        if least_rise > 0:
            after = log_likelihood(new)
            stalled = abs(after - before) < least_rise
            before = after
        theta = new
    return Fit(theta, log_likelihood(theta), gap, iteration, distance <= tolerance)


def _tallied(counts: Tally, channel: object) -> Floats:
    mechanism = channel if isinstance(channel, Mechanism) else counts.mechanism
    if not counts_outcomes(mechanism):
        raise TypeError(f"counts must be counts of outcomes, got a tally of {mechanism}.")
    outcomes = tallied_outcomes(counts, mechanism, "counts")
    check_some(outcomes.sum(), "counts")
    return outcomes


def _histogram(counts: npt.ArrayLike, num_outcomes: int) -> Floats:
    histogram = _checks.vector(counts, "counts", num_outcomes)
    if histogram.min() < 0:
        raise ValueError(f"counts must be non-negative, got {histogram.min():g}.")
    if histogram.max() > 1e100:  # sums of larger ones may overflow
        raise ValueError(f"counts must be at most 1e100, got {histogram.max():g}.")
    if histogram.sum() == 0:
        raise ValueError("counts must hold at least one report, got 0.")
    return histogram


def _window_model(m: Windows) -> tuple[Score, Predicted]:
    window = 2 * m.half_width + 1

    def score(theta: Floats, shares: Floats) -> tuple[Floats, float]:
        derivative = np.empty(theta.size)
        subtracted = window_score(theta, shares, m.odds, window, derivative)
        return derivative, 1 + subtracted

    def predicted(theta: Floats) -> Floats:
        total = np.concatenate([np.zeros(window), np.cumsum(theta), np.ones(window - 1)])
        law: Floats = m.q * (1 + (m.odds - 1) * (total[window:] - total[:-window]))
        return law

    return score, predicted


def _dense_model(channel: Floats) -> tuple[Score, Predicted]:
    def score(theta: Floats, shares: Floats) -> tuple[Floats, float]:
        law = theta @ channel
        ratios = np.divide(shares, law, out=np.zeros_like(law), where=shares > 0)
        return channel @ ratios, 1.0

    def predicted(theta: Floats) -> Floats:
        law: Floats = theta @ channel
        return law

    return score, predicted


def _smoother(weights: Sequence[float], domain_size: int) -> Callable[[Floats], Floats]:
    given = _checks.vector(weights, "smooth", 3)
    left, own, right = given / max(given.max(), 1e-300)
    if min(left, right) < 0 or own <= 0:
        raise ValueError(
            "smooth must be non-negative weights with a positive middle one, "
            f"got {_checks.shown(weights)}."
        )

    def weighted(theta: Floats) -> Floats:
        # The first value has no left neighbour and the last one no right.
        total: Floats = own * theta
        total[1:] += left * theta[:-1]
        total[:-1] += right * theta[1:]
        return total

    present = weighted(np.ones(domain_size))
    return lambda theta: weighted(theta) / present
