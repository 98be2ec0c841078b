r"""Estimates shrunk by a fitted power law: most values are rare, a few are not.

The prior of one frequency has the density

.. math:: \pi_\alpha(f)=\frac{f^{-\alpha}}{Z},\qquad \frac1n\le f\le 1,

and an estimate is that frequency plus normal noise. The source of this method does not determine
how the exponent is to be fitted; here it maximises the probability of all estimates.
"""

import numpy as np
import numpy.typing as npt
import scipy

from ldp import _checks
from ldp.postprocess.simplex import norm_sub
from ldp.types import Floats

_LARGEST_EXPONENT = 10.0
_REACH = 9.0  # standard deviations; the normal density falls by e^-40
_NODES = 96  # of either part: the relative error stays below 1e-7
_LARGEST = 1e100  # beyond it, or below its inverse, squares leave float64
_ROWS = 4096  # values that are integrated at a time


def power_law_exponent(estimates: npt.ArrayLike, noise_variance: float, num_reports: int) -> float:
    r"""Exponent :math:`\alpha\in[0,10]` under which the estimates are most probable.

    .. math:: \max_\alpha\sum_v\log\int_{1/n}^1\pi_\alpha(f)\,
              e^{-(x_v-f)^2/2\sigma^2}\,\mathrm df

    Parameters
    ----------
    estimates : array_like, shape (d,)
        Raw estimates :math:`x_v`.
    noise_variance : float
        Variance :math:`\sigma^2>0` of the estimate of a value that nobody holds:
        ``variance(mechanism, num_reports)``.
    num_reports : int
        Number :math:`n\ge 2` of users; no frequency below 1/n is considered.

    Returns
    -------
    float
        At an end of the range no power law fits better than the steepest or flattest one.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as described.

    Examples
    --------
    >>> exact = 1 / np.arange(1, 101)            # Zipf's law, hardly any noise
    >>> round(power_law_exponent(exact / exact.sum(), 1e-12, 10_000), 2)
    1.1
    """
    given, sigma, n = _checked(estimates, noise_variance, num_reports)
    parts = [_grid(rows, sigma, n) for rows in _split(given)]
    # One exponential per node and exponent: the largest mass of a row is one, and f^-10 is finite.
    scaled = [(log_f, np.exp(mass - mass.max(axis=1, keepdims=True))) for log_f, mass in parts]

    def loss(alpha: float) -> float:
        evidence = [
            np.log(np.einsum("vj,vj->v", mass, np.exp(-alpha * log_f))) for log_f, mass in scaled
        ]
        return given.size * _log_normaliser(alpha, n) - float(sum(e.sum() for e in evidence))

    grid = np.linspace(0.0, _LARGEST_EXPONENT, 21)  # the loss need not be convex
    best = int(np.argmin([loss(alpha) for alpha in grid]))
    around = (grid[max(best - 1, 0)], grid[min(best + 1, grid.size - 1)])
    return float(scipy.optimize.minimize_scalar(loss, bounds=around, method="bounded").x)


def power_law(
    estimates: npt.ArrayLike,
    noise_variance: float,
    num_reports: int,
    *,
    exponent: float | None = None,
) -> Floats:
    r"""Posterior mean of each frequency under a power law (Power).

    .. math:: \frac{\int_{1/n}^1 f\,\pi_\alpha(f)\,e^{-(x_v-f)^2/2\sigma^2}\,\mathrm df}
                   {\int_{1/n}^1 \pi_\alpha(f)\,e^{-(x_v-f)^2/2\sigma^2}\,\mathrm df},
              \qquad \pi_\alpha(f)\propto f^{-\alpha}

    No other function of :math:`x_v` has a smaller expected squared error if the prior is right and
    the noise normal. One variance serves all values, as if all were rare. The published method
    fits its power law in a way that is not restated here: range, fit and normal noise of constant
    variance are this package's reading of it.

    Parameters
    ----------
    estimates, noise_variance, num_reports
        As for :func:`ldp.postprocess.power_law_exponent`.
    exponent : float, optional
        The exponent :math:`\alpha` in [0, 10]; :func:`ldp.postprocess.power_law_exponent` unless
        given.

    Returns
    -------
    ndarray, shape (d,)
        From 1/n to 1; the sum is not controlled.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as described.

    Examples
    --------
    >>> power_law([0.5, 0.01, -0.02], 1e-4, 1_000, exponent=2.0).round(4)
    array([0.4996, 0.0036, 0.002 ])

    References
    ----------
    ``wang2020consistency`` (Power).
    """
    given, sigma, n = _checked(estimates, noise_variance, num_reports)
    if exponent is None:
        exponent = power_law_exponent(given, noise_variance, n)
    alpha = _checks.real(exponent, "exponent", "from 0 to 10")
    if not 0 <= alpha <= _LARGEST_EXPONENT:
        raise ValueError(f"exponent must be from 0 to 10, got {alpha}.")
    means = []
    for rows in _split(given):
        log_f, log_mass = _grid(rows, sigma, n)
        log_posterior = log_mass - alpha * log_f
        log_total = scipy.special.logsumexp(log_posterior, axis=1, keepdims=True)
        means.append(np.exp(log_f + log_posterior - log_total).sum(axis=1))
    return np.concatenate(means)


