"""The least mean squared error of any estimator, by summing over everything users can send."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from ldp import _checks
from ldp._frozen import freeze
from ldp.bayes._tallies import count_tallies, learn, number_tallies, written
from ldp.bayes.mixture import DirichletMixture, check_table
from ldp.likelihood.prior import check_concentration
from ldp.types import Floats, Integers, Pair

_MOST_CELLS = 2**23  # numbers in one array: pairs of a histogram and a tally, or their entries
_MOST_UPDATES = 2**30  # logarithms added: some seconds


@dataclass(frozen=True, eq=False)
class AllReports:
    """Every histogram of reports, how probable it is, and what it says about the users.

    Attributes
    ----------
    histograms : ndarray of int, shape (h, m)
        How many users sent each report.
    probabilities : ndarray, shape (h,)
        Probability of each histogram; they sum to one.
    weights : ndarray, shape (h, k)
        Probability of each tally given each histogram.
    tallies : ndarray of int, shape (k, d)
        How many users hold each value.
    prior : ndarray, shape (d,)
        Concentration of the prior.
    """

    histograms: Integers
    probabilities: Floats
    weights: Floats
    tallies: Integers
    prior: Floats

    def __post_init__(self) -> None:
        """Refuse tables that do not fit together."""
        prior = _checks.positive_vector(self.prior, "prior")
        probabilities = _checks.distribution(self.probabilities, "probabilities")
        weights = _checks.reals(self.weights, "weights")
        if weights.ndim != 2 or len(weights) != probabilities.size:
            raise ValueError(
                f"weights must have shape ({probabilities.size}, k), got {weights.shape}."
            )
        seen = _checks.plain_array(self.histograms, "histograms")
        if seen.ndim != 2:
            raise ValueError(f"histograms must be a table, got {seen.ndim} dimensions.")
        freeze(
            self,
            histograms=check_table(seen, "histograms", (probabilities.size, seen.shape[1])),
            probabilities=probabilities,
            weights=weights,
            tallies=check_table(self.tallies, "tallies", (weights.shape[1], prior.size)),
            prior=prior,
        )

    @property
    def means(self) -> Floats:
        """Posterior mean of the law given each histogram, shape (h, d)."""
        n = self.tallies[0].sum()
        expected: Floats = (self.prior + self.weights @ self.tallies) / (self.prior.sum() + n)
        return expected

    def posteriors(self) -> Iterator[DirichletMixture]:
        """Posterior given each histogram, in order."""
        for weights in self.weights:
            yield DirichletMixture(weights, self.tallies, self.prior)


def enumerate_reports(
    channel: npt.ArrayLike, num_reports: int, concentration: npt.ArrayLike
) -> AllReports:
    r"""List all that users can send, if their law is drawn from a Dirichlet prior.

    .. math:: \Pr[S=s]=\frac{n!}{\prod_ys_y!}\operatorname E\Big[\prod_y(Q^\top\theta)_y^{s_y}\Big]

    Any average over users and reports is a sum over this list. A histogram is reached from the one
    with its last report taken away, so that every posterior costs one step.

    Parameters
    ----------
    channel : array_like, shape (d, m)
        Probability of each report (column) under each value (row).
    num_reports : int
        Number :math:`n\ge1` of users.
    concentration : array_like, shape (d,)
        Concentration of the Dirichlet prior, positive.

    Returns
    -------
    AllReports
        With ``histograms``, ``probabilities`` and ``posteriors()``; impossible ones are left out.

    Raises
    ------
    TypeError, ValueError
        If `channel` is not a channel, a concentration is not positive, or there are too many
        histograms and tallies to list.

    Examples
    --------
    >>> every = enumerate_reports([[0.75, 0.25], [0.25, 0.75]], 2, [1.0, 1.0])
    >>> every.histograms, every.probabilities.round(4)
    (array([[2, 0], [1, 1], [0, 2]]), array([0.2708, 0.4583, 0.2708]))
    >>> [posterior.mean.round(3) for posterior in every.posteriors()]
    [array([0.654, 0.346]), array([0.5, 0.5]), array([0.346, 0.654])]

    References
    ----------
    ``S003``, equation (90), reconstructed.
    """
    rows = _checks.channel(channel)
    n = _checks.integer(num_reports, "num_reports", 1, 2**53)
    d, m = rows.shape
    alpha = check_concentration(concentration, d)
    if d < 2 or m < 2:
        raise ValueError(f"channel must have two values and two outcomes or more, got {d} x {m}.")
    num_histograms, num_tallies = count_tallies(n, m), count_tallies(n, d)
    num_pairs = num_histograms * num_tallies
    num_cells = max(num_pairs, num_histograms * m, num_tallies * d)
    if num_cells > _MOST_CELLS or n * num_pairs > _MOST_UPDATES:
        raise ValueError(
            f"num_reports and channel must be small enough to list every histogram of reports with "
            f"every tally of users, got {n} reports of {m} outcomes with {written(num_histograms)} "
            f"histograms, and {written(num_tallies)} tallies of {d} values."
        )
    tallies, histograms = number_tallies(n, d), number_tallies(n, m)
    earlier, last = np.empty((2, histograms.sizes[n]), dtype=np.int64)
    for y in range(1, m):
        earlier[histograms.follower[y - 1]] = np.arange(histograms.follower.shape[1])
        last[histograms.follower[y - 1]] = y
    with np.errstate(divide="ignore"):  # a report may be impossible under a value
        log_rows = np.log(rows.T)
    log_joint = np.zeros((1, 1))
    for j in range(n):
        # Those without a report 0 add their last report, the others one report 0.
        new = slice(len(log_joint), histograms.sizes[j + 1])
        with_zero = learn(log_joint, log_rows[:1], alpha, tallies)
        others = learn(log_joint[earlier[new]], log_rows[last[new]], alpha, tallies)
        log_joint = np.concatenate([with_zero, others])
    seen = histograms.of(n)
    orders = scipy.special.gammaln(n + 1) - scipy.special.gammaln(seen + 1).sum(axis=1)
    log_evidence = scipy.special.logsumexp(log_joint, axis=1)
    possible = np.isfinite(log_evidence)
    weights = np.exp(log_joint[possible] - log_evidence[possible, None])
    probabilities = np.exp(orders + log_evidence)[possible]
    return AllReports(seen[possible], probabilities, weights, tallies.of(n), alpha)


def minimum_mse(channel: npt.ArrayLike, num_reports: int, concentration: npt.ArrayLike) -> Pair:
    r"""Mean squared error of the posterior mean, which no estimator can beat.

    .. math:: \operatorname{MSE}=\sum_s\Pr[S=s]\sum_v\operatorname{Var}(\theta_v\mid S=s)

    over all histograms :math:`s` of :math:`n` reports, and the same for the frequencies. The users'
    law is drawn from the prior, their values from the law, their reports from the channel.

    Parameters
    ----------
    channel, num_reports, concentration
        As for :func:`ldp.bayes.enumerate_reports`.

    Returns
    -------
    Pair
        Errors ``(law, frequencies)``, each summed over values.

    Raises
    ------
    TypeError, ValueError
        As :func:`ldp.bayes.enumerate_reports`.

    Examples
    --------
    >>> from ldp import GRR
    >>> law, frequencies = minimum_mse(GRR(3, 1.0).channel(), 4, [0.5, 1.0, 2.0])
    >>> round(law, 7), round(frequencies, 7)
    (0.1139477, 0.192264)

    References
    ----------
    ``S003``, Theorem 3.1 and equation (87), reconstructed.
    """
    every = enumerate_reports(channel, num_reports, concentration)
    law = frequencies = 0.0
    for probability, posterior in zip(every.probabilities, every.posteriors(), strict=True):
        law += probability * posterior.variance.sum()
        frequencies += probability * posterior.frequency_variance.sum()
    return Pair(float(law), float(frequencies))
