"""Compiled draws of the users whose reports a value explains; uniforms are passed in."""

from typing import Any

import numpy as np

from ldp._compiled import compiled


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
