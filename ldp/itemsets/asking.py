"""What the protocols that look for frequent items share: oracles, sizes, the best of a list."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp.assigned import assign
from ldp.itemsets.padding import PadAndSample, amplified_epsilon
from ldp.itemsets.set_selection import SetSelection
from ldp.itemsets.sets import ItemSets, check_sets
from ldp.linear import debias, variance
from ldp.mechanisms.hashing import OLH
from ldp.mechanisms.randomized_response import GRR
from ldp.tally import Tally
from ldp.types import Floats, FrequencyOracle, Integers


class ItemRound(NamedTuple):
    """What some of the users were asked.

    `candidates` are the items, or sets of items, that the mechanism numbers 0, 1, ..., or None
    where it was told how many items a user has.
    """

    candidates: Any
    mechanism: FrequencyOracle | PadAndSample | SetSelection
    tally: Tally


class ItemResult(NamedTuple):
    """Items found, the most frequent first, the share of users who have each, and the rounds."""

    items: Any
    frequencies: Floats
    rounds: tuple[ItemRound, ...]


def parts_of(
    sets: Any,
    top_k: Any,
    shares: npt.ArrayLike,
    num_parts: int,
    rng: np.random.Generator,
    least: int = 1,
) -> tuple[int, list[ItemSets]]:
    """Return how many items are wanted, and the users who are asked each question, drawn anew."""
    given = check_sets(sets)
    wanted = _checks.integer(top_k, "top_k", least, given.num_items)
    part = assign(len(given), _checks.vector(shares, "shares", num_parts), rng)
    users = np.bincount(part, minlength=num_parts)
    if users.min() == 0:
        raise ValueError(
            f"sets must be so many that every part of the users has one, got {len(given)} sets."
        )
    return wanted, [given[part == i] for i in range(num_parts)]


def best(estimates: Floats, count: int) -> Integers:
    """Return the places of the largest estimates, the largest first; of equals the first."""
    order: Integers = np.argsort(-estimates, kind="stable")[:count]
    return order


def pad_and_sample(
    num_items: int, length: int, epsilon: float, *, amplified: bool = True
) -> PadAndSample:
    """Choose the oracle of least variance for a rare item: randomized response or hashing."""
    cells = num_items + length
    budget = amplified_epsilon(epsilon, length) if amplified else epsilon
    oracles = (GRR(cells, budget), OLH(cells, epsilon))
    made = [PadAndSample(num_items, length, oracle, epsilon) for oracle in oracles]
    return min(made, key=lambda m: variance(m, 1))


def ask_items(
    sets: ItemSets, candidates: Integers, mechanism: Any, rng: np.random.Generator
) -> tuple[ItemRound, Floats]:
    """Ask users for the candidates among their items."""
    held = sets.restrict(candidates)
    tally = mechanism.tally(mechanism.privatize(held, rng))
    return ItemRound(candidates, mechanism, tally), debias(tally, mechanism)


def ask_sizes(
    sets: ItemSets, most: int, epsilon: float, rng: np.random.Generator
) -> tuple[ItemRound, Floats]:
    """Ask users how many items they have, `most` standing for more."""
    oracles: list[FrequencyOracle] = [GRR(most + 1, epsilon), OLH(most + 1, epsilon)]
    mechanism = min(oracles, key=lambda m: variance(m, 1))
    tally = mechanism.tally(mechanism.privatize(np.minimum(sets.lengths, most), rng))
    return ItemRound(None, mechanism, tally), debias(tally, mechanism)


def without_noise(told: tuple[ItemRound, Floats], deviations: float) -> Floats:
    """Set shares of sizes to zero that may be noise: below so many standard deviations."""
    asked, shares = told
    noise = deviations * np.sqrt(variance(asked.mechanism, asked.tally.num_reports))
    return np.where(shares > noise, shares, 0.0)


def covering_length(sizes: Floats, share: float = 0.9) -> int:
    """Return the length that is enough for this share of the users who have an item."""
    below = np.cumsum(sizes[1:])
    return 1 + int(np.argmax(below >= share * below[-1]))


def correction(sizes: Floats, length: int) -> float:
    r"""Return :math:`\sum_l l\,n_l/\sum_l\min(l,L)\,n_l`, by which cut sets underestimate."""
    size = np.arange(sizes.size)
    kept = float(np.minimum(size, length) @ sizes)
    return float(size @ sizes) / kept if kept > 0 else 1.0


def single_items(
    parts: list[ItemSets], epsilon: float, wanted: int, deviations: float, rng: np.random.Generator
) -> ItemResult:
    """Ask the three parts of SVIM."""
    items = np.arange(parts[0].num_items)
    mechanism = pad_and_sample(items.size, 1, epsilon)
    first, estimates = ask_items(parts[0], items, mechanism, rng)
    candidates = best(estimates, 2 * wanted)
    told, last, estimates = corrected(
        parts[1].restrict(candidates), parts[2].restrict(candidates), epsilon, deviations, rng
    )
    order = best(estimates, wanted)
    last = last._replace(candidates=candidates)
    return ItemResult(candidates[order], estimates[order], (first, told, last))


def corrected(
    some: ItemSets, others: ItemSets, epsilon: float, deviations: float, rng: np.random.Generator
) -> tuple[ItemRound, ItemRound, Floats]:
    """Ask some for the sizes of their sets, others for one item; correct for sets that are cut."""
    told = ask_sizes(some, some.num_items, epsilon, rng)
    sizes = without_noise(told, deviations)
    length = covering_length(sizes)
    mechanism = pad_and_sample(others.num_items, length, epsilon)
    last, estimates = ask_items(others, np.arange(others.num_items), mechanism, rng)
    return told[0], last, estimates * correction(sizes, length)
