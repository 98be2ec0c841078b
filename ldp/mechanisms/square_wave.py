"""The square wave: reports on a line, likelier in a window around the value."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ldp import _checks, _kernels
from ldp._frozen import freeze
from ldp._words import words
from ldp.mechanisms import shared, windows
from ldp.mechanisms.reports import number_outcomes, outcome_number, packed_supports
from ldp.tally import Tally
from ldp.types import Array, Bits, Bools, Floats, Integers
from ldp.waves import mutual_information_bound, optimal_half_width


def _best_half_width(domain_size: int, epsilon: float) -> int:
    # In units of the d - 1 steps between values, the window of 2b + 1 cells is as wide as the
    # continuous one, and the report's information has the same bound; only b is an integer here.
    slide = domain_size - 1
    below = max(0, math.floor(optimal_half_width(epsilon) * slide - 0.5))
    choices = np.array([below, below + 1])
    with np.errstate(under="ignore"):  # a budget so small is refused below
        bounds = mutual_information_bound(epsilon, (choices + 0.5) / slide)
    return int(choices[int(np.argmax(bounds))])


@dataclass(frozen=True, init=False)
class SquareWave:
    r"""Report a cell that is :math:`e^\epsilon` times likelier within a window around the value.

    Values 0..d-1 are bins of a line; reports are cells 0..d+2b-1, and the window of value
    :math:`x` is the :math:`2b+1` cells from :math:`x` to :math:`x+2b`:

    .. math:: \Pr[y\mid x]=\begin{cases}
              p=\frac{e^\epsilon}{(2b+1)e^\epsilon+d-1} & x\le y\le x+2b\\
              q=\frac{1}{(2b+1)e^\epsilon+d-1} & \text{otherwise}\end{cases}

    A report supports the values whose window holds it, :math:`S(y)=\{y-2b,\dots,y\}` within the
    domain. For :math:`d\to\infty` this is the square wave mechanism on real numbers
    (:class:`ldp.waves.Wave`); with :math:`b=0` it is :class:`ldp.GRR`.

    Parameters
    ----------
    domain_size : int
        Number :math:`d\ge 2` of bins; :func:`ldp.bin_values` puts real values into them.
    epsilon : float
        Privacy budget.
    half_width : int, optional
        :math:`b\ge 0`, in cells; by default the one that maximises the bound of
        :func:`ldp.waves.mutual_information_bound`, :math:`2b+1` taking the place of
        :math:`2b(d-1)` there.

    Notes
    -----
    A report is an integer, shape ``(n,)``. Every cell outside the window gets one integer weight,
    just above :math:`2^{64}q`, and every cell inside another one; the few units of :math:`2^{64}`
    that are left go to the same cells whatever the value is. So the emitted law never exceeds
    `epsilon`.

    Near values share most of their window, so a report supports near values more often than far
    ones, and there is no single number to debias a count with: estimate by :func:`ldp.em` or
    :func:`ldp.maximum_likelihood`. A tally counts the reports in each cell.

    Examples
    --------
    >>> m = SquareWave(8, 1.0)
    >>> m.half_width, m.num_outcomes
    (1, 10)
    >>> reports = m.privatize([0, 0, 7], np.random.default_rng(0))
    >>> int(m.tally(reports).counts.sum())
    3

    References
    ----------
    ``li2020estimating``; ``S004``, square wave mechanism.
    """

    domain_size: int
    epsilon: float
    half_width: int

    def __init__(self, domain_size: int, epsilon: float, half_width: int | None = None) -> None:
        d, budget = _checks.domain_size(domain_size), _checks.epsilon(epsilon)
        if half_width is None:
            half_width = _best_half_width(d, budget)
        width = _checks.integer(half_width, "half_width", 0, 2**31)
        freeze(self, domain_size=d, epsilon=budget, half_width=width)
        windows.check_window_law(d - 1, budget, self._window)

    @property
    def num_outcomes(self) -> int:
        """Number d + 2b of cells."""
        return self.domain_size + 2 * self.half_width

    @property
    def _window(self) -> int:
        return 2 * self.half_width + 1

    @property
    def _windows(self) -> tuple[int, float, int]:
        return self.domain_size - 1, self.epsilon, self._window

    @property
    def p(self) -> float:
        """Probability of any one cell in the window."""
        return windows.window_law(*self._windows)[0]

    @property
    def q(self) -> float:
        """Probability of any one cell outside the window."""
        return windows.window_law(*self._windows)[1]

    report = property(outcome_number)
    odds = property(shared.budget_odds)
    likelihood = shared.support_likelihood
    outcomes = number_outcomes
    tally = tally_outcomes = shared.count_outcomes
    check_counts = shared.outcome_counts

    def privatize(self, values: npt.ArrayLike, rng: np.random.Generator) -> Array:
        """Report a cell of the window, or one of the d - 1 cells outside it."""
        given = _checks.values(values, self.domain_size)
        rng = _checks.rng(rng)
        reports = np.empty(given.size, dtype=self.report.dtype)
        for chunk in _kernels.chunks(given.size, 1):
            drawn = words(rng, chunk.stop - chunk.start)
            windows.draw_in_windows(given[chunk], drawn, *self._windows, reports[chunk])
        return reports

    def simulate(self, value_counts: npt.ArrayLike, rng: np.random.Generator) -> Tally:
        """Draw the tally exactly: some users fall evenly on their window, the others on all cells.

        The cost grows with the users or with the d (2b + 1) pairs of value and cell, whichever
        is fewer.
        """
        counts = _checks.value_counts(value_counts, self.domain_size)
        rng = _checks.rng(rng)
        near = rng.binomial(counts, self._window * (self.p - self.q))
        total, num_near = int(counts.sum()), int(near.sum())
        everywhere = np.full(self.num_outcomes, 1 / self.num_outcomes)
        cells = rng.multinomial(total - num_near, everywhere)
        if num_near <= counts.size * self._window:
            values = np.repeat(np.arange(counts.size), near)
            places = values + rng.integers(0, self._window, size=num_near)
            cells += np.bincount(places, minlength=cells.size)
        else:
            evenly = np.full(self._window, 1 / self._window)
            for value, number in enumerate(near):
                cells[value : value + self._window] += rng.multinomial(number, evenly)
        return Tally(cells, total, self)

    def channel(self) -> Floats:
        """Matrix with p in a band of 2b + 1 columns and q elsewhere."""
        _checks.channel_size(self.domain_size, self.num_outcomes)
        return windows.window_channel(*self._windows)

    def support(self, reports: npt.ArrayLike) -> Bits:
        """Bit-packed rows, ones from value y - 2b to value y."""
        values = np.arange(self.domain_size)

        def held(some: Integers) -> Bools:
            distance = some[:, None] - values
            return (distance >= 0) & (distance < self._window)

        return packed_supports(self.outcomes(reports), self.domain_size, held)
