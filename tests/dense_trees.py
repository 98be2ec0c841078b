"""Small noisy trees, and the same trees in dense linear algebra."""

import numpy as np
import pytest

from ldp.trees.least_squares import sum_up

SHAPES = [(2, 1), (2, 3), (2, 5), (3, 2), (3, 3), (4, 2), (4, 3), (7, 1)]  # branching, levels
every_shape = pytest.mark.parametrize(("branching", "depth"), SHAPES)
every_kind = pytest.mark.parametrize("equal", [True, False], ids=["equal", "unequal"])


def dense(branching, depth):
    """Rows are the nodes below the root, level by level; columns the leaves they hold."""
    levels = range(1, depth + 1)
    width = [np.ones((1, branching ** (depth - level))) for level in levels]
    return np.concatenate([np.kron(np.eye(branching**i), width[i - 1]) for i in levels])


def measured(branching, depth, equal=True, seed=0, spread=0.4):
    """A noisy tree, many nodes negative, and the variances of its levels."""
    rng = np.random.default_rng([seed, branching, depth])
    variances = np.append(0.0, np.ones(depth) if equal else 10 ** rng.uniform(-1, 1, depth))
    variances *= spread**2
    law = rng.dirichlet(np.full(branching**depth, 0.5))
    truth = sum_up(law, branching)
    nodes = [
        t + np.sqrt(v) * rng.normal(size=t.size) for t, v in zip(truth, variances, strict=True)
    ]
    return tuple(nodes), variances


def weights_of(nodes, variances):
    return np.repeat(1 / variances[1:], [level.size for level in nodes[1:]])


def flat(nodes):
    return np.concatenate(nodes[1:])


def free_directions(d):
    """Orthonormal basis of the vectors of sum zero, as columns."""
    return np.linalg.svd(np.ones((1, d)))[2][1:].T


def covariance(branching, depth, variances):
    """Covariance of generalised least squares for the leaves, whose sum is known to be one."""
    matrix, basis = dense(branching, depth), free_directions(branching**depth)
    weight = np.repeat(1 / variances[1:], [branching**i for i in range(1, depth + 1)])
    information = (matrix @ basis).T @ (weight[:, None] * (matrix @ basis))
    return basis @ np.linalg.inv(information) @ basis.T
