r"""Reports that are affine maps modulo a prime: how they are drawn, counted and simulated.

A report is a slope :math:`a` and a shift :math:`s` below the prime :math:`P`, as the one number
:math:`(a-a_0)P+s` with :math:`a_0` the first slope. It supports the values :math:`x` with
:math:`(ax+s)\bmod P<w`. A mechanism brings its `design`, and what :mod:`ldp.mechanisms.families`
makes of it.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ldp import _checks, _kernels
from ldp._words import words
from ldp.mechanisms import _affine_kernels
from ldp.mechanisms.families import law_of
from ldp.mechanisms.reports import check_reports, packed_supports
from ldp.tally import Tally
from ldp.types import Array, Bits, Bools, Integers

_CELLS_AT_ONCE = 2**13
_FEW_USERS = 2**22  # whose values may be held in memory


class AffineMaps(NamedTuple):
    """The maps x -> a x + s of some slopes a, and how many places make a block."""

    num_points: int
    """Number P of points, a prime."""
    block_size: int
    """Number w of the first places, those of a block."""
    first_slope: int
    """0 or 1."""
    num_blocks: int
    """Number m of slopes."""


def domain_size(value: Any, most: int, name: str) -> int:
    """Return a number of values for which a server's table of all cells is small enough."""
    size = _checks.domain_size(value)
    if size > most:
        raise ValueError(
            f"domain_size must be at most {most} for {name}, whose table of counts grows with its "
            f"square; CyclotomicResponse takes more, got {size}."
        )
    return size


def privatize(mechanism: Any, values: npt.ArrayLike, rng: np.random.Generator) -> Array:
    """Draw a slope, and a shift that maps the own value below the window with probability p."""
    given = _checks.values(values, mechanism.domain_size)
    rng = _checks.rng(rng)
    design, law = mechanism.design, law_of(mechanism)
    prime, first = design.num_points, design.first_slope
    reports = np.empty(given.size, dtype=mechanism.report.dtype)
    for chunk in _kernels.chunks(given.size, 1):
        drawn = law.words(rng, chunk.stop - chunk.start)
        _affine_kernels.draw_cells(given[chunk], drawn, law.numbers, prime, first, reports[chunk])
    return reports


def tally(mechanism: Any, reports: npt.ArrayLike) -> Tally:
    """Count each cell, then for each slope all windows by running sums: O(n + slopes * P)."""
    given = check_reports(reports, mechanism.report)
    design = mechanism.design
    table = _kernels.histogram(given, mechanism.num_outcomes).reshape(-1, design.num_points)
    counts = np.zeros(mechanism.domain_size, dtype=np.int64)
    _affine_kernels.add_windows(table, design.first_slope, design.block_size, counts)
    return Tally(counts, given.size, mechanism)


def simulate(mechanism: Any, value_counts: npt.ArrayLike, rng: np.random.Generator) -> Tally:
    """Draw the tally exactly: of few users by their reports, of many at a cost free of n."""
    given = _checks.value_counts(value_counts, mechanism.domain_size)
    rng = _checks.rng(rng)
    total = int(given.sum())
    if total <= min(8 * mechanism.num_outcomes, _FEW_USERS):
        values = np.repeat(np.arange(mechanism.domain_size), given)
        made: Tally = mechanism.tally(mechanism.privatize(values, rng))
        return made
    return Tally(simulated_counts(mechanism, given, rng), total, mechanism)


def simulated_counts(mechanism: Any, given: Integers, rng: np.random.Generator) -> Integers:
    """Draw the histogram of reports, some slopes at a time, and count the supports in it.

    A user reports any cell uniformly with one probability, else one of those that support the own
    value: any slope, and any place in the window.
    """
    design, law = mechanism.design, law_of(mechanism)
    uniform = rng.binomial(given, design.num_points * law.outside / law.total)
    inside, outside = given - uniform, int(uniform.sum())
    counts = np.zeros(mechanism.domain_size, dtype=np.int64)
    step = max(1, _CELLS_AT_ONCE // design.num_points)
    for first in range(0, design.num_blocks, step):
        left = design.num_blocks - first
        some = design._replace(first_slope=design.first_slope + first, num_blocks=min(step, left))
        here = rng.binomial(inside, some.num_blocks / left)
        inside = inside - here
        table = _in_windows(here, some, rng)
        anywhere = rng.binomial(outside, some.num_blocks / left)
        outside -= anywhere
        table += rng.multinomial(anywhere, np.full(table.size, 1 / table.size)).reshape(table.shape)
        _affine_kernels.add_windows(table, some.first_slope, some.block_size, counts)
    return counts


def _in_windows(users: Integers, maps: AffineMaps, rng: np.random.Generator) -> Integers:
    """Send users[x], each to a uniform slope a and a uniform one of the shifts t - a x, t below w.

    The window is cut into pieces whose lengths are powers of two. A user of a piece is first known
    by where it starts, for the user's value; then pieces that start alike are halved together.
    """
    prime, window, first, num_slopes = maps
    left = rng.multinomial(users, np.full(num_slopes, 1 / num_slopes)).T
    slopes = np.arange(num_slopes)[:, None]
    to_zero = -(first + slopes) * np.arange(users.size)
    table = np.zeros((num_slopes, prime), dtype=np.int64)
    start = 0
    for bit in reversed(range(window.bit_length())):
        size = 1 << bit
        if window & size:
            chosen = rng.binomial(left, size / (window - start))
            left = left - chosen
            np.add.at(table, (slopes, (start + to_zero) % prime), chosen)
            start += size
        if bit:
            moved = _halves(table, rng)
            table += np.roll(moved, size // 2, axis=1) - moved
    return table


def _halves(counts: Integers, rng: np.random.Generator) -> Integers:
    """Draw Bin(n, 1/2) for each count n: the ones among n bits of a word, if it has so many."""
    unused = np.maximum(64 - counts, 0).astype(np.uint64)
    ones: Integers = np.bitwise_count(words(rng, counts.shape) >> unused).astype(np.int64)
    many = counts > 64
    ones[many] = rng.binomial(counts[many], 0.5)
    return ones


def support(mechanism: Any, reports: npt.ArrayLike) -> Bits:
    """Bit-packed rows of the values that a report maps into the window."""
    values = np.arange(mechanism.domain_size)
    prime, window, first, _ = mechanism.design

    def held(cells: Integers) -> Bools:
        row, shift = divmod(cells[:, None], prime)
        inside: Bools = ((row + first) * values + shift) % prime < window
        return inside

    return packed_supports(mechanism.outcomes(reports), mechanism.domain_size, held)
