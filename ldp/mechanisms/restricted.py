"""Randomly restricted randomized response: mostly among the values that matter."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ldp import _checks, _kernels
from ldp._frozen import freeze
from ldp._words import words
from ldp.mechanisms import restricted_levels, shared
from ldp.mechanisms.reports import number_outcomes, outcome_number
from ldp.tally import Tally
from ldp.types import Array, Floats, Integers


@dataclass(frozen=True, init=False)
class RRRR:
    r"""Randomize within a subset and one random value outside it.

    A value outside the subset :math:`S` is first randomized among the :math:`m` values outside it,
    with budget :math:`\epsilon_2`; it, or for a value in :math:`S` a uniform one, joins
    :math:`S`, and randomized response with budget :math:`\epsilon_1` answers within these
    :math:`k+1` values, :math:`k=|S|`:

    .. math:: \Pr[y\mid x]=\begin{array}{c|cc} & y\in S & y\notin S\\ \hline
              x\in S & \frac{e^{\epsilon_1}\text{ if }y=x\text{ else }1}{e^{\epsilon_1}+k}
              & \frac1m\,\frac1{e^{\epsilon_1}+k}\\
              x\notin S & \frac1{e^{\epsilon_1}+k} & \frac{e^{\epsilon_1}}{e^{\epsilon_1}+k}\,
              \frac{e^{\epsilon_2}\text{ if }y=x\text{ else }1}{e^{\epsilon_2}+m-1}\end{array}

    .. math:: \epsilon_2=\min\Bigl\{\epsilon,\ \ln\frac{m-1}{m e^{\epsilon_1-\epsilon}-1}\Bigr\}
              \text{ if }\epsilon-\epsilon_1<\ln m\text{ and }k>0,\text{ else }\epsilon.

    Parameters
    ----------
    domain_size : int
        Number :math:`d\ge 2` of values 0..d-1.
    epsilon : float
        Privacy budget.
    subset : sequence of int
        The values of :math:`S`, in any order; none gives :class:`ldp.GRR`. At least one value must
        stay outside.
    epsilon_inner : float
        Budget :math:`\epsilon_1\le\epsilon` of the answer.

    Raises
    ------
    TypeError, ValueError
        If the subset is not of distinct values or leaves none outside, or a budget is not positive
        or beyond what float64 can tell.

    Notes
    -----
    A report is an integer, shape ``(n,)``. Whatever speaks for other values has integer weights
    just above the stated ones out of :math:`2^{64}`, the truth has the rest, so the emitted law
    never exceeds `epsilon`. Between one value of the subset and another a report says what
    randomized response says; there is no single p and q to debias a count with. Estimate by
    :func:`ldp.maximum_likelihood`; a tally counts the reports of each value.

    Examples
    --------
    >>> m = RRRR(5, 1.0, [0], 0.8)
    >>> m.channel()[1].round(3)
    array([0.31 , 0.211, 0.16 , 0.16 , 0.16 ])
    >>> round(m.epsilon_outer, 3)
    0.277

    References
    ----------
    ``S000``, Algorithm 1 and "LDP of RRRR".
    """

    domain_size: int
    epsilon: float
    subset: tuple[int, ...]
    epsilon_inner: float

    def __init__(
        self, domain_size: int, epsilon: float, subset: Iterable[int], epsilon_inner: float
    ) -> None:
        d = _checks.domain_size(domain_size)
        chosen = _subset(subset, d)
        budget, inner = restricted_levels.check_budgets(d, len(chosen), epsilon, epsilon_inner)
        freeze(self, domain_size=d, epsilon=budget, subset=chosen, epsilon_inner=inner)

    @property
    def levels(self) -> restricted_levels.Levels:
        """The five probabilities of the channel."""
        d, size = self.domain_size, len(self.subset)
        return restricted_levels.levels(d, size, self.epsilon, self.epsilon_inner)

    @property
    def epsilon_outer(self) -> float:
        r"""Budget :math:`\epsilon_2` of the answer outside the subset, the largest that is allowed.

        With a subset and ``epsilon_inner=epsilon`` it is 0: then reports do not tell the values
        outside from each other.
        """
        if self.domain_size - len(self.subset) == 1:
            return self.epsilon
        return max(0.0, math.log(self.levels.own_out) - math.log(self.levels.other_out))

    @property
    def spent_epsilon(self) -> float:
        """Budget that the reports really spend.

        It is ``epsilon``, but only ``epsilon_inner`` where a single value is outside. There
        ``epsilon_inner=epsilon`` spends the rest and is better for everybody.
        """
        alone = self.domain_size - len(self.subset) == 1
        return self.epsilon_inner if alone else self.epsilon

    @property
    def num_outcomes(self) -> int:
        """A report is one of the values."""
        return self.domain_size

    report = property(outcome_number)
    outcomes = number_outcomes
    tally = tally_outcomes = shared.count_outcomes
    check_counts = shared.outcome_counts

    def privatize(self, values: npt.ArrayLike, rng: np.random.Generator) -> Array:
        """Report a value of the subset, one from outside it, or the truth."""
        given = _checks.values(values, self.domain_size)
        rng = _checks.rng(rng)
        order = self._order()
        places = np.argsort(order)
        reports = np.empty(given.size, dtype=self.report.dtype)
        for chunk in _kernels.chunks(given.size, 1):
            restricted_levels.restricted_response(
                given[chunk],
                words(rng, chunk.stop - chunk.start),
                order,
                places,
                len(self.subset),
                restricted_levels.weights(self.levels),
                reports[chunk],
            )
        return reports

    def simulate(self, value_counts: npt.ArrayLike, rng: np.random.Generator) -> Tally:
        """Draw the tally exactly: each value's users split over three kinds of reports."""
        counts = _checks.value_counts(value_counts, self.domain_size)
        rng = _checks.rng(rng)
        inside = self._inside()
        cells = np.zeros(self.domain_size, dtype=np.int64)
        own_in, other_in, _, own_out, other_out = self.levels
        # Whatever falls evenly on a group is gathered first; the truth keeps the excess.
        reports_inside = len(self.subset) * other_in
        for group, own in ((inside, own_in - other_in), (~inside, own_out - other_out)):
            rest = max(0.0, 1 - own - reports_inside)
            split = rng.multinomial(counts[group], [own, reports_inside, rest])
            cells[group] += split[:, 0]
            for members, number in ((inside, split[:, 1].sum()), (~inside, split[:, 2].sum())):
                size = int(members.sum())
                if size:
                    cells[members] += rng.multinomial(number, np.full(size, 1 / size))
        return Tally(cells, int(counts.sum()), self)

    def channel(self) -> Floats:
        """Matrix of the five levels."""
        _checks.channel_size(self.domain_size, self.domain_size)
        return self.likelihood(np.arange(self.domain_size)).T

    def likelihood(self, reports: npt.ArrayLike) -> Floats:
        """Columns of the channel, shape (n, domain_size)."""
        given = self.outcomes(reports)
        inside = self._inside()
        own_in, other_in, across, own_out, other_out = self.levels
        rows = np.where(inside[given][:, None], other_in, np.where(inside, across, other_out))
        rows[np.arange(given.size), given] = np.where(inside[given], own_in, own_out)
        return rows

    def _inside(self) -> npt.NDArray[np.bool_]:
        mask = np.zeros(self.domain_size, dtype=np.bool_)
        mask[list(self.subset)] = True
        return mask

    def _order(self) -> Integers:
        """The values, those of the subset first."""
        return np.argsort(~self._inside(), kind="stable")


def _subset(subset: Iterable[int], domain_size: int) -> tuple[int, ...]:
    if isinstance(subset, Mapping):
        raise TypeError(f"subset must be a sequence of values, got {type(subset).__name__}.")
    listed = isinstance(subset, Iterable) and not isinstance(subset, np.ndarray)
    given = list(subset) if listed else subset
    chosen = _checks.integers_below(given, "subset", domain_size)
    distinct = np.unique(chosen)
    if distinct.size != chosen.size:
        repeated = next(v for v in chosen if (chosen == v).sum() > 1)
        raise ValueError(f"subset must have distinct values, got {repeated} twice.")
    if distinct.size == domain_size:
        raise ValueError(f"subset must leave a value outside, got all {domain_size}.")
    return tuple(int(v) for v in distinct)
