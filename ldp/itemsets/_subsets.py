"""Chances of uniform subsets of cells, and the size of the one that set selection reports."""

import math

import numpy as np

from ldp.types import Array, Floats, Integers


def first_hits(num_cells: int, size: int, length: int) -> Floats:
    """Chance that own cell i is the first one in a uniform subset, shape (L,)."""
    before = np.arange(length)
    missed = np.cumprod((num_cells - size - before) / (num_cells - before))
    hits: Floats = np.append(1.0, missed[:-1]) * size / (num_cells - before)
    return hits


def hit_words(num_cells: int, size: int, length: int, missed: float) -> list[int]:
    """Words for which own cell i is the first one in the report, rounded down.

    A chance is a product of some 2 L numbers, each rounded once; it is lowered by more than that,
    and what is left goes to reports that hold none of the own cells, as they do with the weight
    `missed` beside those of `first_hits`.
    """
    hits = first_hits(num_cells, size, length)
    chances = hits / (hits.sum() + missed)
    return [math.floor(math.ldexp(chance * (1 - _hair(length)), 64)) for chance in chances.tolist()]


def check_words(hits: list[int], missed: float, num_cells: int, epsilon: float) -> None:
    """Refuse an epsilon that the rounding of these words would lose, or that would lose it."""
    rounding = 2.0**-64 * len(hits) + _hair(len(hits))
    if missed < 128 * rounding * (1 + missed):
        raise ValueError(
            f"epsilon must be small enough that reports can miss the own set, got {epsilon}."
        )
    gain = -math.expm1(-epsilon)
    lost = missed * gain < 128 * rounding * (1 + missed)  # misses get all the hair
    if lost or min(hits) * gain < 128 * (1 + rounding * max(hits)):
        raise ValueError(f"epsilon must be large enough for {num_cells} cells, got {epsilon}.")


def _hair(length: int) -> float:
    """More than what is lost or gained by rounding 2 L factors."""
    return (4 * length + 16) * 2.0**-53


def log_miss(num_cells: int, size: Array, length: int) -> Array:
    """Logarithm of the chance that a uniform subset holds none of L cells.

    Binomial coefficients would lose its digits where they are large.
    """
    return sum((np.log1p(-size / (num_cells - i)) for i in range(length)), np.zeros(size.shape))


def probabilities(num_cells: int, length: int, epsilon: float, size: Array) -> tuple[Array, Array]:
    """Return p and q, all divided by e^epsilon within, so that no large epsilon overflows."""
    decay = math.exp(-epsilon)
    miss = log_miss(num_cells, size, length)
    beside = log_miss(num_cells - 1, size - 1, length)  # one other cell is in already
    share = size / num_cells / (np.exp(miss) * decay - np.expm1(miss))
    return share, share * (np.exp(beside) * decay - np.expm1(beside))


def best_size(num_items: int, length: int, epsilon: float, frequency: float) -> int:
    """Return the size of least variance: on a grid of steps of a part in 500, then beside it."""
    most = largest_size(num_items, length)

    def best(sizes: Integers) -> int:
        p, q = probabilities(num_items + length, length, epsilon, sizes.astype(np.float64))
        with np.errstate(divide="ignore", invalid="ignore"):
            noise = q * (1 - q) / (p - q) ** 2 + frequency * (1 - p - q) / (p - q)
        return int(np.argmin(np.where(p > q, noise, np.inf)))

    num_steps = 1 + math.ceil(500 * math.log(most))
    grid = np.unique(np.geomspace(1, most, num_steps).round().astype(np.int64))
    at = best(grid)
    near = np.arange(grid[max(at - 1, 0)], grid[min(at + 1, grid.size - 1)] + 1)
    return int(near[best(near)])


def largest_size(num_items: int, length: int) -> int:
    """Return the largest size of a subset: larger ones would meet every set."""
    return max(1, min((num_items + length) // 2, num_items))
