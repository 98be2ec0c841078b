"""From survivors of one round to candidates of the next, with little memory and no chance."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from ldp import _checks
from ldp.assigned import Assigned
from ldp.heavy_hitters.codes import gather
from ldp.heavy_hitters.result import HeavyHitters, Round
from ldp.heavy_hitters.rounds import MOST_CANDIDATES
from ldp.heavy_hitters.views import Prefix
from ldp.linear import debias
from ldp.tally import Tally
from ldp.types import CandidateOracle, Integers

TILE = 2**17  # candidates counted at once
Count = Callable[[int, Integers], Tally]  # of candidates in the round of a number


class PrefixPart(NamedTuple):
    """A round that asks for a prefix, by reports that can be counted for some prefixes alone."""

    view: Prefix
    mechanism: CandidateOracle


class Best(NamedTuple):
    """The largest counts so far, best first, and the largest that was dropped (-1: none)."""

    codes: Integers
    counts: Integers
    dropped: int = -1

    def merge(self, codes: Integers, counts: Integers, size: int) -> "Best":
        """Keep the best `size` of these and further candidates; equal counts by smaller code."""
        codes, counts = np.append(self.codes, codes), np.append(self.counts, counts)
        dropped = self.dropped
        if codes.size > size:
            cut = np.partition(counts, codes.size - size)[codes.size - size]
            above, ties = np.flatnonzero(counts > cut), np.flatnonzero(counts == cut)
            ties = ties[np.argsort(codes[ties])]
            chosen = np.append(above, ties[: size - above.size])
            rest = np.delete(counts, chosen)
            dropped = max(dropped, int(rest.max()))
            codes, counts = codes[chosen], counts[chosen]
        order = np.lexsort((codes, -counts))
        return Best(codes[order], counts[order], dropped)


def extensions(survivors: Integers, step: int) -> Iterator[Integers]:
    """All continuations of prefixes by so many bits, in order, in parts of at most TILE."""
    parents, total = np.sort(survivors), survivors.size << step
    for first in range(0, total, TILE):
        number = np.arange(first, min(first + TILE, total))
        yield parents[number >> step] << step | (number & ((1 << step) - 1))


def best_of(
    tiles: Iterator[Integers], count: Callable[[Integers], Tally], size: int
) -> tuple[Best, int, int]:
    """Count candidates part by part; return the best, the number of them all, and of reports."""
    best = Best(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    total = num_reports = 0
    for tile in tiles:
        tally = count(tile)
        best = best.merge(tile, tally.counts, size)
        total, num_reports = total + tile.size, tally.num_reports
    return best, total, num_reports


def made_round(part: PrefixPart, best: Best, total: int, num_reports: int) -> Round:
    """Round of what `best_of` returns."""
    tally = Tally(best.counts, num_reports, part.mechanism, best.codes)
    dropped = None if best.dropped < 0 else best.dropped
    return Round(part.view.depth, part.mechanism, tally, total, dropped)


def walk(parts: list[PrefixPart], count: Count, top_k: int, keep: int) -> HeavyHitters:
    """Walk down the rounds; `count(i, candidates)` is their tally in round i."""
    survivors, depth, seen = np.zeros(1, dtype=np.int64), 0, []
    for i, part in enumerate(parts):
        tiles = extensions(survivors, part.view.depth - depth)
        best = best_of(tiles, partial(count, i), top_k if part is parts[-1] else keep)
        survivors, depth = best[0].codes, part.view.depth
        seen.append(made_round(part, *best))
    return finish(parts[-1].view, survivors, seen)


def finish(view: Prefix, codes: Integers, seen: list[Round]) -> HeavyHitters:
    """What the last round found, as values."""
    values = gather(codes, view.depth) if view.scattered else codes
    return HeavyHitters(values, debias(seen[-1].tally, seen[-1].mechanism), tuple(seen))


def check_sizes(top_k: int, keep: int | None, factor: int) -> tuple[int, int]:
    """Return how many values are wanted, and how many candidates survive a round."""
    wanted = _checks.integer(top_k, "top_k", 1, 1 << MOST_CANDIDATES)
    if keep is None:
        return wanted, factor * wanted
    return wanted, _checks.integer(keep, "keep", wanted, 1 << MOST_CANDIDATES)


def counting(rounds: object) -> list[CandidateOracle]:
    """Return the mechanisms of rounds, which must all count candidates."""
    if not isinstance(rounds, Assigned):
        raise TypeError(f"rounds must be Assigned, got {type(rounds).__name__}.")
    mechanisms = []
    for part in rounds.parts:
        if not isinstance(part.mechanism, CandidateOracle):
            raise TypeError(f"rounds must be of hashing mechanisms, got {part.mechanism}.")
        mechanisms.append(part.mechanism)
    return mechanisms


def prefix_parts(rounds: Assigned, keep: int) -> list[PrefixPart]:
    """Return rounds that ask for longer and longer prefixes, of which no list is too long."""
    pairs = zip(counting(rounds), rounds.parts, strict=True)
    parts = [PrefixPart(part.view, m) for m, part in pairs if isinstance(part.view, Prefix)]
    depths = [part.view.depth for part in parts]
    if len(parts) < len(rounds.parts) or len({part.view.scattered for part in parts}) > 1:
        raise ValueError("rounds must ask for prefixes, as those of prefix_rounds do, got others.")
    if depths != sorted(depths) or depths[-1] != parts[0].view.num_bits:
        raise ValueError(
            f"rounds must have depths that do not decrease and end at all bits, got {depths}."
        )
    check_lists(depths, keep)
    return parts


def check_lists(depths: list[int], keep: int) -> None:
    """Refuse steps that make lists too long to count."""
    survivors = 1
    for step in np.diff([0, *depths]).tolist():
        if survivors << step > 1 << MOST_CANDIDATES:
            raise ValueError(
                f"keep must make lists of at most 2**{MOST_CANDIDATES} candidates, "
                f"got {survivors} survivors and a step of {step} bits."
            )
        survivors = min(keep, survivors << step)
