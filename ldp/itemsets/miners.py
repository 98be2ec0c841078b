"""Find the most frequent items of users who each hold a set of them."""

from collections.abc import Sequence

import numpy as np

from ldp import _checks
from ldp.itemsets import asking
from ldp.itemsets.asking import ItemResult
from ldp.itemsets.set_selection import SetSelection
from ldp.itemsets.sets import ItemSets


def ldp_miner(
    sets: ItemSets,
    epsilon: float,
    rng: np.random.Generator,
    *,
    top_k: int,
    length: int,
    amplified: bool = False,
) -> ItemResult:
    r"""LDPMiner: ask everybody twice, for any item and then for one of the best 2k.

    Every user pads the own set to `length`, draws one of its cells and reports it with half of the
    budget. The 2k items of the largest estimates are candidates. Every user then pads the
    candidates among the own items to 2k, draws one and reports it with the other half.

    Parameters
    ----------
    sets : ItemSets
    epsilon : float
        Budget of a user: of both reports together.
    rng : numpy.random.Generator
    top_k : int
        Number k of items to find.
    length : int
        :math:`L` of the first round. The source takes the 90th percentile of the sizes; it has to
        be public, and is not computed from the users here.
    amplified : bool
        Whether randomized response may spend :math:`\ln(L(e^{\epsilon/2}-1)+1)`, which came later.
        In each round it competes with hashing, and the one of less variance is used.

    Returns
    -------
    ItemResult

    Raises
    ------
    TypeError, ValueError
        If an argument is not as above.

    Examples
    --------
    >>> sets = ItemSets.of([[0, 2], [2], [2, 3], [2, 0, 5]] * 5000, num_items=8)
    >>> ldp_miner(sets, 4.0, np.random.default_rng(1), top_k=2, length=2).items
    array([2, 0])

    References
    ----------
    ``S004``, LDPMiner; ``qin2016heavy``.
    """
    half = _checks.epsilon(epsilon) / 2
    flag = _checks.flag(amplified, "amplified")
    first_length = _checks.integer(length, "length", 1)
    _checks.rng(rng)
    wanted, (everybody,) = asking.parts_of(sets, top_k, [1.0], 1, rng)
    items = np.arange(sets.num_items)
    mechanism = asking.pad_and_sample(items.size, first_length, half, amplified=flag)
    first, estimates = asking.ask_items(everybody, items, mechanism, rng)
    candidates = asking.best(estimates, 2 * wanted)
    mechanism = asking.pad_and_sample(candidates.size, candidates.size, half, amplified=flag)
    second, estimates = asking.ask_items(everybody, candidates, mechanism, rng)
    order = asking.best(estimates, wanted)
    return ItemResult(candidates[order], estimates[order], (first, second))


def svim(
    sets: ItemSets,
    epsilon: float,
    rng: np.random.Generator,
    *,
    top_k: int,
    shares: Sequence[float] = (0.4, 0.1, 0.5),
    deviations: float = 3.0,
) -> ItemResult:
    r"""SVIM: one part of the users finds candidates, one their sizes, one their frequencies.

    Every user is asked once, with the whole budget. The first part draws one of its own items; the
    2k of the largest estimates are candidates. The second tells how many of them it has; L is
    enough for nine tenths of those who have any. The third pads the candidates among the own items
    to L and draws one. Estimates are multiplied by
    :math:`\sum_l l\,n_l/\sum_l\min(l,L)\,n_l`, where :math:`n_l` users have l candidates.

    Parameters
    ----------
    sets : ItemSets
    epsilon : float
        Budget of a user, spent by one report.
    rng : numpy.random.Generator
    top_k : int
        Number k of items to find.
    shares : sequence of 3 floats
        Parts of the users, chosen at random and public.
    deviations : float
        Estimated shares of sizes below so many standard deviations of the noise count as zero. The
        source's zero leaves noise in all 2k sizes, and L and the factor grow with it.

    Returns
    -------
    ItemResult

    Raises
    ------
    TypeError, ValueError
        If an argument is not as above, or a part has no user.

    Examples
    --------
    >>> sets = ItemSets.of([[0, 2], [2], [2, 3], [2, 0, 5]] * 5000, num_items=8)
    >>> svim(sets, 4.0, np.random.default_rng(1), top_k=2).items
    array([2, 0])

    References
    ----------
    ``S004``, SVIM; ``wang2018itemset``.
    """
    budget, zero = _checks.epsilon(epsilon), _checks.not_negative(deviations, "deviations")
    _checks.rng(rng)
    wanted, parts = asking.parts_of(sets, top_k, shares, 3, rng)
    return asking.single_items(parts, budget, wanted, zero, rng)


def frequent_items(
    sets: ItemSets,
    epsilon: float,
    rng: np.random.Generator,
    *,
    top_k: int,
    length: int = 8,
    shares: Sequence[float] = (2 / 3, 1 / 3),
) -> ItemResult:
    r"""Two rounds of set selection: one part of the users finds candidates, one their frequencies.

    Every user is asked once, with the whole budget. Users of the first part report by
    :class:`ldp.itemsets.SetSelection` over all items; the 2k of the largest estimates are
    candidates. Those of the second report by it over the candidates. Sets of more than `length`
    items are cut to it, so the frequencies are a little too low where users have many candidates.

    Parameters
    ----------
    sets, epsilon, rng, top_k
        As for :func:`svim`.
    length : int
        :math:`L` of both rounds, but of the second at most 2k. Between 4 and 12 F1 of a round
        changed by less than a tenth in what was tried: more noise pays for fewer cuts.
    shares : sequence of 2 floats
        Parts of the users, chosen at random and public.

    Returns
    -------
    ItemResult

    Raises
    ------
    TypeError, ValueError
        If an argument is not as above, or a part has no user.

    Examples
    --------
    >>> sets = ItemSets.of([[0, 2], [2], [2, 3], [2, 0, 5]] * 5000, num_items=8)
    >>> found = frequent_items(sets, 4.0, np.random.default_rng(1), top_k=2)
    >>> found.items, found.frequencies.round(1)
    (array([2, 0]), array([1. , 0.5]))
    """
    budget = _checks.epsilon(epsilon)
    cells = _checks.integer(length, "length", 1)
    _checks.rng(rng)
    wanted, parts = asking.parts_of(sets, top_k, shares, 2, rng)
    items = np.arange(sets.num_items)
    mechanism = SetSelection(items.size, min(cells, items.size), budget)
    first, estimates = asking.ask_items(parts[0], items, mechanism, rng)
    candidates = asking.best(estimates, 2 * wanted)
    expected = float(np.clip(estimates[candidates[:wanted]].mean(), 0.0, 1.0))
    mechanism = SetSelection(
        candidates.size, min(cells, candidates.size), budget, frequency=expected
    )
    last, estimates = asking.ask_items(parts[1], candidates, mechanism, rng)
    order = asking.best(estimates, wanted)
    return ItemResult(candidates[order], estimates[order], (first, last))
