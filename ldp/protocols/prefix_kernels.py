"""Compiled choice among the subsets of the k most probable values: arrays in, numbers out.

A law is sorted, most probable first. Row k of `levels` holds the five probabilities of
:class:`ldp.RRRR` at k values. Each utility costs O(d) per k or less; the slow twins are the dense
definitions of :mod:`ldp.utilities`.
"""

import math
from typing import Any

from ldp._compiled import compiled

FISHER, ENTROPY, TV_POSTERIOR, TV_REPORT, MSE, HONEST, MASS, EMPTY = range(8)
ROUNDING = 2.0**-40  # utilities and masses that differ by less are equal


@compiled
def sort_values(law: Any, order: Any) -> None:
    """Sort `order`, most probable value first, equal ones by number; quick if nearly sorted."""
    for i in range(1, order.size):
        value = order[i]
        j = i
        while j > 0 and (
            law[order[j - 1]] < law[value]
            or (law[order[j - 1]] == law[value] and order[j - 1] > value)
        ):
            order[j] = order[j - 1]
            j -= 1
        order[j] = value


@compiled
def levels_at(levels: Any, size: Any) -> Any:
    """Row of the table as five numbers."""
    row = levels[size]
    return row[0], row[1], row[2], row[3], row[4]


@compiled
def covariance_trace(size: Any, num_values: Any, levels: Any, mass: Any, squares: Any) -> Any:
    """Trace of the inverse Fisher information: of the inverse channel's rows, weighted by reports.

    As many reports as values, so maximum likelihood inverts the channel. The squared length of a
    row of the inverse is one number for reports in the subset and one for those outside it.
    """
    own_in, other_in, across, own_out, other_out = levels
    outsiders = num_values - size
    tells = own_out - other_out
    if outsiders > 1 and not tells > 0:
        return math.inf
    apart = (1 - 1 / outsiders) / tells**2 if outsiders > 1 else 0.0
    if size == 0:
        return 1 / outsiders + apart - squares
    gain = own_in / other_in - 1
    reach = 1 + size / gain
    of_insider = reach**2 + (size - 1 + 1 / outsiders) / gain**2
    of_outsider = size / gain**2 + reach**2 / outsiders + apart
    outside = outsiders * across * mass + own_in * (1 - mass)
    return of_insider * (1 - outside) + of_outsider * outside - squares


@compiled
def report_probability(inside: Any, weight: Any, mass: Any, levels: Any) -> Any:
    """Probability of the report of a value, its law's weight and the subset's mass given."""
    own_in, other_in, across, own_out, other_out = levels
    if inside:
        return other_in + (own_in - other_in) * weight
    return across * mass + other_out * (1 - mass) + (own_out - other_out) * weight


@compiled
def moved_belief(inside: Any, weight: Any, chance: Any, mass: Any, levels: Any) -> Any:
    """Sum over values of theta_x |Q_xy - p_y| for one report."""
    own_in, other_in, across, own_out, other_out = levels
    if inside:
        return weight * abs(own_in - chance) + (1 - weight) * abs(other_in - chance)
    others = max(0.0, 1 - mass - weight)
    return (
        mass * abs(across - chance)
        + weight * abs(own_out - chance)
        + others * abs(other_out - chance)
    )


@compiled
def squared_weights(inside: Any, weight: Any, squares_in: Any, squares: Any, levels: Any) -> Any:
    """Sum over values of (theta_x Q_xy)^2 for one report."""
    own_in, other_in, across, own_out, other_out = levels
    own = weight**2
    if inside:
        return own_in**2 * own + other_in**2 * (squares - own)
    others = max(0.0, squares - squares_in - own)
    return across**2 * squares_in + own_out**2 * own + other_out**2 * others


@compiled
def utility_of_prefix(
    code: Any, law: Any, size: Any, mass: Any, squares_in: Any, squares: Any, levels: Any
) -> Any:
    """Utility of the `size` most probable values, whose mass and sum of squares are given."""
    if code == HONEST:
        return levels[0] * mass + levels[3] * (1 - mass)
    if code == FISHER:
        return -covariance_trace(size, law.size, levels, mass, squares)
    total = 0.0
    for place in range(law.size):
        inside = place < size
        weight = law[place]
        chance = report_probability(inside, weight, mass, levels)
        if code == ENTROPY:
            total += chance * math.log(chance)
        elif code == TV_REPORT:
            total -= abs(chance - weight) / 2
        elif code == TV_POSTERIOR:
            total += moved_belief(inside, weight, chance, mass, levels) / 2
        elif code == MSE:
            total += squared_weights(inside, weight, squares_in, squares, levels) / chance
        else:
            return math.nan  # a code without a utility
    return total - 1 if code == MSE else total


@compiled
def utilities_of_prefixes(code: Any, law: Any, levels: Any, out: Any) -> None:
    """Fill in the utility of every prefix of a sorted law, from none to all values but one."""
    squares = 0.0
    for place in range(law.size):
        squares += law[place] ** 2
    mass = squares_in = 0.0
    for size in range(law.size):
        five = levels_at(levels, size)
        out[size] = utility_of_prefix(code, law, size, mass, squares_in, squares, five)
        mass += law[size]
        squares_in += law[size] ** 2


@compiled
def choose_size(code: Any, law: Any, enough: Any, levels: Any, scratch: Any) -> Any:
    """Size of the best prefix of a sorted law, the smallest one of those equal up to rounding."""
    if code == EMPTY:
        return 0
    if code == MASS:
        mass = law[0]
        size = 1
        while size < law.size - 1 and mass < enough - ROUNDING:
            mass += law[size]
            size += 1
        return size
    if not FISHER <= code <= HONEST:
        raise ValueError("choose_size has no branch for the code of this rule")
    utilities_of_prefixes(code, law, levels, scratch)
    best = 0
    for size in range(1, law.size):
        if scratch[size] > scratch[best] + ROUNDING * max(1.0, abs(scratch[best])):
            best = size
    return best
