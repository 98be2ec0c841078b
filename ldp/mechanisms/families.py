"""Difference families: base blocks of residues whose shifts are the reports of a mechanism.

The residues modulo v are the points. Cell (c, s), report number c v + s, is the block of the points
s + r for r in base block c. The shifts of all base blocks hold any two points equally often.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ldp import _checks, _kernels
from ldp.mechanisms import _family_kernels, shared
from ldp.mechanisms.cyclic_sums import cyclic_sums
from ldp.mechanisms.reports import check_reports, number_outcomes, packed_supports
from ldp.mechanisms.tickets import Tickets, tickets
from ldp.tally import Tally
from ldp.types import Array, Bits, Bools, Floats, Integers

_LARGEST_DOMAIN = 2**20
_WORDS_EACH = 4  # of `chunks`, though one is drawn: what a chunk needs then stays in a core's cache
_USERS_AT_ONCE, _CELLS_AT_ONCE = 2**17, 2**14
_REPORTS_PER_CELL = 12  # beyond, drawing the counts of the cells is faster than the reports


class Family(NamedTuple):
    """Base blocks that are runs of one row of residues, which goes around."""

    order: npt.NDArray[np.int32]
    """All residues but 0."""
    step: int
    """Where the next base block begins."""
    num_blocks: int
    """Number m of base blocks."""
    block_size: int
    """Number w of residues in each."""
    with_zero: bool
    """Whether 0 is one of these, in all of them."""

    @property
    def num_points(self) -> int:
        """Number v of points."""
        return self.order.size + 1

    def blocks(self) -> list[Integers]:
        """Return the residues of each base block."""
        places = np.arange(self.block_size - self.with_zero)
        zero = np.zeros(int(self.with_zero), dtype=np.int64)
        starts = self.step * np.arange(self.num_blocks)
        runs = [self.order[(start + places) % self.order.size] for start in starts]
        return [np.append(zero, run) for run in runs]


def check_domain(domain_size: int) -> None:
    """Refuse domains whose tables would be large."""
    if domain_size > _LARGEST_DOMAIN:
        raise ValueError(f"domain_size must be at most {_LARGEST_DOMAIN}, got {domain_size}.")


def law_of(mechanism: Any) -> Tickets:
    """Law of a report, in integers."""
    design = mechanism.design
    sizes = design.block_size, design.num_points, design.num_blocks
    return tickets(mechanism.epsilon, *sizes, mechanism.domain_size)


def num_cells(mechanism: Any) -> int:
    """Number m v of different reports."""
    return int(mechanism.design.num_blocks * mechanism.design.num_points)


def own_chance(mechanism: Any) -> float:
    """Probability that the block holds the own value."""
    return law_of(mechanism).p


def other_chance(mechanism: Any) -> float:
    """Probability that the block holds any one other value."""
    return law_of(mechanism).q


def odds(mechanism: Any) -> float:
    """Likelihood ratio A / B of a supported value, at most e^epsilon."""
    return law_of(mechanism).odds


def noise(num_points: int, block_size: int, epsilon: float) -> float:
    """Variance of one report for a rare value, before the budget becomes tickets."""
    budget = min(max(epsilon, 1e-12), 50.0)  # tickets refuse those beyond
    v, w, rare = num_points, block_size, math.exp(-budget)
    total = w + (v - w) * rare
    q = w * (w - 1 + (v - w) * rare) / (total * (v - 1))
    gap = w * (v - w) * -math.expm1(-budget) / (total * (v - 1))
    return q * (1 - q) / gap**2


def privatize(mechanism: Any, values: npt.ArrayLike, rng: np.random.Generator) -> Array:
    """Draw a block that holds the own value w.p. p, and is uniform otherwise: a word a user."""
    given = _checks.values(values, mechanism.domain_size)
    rng = _checks.rng(rng)
    family, law = mechanism.design.family, law_of(mechanism)
    reports = np.empty(given.size, dtype=mechanism.report.dtype)
    for chunk in _kernels.chunks(given.size, _WORDS_EACH):
        random_words = law.words(rng, chunk.stop - chunk.start)
        blocks = family.order, family.step, family.with_zero
        _family_kernels.draw_cells(given[chunk], random_words, law.numbers, blocks, reports[chunk])
    return reports


def tally(mechanism: Any, reports: npt.ArrayLike) -> Tally:
    """Count the reports of each cell, then the blocks that hold each value."""
    given = check_reports(reports, mechanism.report)
    return _decode(mechanism, _kernels.histogram(given, mechanism.num_outcomes))


def _decode(mechanism: Any, histogram: Integers) -> Tally:
    family = mechanism.design.family
    cells = histogram.reshape(family.num_blocks, family.num_points)
    counts = cyclic_sums(cells, family.blocks(), mechanism.domain_size)
    return Tally(counts, int(histogram.sum()), mechanism)


def simulate(mechanism: Any, value_counts: npt.ArrayLike, rng: np.random.Generator) -> Tally:
    """Draw the tally exactly: where users of one value are many, by the counts of its cells.

    Of these users, some report any cell, whatever their value is, and the others one whose block
    holds it. Fewer users make their reports. The cost is at most that of m w d cells, which grows
    with the square of d: a second for 2**12 values that all are many, hours for 2**20.
    """
    counts = _checks.value_counts(value_counts, mechanism.domain_size)
    rng = _checks.rng(rng)
    family, law = mechanism.design.family, law_of(mechanism)
    cells_each = family.num_blocks * family.block_size
    crowded = np.flatnonzero(counts > _REPORTS_PER_CELL * cells_each)
    few = counts.copy()
    few[crowded] = 0
    histogram = _counted_reports(mechanism, few, rng)
    chance = family.block_size * (law.inside - law.outside) / law.total
    informed = rng.binomial(counts[crowded], chance)
    others = np.array([counts[crowded].sum() - informed.sum()])
    if crowded.size:
        histogram += _spread(others, histogram.size, rng)[0]
    cells, residues = histogram.reshape(family.num_blocks, -1), np.stack(family.blocks())
    step = max(1, _CELLS_AT_ONCE // cells_each)
    for first in range(0, crowded.size, step):
        some = slice(first, first + step)
        spread = _spread(informed[some], cells_each, rng).reshape(-1, *residues.shape)
        for value, of_value in zip(crowded[some], spread, strict=True):
            at = (value - residues) % family.num_points
            cells[np.arange(family.num_blocks)[:, None], at] += of_value
    return _decode(mechanism, histogram)


def _spread(counts: Integers, size: int, rng: np.random.Generator) -> Integers:
    """Drop each of the counts into as many cells, all as likely, by halves of the cells."""
    sizes, rows = np.array([size]), counts[:, None]
    while sizes.max() > 1:
        left = sizes // 2
        first = rng.binomial(rows, left / sizes)
        rows = np.stack([first, rows - first], axis=-1).reshape(len(counts), -1)
        sizes = np.stack([left, sizes - left], axis=-1).ravel()
        rows, sizes = rows[:, sizes > 0], sizes[sizes > 0]
    return rows


def _counted_reports(mechanism: Any, counts: Integers, rng: np.random.Generator) -> Integers:
    """Count cells of reports that are made, those of some values at a time."""
    histogram = np.zeros(mechanism.num_outcomes, dtype=np.int64)
    batch = np.cumsum(counts) // max(_USERS_AT_ONCE, histogram.size)
    first = 0
    for last in [*(np.flatnonzero(np.diff(batch)) + 1).tolist(), counts.size]:
        values = np.repeat(np.arange(first, last), counts[first:last])
        reports = privatize(mechanism, values, rng)
        histogram += _kernels.histogram(reports, histogram.size)
        first = last
    return histogram


def channel(mechanism: Any) -> Floats:
    """A / (m M) where the block holds the value, B / (m M) elsewhere."""
    _checks.channel_size(mechanism.domain_size, mechanism.num_outcomes)
    law, d = law_of(mechanism), mechanism.domain_size
    held = np.unpackbits(mechanism.support(np.arange(mechanism.num_outcomes)), axis=1, count=d).T
    total = law.num_blocks * law.total
    return np.where(held == 1, law.inside / total, law.outside / total)


def support(mechanism: Any, reports: npt.ArrayLike) -> Bits:
    """Bit-packed rows of the values in each block."""
    family, values = mechanism.design.family, np.arange(mechanism.domain_size)
    member = np.zeros((family.num_blocks, family.num_points), dtype=np.bool_)
    for row, residues in zip(member, family.blocks(), strict=True):
        row[residues] = True

    def held(some: Integers) -> Bools:
        block, shift = np.divmod(some[:, None], family.num_points)
        inside: Bools = member[block, (values - shift) % family.num_points]
        return inside

    return packed_supports(number_outcomes(mechanism, reports), values.size, held)


def check_counts(mechanism: Any, tally: Tally, name: str) -> None:
    """Refuse counts that no reports have: of supports, and of a sum that no blocks have."""
    shared.support_counts(mechanism, tally, name)
    if tally.candidates is not None:
        return
    design, n = mechanism.design, tally.num_reports
    least = max(0, design.block_size - design.num_points + mechanism.domain_size)
    most = min(design.block_size, mechanism.domain_size)
    total, spare = shared.exact_sum(tally.counts), most * shared.slack(tally)
    if not least * n - spare <= total <= most * n + spare:
        raise ValueError(
            f"{name} must sum to {least} to {most} for each of the {n} reports, "
            f"got a sum of {total}."
        )
