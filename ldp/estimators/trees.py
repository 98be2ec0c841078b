r"""Trees of frequencies, and consistency by least squares.

A tree is a tuple of arrays, the root first: level :math:`l` holds the :math:`\beta^l` frequencies
of the intervals of :math:`d/\beta^l` values, and the last level those of the values themselves.
It is consistent when every node is the sum of its :math:`\beta` children.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp.types import Floats

Tree = tuple[Floats, ...]


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
    if noise[1:].min() <= 0:
        raise ValueError(f"variances must be positive below the root, got {noise[1:].min()}.")
    return noise


def noise_of(tree: Tree, variances: npt.ArrayLike | None) -> Floats:
    """Return the noise variance of every level of a tree, all equal where none are given."""
    if variances is None:
        return np.append(0.0, np.ones(len(tree) - 1))
    return check_variances(variances, len(tree))


class Gains(NamedTuple):
    """What the two passes multiply with; it depends on the variances alone.

    ``blend[l]`` is the weight of the children in the estimate of a node of level l + 1,
    ``share[l]`` the part of what is missing among siblings that a node of level l + 1 takes.
    """

    blend: list[Floats]
    share: list[Floats]


def gains(variances: Sequence[Floats], branching: int) -> Gains:
    r"""Prepare the two passes from the variance of every node below the root, level by level.

    Let :math:`V_c` be the variance of the best estimate of :math:`c` from its own subtree. The
    children of a node :math:`u` measured with variance :math:`v_u` give a second, independent
    estimate of it, their sum, of variance :math:`s_u=\sum_c V_c`. The best mean of the two weighs
    the children with :math:`v_u/(v_u+s_u)` and has variance :math:`V_u=v_us_u/(v_u+s_u)`.
    A leaf of variance 0 is known exactly.
    """
    blend, share = [], []
    subtree = variances[-1]
    for level in range(len(variances) - 1, -1, -1):
        below = subtree.reshape(-1, branching)
        total = below.sum(axis=1)
        known = total == 0  # all siblings are known: nothing is missing among them
        share.append((below / np.where(known, 1.0, total)[:, None]).ravel())
        if level:
            weight = variances[level - 1] / (variances[level - 1] + total)
            blend.append(weight)
            subtree = weight * total
    return Gains(blend[::-1], share[::-1])


def two_passes(nodes: Sequence[Floats], prepared: Gains) -> list[Floats]:
    """Least-squares consistent tree with root 1; `nodes` are the levels below the root."""
    branching = nodes[0].size
    best, sums = [nodes[-1]], []
    for own, weight in zip(nodes[-2::-1], reversed(prepared.blend), strict=True):
        sums.append(best[-1].reshape(-1, branching).sum(axis=1))
        best.append(own + weight * (sums[-1] - own))
    sums.append(best[-1].sum(keepdims=True))
    tree = [np.ones(1)]
    for estimate, total, part in zip(reversed(best), reversed(sums), prepared.share, strict=True):
        missing = np.repeat(tree[-1] - total, branching)
        tree.append(estimate + part * missing)
    return tree


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
    downwards what a family misses is spread over its members. Where errors are independent with
    variances :math:`v_l` this is the unbiased linear estimator of least variance, of every node
    and every range at once (Gauss and Markov).

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
    spread = [np.full(level.size, v) for level, v in zip(tree[1:], noise[1:], strict=True)]
    return tuple(two_passes(tree[1:], gains(spread, tree[1].size)))


def sum_up(leaves: Floats, branching: int) -> Tree:
    """Consistent tree of leaves that sum to 1; their number is a power of the branching."""
    tree = [leaves]
    while tree[-1].size > branching:
        tree.append(tree[-1].reshape(-1, branching).sum(axis=1))
    return np.ones(1), *reversed(tree)
