"""From survivors of one round to candidates of the next, with little memory and no chance."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ldp import _checks
from ldp.assigned import Assigned
from ldp.heavy_hitters.codes import gather
from ldp.heavy_hitters.result import HeavyHitters, Round
from ldp.heavy_hitters.rounds import MOST_CANDIDATES
from ldp.heavy_hitters.views import Prefix
from ldp.linear import debias
from ldp.tally import Tally
from ldp.types import FrequencyOracle, Integers

TILE = 2**17  # candidates counted at once
Count = Callable[[int, Integers], Tally]


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


def best_of(tiles: Iterator[Integers], count: Callable[[Integers], Tally], size: int) -> Any:
    """Count candidates part by part; return the best, the number of them all, and of reports."""
    best = Best(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    total = num_reports = 0
    for tile in tiles:
        tally = count(tile)
        best = best.merge(tile, tally.counts, size)
        total, num_reports = total + tile.size, tally.num_reports
    return best, total, num_reports


def made_round(
    depth: int, mechanism: FrequencyOracle, best: Best, total: int, num_reports: int
) -> Round:
    """Round of what `best_of` returns."""
    tally = Tally(best.counts, num_reports, mechanism, best.codes)
    return Round(depth, mechanism, tally, total, None if best.dropped < 0 else best.dropped)


def walk(rounds: Assigned, count: Count, top_k: int, keep: int) -> HeavyHitters:
    """Walk down the rounds; `count(i, candidates)` is their tally in round i."""
    survivors, depth, seen = np.zeros(1, dtype=np.int64), 0, []
    for i, (view, mechanism, _) in enumerate(rounds.parts):
        size = top_k if i == len(rounds.parts) - 1 else keep
        tiles = extensions(survivors, view.depth - depth)  # type: ignore[attr-defined]
        best, total, users = best_of(tiles, partial(count, i), size)
        depth, survivors = view.depth, best.codes  # type: ignore[attr-defined]
        seen.append(made_round(depth, mechanism, best, total, users))  # type: ignore[arg-type]
    return finish(rounds, tuple(seen))


def finish(rounds: Assigned, seen: tuple[Round, ...]) -> HeavyHitters:
    """What the last round found, as values."""
    last, view = seen[-1], rounds.parts[-1][0]
    values: Any = last.tally.candidates
    if getattr(view, "scattered", False):
        values = gather(values, last.depth)
    return HeavyHitters(values, debias(last.tally, last.mechanism), seen)


def check_sizes(top_k: int, keep: int | None, factor: int) -> tuple[int, int]:
    """Return how many values are wanted, and how many candidates survive a round."""
    wanted = _checks.integer(top_k, "top_k", 1, 1 << MOST_CANDIDATES)
    if keep is None:
        return wanted, factor * wanted
    return wanted, _checks.integer(keep, "keep", wanted, 1 << MOST_CANDIDATES)


def check_rounds(rounds: object) -> None:
    """Refuse what is not made of parts that count candidates."""
    if not isinstance(rounds, Assigned):
        raise TypeError(f"rounds must be Assigned, got {type(rounds).__name__}.")
    for _, mechanism, _ in rounds.parts:
        if not hasattr(mechanism, "hashes"):
            raise TypeError(f"rounds must be of hashing mechanisms, got {mechanism}.")


def check_prefixes(rounds: Assigned, keep: int) -> None:
    """Refuse rounds that do not ask for longer and longer prefixes, or lists too long to count."""
    check_rounds(rounds)
    views = [view for view, _, _ in rounds.parts if isinstance(view, Prefix)]
    depths = [view.depth for view in views]
    if len(views) < len(rounds.parts) or len({view.scattered for view in views}) > 1:
        raise ValueError("rounds must ask for prefixes, as those of prefix_rounds do, got others.")
    if depths != sorted(depths) or depths[-1] != views[0].num_bits:
        raise ValueError(
            f"rounds must have depths that do not decrease and end at all bits, got {depths}."
        )
    check_lists(depths, keep)


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