def power_ns(
    estimates: npt.ArrayLike,
    noise_variance: float,
    num_reports: int,
    *,
    exponent: float | None = None,
) -> Floats:
    """Power, then Norm-Sub (PowerNS): :func:`ldp.norm_sub` of :func:`ldp.postprocess.power_law`.

    Parameters
    ----------
    estimates, noise_variance, num_reports, exponent
        As for :func:`ldp.postprocess.power_law`.

    Returns
    -------
    ndarray, shape (d,)
        Non-negative, sums to one.

    Raises
    ------
    TypeError, ValueError
        As :func:`ldp.postprocess.power_law`.

    Examples
    --------
    >>> power_ns([0.5, 0.25, 0.1], 1e-4, 1_000, exponent=1.0).round(3)
    array([0.55, 0.3 , 0.15])

    References
    ----------
    ``wang2020consistency`` (PowerNS).
    """
    return norm_sub(power_law(estimates, noise_variance, num_reports, exponent=exponent))


def _checked(
    estimates: npt.ArrayLike, noise_variance: float, num_reports: int
) -> tuple[Floats, float, int]:
    given = _checks.vector(estimates, "estimates")
    wrong = given[np.abs(given).argmax()]
    if abs(wrong) > _LARGEST:
        raise ValueError(f"estimates must be from -{_LARGEST} to {_LARGEST}, got {wrong}.")
    noise = _checks.positive(noise_variance, "noise_variance")
    if not 1 / _LARGEST <= noise <= _LARGEST:
        raise ValueError(f"noise_variance must be from {1 / _LARGEST} to {_LARGEST}, got {noise}.")
    return given, float(np.sqrt(noise)), _checks.integer(num_reports, "num_reports", 2, 2**53)


def _split(given: Floats) -> list[Floats]:
    return [given[start : start + _ROWS] for start in range(0, given.size, _ROWS)]


def _grid(x: Floats, sigma: float, n: int) -> tuple[Floats, Floats]:
    """Per value, nodes log f and the log of quadrature weight times noise density."""
    # In log f the prior is smooth. The noise density is narrow, so its own stretch gets its own
    # nodes; what lies below cannot be dropped, since a steep prior may outweigh it.
    nearest = np.clip(x, 1 / n, 1.0)
    beyond, far = np.abs(x - nearest), (_REACH * sigma) ** 2
    reach = far / (beyond + np.sqrt(beyond**2 + far))  # where the exponent has grown by 81/2
    lower, upper = np.maximum(nearest - reach, 1 / n), np.minimum(nearest + reach, 1.0)
    ends = np.log([np.full(x.size, 1 / n), lower, upper])
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    middle, half = (ends[1:] + ends[:-1]) / 2, np.diff(ends, axis=0) / 2
    log_f = np.hstack([m[:, None] + h[:, None] * nodes for m, h in zip(middle, half, strict=True)])
    with np.errstate(divide="ignore"):  # a part of no length has no weight
        log_weight = np.log(np.hstack([h[:, None] * weights for h in half]))
    # ((x-f)^2 - (x-nearest)^2) / 2 sigma^2: what all nodes share cancels, and its rounding with it
    f = np.exp(log_f)
    exponent = (f - nearest[:, None]) * (f + (nearest - 2 * x)[:, None]) / (2 * sigma**2)
    return log_f, log_weight + log_f - exponent  # df = f d(log f)


def _log_normaliser(alpha: float, n: int) -> float:
    """Log of the integral of f^-alpha from 1/n to 1."""
    slope, length = 1 - alpha, float(np.log(n))
    if abs(slope) * length < 1e-9:
        return float(np.log(length))
    return float(np.log(-np.expm1(-slope * length) / slope))
