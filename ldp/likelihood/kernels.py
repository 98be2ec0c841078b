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


@compiled
def count_supported(
    rows: Any, repeats: Any, table: Any, theta: Any, odds: Any, uniforms: Any, counts: Any
) -> Any:
    """Draw which reports are explained by a value of their support; return how many are not.

    With chance 1 / (1 + (odds - 1) theta(S)) a report is noise; else a value drawn from theta on S
    explains it and is added to `counts`. One uniform number decides both.
    ``table[j, byte]`` is the sum of theta over the ones of that byte at place j.
    """
    num_rows, width = rows.shape
    used = 0
    left = 0
    for i in range(num_rows):
        supported = 0.0
        for j in range(width):
            supported += table[j, rows[i, j]]
        for _ in range(repeats[i]):
            rest = (uniforms[used] * (1 + (odds - 1) * supported) - 1) / (odds - 1)
            used += 1
            found = False
            if rest >= 0:
                j = 0
                while j < width - 1 and rest >= table[j, rows[i, j]]:
                    rest -= table[j, rows[i, j]]
                    j += 1
                byte = np.int64(rows[i, j])
                v = 8 * j
                while byte != 0:
                    if byte & 128:
                        rest -= theta[v]
                        if rest < 0:
                            counts[v] += 1
                            found = True
                            break
                    byte = byte << 1 & 255
                    v += 1
            # Past the end of S by rounding, once in 10**15 draws, is as good as noise.
            left += not found
    return left


@compiled
def count_explained(rows: Any, theta: Any, uniforms: Any, counts: Any) -> Any:
    """Draw which reports are explained by a value; return how many are not.

    With likelihoods L and their least l a report is noise with chance l / (L @ theta); else a value
    drawn from (L - l) theta explains it and is added to `counts`. One uniform number decides both.
    """
    num_rows, domain_size = rows.shape
    left = 0
    for i in range(num_rows):
        least = rows[i, 0]
        for v in range(domain_size):
            least = min(least, rows[i, v])
        total = least
        for v in range(domain_size):
            total += (rows[i, v] - least) * theta[v]
        rest = uniforms[i] * total - least
        found = False
        if rest >= 0:
            for v in range(domain_size):
                rest -= (rows[i, v] - least) * theta[v]
                if rest < 0:
                    counts[v] += 1
                    found = True
                    break
        left += not found  # past the end by rounding: as above
    return left
