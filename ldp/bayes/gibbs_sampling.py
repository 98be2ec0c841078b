r"""Gibbs sampling of the posterior, for any number of reports and values.

Every report is read as one of two kinds. With chance :math:`1/L_i`,
:math:`L_i=1+(\text{odds}-1)\,\theta(S_i)`, it is noise and says nothing about the law; else it is
explained by one of the values it supports. Explained users alone make up the posterior
:math:`\operatorname{Dir}(\alpha+N)`. To guess a value for the others too, as is usual, would be
right as well, but it tells the chain only what it knows already, and it would move more slowly.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._frozen import freeze
from ldp.bayes._gibbs_kernels import count_explained, count_supported
from ldp.bayes.subset_counts import SubsetCounts, draw_by_subset, gather_counts
from ldp.likelihood.evidence import Evidence, Rows, Supports, byte_table, parts_of
from ldp.likelihood.prior import MOST_DRAWS, check_concentration, check_draws
from ldp.likelihood.reports import domain_of, whole_counts
from ldp.tally import Tally
from ldp.types import Array, Floats, Integers, Mechanism

_USERS_AT_ONCE = 2**17
_LEAST_START = 1e-100  # a start at 0 could make a report impossible; only starts are floored
_MANY_EQUAL = 4  # reports per cell of the table of distinct reports and values


@dataclass(frozen=True, eq=False)
class GibbsSample:
    """Draws from the posterior, by several chains.

    Attributes
    ----------
    laws : ndarray, shape (chains, draws, d)
        Laws of the population.
    concentrations : ndarray, shape (chains, draws, d)
        Concentration of the Dirichlet law from which each of them was drawn: the prior's plus the
        number of explained users per value.
    prior : ndarray, shape (d,)
        Concentration of the prior.
    num_reports : int
        Number of reports.
    """

    laws: Floats
    concentrations: Floats
    prior: Floats
    num_reports: int

    def __post_init__(self) -> None:
        """Refuse draws of other shapes than those of the prior and of each other."""
        prior = _checks.positive_vector(self.prior, "prior")
        laws = check_draws(self.laws, "laws", prior.size)
        concentrations = check_draws(self.concentrations, "concentrations", prior.size)
        if laws.shape != concentrations.shape:
            raise ValueError(
                f"concentrations must have the shape of laws, {laws.shape}, "
                f"got {concentrations.shape}."
            )
        size = _checks.integer(self.num_reports, "num_reports", 1)
        freeze(self, laws=laws, concentrations=concentrations, prior=prior, num_reports=size)

    @property
    def mean(self) -> Floats:
        """Estimated posterior mean of the law, shape (d,).

        The average of the means of the Dirichlet laws, not of the drawn laws, which would add their
        noise (Rao-Blackwell).
        """
        expected: Floats = self._means().mean(axis=(0, 1))
        return expected

    @property
    def standard_error(self) -> Floats:
        """Monte Carlo standard error of `mean`, from the spread of the chains' own means."""
        of_chains = self._means().mean(axis=1)
        error: Floats = of_chains.std(axis=0, ddof=1) / np.sqrt(len(of_chains))
        return error

    @property
    def frequency_mean(self) -> Floats:
        """Estimated posterior mean of the users' frequencies, which `mean` determines."""
        total = self.prior.sum() + self.num_reports
        expected: Floats = (total * self.mean - self.prior) / self.num_reports
        return expected

    def _means(self) -> Floats:
        means: Floats = self.concentrations / self.concentrations.sum(axis=-1, keepdims=True)
        return means


