"""What estimators take as mechanisms and reports, and what they refuse."""

from collections.abc import Sequence
from textwrap import shorten
from typing import Any

import numpy as np

from ldp import _checks
from ldp.mechanisms.randomized_response import GRR
from ldp.mechanisms.restricted import RRRR
from ldp.mechanisms.square_wave import SquareWave
from ldp.tally import Tally, check_counts
from ldp.types import Array, Floats, Integers

# A report of these mechanisms is one outcome, and a tally counts each: it holds all they say.
TALLY_IS_HISTOGRAM = (GRR, RRRR, SquareWave)


def check_mechanism(mechanism: Any) -> None:
    """Refuse what has no likelihood; here a mechanism needs nothing else."""
    if not hasattr(type(mechanism), "likelihood"):
        raise TypeError(f"mechanism must have a likelihood, got {type(mechanism).__name__}.")


def domain_of(mechanism: Any) -> int:
    """Return the domain size of a mechanism, or the one that those of a list share."""
    mechanisms = mechanism if isinstance(mechanism, list | tuple) else [mechanism]
    for each in mechanisms:
        check_mechanism(each)
    if not mechanisms:
        raise ValueError("mechanism must be a list of at least one, got an empty one.")
    sizes = {int(each.domain_size) for each in mechanisms}
    if len(sizes) > 1:
        raise ValueError(f"mechanism must be of one domain_size, got {sorted(sizes)}.")
    return sizes.pop()


def tallied_outcomes(tally: Tally, mechanism: Any, name: str) -> Floats:
    """Return the histogram of outcomes that a tally holds, and refuse a tally of anything else."""
    if not isinstance(mechanism, TALLY_IS_HISTOGRAM):
        raise TypeError(f"{name} must be the reports themselves, got a Tally.")
    if tally.candidates is not None:
        raise ValueError(f"{name} must be a tally of all values, got one of candidates.")
    if tally.mechanism is not None and tally.mechanism != mechanism:
        both = (shorten(str(m), 200, placeholder=" ...") for m in (mechanism, tally.mechanism))
        raise ValueError("{} must be of {}, got a tally of {}.".format(name, *both))
    size = getattr(mechanism, "num_outcomes", mechanism.domain_size)
    counts = _checks.vector(tally.counts, "counts of the tally", size)
    check_counts(tally, mechanism, "counts of the tally")
    return counts


def whole_counts(counts: Floats) -> Integers:
    """Return counts as integers; a part of a user cannot be drawn."""
    whole = counts.astype(np.int64)
    if (whole != counts).any():
        raise ValueError(
            f"counts of the tally must be whole numbers here, got {counts[whole != counts][0]}."
        )
    return whole


def check_some(number: float, name: str = "reports") -> None:
    """Refuse to learn from nothing."""
    if number == 0:
        raise ValueError(f"{name} must be at least one, got 0.")


def check_list(reports: Any, mechanisms: Sequence[Any]) -> Sequence[Any]:
    """Return reports that are a list with an entry for each mechanism."""
    if not isinstance(reports, list | tuple):
        raise TypeError(f"reports must be a list, as mechanism is, got {type(reports).__name__}.")
    if len(reports) != len(mechanisms):
        raise ValueError(f"reports must be of {len(mechanisms)} mechanisms, got {len(reports)}.")
    return reports


def check_reports(reports: Any) -> Array:
    """Return the reports as an array, and refuse a tally of them."""
    if isinstance(reports, Tally):
        raise TypeError("reports must be the reports themselves, got a Tally.")
    given = _checks.plain_array(reports, "reports")
    if given.ndim == 0:
        raise TypeError(f"reports must be an array of them, got {type(reports).__name__}.")
    return given
