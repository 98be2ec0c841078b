"""Random 64-bit words and the integer thresholds they are compared with.

A mechanism draws whole words from the caller's generator and decides by integer comparison, so
that the law of a report is a multiple of 2**-64 that can be written down, with no holes where a
floating-point sampler cannot go.
"""

import math

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]

_MASK = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def words(rng: np.random.Generator, shape: int | tuple[int, ...]) -> Words:
    """Draw uniform 64-bit words."""
    return rng.integers(0, 2**64 - 1, size=shape, dtype=np.uint64, endpoint=True)


def threshold(probability: float) -> np.uint64:
    """Return the T for which ``word < T`` has the given probability, to within 2**-64."""
    return np.uint64(min(math.floor(math.ldexp(probability, 64)), 2**64 - 1))


def uniform_below(random_words: Words, size: int) -> npt.NDArray[np.int64]:
    """Map words to 0..size-1, each with probability 1/size to within 2**-64; size < 2**32.

    This is the high half of the 96-bit product, by schoolbook multiplication.
    """
    factor = np.uint64(size)
    low = (random_words & _MASK) * factor
    high = (random_words >> _HALF) * factor
    return ((high + (low >> _HALF)) >> _HALF).astype(np.int64)
