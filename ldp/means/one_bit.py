"""One bit per user: round the value to an end of its range, then randomize the end."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ldp import _checks, _kernels
from ldp._frozen import freeze
from ldp._words import Words, at_least, words
from ldp.means import _grid
from ldp.mechanisms.randomized_response import GRR, check_response, response_law
from ldp.mechanisms.reports import number_outcomes, outcome_number
from ldp.mechanisms.shared import count_outcomes, outcome_counts
from ldp.types import Array, Floats, Integers


def bit_scale(epsilon: float) -> float:
    """Width of the two numbers that the bit stands for, in widths of the range."""
    return 1 / math.tanh(epsilon / 2)


@dataclass(frozen=True, init=False)
class OneBitMean:
    r"""Mean of values in a range from one bit of each user.

    The value is rounded to one of the two ends of the range, so that its mean stays, and the end
    is sent by randomized response:

    .. math:: \Pr[y=1\mid x]=\frac{1}{e^\epsilon+1}
              +\frac{x-\text{lower}}{\text{upper}-\text{lower}}\cdot\frac{e^\epsilon-1}{e^\epsilon+1}

    This is the one-bit mechanism of Ding et al. on [0, m], that of Duchi et al. on [-1, 1], and
    "discretise, then randomize" of ``S004``. With :math:`h` half the width of the range and
    :math:`z` the distance of the value from its middle, one report's number has the variance

    .. math:: h^2\coth^2(\epsilon/2)-z^2,

    largest in the middle.

    Parameters
    ----------
    lower, upper : float
        Ends of the range, which must be known without looking at the values.
    epsilon : float
        Privacy budget.

    Raises
    ------
    TypeError, ValueError
        If the range is not finite and increasing, or epsilon not positive and finite.

    Examples
    --------
    >>> m = OneBitMean(0.0, 10.0, 1.0)
    >>> m.unbiased([0, 1]).round(3)
    array([-5.82, 15.82])
    >>> round(float(m.variance(5.0)), 3)
    117.067

    References
    ----------
    ``ding2017collecting``, section 3; ``duchi2018minimax``; ``nguyen2016collecting``; ``S001``,
    1-bit communication; ``S004``, the method (mean oracle).
    """

    grid: _grid.Grid
    epsilon: float

    def __init__(self, lower: float, upper: float, epsilon: float) -> None:
        freeze(self, grid=_grid.Grid(lower, upper, 1), epsilon=_checks.epsilon(epsilon))
        check_response(2, self.epsilon)

    num_outcomes = 2

    @property
    def _square(self) -> tuple[float, float]:
        return bit_scale(self.epsilon) ** 2 / 4, 0.0

    report = property(outcome_number)
    worst_variance = property(_grid.worst_variance)
    variance = _grid.variance
    privatize = _grid.privatize
    outcomes = number_outcomes
    tally = count_outcomes
    mean = _grid.mean
    _moments = _grid.histogram_moments
    check_counts = outcome_counts

    def _randomize(self, shares: Floats, rng: np.random.Generator) -> Array:
        ends = _grid.round_at_random(shares, 1, words(rng, shares.size))
        return self._draw(ends, words(rng, shares.size))

    def _draw(self, ends: Integers, random_words: Words) -> Array:
        _, swapped = response_law(2, self.epsilon)
        bits = np.empty(ends.size, dtype=self.report.dtype)
        _kernels.replace_value(ends, random_words, at_least(swapped), 1, bits)
        return bits

    def unbiased(self, reports: npt.ArrayLike) -> Floats:
        """One number per report, in the units of the values, whose mean is the user's value."""
        half_steps = self.outcomes(reports) - 0.5
        return self.grid.number(bit_scale(self.epsilon) * half_steps)

    def channel(self) -> Floats:
        """Pr[report | end of the range], shape (2, 2)."""
        return GRR(2, self.epsilon).channel()
