r"""Repairs that bring the sum of raw estimates to one.

The two projections onto the probability simplex solve :math:`\hat f_v=\max(0,\,x_v+t\,w_v)`. They
differ in what moves how far: every entry alike, or each by the variance of its noise.
"""

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._scale import power_of_two, scale_back
from ldp.linear import check_oracle, variance
from ldp.types import Floats, FrequencyOracle


def norm_sub(x: npt.ArrayLike) -> Floats:
    r"""Nearest probability vector in Euclidean distance, known in this field as Norm-Sub.

    The solution subtracts one number from all entries and replaces negative results by zero:
    :math:`\hat x_v=\max(0, x_v-\tau)`, with :math:`\tau` such that the result sums to one.

    Parameters
    ----------
    x : array_like, shape (d,)
        Any finite vector, such as raw estimates.

    Returns
    -------
    ndarray, shape (d,)
        Non-negative, sums to one.

    Raises
    ------
    TypeError, ValueError
        If `x` is not a finite non-empty vector of real numbers.

    Notes
    -----
    The projection onto a closed convex set is nearer than `x` to *every* point of that set. The
    frequencies of the users are such a point, so the squared error never grows, whatever the noise.

    Examples
    --------
    >>> norm_sub([0.7, 0.4, -0.1])
    array([0.65, 0.35, 0.  ])

    References
    ----------
    ``wang2020consistency`` (Norm-Sub).
    """
    return _spread(_checks.vector(x, "x"), 1.0, 0.0)


def mle_apx(estimates: npt.ArrayLike, mechanism: FrequencyOracle) -> Floats:
    r"""Most likely frequencies if the estimates were independent normal numbers, by MLE-Apx.

    .. math:: \min_{f\in\Delta}\ \sum_v\frac{(x_v-f_v)^2}{A+B f_v},\qquad
              A=\frac{q(1-q)}{(p-q)^2},\quad B=\frac{1-p-q}{p-q}

    for a pure mechanism; in general :math:`A+Bf` is ``variance(mechanism, 1, f)``. The solution is

    .. math:: \hat f_v=\max\bigl(0,\ x_v+t\,(A+Bx_v)\bigr)

    with :math:`t` such that the result sums to one: every entry kept is rescaled and shifted alike.

    Parameters
    ----------
    estimates : array_like, shape (d,)
        Raw estimates :math:`x_v`, as :func:`ldp.debias` gives them.
    mechanism : FrequencyOracle
        The mechanism that they come from.

    Returns
    -------
    ndarray, shape (d,)
        Non-negative, sums to one.

    Raises
    ------
    TypeError, ValueError
        If `estimates` is not a finite non-empty vector of real numbers, or :math:`A+Bx_v` is not
        positive, which no tally of a pure mechanism can cause.

    Notes
    -----
    With :math:`u=A+Bf_v` and :math:`c=A+Bx_v` a term is :math:`(c^2/u-2c+u)/B^2`, convex, and its
    derivative in :math:`f_v` is :math:`(1-c^2/u^2)/B`. On the entries kept it is the same, hence
    :math:`u=kc` for one number :math:`k`, and :math:`t=(k-1)/B`. The variance taken at the
    estimate, :math:`A+Bx_v`, leads to the same solution. The logarithm of the variance, which a
    normal density also has, is left out. Where :math:`B=0` this is :func:`ldp.norm_sub`.

    Examples
    --------
    >>> from ldp import GRR
    >>> from ldp.postprocess import mle_apx
    >>> mle_apx([0.75, 0.5, -0.25], GRR(3, np.log(4))).round(3)
    array([0.618, 0.382, 0.   ])

    References
    ----------
    ``wang2020consistency`` (MLE-Apx).
    """
    check_oracle(mechanism)
    given = _checks.vector(estimates, "estimates", mechanism.domain_size)
    at_zero = variance(mechanism, 1, 0.0)
    slope = variance(mechanism, 1, 1.0) - at_zero
    scale = power_of_two(given)
    noise = at_zero / scale + slope * (given / scale)
    if noise.min() <= 0:
        raise ValueError(
            f"estimates must be possible under {mechanism}, got {given[noise.argmin()]}."
        )
    return _spread(given, at_zero, slope)


