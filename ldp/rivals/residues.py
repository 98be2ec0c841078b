"""Frequencies of values from counts of their residues, by generalized least squares."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from ldp import _checks
from ldp.mechanisms.subset import SubsetSelection
from ldp.rivals._moduli import num_told_apart
from ldp.rivals.modular import ModularSubsetSelection
from ldp.tally import Tally
from ldp.types import Floats

_MOST_VALUES = 4096  # of a covariance matrix: 128 MiB


class ResidueFit(NamedTuple):
    """Frequencies that sum to one, and how far they are from the best."""

    frequencies: Floats
    """Estimates, shape (d,); they may be negative or above one."""
    gradient: float
    """By how much the frequency of any one value would still move if it alone were fitted."""


def residue_least_squares(tally: Tally, mechanism: ModularSubsetSelection) -> ResidueFit:
    r"""Unbiased frequencies of all values from the residues of :class:`ModularSubsetSelection`.

    With :math:`n_j` reports of modulus :math:`m_j`, the debiased counts
    :math:`z_{jr}=\frac{c_{jr}/n_j-q_j}{p_j-q_j}` estimate the sums
    :math:`(A_jf)_r=\sum_{x\equiv r}f_x` and add up to one for each modulus. Of all :math:`f` that
    sum to one it returns the one of least

    .. math:: \sum_j\frac{n_j}{\sigma_j}\,\lVert A_jf-z_j\rVert^2,\qquad
              \sigma_j=\frac{w_j(m_j-w_j)}{m_j(m_j-1)(p_j-q_j)^2}.

    Where values are uniform, the covariance of one report's :math:`z_j` is
    :math:`\sigma_j(I-\tfrac1{m_j}\mathbf 1\mathbf 1^\top)`: this is the linear unbiased estimator
    of least variance (Gauss, Markov and Aitken). Given the :math:`n_j` it is unbiased for any law.

    Parameters
    ----------
    tally : Tally
        Of the mechanism, with reports of moduli that tell all values apart.
    mechanism : ModularSubsetSelection

    Returns
    -------
    ResidueFit
        The frequencies, and their certificate: the largest entry of the gradient, the residual
        seen by one value, over the :math:`\sum_jn_j/\sigma_j` that it is curved with.

    Raises
    ------
    TypeError, ValueError
        If the mechanism is of another kind, or the tally of another mechanism or too small.

    Examples
    --------
    >>> from ldp.rivals import ModularSubsetSelection
    >>> m = ModularSubsetSelection(6, 2.0, [5, 3])
    >>> fit = residue_least_squares(m.simulate([900, 0, 0, 100, 0, 0], np.random.default_rng(1)), m)
    >>> round(float(fit.frequencies.sum()), 12), fit.gradient < 1e-9
    (1.0, True)

    References
    ----------
    ``arcolezi2026private`` (its abstract: an iterative least-squares decoder); the weights are
    derived here.
    """
    _check_kind(mechanism)
    each = mechanism.reports_each(tally)
    asked = each > 0
    if (known := num_told_apart(np.array(mechanism.moduli)[asked].tolist())) < (
        d := mechanism.domain_size
    ):
        raise ValueError(
            f"tally must have reports of moduli that tell {d} values apart, got {known}."
        )
    blocks = np.split(tally.counts, np.cumsum(mechanism.moduli)[:-1])
    targets = [
        (block / n - part.q) / (part.p - part.q) if n else np.full(part.domain_size, 0.0)
        for block, n, part in zip(blocks, each, mechanism.parts, strict=True)
    ]
    weights = each / [_spread(part) for part in mechanism.parts]
    roots = np.repeat(np.sqrt(weights / weights.sum()), mechanism.moduli)
    matrix = _residues(mechanism).multiply(roots[:, None]).tocsr()
    target = roots * np.concatenate(targets) - matrix @ np.full(d, 1 / d)

    def forward(step: Floats) -> Floats:
        moved: Floats = matrix @ (step.ravel() - step.mean())
        return moved

    def backward(residual: Floats) -> Floats:
        seen = matrix.T @ residual.ravel()
        centred: Floats = seen - seen.mean()
        return centred

    # The shortest solution sums to zero: a constant is invisible to the operator.
    operator = scipy.sparse.linalg.LinearOperator(
        matrix.shape, matvec=forward, rmatvec=backward, dtype=np.float64
    )
    step = scipy.sparse.linalg.lsmr(
        operator, target, atol=1e-15, btol=1e-15, conlim=0, maxiter=20 * d
    )[0]
    gradient = float(np.abs(backward(forward(step) - target)).max())
    return ResidueFit(1 / d + step - step.mean(), gradient)


def residue_covariance(
    mechanism: ModularSubsetSelection, reports_each: npt.ArrayLike, theta: npt.ArrayLike
) -> Floats:
    r"""Exact covariance of :func:`residue_least_squares` for users drawn from a law.

    Parameters
    ----------
    mechanism : ModularSubsetSelection
        Of at most 4,096 values: the matrix is dense.
    reports_each : array_like of int, shape (number of moduli,)
        Positive number :math:`n_j` of reports of each modulus, given.
    theta : array_like, shape (d,)
        Law of the values.

    Returns
    -------
    ndarray, shape (d, d)
        Covariance of the frequencies as estimates of the law, the users' own randomness included,
        as in :func:`ldp.sampling_variance`. Its trace is the total variance.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said.

    Examples
    --------
    >>> from ldp.rivals import ModularSubsetSelection
    >>> m = ModularSubsetSelection(4, 1.0, [4])     # plain subset selection
    >>> round(float(residue_covariance(m, [100], [0.25] * 4).trace()), 6)
    0.083062

    References
    ----------
    Derived here.
    """
    _check_kind(mechanism)
    d = _checks.integer(mechanism.domain_size, "domain_size", 2, _MOST_VALUES)
    each = _checks.integers(reports_each, "reports_each")
    if each.shape != (len(mechanism.moduli),) or each.min() < 1:
        raise ValueError(
            f"reports_each must be {len(mechanism.moduli)} positive numbers, got {each}."
        )
    law = _checks.distribution(theta, "theta", d)
    matrix, cuts = _residues(mechanism), np.cumsum(mechanism.moduli)[:-1]
    weights = each / [_spread(part) for part in mechanism.parts]
    weights /= weights.sum()
    shares, laws = weights**2 / each, np.split(matrix @ law, cuts)
    pull = np.linalg.inv(_centred(_squared(matrix, np.repeat(weights, mechanism.moduli))) + 1 / d)
    parts = zip(shares, mechanism.parts, laws, strict=True)
    own = [share * _own_noise(part, of_residue) for share, part, of_residue in parts]
    seen = np.stack([np.resize(of_residue, d) for of_residue in laws])
    noise = _squared(matrix, np.concatenate(own)) - seen.T * shares @ seen
    covariance: Floats = pull @ _centred(noise) @ pull
    return covariance


def _check_kind(mechanism: Any) -> None:
    if not isinstance(mechanism, ModularSubsetSelection):
        raise TypeError(
            f"mechanism must be a ModularSubsetSelection, got {_checks.shown(mechanism)}."
        )


def _spread(part: SubsetSelection) -> float:
    r"""Return sigma: the variance of one report's debiased residue, in any direction of sum 0."""
    m, w = part.domain_size, part.subset_size
    return w * (m - w) / (m * (m - 1)) / (part.p - part.q) ** 2


