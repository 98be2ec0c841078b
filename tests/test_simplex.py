"""The projection is characterised by its optimality conditions, not by an implementation."""

import cvxpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ldp import project_simplex

VECTORS = arrays(
    float, st.integers(1, 40), elements=st.floats(-1e6, 1e6, allow_nan=False, width=32)
)


def is_projection(x, projected):
    """KKT: a law, with one shift tau on its support that the other entries do not exceed."""
    scale = max(1.0, np.abs(x).max())
    tau = (x - projected)[projected > 0]
    return (
        projected.min() >= 0
        and abs(projected.sum() - 1) < 1e-9
        and np.ptp(tau) <= 1e-12 * scale
        and (x[projected == 0] <= tau.max() + 1e-12 * scale).all()
    )


@given(VECTORS)
def test_optimality_conditions(x):
    assert is_projection(x, project_simplex(x))


def test_control_clipping_and_rescaling_is_not_the_projection():
    x = np.array([0.7, 0.5, -0.1])
    clipped = np.maximum(x, 0) / np.maximum(x, 0).sum()
    assert not is_projection(x, clipped)


@given(VECTORS)
def test_projecting_twice_changes_nothing(x):
    once = project_simplex(x)
    np.testing.assert_allclose(project_simplex(once), once, atol=1e-12)


def test_a_common_shift_changes_nothing():
    x = np.array([0.3, 0.9, -0.4])
    np.testing.assert_allclose(project_simplex(x + 1e6), project_simplex(x), atol=1e-9)


def test_no_law_is_nearer():
    rng = np.random.default_rng(0)
    x = rng.normal(size=6)
    best = np.sum((project_simplex(x) - x) ** 2)
    others = rng.dirichlet(np.ones(6), size=2_000)
    assert (np.sum((others - x) ** 2, axis=1) >= best).all()


@pytest.mark.parametrize("bad", [[], [[0.5]], [np.nan, 1.0], [np.inf], ["a"], [1j]])
def test_refuses_what_is_not_a_vector(bad):
    with pytest.raises((TypeError, ValueError), match=r"^x must .*\.$"):
        project_simplex(bad)


@pytest.mark.parametrize("seed", range(5))
def test_a_convex_solver_finds_the_same_point(seed):
    x = np.random.default_rng(seed).normal(size=12)
    point = cvxpy.Variable(12, nonneg=True)
    distance = cvxpy.Minimize(cvxpy.sum_squares(point - x))
    cvxpy.Problem(distance, [cvxpy.sum(point) == 1]).solve(solver=cvxpy.CLARABEL)
    # The solver stops at a gap of about 1e-8 in the squared distance, hence 1e-4 in distance.
    np.testing.assert_allclose(project_simplex(x), point.value, atol=1e-4)
