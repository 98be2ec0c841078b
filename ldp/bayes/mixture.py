"""The form of a posterior under a Dirichlet prior: a mixture of Dirichlet laws."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from ldp import _checks
from ldp._frozen import freeze
from ldp.types import Floats, Integers

_CELLS_AT_ONCE = 2**22  # of laws, tallies and values: 32 MiB


def check_table(given: npt.ArrayLike, name: str, shape: tuple[int, int]) -> Integers:
    """Return a table of whole numbers, none negative."""
    table = _checks.plain_array(given, name)
    if table.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, got dtype {table.dtype}.")
    if table.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {table.shape}.")
    if table.min() < 0:
        raise ValueError(f"{name} must be non-negative, got {table.min()}.")
    return table


@dataclass(frozen=True, eq=False)
class DirichletMixture:
    r"""A mixture of Dirichlet laws, one for each tally that the users may have.

    .. math:: \theta\mid y\sim\sum_t w_t\operatorname{Dir}(\alpha+t),\qquad w_t=\Pr[T=t\mid y]

    Attributes
    ----------
    weights : ndarray, shape (k,)
        Probability of each tally given the reports; they sum to one.
    tallies : ndarray of int, shape (k, d)
        How many users hold each value; every row sums to the number of reports.
    prior : ndarray, shape (d,)
        Concentration :math:`\alpha` before the reports.

    Examples
    --------
    >>> mixture = DirichletMixture(np.array([0.5, 0.5]), np.array([[1, 0], [0, 1]]), np.ones(2))
    >>> mixture.mean
    array([0.5, 0.5])
    >>> mixture.concentrations
    array([[2., 1.],
           [1., 2.]])

    References
    ----------
    ``S003``, Facts A.1 and A.2, Proposition A.3.
    """

    weights: Floats
    tallies: Integers
    prior: Floats

    def __post_init__(self) -> None:
        """Refuse weights or tallies that belong to no set of reports."""
        weights = _checks.distribution(self.weights, "weights")
        prior = _checks.positive_vector(self.prior, "prior")
        tallies = check_table(self.tallies, "tallies", (weights.size, prior.size))
        freeze(self, weights=weights, tallies=tallies, prior=prior)
        totals = tallies.sum(axis=1)
        if (totals != totals[0]).any():
            raise ValueError(
                f"tallies must be of one number of reports, got {totals.min()} to {totals.max()}."
            )

    @property
    def concentrations(self) -> Floats:
        """Concentration of every component, shape (k, d)."""
        return self.prior + self.tallies

    @property
    def tally_mean(self) -> Floats:
        """Expected number of users that hold each value, shape (d,)."""
        mean: Floats = self.weights @ self.tallies
        return mean

    @property
    def tally_variance(self) -> Floats:
        """Variance of the number of users that hold each value, shape (d,)."""
        spread: Floats = self.weights @ (self.tallies - self.tally_mean) ** 2
        return spread

    @property
    def frequency_mean(self) -> Floats:
        """Expected frequency of each value among the users, the best estimate of it."""
        return self.tally_mean / self._positive_num_reports()

    @property
    def frequency_variance(self) -> Floats:
        """Variance of the frequency of each value among the users."""
        return self.tally_variance / self._positive_num_reports() ** 2

    @property
    def mean(self) -> Floats:
        """Expected law, the best estimate of it, shape (d,)."""
        expected: Floats = (self.prior + self.tally_mean) / self.concentrations[0].sum()
        return expected

    @property
    def variance(self) -> Floats:
        """Variance of each probability: within the components plus between them."""
        total = self.concentrations[0].sum()
        means = self.concentrations / total
        within = self.weights @ (means * (1 - means)) / (total + 1)
        spread: Floats = within + self.tally_variance / total**2
        return spread

    def density(self, laws: npt.ArrayLike) -> Floats:
        r"""Density at laws, in the first d - 1 coordinates.

        .. math:: p(\theta\mid y)=\prod_v\theta_v^{\alpha_v-1}
                  \sum_tw_t\frac{\Gamma(|\alpha|+n)}{\prod_v\Gamma(\alpha_v+t_v)}
                  \prod_v\theta_v^{t_v}

        At the faces of the simplex it is its limit, 0 or infinite or between.

        Parameters
        ----------
        laws : array_like, shape (..., d)
            Non-negative, sum one.

        Returns
        -------
        ndarray, shape (...)

        Raises
        ------
        TypeError, ValueError
            If `laws` are no laws, or one lies where the limit depends on the direction: one factor
            of the density is 0 there, another infinite.

        Examples
        --------
        >>> mixture = DirichletMixture(np.ones(1), np.array([[1, 0]]), np.array([0.5, 0.5]))
        >>> mixture.density([[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]]).round(4)
        array([0.6366,    inf, 0.    ])
        """
        points = self._laws(laws)
        a = self.concentrations
        constants = scipy.special.gammaln(a[0].sum()) - scipy.special.gammaln(a).sum(axis=1)
        # Powers that all components share apart from the rest, which is a polynomial.
        shared = self.tallies[self.weights > 0].min(axis=0)
        rest = np.maximum(self.tallies - shared, 0)
        with np.errstate(invalid="ignore"):
            logs = scipy.special.xlogy(self.prior - 1 + shared, points).sum(axis=-1)
            flat, polynomial = points.reshape(-1, self.prior.size), []
            step = max(1, _CELLS_AT_ONCE // rest.size)
            for first in range(0, len(flat), step):
                terms = constants + scipy.special.xlogy(
                    rest, flat[first : first + step, None, :]
                ).sum(axis=-1)
                polynomial.append(scipy.special.logsumexp(terms, axis=-1, b=self.weights))
            logs = logs + np.concatenate([np.zeros(0), *polynomial]).reshape(logs.shape)
        if np.isnan(logs).any():
            wrong = points[np.isnan(logs)][0]
            raise ValueError(
                f"laws must be where the density has a limit, got {_checks.shown(wrong.tolist())}."
            )
        total: Floats = np.exp(logs)
        return total

    def _laws(self, given: npt.ArrayLike) -> Floats:
        points = _checks.plain_array(given, "laws")
        if points.dtype.kind not in "iuf":
            raise TypeError(f"laws must be real numbers, got dtype {points.dtype}.")
        if points.shape[-1:] != self.prior.shape:
            raise ValueError(f"laws must have shape (..., {self.prior.size}), got {points.shape}.")
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is not 1
            right = (points >= 0).all(axis=-1) & (np.abs(points.sum(axis=-1) - 1) <= 1e-9)
        if not right.all():
            wrong = points[~right][0]
            raise ValueError(
                f"laws must be non-negative and sum to 1, got {_checks.shown(wrong.tolist())}."
            )
        return points.astype(np.float64)

    def _positive_num_reports(self) -> int:
        num_reports = int(self.tallies[0].sum())
        if num_reports == 0:
            raise ValueError("reports must be at least one for users to have frequencies, got 0.")
        return num_reports
