"""Probabilities and second moment of Hadamard response, and the block size of least variance."""

import math
from typing import Any, NamedTuple

Q = 0.5
"""Mean count of a value that is not the own one."""


class Law(NamedTuple):
    """What a report does, at some size of blocks."""

    block_size: int
    num_others: int
    """Number of outcomes outside the own C_x."""
    hit: float
    """Probability that the report lies in the own C_x."""
    other: float
    """Probability of any one outcome outside it."""
    p: float
    """Mean count of the own value, Pr[own set] + Pr[other blocks] / 2."""


def num_blocks(domain_size: int, block_size: int) -> int:
    """Number of blocks that hold all values."""
    return -(-domain_size // (block_size - 1))


def law(domain_size: int, epsilon: float, block_size: int) -> Law:
    """Probabilities of arguments that are checked."""
    half, size = block_size // 2, num_blocks(domain_size, block_size) * block_size
    rare = math.exp(-epsilon)
    total = half + (size - half) * rare
    hit, other = half / total, rare / total
    return Law(block_size, size - half, hit, other, hit + other * (size - block_size) / 2)


def neighbours(domain_size: int, block_size: int) -> float:
    """Share of the other values that lie in the block of a value, on average over the values."""
    per_block, full = block_size - 1, num_blocks(domain_size, block_size) - 1
    last = domain_size - per_block * full
    pairs = full * per_block * (per_block - 1) + last * (last - 1)
    return pairs / (domain_size * (domain_size - 1))


def second_moment(law: Law, frequency: Any, same_block: Any) -> Any:
    """E[s] - Pr[other block]/4, since a half squared is a quarter less than a half.

    `same_block` is the share of the users whose value lies in the block of the value counted.
    """
    b = law.block_size
    in_block = b * law.other + same_block * (law.hit - b / 2 * law.other)
    return Q + (law.p - Q) * frequency - (1 - in_block) / 4


def best_block_size(domain_size: int, epsilon: float) -> int:
    """Block size of least variance for rare values, the other users spread evenly."""

    def precision(block_size: int) -> Any:  # inverse variance, 0 where p rounds to q
        given = law(domain_size, epsilon, block_size)
        noise = second_moment(given, 0.0, neighbours(domain_size, block_size)) - Q**2
        return (given.p - Q) ** 2 / noise if noise else math.inf  # such a budget is refused

    sizes: list[int] = [2**k for k in range(1, domain_size.bit_length() + 1)]
    return max(sizes, key=precision)
