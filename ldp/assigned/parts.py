"""What is asked of a part of the users: a view of the value, reported by a mechanism."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy.typing as npt

from ldp import _checks
from ldp._frozen import freeze
from ldp.types import Integers, Mechanism


@runtime_checkable
class View(Protocol):
    """What a part of the users is asked: a fixed public function of the value, a frozen object."""

    @property
    def domain_size(self) -> int:
        """Number of values that the function takes."""

    def __call__(self, values: Integers) -> Integers:
        """Return what is asked about each value."""


class Part(NamedTuple):
    """One question: a view of the value, the mechanism that reports it, and how many are asked."""

    view: View
    mechanism: Mechanism
    share: float


@dataclass(frozen=True, init=False)
class Intervals:
    """Ask which interval of so many neighbouring values holds the value: 1 asks for the value.

    Parameters
    ----------
    domain_size, width : int
        Number of values, and of values in an interval; the last one may be shorter.

    Raises
    ------
    TypeError, ValueError
        If an argument is not a positive integer.

    Examples
    --------
    >>> Intervals(16, 4)([0, 3, 4, 15])
    array([0, 0, 1, 3])
    """

    domain_size: int
    width: int

    def __init__(self, domain_size: int, width: int) -> None:
        size = _checks.integer(domain_size, "domain_size", 1)
        freeze(self, domain_size=size, width=_checks.integer(width, "width", 1))

    def __call__(self, values: npt.ArrayLike) -> Integers:
        """Return the number of the interval of each value."""
        number: Integers = _checks.values(values, self.domain_size) // self.width
        return number


def made_part(given: Any) -> Part:
    """Return a question, or refuse what is none."""
    if not isinstance(given, list | tuple) or len(given) != 3:
        raise TypeError(f"parts must be (view, mechanism, share), got {_checks.shown(given)}.")
    view, mechanism, share = given
    if isinstance(view, type) or not isinstance(view, View):
        raise TypeError(f"parts must have views with a domain_size, got {_checks.shown(view)}.")
    if not isinstance(mechanism, Mechanism):
        raise TypeError(f"parts must have mechanisms, got {_checks.shown(mechanism)}.")
    _checks.integer(view.domain_size, "domain_size of a view", 1)
    return Part(view, mechanism, _checks.real(share, "shares", "positive"))


def viewed(part: Part, values: Integers) -> Integers:
    """Return what is asked about each value, or refuse what is no value of the mechanism."""
    asked = _checks.integers_below(
        part.view(values), "results of a view", part.mechanism.domain_size
    )
    if asked.size != values.size:
        raise ValueError(f"results of a view must be {values.size}, one a value, got {asked.size}.")
    return asked
