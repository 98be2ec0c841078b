"""What a report of each mechanism costs: one table, by the kind of the mechanism.

Operations are counted without their constants: at the client, the random choices that make a
report; at the server, the steps that turn n reports into counts of all d values.
"""

import math
from collections.abc import Callable
from types import MappingProxyType
from typing import Any, NamedTuple

from ldp import _checks
from ldp.mechanisms.affine import AffineResponse
from ldp.mechanisms.cyclic import CyclicResponse
from ldp.mechanisms.cyclotomic import CyclotomicResponse
from ldp.mechanisms.hadamard import HadamardResponse
from ldp.mechanisms.hashing import BLH, OLH, LocalHashing
from ldp.mechanisms.histogram_encoding import SHE, THE
from ldp.mechanisms.randomized_response import GRR
from ldp.mechanisms.subset import SubsetSelection
from ldp.mechanisms.unary import OUE, SUE, UnaryEncoding
from ldp.planning import attack
from ldp.rivals import PIRAPPOR, BalancedSketch


class Costs(NamedTuple):
    """What is counted of a mechanism, as functions of it; the server's of the reports too."""

    bits: Callable[[Any], int]
    client: Callable[[Any], int]
    server: Callable[[Any, int], int]
    attack_success: Callable[[Any], float]


def number_bits(mechanism: Any) -> int:
    """Whole bits of the numbers that a report is made of."""
    least, most = mechanism.report.bounds
    return int((most - least).bit_length() * math.prod(mechanism.report.shape))


def value_bits(mechanism: Any) -> int:
    """A bit for each value."""
    return int(mechanism.domain_size)


def seed_bits(mechanism: Any) -> int:
    """A seed, which is two words, and a bucket."""
    return int(2 * mechanism.hash_bits + (mechanism.num_buckets - 1).bit_length())


def function_bits(mechanism: Any) -> int:
    """The number of a function, and a bucket."""
    functions, buckets = mechanism.family.num_functions, mechanism.num_buckets
    return int((functions - 1).bit_length() + (buckets - 1).bit_length())


def each_value(mechanism: Any) -> int:
    """A choice for every value."""
    return int(mechanism.domain_size)


def one_choice(mechanism: Any) -> int:
    """A single one."""
    return 1


def two_choices(mechanism: Any) -> int:
    """Whether to tell of the value, and what."""
    return 2


def subset_choices(mechanism: Any) -> int:
    """Whether the set holds the value, and its other members."""
    return int(mechanism.subset_size) + 1


def histogram(mechanism: Any, num_users: int) -> int:
    """A step for each report, and one for each value."""
    return int(num_users + mechanism.domain_size)


def every_pair(mechanism: Any, num_users: int) -> int:
    """A step for each report and value."""
    return int(num_users * mechanism.domain_size)


def fast_transform(mechanism: Any, num_users: int) -> int:
    """A histogram, then log2 b steps for each outcome."""
    steps = mechanism.num_outcomes * (mechanism.block_size.bit_length() - 1)
    return int(num_users + steps)


def running_sums(mechanism: Any, num_users: int) -> int:
    """A histogram, and a step for each of its cells."""
    return int(num_users + mechanism.num_outcomes)


def shifted_sums(mechanism: Any, num_users: int) -> int:
    """A histogram, then additions of shifted rows or transforms, whichever are fewer."""
    design = mechanism.design
    bits = (2 * design.num_points - 2).bit_length()  # of the length of a transform
    additions = design.num_blocks * design.block_size * mechanism.domain_size
    return int(num_users + min(additions, (2 * design.num_blocks + 1) * bits * 2**bits))


COSTS = MappingProxyType(
    {
        GRR: Costs(number_bits, one_choice, histogram, attack.truthful),
        UnaryEncoding: Costs(value_bits, each_value, every_pair, attack.independent_bits),
        SHE: Costs(number_bits, each_value, every_pair, attack.noisy_bits),
        LocalHashing: Costs(seed_bits, two_choices, every_pair, attack.hashed_buckets),
        SubsetSelection: Costs(value_bits, subset_choices, every_pair, attack.equal_sets),
        HadamardResponse: Costs(number_bits, two_choices, fast_transform, attack.half_blocks),
        AffineResponse: Costs(number_bits, one_choice, running_sums, attack.affine_blocks),
        CyclotomicResponse: Costs(number_bits, one_choice, shifted_sums, attack.shifted_blocks),
        CyclicResponse: Costs(number_bits, one_choice, shifted_sums, attack.shifted_blocks),
        PIRAPPOR: Costs(number_bits, one_choice, running_sums, attack.affine_blocks),
        BalancedSketch: Costs(function_bits, two_choices, every_pair, attack.balanced_buckets),
    }
)
"""By the kind of the mechanism."""

MAKERS: MappingProxyType[str, Callable[[int, float], Any]] = MappingProxyType(
    {
        "GRR": GRR,
        "SUE": SUE,
        "OUE": OUE,
        "THE": THE,
        "SHE": SHE,
        "BLH": BLH,
        "OLH": OLH,
        "SubsetSelection": SubsetSelection,
        "HadamardResponse": HadamardResponse,
        "AffineResponse": AffineResponse,
        "CyclotomicResponse": CyclotomicResponse,
        "CyclicResponse": CyclicResponse,
        "PIRAPPOR": PIRAPPOR,
        "BalancedSketch": BalancedSketch,
    }
)
"""What a plan compares, by name; each chooses its parameters for the least noise of rare values."""


def costs(mechanism: Any) -> Costs:
    """Return what is counted of a mechanism, or refuse one of another kind."""
    found = COSTS.get(type(mechanism))
    if found is None:
        known = ", ".join(kind.__name__ for kind in COSTS)
        raise TypeError(f"mechanism must be one of {known}, got {_checks.shown(mechanism)}.")
    return found
