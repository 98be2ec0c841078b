r"""Waves: reports on a line that are likelier near the value, and how wide the wave should be.

Values lie in [0, 1] and reports in :math:`[-b, 1+b]`. These are functions of real numbers, for
theory and figures; what a user sends is made by :class:`ldp.SquareWave`, whose reports are
integers.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp.types import Array, Floats


def optimal_half_width(epsilon: float) -> float:
    r"""Half-width of the square wave that maximises :func:`mutual_information_bound`.

    .. math:: b=\frac{\epsilon e^\epsilon-e^\epsilon+1}{2e^\epsilon(e^\epsilon-1-\epsilon)},

    1/2 for a vanishing budget and :math:`\epsilon e^{-\epsilon}/2` for a large one.

    Examples
    --------
    >>> round(optimal_half_width(1.0), 4)
    0.2561

    References
    ----------
    ``li2020estimating``; ``S004``.
    """
    budget = _checks.epsilon(epsilon)
    if budget < 0.5:
        # Both differences are of order eps^2 and would lose their digits: eps^2/2! - eps^3/3! + ...
        numerator = denominator = 0.0
        for k in range(20, 1, -1):
            numerator = 1 / math.factorial(k) - budget * numerator
            denominator = 1 / math.factorial(k) + budget * denominator
        return numerator / (2 * denominator)
    small = math.exp(-budget)  # divided by e^(2 eps), so that no large budget overflows
    return small * (budget - 1 + small) / (2 * (1 - small * (1 + budget)))


def mutual_information_bound(epsilon: float, half_width: npt.ArrayLike) -> Array:
    r"""Bound on the mutual information of value and report under a square wave, in nats.

    The report's entropy is at most that of a uniform law on :math:`[-b,1+b]`:

    .. math:: I\le\log\frac{2b+1}{2be^\epsilon+1}+\frac{2be^\epsilon}{2be^\epsilon+1}\,\epsilon

    Examples
    --------
    >>> round(float(mutual_information_bound(1.0, 0.25)), 4)
    0.1233

    References
    ----------
    ``li2020estimating``.
    """
    budget = _checks.epsilon(epsilon)
    half = np.asarray(half_width, dtype=np.float64)
    if not (half > 0).all():
        raise ValueError(f"half_width must be positive, got {half[~(half > 0)].flat[0]}.")
    small, width = math.exp(-budget), 2 * half
    bound: Array = np.log((width + 1) / (width + small)) - budget * small / (width + small)
    return bound


SQUARE = (1.0, 1.0)
TRIANGLE = (1.0, 0.0)
TRAPEZOID = (1.0, 1.0, 0.0)
COSINE = (*((1 + math.cos(math.pi * k / 32)) / 2 for k in range(32)), 0.0)


@dataclass(frozen=True, init=False)
class Wave:
    r"""General wave mechanism on [0, 1]: a report's density depends on its distance to the value.

    .. math:: M_v(\tilde v)=W(\tilde v-v),\qquad
              W(z)=\begin{cases}q\,\bigl(1+(e^\epsilon-1)\,h(|z|/b)\bigr) & |z|\le b\\
              q & \text{otherwise}\end{cases}

    for a height :math:`h` that falls from :math:`h(0)=1` and stays in [0, 1], piecewise linear.
    Reports lie in :math:`[-b,1+b]`, and

    .. math:: q=\frac{1}{1+2b+2b(e^\epsilon-1)\int_0^1 h},\qquad p=e^\epsilon q

    Parameters
    ----------
    epsilon : float
        Privacy budget.
    half_width : float
        :math:`b>0`.
    heights : sequence of float
        :math:`h` at equally spaced points from the value to the distance b; straight in between.
        ``SQUARE``, ``TRIANGLE``, ``TRAPEZOID`` and ``COSINE`` of this module are such heights.

    Raises
    ------
    TypeError, ValueError
        If `half_width` is not positive, or the heights are fewer than two, do not begin with 1,
        rise, or fall below 0.

    Notes
    -----
    The definition of ``S004`` also allows waves that rise in places or are no mirror image of
    themselves; they are not covered here.

    Examples
    --------
    >>> square = Wave(1.0, 0.25)
    >>> round(square.p, 4), round(square.q, 4)
    (1.1522, 0.4239)

    References
    ----------
    ``li2020estimating``; ``S004``, general wave mechanism.
    """

    epsilon: float
    half_width: float
    heights: tuple[float, ...]

    def __init__(
        self, epsilon: float, half_width: float, heights: Sequence[float] = SQUARE
    ) -> None:
        budget, width = _checks.epsilon(epsilon), _checks.positive(half_width, "half_width")
        given = _checks.vector(heights, "heights")
        if given.size < 2 or given[0] != 1 or given[-1] < 0 or (np.diff(given) > 0).any():
            raise ValueError(
                f"heights must be at least two that fall from 1 and stay above 0, got {heights}."
            )
        object.__setattr__(self, "epsilon", budget)
        object.__setattr__(self, "half_width", width)
        object.__setattr__(self, "heights", tuple(given.tolist()))

    @property
    def p(self) -> float:
        """Density at the value itself."""
        small = math.exp(-self.epsilon)
        height = np.asarray(self.heights)
        area = float((height[1:] + height[:-1]).mean()) / 2
        return 1 / (small * (1 + 2 * self.half_width) + 2 * self.half_width * (1 - small) * area)

    @property
    def q(self) -> float:
        """Density further away than the half-width."""
        return self.p * math.exp(-self.epsilon)

    def density(self, z: npt.ArrayLike) -> Floats:
        """Density :math:`W(z)` of a report at the distance z (with its sign) from the value."""
        distance = np.abs(_checks.plain_array(z, "z").astype(np.float64)) / self.half_width
        knots = np.linspace(0, 1, len(self.heights))
        height = np.interp(distance, knots, self.heights)
        bump: Floats = np.where(distance <= 1, height, 0.0)
        return self.q + (self.p - self.q) * bump

    def cdf(self, report: npt.ArrayLike, value: float) -> Floats:
        """Probability that the report is at most `report`, in [-b, 1 + b], given the value."""
        centre = _checks.reals_between([value], "value", 0, 1)[0]
        ends = -self.half_width, 1 + self.half_width
        y = np.asarray(report, dtype=np.float64)
        _checks.reals_between(y.ravel(), "report", *ends)
        below: Floats = self.q * (y + self.half_width) + self._bump_integral(y - centre, 1)
        return below

    def channel(self, domain_size: int, num_outcomes: int | None = None) -> Floats:
        r"""Exact channel from bins of the value to bins of the report, shape (d, m).

        Value bins divide [0, 1] and report bins :math:`[-b,1+b]`, each evenly; a value lies
        uniformly in its bin [s, t]. With :math:`G` the second antiderivative of :math:`W-q`, the
        report lies in [l, r] with probability

        .. math:: q(r-l)+\frac{G(r-s)-G(r-t)-G(l-s)+G(l-t)}{t-s}

        Parameters
        ----------
        domain_size : int
            Number d of value bins.
        num_outcomes : int, optional
            Number m of report bins, by default d.
        """
        d = _checks.domain_size(domain_size)
        m = d if num_outcomes is None else _checks.integer(num_outcomes, "num_outcomes", 2, 2**31)
        _checks.channel_size(d, m)
        values = np.linspace(0, 1, d + 1)
        reports = np.linspace(-self.half_width, 1 + self.half_width, m + 1)
        twice = self._bump_integral(reports - values[:, None], 2)
        mixed = np.diff(twice[:-1] - twice[1:], axis=1)
        return self.q * (1 + 2 * self.half_width) / m + d * mixed

    def _bump_integral(self, z: Floats, times: int) -> Floats:
        """Integrate W - q from minus infinity to z, once or twice: sums of powers of hinges."""
        half = np.asarray(self.heights)
        heights = (self.p - self.q) * np.concatenate([half[:0:-1], half])
        knots = self.half_width * np.linspace(-1, 1, heights.size)
        slopes = np.concatenate([[0.0], np.diff(heights) / np.diff(knots), [0.0]])
        total = np.zeros_like(z)
        # A step at either end, and a change of slope at every knot.
        for knot, jump in ((knots[0], heights[0]), (knots[-1], -heights[-1])):
            total += jump * np.maximum(z - knot, 0) ** times / times
        for knot, bend in zip(knots, np.diff(slopes), strict=True):
            total += bend * np.maximum(z - knot, 0) ** (times + 1) / (times * (times + 1))
        return total
