r"""Maximum likelihood for every frequency oracle, with a certificate.

All of it follows from one sentence: under the law :math:`\theta` a report :math:`y_i` has
probability :math:`C(y_i)\,(A\theta)_i`, and :math:`\log` is concave.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp.likelihood._simplex_program import second_order_target
from ldp.likelihood.evidence import curvature, gather
from ldp.likelihood.prior import concave_prior
from ldp.likelihood.reports import Answers, domain_of, read
from ldp.tally import Tally
from ldp.types import Array, Floats, Mechanism, names_a_value

_LARGEST_CURVATURE = 2**13  # three matrices of this many rows take 1.5 GiB


@dataclass(frozen=True, eq=False)
class Fit:
    """An estimate of the law and what is certain about it.

    Attributes
    ----------
    theta : ndarray, shape (d,)
        The estimate: non-negative, sums to one.
    log_likelihood : float
        Total log-likelihood of the reports, in nats, without the sum of log C(y_i), which no law
        changes.
    gap : float
        No law has an objective (log-likelihood, or log-posterior density) more than this far above
        that of `theta`, in nats per report. Computed from `theta` alone, whatever led to it, with
        an allowance for the rounding of sums: some 1e-15 times the root of the number of reports.
    iterations : int
        Steps taken; 0 for a closed form.
    converged : bool
        Whether `gap` is at most the tolerance that was asked for.
    """

    theta: Floats
    log_likelihood: float
    gap: float
    iterations: int
    converged: bool


def maximum_likelihood(
    reports: Array | Tally | Sequence[Array | Tally],
    mechanism: Mechanism | Sequence[Mechanism],
    *,
    tolerance: float = 1e-9,
    max_iterations: int = 500,
) -> Fit:
    r"""Law under which the reports are most probable.

    .. math:: \hat\theta=\arg\max_{\theta\in\Delta}\sum_{i=1}^n\log(A\theta)_i,\qquad
              (A\theta)_i=1+(\text{odds}-1)\sum_{v\in S(y_i)}\theta_v

    for a pure mechanism; for any other :math:`A_i` is ``mechanism.likelihood``.

    Parameters
    ----------
    reports : ndarray or Tally, or list of them
        At least one report; for a list of mechanisms, a list with the reports of each. A tally will
        do where it counts outcomes, and so holds all that the reports say
        (:class:`ldp.types.OutcomeMechanism`).
    mechanism : Mechanism, or list of Mechanism
        A list, of one domain size, if users answered by different ones.
    tolerance : float
        Gap, in nats per report, at which to stop; all reports together may miss n times as much.
    max_iterations : int
        Most steps of the solver.

    Returns
    -------
    Fit
        Where the reports leave several laws equally likely, one of them.

    Raises
    ------
    TypeError, ValueError
        If there is no report, a report is not of this mechanism or impossible, or the domain is
        larger than 8192 (randomized response has no such limit).

    Notes
    -----
    Randomized response is solved in closed form, :math:`O(d\log d)`. Otherwise each step minimises
    the second-order expansion over the simplex and goes as far along it as the likelihood rises.
    It stops on the certificate, never on a small step: with
    :math:`D_v=\frac1n\sum_i A_{iv}/(A\theta)_i` concavity gives
    :math:`\frac1n\ell(\theta^\ast)-\frac1n\ell(\theta)\le\log\max_v D_v`.

    Examples
    --------
    >>> from ldp import GRR, Tally, maximum_likelihood
    >>> maximum_likelihood(Tally([6, 4, 1], 11), GRR(3, np.log(2))).theta.round(12)
    array([0.8, 0.2, 0. ])

    References
    ----------
    ``S003``, equation (22) and Appendix B.
    """
    tolerance = _checks.positive(tolerance, "tolerance")
    max_iterations = _checks.integer(max_iterations, "max_iterations", 1)
    first, *others = read(reports, mechanism)
    asked = first.mechanism
    if not others and names_a_value(asked):
        return _closed_form(first, (asked.p - asked.q) / asked.q, tolerance)
    no_prior = np.zeros(asked.domain_size)
    return _maximise([first, *others], no_prior, tolerance, max_iterations)


def maximum_posterior(
    reports: Array | Tally | Sequence[Array | Tally],
    mechanism: Mechanism | Sequence[Mechanism],
    concentration: npt.ArrayLike,
    *,
    tolerance: float = 1e-9,
    max_iterations: int = 500,
) -> Fit:
    r"""Law of largest posterior density under a Dirichlet prior.

    .. math:: \hat\theta=\arg\max_{\theta\in\Delta}\sum_i\log(A\theta)_i
              +\sum_v(\alpha_v-1)\log\theta_v

    A prior with :math:`\alpha_v\ge 1` counts as :math:`\alpha_v-1` users who sent their value
    unchanged; below 1 the density has no maximum.

    Parameters
    ----------
    reports, mechanism
        As for :func:`maximum_likelihood`.
    concentration : array_like, shape (d,)
        Parameters :math:`\alpha_v\ge 1`, in users.
    tolerance, max_iterations
        As for :func:`maximum_likelihood`.

    Returns
    -------
    Fit

    Raises
    ------
    TypeError, ValueError
        As :func:`maximum_likelihood`, or if a concentration is below 1. Randomized response has
        no closed form here, and the limit of 8192 values like the rest.

    Examples
    --------
    >>> from ldp import GRR
    >>> from ldp.likelihood import maximum_posterior
    >>> maximum_posterior(np.array([0, 0, 1]), GRR(2, 30.0), [3.0, 1.0]).theta.round(6)
    array([0.8, 0.2])
    """
    tolerance = _checks.positive(tolerance, "tolerance")
    max_iterations = _checks.integer(max_iterations, "max_iterations", 1)
    alpha = concave_prior(concentration, domain_of(mechanism))
    return _maximise(read(reports, mechanism), alpha - 1, tolerance, max_iterations)


def _closed_form(answers: Answers, c: float, tolerance: float) -> Fit:
    """Maximise the sum over values of s_v log(1 + c theta_v)."""
    # Stationarity on the k cells kept is s_v / (1 + c theta_v) = nu, so that theta_v rises
    # linearly with its tally; their sum gives nu = N_k / (c + k), and the cells kept are the
    # largest ones as long as s_v > nu (S003, (109) and (110)).
    counts, n = answers.counts, answers.counts.sum()
    descending = np.sort(counts)[::-1]
    nu = np.cumsum(descending) / (c + np.arange(1, counts.size + 1))
    level = nu[np.flatnonzero(descending > nu)[-1]]
    weights = np.maximum(counts / level - 1, 0.0) / c
    weights /= weights.sum()  # one up to rounding
    likelihood = 1 + c * weights
    # D_v = (1/n) (sum_y s_y / L_y + c s_v / L_v)
    gap = certified_gap(((counts / likelihood).sum() + c * counts / likelihood) / n, 1)
    theta = np.zeros(answers.mechanism.domain_size)
    theta[answers.reports] = weights
    return Fit(theta, float(counts @ np.log(likelihood)), gap, 0, gap <= tolerance)


def certified_gap(derivative: Floats, num_terms: int, magnitude: float = 1.0) -> float:
    """Bound what the likelihood lacks, per report; entries were summed from numbers so large."""
    # At the maximum the largest entry is 1. Rounding of a sum grows like the root of its terms.
    largest = float(derivative.max())
    if not math.isfinite(largest):
        return math.inf
    return max(0.0, math.log(largest)) + 2.0**-50 * magnitude * math.sqrt(num_terms)


def _maximise(
    answers: Sequence[Answers], prior: Floats, tolerance: float, max_iterations: int
) -> Fit:
    """Proximal Newton method for sum_i w_i log (A theta)_i + sum_v prior_v log theta_v."""
    d = prior.size
    if d > _LARGEST_CURVATURE:
        raise ValueError(f"domain_size must be at most {_LARGEST_CURVATURE} here, got {d}.")
    evidence = gather(answers)
    counts, held = evidence.counts, prior > 0
    num_reports = float(counts.sum())
    total = num_reports + float(prior.sum())
    theta = np.full(d, 1 / d)
    for iteration in range(max_iterations + 1):
        likelihoods = evidence.likelihoods(theta)
        derivative = evidence.weighed(counts / likelihoods)
        derivative[held] += prior[held] / theta[held]
        derivative /= total
        gap = certified_gap(derivative, counts.size) * total / num_reports
        if gap <= tolerance or iteration == max_iterations:
            break
        hessian = curvature(evidence, likelihoods)
        hessian[held, held] += prior[held] / theta[held] ** 2
        precision = min(gap, gap**2, 0.1) + tolerance
        target = second_order_target(theta, derivative, hessian / total, precision)
        relative = evidence.likelihoods(target)
        relative /= likelihoods
        relative -= 1
        length = _step_length((counts, relative), (prior[held], target[held] / theta[held] - 1))
        if length == 0:
            break  # no step helps; the gap says how good the point is
        theta = theta + length * (target - theta)
    return Fit(theta, float(counts @ np.log(likelihoods)), gap, iteration, gap <= tolerance)


def _step_length(*terms: tuple[Floats, Floats]) -> float:
    """Largest t of 1, 1/2, 1/4, ... at which the objective rises enough.

    It changes by w_i log(1 + t r_i), summed over the `terms` (w, r).
    """
    slope = sum(float(weights @ relative) for weights, relative in terms)
    # Near the maximum a step brings less than float64 can see, and still closes the gap.
    unseen = 2.0**-48 * sum(float(weights.sum()) for weights, _ in terms)
    length = 1.0
    with np.errstate(invalid="ignore", divide="ignore"):
        while length > 2.0**-50:
            change = sum(float(weights @ np.log1p(length * each)) for weights, each in terms)
            if change >= 0.1 * length * slope - unseen >= -2 * unseen:
                return length
            length /= 2
    return 0.0
