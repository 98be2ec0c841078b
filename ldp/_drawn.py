"""Tallies drawn for so many users of each value, without making their reports."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp.mechanisms.wide_hashing import WideHashing, drawn_candidates
from ldp.tally import Tally
from ldp.types import Integers


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


def check_drawn(mechanism: Any, candidates: Any) -> None:
    """Refuse what `drawn_tally` cannot draw, before anything is drawn."""
    if candidates is not None:
        if not isinstance(mechanism, WideHashing):
            raise TypeError(f"candidates must be of a WideHashing to be drawn, got {mechanism}.")
        drawn_candidates(candidates, mechanism.domain_size)
    elif mechanism.domain_size > 2**26:
        raise ValueError(f"candidates must be named for {mechanism.domain_size} values, got none.")


def sums(codes: Integers, users: Integers) -> tuple[Integers, Integers]:
    """Different codes in order, and how many users hold each."""
    different, place = np.unique(codes, return_inverse=True)
    return different, np.bincount(place, users, different.size).astype(np.int64)


def drawn_tally(
    mechanism: Any, codes: Integers, users: Integers, candidates: Any, rng: np.random.Generator
) -> Tally:
    """Draw a tally of candidates, or of all values; so many users hold each code of `sums`."""
    if candidates is None:
        hold = np.zeros(mechanism.domain_size, dtype=np.int64)
        hold[codes] = users
        return mechanism.simulate(hold, rng)  # type: ignore[no-any-return]
    hold = np.zeros(len(candidates), dtype=np.int64)
    if codes.size:
        place = np.minimum(np.searchsorted(codes, candidates), codes.size - 1)
        hold = np.where(codes[place] == candidates, users[place], 0)
    others = int(users.sum() - hold.sum())
    return mechanism.simulate(hold, rng, candidates=candidates, others=others)  # type: ignore[no-any-return]
