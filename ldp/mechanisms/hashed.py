"""What both kinds of local hashing do in the same way, each report a seed and a bucket."""

import math
from typing import Any

from ldp.mechanisms.randomized_response import GRR
from ldp.mechanisms.reports import check_reports, packed_supports
from ldp.types import Array, Bits, Bools, Integers


def response(mechanism: Any) -> GRR:
    """The randomizer of the bucket."""
    return GRR(mechanism.num_buckets, mechanism.epsilon)


def own_chance(mechanism: Any) -> float:
    """Probability that the own value is supported."""
    return response(mechanism).p


def other_chance(mechanism: Any) -> float:
    """Probability that any one other value is supported, exactly."""
    bucket = response(mechanism)
    return bucket.q + (bucket.p - bucket.q) * float(mechanism.hashes.collision)


def check_hashed(mechanism: Any, reports: Array) -> Array:
    """Return reports whose buckets exist, and whose seeds have no bits that words have not."""
    given, family = check_reports(reports, mechanism.report), mechanism.hashes
    if given.size and (largest := given["bucket"].max()) >= family.num_buckets:
        raise ValueError(f"reports' buckets must be below {family.num_buckets}, got {largest}.")
    if family.unused and (given["seed"] & family.unused).any():
        raise ValueError(
            f"reports' seeds must be of {family.word_bits}-bit words, got longer ones."
        )
    return given


def hashed_supports(mechanism: Any, reports: Array, values: Integers) -> Bits:
    """Bit-packed rows of the values that hash into each report's bucket."""

    def held(some: Array) -> Bools:
        hit: Bools = mechanism.hashes.table(some["seed"], values) == some["bucket"][:, None]
        return hit

    return packed_supports(check_hashed(mechanism, reports), values.size, held)


def best_buckets(epsilon: float, most: int) -> int:
    """Return the number of buckets, 2 to `most`, of least variance for rare values."""

    def rare_variance(buckets: int) -> float:  # up to a factor that is the same for all
        return (1 + (buckets - 1) * math.exp(-epsilon)) ** 2 / (buckets - 1)

    below = math.floor(min(math.exp(min(epsilon, 700.0)) + 1, max(2, most - 1)))
    return min(below, min(below + 1, most), key=rare_variance)
