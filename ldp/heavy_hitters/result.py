"""What was found, and what each round of the search saw."""

from dataclasses import dataclass

import numpy as np

from ldp import _checks
from ldp.heavy_hitters import _tails
from ldp.linear import check_oracle
from ldp.tally import Tally
from ldp.types import Floats, FrequencyOracle, Integers


@dataclass(frozen=True)
class Round:
    """One round of a search: who was asked what, and what came of it.

    Attributes
    ----------
    depth : int
        Bits that were asked for.
    mechanism : FrequencyOracle
        What the round's users reported by.
    tally : Tally
        Counts of the candidates that were kept, best first; equal counts by smaller code.
    num_candidates : int
        How many candidates were counted, those that were dropped included.
    best_dropped : int or None
        Largest count of a candidate that was dropped; None if all were kept.
    """

    depth: int
    mechanism: FrequencyOracle
    tally: Tally
    num_candidates: int
    best_dropped: int | None

    def __post_init__(self) -> None:
        """Refuse numbers that no round has."""
        check_oracle(self.mechanism)
        if not isinstance(self.tally, Tally):
            raise TypeError(f"tally must be a Tally, got {type(self.tally).__name__}.")
        listed = self.tally.candidates
        if listed is None or np.unique(listed).size != listed.size:
            raise ValueError("tally must be of candidates, each once, got another.")
        if self.tally.mechanism != self.mechanism:
            raise ValueError(f"tally must be of mechanism {self.mechanism}, got another.")
        if self.tally.num_reports == 0:
            raise ValueError("tally must hold at least one report, got 0.")
        _checks.integer(self.depth, "depth", 1)
        _checks.integer(self.num_candidates, "num_candidates", listed.size)
        if self.best_dropped is not None:
            _checks.integer(self.best_dropped, "best_dropped", 0, int(self.tally.counts.min()))

    @property
    def users(self) -> int:
        """How many users answered."""
        return self.tally.num_reports


@dataclass(frozen=True, eq=False)
class HeavyHitters:
    """Values that were found, most frequent first.

    Attributes
    ----------
    values : ndarray of int64, shape (k,)
        What was found; equal estimates by smaller code.
    frequencies : ndarray, shape (k,)
        Estimates from the last round. That of a value chosen beforehand is unbiased; those of the
        best of many are too large on average, since luck helped to choose them.
    rounds : tuple of Round
        What each round saw.

    Examples
    --------
    >>> from ldp.heavy_hitters import prefix_rounds, simulate_prefixes
    >>> rounds, rng = prefix_rounds(48, 3.0), np.random.default_rng(1)
    >>> found = simulate_prefixes([7, 9], [10**6, 10**5], rounds, rng, top_k=2)
    >>> lower, upper = found.intervals()
    >>> bool((lower < [10 / 11, 1 / 11]).all() and (upper > [10 / 11, 1 / 11]).all())
    True
    >>> found.upper() < 0.02
    True
    """

    values: Integers
    frequencies: Floats
    rounds: tuple[Round, ...]

    def __post_init__(self) -> None:
        """Refuse parts that do not fit together."""
        given = _checks.integers(self.values, "values")
        size = given.size
        if np.unique(given).size != size:
            raise ValueError("values must be different, got one twice.")
        shape = _checks.reals(self.frequencies, "frequencies").shape
        if shape != (size,):
            raise ValueError(f"frequencies must have shape ({size},), got {shape}.")
        if not isinstance(self.rounds, tuple) or not all(isinstance(r, Round) for r in self.rounds):
            raise TypeError(f"rounds must be a tuple of Round, got {_checks.shown(self.rounds)}.")
        counted = self.rounds[-1].tally.counts.size if self.rounds else 0
        if size != counted:
            raise ValueError(f"values must be the {counted} of the last round, got {size}.")

    def upper(self, level: float = 0.95) -> float:
        r"""Bound :math:`U`: with probability at least `level` nothing else is more frequent.

        Let :math:`F_i(c,f)` be the chance that a value of frequency :math:`f` counts at most
        :math:`c` among the :math:`n_i` users of round :math:`i`, a binomial tail. That some value
        :math:`x`, in some round of :math:`R`, has :math:`F_i(c_x,f_x)\le\alpha f_x/R` has a chance
        of at most :math:`\sum_x\sum_i\alpha f_x/R=\alpha`, since frequencies sum to one. Otherwise
        whatever round :math:`i` dropped has :math:`F_i(c^*_i,f)>\alpha f/R`, for the largest
        dropped count :math:`c^*_i`; the largest such :math:`f` of all rounds is :math:`U`. The
        tail is exact for a sum of independent answers.

        Raises
        ------
        TypeError, ValueError
            If `level` is not between 0 and 1, or values can be lost uncounted, as
            :func:`find_strings` loses them.
        """
        alpha = _tails.risk(level)
        if not _tails.all_counted(self.rounds):
            raise ValueError(_tails.HIDDEN)
        for one in self.rounds:
            _tails.check_exact(one)
        return _tails.largest_missed(self.rounds, alpha)

    def intervals(self, level: float = 0.95) -> tuple[Floats, Floats]:
        r"""Intervals for the found values' frequencies in the population, all together.

        They hold for *all* candidates of the last round together, so that choosing the best of
        them does no harm: the binomial tails at either end have a chance of :math:`\alpha/2m`
        each, for m candidates. The users may be a sample of the population, as those of one round
        are of all. Tails are exact: at such small chances those of a normal approximation, as of
        :func:`ldp.confidence_interval`, may be too light by half.

        Returns
        -------
        lower, upper : ndarray, shape (k,)

        Raises
        ------
        TypeError, ValueError
            If `level` is not between 0 and 1.
        """
        alpha = _tails.risk(level)
        if not self.values.size:
            return np.zeros(0), np.zeros(0)
        last = self.rounds[-1]
        _tails.check_exact(last)
        return _tails.frequency_interval(last, alpha / last.num_candidates)
