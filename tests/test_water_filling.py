"""Maximum likelihood of randomized response in closed form: exact arithmetic, and ours beside it.

With r = q / (p - q) a report v has the chance (p - q)(theta_v + r). So the likelihood is largest
where c_v / (theta_v + r) is one number for all v that are kept and at most that for all others:

    theta_v = max(0, c_v / tau - r),    and tau makes them sum to one.
"""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from ldp import GRR, Tally, debias, em, maximum_likelihood, norm_sub
from ldp.likelihood import maximum_posterior

SIZES = [(2, 0.3), (3, 1.0), (4, 0.1), (4, 5.0)]


def ratio(m):
    """The r of the mechanism, from its very float64 numbers."""
    return Fraction(m.q) / (Fraction(m.p) - Fraction(m.q))


def optimal(theta, counts, r):
    """The conditions of Karush, Kuhn and Tucker; concave, so that they are enough."""
    level = max(Fraction(c) / (t + r) for c, t in zip(counts, theta, strict=True))
    pairs = zip(counts, theta, strict=True)
    return (
        sum(theta) == 1
        and min(theta) >= 0
        and all(t == 0 or Fraction(c) / (t + r) == level for c, t in pairs)
    )


def by_subsets(counts, r):
    """All laws that are optimal, from every set of values that could be the ones kept."""
    found = set()
    for size in range(1, len(counts) + 1):
        for kept in itertools.combinations(range(len(counts)), size):
            tau = sum(counts[v] for v in kept) / (1 + size * r)
            if tau > 0:
                theta = tuple(
                    counts[v] / tau - r if v in kept else 0 * r for v in range(len(counts))
                )
                if min(theta) >= 0 and optimal(theta, counts, r):
                    found.add(theta)
    return found


def by_filling(counts, r):
    """The closed form: fewer are kept until the least of them is not below zero."""
    kept = sorted(counts, reverse=True)
    while True:
        tau = sum(kept) / (1 + len(kept) * r)
        if kept[-1] / tau >= r:
            return tuple(max(0 * r, c / tau - r) for c in counts)
        kept.pop()


@pytest.mark.parametrize(("size", "epsilon"), SIZES)
def test_all_tallies_of_few_reports(size, epsilon):
    m = GRR(size, epsilon)
    r = ratio(m)
    for counts in itertools.product(range(5), repeat=size):
        if sum(counts):
            wanted = by_filling(counts, r)
            assert by_subsets(counts, r) == {wanted}  # there is one, and this is it
            fit = maximum_likelihood(Tally(np.array(counts), sum(counts)), m)
            # 1 / r amplifies what rounding leaves of the level.
            assert fit.theta == pytest.approx(np.array(wanted, dtype=float), abs=1e-14 * (1 + r))
            assert (fit.theta > 0).tolist() == [t > 1e-15 * (1 + r) for t in wanted]
            assert fit.converged


@pytest.mark.parametrize(("size", "epsilon"), [(10, 0.5), (100, 1.0), (1024, 3.0)])
def test_large_tallies_and_the_general_methods(size, epsilon):
    m, rng = GRR(size, epsilon), np.random.default_rng(size)
    r = ratio(m)
    for concentration in (0.1, 1.0):
        people = rng.multinomial(20_000, rng.dirichlet(np.full(size, concentration)))
        tally = m.simulate(people, rng)
        wanted = by_filling(tally.counts.tolist(), r)
        assert sum(wanted) == 1
        assert optimal(wanted, tally.counts.tolist(), r)
        law = np.array(wanted, dtype=float)
        assert maximum_likelihood(tally, m).theta == pytest.approx(law, abs=1e-12)
        assert law.min() == 0  # values dropped, so that this is no clipping: see the control
        if size == 10:
            newton = maximum_posterior(tally, m, np.ones(size), tolerance=1e-13)
            steps = em(tally.counts, m, tolerance=1e-11, max_iterations=10**6)
            assert newton.theta == pytest.approx(law, abs=1e-5)
            assert steps.theta == pytest.approx(law, abs=1e-4)


def test_where_no_estimate_is_negative_it_is_debias():
    m, tally = GRR(4, 1.0), Tally([30, 25, 25, 20], 100)
    raw = debias(tally, m)
    assert raw.min() > 0
    assert maximum_likelihood(tally, m).theta == pytest.approx(raw, abs=1e-14)


def test_control_other_repairs_are_not_it():
    """Projecting, and clipping with a division, are other laws than the most likely one."""
    m, tally = GRR(4, 1.0), Tally([60, 25, 10, 5], 100)
    theta, raw = maximum_likelihood(tally, m).theta, debias(tally, m)
    clipped = np.maximum(raw, 0) / np.maximum(raw, 0).sum()
    for other in (norm_sub(raw), clipped):
        assert np.abs(other - theta).max() > 5e-3
        exact = [Fraction(t) for t in other.tolist()]
        exact[0] += 1 - sum(exact)
        assert not optimal(exact, tally.counts.tolist(), ratio(m))
