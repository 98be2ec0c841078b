"""One run of the study of frequent items: one population, searched in eleven ways.

The baskets of a Belgian shop (T. Brijs and others, 1999) may be used with an acknowledgement and a
copy of the work to T. Brijs; they are not part of this repository. `retail.dat` is offered at
http://fimi.uantwerpen.be/data/ and checked here by its hash.
"""

import gzip
import hashlib
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from ldp import datasets, debias
from ldp.itemsets import ItemSets, SetSelection, asking, frequent_items, ldp_miner, svim, svsm
from ldp.metrics import f1, found_mse, ncr

TOP = 32
CLICKS = 250_000  # a quarter of the users of Kosarak
RETAIL = {"path": "retail.dat"}
RETAIL_HASH = "236176f4c17ed99e36b67d6129b28f64326f7ad3a47be46b2d702b1697990226"
Row = dict[str, Any]


def compare(cell: dict[str, Any], rng: np.random.Generator) -> list[Row]:
    """Look for the 32 most frequent items of one population in every way."""
    data, epsilon = cell["data"], cell["epsilon"]
    drawn, *generators = rng.spawn(1 + len(METHODS) + len(SET_METHODS))
    sets = population(data, drawn)
    counts = sets.counts()
    truth = asking.best(counts.astype(float), TOP)
    rows = []
    for (name, method), child in zip(METHODS.items(), generators, strict=False):
        found, estimates = method(sets, epsilon, child)
        rows.append({"method": name} | judge(found, estimates, truth, counts[truth] / len(sets)))
    if data == "kosarak-like":  # its items are independent: no pair is frequent
        return rows
    itemsets, shares = frequent_sets(sets)
    number = {items: i for i, items in enumerate(itemsets)}
    for (name, method), child in zip(SET_METHODS.items(), generators[len(METHODS) :], strict=True):
        tuples, estimates = method(sets, epsilon, child)
        found = [number.get(items, TOP + i) for i, items in enumerate(tuples)]
        rows.append({"method": name} | judge(found, estimates, np.arange(TOP), shares))
    return rows


def judge(found: Any, estimates: Any, truth: Any, frequencies: Any) -> Row:
    """How good a list is; the error is that of the true items found, if there is one."""
    quality = f1(found, truth)
    error = found_mse(found, estimates, truth, frequencies) if quality else None
    return {"f1": quality, "ncr": ncr(found, truth), "var": error}


def typical_length(sets: ItemSets) -> int:
    """Return the 90th percentile of the true sizes, which LDPMiner is told: a favour."""
    return int(np.quantile(sets.lengths, 0.9, method="inverted_cdf"))


def twice(amplified: bool) -> Any:
    """LDPMiner, told the 90th percentile of the sizes."""

    def method(sets: ItemSets, epsilon: float, rng: np.random.Generator) -> Any:
        length = typical_length(sets)
        return ldp_miner(sets, epsilon, rng, top_k=TOP, length=length, amplified=amplified)[:2]

    return method


def in_parts(miner: Any, **options: Any) -> Any:
    """Protocols of the package that ask every user once."""

    def method(sets: ItemSets, epsilon: float, rng: np.random.Generator) -> Any:
        return miner(sets, epsilon, rng, top_k=TOP, **options)[:2]

    return method


def once(mechanism: Any) -> Any:
    """Ask everybody for any item, and take the best of the list as they are."""

    def method(sets: ItemSets, epsilon: float, rng: np.random.Generator) -> Any:
        made = mechanism(sets.num_items, epsilon)
        estimates = debias(made.simulate(sets, rng), made)
        found = asking.best(estimates, TOP)
        return found, estimates[found]

    return method


def without_sizes(length: int) -> Any:
    """SVIM without its second part: candidates are padded to a length fixed beforehand."""

    def method(sets: ItemSets, epsilon: float, rng: np.random.Generator) -> Any:
        wanted, (some, others) = asking.parts_of(sets, TOP, (4 / 9, 5 / 9), 2, rng)
        items = np.arange(sets.num_items)
        mechanism = asking.pad_and_sample(items.size, 1, epsilon)
        estimates = asking.ask_items(some, items, mechanism, rng)[1]
        candidates = asking.best(estimates, 2 * wanted)
        mechanism = asking.pad_and_sample(candidates.size, length, epsilon)
        estimates = asking.ask_items(others, candidates, mechanism, rng)[1]
        order = asking.best(estimates, wanted)
        return candidates[order], estimates[order]

    return method


