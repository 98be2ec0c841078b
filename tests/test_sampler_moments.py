"""Posterior samplers against the exact posterior, so finely that three percent is seen.

Every chain gives a mean of its own, so means of chains have a standard error with as many degrees
of freedom as there are chains less one. A moment that is more than six of them off is an alarm: a
7e-9 event for Student's t with 255 degrees of freedom, 4e-7 for the whole file. `POWER` more of
them and a fault is seen with 95 percent probability; every test asserts that three percent of the
posterior's variance is that much, so that a cell with too few draws fails.
"""

import numpy as np
import pytest
from catalogue import drawn
from scipy import special

from ldp import GRR, OUE, RRRR, SHE
from ldp.bayes import exact_posterior, gibbs, slice_sample, slice_sampling

pytestmark = pytest.mark.statistical

ALARM, POWER = 6.0, 1.7
FAULT = 0.03
CHAINS = 256


# -- exact moments


def quadrature(d, size=400):
    """Points of the simplex and the logarithm of their weights, for two values or three.

    Gauss-Legendre, for three values on a square that is folded to the triangle.
    """
    nodes, weights = special.roots_legendre(size)
    x, w = (nodes + 1) / 2, weights / 2
    if d == 2:
        return np.column_stack([x, 1 - x]), np.log(w)
    u, v = (each.ravel() for each in np.meshgrid(x, x))
    laws = np.column_stack([u, (1 - u) * v, (1 - u) * (1 - v)])
    return laws, np.log(np.outer(w, w).ravel() * (1 - u))


def moments_by_quadrature(mechanisms, reports, alpha):
    """Mean and variances from the channels alone."""
    laws, density = quadrature(len(alpha))
    density = density + np.log(laws) @ (np.asarray(alpha) - 1)
    for m, given in zip(mechanisms, reports, strict=True):
        columns, counts = np.unique(m.outcomes(given), return_counts=True)
        density += np.log(laws @ m.channel()[:, columns]) @ counts
    weights = np.exp(density - density.max())
    weights /= weights.sum()
    mean = weights @ laws
    return mean, weights @ (laws - mean) ** 2


def exact_moments(mechanisms, reports, alpha):
    if len(alpha) <= 3:
        return moments_by_quadrature(mechanisms, reports, alpha)
    exact = exact_posterior(reports[0], mechanisms[0], alpha)
    return exact.mean, exact.variance


@pytest.mark.parametrize(("m", "alpha"), [(GRR(2, 1.0), [1, 1]), (GRR(3, 1.0), [2.5, 1.0, 4.0])])
def test_quadrature_agrees_with_the_mixture(m, alpha):
    reports = drawn(m, 12)
    exact = exact_posterior(reports, m, alpha)
    for one, other in zip(
        moments_by_quadrature([m], [reports], alpha), (exact.mean, exact.variance), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-9)


# -- the comparison


def distances(laws, mean, variance):
    """Student's t of every mean and of the variances' sum; relative error of that sum."""
    of_chains = np.column_stack(
        [laws.mean(axis=1), ((laws - mean) ** 2).sum(axis=2).mean(axis=1) / variance.sum()]
    )
    error = of_chains.std(axis=0, ddof=1) / np.sqrt(len(of_chains))
    return (of_chains.mean(axis=0) - np.append(mean, 1.0)) / error, error[-1]


def assert_exact(sampler, cell, num_draws, burn_in):
    mechanisms, num_reports, alpha = cell
    reports = [drawn(m, num_reports, seed) for seed, m in enumerate(mechanisms)]
    mean, variance = exact_moments(mechanisms, reports, alpha)
    rng = np.random.default_rng(5)
    sample = sampler(reports, mechanisms, alpha, num_draws, rng, burn_in=burn_in, num_chains=CHAINS)
    t, error = distances(sample.laws, mean, variance)
    assert (ALARM + POWER) * error < FAULT
    assert np.abs(t).max() < ALARM


SUBSETS = [RRRR(3, 1.0, [0], 0.8), RRRR(3, 1.0, [2], 0.3), RRRR(3, 1.0, [], 1.0)]
# Mechanisms, reports of each, concentration; then the draws of a chain that the power asks for.
CELLS = {
    "two values": (([GRR(2, 1.0)], 12, [1.0, 1.0]), 900),
    "two values, many users": (([GRR(2, 0.5)], 3_000, [2.5, 1.0]), 1_600),
    "three values, many users": (([GRR(3, 1.0)], 500, [1.0, 1.0, 1.0]), 1_100),
    "three values, a large budget": (([OUE(3, 5.0)], 200, [1.0, 6.0, 1.0]), 2_100),
    "several subsets": ((SUBSETS, 60, [1.0, 2.0, 1.0]), 800),
    "unary encoding": (([OUE(4, 1.0)], 15, [1.0] * 4), 500),
    "noise": (([SHE(4, 1.0)], 12, [2.5, 1.0, 1.0, 6.0]), 1_300),
    "a subset": (([RRRR(4, 1.0, [0, 3], 0.9)], 15, [1.0] * 4), 450),
}


@pytest.mark.parametrize(("cell", "num_draws"), CELLS.values(), ids=CELLS)
def test_slices_have_the_moments_of_the_posterior(cell, num_draws):
    assert_exact(slice_sample, cell, num_draws, burn_in=30)


@pytest.mark.parametrize(
    ("name", "num_draws"), [("two values", 1_000), ("unary encoding", 450), ("a subset", 400)]
)
def test_gibbs_has_the_moments_of_the_posterior(name, num_draws):
    assert_exact(gibbs, CELLS[name][0], num_draws, burn_in=50)


@pytest.mark.parametrize("share", [1 - FAULT, 1 + FAULT])
def test_control_slices_at_a_level_three_percent_off_are_seen(share, monkeypatch):
    """A level is the logarithm of a uniform number: a power of the number is another level.

    Where the posterior is nearly normal, its variance is off by as much as the level.
    """
    exactly = slice_sampling.sweep_pairs

    def off(law, columns, counts, prior, order, uniforms):
        uniforms[:, 0] = 1 - (1 - uniforms[:, 0]) ** share
        exactly(law, columns, counts, prior, order, uniforms)

    monkeypatch.setattr(slice_sampling, "sweep_pairs", off)
    with pytest.raises(AssertionError, match="max"):
        test_slices_have_the_moments_of_the_posterior(*CELLS["two values, many users"])


@pytest.mark.parametrize("wrong", [GRR(2, 0.515), GRR(2, 0.485)])
def test_control_slices_at_a_budget_three_percent_off_are_seen(wrong):
    ((m,), num_reports, alpha), _ = CELLS["two values, many users"]
    reports, rng = drawn(m, num_reports), np.random.default_rng(5)
    sample = slice_sample(reports, wrong, alpha, 1_000, rng, burn_in=30, num_chains=CHAINS)
    t, _ = distances(sample.laws, *moments_by_quadrature([m], [reports], alpha))
    assert np.abs(t).max() > ALARM