def _own_noise(part: SubsetSelection, law: Floats) -> Floats:
    """Return u: one report's debiased residues, drawn from a law F, have covariance diag(u) - FF'.

    That is where numbers of sum zero weigh them, as the estimator does: two residues r and s are
    both in the set with chance b + (a - b) (F_r + F_s), of which such numbers see nothing but that
    the diagonal has another chance.
    """
    m, w, p, q = part.domain_size, part.subset_size, part.p, part.q
    with_own = p * (w - 1) / (m - 1)  # a: the own residue and a given other
    without = (p * (w - 2) + (1 - p) * w) * (w - 1) / ((m - 1) * max(m - 2, 1))  # b: two others
    noise: Floats = q + (p - q) * law - without - 2 * (with_own - without) * law
    return noise / (p - q) ** 2


def _squared(matrix: Any, weights: Floats) -> Floats:
    """Return the dense A' diag(weights) A of a sparse A."""
    square: Floats = (matrix.T @ matrix.multiply(weights[:, None]).tocsr()).toarray()
    return square


def _centred(square: Floats) -> Floats:
    """Return a symmetric matrix without the mean of each row and column."""
    rows = square.mean(axis=0)
    centred: Floats = square - rows - rows[:, None] + rows.mean()
    return centred


def _residues(mechanism: ModularSubsetSelection) -> Any:
    """Return the sparse matrix that adds up values of equal residues, modulus by modulus."""
    d, starts = mechanism.domain_size, np.cumsum((0, *mechanism.moduli))
    rows = [start + np.arange(d) % m for start, m in zip(starts, mechanism.moduli, strict=False)]
    entries = np.ones(d * len(rows)), (np.concatenate(rows), np.tile(np.arange(d), len(rows)))
    return scipy.sparse.csr_array(entries, shape=(int(starts[-1]), d))
