"""Projection onto the probability simplex."""

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp.types import Floats


def project_simplex(x: npt.ArrayLike) -> Floats:
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

    Examples
    --------
    >>> project_simplex([0.7, 0.4, -0.1])
    array([0.65, 0.35, 0.  ])

    References
    ----------
    ``wang2020consistency`` (Norm-Sub).
    """
    given = _checks.vector(x, "x")
    # The projection ignores a common shift; removing it first keeps the digits of large inputs.
    shifted = given - given.max()
    descending = np.sort(shifted)[::-1]
    excess = (np.cumsum(descending) - 1) / np.arange(1, given.size + 1)
    last_positive = np.flatnonzero(descending > excess)[-1]
    projected: Floats = np.maximum(shifted - excess[last_positive], 0.0)
    return projected