def without_candidates(sets: ItemSets, epsilon: float, rng: np.random.Generator) -> Any:
    """SVIM without its first part: sizes and frequencies of all items."""
    wanted, (some, others) = asking.parts_of(sets, TOP, (1 / 6, 5 / 6), 2, rng)
    most = int(sets.lengths.max())  # a favour: the largest size is told
    told = asking.ask_sizes(some, most, epsilon, rng)
    sizes = asking.without_noise(told, 3.0)
    length = asking.covering_length(sizes)
    mechanism = asking.pad_and_sample(sets.num_items, length, epsilon)
    estimates = asking.ask_items(others, np.arange(sets.num_items), mechanism, rng)[1]
    order = asking.best(estimates, wanted)
    return order, estimates[order] * asking.correction(sizes, length)


METHODS = {
    "LDPMiner": twice(False),
    "LDPMiner, amplified": twice(True),
    "SVIM": in_parts(svim),
    "SVIM, sizes clipped": in_parts(svim, deviations=0.0),
    "SVIM, no candidates": without_candidates,
    "SVIM, no sizes": without_sizes(4),
    "SVIM, no frequencies": once(lambda d, epsilon: asking.pad_and_sample(d, 1, epsilon)),
    "one round, L = 4": once(lambda d, epsilon: SetSelection(d, 4, epsilon)),
    "one round, L = 8": once(lambda d, epsilon: SetSelection(d, 8, epsilon)),
    "one round, L = 12": once(lambda d, epsilon: SetSelection(d, 12, epsilon)),
    "two rounds, L = 8": in_parts(frequent_items),
}
SET_METHODS = {"SVSM": in_parts(svsm)}


def population(data: str, rng: np.random.Generator) -> ItemSets:
    """Users and their items."""
    if data == "kosarak-like":
        return ItemSets(*datasets.kosarak_like(CLICKS, rng))
    return baskets(RETAIL["path"]) if data == "retail" else ItemSets(*datasets.msweb())


@cache
def baskets(path: str) -> ItemSets:
    """Read the baskets of the shop: a line each, plain or packed; refuse another file."""
    content = Path(path).read_bytes()
    text = (gzip.decompress(content) if path.endswith(".gz") else content).decode()
    rows = [sorted(map(int, line.split())) for line in text.splitlines() if line.strip()]
    plain = "\n".join(" ".join(map(str, row)) for row in rows)
    if hashlib.sha256(plain.encode()).hexdigest() != RETAIL_HASH:
        raise ValueError(f"{path} must hold the 88,162 baskets of retail.dat, got something else.")
    return ItemSets.of(rows, num_items=16_470)


def frequent_sets(sets: ItemSets) -> tuple[list[tuple[int, ...]], Any]:
    """Return the 32 most frequent sets of items, and the share of users who hold each."""
    counts = sets.counts()
    items = sorted(asking.best(counts.astype(float), TOP).tolist())
    least = np.sort(counts)[-TOP]  # a set that is among the best has no rarer item
    held = np.zeros((len(sets), len(items)), dtype=bool)
    near = sets.restrict(items)
    held[np.repeat(np.arange(len(sets)), near.lengths), near.items] = True
    level = {(i,): held[:, i] for i in range(len(items))}
    found: dict[tuple[int, ...], int] = {}
    while level:
        found |= {places: int(who.sum()) for places, who in level.items()}
        level = {
            (*places, i): who & held[:, i]
            for (places, who), i in product(level.items(), range(len(items)))
            if i > places[-1] and (who & held[:, i]).sum() >= least
        }
    order = sorted(found, key=lambda places: (-found[places], places))[:TOP]
    names = [tuple(items[i] for i in places) for places in order]
    return names, np.array([found[places] for places in order]) / len(sets)
