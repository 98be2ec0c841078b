r"""Gibbs sampling of the posterior, for any number of reports and values.

Were the users' values known, the law would have the posterior :math:`\operatorname{Dir}(\alpha+T)`;
were the law known, the values would be independent. The sampler alternates between the two.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._kernels import count_supported
from ldp.estimators._evidence import Evidence, byte_table, gather
from ldp.estimators.posterior import DirichletMixture, check_concentration
from ldp.types import Array, Floats, Integers, Mechanism

_USERS_AT_ONCE = 2**17
_CELLS_AT_ONCE = 2**20
_MANY_EQUAL = 4  # reports per cell of the table of distinct reports and values


@dataclass(frozen=True, eq=False)
class GibbsSample:
    """Draws of law and tally from the posterior, by several chains.

    Attributes
    ----------
    laws : ndarray, shape (chains, draws, d)
        Laws of the population.
    tallies : ndarray of int, shape (chains, draws, d)
        How many users hold each value; each row sums to the number of reports.
    prior : ndarray, shape (d,)
        Concentration of the prior.
    """

    laws: Floats
    tallies: Integers
    prior: Floats

    @property
    def mixture(self) -> DirichletMixture:
        """The posterior as the draws know it: a Dirichlet law per drawn tally, equally weighted.

        Its moments average over what is known exactly given a tally (Rao-Blackwell), so they are
        more accurate than moments of ``laws``.
        """
        tallies = self.tallies.reshape(-1, self.prior.size)
        return DirichletMixture(np.full(len(tallies), 1 / len(tallies)), tallies, self.prior)

    @property
    def mean(self) -> Floats:
        """Estimated posterior mean of the law, shape (d,)."""
        return self.mixture.mean

    @property
    def standard_error(self) -> Floats:
        """Monte Carlo standard error of `mean`, from the spread of the chains' own means."""
        concentrations = self.prior + self.tallies
        means = (concentrations / concentrations.sum(axis=-1, keepdims=True)).mean(axis=1)
        error: Floats = means.std(axis=0, ddof=1) / np.sqrt(len(means))
        return error


def gibbs(
    mechanism: Mechanism,
    reports: Array,
    concentration: npt.ArrayLike,
    num_draws: int,
    rng: np.random.Generator,
    *,
    burn_in: int,
    num_chains: int = 4,
) -> GibbsSample:
    r"""Draw laws and tallies from the posterior under a Dirichlet prior.

    .. math:: \Pr[X_i=v\mid\theta,y_i]\propto\theta_v\Pr[y_i\mid v],\qquad
              \theta\mid X\sim\operatorname{Dir}(\alpha+T),\quad T_v=\#\{i:X_i=v\}

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism that made the reports.
    reports : ndarray
        Its reports, at least one.
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
        With ``mean``, ``standard_error`` and the draws.

    Raises
    ------
    TypeError, ValueError
        If the reports are not of this mechanism or none, a report is impossible under every value,
        a concentration is not positive, or a number is too small.

    Notes
    -----
    Small concentrations make a chain sticky: a value that is held by nobody has a law near zero,
    and returns rarely. Look at the effective sample size before the standard error. One draw costs
    a random number per user, or per distinct report and value where that is less.

    Examples
    --------
    >>> from ldp import GRR, exact_posterior
    >>> m = GRR(3, 1.0)
    >>> sample = gibbs(m, [0, 0, 1], [1.0, 1.0, 1.0], 1_000, np.random.default_rng(0), burn_in=10)
    >>> exact = exact_posterior(m, [0, 0, 1], [1.0, 1.0, 1.0]).mean
    >>> bool((np.abs(sample.mean - exact) < 0.01).all())
    True

    References
    ----------
    ``S003``, section 6, asks for an approximation of the posterior mean that stays feasible.
    """
    alpha = check_concentration(concentration, mechanism.domain_size)
    num_draws = _checks.integer(num_draws, "num_draws", 1)
    burn_in = _checks.integer(burn_in, "burn_in", 0)
    num_chains = _checks.integer(num_chains, "num_chains", 2)
    rng = _checks.rng(rng)
    evidence = gather(mechanism, reports)
    laws = np.empty((num_chains, num_draws, alpha.size))
    tallies = np.empty(laws.shape, dtype=np.int64)
    for chain, child in enumerate(rng.spawn(num_chains)):
        law = child.dirichlet(alpha)
        for draw in range(-burn_in, num_draws):
            tally = draw_tally(evidence, law, child)
            law = child.dirichlet(alpha + tally)
            if draw >= 0:
                laws[chain, draw], tallies[chain, draw] = law, tally
    return GibbsSample(laws, tallies, alpha)


def draw_tally(evidence: Evidence, law: Floats, rng: np.random.Generator) -> Integers:
    """Draw the value of every user given the law and the reports, and count them."""
    repeats = evidence.counts.astype(np.int64)
    num_cells = len(repeats) * law.size
    if evidence.odds is None or repeats.sum() > _MANY_EQUAL * num_cells:
        return _draw_by_report(evidence, repeats, law, rng)
    tally = np.zeros(law.size, dtype=np.int64)
    table = byte_table(law, evidence.rows.shape[1])
    ends = np.cumsum(repeats)
    left = first = 0
    while first < len(repeats):
        drawn = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, drawn + _USERS_AT_ONCE, side="right")))
        part = slice(first, last)
        uniforms = rng.random(int(ends[last - 1] - drawn))
        left += count_supported(
            evidence.rows[part], repeats[part], table, law, evidence.odds, uniforms, tally
        )
        first = last
    return tally + rng.multinomial(left, law)


def _draw_by_report(
    evidence: Evidence, repeats: Integers, law: Floats, rng: np.random.Generator
) -> Integers:
    """Users with equal reports share one multinomial draw."""
    tally = np.zeros(law.size, dtype=np.int64)
    step = max(1, _CELLS_AT_ONCE // law.size)
    for first in range(0, len(repeats), step):
        part = slice(first, first + step)
        likelihood = evidence.rows[part]
        if evidence.odds is not None:
            held = np.unpackbits(likelihood, axis=1, count=law.size)
            likelihood = np.where(held == 1, evidence.odds, 1.0)
        chances = likelihood * law
        chances /= chances.sum(axis=1, keepdims=True)
        tally += rng.multinomial(repeats[part], chances).sum(axis=0)
    return tally
