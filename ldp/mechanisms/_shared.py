"""What every mechanism does in the same way."""

from typing import Any

import numpy as np

from ldp.types import Array, Floats, FrequencyOracle, Integers, SupportMechanism


def freeze(mechanism: object, **fields: Any) -> None:
    """Set the checked fields of a frozen dataclass, once, from its ``__init__``."""
    for name, value in fields.items():
        object.__setattr__(mechanism, name, value)


def indicator_second_moment(
    mechanism: FrequencyOracle, frequency: Array | float, law: Array | None = None
) -> Array:
    """E[s^2] of a score that is 0 or 1: the same as E[s]."""
    return mechanism.q + (mechanism.p - mechanism.q) * np.asarray(frequency)


def independent_counts(
    value_counts: Integers, p: float, q: float, rng: np.random.Generator
) -> Integers:
    """Draw Bin(n_v, p) + Bin(n - n_v, q) for every value v, independently."""
    others = value_counts.sum() - value_counts
    counts: Integers = rng.binomial(value_counts, p) + rng.binomial(others, q)
    return counts


def support_likelihood(mechanism: SupportMechanism, reports: Array) -> Floats:
    """Return the odds for each value a report supports, 1 for every other: Pr[y_i | x] / C(y_i)."""
    held = np.unpackbits(mechanism.support(reports), axis=1, count=mechanism.domain_size)
    return np.where(held == 1, mechanism.odds, 1.0)
