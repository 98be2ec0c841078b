"""What estimators take as mechanisms and reports, read once, and what they refuse."""

from collections.abc import Sequence
from textwrap import shorten
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from ldp import _checks
from ldp.tally import Tally, check_counts
from ldp.types import Array, Floats, Integers, OutcomeMechanism, counts_outcomes


@runtime_checkable
class Likely(Protocol):
    """All that likelihood and posterior need of a mechanism."""

    @property
    def domain_size(self) -> int:
        """Number of values."""

    def likelihood(self, reports: Array) -> Floats:
        """Pr[report | value] up to a factor of the report."""


class Answers(NamedTuple):
    """What users said to one mechanism: different reports, and how often each came.

    `are_outcomes` if the mechanism's tally counts them: then they are numbers of outcomes.
    """

    reports: Array
    counts: Floats
    mechanism: Likely
    are_outcomes: bool


def read(reports: Any, mechanism: Any) -> list[Answers]:
    """Check reports, or a tally, of one mechanism or of each of a list; put equal ones together."""
    domain_of(mechanism)
    if not isinstance(mechanism, list | tuple):
        reports, mechanism = [reports], [mechanism]
    if not isinstance(reports, list | tuple):
        raise TypeError(f"reports must be a list, as mechanism is, got {type(reports).__name__}.")
    if len(reports) != len(mechanism):
        raise ValueError(f"reports must be of {len(mechanism)} mechanisms, got {len(reports)}.")
    classes = _one_of_each_class(mechanism)
    counting = tuple(type(each) for each in classes if counts_outcomes(each))
    pairs = zip(reports, mechanism, strict=True)
    answers = [_read(given, each, isinstance(each, counting)) for given, each in pairs]
    check_some(sum(each.counts.size for each in answers))
    return answers


def _read(reports: Any, mechanism: Any, counts_outcomes: bool) -> Answers:
    if counts_outcomes:
        tally = reports if isinstance(reports, Tally) else mechanism.tally(check_reports(reports))
        counts = tallied_outcomes(tally, mechanism, "reports")
        seen = np.flatnonzero(counts)
        return Answers(seen, counts[seen], mechanism, True)
    given = check_reports(reports)
    if given.ndim == 1 and given.dtype.kind in "iu":
        given, repeats = np.unique(given, return_counts=True)
        return Answers(given, repeats.astype(np.float64), mechanism, False)
    return Answers(given, np.broadcast_to(1.0, given.shape[:1]), mechanism, False)


def check_mechanism(mechanism: Any) -> None:
    """Refuse what has no likelihood; here a mechanism needs nothing else."""
    if isinstance(mechanism, type) or not isinstance(mechanism, Likely):
        raise TypeError(f"mechanism must have a likelihood, got {type(mechanism).__name__}.")


def domain_of(mechanism: Any) -> int:
    """Return the domain size of a mechanism, or the one that those of a list share."""
    mechanisms = mechanism if isinstance(mechanism, list | tuple) else [mechanism]
    for each in _one_of_each_class(mechanisms):
        check_mechanism(each)
    if not mechanisms:
        raise ValueError("mechanism must be a list of at least one, got an empty one.")
    sizes = {int(each.domain_size) for each in mechanisms}
    if len(sizes) > 1:
        raise ValueError(f"mechanism must be of one domain_size, got {sorted(sizes)}.")
    return sizes.pop()


def _one_of_each_class(mechanisms: Sequence[Any]) -> list[Any]:
    """Whom to ask for a protocol: to ask takes as long as to count, and there may be hundreds."""
    return list({type(each): each for each in mechanisms}.values())


def tallied_outcomes(tally: Tally, mechanism: OutcomeMechanism, name: str) -> Floats:
    """Return how often each outcome came, and refuse a tally of another mechanism."""
    if tally.candidates is not None:
        raise ValueError(f"{name} must be a tally of all values, got one of candidates.")
    if tally.mechanism is not None and tally.mechanism != mechanism:
        both = (shorten(str(m), 200, placeholder=" ...") for m in (mechanism, tally.mechanism))
        raise ValueError("{} must be of {}, got a tally of {}.".format(name, *both))
    counts = _checks.vector(tally.counts, "counts of the tally", mechanism.num_outcomes)
    if tally.mechanism is None:  # else it was checked when it was made
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


def check_reports(reports: Any) -> Array:
    """Return the reports as an array, and refuse a tally of them."""
    if isinstance(reports, Tally):
        raise TypeError(
            "reports must be the reports themselves, got a Tally that does not count outcomes."
        )
    given = _checks.plain_array(reports, "reports")
    if given.ndim == 0:
        raise TypeError(f"reports must be an array of them, got {type(reports).__name__}.")
    return given
