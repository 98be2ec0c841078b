"""Histogram encoding: a one-hot vector plus noise on every coordinate, summed or thresholded."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import scipy

from ldp import _checks, _kernels
from ldp._frozen import freeze
from ldp._noise import add_laplace, reach
from ldp.mechanisms import shared
from ldp.mechanisms.reports import check_reports, numbers
from ldp.mechanisms.unary import UnaryEncoding, encoding_from_epsilon
from ldp.tally import Tally
from ldp.types import Array, Floats, Integers, ReportType


@dataclass(frozen=True, init=False)
class SHE:
    r"""Add two-sided geometric (discrete Laplace) noise to a one-hot vector, on an integer grid.

    With :math:`r` grid steps per unit, :math:`y_v=r\,1\{v=x\}+Z_v` and independent

    .. math:: \Pr[Z=k]=\frac{1-\alpha}{1+\alpha}\,\alpha^{|k|},\qquad \alpha=e^{-\epsilon/(2r)}.

    Two values differ in two coordinates by :math:`r` steps each, so the likelihood ratio is at
    most :math:`\alpha^{-2r}=e^\epsilon`. As :math:`r\to\infty`, :math:`y/r` tends to the one-hot
    vector plus Laplace noise of scale :math:`2/\epsilon`.

    Parameters
    ----------
    domain_size : int
        Number :math:`d\ge 2` of values 0..d-1.
    epsilon : float
        Privacy budget.
    resolution : int
        Grid steps :math:`r\ge 1` per unit.

    Notes
    -----
    Reports are integers of shape ``(n, d)``, in grid steps. A float would leave holes that tell
    values apart (``mironov2012significance``). The noise has exactly this law: each binary digit of
    it is drawn by comparing random bits with as many digits of its chance as are needed. A
    coordinate that would lie further beyond 0 or r than a power of two of at least
    :math:`90r/\epsilon` steps is put there, whatever the value; that happens less than once in
    :math:`2^{64}` draws, and the budget holds exactly, with no :math:`\delta`. A tally sums
    reports: one adds on average p = r steps to its own value and q = 0 to the others. SHE supports
    no set of values, so it has no odds.

    Examples
    --------
    >>> m = SHE(3, 1.0)
    >>> m.privatize([2, 0], np.random.default_rng(0)).shape
    (2, 3)

    References
    ----------
    ``dwork2006calibrating``; ``wang2017locally``, section 4.2; ``ghosh2012universally`` for the
    geometric mechanism.
    """

    domain_size: int
    epsilon: float
    resolution: int

    def __init__(self, domain_size: int, epsilon: float, resolution: int = 64) -> None:
        freeze(
            self,
            domain_size=_checks.domain_size(domain_size),
            epsilon=_checks.epsilon(epsilon),
            resolution=_checks.integer(resolution, "resolution", 1, 2**20),
        )
        # The noise must exist (epsilon not too large) and fit in 64 bits (not too small).
        if not 2.0**-40 < self._decay < 36:
            raise ValueError(
                f"epsilon must lie between 2**-39 and 72 times the resolution {self.resolution}, "
                f"got {self.epsilon}."
            )

    @property
    def _decay(self) -> float:
        return self.epsilon / (2 * self.resolution)

    @property
    def p(self) -> float:
        """Mean of the own coordinate, in grid steps."""
        return float(self.resolution)

    @property
    def q(self) -> float:
        """Mean of any other coordinate."""
        return 0.0

    @property
    def report(self) -> ReportType:
        """A number of grid steps for each value."""
        far = reach(self._decay)
        return numbers(-far, self.resolution + far, (self.domain_size,))

    def second_moment(self, frequency: Array | float, law: Array | None = None) -> Array:
        r"""E[y_v^2] = f r^2 + Var Z, with Var Z = 1 / (2 sinh^2(eps / 4r)) steps squared."""
        noise = 0.5 / math.sinh(self.epsilon / (4 * self.resolution)) ** 2
        return self.p**2 * _checks.frequency(frequency) + noise

    def privatize(self, values: npt.ArrayLike, rng: np.random.Generator) -> Array:
        """Add noise to every coordinate."""
        given = _checks.values(values, self.domain_size)
        rng = _checks.rng(rng)
        reports = np.zeros((given.size, self.domain_size), dtype=self.report.dtype)
        reports[np.arange(given.size), given] = self.resolution
        decay = Fraction(self.epsilon) / (2 * self.resolution)
        for chunk in _kernels.chunks(given.size, self.domain_size):
            points = reports[chunk].reshape(-1)
            points[:] = add_laplace(points, self.resolution, decay, rng)
        return reports

    def tally(self, reports: npt.ArrayLike) -> Tally:
        """Sum the reports, in grid steps."""
        given = check_reports(reports, self.report)
        largest = np.abs(given.sum(axis=0, dtype=np.float64)).max(initial=0.0)
        if largest >= 2**63:
            raise ValueError(f"reports must have sums within 64 bits, got about {largest:.4g}.")
        return Tally(given.sum(axis=0), len(given), self)

    def check_counts(self, tally: Tally, name: str) -> None:
        """Refuse counts that no reports have."""
        shared.check_size(tally, self.domain_size, name)
        n, far = tally.num_reports, reach(self._decay)
        low, high = tally.counts.min(), tally.counts.max()
        if low < -far * n or high > (self.resolution + far) * n:
            raise ValueError(
                f"{name} must be from {-far} to {self.resolution + far} for each of the {n} "
                f"reports, got {low} to {high}."
            )

    def simulate(self, value_counts: npt.ArrayLike, rng: np.random.Generator) -> Tally:
        """Draw the tally exactly: a sum of n geometric variables is negative binomial."""
        counts = _checks.value_counts(value_counts, self.domain_size)
        rng = _checks.rng(rng)
        stop = -math.expm1(-self._decay)
        # Beyond this the sums would not fit in 64 bits.
        total = _checks.integer(
            int(counts.sum()), "the sum of value_counts", 0, min(2**53, int(2**60 * stop))
        )
        sums = self.resolution * counts
        if total:
            sums += rng.negative_binomial(total, stop, self.domain_size)
            sums -= rng.negative_binomial(total, stop, self.domain_size)
        return Tally(sums, total, self)

    def channel(self) -> Floats:
        """Exact law of :meth:`outcomes`: (r + 1)**d columns.

        Coordinates are cut to 0..r. Beyond these ends the likelihood ratio of any two values no
        longer changes, so the cut loses nothing: neither privacy loss nor information.
        """
        d, r = self.domain_size, self.resolution
        _checks.channel_size(d, (r + 1) ** d)
        alpha = math.exp(-self.epsilon / (2 * r))
        zero = alpha ** np.arange(r + 1.0) * (1 - alpha) / (1 + alpha)
        zero[0] = 1 / (1 + alpha)
        zero[r] = alpha**r / (1 + alpha)
        laws = (zero, zero[::-1])
        rows = []
        for x in range(d):
            row = np.ones(1)
            for v in range(d):
                row = np.multiply.outer(row, laws[v == x]).ravel()
            rows.append(row)
        return np.stack(rows)

    def outcomes(self, reports: npt.ArrayLike) -> Integers:
        """Coordinates cut to 0..r, read as digits in base r + 1, first value highest."""
        d, r = self.domain_size, self.resolution
        given = check_reports(reports, self.report)
        _checks.channel_size(d, (r + 1) ** d)
        digits = np.clip(given, 0, r)
        outcome: Integers = digits @ (r + 1) ** np.arange(d - 1, -1, -1)
        return outcome

    def likelihood(self, reports: npt.ArrayLike) -> Floats:
        r"""Pr[y | x] over the largest of them: e^(eps y_x / r) with y_x cut to 0..r, at most 1."""
        given = check_reports(reports, self.report)
        inside: Floats = np.clip(given, 0, self.resolution) / self.resolution
        relative: Floats = np.exp(self.epsilon * (inside - inside.max(axis=1, keepdims=True)))
        return relative


def _threshold_probabilities(epsilon: float, cut: float) -> tuple[float, float]:
    return 1 - math.exp(epsilon * (cut - 1) / 2) / 2, math.exp(-epsilon * cut / 2) / 2


def THE(domain_size: int, epsilon: float, threshold: float | None = None) -> UnaryEncoding:
    r"""Thresholded histogram encoding: the bits of a noisy one-hot vector above a threshold.

    Laplace noise of scale :math:`2/\epsilon` on every coordinate, then :math:`y_v=1` iff the
    coordinate exceeds :math:`t`. The bits are drawn directly,

    .. math:: p=1-\tfrac12 e^{\epsilon(t-1)/2},\qquad q=\tfrac12 e^{-\epsilon t/2},

    so no noisy number ever exists. The odds are below :math:`e^\epsilon`.

    Parameters
    ----------
    domain_size, epsilon
        As for :class:`ldp.UnaryEncoding`.
    threshold : float, optional
        :math:`t` from 1/2 to 1; by default the one of least variance for rare values.

    Returns
    -------
    UnaryEncoding
        A frozen mechanism with ``privatize``, ``tally``, ``simulate``, ``channel`` and the rest.

    Raises
    ------
    TypeError, ValueError
        If `threshold` is not between 1/2 and 1.

    Examples
    --------
    >>> THE(4, 1.0, threshold=1.0).p
    0.5

    References
    ----------
    ``wang2017locally``, section 4.2.
    """
    budget = _checks.epsilon(epsilon)
    if threshold is None:
        _checks.probabilities(*_threshold_probabilities(budget, 1.0), budget)

        def rare_deviation(cut: float) -> float:  # minus its inverse: p - q may round to 0
            p, q = _threshold_probabilities(budget, cut)
            return -(p - q) / math.sqrt(q * (1 - q))

        best = scipy.optimize.minimize_scalar(
            rare_deviation, bounds=(0.5, 1.0), method="bounded", options={"xatol": 1e-10}
        )
        cut = float(best.x)
    else:
        cut = _checks.real(threshold, "threshold", "between 1/2 and 1")
        if not 0.5 <= cut <= 1:
            raise ValueError(f"threshold must be between 1/2 and 1, got {cut}.")
    return encoding_from_epsilon(domain_size, budget, *_threshold_probabilities(budget, cut))
