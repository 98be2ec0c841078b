"""Bits of any probability, and Laplace noise on the integers, both exact: no digit is dropped.

A bit is one when a random number in [0, 1) lies below its probability c. Both are compared digit
by digit, until they differ; so c need not be a multiple of anything, and is given by as many of
its binary digits as the comparison asks for.
"""

import math
from collections.abc import Callable
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from ldp import _noise_kernels
from ldp._words import Words, words
from ldp.types import Integers

Digits = Callable[[int], int]
"""A probability c below 1, as the function that returns floor(c 2**n) for every n."""

_FIRST, _NEXT = 8, 64  # binary digits compared for 64 numbers at once, then for each alone
_RARE = 8  # what happens with chance exp(-8) or less is treated number by number
_NEVER = 45  # exp(-45) is below 2**-64


def multiple(least: np.uint64) -> Digits:
    """Digits of least / 2**64."""
    return lambda n: (int(least) << n) >> 64


def exponential(x: Fraction) -> Digits:
    """Digits of exp(-x), for x from 0 (not included) to 100."""
    return _digits_of(lambda decimal: (-decimal).exp(), x)


def growth(x: Fraction) -> Digits:
    """Digits of exp(x), a number above 1, for x from 0 (not included) to 100."""
    return _digits_of(Decimal.exp, x)


def logistic(x: Fraction) -> Digits:
    """Digits of 1 / (1 + exp(x)), for x from 0 to 100."""
    return _digits_of(lambda decimal: 1 / (1 + decimal.exp()), x)


def _digits_of(function: Callable[[Decimal], Decimal], x: Fraction) -> Digits:
    # Neither function is rational at a rational x > 0, so some precision always tells the floor.
    def floor(n: int) -> int:
        precision = 12 + 3 * n // 10
        while True:
            with localcontext(Context(prec=precision)):
                about = function(Decimal(x.numerator) / x.denominator) * 2**n
                error = about.scaleb(5 - precision)  # rounding: below 1e3 units of the last place
                low, high = int(about - error), int(about + error)
            if low == high:
                return low
            precision *= 2

    return floor


def draw_bits(out: Words, chance: Digits, rng: np.random.Generator) -> None:
    """Fill words with independent bits, each one with exactly that chance."""
    first = chance(_FIRST)
    lanes = np.array([-(first >> k & 1) for k in reversed(range(_FIRST))]).astype(np.uint64)
    undecided = np.empty_like(out)
    _noise_kernels.compare_bits(words(rng, (_FIRST, out.size)), lanes, out, undecided)
    rest = words(rng, int(np.bitwise_count(undecided).sum(dtype=np.int64)))
    if rest.size:
        _noise_kernels.decide_rest(out, undecided, _below(rest, chance, _FIRST, rng))


def _below(
    numbers: Words, chance: Digits, known: int, rng: np.random.Generator
) -> npt.NDArray[np.bool_]:
    """Say which numbers lie below, given by their digits after the `known` ones, which agree."""
    digits = np.uint64(chance(known + _NEXT) & (2**_NEXT - 1))
    below = numbers < digits
    for tie in np.flatnonzero(numbers == digits):  # one in 2**64
        below[tie] = _below(words(rng, 1), chance, known + _NEXT, rng)[0]
    return below


def _bits(chance: Digits, size: int, rng: np.random.Generator) -> Words:
    bits = np.empty(-(-size // 64), dtype=np.uint64)
    draw_bits(bits, chance, rng)
    return bits


def reach(decay: float) -> int:
    """Return a power of two that noise of such a decay passes less than once in 2**64 draws."""
    return 1 << max(0, math.ceil(math.log2(_NEVER / decay)))


def laplace(decay: Fraction, size: int, most: int, rng: np.random.Generator) -> Integers:
    r"""Draw integers with :math:`\Pr[Z=k]=\frac{1-\alpha}{1+\alpha}\alpha^{|k|}`, exactly.

    Here :math:`\alpha=e^{-\text{decay}}`. Z is G, or -1 - G with odds alpha, where
    :math:`\Pr[G\ge k]=\alpha^k`. The binary digits of G are independent, digit j one with odds
    :math:`\alpha^{2^j}`. From a certain 2^J on G is drawn otherwise: it passes 2^J with chance
    :math:`\alpha^{2^J}`, and then starts anew. A G above `most` may be any number above it.
    """
    num_digits = max(0, math.ceil(math.log2(_RARE / decay)))
    numbers = np.zeros(-(-size // 64) * 64, dtype=np.int64)
    for digit in range(num_digits):
        _noise_kernels.add_digit(_bits(logistic(decay * 2**digit), size, rng), digit, numbers)
    passes, beyond = exponential(decay * 2**num_digits), np.arange(size)
    while beyond.size:
        coins = _bits(passes, beyond.size, rng).view(np.uint8)
        coins = np.unpackbits(coins, count=beyond.size, bitorder="little")
        beyond = beyond[np.flatnonzero(coins)]
        numbers[beyond] += 2**num_digits
        beyond = beyond[numbers[beyond] <= most]
    _noise_kernels.invert(_bits(logistic(decay), size, rng), numbers)
    return numbers[:size]


def add_laplace(points: Integers, top: int, decay: Fraction, rng: np.random.Generator) -> Integers:
    """Add such integers to points from 0 to `top`.

    Sums that go further than `reach` beyond 0 or `top` are put at that end, so that all points have
    the same possible sums.
    """
    far = reach(float(decay))
    sums = points + laplace(decay, points.size, top + far, rng)
    return np.clip(sums, -far, top + far, out=sums)
