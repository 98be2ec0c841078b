"""Compiled loops over sets: arrays in, arrays out, no randomness inside.

Each has a slow twin of a few lines in ``tests/test_itemsets_kernels.py``.
"""

from typing import Any

import numpy as np

from ldp._compiled import compiled


@compiled
def _below(word: Any, bound: Any) -> Any:
    """High half of the product of a word and a bound below 2**32: uniform in 0..bound-1."""
    high = (word >> np.uint64(32)) * bound
    low = ((word & np.uint64(0xFFFFFFFF)) * bound) >> np.uint64(32)
    return np.int64((high + low) >> np.uint64(32))


@compiled
def _uneven(word: Any, bound: Any) -> Any:
    """Whether `_below` must leave out the word: 2**64 mod bound words make some numbers likelier.

    The remainder is taken only of the few words for which it can matter.
    """
    low = word * bound
    return low < bound and low < (np.uint64(0) - bound) % bound


@compiled
def draw_cells(
    starts: Any, lengths: Any, items: Any, random_words: Any, num_items: Any, length: Any, out: Any
) -> None:
    """Draw one cell of each padded set, uniformly; -1 where the word is uneven."""
    for i in range(lengths.size):
        size = lengths[i]
        bound = np.uint64(max(size, length))
        place = _below(random_words[i], bound)
        if _uneven(random_words[i], bound):
            out[i] = -1
        elif place < size:
            out[i] = items[starts[i] + place]
        else:
            out[i] = num_items + place - size


@compiled
def _own_cells(
    start: Any,
    size: Any,
    items: Any,
    random_words: Any,
    num_items: Any,
    length: Any,
    cells: Any,
    uneven: Any,
) -> Any:
    """Write the cells of one padded or cut set; mark uneven words and return how many there are."""
    if size <= length:
        for k in range(size):
            cells[k] = items[start + k]
        for k in range(size, length):
            cells[k] = num_items + k - size
        return 0
    count = 0
    for k in range(length):  # Floyd: a uniform one of the first, or the last if it is in already
        last = size - length + k
        bound = np.uint64(last + 1)
        place = _below(random_words[k], bound)
        uneven[k] = _uneven(random_words[k], bound)
        count += uneven[k]
        item = items[start + place]
        for before in range(k):
            if cells[before] == item:
                item = items[start + last]
                break
        cells[k] = item
    return count


@compiled
def _replacement(place: Any, cells: Any, num_excluded: Any, num_left: Any) -> Any:
    """Return the cell that stands for an excluded one below `num_left`.

    The excluded cells below it, in order, stand for those from it on that are not excluded.
    """
    rank = 0
    for k in range(num_excluded):
        rank += cells[k] < place
    cell = num_left
    while True:
        free = True
        for k in range(num_excluded):
            free &= cells[k] != cell
        if free and rank == 0:
            return cell
        rank -= free
        cell += 1


@compiled
def draw_sets(
    starts: Any,
    lengths: Any,
    items: Any,
    random_words: Any,
    hits: Any,
    num_items: Any,
    subset_size: Any,
    out: Any,
    uneven: Any,
) -> Any:
    """Draw the report of :class:`ldp.itemsets.SetSelection` of each set, in no order.

    Of each row the first word says which own cell is the first in the report, if any: cell i for
    the words from hits[i - 1] to hits[i]. The next `length` cut the set. Each other draws a cell
    among those that are left. Marks words that make some numbers likelier; returns how many.
    """
    length = hits.size
    num_cells = num_items + length
    cells = np.empty(length, dtype=np.int64)
    places = np.empty(subset_size, dtype=np.int64)
    taken = np.zeros((num_cells >> 6) + 1, dtype=np.uint64)
    own = np.zeros((num_cells >> 6) + 1, dtype=np.uint64)
    one = np.uint64(1)
    count = 0
    for i in range(lengths.size):
        uneven[i] = False
        count += _own_cells(
            starts[i],
            lengths[i],
            items,
            random_words[i, 1:],
            num_items,
            length,
            cells,
            uneven[i, 1:],
        )
        first = 0
        while first < length and random_words[i, 0] >= hits[first]:
            first += 1
        hit = first < length
        num_excluded = first + hit
        for k in range(num_excluded):
            own[cells[k] >> 6] |= one << np.uint64(cells[k] & 63)
        num_left, size = num_cells - num_excluded, subset_size - hit
        for draw in range(size):
            last = num_left - size + draw
            bound = np.uint64(last + 1)
            word = random_words[i, 1 + length + draw]
            place = _below(word, bound)
            if _uneven(word, bound):
                uneven[i, 1 + length + draw] = True
                count += 1
            if taken[place >> 6] >> np.uint64(place & 63) & one:
                place = last
            taken[place >> 6] |= one << np.uint64(place & 63)
            places[draw] = place
            cell = place
            if own[place >> 6] >> np.uint64(place & 63) & one:
                cell = _replacement(place, cells, num_excluded, num_left)
            out[i, draw] = cell
        if hit:
            out[i, size] = cells[first]
        for draw in range(size):
            taken[places[draw] >> 6] = np.uint64(0)
        for k in range(num_excluded):
            own[cells[k] >> 6] = np.uint64(0)
    return count


@compiled
def count_rising(rows: Any, counts: Any) -> Any:
    """Count the cells of rows; return the first row that does not rise within bounds, or -1."""
    size = counts.size
    for i in range(rows.shape[0]):
        before = np.int64(-1)
        for k in range(rows.shape[1]):
            cell = np.int64(rows[i, k])
            if cell <= before or cell >= size:
                return i
            counts[cell] += 1
            before = cell
    return -1
