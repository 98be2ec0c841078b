"""The projections are characterised by their optimality conditions, not by an implementation."""

import cvxpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ldp import GRR, OLH, OUE, SUE, SubsetSelection, debias, norm_sub
from ldp.postprocess import mle_apx

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
    assert is_projection(x, norm_sub(x))


def test_control_clipping_and_rescaling_is_not_the_projection():
    x = np.array([0.7, 0.5, -0.1])
    clipped = np.maximum(x, 0) / np.maximum(x, 0).sum()
    assert not is_projection(x, clipped)


@given(VECTORS)
def test_projecting_twice_changes_nothing(x):
    once = norm_sub(x)
    np.testing.assert_allclose(norm_sub(once), once, atol=1e-12)


def test_a_common_shift_changes_nothing():
    x = np.array([0.3, 0.9, -0.4])
    np.testing.assert_allclose(norm_sub(x + 1e6), norm_sub(x), atol=1e-9)


def test_no_law_is_nearer():
    rng = np.random.default_rng(0)
    x = rng.normal(size=6)
    best = np.sum((norm_sub(x) - x) ** 2)
    others = rng.dirichlet(np.ones(6), size=2_000)
    assert (np.sum((others - x) ** 2, axis=1) >= best).all()


@pytest.mark.parametrize("bad", [[], [[0.5]], [np.nan, 1.0], [np.inf], ["a"], [1j]])
def test_refuses_what_is_not_a_vector(bad):
    with pytest.raises((TypeError, ValueError), match=r"^x must .*\.$"):
        norm_sub(bad)


@pytest.mark.parametrize("seed", range(5))
def test_a_convex_solver_finds_the_same_point(seed):
    x = np.random.default_rng(seed).normal(size=12)
    point = cvxpy.Variable(12, nonneg=True)
    distance = cvxpy.Minimize(cvxpy.sum_squares(point - x))
    cvxpy.Problem(distance, [cvxpy.sum(point) == 1]).solve(solver=cvxpy.CLARABEL)
    # The solver stops at a gap of about 1e-8 in the squared distance, hence 1e-4 in distance.
    np.testing.assert_allclose(norm_sub(x), point.value, atol=1e-4)


def test_one_value_has_all():
    np.testing.assert_array_equal(norm_sub([-7.5]), [1.0])
    with pytest.raises(ValueError, match=r"estimates must have shape \(2,\), got \(1,\)"):
        mle_apx([0.3], OUE(2, 1.0))  # a part of the domain need not sum to one


def test_an_entry_just_below_the_level_is_lost():
    np.testing.assert_allclose(norm_sub([0.7, 0.4, 0.049]), [0.65, 0.35, 0], rtol=1e-12)
    kept = [0.7 - 0.152 / 3, 0.4 - 0.152 / 3, 0.052 - 0.152 / 3]
    np.testing.assert_allclose(norm_sub([0.7, 0.4, 0.052]), kept, rtol=1e-12)


def test_equal_entries_stay_equal():
    np.testing.assert_allclose(norm_sub([3.0] * 7), np.full(7, 1 / 7), rtol=1e-15)
    np.testing.assert_allclose(mle_apx([-0.01] * 7, OUE(7, 1.0)), np.full(7, 1 / 7), rtol=1e-15)


def possible_estimates(m, seed, num_reports=60):
    """Estimates of a small tally: many are negative."""
    rng = np.random.default_rng(seed)
    held = rng.multinomial(num_reports, rng.dirichlet(np.full(m.domain_size, 0.3)))
    return debias(m.simulate(held, rng), m)


def noise_at(m, f):
    """Variance of one report, from p and q alone: typed apart from the package's formula."""
    q, gain = m.q, m.p - m.q
    return (q * (1 - q) + f * gain * (1 - m.p - q)) / gain**2


def apx_objective(m, x, f):
    return np.sum((x - f) ** 2 / noise_at(m, f), axis=-1)


PURE = [GRR(2, 0.7), GRR(9, 1.0), OUE(12, 0.5), SUE(12, 1.0), OLH(30, 2.0), SubsetSelection(8, 1.0)]
SEEDS = range(4)


def is_apx(m, x, f):
    """KKT: a law, its entries moved by one multiple of their variance, down to zero only."""
    steps = (f - x) / noise_at(m, x)
    kept = f > 0
    return (
        f.min() >= 0
        and abs(f.sum() - 1) < 1e-12
        and np.ptp(steps[kept]) < 1e-10
        and (steps[~kept] >= steps[kept].max() - 1e-10).all()
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("m", PURE, ids=repr)
def test_mle_apx_optimality_conditions(m, seed):
    x = possible_estimates(m, seed)
    f = mle_apx(x, m)
    assert is_apx(m, x, f)
    # No law has a smaller objective: neither one at random nor one a short way off.
    rng = np.random.default_rng(seed)
    laws = rng.dirichlet(np.full(m.domain_size, 0.5), size=500)
    nearby = f + 1e-3 * (laws - f)
    least = apx_objective(m, x, f)
    assert (apx_objective(m, x, laws) > least).all()
    assert (apx_objective(m, x, nearby) > least - 1e-12).all()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("m", [GRR(9, 1.0), OUE(12, 0.5), SubsetSelection(8, 1.0)], ids=repr)
def test_a_convex_solver_finds_the_same_mle_apx(m, seed):
    x = possible_estimates(m, seed)
    f = cvxpy.Variable(x.size, nonneg=True)
    terms = [cvxpy.quad_over_lin(x[v] - f[v], noise_at(m, f[v])) for v in range(x.size)]
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum(cvxpy.hstack(terms))), [cvxpy.sum(f) == 1])
    problem.solve(solver=cvxpy.CLARABEL)
    np.testing.assert_allclose(mle_apx(x, m), f.value, atol=1e-4)  # as above


def test_control_the_two_projections_differ():
    m = OUE(12, 0.5)
    x = possible_estimates(m, 0)
    assert not is_apx(m, x, norm_sub(x))
    assert np.abs(mle_apx(x, m) - norm_sub(x)).max() > 1e-3


@pytest.mark.parametrize("m", [GRR(2, 0.7), SUE(12, 1.0)], ids=repr)
def test_equal_variances_make_mle_apx_the_projection(m):
    x = possible_estimates(m, 1)
    np.testing.assert_allclose(mle_apx(x, m), norm_sub(x), atol=1e-12)


@pytest.mark.parametrize("m", PURE, ids=repr)
def test_a_law_is_its_own_mle_apx(m):
    law = np.random.default_rng(2).dirichlet(np.ones(m.domain_size))
    np.testing.assert_allclose(mle_apx(law, m), law, atol=1e-12)


def test_mle_apx_refuses_what_no_tally_gives():
    m = OUE(3, 4.0)
    lowest = -m.q / (m.p - m.q)
    assert mle_apx([1.0, 0.0, lowest], m).sum() == pytest.approx(1)
    with pytest.raises(ValueError, match=r"^estimates must be possible under .*, got -0\.1\.$"):
        mle_apx([0.7, 0.4, -0.1], m)
