"""The public hash functions of sketches: affine maps modulo a prime, cut into buckets."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ldp._compiled import compiled
from ldp._words import uniform_below, words
from ldp.mechanisms.reports import check_reports
from ldp.types import Array, Integers, ReportType

MOST_BUCKETS = 2**31
VALUES_AT_ONCE = 2**12


def collision(prime: int, num_buckets: Any, balanced: bool) -> Any:
    r"""Return the chance that two different values share a bucket of a random function.

    :math:`P` places are cut into :math:`g` buckets of :math:`n=\lfloor P/g\rfloor` places, or one
    more in :math:`r=P\bmod g` of them. All maps send two values to any two places equally often,
    so that they collide with chance :math:`\sum_bn_b^2/P^2`; those with a slope send them to any
    two *different* places, which makes it :math:`\sum_bn_b(n_b-1)/(P(P-1))`.
    """
    size, rest = prime // num_buckets, prime % num_buckets
    pairs = size * (prime + rest - num_buckets)  # of different places in one bucket
    return pairs / (prime * (prime - 1)) if balanced else (pairs + prime) / prime**2


@dataclass(frozen=True)
class AffineHashes:
    r"""All functions :math:`x\mapsto\lfloor((ax+s)\bmod P)\,g/P\rfloor`, or those with a slope.

    A function is the number :math:`a'P+s`, where :math:`a'=a` or, without slope zero, a - 1.
    """

    prime: int
    num_buckets: int
    balanced: bool

    @property
    def num_functions(self) -> int:
        """Number of slopes times P."""
        return (self.prime - self.balanced) * self.prime

    @property
    def dtype(self) -> np.dtype[Any]:
        """The smallest of numbers of functions."""
        return np.min_scalar_type(self.num_functions - 1)

    @property
    def collision(self) -> float:
        """Chance that two different values share a bucket."""
        return float(collision(self.prime, self.num_buckets, self.balanced))

    def draw(self, num_users: int, rng: np.random.Generator) -> Integers:
        """Draw a function for each user, two words each."""
        slopes = uniform_below(words(rng, num_users), self.prime - self.balanced, rng)
        return slopes * self.prime + uniform_below(words(rng, num_users), self.prime, rng)

    def parts(self, functions: Array) -> tuple[Integers, Integers]:
        """Return slopes and shifts."""
        slopes, shifts = divmod(functions.astype(np.int64), self.prime)
        return slopes + self.balanced, shifts

    def bucket(self, functions: Array, values: Integers) -> Integers:
        """Bucket of each value under each function; the two broadcast."""
        slopes, shifts = self.parts(functions)
        place: Integers = (slopes * values + shifts) % self.prime
        return place * self.num_buckets // self.prime

    @property
    def buckets(self) -> Integers:
        """Bucket of each of the P places."""
        return np.arange(self.prime) * self.num_buckets // self.prime

    @property
    def edges(self) -> Integers:
        """First place of every bucket, and P."""
        return -(-np.arange(self.num_buckets + 1) * self.prime // self.num_buckets)


def check_functions(reports: npt.ArrayLike, report: ReportType, family: AffineHashes) -> Array:
    """Return reports whose functions exist."""
    given, size = check_reports(reports, report), family.num_functions
    if given.size and (largest := int(given["function"].max())) >= size:
        raise ValueError(f"reports' functions must be below {size}, got {largest}.")
    return given


def blocks(reports: Array) -> Iterator[Array]:
    """Cut reports into parts whose slopes and shifts stay in the cache."""
    for first in range(0, len(reports), 2**14):
        yield reports[first : first + 2**14]


@compiled
def count_in_buckets(slopes: Any, places: Any, widths: Any, prime: Any, counts: Any) -> None:
    """Add to counts[v] the reports i with (places[i] + slopes[i] v) mod P below widths[i].

    For at most `VALUES_AT_ONCE` values v, and P below 2**32: the fraction of (place + 1/2 + slope
    v) / P is off by less than 2**-38, and no nearer than 1 / 2P to the width over P.
    """
    inverse = 1.0 / prime
    for i in range(slopes.size):
        step, start, width = slopes[i] * inverse, (places[i] + 0.5) * inverse, widths[i] * inverse
        for v in range(counts.size):
            turns = start + step * v
            counts[v] += np.int32(turns - np.floor(turns) < width)


@compiled
def count_in_rows(
    slopes: Any, places: Any, rows: Any, bucket_of: Any, prime: Any, counts: Any
) -> None:
    """Add to counts[v] the reports whose row has a one in the bucket of (place + slope v) mod P."""
    for i in range(slopes.size):
        slope, place = slopes[i], places[i]
        for v in range(counts.size):
            bucket = bucket_of[place]
            counts[v] += np.int64(rows[i, bucket >> 3] >> (7 - (bucket & 7)) & 1)
            place += slope
            place -= prime if place >= prime else np.int64(0)
