"""Tallies drawn for so many users of each value, without making their reports."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp.tally import Tally
from ldp.types import Integers, Mechanism, WideOracle


def held_counts(
    values: npt.ArrayLike, counts: npt.ArrayLike, size: int
) -> tuple[Integers, Integers]:
    """Return different values below `size`, and how many users hold each."""
    held = _checks.values(values, size)
    if np.unique(held).size < held.size:
        raise ValueError("values must be different, got one twice.")
    users = _checks.integers(counts, "counts")
    if users.size != held.size:
        raise ValueError(f"counts must be {held.size}, one a value, got {users.size}.")
    return held, users


def check_drawn(mechanism: Mechanism, candidates: Any) -> None:
    """Refuse what `drawn_tally` cannot draw, before anything is drawn."""
    if candidates is not None:
        wide_oracle(mechanism, "candidates")
        _checks.different_candidates(candidates, mechanism.domain_size)
    elif mechanism.domain_size > 2**26:
        raise ValueError(f"candidates must be named for {mechanism.domain_size} values, got none.")


def wide_oracle(mechanism: Mechanism, name: str) -> WideOracle:
    """Return a mechanism that draws the counts of candidates, or refuse it."""
    if not isinstance(mechanism, WideOracle):
        raise TypeError(f"{name} must be of WideHashing to be drawn, got {mechanism}.")
    return mechanism


def sums(codes: Integers, users: Integers) -> tuple[Integers, Integers]:
    """Different codes in order, and how many users hold each."""
    different, place = np.unique(codes, return_inverse=True)
    return different, np.bincount(place, users, different.size).astype(np.int64)


def drawn_tally(
    mechanism: Mechanism,
    codes: Integers,
    users: Integers,
    candidates: Any,
    rng: np.random.Generator,
) -> Tally:
    """Draw a tally of candidates, or of all values; so many users hold each code of `sums`."""
    if candidates is None:
        hold = np.zeros(mechanism.domain_size, dtype=np.int64)
        hold[codes] = users
        return mechanism.simulate(hold, rng)
    hold = np.zeros(len(candidates), dtype=np.int64)
    if codes.size:
        place = np.minimum(np.searchsorted(codes, candidates), codes.size - 1)
        hold = np.where(codes[place] == candidates, users[place], 0)
    others = int(users.sum() - hold.sum())
    drawing = wide_oracle(mechanism, "candidates")
    return drawing.simulate(hold, rng, candidates=candidates, others=others)
