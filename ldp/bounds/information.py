"""Fisher information of a report, for laws inside the simplex."""

import numpy as np
import numpy.typing as npt
import scipy

from ldp import _checks
from ldp.types import Floats


def fisher_information(
    channel: npt.ArrayLike, theta: npt.ArrayLike, *, tangent: bool = False
) -> Floats:
    r"""What one report says about the law: Fisher information in :math:`d-1` coordinates.

    .. math:: J_{kl}=\sum_y\frac{(Q_{k,y}-Q_{d-1,y})(Q_{l,y}-Q_{d-1,y})}{(\theta Q)_y}

    With `tangent` the coordinates are orthonormal on :math:`\{u:\sum_vu_v=0\}`; then
    :math:`\operatorname{tr}J^{-1}` is the limit of :math:`n` times the error, with nothing to add
    for a coordinate left out. The determinant is smaller by the factor :math:`d`.

    Parameters
    ----------
    channel : array_like, shape (d, m)
        Probability of each report (column) under each value (row): positive, of rank d.
    theta : array_like, shape (d,)
        The law.
    tangent : bool
        Use orthonormal coordinates instead of the first d - 1.

    Returns
    -------
    ndarray, shape (d - 1, d - 1)
        Symmetric, positive definite.

    Raises
    ------
    TypeError, ValueError
        If `channel` is no such channel or `theta` no law.

    Examples
    --------
    >>> from ldp import GRR
    >>> fisher_information(GRR(2, np.log(3)).channel(), [0.5, 0.5])  # (3/4 - 1/4)^2 / (1/4)
    array([[1.]])

    References
    ----------
    ``S003``, (36)-(38), reconstructed.
    """
    matrix = telling_channel(channel)
    law = _checks.distribution(theta, "theta", len(matrix))
    if _checks.flag(tangent, "tangent"):
        root = information_root(matrix, law)
        return root @ root.T
    information: Floats = information_at(matrix, law[None])[0]
    return information


def information_root(matrix: Floats, law: Floats) -> Floats:
    """Return a root, shape (d - 1, m), whose product with its transpose is the information.

    Coordinates are orthonormal. The information has the condition of the channel squared.
    """
    root: Floats = (
        scipy.linalg.null_space(np.ones((1, law.size))).T @ matrix / np.sqrt(law @ matrix)
    )
    return root


def information_at(matrix: Floats, laws: Floats) -> Floats:
    """Fisher information at every law, in the first d - 1 coordinates."""
    contrast = matrix[:-1] - matrix[-1]
    weights = 1 / (laws @ matrix)
    information: Floats = np.einsum("ky,iy,ly->ikl", contrast, weights, contrast, optimize=True)
    return information


def positive_channel(given: npt.ArrayLike) -> Floats:
    """Return a channel of at least two values that is private."""
    matrix = _checks.channel(given)
    if len(matrix) < 2:
        raise ValueError(f"channel must have at least two values, got {len(matrix)}.")
    matrix = matrix[:, matrix.any(axis=0)]  # a report that nobody can make says nothing
    if matrix.min() == 0:
        raise ValueError(
            "channel must give every report a positive probability under every value, got a zero."
        )
    return matrix


def telling_channel(given: npt.ArrayLike) -> Floats:
    """Return a channel of at least two values that is private and loses no law."""
    matrix = positive_channel(given)
    rank = int(np.linalg.matrix_rank(matrix))
    if rank < len(matrix):
        raise ValueError(f"channel must have rank {len(matrix)} to tell all laws, got {rank}.")
    return matrix
