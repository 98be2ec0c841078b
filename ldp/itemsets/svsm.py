"""Find the most frequent sets of items."""

import heapq
from collections.abc import Sequence
from itertools import count

import numpy as np

from ldp import _checks
from ldp.itemsets import asking
from ldp.itemsets.asking import ItemResult
from ldp.itemsets.sets import ItemSets
from ldp.types import Floats

Items = tuple[int, ...]


def svsm(
    sets: ItemSets,
    epsilon: float,
    rng: np.random.Generator,
    *,
    top_k: int,
    shares: Sequence[float] = (0.16, 0.04, 0.2, 0.12, 0.48),
    deviations: float = 3.0,
) -> ItemResult:
    r"""SVSM: find frequent items by SVIM, guess which sets of them are frequent, ask for those.

    Every user is asked once, with the whole budget. The first three parts of the users are those of
    :func:`ldp.itemsets.svim`, which finds k items. Candidates are the 2k sets of two or more of
    them for which the product of :math:`0.9\,\hat f_x/\max\hat f` is largest. The fourth part tells
    how many candidates it holds whole. The fifth reports one of them, padded, as in SVIM. Items and
    candidates are ranked together.

    Parameters
    ----------
    sets, epsilon, rng
        As for :func:`ldp.itemsets.svim`.
    top_k : int
        Number k of sets to find, single items among them; at least 2.
    shares : sequence of 5 floats
        Parts of the users, chosen at random and public.
    deviations : float
        As of :func:`ldp.itemsets.svim`.

    Returns
    -------
    ItemResult
        Its `items` are tuples of increasing items.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as above, or a part has no user.

    Examples
    --------
    >>> sets = ItemSets.of([[0, 2], [2], [2, 3], [2, 0, 5]] * 20_000, num_items=8)
    >>> svsm(sets, 4.0, np.random.default_rng(1), top_k=3).items
    ((2,), (0,), (0, 2))

    References
    ----------
    ``S004``, SVSM; ``wang2018itemset``.
    """
    budget, zero = _checks.epsilon(epsilon), _checks.not_negative(deviations, "deviations")
    _checks.rng(rng)
    wanted, parts = asking.parts_of(sets, top_k, shares, 5, rng, least=2)
    singles = asking.single_items(parts[:3], budget, wanted, zero, rng)
    guesses = likely_sets(singles.frequencies, 2 * wanted)
    candidates = tuple(tuple(sorted(singles.items[list(g)].tolist())) for g in guesses)
    some, others = (contained(p.restrict(singles.items), guesses) for p in parts[3:])
    told, last, estimates = asking.corrected(some, others, budget, zero, rng)
    last = last._replace(candidates=candidates)
    found = [(item,) for item in singles.items.tolist()] + list(candidates)
    frequencies = np.concatenate([singles.frequencies, estimates])
    order = asking.best(frequencies, wanted)
    rounds = (*singles.rounds, told, last)
    return ItemResult(tuple(found[i] for i in order), frequencies[order], rounds)


def likely_sets(frequencies: Floats, most: int) -> list[Items]:
    """Return sets of two or more places, those of the largest product of shares first.

    Frequencies are in falling order. A set comes after the two that lead to it: the one without its
    last place, and the one whose last place is one less.
    """
    largest = frequencies[0]
    shares = np.full(frequencies.size, 0.9)
    if largest > 0:  # else nothing is known
        shares *= np.clip(frequencies / largest, 1e-9, 1.0)
    cost, ties = -np.log(shares), count()
    waiting: list[tuple[float, int, Items]] = [(cost[0], next(ties), (0,))]
    found: list[Items] = []
    while waiting and len(found) < most:
        spent, _, places = heapq.heappop(waiting)
        if len(places) > 1:
            found.append(places)
        last = places[-1]
        if last + 1 < cost.size:
            longer = spent + cost[last + 1]
            heapq.heappush(waiting, (longer, next(ties), (*places, last + 1)))
            other = (*places[:-1], last + 1)
            heapq.heappush(waiting, (longer - cost[last], next(ties), other))
    return found


def contained(sets: ItemSets, candidates: list[Items]) -> ItemSets:
    """Say for each user which candidates are subsets of the own set; candidates are the items."""
    held = np.zeros((len(sets), sets.num_items), dtype=np.bool_)
    held[np.repeat(np.arange(len(sets)), sets.lengths), sets.items] = True
    whole = np.stack([held[:, list(places)].all(axis=1) for places in candidates], axis=1)
    return ItemSets(np.nonzero(whole)[1], whole.sum(axis=1), len(candidates))
