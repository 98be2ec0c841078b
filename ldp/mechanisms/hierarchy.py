"""Hierarchical histograms: intervals of every length, each level by a frequency oracle."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._frozen import freeze
from ldp.assigned import Assigned, AssignedReports, Intervals
from ldp.linear import debias, variance
from ldp.mechanisms.unary import OUE
from ldp.tally import Tally
from ldp.types import Floats, FrequencyOracle


@dataclass(frozen=True, init=False)
class HierarchicalHistogram:
    r"""A tree of intervals; every user reports the interval of one random level.

    Level :math:`l=1,\dots,h` cuts the domain into :math:`\beta^l` intervals of
    :math:`\beta^{h-l}` values. A user with value :math:`x` draws a level uniformly, whatever
    :math:`x`, and sends :math:`\lfloor x/\beta^{h-l}\rfloor` through that level's oracle with the
    whole budget.

    Parameters
    ----------
    domain_size : int
        Number :math:`d=\beta^h` of values, a power of the branching.
    epsilon : float
        Privacy budget.
    branching : int
        Number :math:`\beta\ge2` of children of a node.
    oracle : callable
        ``oracle(size, epsilon)`` makes the :class:`ldp.FrequencyOracle` of a level of so many
        intervals, such as :class:`ldp.GRR`, :func:`ldp.OUE`, or a function that takes one where
        levels are small and another where they are large.

    Attributes
    ----------
    levels : tuple of FrequencyOracle
        The oracles of levels 1 to h.

    Raises
    ------
    TypeError, ValueError
        If `domain_size` is no power of `branching`, or `oracle` is not callable or makes something
        else than an oracle of that size within the budget.

    Notes
    -----
    The level says nothing about the value and is public; the report at it is :math:`\epsilon`-LDP,
    and so are both together. The other way to serve all levels is to report on each with
    :math:`\epsilon/h`. Then all users count on every level, but noise grows faster than the number
    of users shrinks: for OUE its variance per report is :math:`1/\sinh^2(\epsilon/2)`, and
    :math:`\sinh(\epsilon/2)\ge h\sinh(\epsilon/2h)`, so that it grows by :math:`h^2` or more
    against the :math:`h` that users on one level out of h cost.

    Examples
    --------
    >>> h = HierarchicalHistogram(16, 1.0)
    >>> rng = np.random.default_rng(0)
    >>> tallies = h.tally(h.privatize([0, 3, 3, 5, 12, 15] * 1000, rng))
    >>> [level.shape for level in h.nodes(tallies)]
    [(1,), (4,), (16,)]

    References
    ----------
    ``cormode2019answering``; ``qardaji2013understanding``.
    """

    domain_size: int
    epsilon: float
    branching: int
    levels: tuple[FrequencyOracle, ...]

    def __init__(
        self,
        domain_size: int,
        epsilon: float,
        branching: int = 4,
        oracle: Callable[[int, float], FrequencyOracle] = OUE,
    ) -> None:
        d, budget = _checks.domain_size(domain_size), _checks.epsilon(epsilon)
        base = _checks.integer(branching, "branching", 2)
        sizes = [base]
        while sizes[-1] < d:
            sizes.append(sizes[-1] * base)
        if sizes[-1] != d:
            raise ValueError(
                f"domain_size must be a power of branching = {base}, such as {sizes[-1]}, got {d}."
            )
        if not callable(oracle):
            raise TypeError(f"oracle must be callable, got {_checks.shown(oracle)}.")
        levels = tuple(_level(oracle, size, budget) for size in sizes)
        freeze(self, domain_size=d, epsilon=budget, branching=base, levels=levels)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of intervals on each of the levels 1 to h."""
        return tuple(level.domain_size for level in self.levels)

    @property
    def questions(self) -> Assigned:
        """What users are asked: each level as often as any other, and of it the interval."""
        d, share = self.domain_size, 1 / len(self.levels)
        return Assigned([(Intervals(d, d // m.domain_size), m, share) for m in self.levels])

    def privatize(self, values: npt.ArrayLike, rng: np.random.Generator) -> AssignedReports:
        """Draw a level for each user and report the interval there."""
        return self.questions.privatize(values, rng)

    def tally(self, reports: AssignedReports) -> tuple[Tally, ...]:
        """Count the reports of every level."""
        return self.questions.tally(reports)

    def simulate(self, value_counts: npt.ArrayLike, rng: np.random.Generator) -> tuple[Tally, ...]:
        """Draw the tallies exactly: the users of each value fall on the levels multinomially."""
        counts = _checks.value_counts(value_counts, self.domain_size)
        shares = zip(self.levels, self.questions.split(counts, rng), strict=True)
        return tuple(m.simulate(s.reshape(m.domain_size, -1).sum(axis=1), rng) for m, s in shares)

    def nodes(self, tallies: Sequence[Tally]) -> tuple[Floats, ...]:
        """Unbiased estimates of the frequency of every interval, the root (1) first.

        Every level needs a report. Levels do not agree: see :func:`ldp.trees.least_squares_tree`
        and :func:`ldp.trees.hh_admm`.
        """
        self._check_tallies(tallies)
        estimates = (debias(t, level) for t, level in zip(tallies, self.levels, strict=True))
        return np.ones(1), *estimates

    def variances(self, tallies: Sequence[Tally]) -> Floats:
        r"""Noise variance of a rare interval's estimate on every level, the root (0) first.

        Entry l is ``variance(levels[l - 1], n_l)`` for the :math:`n_l` reports of level l. Two
        things are left out: the noise of an interval of frequency :math:`f` is
        ``variance(levels[l - 1], n_l, f)``; and a level sees only a sample of all :math:`n` users,
        which adds

        .. math:: \frac{f(1-f)}{n_l}\,\frac{n-n_l}{n-1}.
        """
        self._check_tallies(tallies)
        noise = [variance(m, t.num_reports) for t, m in zip(tallies, self.levels, strict=True)]
        return np.array([0.0, *noise])

    def _check_tallies(self, tallies: Sequence[Tally]) -> None:
        if not isinstance(tallies, tuple | list):
            raise TypeError(f"tallies must be a tuple, got {type(tallies).__name__}.")
        if len(tallies) != len(self.levels):
            raise ValueError(f"tallies must be of {len(self.levels)} levels, got {len(tallies)}.")
        for i, (tally, level) in enumerate(zip(tallies, self.levels, strict=True), start=1):
            if not isinstance(tally, Tally):
                raise TypeError(f"tallies must be of type Tally, got {type(tally).__name__}.")
            if tally.mechanism is not None and tally.mechanism != level:
                raise ValueError(
                    f"tallies must be of {level} on level {i}, "
                    f"got one of {_checks.shown(tally.mechanism)}."
                )
            if tally.candidates is not None or tally.counts.size != level.domain_size:
                raise ValueError(
                    f"tallies must have {level.domain_size} counts on level {i}, "
                    f"got {tally.counts.size}."
                )
            if tally.num_reports == 0:
                raise ValueError(
                    f"tallies must have at least one report on every level, got 0 on level {i}."
                )


def _level(
    oracle: Callable[[int, float], FrequencyOracle], size: int, epsilon: float
) -> FrequencyOracle:
    """Make the oracle of one level and refuse one that would break the tree or the promise."""
    made = oracle(size, epsilon)
    if not isinstance(made, FrequencyOracle):
        raise TypeError(f"oracle must make frequency oracles, got {_checks.shown(made)}.")
    if made.domain_size != size:
        raise ValueError(
            f"oracle must make oracles of the size asked for, {size}, got {made.domain_size}."
        )
    if made.epsilon > epsilon:
        raise ValueError(
            f"oracle must make oracles within the budget of {epsilon}, got {made.epsilon}."
        )
    return made
