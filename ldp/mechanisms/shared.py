"""What every mechanism does in the same way."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ldp import _checks, _kernels
from ldp.mechanisms.reports import check_reports
from ldp.tally import Tally
from ldp.types import Array, Floats, FrequencyOracle, Integers, Mechanism, SupportMechanism

_ROUNDING = 1e-9  # of the number of reports: counts that are floats may be expected ones


def indicator_second_moment(
    mechanism: FrequencyOracle, frequency: Array | float, law: Array | None = None
) -> Array:
    """E[s^2] of a score that is 0 or 1: the same as E[s]."""
    return mechanism.q + (mechanism.p - mechanism.q) * _checks.frequency(frequency)


def count_outcomes(mechanism: Any, reports: npt.ArrayLike) -> Tally:
    """Count the reports of each outcome."""
    given = check_reports(reports, mechanism.report)
    return Tally(_kernels.histogram(given, mechanism.num_outcomes), given.size, mechanism)


def budget_odds(mechanism: Mechanism) -> float:
    """Likelihood ratio of a supported value, e^epsilon."""
    return math.exp(mechanism.epsilon)


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


# -- tallies that no reports give ------------------------------------------------------------------


def check_size(tally: Tally, size: int, name: str) -> None:
    """Refuse counts that are not as many as a mechanism has, unless some were asked for."""
    if tally.candidates is None and tally.counts.size != size:
        raise ValueError(f"{name} must be {size} numbers, got {tally.counts.size}.")


def slack(tally: Tally) -> float:
    """Return by how much counts may miss what reports have: floats by their rounding."""
    return _ROUNDING * tally.num_reports if tally.counts.dtype.kind == "f" else 0


def support_counts(mechanism: Any, tally: Tally, name: str) -> None:
    """Refuse counts of supports of another number, or that reports cannot have."""
    check_size(tally, mechanism.domain_size, name)
    bounded_counts(tally, name)


def candidate_counts(mechanism: Any, tally: Tally, name: str) -> None:
    """Refuse besides counts of candidates that are no values."""
    if tally.candidates is not None:
        _checks.integers_below(tally.candidates, "candidates", mechanism.domain_size)
    support_counts(mechanism, tally, name)


def bounded_counts(tally: Tally, name: str) -> None:
    """Refuse counts below 0 or above the number of reports."""
    n, counts, spare = tally.num_reports, tally.counts, slack(tally)
    low, high = counts.min(), counts.max()
    if low < -spare or high > n + spare:
        wrong = low if low < -spare else high
        raise ValueError(f"{name} must be from 0 to the {n} reports, got {wrong}.")


def outcome_counts(mechanism: Any, tally: Tally, name: str) -> None:
    """Refuse counts of outcomes that are negative or of another sum than the number of reports."""
    if tally.candidates is not None:
        bounded_counts(tally, name)
        return
    check_size(tally, mechanism.num_outcomes, name)
    n, counts, spare = tally.num_reports, tally.counts, slack(tally)
    total = exact_sum(counts)
    if counts.min() < -spare or abs(total - n) > spare:
        raise ValueError(
            f"{name} must be non-negative and sum to the {n} reports, "
            f"got minimum {counts.min()} and sum {total}."
        )


def exact_sum(counts: Array) -> int | float:
    """Sum counts; integers in halves, so that the sum cannot wrap around."""
    if counts.dtype.kind == "f":
        return float(counts.sum())
    return (int((counts >> 32).sum()) << 32) + int((counts & (2**32 - 1)).sum())
