"""AdOBEst-LDP: every user is asked in the way that what the earlier ones said makes best."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._frozen import freeze
from ldp.likelihood.prior import prior_concentration
from ldp.mechanisms.restricted import RRRR
from ldp.mechanisms.restricted_levels import check_budgets
from ldp.protocols._rounds import run_rounds
from ldp.protocols.law_samplers import Sampler, check_sampler
from ldp.protocols.prefixes import Prefix, check_rule, compiled_rule
from ldp.tally import Tally
from ldp.types import Bools, Floats, Integers


@dataclass(frozen=True, eq=False)
class AdaptiveRun:
    """What was asked, answered and believed.

    Attributes
    ----------
    domain_size, epsilon, epsilon_inner
        Of all the mechanisms.
    reports : ndarray of int, shape (n,)
        Report of every user.
    starts : ndarray of int, shape (r,)
        First user of every round.
    subsets : ndarray of bool, shape (r, d)
        Which values the subset of a round held.
    laws : ndarray, shape (r + 1, d)
        The law before the first round, and after every round.
    """

    domain_size: int
    epsilon: float
    epsilon_inner: float
    reports: Integers
    starts: Integers
    subsets: Bools
    laws: Floats

    def __post_init__(self) -> None:
        """Keep a copy of the history as it was, and refuse parts that do not fit together."""
        d = _checks.domain_size(self.domain_size)
        check_budgets(d, 0, self.epsilon, self.epsilon_inner)
        reports = _checks.integers_below(self.reports, "reports", d).copy()
        starts = _checks.integers_below(self.starts, "starts", max(1, reports.size)).copy()
        if not starts.size or starts[0] != 0 or (np.diff(starts) <= 0).any():
            raise ValueError(f"starts must rise from 0, got {_checks.shown(starts)}.")
        subsets = np.array(_checks.plain_array(self.subsets, "subsets"))
        laws = np.array(_checks.reals(self.laws, "laws"))
        if subsets.dtype != np.bool_:
            raise TypeError(f"subsets must be booleans, got dtype {subsets.dtype}.")
        for name, array, rows in (
            ("subsets", subsets, starts.size),
            ("laws", laws, starts.size + 1),
        ):
            if array.shape != (rows, d):
                raise ValueError(f"{name} must have shape {(rows, d)}, got {array.shape}.")
        for array in (reports, starts, subsets, laws):
            array.flags.writeable = False
        freeze(self, reports=reports, starts=starts, subsets=subsets, laws=laws)

    @property
    def sizes(self) -> Integers:
        """Number k of values in the subset of every round."""
        sizes: Integers = self.subsets.sum(axis=1)
        return sizes

    @property
    def mechanisms(self) -> list[RRRR]:
        """The different mechanisms that were used."""
        masks, _ = self._distinct
        return [
            RRRR(self.domain_size, self.epsilon, np.flatnonzero(mask), self.epsilon_inner)
            for mask in masks
        ]

    @property
    def tallies(self) -> list[Tally]:
        """The reports of each of `mechanisms`, counted: all that the reports say of the law."""
        masks, which = self._distinct
        d, lengths = self.domain_size, np.diff(self.starts, append=self.reports.size)
        cells = np.repeat(which, lengths) * d + self.reports
        counts = np.bincount(cells, minlength=len(masks) * d).reshape(-1, d)
        pairs = zip(counts, self.mechanisms, strict=True)
        return [Tally(row, int(row.sum()), mechanism) for row, mechanism in pairs]

    @cached_property
    def _distinct(self) -> tuple[Bools, Integers]:
        masks, which = np.unique(self.subsets, axis=0, return_inverse=True)
        return masks, which.reshape(-1).astype(np.int64)


def adobest(
    values: npt.ArrayLike,
    domain_size: int,
    epsilon: float,
    rule: Prefix,
    sampler: Sampler,
    rng: np.random.Generator,
    *,
    users_per_round: int = 1,
    growth: float = 0.0,
) -> AdaptiveRun:
    r"""Ask users one after another, each in the way that suits what the earlier ones said.

    In round t (S000's Algorithm 2, where a round is one user):

    1. the rule chooses a subset :math:`S_t` at the law :math:`\Theta_{t-1}`;
    2. the users of the round answer by :class:`ldp.RRRR` with that subset;
    3. the sampler draws :math:`\Theta_t` from the posterior given all reports so far.

    :math:`\Theta_0` is uniform. Each user answers once, with budget `epsilon` whatever the earlier
    reports were, so the whole is :math:`\epsilon`-LDP.

    Parameters
    ----------
    values : array_like of int, shape (n,)
        Value of every user, in the order in which they are asked; at least one.
    domain_size : int
        Number d of values.
    epsilon : float
        Privacy budget of every user.
    rule : BestPrefix, MassPrefix or EmptyPrefix
        Adaptive, semi-adaptive or non-adaptive choice of subsets.
    sampler : LangevinSampler, GibbsSampler or SliceSampler
        How to draw the next law: as S000 does, or from the posterior itself.
    rng : numpy.random.Generator
        Source of randomness.
    users_per_round : int
        Users between one draw of the law and the next.
    growth : float
        A round has about this share of the users before it, so that rounds become longer.

    Returns
    -------
    AdaptiveRun
        Estimate the law from ``run.mechanisms`` and ``run.tallies``: by
        :func:`ldp.maximum_likelihood`, or by the mean of :func:`ldp.bayes.slice_sample`.

    Raises
    ------
    TypeError, ValueError
        If there is no value, one is not in 0..d-1, or another argument is not as above.
    FloatingPointError
        If the step sizes of Langevin dynamics are too large.

    Notes
    -----
    Langevin dynamics cost the same for every user. The other samplers read all counts in every
    round, so that with one user per round the cost grows with the square of the users; with
    ``growth=0.02`` the rounds grow in number with the logarithm of the users only.

    Examples
    --------
    >>> from ldp import adobest, maximum_likelihood
    >>> from ldp.protocols import BestPrefix, SliceSampler
    >>> rng = np.random.default_rng(0)
    >>> values = rng.choice(5, size=2_000, p=[0.8, 0.1, 0.1, 0.0, 0.0])
    >>> run = adobest(values, 5, 2.0, BestPrefix("honest", 0.9), SliceSampler(), rng)
    >>> run.subsets[-1].nonzero()[0]
    array([0])
    >>> maximum_likelihood(run.tallies, run.mechanisms).theta.round(2)
    array([0.8 , 0.1 , 0.09, 0.  , 0.  ])

    References
    ----------
    ``S000``, Algorithm 2.
    """
    d = _checks.domain_size(domain_size)
    given = _checks.values(values, d)
    if not given.size:
        raise ValueError("values must be at least one, got 0.")
    budget, asked = _checks.epsilon(epsilon), compiled_rule(check_rule(rule), d, epsilon)
    rng = _checks.rng(rng)
    starts = _starts(given.size, users_per_round, growth)
    sampler, ends = check_sampler(sampler), np.append(starts, given.size)
    prior = prior_concentration(sampler.concentration, d)
    history = run_rounds(sampler, given, ends, asked, prior, rng)
    return AdaptiveRun(d, budget, asked.inner, history.reports, starts, *history[1:])


def _starts(num_users: int, users_per_round: int, growth: float) -> Integers:
    """First user of every round."""
    least = _checks.integer(users_per_round, "users_per_round", 1)
    share = _checks.share(growth, "growth")
    least = min(least, num_users)
    if share == 0:
        return np.arange(0, num_users, least)
    starts = [0]
    while (after := starts[-1] + max(least, int(share * starts[-1]))) < num_users:
        starts.append(after)
    return np.array(starts)
