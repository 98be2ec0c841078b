"""Compiled loops of reports that are affine maps modulo a prime."""

from typing import Any

import numpy as np

from ldp._compiled import compiled
from ldp.mechanisms.tickets import draw_point


@compiled
def draw_cells(
    values: Any, random_words: Any, numbers: Any, prime: Any, first_slope: Any, out: Any
) -> None:
    """Draw a slope a and a shift s = t - a x, where t is below the window for the own tickets.

    `random_words` and `numbers` are what `Tickets.words` and `Tickets.numbers` give.
    """
    # No branch and no division of integers, whose durations would tell of the value.
    inverse = 1.0 / prime
    for i in range(values.size):
        row, place = draw_point(random_words[i], *numbers)
        shift = place + (row + first_slope) * (prime - values[i])
        shift -= np.int64(shift * inverse) * prime  # or prime, where the quotient is one too low
        shift -= prime & ((prime - 1 - shift) >> 63)
        out[i] = row * prime + shift


@compiled
def add_windows(table: Any, first_slope: Any, window: Any, counts: Any) -> None:
    """Add to counts[x] the reports (a, s) of a table with (a x + s) mod prime below the window."""
    num_rows, prime = table.shape
    sums = np.empty(prime, dtype=np.int64)
    for row in range(num_rows):
        total = np.int64(0)
        for s in range(window):
            total += np.int64(table[row, s])
        for s in range(prime - window):
            sums[s] = total  # of the shifts s .. s + window - 1
            total += np.int64(table[row, s + window]) - np.int64(table[row, s])
        for s in range(prime - window, prime):
            sums[s] = total
            total += np.int64(table[row, s + window - prime]) - np.int64(table[row, s])
        first = 0
        for x in range(counts.size):
            counts[x] += sums[first]
            first -= row + first_slope
            first += prime & (first >> 63)
