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
_HAIR = 2.0**-49


def words(rng: np.random.Generator, shape: int | tuple[int, ...]) -> Words:
    """Draw uniform 64-bit words."""
    return rng.integers(0, 2**64 - 1, size=shape, dtype=np.uint64, endpoint=True)


def threshold(probability: float) -> np.uint64:
    """Return the T for which ``word < T`` has the given probability, to within 2**-64."""
    return np.uint64(min(math.floor(math.ldexp(probability, 64)), 2**64 - 1))


def at_most(probability: float) -> np.uint64:
    """Return a threshold just below a probability: for what betrays the own value.

    A float64 probability may be a few units in its last place off; with the own value's chance
    below and every other's above by more than that, the emitted law never exceeds the budget.
    """
    return threshold(probability * (1 - _HAIR))


def at_least(probability: float) -> np.uint64:
    """Return a threshold just above a probability below 1: for what speaks for another value."""
    return np.uint64(math.ceil(math.ldexp(probability * (1 + _HAIR), 64)))


def shared_rest(outside: np.uint64, num_outside: int, num_inside: int) -> np.uint64:
    """Return the equal weight of cells that share what `num_outside` cells of a weight leave."""
    return np.uint64((2**64 - num_outside * int(outside)) // num_inside)


def uniform_below(
    random_words: Words, size: int, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Map words to 0..size-1, each exactly as often; size < 2**32.

    The number is the high half of the product of word and size. Words whose product has a low half
    below 2**64 mod size make some numbers likelier; fresh words take their place, which happens
    once in 2**32 draws or less.
    """
    factor, spare = np.uint64(size), np.uint64(2**64 % size)
    while (uneven := np.flatnonzero(random_words * factor < spare)).size:
        random_words = random_words.copy()
        random_words[uneven] = words(rng, uneven.size)
    # Schoolbook multiplication of 96 bits.
    low = (random_words & _MASK) * factor
    high = (random_words >> _HALF) * factor
    return ((high + (low >> _HALF)) >> _HALF).astype(np.int64)
