"""What restricted response and the adaptive loop share: probabilities, weights, compiled draws."""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._compiled import compiled
from ldp._words import at_least
from ldp.mechanisms.randomized_response import response_law


class Levels(NamedTuple):
    r"""The five probabilities of :class:`ldp.RRRR`, given the value x and the report y."""

    own_in: float
    """y = x, in the subset."""
    other_in: float
    """y in the subset, any other x."""
    across: float
    """x in the subset, y outside it."""
    own_out: float
    """y = x, outside the subset."""
    other_out: float
    """x and y outside the subset, y other than x."""


def levels(domain_size: int, subset_size: int, epsilon: float, epsilon_inner: float) -> Levels:
    """Probabilities of RRRR at a subset of that many values, all checked before."""
    k, m = subset_size, domain_size - subset_size
    keep, own_in, other_in = 1.0, 0.0, 0.0
    own, other = response_law(m, epsilon)
    if k > 0:
        other_in = math.exp(-epsilon_inner) / (1 + k * math.exp(-epsilon_inner))
        keep = own_in = 1 / (1 + k * math.exp(-epsilon_inner))
        # own_out may not exceed e^epsilon across: that bounds the share of the own value.
        most = math.exp(min(epsilon - epsilon_inner, math.log(m))) / m
        if own > most:
            own, other = most, (1 - most) / (m - 1) if epsilon_inner < epsilon else most
    # Where no two values are meant, across and other_out are one: reports then have one noise.
    across = other_in / m if k > 0 else other
    return Levels(own_in, other_in, across, keep * own, keep * other if m > 1 else across)


def weights(given: Levels) -> npt.NDArray[np.uint64]:
    """Weights out of 2**64 of one other value within, across and outside; the truth has the rest.

    Each is just above the stated probability. `across` stands below the two others in the ratios
    that the budget bounds, so it is raised by more than they are.
    """
    across = at_least(given.across * (1 + 2.0**-48)) + np.uint64(1)
    return np.array([at_least(given.other_in), across, at_least(given.other_out)], dtype=np.uint64)


def check_budgets(
    domain_size: int, subset_size: int, epsilon: float, epsilon_inner: float
) -> tuple[float, float]:
    """Return the budgets of RRRR; refuse what float64 or the integer weights would lose."""
    budget, inner = _checks.epsilon(epsilon), _checks.positive(epsilon_inner, "epsilon_inner")
    if inner > budget:
        raise ValueError(f"epsilon_inner must be at most epsilon {budget}, got {inner}.")
    given = levels(domain_size, subset_size, budget, inner)
    if subset_size == 0:
        _checks.probabilities(given.own_out, given.other_out, budget)
    else:
        _checks.probabilities(given.own_in, given.across, budget)
        _checks.probabilities(given.own_in, given.other_in, inner, "epsilon_inner")
        _checks.integer_weights(given.own_in, inner, domain_size - 1, name="epsilon_inner")
    _checks.integer_weights(given.own_out, budget, domain_size - 1)
    return budget, inner


@compiled
def restrict(value: Any, word: Any, order: Any, places: Any, size: Any, weights: Any) -> Any:
    """Randomize one value by restricted response, `order` having the subset's `size` values first.

    `places` is the inverse of `order`. Weights out of 2**64 are those of one other value within
    the subset, across its border, and outside it; the rest is the chance to keep the value.
    """
    # Choices on random words are selections, not branches, which would be guessed wrong.
    place, first_out = np.uint64(places[value]), np.uint64(size)
    inside = np.uint64(place < first_out)
    others_out = np.uint64(order.size) - first_out - (np.uint64(1) - inside)
    weight_in = (first_out - inside) * weights[0]
    lands_in = word < weight_in
    rest = word if lands_in else word - weight_in
    other = rest // (weights[0] if lands_in else weights[2 - inside])
    at = other if lands_in else first_out + other
    at += np.uint64(lands_in == inside) & np.uint64(at >= place)  # step over the value itself
    return order[at if lands_in | (other < others_out) else place]


@compiled
def restricted_response(
    values: Any, random_words: Any, order: Any, places: Any, size: Any, weights: Any, out: Any
) -> None:
    """Randomize each value by `restrict`, a word each."""
    for i in range(values.size):
        out[i] = restrict(values[i], random_words[i], order, places, size, weights)
