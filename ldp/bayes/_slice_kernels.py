"""Compiled slice sampling of a posterior, two values at a time; uniforms are passed in."""

import math
from typing import Any

import numpy as np

from ldp._compiled import compiled

ROUNDING = 2.0**-52
UNIFORMS_EACH = 48  # an interval is below a ten thousandth of its length long before the last


@compiled
def change_of_log(length: Any, shares: Any, counts: Any, size: Any) -> Any:
    """Change of the log-likelihood when `length` of mass moves; shares are slopes of log L."""
    total = 0.0
    for k in range(size):
        total += counts[k] * math.log(1 + shares[k] * length)
    return total


@compiled
def change_of_prior(before: Any, after: Any, exponent: Any) -> Any:
    """Change of exponent * log(weight), from a weight that is positive unless the exponent is 0."""
    if exponent == 0:
        return 0.0
    return exponent * math.log(after / before) if after > 0 else -math.inf


@compiled
def change_of_density(now: Any, after: Any, mass: Any, tilts: Any, moved: Any, size: Any) -> Any:
    """Change of the log-posterior when the first of two values with `mass` has `after`, not `now`.

    `tilts` are the prior's parameters less one.
    """
    shares, counts, _ = moved
    return (
        change_of_log(after - now, shares, counts, size)
        + change_of_prior(now, after, tilts[0])
        + change_of_prior(mass - now, mass - after, tilts[1])
    )


@compiled
def gather(
    first: Any, second: Any, law: Any, likelihood: Any, columns: Any, counts: Any, moved: Any
) -> Any:
    """List the reports whose likelihood a move between two values changes.

    `moved` gets slopes of log L, counts and places. Returned are their number and minus the second
    derivative of the log-likelihood where both values have half of their mass.
    """
    shares, weights, where = moved
    to_middle = (law[first] + law[second]) / 2 - law[first]
    size = 0
    bend = 0.0
    for r in range(counts.size):
        slope = columns[first, r] - columns[second, r]
        if slope != 0 and counts[r] > 0:
            shares[size], weights[size], where[size] = slope / likelihood[r], counts[r], r
            bend += counts[r] * (slope / (likelihood[r] + slope * to_middle)) ** 2
            size += 1
    return size, bend


@compiled
def slice_pair(
    first: Any,
    second: Any,
    law: Any,
    likelihood: Any,
    columns: Any,
    counts: Any,
    prior: Any,
    uniforms: Any,
    moved: Any,
) -> None:
    """Move mass between two values to a uniform point of a slice under the posterior density.

    Row x of `columns` is the likelihood of value x under every distinct report, `likelihood` that
    of `law`. The interval's first length depends on the two values' joint mass alone, which the
    move keeps, so that the move is reversible.
    """
    now, mass = law[first], law[first] + law[second]
    if mass <= 0:
        return
    tilts = (prior[first] - 1, prior[second] - 1)
    if now <= 0 < tilts[0]:  # rounded to a border where the density is zero
        now = mass * ROUNDING
    elif now >= mass and tilts[1] > 0:
        now = mass * (1 - ROUNDING)
    size, bend = gather(first, second, law, likelihood, columns, counts, moved)
    bend += 4 * (tilts[0] + tilts[1]) / mass**2
    length = min(mass, 4 / math.sqrt(bend)) if bend > 0 else mass
    level = math.log(1 - uniforms[0])
    ends = np.empty(2)
    ends[0] = now - uniforms[1] * length
    ends[1] = ends[0] + length
    for side in range(2):
        step = -length if side == 0 else length
        while 0 < ends[side] < mass and level < change_of_density(
            now, ends[side], mass, tilts, moved, size
        ):
            ends[side] += step
        ends[side] = min(max(ends[side], 0.0), mass)
    for k in range(2, uniforms.size):
        after = ends[0] + uniforms[k] * (ends[1] - ends[0])
        if level < change_of_density(now, after, mass, tilts, moved, size):
            law[first], law[second] = after, mass - after
            shares, _, where = moved
            for r in range(size):
                likelihood[where[r]] *= 1 + shares[r] * (after - now)
            return
        ends[0 if after < now else 1] = after


@compiled
def sweep_pairs(law: Any, columns: Any, counts: Any, prior: Any, order: Any, uniforms: Any) -> None:
    """Update every pair of neighbours in `order`, a random one."""
    likelihood = np.zeros(counts.size)
    for v in range(law.size):
        for r in range(counts.size):
            likelihood[r] += law[v] * columns[v, r]
    room = counts.size
    moved = (np.empty(room), np.empty(room), np.empty(room, dtype=np.int64))
    for k in range(order.size - 1):
        first, second = order[k], order[k + 1]
        slice_pair(first, second, law, likelihood, columns, counts, prior, uniforms[k], moved)
