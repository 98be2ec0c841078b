"""What estimates from padded sets count a set for that is longer than the padding."""

import numpy as np

from ldp import _checks
from ldp.itemsets.sets import MOST, ItemSets, check_sets
from ldp.types import Floats


def cut_frequencies(sets: ItemSets, length: int) -> Floats:
    r"""Share of users who hold each item, those with more than L items counted for less.

    .. math:: \frac1n\sum_{v\ni x}t_v,\qquad t_v=\min(1,L/|v|).

    It is what :func:`ldp.debias` estimates without bias from padded or cut sets.

    Parameters
    ----------
    sets : ItemSets
        At least one.
    length : int
        :math:`L\ge1`.

    Returns
    -------
    ndarray, shape (d,)

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said.

    Examples
    --------
    >>> cut_frequencies(ItemSets.of([[0], [0, 1, 2, 3]], num_items=4), 2)
    array([0.75, 0.25, 0.25, 0.25])
    """
    kept = _kept(sets, length)
    shares: Floats = np.bincount(sets.items, kept, sets.num_items) / len(sets)
    return shares


def cut_variance(sets: ItemSets, length: int) -> Floats:
    r"""Variance of an estimate beside :func:`ldp.variance`, from sets of more than L items.

    .. math:: \frac1{n^2}\sum_{v\ni x}t_v(1-t_v),\qquad t_v=\min(1,L/|v|).

    The variance given the sets is ``variance(m, n, cut_frequencies(sets, L))`` plus this, exactly.

    Parameters
    ----------
    sets, length
        As for :func:`cut_frequencies`.

    Returns
    -------
    ndarray, shape (d,)

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said.

    Examples
    --------
    >>> cut_variance(ItemSets.of([[0], [0, 1, 2, 3]], num_items=4), 2)
    array([0.0625, 0.0625, 0.0625, 0.0625])
    """
    kept = _kept(sets, length)
    extra: Floats = np.bincount(sets.items, kept * (1 - kept), sets.num_items) / len(sets) ** 2
    return extra


def _kept(sets: ItemSets, length: int) -> Floats:
    """Chance of each item of each set to be among the L that are kept."""
    if not len(check_sets(sets)):
        raise ValueError("sets must be at least one, got none.")
    size = _checks.integer(length, "length", 1, MOST)
    chance = np.minimum(1.0, size / np.maximum(sets.lengths, 1))
    kept: Floats = np.repeat(chance, sets.lengths)
    return kept
