"""Compiled sums over the likelihoods of reports, as ``ldp/_kernels.py`` has loops over reports.

Each has a slow twin of a few lines in ``tests/test_kernels.py``.
"""

from typing import Any

import numpy as np

from ldp._compiled import compiled


@compiled
def window_score(theta: Any, shares: Any, odds: Any, window: Any, out: Any) -> Any:
    """Set out[v] to the sum over y of shares[y] * A[y, v] / L[y], in two passes along the line.

    Here A[y, v] is `odds` if v lies in y - window + 1 .. y and 1 otherwise, and L = A @ theta,
    theta summing to one. Return the largest number that was subtracted from another.
    """
    num_cells = shares.size
    # below[y + window] is the sum of theta up to value y, and below[y] the part beyond the window.
    below = np.zeros(num_cells + window)
    total = 0.0
    for j in range(theta.size):
        total += theta[j]
        below[window + j] = total
    below[window + theta.size :] = total
    ratios = np.empty(num_cells)
    for y in range(num_cells):
        ratios[y] = shares[y] / (1.0 + (odds - 1.0) * (below[y + window] - below[y]))
    before = np.zeros(num_cells + 1)
    total = 0.0
    for y in range(num_cells):
        total += ratios[y]
        before[y + 1] = total
    for v in range(theta.size):
        out[v] = total + (odds - 1.0) * (before[v + window] - before[v])
    return (odds - 1.0) * total


@compiled
def byte_sums(rows: Any, table: Any, out: Any) -> None:
    """Set out[i] to the sum over j of table[j, rows[i, j]]."""
    num_rows, width = rows.shape
    for i in range(num_rows):
        total = 0.0
        for j in range(width):
            total += table[j, rows[i, j]]
        out[i] = total


@compiled
def byte_weights(rows: Any, weights: Any, totals: Any) -> None:
    """Add weights[i] to totals[j, rows[i, j]] for every i and j."""
    num_rows, width = rows.shape
    for i in range(num_rows):
        weight = weights[i]
        for j in range(width):
            totals[j, rows[i, j]] += weight
