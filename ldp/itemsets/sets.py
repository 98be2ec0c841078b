"""Sets of items, one for each user, held flat."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._frozen import freeze
from ldp.types import Array, Integers

MOST = 2**31 - 1  # items, cells of a padded set
_KINDS = (list, tuple, set, frozenset, range, np.ndarray)


@dataclass(frozen=True, init=False, eq=False)
class ItemSets:
    r"""A set of items for each user: all items in one array, and how many of them each user has.

    Parameters
    ----------
    items : array_like, shape (m,)
        The items 0..num_items-1 of the first user, then those of the second, and so on. They are
        kept in increasing order within each set.
    lengths : array_like, shape (n,)
        How many items each user has; none is allowed. They sum to m.
    num_items : int
        Number :math:`d\ge1` of items there are.

    Raises
    ------
    TypeError, ValueError
        If an item is outside or stands twice in a set, or the lengths do not sum to m.

    Examples
    --------
    >>> sets = ItemSets.of([[0, 2], [], [2, 1, 0]], num_items=3)
    >>> len(sets), sets.lengths, sets.counts()
    (3, array([2, 0, 3]), array([2, 1, 2]))
    >>> sets[2]
    array([0, 1, 2])
    >>> sets[[2, 0]].lengths
    array([3, 2])
    """

    items: Integers
    lengths: Integers
    num_items: int

    def __init__(self, items: npt.ArrayLike, lengths: npt.ArrayLike, num_items: int) -> None:
        size = _checks.integer(num_items, "num_items", 1, MOST)
        given = _checks.integers_below(items, "items", size)
        # No length above the number of items, so that their sum cannot wrap around.
        sizes = _checks.integers_below(lengths, "lengths", given.size + 1).copy()
        if sizes.sum() != given.size:
            raise ValueError(f"lengths must sum to the {given.size} items, got {sizes.sum()}.")
        first = np.repeat(np.arange(sizes.size) * size, sizes)
        keys = first + given
        keys.sort()
        twice = np.flatnonzero(keys[1:] == keys[:-1])
        if twice.size:
            user, item = divmod(int(keys[twice[0]]), size)
            raise ValueError(
                f"items must not stand twice in a set, got item {item} twice in set {user}."
            )
        _fill(self, keys - first, sizes, size)

    @classmethod
    def of(cls, lists: Iterable[Any], *, num_items: int) -> "ItemSets":
        """Make sets of lists of items, one list for each user.

        Parameters
        ----------
        lists : iterable of lists, tuples, ranges, arrays or sets of int
        num_items : int

        Returns
        -------
        ItemSets
        """
        rows = _rows(lists)
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        return cls(list(chain.from_iterable(rows)), lengths, num_items)

    @classmethod
    def every(cls, num_items: int) -> "ItemSets":
        r"""Make all :math:`2^d` sets of at most 16 items; set b holds item v if bit v of b is one.

        They are the rows of a mechanism's ``channel``, in this order.
        """
        size = _checks.integer(num_items, "num_items", 1, 16)
        held = np.arange(2**size)[:, None] >> np.arange(size) & 1
        return cls(np.nonzero(held)[1], held.sum(axis=1), size)

    def __len__(self) -> int:
        """Number of users."""
        return self.lengths.size

    def __iter__(self) -> Iterator[Integers]:
        """Go through the users' items."""
        for start, length in zip(self.starts.tolist(), self.lengths.tolist(), strict=True):
            yield self.items[start : start + length]

    @property
    def starts(self) -> Integers:
        """Where each user's items start."""
        starts: Integers = np.cumsum(self.lengths) - self.lengths
        return starts

    def __getitem__(self, users: Any) -> Any:
        """Return the items of one user, or the sets of several: a slice, a mask or numbers."""
        everyone = np.arange(len(self))
        if isinstance(users, slice):
            chosen = everyone[users]
        else:
            asked = _checks.plain_array(users, "users")
            if asked.dtype == np.bool_ and asked.shape == everyone.shape:
                chosen = everyone[asked]
            elif asked.ndim == 0:
                (user,) = self._numbers(asked[None])
                first = int(self.starts[user])
                return self.items[first : first + int(self.lengths[user])]
            else:
                chosen = self._numbers(asked)
        lengths = self.lengths[chosen]
        # Of an item of a chosen user: where it was, and where it comes to stand.
        moved = self.starts[chosen] - (np.cumsum(lengths) - lengths)
        items = self.items[np.arange(lengths.sum()) + np.repeat(moved, lengths)]
        return _fill(object.__new__(ItemSets), items, lengths, self.num_items)

    def _numbers(self, users: Array) -> Integers:
        given = _checks.integers(users, "users")
        n = len(self)
        wrong = given[(given < -n) | (given >= n)]
        if wrong.size:
            raise IndexError(f"users must be below the {n} there are, got {wrong[0]}.")
        return given

    def restrict(self, candidates: npt.ArrayLike) -> "ItemSets":
        """Keep of each set the candidates, numbered by their places among the candidates.

        Parameters
        ----------
        candidates : array_like of int
            Distinct items.

        Returns
        -------
        ItemSets
            As many users, of ``len(candidates)`` items.

        Examples
        --------
        >>> ItemSets.of([[0, 2], [3]], num_items=4).restrict([2, 0])[0]
        array([0, 1])
        """
        asked = _checks.integers_below(candidates, "candidates", self.num_items)
        if not 0 < asked.size == np.unique(asked).size:
            raise ValueError(f"candidates must be distinct items, got {_checks.shown(candidates)}.")
        places = np.full(self.num_items, -1)
        places[asked] = np.arange(asked.size)
        found = places[self.items]
        owners = np.repeat(np.arange(len(self)), self.lengths)[found >= 0]
        lengths = np.bincount(owners, minlength=len(self))
        return ItemSets(found[found >= 0], lengths, asked.size)

    def counts(self) -> Integers:
        """Count the users who hold each item."""
        return np.bincount(self.items, minlength=self.num_items)

    def sizes(self) -> Integers:
        """Count the users who hold 0, 1, 2, ... items."""
        return np.bincount(self.lengths, minlength=1)

    def __reduce__(self) -> tuple[type["ItemSets"], tuple[object, ...]]:
        """Let a copy be made and checked anew: pickled arrays would come back writable."""
        return ItemSets, (self.items, self.lengths, self.num_items)

    def __repr__(self) -> str:
        """Show how many there are of what."""
        return (
            f"ItemSets({len(self)} sets of {self.num_items} items, {self.items.size} items in all)"
        )


def check_sets(given: Any, num_items: int | None = None) -> ItemSets:
    """Return sets, of a mechanism's items if their number is given, or refuse them."""
    if not isinstance(given, ItemSets):
        raise TypeError(f"sets must be ItemSets, got {_checks.shown(given)}.")
    if num_items is not None and given.num_items != num_items:
        raise ValueError(f"sets must be of {num_items} items, got {given.num_items}.")
    return given


def _rows(lists: Iterable[Any]) -> list[Any]:
    rows = list(lists) if isinstance(lists, Iterable) else [lists]
    for row in rows:
        if not isinstance(row, _KINDS):
            raise TypeError(f"lists must hold a list for each user, got {_checks.shown(row)}.")
    return rows


def _fill(made: ItemSets, items: Integers, lengths: Integers, num_items: int) -> ItemSets:
    items.flags.writeable = lengths.flags.writeable = False
    freeze(made, items=items, lengths=lengths, num_items=num_items)
    return made
