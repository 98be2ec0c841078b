"""Stochastic gradient Langevin dynamics: draws from a posterior that look at a few reports each."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._words import words
from ldp.bayes.langevin_kernels import update_repeatedly
from ldp.likelihood.evidence import gather
from ldp.likelihood.prior import prior_concentration
from ldp.likelihood.reports import domain_of, read, whole_counts
from ldp.tally import Tally
from ldp.types import Array, Floats, Mechanism

_NUMBERS_AT_ONCE = 2**18
_MOST_USERS = 2**31  # one index each


@dataclass(frozen=True, eq=False)
class Langevin:
    """State of the dynamics and the laws on the way to it.

    Attributes
    ----------
    phi : ndarray, shape (d,)
        Last state, to go on from.
    laws : ndarray, shape (updates, d)
        Law phi / sum(phi) after every update.
    """

    phi: Floats
    laws: Floats


def sgld(
    reports: Array | Tally | Sequence[Array | Tally],
    mechanism: Mechanism | Sequence[Mechanism],
    phi: npt.ArrayLike,
    step_sizes: npt.ArrayLike,
    rng: np.random.Generator,
    *,
    minibatch: int = 50,
    concentration: npt.ArrayLike = 1.0,
) -> Langevin:
    r"""Move a state by stochastic gradient Langevin dynamics: state in, state out.

    The law is :math:`\theta=\varphi/\sum_v\varphi_v`, and :math:`\varphi_v\sim
    \operatorname{Gamma}(\alpha_v,1)` gives it the prior :math:`\operatorname{Dir}(\alpha)`. An
    update with a minibatch :math:`u` of :math:`m` of the :math:`n` users, drawn with replacement,
    is

    .. math:: \varphi\leftarrow\Bigl|\varphi+\frac\gamma2\Bigl(\nabla\ln p(\varphi)
              +\frac nm\sum_{i\in u}\nabla\ln\Pr[y_i\mid\varphi]\Bigr)+\sqrt\gamma\,W\Bigr|,
              \qquad W\sim\mathcal N(0,I).

    .. math:: \nabla_v\ln p(\varphi)=\frac{\alpha_v-1}{\varphi_v}-1,\qquad
              \nabla_v\ln\Pr[y_i\mid\varphi]=\frac1{\sum_u\varphi_u}
              \Bigl(\frac{\Pr[y_i\mid v]}{\Pr[y_i\mid\theta]}-1\Bigr)

    Parameters
    ----------
    reports, mechanism
        As for :func:`ldp.maximum_likelihood`.
    phi : array_like, shape (d,)
        State to start from, positive.
    step_sizes : array_like, shape (updates,)
        Step size :math:`\gamma>0` of every update.
    rng : numpy.random.Generator
        Source of randomness.
    minibatch : int
        Number m of users that an update looks at; of fewer users, as many as there are.
    concentration : float or array_like, shape (d,)
        Concentration :math:`\alpha_v>0` of the prior.

    Returns
    -------
    Langevin
        With ``phi`` and ``laws``.

    Raises
    ------
    TypeError, ValueError
        If the reports are not of this mechanism or none, or an argument is not positive.
    FloatingPointError
        If a state is no longer finite or no longer positive: the steps are too large.

    Notes
    -----
    Sums run in an order that depends on the processor, and the dynamics amplify their rounding:
    the same seed gives the same laws on the same machine.

    With a concentration other than 1 the drift :math:`(\alpha_v-1)/\varphi_v` has no bound near 0,
    and one step from there may lead anywhere: use it with :math:`\alpha=1`.

    The dynamics leave the posterior only approximately unchanged: the error grows with the step
    size, and the noise of the minibatch, about :math:`\frac{\gamma n^2}{4m}` times the variance of
    one user's gradient beside the 1 of :math:`W`, adds to it. S000 prints :math:`\gamma W` for
    :math:`\sqrt\gamma W`, which does not fit a drift of :math:`\gamma/2`. :func:`ldp.bayes.gibbs`
    draws from the posterior itself.

    Examples
    --------
    >>> from ldp import GRR
    >>> m = GRR(3, 2.0)
    >>> reports = m.privatize([0] * 60 + [1] * 30, np.random.default_rng(0))
    >>> steps = np.full(2_000, 0.02)
    >>> moved = sgld(reports, m, [1.0, 1.0, 1.0], steps, np.random.default_rng(1))
    >>> moved.laws[1_000:].mean(axis=0).round(1)
    array([0.6, 0.4, 0. ])

    References
    ----------
    ``S000``, "Posterior sampling"; ``welling2011bayesian``; ``patterson2013stochastic``.
    """
    alpha = prior_concentration(concentration, domain_of(mechanism))
    state = _checks.positive_vector(phi, "phi", alpha.size).copy()
    steps = _checks.positive_vector(step_sizes, "step_sizes")
    minibatch = _checks.integer(minibatch, "minibatch", 1)
    rng = _checks.rng(rng)
    evidence = gather(read(reports, mechanism))
    if evidence.counts.sum() > _MOST_USERS:
        raise ValueError(f"reports must be at most 2**31, got {evidence.counts.sum():.6g}.")
    owners = np.repeat(np.arange(len(evidence.counts)), whole_counts(evidence.counts))
    rows, size = evidence.dense(), min(minibatch, owners.size)
    laws = np.empty((steps.size, alpha.size))
    scratch = np.empty(alpha.size)
    at_once = max(1, _NUMBERS_AT_ONCE // (size + alpha.size))
    for first in range(0, steps.size, at_once):
        part = slice(first, min(first + at_once, steps.size))
        picks = words(rng, (part.stop - first, size))
        noise = rng.standard_normal((part.stop - first, alpha.size))
        update_repeatedly(
            state, rows, owners, owners.size, picks, steps[part], alpha, noise, scratch, laws[part]
        )
        check_state(state, laws[part])
    return Langevin(state, laws)


def check_state(phi: Floats, laws: Floats) -> None:
    """Refuse a state, and laws on the way to it, that steps too large have led to."""
    # Where the sum of a state overflows, its law is 0 everywhere.
    if not ((laws.max(axis=1) > 0).all() and phi.min() > 0):
        raise FloatingPointError(
            f"step sizes must be small enough that phi stays positive and finite, "
            f"got {_checks.shown(phi)}."
        )