def gibbs(
    reports: Array | Tally | Sequence[Array | Tally],
    mechanism: Mechanism | Sequence[Mechanism],
    concentration: npt.ArrayLike,
    num_draws: int,
    rng: np.random.Generator,
    *,
    burn_in: int,
    num_chains: int = 4,
) -> GibbsSample:
    r"""Draw laws from the posterior under a Dirichlet prior.

    .. math:: \Pr[Z_i=v\mid\theta]=\frac{(\text{odds}-1)\,\theta_v\,1\{v\in S_i\}}{L_i},\quad
              \Pr[Z_i\text{ noise}\mid\theta]=\frac1{L_i},\qquad
              \theta\mid Z\sim\operatorname{Dir}(\alpha+N),\quad N_v=\#\{i:Z_i=v\}

    Parameters
    ----------
    reports : ndarray or Tally, or list of them
        As for :func:`ldp.maximum_likelihood`: at least one report, per mechanism of a list.
    mechanism : Mechanism, or list of Mechanism
        The mechanism that made the reports; a list, of one domain size, if users answered by
        different ones.
    concentration : array_like, shape (d,)
        Concentration :math:`\alpha_v>0` of the prior.
    num_draws : int
        Draws kept of every chain.
    rng : numpy.random.Generator
        Source of randomness. Each chain has a child of it, so chains are independent, and the first
        ones stay the same when more are asked for.
    burn_in : int
        Draws thrown away at the start of every chain.
    num_chains : int
        Number of chains, at least 2, each started at a law drawn from the prior.

    Returns
    -------
    GibbsSample
        With ``mean``, ``standard_error``, ``frequency_mean`` and the draws.

    Raises
    ------
    TypeError, ValueError
        If the reports are not of this mechanism or none, a report is impossible under every value,
        a concentration is not positive, or a number is too small.

    Notes
    -----
    A chain forgets slowly where users are many, budgets or concentrations small
    (:func:`ldp.bayes.slice_sample` does not mind the first two): look at the effective sample size
    first, ``ess(sample.laws[:, :, v])`` of ``arviz_stats.base.array_stats`` for every value ``v``,
    since the spread of a few chains that have not mixed says too little. One draw costs a random
    number per user, or per distinct report and value where that is less. Where a mechanism has no
    odds, the least likelihood of a report takes the place of the 1.

    Examples
    --------
    >>> from ldp import GRR
    >>> from ldp.bayes import exact_posterior
    >>> m = GRR(3, 1.0)
    >>> sample = gibbs([0, 0, 1], m, [1.0, 1.0, 1.0], 1_000, np.random.default_rng(0), burn_in=10)
    >>> exact = exact_posterior([0, 0, 1], m, [1.0, 1.0, 1.0]).mean
    >>> bool((np.abs(sample.mean - exact) < 0.01).all())
    True

    References
    ----------
    ``tanner1987calculation``; ``S003``, section 6, asks for an approximation of the posterior mean
    that stays feasible.
    """
    alpha = check_concentration(concentration, domain_of(mechanism))
    num_draws = _checks.integer(num_draws, "num_draws", 1, MOST_DRAWS)
    burn_in = _checks.integer(burn_in, "burn_in", 0, MOST_DRAWS)
    num_chains = _checks.integer(num_chains, "num_chains", 2, MOST_DRAWS)
    rng = _checks.rng(rng)
    evidence = gather_counts(reports, mechanism)
    laws, concentrations = np.empty((2, num_chains, num_draws, alpha.size))
    for chain, child in enumerate(rng.spawn(num_chains)):
        law = np.maximum(child.dirichlet(alpha), _LEAST_START)
        for draw in range(-burn_in, num_draws):
            concentration = alpha + draw_explained(evidence, law, child)
            law = child.dirichlet(concentration)
            if draw >= 0:
                laws[chain, draw], concentrations[chain, draw] = law, concentration
    return GibbsSample(laws, concentrations, alpha, int(evidence.counts.sum()))


@singledispatch
def draw_explained(evidence: Any, law: Floats, rng: np.random.Generator) -> Integers:
    """Draw which users' reports are explained by which value, given the law, and count them."""
    raise NotImplementedError


draw_explained.register(SubsetCounts, draw_by_subset)


@draw_explained.register
def _(evidence: Supports, law: Floats, rng: np.random.Generator) -> Integers:
    repeats = whole_counts(evidence.counts)
    if repeats.sum() > _MANY_EQUAL * repeats.size * law.size:
        return _draw_by_report(evidence, repeats, law, rng)
    table, tally = byte_table(law), np.zeros(law.size, dtype=np.int64)
    for part, num_users in _users_at_once(repeats):
        rows, uniforms = evidence.rows[part], rng.random(num_users)
        count_supported(rows, repeats[part], table, law, evidence.odds, uniforms, tally)
    return tally


@draw_explained.register
def _(evidence: Rows, law: Floats, rng: np.random.Generator) -> Integers:
    repeats = whole_counts(evidence.counts)
    if repeats.max() > 1:
        return _draw_by_report(evidence, repeats, law, rng)
    tally = np.zeros(law.size, dtype=np.int64)
    for part, num_users in _users_at_once(repeats):
        count_explained(evidence.rows[part], law, rng.random(num_users), tally)
    return tally


def _users_at_once(repeats: Integers) -> Iterator[tuple[slice, int]]:
    """Cut the reports into parts of some users, or of one report, and count the users of each."""
    ends = np.cumsum(repeats)
    first = drawn = 0
    while first < ends.size:
        last = max(first + 1, int(np.searchsorted(ends, drawn + _USERS_AT_ONCE, side="right")))
        yield slice(first, last), int(ends[last - 1]) - drawn
        first, drawn = last, int(ends[last - 1])


def _draw_by_report(
    evidence: Evidence, repeats: Integers, law: Floats, rng: np.random.Generator
) -> Integers:
    """Users with equal reports share one multinomial draw."""
    tally = np.zeros(law.size, dtype=np.int64)
    for part in parts_of(evidence):
        noise = evidence.least(part)
        chances = np.column_stack([noise, (evidence.dense(part) - noise) * law])
        chances /= chances.sum(axis=1, keepdims=True)
        tally += rng.multinomial(repeats[part], chances).sum(axis=0)[1:]
    return tally
