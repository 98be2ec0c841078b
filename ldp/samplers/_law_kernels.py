"""Compiled loops over many laws: arrays in, arrays out, no randomness inside.

Each has a slow twin of a few lines in ``tests/test_law_kernels.py``.
"""

from typing import Any

import numpy as np

from ldp._compiled import compiled

# Laws are multiplied by it, so that the factor of a law fits into float64 even where the law's
# masses do not reach 1e-300: with masses m from 2**-1074 to 1 and windows w from 2**-64 to 1 the
# quotients w / m lie between 2**-564 and 2**574.
_SHIFT = 2.0**500
_STEPS = 200  # far more than are needed: some ten halve the exponent's range, then Newton ends


@compiled
def clipped_sum(law: Any, lower: Any, upper: Any, factor: Any) -> tuple[Any, Any]:
    """Sum of the ends at which clipped masses lie, and of the masses that are not clipped."""
    fixed = 0.0
    free = 0.0
    for x in range(law.size):
        mass = law[x] * _SHIFT
        scaled = factor * mass
        if scaled <= lower[x]:
            fixed += lower[x]
        elif scaled >= upper[x]:
            fixed += upper[x]
        else:
            free += mass
    return fixed, free


@compiled
def clipping_factor(law: Any, lower: Any, upper: Any) -> Any:
    """Find the c for which clip(c law, lower, upper) sums to 1; infinite if it never does.

    The sum rises with c, in straight pieces: Newton's step on the piece at hand, and the middle of
    the exponents where that step would leave the bracket.
    """
    least = np.inf
    largest = 0.0
    full = 0.0
    for x in range(law.size):
        if law[x] > 0:
            least = min(least, lower[x] / (law[x] * _SHIFT))
            largest = max(largest, upper[x] / (law[x] * _SHIFT))
            full += upper[x]
        else:
            full += lower[x]
    if full <= 1.0:
        return np.inf
    factor = min(max(1.0 / _SHIFT, least), largest)
    for _ in range(_STEPS):
        fixed, free = clipped_sum(law, lower, upper, factor)
        if fixed + factor * free > 1.0:
            largest = factor
        else:
            least = factor
        step = (1.0 - fixed) / free if free > 0 else 0.0
        if abs(step - factor) <= 2.0**-50 * factor:
            return step
        if not least < step < largest:
            step = np.sqrt(least) * np.sqrt(largest)
        if step in (least, largest):  # no number lies between them
            return step
        factor = step
    return factor


@compiled
def project(laws: Any, lower: Any, upper: Any, out: Any) -> None:
    """Write the closest law between `lower` and `upper` to each law.

    Where the values that a law can take are full, the others share what is left, each by the same
    part of the way from its lower to its upper end.
    """
    for i in range(laws.shape[0]):
        factor = clipping_factor(laws[i], lower, upper)
        if np.isinf(factor):
            rest = 1.0
            room = 0.0
            for x in range(lower.size):
                rest -= upper[x] if laws[i, x] > 0 else lower[x]
                room += 0.0 if laws[i, x] > 0 else upper[x] - lower[x]
            part = min(max(rest / room, 0.0), 1.0) if room > 0 else 0.0
            for x in range(lower.size):
                filled = lower[x] + part * (upper[x] - lower[x])
                out[i, x] = upper[x] if laws[i, x] > 0 else filled
        else:
            for x in range(lower.size):
                scaled = factor * (laws[i, x] * _SHIFT)
                out[i, x] = min(max(scaled, lower[x]), upper[x])


@compiled
def integer_weights(laws: Any, low: Any, high: Any, out: Any) -> None:
    """Round laws to weights between two integers; what is missing from 2**64 goes where it fits."""
    for i in range(laws.shape[0]):
        rest = np.uint64(0)  # 2**64 minus the sum, which is small: 64 bits wrap around to it
        for x in range(low.size):
            scaled = laws[i, x] * 2.0**64
            weight = high[x]
            if scaled < 2.0**64:
                weight = min(max(np.uint64(scaled), low[x]), high[x])
            out[i, x] = weight
            rest -= weight
        missing = np.int64(rest)
        for x in range(low.size):
            if missing > 0:
                moved = min(np.uint64(missing), high[x] - out[i, x])
                out[i, x] += moved
                missing -= np.int64(moved)
            elif missing < 0:
                moved = min(np.uint64(-missing), out[i, x] - low[x])
                out[i, x] -= moved
                missing += np.int64(moved)


@compiled
def draw(weights: Any, random_words: Any, reports: Any) -> None:
    """Find the value whose run of words holds the word; runs lie in the order of the values."""
    for i in range(reports.size):
        word = random_words[i]
        x = 0
        while word >= weights[i, x]:
            word -= weights[i, x]
            x += 1
        reports[i] = x
