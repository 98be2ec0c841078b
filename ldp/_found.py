r"""How good a list of found items is; :mod:`ldp.metrics` offers these functions.

A list is compared with the true list, the most frequent item first. Items are integers, each once.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._scale import power_of_two, scale_back
from ldp.types import Integers


def _list(given: Any, name: str) -> Integers:
    """Return items, of which there is at least one, each once."""
    items = _checks.integers(given, name)
    if items.size == 0:
        raise ValueError(f"{name} must hold at least one item, got none.")
    distinct, times = np.unique(items, return_counts=True)
    if distinct.size < items.size:
        twice = distinct[times.argmax()]
        raise ValueError(f"{name} must hold each item once, got {twice} {times.max()} times.")
    return items


def f1(found: npt.ArrayLike, truth: npt.ArrayLike) -> float:
    r"""Harmonic mean of precision and recall, from 0 to 1.

    .. math:: F_1=\frac{2\,|A\cap B|}{|A|+|B|},

    where :math:`A` is what was found and :math:`B` the truth. Of two lists of one length it is the
    share of the true items that were found.

    Parameters
    ----------
    found, truth : array_like of int
        Items, each once, in any order.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If an argument is empty, holds an item twice, or anything but integers.

    Examples
    --------
    >>> f1([7, 2, 9, 4], [2, 3, 4, 5])
    0.5

    References
    ----------
    ``wang2018itemset``.
    """
    first, second = _list(found, "found"), _list(truth, "truth")
    return 2 * int(np.isin(first, second).sum()) / (first.size + second.size)


def ncr(found: npt.ArrayLike, truth: npt.ArrayLike) -> float:
    r"""Normalised cumulative rank: like recall, but the most frequent items weigh most.

    .. math:: \frac{\sum_{v\in A\cap B}(k+1-\operatorname{rank}(v))}{k(k+1)/2},

    where :math:`A` is what was found and :math:`B` the true list of :math:`k` items, in which an
    item has a rank from 1 to k.

    Parameters
    ----------
    found : array_like of int
        Items, each once, in any order.
    truth : array_like of int
        Items, each once, the most frequent one first.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    TypeError, ValueError
        As :func:`f1`.

    Examples
    --------
    >>> ncr([7, 2, 9, 4], [2, 3, 4, 5])    # (4 + 2) / 10
    0.6

    References
    ----------
    ``wang2018itemset``.
    """
    first, second = _list(found, "found"), _list(truth, "truth")
    weights = np.arange(second.size, 0, -1)
    return int(weights[np.isin(second, first)].sum()) / int(weights.sum())


def found_mse(
    found: npt.ArrayLike, estimates: npt.ArrayLike, truth: npt.ArrayLike, frequencies: npt.ArrayLike
) -> float:
    r"""Mean squared error of the estimates of those true items that were found.

    .. math:: \frac1{|A\cap B|}\sum_{v\in A\cap B}(\hat f_v-f_v)^2

    The sources call it the variance; a bias counts as well.

    Parameters
    ----------
    found : array_like of int
        Items, each once.
    estimates : array_like, as long as `found`
        Estimated frequencies of the found items.
    truth : array_like of int
        True items, each once.
    frequencies : array_like, as long as `truth`
        True frequencies of the true items.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        As :func:`f1`, if an argument is of another length or not finite, or if no true item was
        found.

    Examples
    --------
    >>> found_mse([7, 2], [0.5, 0.25], [2, 3], [0.5, 0.375])
    0.0625

    References
    ----------
    ``wang2018itemset``.
    """
    first, second = _list(found, "found"), _list(truth, "truth")
    guesses = _checks.vector(estimates, "estimates", first.size)
    true = _checks.vector(frequencies, "frequencies", second.size)
    _, here, there = np.intersect1d(first, second, return_indices=True)
    if here.size == 0:
        raise ValueError("found must hold at least one item of truth, got none.")
    scale = power_of_two(guesses, true)
    errors = guesses[here] / scale - true[there] / scale
    return scale_back(float(np.mean(errors**2)), scale, scale)
