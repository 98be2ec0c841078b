"""Plain numpy for adaptive estimation, as in :mod:`benchmarks.twins`."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Levels = tuple[float, float, float, float, float]


def restricted_privatize(
    values: Integers, inside: Bools, levels: Levels, rng: np.random.Generator
) -> Integers:
    own_in, other_in, _, own_out, other_out = levels
    (ins,), (outs,) = np.nonzero(inside), np.nonzero(~inside)
    u, within = rng.random(values.size), inside[values]
    other = rng.integers(0, ins.size * outs.size, values.size)
    to_in, to_out = ins[other % ins.size], outs[other % outs.size]
    from_in = np.where(u < ins.size * other_in, to_in, to_out)
    from_in = np.where(u < 1 - (own_in - other_in), from_in, values)
    from_out = np.where(u < ins.size * other_in, to_in, to_out)
    from_out = np.where(u < 1 - (own_out - other_out), from_out, values)
    reports: Integers = np.where(within, from_in, from_out)
    return reports


def utilities(name: str, law: Floats, channels: Floats) -> list[float]:
    found = []
    for channel in channels:  # of a sorted law; the k-th restricts to the first k values
        joint = law[:, None] * channel
        reports = joint.sum(axis=0)
        if name == "mse":
            found.append(float(((joint**2).sum(axis=0) / reports).sum() - 1))
        else:
            inverse = np.linalg.inv(channel)
            found.append(float((law**2).sum() - reports @ (inverse**2).sum(axis=1)))
    return found


def adaptive_estimation(
    values: Integers, table: Floats, step: float, rng: np.random.Generator
) -> Floats:
    n, d = values.size, len(table)
    rows, phi = np.empty((n, d)), np.ones(d)
    for t, value in enumerate(values):
        law = phi / phi.sum()
        order = np.argsort(-law)
        mass = np.concatenate([[0], law[order].cumsum()[:-1]])
        size = np.argmax(table[:, 0] * mass + table[:, 3] * (1 - mass))
        own_in, other_in, across, own_out, other_out = table[size]
        inside = np.zeros(d, dtype=bool)
        inside[order[:size]] = True
        chances = np.where(inside, other_in, across if inside[value] else other_out)
        chances[value] = own_in if inside[value] else own_out
        report = min(np.searchsorted(chances.cumsum(), rng.random()), d - 1)
        rows[t] = other_in if inside[report] else np.where(inside, across, other_out)
        rows[t, report] = own_in if inside[report] else own_out
        for _ in range(20):
            picked = rows[rng.integers(0, t + 1, min(50, t + 1))]
            score = (picked / (picked @ phi)[:, None]).mean(axis=0) - 1 / phi.sum()
            noise = np.sqrt(step) * rng.standard_normal(d)
            phi = np.abs(phi + step / 2 * (-1 + (t + 1) * score) + noise)
    return phi


def slice_sweep(rows: Floats, law: Floats, rng: np.random.Generator) -> Floats:
    order = rng.permutation(law.size)
    for u, v in pairwise(order):
        likelihood, slope = rows @ law, rows[:, u] - rows[:, v]
        level = np.log(rng.random()) + np.log(likelihood).sum()
        low, high = -law[u], law[v]
        while True:
            move = rng.uniform(low, high)
            if np.log(likelihood + move * slope).sum() > level:
                break
            low, high = (move, high) if move < 0 else (low, move)
        law = law.copy()
        law[u] += move
        law[v] -= move
    return law
