"""One run of the study of heavy hitters: one population, searched in many ways.

Counts are drawn from their exact laws without making reports (`simulate_prefixes` and its kin).
All methods of a run see the same users and the same codes. Two are no methods of the package but
bounds: `full string` counts every one of the 2^b codes, which nobody can; `channels` is the
multiple-channel method at its best, with each value alone in its channel and a code that is as good
as any: the most correlated of all 2^b codes.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import binom, norm

import ldp
from ldp.heavy_hitters import (
    Prefix,
    prefix_rounds,
    segment_pairs,
    simulate_prefixes,
    simulate_strings,
)
from ldp.metrics import f1, found_mse, ncr
from populations import population

TOP = 32
KEPT_BITS = 5  # of TOP survivors
Found = tuple[Any, Any]  # values and their estimated frequencies
Search = Callable[[Any, Any, int, float, Any], Found]


# -- searches --------------------------------------------------------------------------------------


def even_depths(bits: int, step: int) -> list[int]:
    """Depths of steps of so many bits, the first with as many candidates as the others."""
    return [*range(min(bits, KEPT_BITS + step), bits, step), bits]


def by_prefixes(
    depths: Any, shares: Any = None, keep: int = TOP, scattered: bool = False
) -> Search:
    """Rounds of these depths and shares; either may be a function."""

    def search(codes: Any, counts: Any, bits: int, epsilon: float, rng: Any) -> Found:
        chosen = depths(bits) if callable(depths) else depths
        split = shares(len(chosen)) if callable(shares) else shares
        rounds = prefix_rounds(bits, epsilon, depths=chosen, shares=split, scattered=scattered)
        found = simulate_prefixes(codes, counts, rounds, rng, top_k=TOP, keep=keep)
        return found.values, found.frequencies

    return search


def tree_depths(bits: int) -> list[int]:
    """All depths, and the last again."""
    return [*range(1, bits + 1), bits]


def tree_shares(rounds: int) -> Any:
    """Half of the users verify."""
    return np.append(np.full(rounds - 1, 0.5 / (rounds - 1)), 0.5)


def by_pairs(codes: Any, counts: Any, bits: int, epsilon: float, rng: Any) -> Found:
    """Pairs of six pieces of 8 bits, or of four of 5."""
    rounds = segment_pairs(bits, epsilon, num_segments=6 if bits == 48 else 4)
    found = simulate_strings(codes, counts, rounds, rng, top_k=TOP)
    return found.values, found.frequencies


def by_trie(step: int, keep: int = TOP) -> Search:
    """Our reading of two lines of a survey on a trie that is built interactively.

    Users answer in a random order. A level asks for one symbol more, of an equal share of the users
    left, in four batches; it ends early when the last survivor's estimate is two standard
    deviations above the next one's. The last level asks all who are left.
    """

    def search(codes: Any, counts: Any, bits: int, epsilon: float, rng: Any) -> Found:
        waiting = np.repeat(codes, counts)[rng.permutation(counts.sum())]
        survivors = np.zeros(1, dtype=np.int64)
        for depth in range(step, bits + 1, step):
            m, view, last = ldp.WideHashing(depth, epsilon), Prefix(bits, depth), depth == bits
            candidates = (np.sort(survivors)[:, None] << step | np.arange(1 << step)).ravel()
            share = waiting.size // ((bits - depth) // step + 1)
            tallies = []
            for some in np.split(waiting[:share], batch_ends(share, 1 if last else 4)):
                waiting = waiting[some.size :]
                tallies.append(drawn(m, view(some), candidates, rng))
                tally = sum(tallies[1:], tallies[0])
                if clear(tally, m, keep):
                    break
            best = np.argsort(-tally.counts, kind="stable")
            survivors = candidates[best[: TOP if last else keep]]
        return survivors, np.sort(ldp.debias(tally, m))[::-1][:TOP]

    return search


def batch_ends(share: int, batches: int) -> Any:
    """Where to cut so many users into so many batches, the last a little shorter."""
    size = -(-share // batches)
    return np.arange(size, share, size)


def drawn(m: Any, prefixes: Any, candidates: Any, rng: Any) -> ldp.Tally:
    """Draw the counts of candidates, in rising order, among users with these prefixes."""
    place = np.searchsorted(candidates, prefixes)
    known = candidates[np.minimum(place, candidates.size - 1)] == prefixes
    held = np.bincount(place[known], minlength=candidates.size)
    return m.simulate(held, rng, candidates=candidates, others=int((~known).sum()))


def clear(tally: ldp.Tally, m: Any, keep: int) -> bool:
    """Whether the last survivor is two standard deviations above the next candidate."""
    best = np.sort(ldp.debias(tally, m))[::-1]
    spread = np.sqrt(ldp.variance(m, tally.num_reports))
    return best.size <= keep or best[keep - 1] - best[keep] >= 2 * spread


def full_string(codes: Any, counts: Any, bits: int, epsilon: float, rng: Any) -> Found:
    """Everybody counts for everything, codes that nobody holds included: their best are drawn."""
    m, n = ldp.WideHashing(bits, epsilon), int(counts.sum())
    tally = m.simulate(counts, rng, candidates=codes)
    best = binom.isf(luckiest((1 << bits) - codes.size, rng), n, m.q)
    return ranked(codes, ldp.debias(tally, m), (best / n - m.q) / (m.p - m.q))


def channels(codes: Any, counts: Any, bits: int, epsilon: float, rng: Any) -> Found:
    """One bit of a code, with half the budget, in a channel of one's own."""
    n = int(counts.sum())
    spread = 1 / np.tanh(epsilon / 4) / np.sqrt(n)
    scores = counts / n + spread * rng.standard_normal(codes.size)
    others = luckiest((1 << bits) - codes.size, rng)
    return ranked(codes, scores, spread * norm.isf(others[:1]).repeat(TOP))


