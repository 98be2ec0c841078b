"""Draws from a posterior by moving mass between two values at a time."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._frozen import freeze
from ldp.bayes._slice_kernels import UNIFORMS_EACH, sweep_pairs
from ldp.bayes.subset_counts import gather_counts, likelihood_columns
from ldp.likelihood.prior import MOST_DRAWS, check_draws, concave_prior
from ldp.likelihood.reports import domain_of
from ldp.tally import Tally
from ldp.types import Array, Floats, Mechanism


@dataclass(frozen=True, eq=False)
class SliceSample:
    """Draws from the posterior, by several chains.

    Attributes
    ----------
    laws : ndarray, shape (chains, draws, d)
        Laws of the population.
    """

    laws: Floats

    def __post_init__(self) -> None:
        """Refuse what are no draws."""
        freeze(self, laws=check_draws(self.laws, "laws"))

    @property
    def mean(self) -> Floats:
        """Estimated posterior mean of the law, shape (d,)."""
        average: Floats = self.laws.mean(axis=(0, 1))
        return average

    @property
    def standard_error(self) -> Floats:
        """Monte Carlo standard error of `mean`, from the spread of the chains' own means."""
        of_chains = self.laws.mean(axis=1)
        error: Floats = of_chains.std(axis=0, ddof=1) / np.sqrt(len(of_chains))
        return error


def slice_sample(
    reports: Array | Tally | Sequence[Array | Tally],
    mechanism: Mechanism | Sequence[Mechanism],
    concentration: npt.ArrayLike,
    num_draws: int,
    rng: np.random.Generator,
    *,
    burn_in: int,
    num_chains: int = 4,
) -> SliceSample:
    r"""Draw laws from the posterior under a Dirichlet prior, without guessing at users' values.

    A sweep puts the values into a random order and, for each two neighbours u, v, draws how their
    joint mass divides by slice sampling of the posterior density

    .. math:: \pi(\theta)\propto\prod_v\theta_v^{\alpha_v-1}\prod_i\Pr[y_i\mid\theta].

    Parameters
    ----------
    reports, mechanism
        As for :func:`ldp.maximum_likelihood`.
    concentration : array_like, shape (d,)
        Concentration :math:`\alpha_v\ge 1` of the prior: then the density is log-concave and
        finite everywhere.
    num_draws : int
        Sweeps kept of every chain.
    rng, burn_in, num_chains
        As for :func:`ldp.bayes.gibbs`.

    Returns
    -------
    SliceSample
        With ``mean``, ``standard_error`` and ``laws``.

    Raises
    ------
    TypeError, ValueError
        As :func:`ldp.bayes.gibbs`, or if a concentration is below 1.

    Notes
    -----
    :func:`ldp.bayes.gibbs` guesses which reports are explained by which value, and
    where the budget is small the guesses hold the law back: with many users it may move by a
    thousandth of the posterior's width. Here the density itself is evaluated; a few sweeps forget
    the start. A sweep costs :math:`O(d)` for every distinct report, beside the logarithms of those
    that tell the two values apart.

    Examples
    --------
    >>> from ldp import GRR
    >>> from ldp.bayes import exact_posterior
    >>> m = GRR(3, 1.0)
    >>> rng = np.random.default_rng(0)
    >>> sample = slice_sample([0, 0, 1], m, [1.0, 1.0, 1.0], 2_000, rng, burn_in=10)
    >>> exact = exact_posterior([0, 0, 1], m, [1.0, 1.0, 1.0]).mean
    >>> bool((np.abs(sample.mean - exact) < 0.02).all())
    True

    References
    ----------
    ``neal2003slice``, section 4.
    """
    alpha = concave_prior(concentration, domain_of(mechanism))
    num_draws = _checks.integer(num_draws, "num_draws", 1, MOST_DRAWS)
    burn_in = _checks.integer(burn_in, "burn_in", 0, MOST_DRAWS)
    num_chains = _checks.integer(num_chains, "num_chains", 2, MOST_DRAWS)
    rng = _checks.rng(rng)
    columns, counts = likelihood_columns(gather_counts(reports, mechanism))
    laws = np.empty((num_chains, num_draws, alpha.size))
    for chain, child in enumerate(rng.spawn(num_chains)):
        law = child.dirichlet(alpha)
        for draw in range(-burn_in, num_draws):
            law = swept(law, columns, counts, alpha, child)
            if draw >= 0:
                laws[chain, draw] = law
    return SliceSample(laws)


def swept(
    law: Floats, columns: Floats, counts: Floats, prior: Floats, rng: np.random.Generator
) -> Floats:
    """Return the law after a sweep over pairs of values: state in, state out."""
    moved = law.copy()
    order, uniforms = rng.permutation(law.size), rng.random((law.size - 1, UNIFORMS_EACH))
    sweep_pairs(moved, columns, counts, prior, order, uniforms)
    moved /= moved.sum()
    return moved
