r"""Simple repairs of raw estimates, which may be negative and need not sum to one.

All take and return frequencies, and do not bring their sum to one. Those that do are in
``simplex.py``, the repair that needs a prior is in ``power.py``.
"""

import numpy as np
import numpy.typing as npt
import scipy

from ldp import _checks
from ldp._scale import power_of_two, scale_back
from ldp.types import Floats


def base_pos(estimates: npt.ArrayLike) -> Floats:
    r"""Replace negative estimates by zero (Base-Pos): :math:`\max(0,x_v)`.

    This is the nearest non-negative vector. Its sum is not controlled.

    Parameters
    ----------
    estimates : array_like, shape (d,)
        Raw estimates :math:`x_v`, as :func:`ldp.debias` gives them.

    Returns
    -------
    ndarray, shape (d,)
        Non-negative.

    Raises
    ------
    TypeError, ValueError
        If `estimates` is not a finite non-empty vector of real numbers.

    Examples
    --------
    >>> base_pos([0.7, 0.4, -0.2])
    array([0.7, 0.4, 0. ])

    References
    ----------
    ``wang2020consistency`` (Base-Pos).
    """
    return np.maximum(_checks.vector(estimates, "estimates"), 0.0)


def post_pos(estimates: npt.ArrayLike, subsets: npt.ArrayLike) -> Floats:
    r"""Answer questions about sets of values, negative answers as zero (Post-Pos).

    .. math:: \max\Bigl(0,\sum_{v\in S}x_v\Bigr)

    The raw estimates are added first, so that their noise may cancel. For sets of one value this is
    :func:`ldp.postprocess.base_pos`. Answers need not agree: two disjoint sets and their union may
    not add.

    Parameters
    ----------
    estimates : array_like, shape (d,)
        Raw estimates :math:`x_v`.
    subsets : array_like of bool, shape (m, d)
        Row j says which values belong to the set of question j.

    Returns
    -------
    ndarray, shape (m,)
        Answers, non-negative.

    Raises
    ------
    TypeError, ValueError
        If `estimates` is not a finite non-empty vector of real numbers or `subsets` not such a
        matrix of booleans.
    OverflowError
        If an answer does not fit into float64.

    Examples
    --------
    >>> post_pos([0.5, 0.25, -0.125], [[True, False, True], [False, False, True]])
    array([0.375, 0.   ])

    References
    ----------
    ``wang2020consistency`` (Post-Pos).
    """
    given = _checks.vector(estimates, "estimates")
    rows = _checks.plain_array(subsets, "subsets")
    if rows.dtype != np.bool_:
        raise TypeError(f"subsets must be booleans, got dtype {rows.dtype}.")
    if rows.ndim != 2 or rows.shape[1] != given.size:
        raise ValueError(f"subsets must have shape (m, {given.size}), got {rows.shape}.")
    scale = power_of_two(given)
    answers: Floats = scale_back(np.maximum(rows @ (given / scale), 0.0), scale)
    return answers


def base_cut(
    estimates: npt.ArrayLike, noise_variance: float, *, significance: float = 0.05
) -> Floats:
    r"""Replace estimates that noise alone could have made by zero (Base-Cut).

    Keeps :math:`x_v` if it is at least
    :math:`\sigma\,\Phi^{-1}\left(1-\frac{\alpha}{d}\right)`, with :math:`\sigma^2` the
    noise variance and :math:`\Phi` the standard normal distribution function. If the noise is
    normal, a value that nobody holds is kept with probability :math:`\alpha/d`, and any such value
    with probability at most :math:`\alpha`.

    Parameters
    ----------
    estimates : array_like, shape (d,)
        Raw estimates :math:`x_v`.
    noise_variance : float
        Variance :math:`\sigma^2>0` of the estimate of a value that nobody holds:
        ``variance(mechanism, num_reports)``.
    significance : float
        The level :math:`\alpha`, in (0, 1/2].

    Returns
    -------
    ndarray, shape (d,)
        Non-negative; the sum is not controlled.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as described.

    Examples
    --------
    >>> base_cut([0.7, 0.4, 0.02], noise_variance=1e-4)       # keeps what is above 0.0213
    array([0.7, 0.4, 0. ])

    References
    ----------
    ``wang2020consistency`` (Base-Cut).
    """
    given = _checks.vector(estimates, "estimates")
    sigma = np.sqrt(_checks.positive(noise_variance, "noise_variance"))
    level = _checks.real(significance, "significance", "above 0 and at most 0.5")
    if not 0 < level <= 0.5:  # above it the limit could be negative
        raise ValueError(f"significance must be above 0 and at most 0.5, got {level}.")
    limit = -float(scipy.special.ndtri_exp(np.log(level) - np.log(given.size))) * sigma
    return np.where(given >= limit, given, 0.0)


def norm_cut(estimates: npt.ArrayLike) -> Floats:
    r"""Keep the largest estimates while their sum is at most one, zero the others (Norm-Cut).

    Keeps :math:`x_v` if it is positive and at least :math:`\tau`, the smallest number for which
    :math:`\sum_{u:x_u\ge\tau}\max(0,x_u)\le 1`. Equal estimates are kept or lost together.

    Parameters
    ----------
    estimates : array_like, shape (d,)
        Raw estimates :math:`x_v`.

    Returns
    -------
    ndarray, shape (d,)
        Non-negative, of sum at most one (to rounding). The sum is below one if the positive
        estimates reach less, and zero if the largest alone is above one.

    Raises
    ------
    TypeError, ValueError
        If `estimates` is not a finite non-empty vector of real numbers.

    Examples
    --------
    >>> norm_cut([0.75, 0.5, 0.125, -0.25])
    array([0.75, 0.  , 0.  , 0.  ])

    References
    ----------
    ``wang2020consistency`` (Norm-Cut).
    """
    clipped = base_pos(estimates)
    sizes, inverse, times = np.unique(clipped, return_inverse=True, return_counts=True)
    with np.errstate(over="ignore"):  # what overflows is above one
        reached = np.cumsum((sizes * times)[::-1])[::-1]  # sum of all entries at least this large
    fits = reached <= 1 + 1e-12  # estimates that sum to one do so up to rounding only
    return np.where(fits[inverse], clipped, 0.0)
