"""The shapes of a mechanism and of results: protocols and aliases, no base classes."""

import math
from typing import Any, NamedTuple, Protocol, TypeGuard, runtime_checkable

import numpy as np
import numpy.typing as npt

from ldp.tally import Tally

__all__ = [
    "CandidateOracle",
    "FrequencyOracle",
    "LinearOracle",
    "Mechanism",
    "OutcomeMechanism",
    "Pair",
    "PureMechanism",
    "ReportType",
    "SupportMechanism",
    "WideOracle",
    "counts_outcomes",
]

Array = npt.NDArray[Any]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Bits = npt.NDArray[np.uint8]


class Pair(NamedTuple):
    """A number for the law and one for the frequencies of the users, mostly their errors."""

    law: float
    frequencies: float


class ReportType(NamedTuple):
    """What one report of a mechanism is."""

    dtype: np.dtype[Any]
    """The smallest that holds it, unsigned where no number is negative."""
    shape: tuple[int, ...] = ()
    """Shape of one report; a number has none."""
    bounds: tuple[int, int] | None = None
    """Least and largest, where a report is a number or several."""


@runtime_checkable
class Mechanism(Protocol):
    r"""A local randomizer of values 0..d-1: a frozen value whose meaning is its channel.

    Methods refuse bad arguments before any work, with a TypeError for another kind of object and a
    ValueError for one out of range. n is the number of users, and may be 0. Likelihood and
    posterior (:func:`ldp.maximum_likelihood`, :func:`ldp.bayes.gibbs`) need no more than
    `domain_size` and `likelihood` of it.
    """

    @property
    def domain_size(self) -> int:
        """Number :math:`d` of values."""

    @property
    def epsilon(self) -> float:
        r"""Privacy budget :math:`\epsilon`."""

    @property
    def report(self) -> ReportType:
        """What one report is; methods take no others, but numbers of any integer dtype."""

    def privatize(self, values: npt.ArrayLike, rng: np.random.Generator) -> Array:
        """Randomize each user's value: n integers from 0 to d-1 give n reports.

        They have ``report.dtype`` and the shape ``(n, *report.shape)``, and as many words of `rng`
        are used whatever the values are.
        """

    def tally(self, reports: Array) -> Tally:
        """Count reports."""

    def simulate(self, value_counts: npt.ArrayLike, rng: np.random.Generator) -> Tally:
        """Draw the tally without making the reports, for d numbers of users, 2**53 in all or less.

        Its law is that of ``tally(privatize(...))``, unless the mechanism says otherwise.
        """

    def channel(self) -> Floats:
        """Matrix of Pr[report | value], shape (d, number of outcomes), up to 2**24 cells.

        A ValueError refuses a larger one.
        """

    def outcomes(self, reports: Array) -> Integers:
        """Column of the channel for each report, shape (n,)."""

    def likelihood(self, reports: Array) -> Floats:
        """Pr[report | value] up to a factor of the report, shape (n, d), at any d."""


@runtime_checkable
class OutcomeMechanism(Mechanism, Protocol):
    """A mechanism whose report is an outcome's number; the tally counts each and loses nothing."""

    @property
    def num_outcomes(self) -> int:
        """Number of outcomes, and of the counts of a tally."""

    def tally_outcomes(self, reports: Array) -> Tally:
        """Count the reports of each outcome: the very function that `tally` is."""


@runtime_checkable
class LinearOracle(Protocol):
    r"""What the linear estimator and its variance need (:func:`ldp.debias`, :func:`ldp.variance`).

    One report adds, on average, :math:`p` to the count of its own value and :math:`q` to the
    count of any other; ``second_moment`` gives the average of its square.
    """

    @property
    def domain_size(self) -> int:
        """Number :math:`d` of values that are counted."""

    @property
    def p(self) -> float:
        """What one report adds on average to the count of its own value."""

    @property
    def q(self) -> float:
        """What one report adds on average to the count of another value."""

    def second_moment(self, frequency: Array | float, law: Array | None = None) -> Array:
        """Average square of what one report adds to a count, given the value's frequency.

        `law` holds the frequencies of all values where they are known or estimated, for the
        mechanism to which the other values matter; without it they are spread evenly.
        """


@runtime_checkable
class FrequencyOracle(LinearOracle, Mechanism, Protocol):
    """A mechanism whose tally is debiased value by value, by its `p`, `q` and `second_moment`."""


@runtime_checkable
class SupportMechanism(Mechanism, Protocol):
    r"""A mechanism whose report :math:`y` supports a set :math:`S(y)` of values.

    .. math:: \Pr[y\mid x] = C(y)\,(\text{odds}\text{ if }x\in S(y)\text{ else }1).
    """

    @property
    def odds(self) -> float:
        """How much likelier a report is under a value it supports than under another."""

    def support(self, reports: Array) -> Bits:
        """Bit-packed rows of S(y), shape (n, ceil(domain_size / 8))."""


@runtime_checkable
class PureMechanism(FrequencyOracle, SupportMechanism, Protocol):
    r"""A frequency oracle that counts supports.

    Then :math:`p` and :math:`q` are the probabilities that a report supports its own value and any
    one other value.
    """


@runtime_checkable
class CandidateOracle(FrequencyOracle, Protocol):
    """A frequency oracle by hashing, whose reports can be counted for some of the values alone."""

    @property
    def hashes(self) -> Any:
        """The family that hash functions are drawn from."""

    def tally(self, reports: Array, candidates: npt.ArrayLike | None = None) -> Tally:
        """Count the reports that support each candidate, or each value."""


@runtime_checkable
class WideOracle(CandidateOracle, Protocol):
    """One whose values nobody can list, and so draws the counts of candidates alone."""

    @property
    def num_bits(self) -> int:
        """Bits of a value."""

    def simulate(
        self,
        value_counts: npt.ArrayLike,
        rng: np.random.Generator,
        *,
        candidates: npt.ArrayLike | None = None,
        others: int = 0,
    ) -> Tally:
        """Draw the counts of candidates that so many users hold, and `others` none of them."""


def counts_outcomes(mechanism: object) -> TypeGuard[OutcomeMechanism]:
    """Say whether a tally counts outcomes: `tally` and `tally_outcomes` are one function.

    The names alone would not do: counts of supports that are taken for outcomes give wrong laws.

    Examples
    --------
    >>> from ldp import GRR, OUE
    >>> counts_outcomes(GRR(3, 1.0)), counts_outcomes(OUE(3, 1.0))
    (True, False)
    """
    kind: Any = type(mechanism)
    return isinstance(mechanism, OutcomeMechanism) and kind.tally is kind.tally_outcomes


def names_a_value(mechanism: object) -> TypeGuard[Any]:
    """Say whether a report is one value: with chance p the own one, with chance q any other."""
    if not (counts_outcomes(mechanism) and isinstance(mechanism, LinearOracle)):
        return False
    return math.isclose(mechanism.p + (mechanism.domain_size - 1) * mechanism.q, 1)
