"""Small number theory: primes, divisors, primitive roots, and powers as vectors."""

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt


def is_prime(number: int) -> bool:
    """Whether a number has no divisor but 1 and itself."""
    return number > 1 and all(number % k for k in range(2, math.isqrt(number) + 1))


def primes_from(least: int, most: int) -> Iterator[int]:
    """Primes of a range, in order."""
    return (number for number in range(least, most + 1) if is_prime(number))


def next_prime(least: int) -> int:
    """Return the smallest prime from `least` on; there is one up to its double."""
    return next(primes_from(least, 2 * least))


def prime_factors(number: int) -> list[int]:
    """Return the different primes that divide a number."""
    found, k = [], 2
    while k * k <= number:
        if number % k == 0:
            found.append(k)
            while number % k == 0:
                number //= k
        k += 1
    return found + [number] * (number > 1)


def divisors(number: int) -> list[int]:
    """Return all divisors of a number, in order."""
    small = [k for k in range(1, math.isqrt(number) + 1) if number % k == 0]
    return small + [number // k for k in reversed(small) if k * k != number]


def primitive_root(prime: int) -> int:
    """Return the least number whose powers are all nonzero residues."""
    factors = prime_factors(prime - 1)
    return next(
        root
        for root in range(1, prime)
        if all(pow(root, (prime - 1) // factor, prime) != 1 for factor in factors)
    )


@lru_cache(maxsize=16)
def class_order(prime: int, num_classes: int) -> npt.NDArray[np.int32]:
    """Return the nonzero residues by class: class k has the powers k, k + e, ... of a root.

    Those whose discrete logarithms agree modulo the number e of classes, which divides prime - 1.
    """
    powers, root = np.ones(1, dtype=np.int64), primitive_root(prime)
    while powers.size < prime - 1:
        powers = np.append(powers, powers * pow(root, powers.size, prime) % prime)
    order = powers[: prime - 1].reshape(-1, num_classes).T.astype(np.int32).ravel()
    order.flags.writeable = False
    return order
