"""Plain numpy for designs modulo v: floats for chances, a whole table of places, one float FFT."""

from typing import Any

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]


def places(blocks: list[Integers], num_points: int) -> Integers:
    """All residues for each base block, its own first."""
    return np.array(
        [np.append(block, np.setdiff1d(np.arange(num_points), block)) for block in blocks]
    )


def design_privatize(
    values: Integers, table: Integers, size: int, p: float, rng: np.random.Generator
) -> Any:
    num_blocks, num_points = table.shape
    block = rng.integers(0, num_blocks, values.size)
    inside = rng.random(values.size) < p
    within = rng.integers(0, size, values.size)
    without = rng.integers(size, num_points, values.size)
    residue = table[block, np.where(inside, within, without)]
    return block * num_points + (values - residue) % num_points


def design_tally(reports: Integers, blocks: list[Integers], num_points: int, d: int) -> Integers:
    cells = np.bincount(reports, minlength=len(blocks) * num_points).reshape(-1, num_points)
    held = np.zeros(cells.shape)
    for row, residues in zip(held, blocks, strict=True):
        row[residues] = 1
    product = np.fft.rfft(cells, axis=1) * np.fft.rfft(held, axis=1)
    counts = np.fft.irfft(product.sum(axis=0), num_points)
    return np.rint(counts[:d]).astype(np.int64)