def luckiest(number: int, rng: np.random.Generator) -> Any:
    """Tail probabilities of the best of so many codes that nobody holds, the smallest first."""
    return np.cumsum(rng.standard_exponential(TOP)) / number


def ranked(codes: Any, scores: Any, others: Any) -> Found:
    """The best of held codes and of others, which get negative numbers."""
    values = np.append(codes, -1 - np.arange(others.size))
    every = np.append(scores, others)
    best = np.argsort(-every)[:TOP]
    return values[best], every[best]


LONG = {"17-27-38-48": (17, 27, 38, 48), "20-35-48": (20, 35, 48)}
METHODS: dict[str, Search] = {
    "treehist": by_prefixes(tree_depths, tree_shares),
    "treehist, keep 4k": by_prefixes(tree_depths, tree_shares, 4 * TOP),
    "spm": by_pairs,
    "pem 1": by_prefixes(lambda bits: even_depths(bits, 1)),
    "pem 2": by_prefixes(lambda bits: even_depths(bits, 2)),
    "pem 4": by_prefixes(lambda bits: even_depths(bits, 4)),
    "pem 15": by_prefixes(lambda bits: even_depths(bits, 15)),
    "pem 1, keep 4k": by_prefixes(lambda bits: even_depths(bits, 1), keep=4 * TOP),
    "pem 4, keep 4k": by_prefixes(lambda bits: even_depths(bits, 4), keep=4 * TOP),
    "pem 15, keep 4k": by_prefixes(lambda bits: even_depths(bits, 15), keep=4 * TOP),
    "default": by_prefixes(None, keep=4 * TOP),
    "trie 1": by_trie(1),
    "trie 4": by_trie(4),
    "channels, bound": channels,
    "full string": full_string,
}
SHORT: dict[str, Search] = {
    "15 rounds": by_prefixes(range(6, 21)),
    "5 rounds": by_prefixes((8, 11, 14, 17, 20)),
    "3 rounds": by_prefixes((10, 15, 20)),
    "2 rounds": by_prefixes((12, 20)),
    "1 round": by_prefixes((20,)),
    "treehist": METHODS["treehist"],
    "spm": by_pairs,
    "trie 1": by_trie(1),
    "channels, bound": channels,
    "full string": full_string,
}


def rising(rounds: int) -> Any:
    """Shares like 1, 2, 3, ..."""
    return np.arange(1, rounds + 1) / (rounds * (rounds + 1) / 2)


SHARES = {
    "equal": None,
    "rising": rising,
    "rising by half": lambda g: (2 * g - 2 + np.arange(g)) / (g * (5 * g - 5) / 2),
    "falling": lambda g: rising(g)[::-1],
}
DEPTHS = {"5": (14, 21, 28, 36, 43), "11": (9, 13, 16, 19, 23, 26, 30, 33, 36, 40, 43)}
ALLOCATIONS: dict[str, Search] = {
    f"{g} rounds, {name}{'' if keep == TOP else ', keep 4k'}": by_prefixes(depths, share, keep)
    for g, depths in DEPTHS.items()
    for name, share in SHARES.items()
    for keep in (TOP, 4 * TOP)
} | {
    f"5 rounds, equal, scattered{'' if keep == TOP else ', keep 4k'}": by_prefixes(
        DEPTHS["5"], None, keep, scattered=True
    )
    for keep in (TOP, 4 * TOP)
}


# -- runs ------------------------------------------------------------------------------------------


def compare(cell: dict[str, Any], rng: np.random.Generator, searches: dict[str, Search]) -> Any:
    """Search one population in all ways; one row for each."""
    people, *generators = rng.spawn(1 + len(searches))
    codes, counts = population(cell, people)
    best = np.lexsort((codes, -counts))[:TOP]
    truth, frequencies = codes[best], counts[best] / counts.sum()
    rows = []
    for (name, search), child in zip(searches.items(), generators, strict=True):
        values, guesses = search(codes, counts, cell["bits"], cell["epsilon"], child)
        rows.append({"method": name} | scores(values, guesses, truth, frequencies))
    return rows


def scores(values: Any, guesses: Any, truth: Any, frequencies: Any) -> dict[str, float | None]:
    """F1, NCR and the mean squared error of what was found; none if nothing true was."""
    if not np.isin(values, truth).any():
        return {"f1": 0.0, "ncr": 0.0, "mse": None}
    mse = found_mse(values, guesses, truth, frequencies)
    return {"f1": f1(values, truth), "ncr": ncr(values, truth), "mse": mse}


GRIDS = {"wide": METHODS, "short": SHORT, "allocations": ALLOCATIONS}


def one_run(cell: dict[str, Any], rng: np.random.Generator) -> Any:
    """All searches of the cell's grid."""
    return compare(cell, rng, GRIDS[cell["grid"]])