def norm_add(estimates: npt.ArrayLike) -> Floats:
    r"""Add one number to all estimates so that they sum to one (Norm).

    .. math:: x_v+\frac{1}{d}\Bigl(1-\sum_u x_u\Bigr)

    This is the nearest vector of sum one. Unbiased estimates stay unbiased, and may stay negative.

    Parameters
    ----------
    estimates : array_like, shape (d,)
        Raw estimates :math:`x_v`.

    Returns
    -------
    ndarray, shape (d,)
        Sums to one.

    Raises
    ------
    TypeError, ValueError
        If `estimates` is not a finite non-empty vector of real numbers.
    OverflowError
        If an entry of the result does not fit into float64.

    Examples
    --------
    >>> norm_add([0.75, 0.5, 0.5]).round(12)
    array([0.5 , 0.25, 0.25])

    References
    ----------
    ``wang2020consistency`` (Norm).
    """
    given = _checks.vector(estimates, "estimates")
    scale = power_of_two(given)
    scaled = given / scale
    centred = scaled - scaled.mean()  # first, to keep the digits of large inputs
    normed: Floats = scale_back(centred - centred.mean(), scale) + 1 / given.size
    return normed


def norm_mul(estimates: npt.ArrayLike) -> Floats:
    r"""Replace negative estimates by zero, then divide by the sum (Norm-Mul).

    .. math:: \frac{\max(0,x_v)}{\sum_u\max(0,x_u)}

    Parameters
    ----------
    estimates : array_like, shape (d,)
        Raw estimates :math:`x_v`, at least one of them positive.

    Returns
    -------
    ndarray, shape (d,)
        Non-negative, sums to one.

    Raises
    ------
    TypeError, ValueError
        If `estimates` is not a finite non-empty vector of real numbers, or none is positive.

    Examples
    --------
    >>> norm_mul([0.75, 0.5, -0.25])
    array([0.6, 0.4, 0. ])

    References
    ----------
    ``wang2020consistency`` (Norm-Mul).
    """
    given = _checks.vector(estimates, "estimates")
    if given.max() <= 0:
        raise ValueError(
            f"estimates must hold a positive one to be rescaled, got a largest of {given.max()}."
        )
    clipped = np.maximum(given, 0.0) / given.max()  # no sum overflows, no divisor underflows
    rescaled: Floats = clipped / clipped.sum()
    return rescaled


def _spread(x: Floats, a: float, b: float) -> Floats:
    """max(0, x + t (a + b x)) of sum one; all a + b x positive.

    With the t of sum one, m entries kept and their mean, an entry kept becomes
    (a + b x + a m (x - mean)) / (m a + b m mean), and nothing large is subtracted from anything.
    """
    order = np.argsort(x)[::-1]
    scale = power_of_two(x)
    descending = x[order] / scale
    below = descending - descending[0]
    kept = np.arange(1, x.size + 1)
    # a m (mean - x) of the m-th entry, were the m largest kept: it grows by the gaps in between.
    lag = a * np.cumsum(np.append(0.0, kept[:-1] * -np.diff(below)))
    # This leaves the m-th positive for every m up to the number of entries to be kept, and for
    # none beyond.
    m = int(np.flatnonzero(a / scale + b * descending > lag)[-1]) + 1
    centred = below[:m] - below[:m].mean()
    shares = a / scale + b * descending[:m] + a * m * (centred - centred.mean())
    law = np.zeros(x.size)
    law[order[:m]] = np.maximum(shares, 0.0) / (m * (a / scale) + b * descending[:m].sum())
    return law
