"""Find frequent values by walking from short prefixes to long ones."""

import numpy as np
import numpy.typing as npt

from ldp.assigned import Assigned
from ldp.heavy_hitters._counting import Reports, counted, drawn
from ldp.heavy_hitters._walk import check_sizes, prefix_parts, walk
from ldp.heavy_hitters.result import HeavyHitters


def find_prefixes(
    reports: Reports, rounds: Assigned, *, top_k: int, keep: int | None = None
) -> HeavyHitters:
    """Find the most frequent values from reports of prefixes.

    The first round's candidates are all prefixes of its depth; each later round's are the
    continuations of the survivors, those `keep` candidates of the round before that have most
    support. The last round returns the best `top_k`. Nothing is drawn, and only the last round's
    counts become estimates.

    Parameters
    ----------
    reports : AssignedReports or sequence of them
        Reports of the users; those of several machines give the same result bit by bit.
    rounds : Assigned
        What :func:`prefix_rounds` made.
    top_k : int
        How many values are wanted.
    keep : int, optional
        How many prefixes survive a round but the last, ``4 * top_k`` by default. The number of
        them times two to the bits of a step is at most 2**26.

    Returns
    -------
    HeavyHitters

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said, or nobody answered in some round.

    Examples
    --------
    >>> from ldp.heavy_hitters import prefix_rounds
    >>> rng = np.random.default_rng(1)
    >>> users = np.append(np.repeat([2**47, 12345], 2000), rng.integers(0, 2**48, 6000))
    >>> rounds = prefix_rounds(48, 3.0, depths=(12, 24, 36, 48))
    >>> found = find_prefixes(rounds.privatize(users, rng), rounds, top_k=2)
    >>> sorted(found.values.tolist())
    [12345, 140737488355328]
    """
    wanted, kept = check_sizes(top_k, keep, 4)
    return walk(prefix_parts(rounds, kept), counted(rounds, reports), wanted, kept)


def simulate_prefixes(
    values: npt.ArrayLike,
    counts: npt.ArrayLike,
    rounds: Assigned,
    rng: np.random.Generator,
    *,
    top_k: int,
    keep: int | None = None,
) -> HeavyHitters:
    """Find the most frequent values from counts that are drawn without making reports.

    The users of every value fall on the rounds as they do in truth, and each count has its exact
    law. Counts of different candidates are drawn independent, which those of a pairwise independent
    hash are only in pairs: see :meth:`ldp.WideHashing.simulate`. Millions of users cost no more
    than a few.

    Parameters
    ----------
    values : array_like of int, shape (m,)
        Different values.
    counts : array_like of int, shape (m,)
        How many users hold each.
    rounds, top_k, keep
        As for :func:`find_prefixes`.
    rng : numpy.random.Generator

    Returns
    -------
    HeavyHitters

    Raises
    ------
    TypeError, ValueError
        As :func:`find_prefixes`.

    Examples
    --------
    >>> from ldp.heavy_hitters import prefix_rounds
    >>> rounds = prefix_rounds(48, 3.0)
    >>> rng = np.random.default_rng(1)
    >>> found = simulate_prefixes([7, 2**40], [10**6, 10**6], rounds, rng, top_k=2)
    >>> sorted(found.values.tolist())
    [7, 1099511627776]
    """
    wanted, kept = check_sizes(top_k, keep, 4)
    return walk(prefix_parts(rounds, kept), drawn(rounds, values, counts, rng), wanted, kept)
