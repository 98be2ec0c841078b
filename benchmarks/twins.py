"""Plain numpy for the same work: what a careful user would write in an afternoon.

The twins hold a whole matrix of users and values at once, so they get fewer users; rates are
per report, which favours them if anything, since their matrices then fit in a cache. Both sides of
a likelihood row reach the same gap, by the algorithm that its side would use.
"""

from typing import Any

import cvxpy
import numpy as np
import numpy.typing as npt

PRIME = 2**31 - 1

Integers = npt.NDArray[np.int64]
Bits = npt.NDArray[np.uint8]


def grr_privatize(values: Integers, d: int, p: float, rng: np.random.Generator) -> Integers:
    kept = rng.random(values.size) < p
    other = rng.integers(0, d - 1, values.size)
    other += other >= values
    return np.where(kept, values, other)


def count(reports: Integers, d: int) -> Integers:
    return np.bincount(reports, minlength=d)


def unary_privatize(values: Integers, d: int, p: float, q: float, rng: np.random.Generator) -> Bits:
    bits = rng.random((values.size, d)) < q
    bits[np.arange(values.size), values] = rng.random(values.size) < p
    return np.packbits(bits, axis=1)


def she_privatize(
    values: Integers, d: int, epsilon: float, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    reports = rng.laplace(0, 2 / epsilon, (values.size, d))
    reports[np.arange(values.size), values] += 1
    return reports


def count_bits(rows: Bits, d: int) -> Integers:
    return np.unpackbits(rows, axis=1, count=d).sum(axis=0, dtype=np.int64)


def hash_privatize(
    values: Integers, g: int, p: float, rng: np.random.Generator
) -> tuple[Integers, Integers, Integers]:
    a, b = rng.integers(1, PRIME, values.size), rng.integers(0, PRIME, values.size)
    return a, b, grr_privatize((a * values + b) % PRIME % g, g, p, rng)


def hash_tally(a: Integers, b: Integers, buckets: Integers, d: int, g: int) -> Integers:
    hashed = (a[:, None] * np.arange(d) + b[:, None]) % PRIME % g
    return (hashed == buckets[:, None]).sum(axis=0)


def row_tally(a: Integers, b: Integers, rows: Bits, d: int, prime: int, g: int) -> Integers:
    hashed = (a[:, None] * np.arange(d) + b[:, None]) % prime * g // prime
    bits = np.unpackbits(rows, axis=1, count=g)
    return np.take_along_axis(bits, hashed, axis=1).sum(axis=0, dtype=np.int64)


def residue_frequencies(
    residues: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
    moduli: tuple[int, ...],
    d: int,
) -> npt.NDArray[np.float64]:
    rows = [np.arange(d) % m == np.arange(m)[:, None] for m in moduli]
    roots = np.sqrt(weights)[:, None]
    return np.linalg.lstsq(roots * np.vstack(rows), roots[:, 0] * residues)[0]


def subset_privatize(values: Integers, d: int, k: int, p: float, rng: np.random.Generator) -> Bits:
    keys = rng.random((values.size, d))
    keys[np.arange(values.size), values] = np.where(rng.random(values.size) < p, -1.0, 2.0)
    chosen = np.argpartition(keys, k - 1, axis=1)[:, :k]
    bits = np.zeros((values.size, d), dtype=bool)
    np.put_along_axis(bits, chosen, True, axis=1)
    return np.packbits(bits, axis=1)


def hadamard_tally(reports: Integers, matrix: Integers, d: int) -> Integers:
    histogram = np.bincount(reports, minlength=len(matrix))
    return (reports.size + matrix[1 : d + 1] @ histogram) // 2


def expectation_maximisation(rows: npt.NDArray[np.float64], gap: float) -> int:
    theta = np.full(rows.shape[1], 1 / rows.shape[1])
    for step in range(100_000):
        score = (1 / (rows @ theta)) @ rows / len(rows)
        if np.log(score.max()) <= gap:
            return step
        theta = theta * score
    raise RuntimeError("gap not reached")


def convex_likelihood(counts: Integers, c: float) -> npt.NDArray[np.float64]:
    theta = cvxpy.Variable(counts.size, nonneg=True)
    shares = counts / counts.sum()
    objective = cvxpy.Maximize(shares @ cvxpy.log(1 + c * theta))
    cvxpy.Problem(objective, [cvxpy.sum(theta) == 1]).solve(cvxpy.CLARABEL)
    solution: npt.NDArray[np.float64] = theta.value
    return solution


def gibbs_step(
    likelihood: npt.NDArray[np.float64], law: npt.NDArray[np.float64], rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    cumulative = (likelihood * law).cumsum(axis=1)
    drawn = (cumulative < rng.random((len(cumulative), 1)) * cumulative[:, -1:]).sum(axis=1)
    return rng.dirichlet(0.5 + np.bincount(drawn, minlength=law.size))


def window_privatize(
    values: Integers, d: int, window: int, p: float, rng: np.random.Generator
) -> Integers:
    near = rng.random(values.size) < window * p
    other = rng.integers(0, d - 1, values.size)
    other += window * (other >= values)
    return np.where(near, values + rng.integers(0, window, values.size), other)


def dense_em(
    counts: Integers, channel: npt.NDArray[np.float64], smooth: bool, steps: int
) -> npt.NDArray[np.float64]:
    theta = np.full(len(channel), 1 / len(channel))
    for _ in range(steps):
        theta = theta * (channel @ (counts / (theta @ channel)))
        if smooth:
            padded = np.concatenate([theta[:1], theta, theta[-1:]])
            inner = (padded[:-2] + 2 * theta + padded[2:]) / 4
            inner[0] = (2 * theta[0] + theta[1]) / 3
            inner[-1] = (2 * theta[-1] + theta[-2]) / 3
            theta = inner
        theta /= theta.sum()
    return theta


def dense_tree_admm(
    nodes: tuple[npt.NDArray[np.float64], ...], gap: float
) -> npt.NDArray[np.float64]:
    measured, d = np.concatenate(nodes), nodes[-1].size
    sizes = [level.size for level in nodes]
    holds = np.concatenate([np.kron(np.eye(size), np.ones((1, d // size))) for size in sizes])
    internal = measured.size - d
    constraints = np.eye(internal + 1, measured.size)
    constraints[internal] = np.eye(measured.size)[0]
    for child in range(1, measured.size):
        constraints[(child - 1) // sizes[1], child] = -1
    inverse = np.linalg.pinv(constraints)
    flat, offset = np.eye(measured.size) - inverse @ constraints, inverse[:, -1]
    y = z = measured
    u = v = np.zeros(measured.size)
    for _ in range(100_000):
        theta = z[-d:] / z[-d:].sum() if z[-d:].min() >= 0 else np.full(d, 1 / d)
        slope = holds.T @ (holds @ theta - measured)
        if theta @ slope - slope.min() <= gap:
            return theta
        x = (measured + y - u + z - v) / 3
        y, z = flat @ (x + u) + offset, np.maximum(x + v, 0)
        u, v = u + x - y, v + x - z
    raise RuntimeError("gap not reached")


# Means of values in [-1, 1], reported as doubles as in the papers.


def one_bit_mean(
    values: npt.NDArray[np.float64], epsilon: float, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    coth = 1 / np.tanh(epsilon / 2)
    return np.where(rng.random(values.shape) < (1 + values / coth) / 2, coth, -coth)


def laplace_mean(
    values: npt.NDArray[np.float64], epsilon: float, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    return values + rng.laplace(scale=2 / epsilon, size=values.size)


def piecewise_mean(
    values: npt.NDArray[np.float64], epsilon: float, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    root = np.exp(epsilon / 2)
    reach = (root + 1) / (root - 1)
    first = (reach + 1) / 2 * values - (reach - 1) / 2
    inside = first + (reach - 1) * rng.random(values.size)
    outside = (reach + 1) * rng.random(values.size) - reach
    outside += (reach - 1) * (outside > first)
    return np.where(rng.random(values.size) < root / (root + 1), inside, outside)


def hybrid_mean(
    values: npt.NDArray[np.float64], epsilon: float, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    by_bit = rng.random(values.size) < np.exp(-epsilon / 2)
    reports = np.empty(values.size)
    reports[by_bit] = one_bit_mean(values[by_bit], epsilon, rng)
    reports[~by_bit] = piecewise_mean(values[~by_bit], epsilon, rng)
    return reports


def one_bit_vectors(
    values: npt.NDArray[np.float64], epsilon: float, k: int, rng: np.random.Generator
) -> tuple[Integers, npt.NDArray[np.float64]]:
    chosen = np.argsort(rng.random(values.shape), axis=1)[:, :k]
    picked = np.take_along_axis(values, chosen, axis=1)
    return chosen, one_bit_mean(picked, epsilon / k, rng)


def clipped_privatize(
    laws: npt.NDArray[np.float64],
    lower: npt.NDArray[np.float64],
    upper: npt.NDArray[np.float64],
    rng: np.random.Generator,
) -> Integers:
    low, high = np.full(len(laws), -60.0), np.full(len(laws), 60.0)  # of log2 of the factor
    for _ in range(60):
        middle = (low + high) / 2
        over = np.clip(laws * np.exp2(middle)[:, None], lower, upper).sum(axis=1) > 1
        low, high = np.where(over, low, middle), np.where(over, middle, high)
    sums = np.clip(laws * np.exp2(low)[:, None], lower, upper).cumsum(axis=1)
    return (sums < rng.random((len(laws), 1)) * sums[:, -1:]).sum(axis=1)


def multilinear_privatize(
    values: Integers, bits: int, g: int, p: float, rng: np.random.Generator
) -> tuple[Integers, Integers]:
    """Hash limbs of 16 bits by random words, then randomize the bucket."""
    limbs = values[:, None] >> 16 * np.arange(bits // 16) & 0xFFFF
    seeds = rng.integers(0, 2**32, (values.size, limbs.shape[1] + 1))
    hashed = ((seeds[:, :-1] * limbs).sum(axis=1) + seeds[:, -1]) % 2**32
    buckets = (hashed >> 15) * g >> 17
    return seeds, grr_privatize(buckets, g, p, rng)


def multilinear_tally(reports: npt.NDArray[Any], candidates: Integers, g: int) -> Integers:
    """Count by a matrix of reports and candidates, 200 reports at a time."""
    limbs = candidates[:, None] >> 16 * np.arange(3)[::-1] & 0xFFFF
    counts = np.zeros(candidates.size, dtype=np.int64)
    for first in range(0, len(reports), 200):
        part = reports[first : first + 200]
        hashed = part["seed"][:, :3] @ limbs.T.astype(np.uint32) + part["seed"][:, 3:]
        unit = (hashed >> np.uint32(15)).astype(np.int64)
        counts += (unit * g >> 17 == part["bucket"][:, None]).sum(axis=0)
    return counts


def encode(strings: list[str], alphabet: str, length: int) -> list[int]:
    """Turn strings into numbers in base alphabet + 1, letter by letter."""
    base, codes = len(alphabet) + 1, []
    for string in strings:
        code = 0
        for letter in string.ljust(length):
            code = code * base + alphabet.find(letter) + 1
        codes.append(code)
    return codes
