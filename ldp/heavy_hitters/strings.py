"""Find frequent values by joining frequent pairs of their pieces."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import numpy.typing as npt

from ldp.assigned import Assigned
from ldp.heavy_hitters import _walk
from ldp.heavy_hitters._counting import Reports, counted, drawn
from ldp.heavy_hitters.result import HeavyHitters
from ldp.heavy_hitters.views import Prefix, SegmentPair
from ldp.types import Integers

_MOST_STRINGS = 2**20
Pairs = dict[tuple[int, int], Integers]


def find_strings(
    reports: Reports, rounds: Assigned, *, top_k: int, keep: int | None = None
) -> HeavyHitters:
    r"""Find the most frequent values from reports of pairs of pieces.

    In each group of users all :math:`2^{2w}` pairs of pieces of :math:`w` bits are counted and the
    best `keep` of them survive. A value is a candidate if all its pairs have survived. The last
    group, which was asked for whole values, counts the candidates.

    Parameters
    ----------
    reports, top_k
        As for :func:`find_prefixes`.
    rounds : Assigned
        What :func:`segment_pairs` made.
    keep : int, optional
        How many pairs survive in each group, ``2 * top_k`` by default.

    Returns
    -------
    HeavyHitters
        Possibly fewer values than `top_k`, or none. Its one round is the last group's: frequent
        values may be missing without a trace, so ``upper`` refuses it.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said, nobody answered in some group, or more than 2**20 strings
        have only pairs that survived.

    Examples
    --------
    >>> from ldp.heavy_hitters import segment_pairs
    >>> rng = np.random.default_rng(1)
    >>> users = np.append(np.repeat([2**23, 12345], 4000), rng.integers(0, 2**24, 2000))
    >>> rounds = segment_pairs(24, 3.0, num_segments=4)
    >>> find_strings(rounds.privatize(users, rng), rounds, top_k=2).values
    array([8388608,   12345])

    References
    ----------
    ``fanti2016building``, from which the idea of joining pairs is taken.
    """
    wanted, kept = _walk.check_sizes(top_k, keep, 2)
    views, last = _pairs_and_whole(rounds)
    return _join(views, last, counted(rounds, reports), wanted, kept)


def simulate_strings(
    values: npt.ArrayLike,
    counts: npt.ArrayLike,
    rounds: Assigned,
    rng: np.random.Generator,
    *,
    top_k: int,
    keep: int | None = None,
) -> HeavyHitters:
    """Do as :func:`find_strings`, from counts that are drawn as :func:`simulate_prefixes` draws.

    Parameters
    ----------
    values, counts : array_like of int, shape (m,)
        Different values, and how many users hold each.
    rounds, top_k, keep
        As for :func:`find_strings`.
    rng : numpy.random.Generator

    Returns
    -------
    HeavyHitters

    Raises
    ------
    TypeError, ValueError
        As :func:`find_strings`.

    Examples
    --------
    >>> from ldp.heavy_hitters import segment_pairs
    >>> rounds, rng = segment_pairs(24, 3.0, num_segments=4), np.random.default_rng(1)
    >>> simulate_strings([5, 9], [60_000, 40_000], rounds, rng, top_k=2).values
    array([5, 9])
    """
    wanted, kept = _walk.check_sizes(top_k, keep, 2)
    views, last = _pairs_and_whole(rounds)
    return _join(views, last, drawn(rounds, values, counts, rng), wanted, kept)


def _join(
    views: list[SegmentPair], last: _walk.PrefixPart, count: _walk.Count, top_k: int, keep: int
) -> HeavyHitters:
    root, pairs = np.zeros(1, dtype=np.int64), {}
    for i, view in enumerate(views):
        tiles = _walk.extensions(root, 2 * view.segment_bits)
        best, _, _ = _walk.best_of(tiles, partial(count, i), keep)
        pairs[view.first, view.second] = np.sort(best.codes)
    strings = cliques(pairs, views[0].segment_bits, views[0].num_segments)
    if strings.size == 0:
        return HeavyHitters(strings, np.zeros(0), ())
    best, total, users = _walk.best_of(_tiles(strings), partial(count, len(views)), top_k)
    return _walk.finish(last.view, best.codes, [_walk.made_round(last, best, total, users)])


def cliques(pairs: Pairs, bits: int, num_segments: int) -> Integers:
    """All strings of so many segments whose every pair is among those given, each list sorted."""
    strings = pairs[0, 1]
    for new in range(2, num_segments):
        known = pairs[0, new]
        front = strings >> (bits * (new - 1))
        first = np.searchsorted(known, front << bits)
        sizes = np.searchsorted(known, (front + 1) << bits) - first
        if sizes.sum() > _MOST_STRINGS:
            raise ValueError(
                f"keep must make at most {_MOST_STRINGS} strings of pairs, got {sizes.sum()}."
            )
        place = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        tail = known[np.repeat(first, sizes) + place] & ((1 << bits) - 1)
        strings = np.repeat(strings, sizes) << bits | tail
        for old in range(1, new):
            piece = strings >> (bits * (new - old)) & ((1 << bits) - 1)
            here = strings & ((1 << bits) - 1)
            strings = strings[np.isin(piece << bits | here, pairs[old, new])]
    return np.sort(strings)


def _tiles(candidates: Integers) -> Iterator[Integers]:
    for first in range(0, candidates.size, _walk.TILE):
        yield candidates[first : first + _walk.TILE]


def _pairs_and_whole(rounds: Assigned) -> tuple[list[SegmentPair], _walk.PrefixPart]:
    """Return views that ask for every pair once, and a last part that asks for whole values."""
    mechanism = _walk.counting(rounds)[-1]
    *views, last = [part.view for part in rounds.parts]
    pairs = [view for view in views if isinstance(view, SegmentPair)]
    if pairs and isinstance(last, Prefix) and last.depth == last.num_bits and not last.scattered:
        pieces = pairs[0].num_segments
        asked = {(view.first, view.second) for view in pairs if view.num_segments == pieces}
        if len(asked) == len(pairs) == len(views) == pieces * (pieces - 1) // 2:
            return pairs, _walk.PrefixPart(last, mechanism)
    raise ValueError(
        "rounds must ask for each pair of pieces and for whole values last, "
        "as those of segment_pairs do, got others."
    )
