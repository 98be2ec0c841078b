r"""Trees of frequencies, and consistency by least squares.

A tree is a tuple of arrays, the root first: level :math:`l` holds the :math:`\beta^l` frequencies
of the intervals of :math:`d/\beta^l` values, and the last level those of the values themselves.
It is consistent when every node is the sum of its :math:`\beta` children.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp.types import Floats

Tree = tuple[Floats, ...]

_LARGEST = 1e100


def check_nodes(nodes: Sequence[npt.ArrayLike]) -> Tree:
    """Return a tree of finite numbers whose root is 1, or refuse it."""
    if not isinstance(nodes, tuple | list):
        raise TypeError(f"nodes must be a tuple of arrays, got {type(nodes).__name__}.")
    if len(nodes) < 2:
        raise ValueError(f"nodes must have a root and at least one level, got {len(nodes)} arrays.")
    tree = tuple(_checks.vector(level, f"nodes[{i}]") for i, level in enumerate(nodes))
    sizes = [level.size for level in tree]
    if sizes[1] < 2 or sizes != [sizes[1] ** i for i in range(len(sizes))]:
        raise ValueError(
            f"nodes must have sizes 1, b, b**2, ... with one b of at least 2, got {sizes}."
        )
    largest = max(np.abs(level).max() for level in tree)
    if largest > _LARGEST:  # their squares leave float64
        raise ValueError(
            f"nodes must be from -{_LARGEST} to {_LARGEST}, got one of size {largest}."
        )
    if not math.isclose(tree[0][0], 1.0, abs_tol=1e-9):
        raise ValueError(f"nodes must have a root of 1, got {tree[0][0]}.")
    return tree


def check_variances(variances: npt.ArrayLike, num_levels: int | None = None) -> Floats:
    """Return the noise variance of every level, the root included: 0, then positive numbers."""
    noise = _checks.vector(variances, "variances", num_levels)
    if noise.size < 2:
        raise ValueError(f"variances must be of a root and at least one level, got {noise.size}.")
    if noise[0] != 0:
        raise ValueError(f"variances must be 0 at the root, which is known, got {noise[0]}.")
    low, high = noise[1:].min(), noise[1:].max()
    if low < 1 / _LARGEST or high > _LARGEST:
        raise ValueError(
            f"variances must be positive below the root, from {1 / _LARGEST} to {_LARGEST}, "
            f"got {low} to {high}."
        )
    return noise


def noise_of(tree: Tree, variances: npt.ArrayLike | None) -> Floats:
    """Return the noise variance of every level of a tree, all equal where none are given."""
    if variances is None:
        return np.append(0.0, np.ones(len(tree) - 1))
    return check_variances(variances, len(tree))


def subtree_variances(noise: Floats, branching: int) -> Floats:
    r"""Variance :math:`V_l` of the best estimate of a node from its own subtree; 0 at the root.

    A node measured with variance :math:`v_l` has a second, independent estimate: the sum of its
    children, of variance :math:`\beta V_{l+1}`. Hence :math:`1/V_l=1/v_l+1/(\beta V_{l+1})`, and
    :math:`V_h=v_h` for the leaves.
    """
    best = noise.copy()
    for level in range(noise.size - 2, 0, -1):
        best[level] = noise[level] / (1 + noise[level] / (branching * best[level + 1]))
    return best


def two_passes(levels: Sequence[Floats], subtree: Floats) -> list[Floats]:
    """Least-squares consistent tree with root 1, all without the root; `subtree` includes it."""
    branching = levels[0].size
    best, sums = levels[-1], [levels[-1].reshape(-1, branching).sum(axis=1)]
    bests = [best]
    for level in range(len(levels) - 1, 0, -1):
        # Variance of the best mean over that of the children's sum: the weight of the latter.
        weight = subtree[level] / (branching * subtree[level + 1])
        best = levels[level - 1] + weight * (sums[-1] - levels[level - 1])
        bests.append(best)
        sums.append(best.reshape(-1, branching).sum(axis=1))
    tree = [np.ones(1)]
    for best, total in zip(reversed(bests), reversed(sums), strict=True):
        # Siblings have equal variances: what they miss is spread evenly.
        tree.append(best + np.repeat((tree[-1] - total) / branching, branching))
    return tree[1:]


def least_squares_tree(
    nodes: Sequence[npt.ArrayLike], variances: npt.ArrayLike | None = None
) -> Tree:
    r"""Consistent tree nearest to the measured one, by weighted least squares.

    .. math:: \min_x\ \sum_{l=1}^h\frac1{v_l}\sum_{u\text{ on level }l}(x_u-\tilde x_u)^2\qquad
              \text{subject to}\quad x_u=\sum_{c\text{ child of }u}x_c,\quad x_{\text{root}}=1

    Parameters
    ----------
    nodes : sequence of array_like
        The measured tree, root first, of sizes :math:`1,\beta,\beta^2,\dots,d` with
        :math:`\beta\ge2`. The root is 1.
    variances : array_like, shape (levels + 1,), optional
        Noise variance :math:`v_l` of a node on each level, 0 at the root; only their ratios matter.
        All equal when left out.

    Returns
    -------
    tuple of ndarray
        The consistent tree, root first. Nodes may be negative.

    Raises
    ------
    TypeError, ValueError
        If the levels are not of these sizes or not finite, the root is not 1, or a variance is not
        positive (0 at the root).

    Notes
    -----
    Two passes, :math:`O(d)`. Upwards each node becomes the best mean of itself and its children,
    downwards what siblings miss of their parent is spread over them evenly. Where errors are
    independent with variances :math:`v_l` this is the unbiased linear estimator of least variance,
    of every node and every range at once (Gauss and Markov).

    Examples
    --------
    >>> [level.round(3) for level in least_squares_tree([[1], [0.5, 0.3], [0.3, 0.4, 0.1, 0.0]])]
    [array([1.]), array([0.667, 0.333]), array([0.283, 0.383, 0.217, 0.117])]

    References
    ----------
    ``hay2010boosting``, section 4; ``cormode2019answering``.
    """
    tree = check_nodes(nodes)
    noise = noise_of(tree, variances)
    subtree = subtree_variances(noise, tree[1].size)
    return np.ones(1), *two_passes(tree[1:], subtree)


def sum_up(leaves: Floats, branching: int) -> Tree:
    """Consistent tree of leaves that sum to 1; their number is a power of the branching."""
    tree = [leaves]
    while tree[-1].size > branching:
        tree.append(tree[-1].reshape(-1, branching).sum(axis=1))
    return np.ones(1), *reversed(tree)
