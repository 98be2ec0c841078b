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
from ldp._frozen import freeze
from ldp.types import Array, Floats

__all__ = ["COSINE", "SQUARE", "TRAPEZOID", "TRIANGLE", "Wave"]
__all__ += ["mutual_information_bound", "optimal_half_width"]


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
    half = _numbers(half_width, "half_width", 0, math.inf)
    if not half.all():
        raise ValueError("half_width must be positive, got 0.0.")
    small = math.exp(-budget)
    with np.errstate(over="ignore"):  # a window too wide to write says nothing: the bound is 0
        window = 2 * half + small
        ratio = -math.expm1(-budget) / window
    # A window too narrow to divide by has a logarithm all the same.
    narrow = math.log(-math.expm1(-budget)) - np.log(window)
    bound: Array = np.where(np.isfinite(ratio), np.log1p(ratio), narrow) - budget * small / window
    return bound


def _numbers(given: npt.ArrayLike, name: str, lower: float, upper: float) -> Floats:
    array = _checks.plain_array(given, name)
    return _checks.reals_between(array.ravel(), name, lower, upper).reshape(array.shape)


#: Heights of a wave that falls at its end.
SQUARE = (1.0, 1.0)
#: Heights of a wave that falls all the way.
TRIANGLE = (1.0, 0.0)
#: Heights of a wave that falls from its middle on.
TRAPEZOID = (1.0, 1.0, 0.0)
#: Heights of a wave that falls like the cosine, in 32 straight pieces.
COSINE = (*((1 + math.cos(math.pi * k / 32)) / 2 for k in range(32)), 0.0)

_WIDEST = 1024  # the channel of a wider wave would lose its digits


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
        :math:`b`, positive and at most 1,024: a wider wave says nothing of the value.
    heights : sequence of float
        :math:`h` at equally spaced points from the value to the distance b; straight in between.
        ``SQUARE``, ``TRIANGLE``, ``TRAPEZOID`` and ``COSINE`` of this module are such heights.

    Raises
    ------
    TypeError, ValueError
        If `half_width` is not positive or above 1,024, the heights are fewer than two, do not begin
        with 1, rise, or fall below 0, or float64 cannot tell q from 0 or from p.

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
        if width > _WIDEST:
            raise ValueError(f"half_width must be at most {_WIDEST}, got {width}.")
        given = _checks.vector(heights, "heights")
        if given.size < 2 or given[0] != 1 or given[-1] < 0 or (np.diff(given) > 0).any():
            raise ValueError(
                "heights must be at least two that fall from 1 and stay above 0, "
                f"got {_checks.shown(heights)}."
            )
        freeze(self, epsilon=budget, half_width=width, heights=tuple(given.tolist()))
        if not 0 < self.q < self.p:
            raise ValueError(f"epsilon must leave 0 < q < p in float64, got {budget}.")

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
        distance, b = np.abs(_numbers(z, "z", -math.inf, math.inf)), self.half_width
        knots = np.linspace(0, 1, len(self.heights))
        height = np.interp(np.minimum(distance, b) / b, knots, self.heights)
        return self.q + self._rise * np.where(distance <= b, height, 0.0)

    def cdf(self, report: npt.ArrayLike, value: float) -> Floats:
        """Probability that the report is at most `report`, in [-b, 1 + b], given the value."""
        centre = _checks.reals_between([value], "value", 0, 1)[0]
        ends = -self.half_width, 1 + self.half_width
        y = _numbers(report, "report", *ends)
        beyond, _ = self._tail(np.abs(y - centre))
        bump = np.where(y < centre, beyond, self._tail(np.zeros(1))[0] * 2 - beyond)
        below: Floats = self.q * (y + self.half_width) + bump
        return below

    def channel(self, domain_size: int, num_outcomes: int | None = None) -> Floats:
        r"""Exact channel from bins of the value to bins of the report, shape (d, m).

        Value bins divide [0, 1] and report bins :math:`[-b,1+b]`, each evenly; a value lies
        uniformly in its bin [s, t], and the report lies in [l, r] with probability

        .. math:: q(r-l)+\frac{G(r-s)-G(r-t)-G(l-s)+G(l-t)}{t-s},

        :math:`G` being the second antiderivative of :math:`W-q`. As W is a mirror image of itself,
        :math:`G(z)=A\max(z,0)+R(|z|)` with the area :math:`A` of :math:`W-q` and
        :math:`R(z)=\int_z^b(y-z)(W(y)-q)\,dy`; the first part adds A times the overlap of the two
        bins, and R vanishes beyond b, so that a narrow wave loses no digits.

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
        rest = np.array([self._tail(np.abs(reports - value))[1] for value in values])  # by rows
        mixed = np.diff(rest[:-1] - rest[1:], axis=1)
        ends = np.minimum(reports[1:], values[1:, None])
        overlap = np.maximum(ends - np.maximum(reports[:-1], values[:-1, None]), 0)
        area = 2 * float(self._tail(np.zeros(1))[0][0])
        channel: Floats = self.q * (1 + 2 * self.half_width) / m + d * (area * overlap + mixed)
        return channel

    @property
    def _rise(self) -> float:
        return -self.p * math.expm1(-self.epsilon)  # p - q

    def _tail(self, z: Floats) -> tuple[Floats, Floats]:
        """Integrals of W(y) - q and of (y - z)(W(y) - q) over y from z >= 0 to b."""
        height = np.asarray(self.heights)
        pieces = height.size - 1
        high, low, step = height[:-1], height[1:], 1 / pieces
        # In units of b: both integrals from every knot on, piece by piece from the far end.
        area, moment = np.zeros(pieces + 1), np.zeros(pieces + 1)
        for k in range(pieces - 1, -1, -1):
            area[k] = area[k + 1] + (high[k] + low[k]) * step / 2
            moment[k] = moment[k + 1] + area[k + 1] * step + (high[k] + 2 * low[k]) * step**2 / 6
        place = np.minimum(z, self.half_width) / self.half_width
        piece = np.minimum((place * pieces).astype(np.int64), pieces - 1)
        left = np.maximum((piece + 1) / pieces - place, 0)  # way to the next knot
        slope = ((high - low) / step)[piece]
        first = area[piece + 1] + left * (low[piece] + slope * left / 2)
        bend = low[piece] / 2 + slope * left / 6
        second = moment[piece + 1] + left * (area[piece + 1] + left * bend)
        mass = self._rise * self.half_width
        return mass * first, mass * self.half_width * second
