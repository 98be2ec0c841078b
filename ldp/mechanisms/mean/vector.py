"""Means of many numbers per user: report a few of them, or all with a smaller budget each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._words import words
from ldp.mechanisms._shared import freeze
from ldp.types import Array, Floats

REPORT = np.dtype([("dimension", np.int64), ("report", np.int64)])


@dataclass(frozen=True, init=False)
class VectorMean:
    r"""Means of D numbers, all in one range, from users who report k of theirs each.

    Every user draws k of the D dimensions, evenly and whatever the values, and reports each by a
    mean oracle of budget :math:`\epsilon/k`; which ones were drawn is public. With k = D the budget
    is split among all dimensions; with k = 1 the users are.

    The estimate adds up how far the numbers lie from the middle of the range, times :math:`D/k`.
    Given the value :math:`x`, at the distance :math:`z` from the middle, and the variance
    :math:`V(x)` of the oracle, one user adds to the variance of a dimension's mean, times
    :math:`n^2`,

    .. math:: \frac Dk\left(V(x)+z^2\right)-z^2

    Parameters
    ----------
    oracle : callable
        Makes the mean oracle of one number: ``oracle(lower, upper, epsilon / num_reported)``, such
        as :class:`ldp.OneBitMean`.
    lower, upper : float
        Ends of the range of every number.
    epsilon : float
        Privacy budget of the whole vector.
    num_dimensions : int
        :math:`D\ge 1`.
    num_reported : int
        :math:`k` from 1 to D.

    Raises
    ------
    TypeError, ValueError
        As the oracle, or if `num_dimensions` or `num_reported` is out of range.

    Examples
    --------
    >>> from ldp import OneBitMean
    >>> m = VectorMean(OneBitMean, -1.0, 1.0, 1.0, num_dimensions=8)
    >>> reports = m.privatize(np.zeros((5, 8)), np.random.default_rng(1))
    >>> reports.shape, m.mean(reports).shape
    ((5, 1), (8,))

    References
    ----------
    ``nguyen2016collecting``; ``duchi2018minimax``; ``wang2019collecting``, section IV.
    """

    oracle: Callable[[float, float, float], Any]
    lower: float
    upper: float
    epsilon: float
    num_dimensions: int
    num_reported: int

    def __init__(
        self,
        oracle: Callable[[float, float, float], Any],
        lower: float,
        upper: float,
        epsilon: float,
        num_dimensions: int,
        num_reported: int = 1,
    ) -> None:
        if not callable(oracle):
            raise TypeError(f"oracle must be a callable, got {oracle!r}.")
        ends, budget = _checks.interval(lower, upper), _checks.epsilon(epsilon)
        dimensions = _checks.integer(num_dimensions, "num_dimensions", 1, 2**31)
        freeze(
            self,
            oracle=oracle,
            lower=ends[0],
            upper=ends[1],
            epsilon=budget,
            num_dimensions=dimensions,
            num_reported=_checks.integer(num_reported, "num_reported", 1, dimensions),
        )
        made = self.coordinate
        if not getattr(made, "epsilon", np.inf) <= budget / self.num_reported:
            raise ValueError(
                f"oracle must make a mean oracle of epsilon at most {budget / self.num_reported}, "
                f"got {made!r}."
            )

    @property
    def coordinate(self) -> Any:
        """The oracle of one reported number."""
        return self.oracle(self.lower, self.upper, self.epsilon / self.num_reported)

    def privatize(self, values: npt.ArrayLike, rng: np.random.Generator) -> Array:
        """Report k dimensions of each user's vector.

        Parameters
        ----------
        values : array_like, shape (n, D)
            Numbers in the range.
        rng : numpy.random.Generator

        Returns
        -------
        structured ndarray, shape (n, k)
            Fields `dimension` and `report`.
        """
        given = _checks.reals_between(values, "values", self.lower, self.upper, 2)
        if given.shape[1] != self.num_dimensions:
            raise ValueError(
                f"values must have shape (n, {self.num_dimensions}), got {given.shape}."
            )
        rng = _checks.rng(rng)
        # The dimensions with the k smallest of D random words are an even choice.
        order = np.argsort(words(rng, given.shape), axis=1, kind="stable")
        chosen = order[:, : self.num_reported]
        reports = np.empty(chosen.shape, dtype=REPORT)
        reports["dimension"] = chosen
        picked = np.take_along_axis(given, chosen, axis=1)
        reports["report"] = self.coordinate.privatize(picked.ravel(), rng).reshape(chosen.shape)
        return reports

    def mean(self, reports: Array) -> Floats:
        """Unbiased estimate of the mean in every dimension, shape (D,)."""
        given = _checks.plain_array(reports, "reports")
        if given.dtype != REPORT:
            raise TypeError(f"reports must have the fields of {REPORT}, got dtype {given.dtype}.")
        if given.ndim != 2 or given.shape[1] != self.num_reported or not len(given):
            raise ValueError(
                f"reports must have shape (n, {self.num_reported}) with n > 0, got {given.shape}."
            )
        dimensions = _checks.integers_below(
            given["dimension"].ravel(), "dimensions of reports", self.num_dimensions
        )
        middle = self.lower + (self.upper - self.lower) / 2
        numbers = self.coordinate.unbiased(given["report"].ravel()) - middle
        sums = np.bincount(dimensions, weights=numbers, minlength=self.num_dimensions)
        means: Floats = middle + self.num_dimensions / self.num_reported * sums / len(given)
        return means

    def variance(self, values: npt.ArrayLike) -> Floats:
        """Variance that one user adds to the mean of one dimension, times n squared.

        Parameters
        ----------
        values : array_like, any shape
            The user's value in that dimension.
        """
        noise = self.coordinate.variance(values)
        middle = self.lower + (self.upper - self.lower) / 2
        square = (np.asarray(values, dtype=np.float64) - middle) ** 2
        inflation = self.num_dimensions / self.num_reported
        result: Floats = inflation * (noise + square) - square
        return result
