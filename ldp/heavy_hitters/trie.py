"""Find frequent values by growing a tree together with the users, who are asked one by one."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._drawn import drawn_tally, sums
from ldp.heavy_hitters._walk import best_of, check_lists, check_sizes, extensions, made_round
from ldp.heavy_hitters.result import HeavyHitters, Round
from ldp.heavy_hitters.views import MOST_BITS, Prefix
from ldp.linear import debias, variance
from ldp.mechanisms.wide_hashing import WideHashing
from ldp.tally import Tally
from ldp.types import Integers

_BATCHES = 4  # a level asks its users in so many batches, and looks after each
_CLEAR = 2.0  # standard deviations between the last survivor and the next: enough has been asked
Ask = Callable[[Any, Integers, Integers], Tally]


def priv_trie(
    values: npt.ArrayLike,
    num_bits: int,
    epsilon: float,
    rng: np.random.Generator,
    *,
    top_k: int,
    symbol_bits: int = 4,
    keep: int | None = None,
) -> HeavyHitters:
    r"""Find the most frequent values level by level, going on as soon as a level is clear.

    The users answer in a random order. Level :math:`i` asks for the first :math:`i` symbols, of
    the users not yet asked an equal share of the levels left, in four batches; it stops early when
    the last survivor's estimate is two standard deviations above the next one's, and leaves its
    other users to the levels below. The last level asks all who are left. Nobody is asked twice.

    Parameters
    ----------
    values : array_like of int, shape (n,)
        Values of the users.
    num_bits : int
        Bits of a value, at most 63, a multiple of `symbol_bits`.
    epsilon : float
        Privacy budget of the one report.
    rng : numpy.random.Generator
    top_k : int
        How many values are wanted.
    symbol_bits : int
        Bits of a symbol.
    keep : int, optional
        How many prefixes survive a level, ``4 * top_k`` by default.

    Returns
    -------
    HeavyHitters
        Its rounds but the last looked at their own reports to know when to stop: it has no
        ``upper``. Its last round can be certified.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said, or there are fewer users than levels.

    Notes
    -----
    This is our reading of two lines of a survey on a trie that is built interactively; the paper
    itself was not at hand. In the study (``studies/heavy_hitters.csv``) it finds no more than
    :func:`find_prefixes` with the same steps, which asks everybody at once.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> users = np.append(np.repeat([2**23, 12345], 4000), rng.integers(0, 2**24, 2000))
    >>> priv_trie(users, 24, 3.0, rng, top_k=2, symbol_bits=8).values
    array([8388608,   12345])
    """

    def ask(mechanism: Any, prefixes: Integers, candidates: Integers) -> Tally:
        tally: Tally = mechanism.tally(mechanism.privatize(prefixes, rng), candidates)
        return tally

    depths, wanted, kept = _checked(num_bits, symbol_bits, top_k, keep)
    given = _checks.values(values, 1 << depths[-1])
    return _grow(given, depths, _checks.epsilon(epsilon), _checks.rng(rng), wanted, kept, ask)


def simulate_trie(
    values: npt.ArrayLike,
    num_bits: int,
    epsilon: float,
    rng: np.random.Generator,
    *,
    top_k: int,
    symbol_bits: int = 4,
    keep: int | None = None,
) -> HeavyHitters:
    """Do as :func:`priv_trie`, but draw the counts of every batch without making its reports.

    Each count has its exact law; counts of different candidates are drawn independent.

    Parameters
    ----------
    values, num_bits, epsilon, rng, top_k, symbol_bits, keep
        As for :func:`priv_trie`.

    Returns
    -------
    HeavyHitters

    Raises
    ------
    TypeError, ValueError
        As :func:`priv_trie`.

    Examples
    --------
    >>> users = np.repeat([2**23, 12345], [60_000, 40_000])
    >>> simulate_trie(users, 24, 3.0, np.random.default_rng(1), top_k=2).values
    array([8388608,   12345])
    """

    def ask(mechanism: Any, prefixes: Integers, candidates: Integers) -> Tally:
        codes, users = sums(prefixes, np.ones(prefixes.size, dtype=np.int64))
        return drawn_tally(mechanism, codes, users, candidates, rng)

    depths, wanted, kept = _checked(num_bits, symbol_bits, top_k, keep)
    given = _checks.values(values, 1 << depths[-1])
    return _grow(given, depths, _checks.epsilon(epsilon), _checks.rng(rng), wanted, kept, ask)


def _grow(
    values: Integers,
    depths: list[int],
    epsilon: float,
    rng: np.random.Generator,
    top_k: int,
    keep: int,
    ask: Ask,
) -> HeavyHitters:
    if values.size < len(depths):
        raise ValueError(
            f"values must be at least one for each of {len(depths)} levels, got {values.size}."
        )
    waiting = values[rng.permutation(values.size)]
    survivors, depth, seen = np.zeros(1, dtype=np.int64), 0, []
    for i, deeper in enumerate(depths):
        last = i == len(depths) - 1
        mechanism, view = WideHashing(deeper, epsilon), Prefix(depths[-1], deeper)
        candidates = np.concatenate(list(extensions(survivors, deeper - depth)))
        share = waiting.size // (len(depths) - i)
        tally, asked = _ask_level(mechanism, view, waiting, candidates, share, keep, last, ask)
        waiting = waiting[asked:]
        one = _round(deeper, mechanism, tally, candidates, top_k if last else keep, last)
        depth, survivors = deeper, one.tally.candidates  # type: ignore[assignment]
        seen.append(one)
    return HeavyHitters(survivors, debias(seen[-1].tally, seen[-1].mechanism), tuple(seen))


def _ask_level(
    mechanism: Any,
    view: Prefix,
    waiting: Integers,
    candidates: Integers,
    share: int,
    keep: int,
    last: bool,
    ask: Ask,
) -> tuple[Tally, int]:
    """Ask users from the front of the queue; return the tally and how many have been asked."""
    if last:
        return ask(mechanism, view(waiting), candidates), waiting.size
    tally, asked, size = None, 0, -(-share // _BATCHES)
    while asked < share:
        batch = waiting[asked : min(asked + size, share)]
        more = ask(mechanism, view(batch), candidates)
        tally, asked = more if tally is None else tally + more, asked + batch.size
        if _clear(tally, mechanism, keep):
            break
    assert tally is not None
    return tally, asked


def _clear(tally: Tally, mechanism: Any, keep: int) -> bool:
    """Whether the last survivor is well above the next candidate."""
    if tally.counts.size <= keep:
        return True
    best = np.sort(debias(tally, mechanism))[::-1]
    spread = float(np.sqrt(variance(mechanism, tally.num_reports)))
    return bool(best[keep - 1] - best[keep] >= _CLEAR * spread)


def _round(
    depth: int, mechanism: Any, tally: Tally, candidates: Integers, size: int, fixed: bool
) -> Round:
    best, total, users = best_of(iter([candidates]), lambda _: tally, size)
    return made_round(depth, mechanism, best, total, users, fixed=fixed)


def _checked(
    num_bits: int, symbol_bits: int, top_k: int, keep: int | None
) -> tuple[list[int], int, int]:
    bits = _checks.integer(num_bits, "num_bits", 1, MOST_BITS)
    step = _checks.integer(symbol_bits, "symbol_bits", 1, bits)
    if bits % step:
        raise ValueError(f"symbol_bits must divide the {bits} bits, got {step}.")
    wanted, kept = check_sizes(top_k, keep, 4)
    depths = list(range(step, bits + 1, step))
    check_lists(depths, kept)
    return depths, wanted, kept
