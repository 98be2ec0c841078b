"""The channel of several independent reports of one value: how often each outcome came."""

import math

import numpy as np
import scipy

from ldp.types import Floats

_MOST_CELLS = 2**24
_ENOUGH = 14  # binomial(28, 14) is above 2**24


def of_counts(matrix: Floats, times: int) -> Floats:
    """Return the channel of the outcomes' counts in `times` reports, like outcomes made one.

    The counts say all that the reports say of the value: their order is chance alone.
    """
    matrix = _merged(matrix)
    num_values, num_outcomes = matrix.shape
    # All that matters of a number beyond the limit is that it is beyond it.
    columns = math.comb(times + num_outcomes - 1, min(times, num_outcomes - 1, _ENOUGH))
    if num_values * columns > _MOST_CELLS:
        raise ValueError(
            f"num_reports must leave at most 2**24 counts of {num_outcomes} different outcomes "
            f"under {num_values} values, got {times}."
        )
    if num_outcomes == 1:
        return np.ones((num_values, 1))
    # A row for each way to count the outcomes so far: reports left, and log-probabilities.
    count = np.arange(times + 1)
    orders = scipy.special.gammaln(count + 1)
    left, logs = np.array([times]), np.full((1, num_values), orders[times])
    for outcome, chances in enumerate(matrix.T):
        least = left if outcome == num_outcomes - 1 else np.zeros_like(left)
        ways = left - least + 1
        parent = np.repeat(np.arange(left.size), ways)
        came = least[parent] + np.arange(parent.size) - (np.cumsum(ways) - ways)[parent]
        each = scipy.special.xlogy(count[:, None], chances) - orders[:, None]
        logs = logs[parent] + each[came]
        left = left[parent] - came
    of_ways: Floats = np.exp(logs, out=logs).T
    return of_ways


def _merged(matrix: Floats) -> Floats:
    """Add up proportional columns, which say the same of the value; drop those that never come."""
    matrix = matrix[:, matrix.any(axis=0)]
    shapes = np.round(matrix / matrix.max(axis=0), 12)
    _, kind = np.unique(shapes, axis=1, return_inverse=True)
    merged = np.zeros((len(matrix), kind.max() + 1))
    np.add.at(merged.T, kind, matrix.T)
    return merged
