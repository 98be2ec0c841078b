"""HH-ADMM against a convex solver; its certificate against dense algebra."""

from itertools import pairwise

import cvxpy
import numpy as np
import pytest
from dense_trees import dense, every_kind, every_shape, flat, measured, weights_of

from ldp import norm_sub
from ldp.trees import hh_admm, least_squares_tree
from ldp.trees.least_squares import sum_up


def objective(theta, nodes, variances):
    """Half the weighted squared distance, in dense algebra; the smallest variance weighs one."""
    branching, depth = nodes[1].size, len(nodes) - 1
    scale = variances[1:].min() * weights_of(nodes, variances)
    return 0.5 * scale @ (dense(branching, depth) @ theta - flat(nodes)) ** 2


def dense_gap(theta, nodes, variances):
    matrix = dense(nodes[1].size, len(nodes) - 1)
    scale = variances[1:].min() * weights_of(nodes, variances)
    slope = matrix.T @ (scale * (matrix @ theta - flat(nodes)))
    return theta @ slope - slope.min()


@every_kind
@every_shape
@pytest.mark.parametrize("seed", range(3))
def test_a_convex_solver_finds_the_same_tree(branching, depth, equal, seed):
    nodes, variances = measured(branching, depth, equal, seed)
    fit = hh_admm(nodes, variances)
    assert fit.converged
    x = [cvxpy.Variable(level.size, nonneg=True) for level in nodes]
    sums = [
        parents == cvxpy.sum(cvxpy.reshape(children, (parents.size, branching), "C"), axis=1)
        for parents, children in pairwise(x)
    ]
    levels = zip(x[1:], nodes[1:], variances[1:], strict=True)
    terms = [cvxpy.sum_squares(a - b) / v for a, b, v in levels]
    problem = cvxpy.Problem(cvxpy.Minimize(sum(terms) / 2), [*sums, x[0] == 1])
    least = variances[1:].min() * problem.solve(cvxpy.CLARABEL)
    # The solver stops at a relative gap of about 1e-8, hence 1e-4 in distance.
    assert fit.gap <= 1e-12
    assert objective(fit.theta, nodes, variances) == pytest.approx(least, rel=1e-7, abs=1e-8)
    for ours, theirs in zip(fit.nodes, x, strict=True):
        np.testing.assert_allclose(ours, theirs.value, atol=1e-4)


def test_control_clipping_least_squares_is_not_the_solution():
    nodes, variances = measured(2, 5, equal=False)
    clipped = np.maximum(least_squares_tree(nodes, variances)[-1], 0)
    fit = hh_admm(nodes, variances)
    assert dense_gap(clipped / clipped.sum(), nodes, variances) > 0.01
    assert np.abs(clipped / clipped.sum() - fit.theta).max() > 0.01


@every_kind
@every_shape
def test_the_gap_is_that_of_dense_algebra(branching, depth, equal):
    nodes, variances = measured(branching, depth, equal, seed=5)
    for steps in (1, 7, 40, 20_000):
        fit = hh_admm(nodes, variances, max_iterations=steps)
        assert fit.gap == pytest.approx(dense_gap(fit.theta, nodes, variances), abs=1e-13)
        assert fit.theta.min() >= 0
        assert fit.theta.sum() == pytest.approx(1, abs=1e-14)
        np.testing.assert_array_equal(fit.nodes[-1], fit.theta)
        np.testing.assert_allclose(flat(fit.nodes), dense(branching, depth) @ fit.theta, atol=1e-14)


@pytest.mark.parametrize("steps", [1, 3, 10, 25])
@pytest.mark.parametrize("seed", range(4))
def test_the_gap_bounds_what_is_missing(steps, seed):
    """Stopped early, a fit is worse than the solution, by its gap at most."""
    nodes, variances = measured(4, 3, equal=seed % 2 == 0, seed=seed)
    early, late = hh_admm(nodes, variances, max_iterations=steps), hh_admm(nodes, variances)
    missing = objective(early.theta, nodes, variances) - objective(late.theta, nodes, variances)
    assert not early.converged
    assert early.iterations == steps
    assert 1e-9 < missing <= early.gap
    # f is strongly convex: what is missing bounds the distance of all nodes together.
    scale = variances[1:].min() * weights_of(nodes, variances)
    assert scale @ (flat(early.nodes) - flat(late.nodes)) ** 2 <= 2 * missing + 1e-11
    assert early.gap < 1_000 * missing  # and it is not a bound that says nothing


@pytest.mark.parametrize("d", [2, 3, 7, 256])
def test_a_tree_of_one_level_is_projected_onto_the_simplex(d):
    x = np.random.default_rng(d).normal(size=d)
    np.testing.assert_allclose(hh_admm(([1.0], x)).theta, norm_sub(x), atol=1e-6)
    loose = hh_admm(([1.0], x), tolerance=1e-4)
    assert np.abs(loose.theta - norm_sub(x)).max() <= np.sqrt(2e-4)


@every_kind
def test_a_tree_that_is_a_law_is_its_own_fit(equal):
    variances = measured(3, 3, equal)[1]
    law = np.random.default_rng(1).dirichlet(np.ones(27))
    fit = hh_admm(sum_up(law, 3), variances)
    assert fit.converged
    assert fit.iterations == 0
    np.testing.assert_allclose(fit.theta, law, atol=1e-14)


def test_only_ratios_of_variances_matter():
    nodes, variances = measured(4, 3)
    one, other = hh_admm(nodes), hh_admm(nodes, 1e-6 * variances)
    np.testing.assert_allclose(one.theta, other.theta, atol=1e-12)
    assert one.iterations == other.iterations


@pytest.mark.parametrize(("branching", "depth"), [(4, 5), (2, 10), (32, 2)])
@pytest.mark.parametrize("spread", [1e-4, 1e-2, 1.0])
def test_large_trees_are_certified(branching, depth, spread):
    nodes, variances = measured(branching, depth, equal=False, seed=8, spread=spread)
    fit = hh_admm(nodes, variances)
    assert fit.converged
    assert fit.gap <= 1e-12


def test_a_tolerance_below_rounding_is_never_reached_and_said_so():
    nodes, variances = measured(2, 5)
    fit = hh_admm(nodes, variances, tolerance=1e-300, max_iterations=300)
    assert not fit.converged
    assert fit.iterations == 300
    assert fit.gap < 1e-12
