"""Private sampling: budgets in exact integers, nearest laws and best worst cases by programmes."""

import math
from fractions import Fraction

import numpy as np
import pytest
from sampling_twins import (
    DIVERGENCES,
    SLOPES,
    best_diagonal,
    best_own_mass,
    certificate,
    divergence,
    factor,
    printed_channel,
)
from test_samplers import FALSE_ALARM, chi_square_p_value

import ldp
from ldp.samplers import (
    LinearSampler,
    Mollifier,
    fixed_point_channel,
    fixed_point_window,
    local_mollifier,
    minimax_mollifier,
    relative_mollifier,
)

PRIOR = np.array([0.5, 0.03, 0.2, 0.17, 0.1])
SAMPLERS = {
    "relative": lambda e: relative_mollifier(PRIOR, e),
    "minimax": lambda e: minimax_mollifier(5, e),
    "local": lambda e: local_mollifier(PRIOR, e, 5.0),
    "window": lambda e: fixed_point_window(PRIOR, e),
    "fixed point": lambda e: LinearSampler(fixed_point_channel(PRIOR, e), e),
    "GRR": lambda e: LinearSampler(ldp.GRR(5, e).channel(), e),
}
every = pytest.mark.parametrize("name", SAMPLERS)
EPSILONS = (1e-6, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 20.0)


def awkward_laws(rng, d=5, n=400):
    """Laws flat and sparse, with zeros, with masses that hardly are, and all point masses."""
    laws = rng.dirichlet(np.full(d, 0.3), n)
    laws[: n // 4] *= rng.random((n // 4, d)) < 0.5
    laws[n // 4 : n // 3] **= 80
    laws = laws[laws.sum(axis=1) > 0]
    return np.vstack([np.eye(d), laws / laws.sum(axis=1, keepdims=True), [1, 5e-324, 0, 0, 0]])


# -- the budget, in exact integers -----------------------------------------------------------------


@every
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_emitted_laws_of_all_distributions_keep_the_budget(name, epsilon):
    """The ends of the windows are all that a report can betray, so no distribution is left out."""
    m = SAMPLERS[name](epsilon)
    low, high = m._low.tolist(), m._high.tolist()
    assert all(Fraction(b, a) <= factor(epsilon) for a, b in zip(low, high, strict=True))
    weights = m.weights(awkward_laws(np.random.default_rng(1)))
    assert (weights >= m._low).all()
    assert (weights <= m._high).all()
    assert {sum(row) for row in weights.tolist()} == {2**64}
    assert m.emitted_epsilon <= epsilon + 1e-15
    stated = m.law(awkward_laws(np.random.default_rng(1)))
    assert np.abs(weights / 2.0**64 - stated).max() < 1e-14


def test_control_rounding_to_nearest_spends_more():
    spends_more = 0
    for epsilon in EPSILONS:
        m = relative_mollifier(PRIOR, epsilon)
        low, high = (np.ldexp(end, 64).round() for end in (m.lower, m.upper))
        ratios = [Fraction(int(b), int(a)) for a, b in zip(low, high, strict=True)]
        spends_more += max(ratios) > factor(epsilon)
    assert spends_more >= 5


@pytest.mark.parametrize("name", ["minimax", "window", "fixed point", "GRR"])
def test_the_budget_is_spent(name):
    """Three per cent less would be seen: two point masses differ by e**epsilon at some value."""
    m = SAMPLERS[name](1.0)
    weights = m.weights(np.eye(5)).astype(float)
    spent = np.log(weights.max(axis=0) / weights.min(axis=0)).max()
    assert abs(spent - 1.0) < 1e-13
    assert abs(m.emitted_epsilon - 1.0) < 1e-13


# -- the nearest law -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["relative", "minimax", "local", "window"])
@pytest.mark.parametrize("f", SLOPES)
def test_laws_are_nearest_in_every_divergence(name, f):
    """First-order certificates, which are enough since D_f is convex."""
    m, (slope, at_zero) = SAMPLERS[name](1.0), SLOPES[f]
    for p in awkward_laws(np.random.default_rng(2), n=60):
        q = m.law(p)
        gradient = np.where(p > 0, slope(p / q), at_zero)
        assert certificate(gradient, q, m.lower, m.upper) < 1e-9  # of the linear programme
    other = m.law(PRIOR)  # control: another law of the window, which is not the nearest
    gradient = np.where(p > 0, slope(p / other), at_zero)
    assert certificate(gradient, other, m.lower, m.upper) > 0.01


def test_control_clipping_alone_leaves_mass_over():
    m = relative_mollifier(np.full(5, 0.2), 1.0)
    clipped = np.clip(1e9 * np.eye(5)[0], m.lower, m.upper)
    assert round(clipped.sum(), 3) == 0.815
    assert m.law(np.eye(5)).sum(axis=1) == pytest.approx(1, abs=1e-15)


def test_masses_that_hardly_are():
    """A mass of 5e-324 takes what the others cannot, before values without mass."""
    m = relative_mollifier(np.full(5, 0.2), 1.0)
    law = m.law([1 - 2**-53, 5e-324, 0, 0, 0])
    expected = np.r_[m.upper[0], 1 - m.upper[0] - 3 * m.lower[0], m.lower[2:]]
    expected[1] = min(expected[1], m.upper[1])
    left = 1 - expected[:2].sum()
    expected[2:] = left / 3
    assert law == pytest.approx(expected, abs=1e-15)


def test_minimax_sampler_has_the_printed_form():
    m, rng = minimax_mollifier(6, 1.5), np.random.default_rng(3)
    least = 1 / (math.exp(1.5) + 5)
    for p in rng.dirichlet(np.ones(6) * 0.5, 50):
        law = m.law(p)
        free = law > least * (1 + 1e-9)
        assert law[~free] == pytest.approx(least, rel=1e-12)
        assert np.ptp(law[free] / p[free]) < 1e-12


# -- the prior is left as it is --------------------------------------------------------------------


def random_priors(rng, sizes=(2, 3, 5, 8)):
    for n in sizes:
        for shape in (0.3, 1.0, 5.0):
            yield np.maximum(rng.dirichlet(np.full(n, shape)), 1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0, 12.0])
def test_fixed_point_channel(epsilon):
    rng = np.random.default_rng(4)
    for q in random_priors(rng):
        q = q / q.sum()
        channel = fixed_point_channel(q, epsilon)
        ordered = np.sort(q)
        exact = printed_channel([Fraction(x) for x in ordered], factor(epsilon))
        placed = channel[np.ix_(np.argsort(q), np.argsort(q))]
        # The printed recursion is told a sum of 1, which these fractions miss by rounding.
        assert placed == pytest.approx(np.array(exact, float), rel=1e-12)
        assert q @ channel == pytest.approx(q, rel=1e-13)
        assert abs(ldp.worst_case_epsilon(channel) - epsilon) < 1e-12
        least = np.exp(epsilon) * q.min() / (np.expm1(epsilon) * q.min() + 1)
        assert channel.diagonal().min() == pytest.approx(least, rel=1e-13)


def test_tiny_masses_lose_no_digits():
    q = [2.0**-1000, 2.0**-60, 2.0**-3, 1 - 2.0**-3 - 2.0**-60]
    exact = [Fraction(2) ** -1000, Fraction(2) ** -60, Fraction(1, 8)]
    exact.append(1 - sum(exact))
    expected = np.array(printed_channel(exact, factor(1.0)), float)
    assert fixed_point_channel(q, 1.0) == pytest.approx(expected, rel=1e-14)


def test_control_the_recursion_needs_an_increasing_prior():
    wrong = ldp.worst_case_epsilon(printed_channel([0.5, 0.3, 0.2], math.e))
    right = ldp.worst_case_epsilon(printed_channel([0.2, 0.3, 0.5], math.e))
    assert (round(wrong, 3), round(right, 12)) == (1.566, 1.0)
    assert round(ldp.worst_case_epsilon(printed_channel([0.7, 0.3], math.e)), 3) == 1.611


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_best_linear_and_best_of_all(epsilon):
    """By linear programmes; the window is never below the channel, and above it off uniform."""
    rng = np.random.default_rng(5)
    for q in random_priors(rng, (3, 4, 5, 6)):
        q = q / q.sum()
        linear = fixed_point_channel(q, epsilon).diagonal().min()
        window = fixed_point_window(q, epsilon)
        own = window.law(np.eye(q.size)).diagonal().min()
        if q.size < 6:
            assert linear == pytest.approx(best_diagonal(q, epsilon), abs=1e-9)
        assert own == pytest.approx(best_own_mass(q, epsilon), abs=1e-9)
        assert own > linear * (1 + 1e-9)
        assert np.abs(window.law(q) - q).max() < 1e-15
    uniform = fixed_point_window(np.full(4, 0.25), epsilon)
    assert uniform.upper == pytest.approx(minimax_mollifier(4, epsilon).upper, rel=1e-14)


@pytest.mark.parametrize("f", DIVERGENCES)
@every
def test_point_masses_are_worst(name, f):
    m, laws = SAMPLERS[name](1.0), awkward_laws(np.random.default_rng(6), n=2_000)
    worst = divergence(f, np.eye(5), m.law(np.eye(5))).max()
    assert divergence(f, laws, m.law(laws)).max() <= worst * (1 + 1e-12)
    weaker = 0.97 * m.law(np.eye(5)) + 0.03 * np.roll(np.eye(5), 1, axis=0)
    assert divergence(f, np.eye(5), weaker).max() > worst  # control: three per cent show


def test_local_mollifier_is_best_on_uniform_priors():
    """Worst over laws that are gamma or 1/gamma times a uniform prior; no other share is better."""
    q, gamma, epsilon = np.full(8, 1 / 8), 3.0, 1.0
    p = np.where(np.arange(8) < 2, gamma, 1 / gamma) * q

    def worst(share):
        m = Mollifier(share * q, share * math.exp(epsilon) * q, epsilon)
        return divergence("KL", p, m.law(p))

    share = 4 / (math.e + 3)
    ours = divergence("KL", p, local_mollifier(q, epsilon, gamma).law(p))
    assert ours == pytest.approx(worst(share), rel=1e-12)
    assert ours < min(worst(0.97 * share), worst(1.03 * share))
    assert ours < min(worst(s) for s in np.linspace(0.4, 1.0, 601))
    assert local_mollifier(q, 3.0, 3.0).law(p) == pytest.approx(p, abs=1e-15)  # 9 < e**3


# -- reports ---------------------------------------------------------------------------------------


@every
def test_reports_have_the_stated_law(name):
    m, rng = SAMPLERS[name](1.0), np.random.default_rng(7)
    laws = np.array([PRIOR, np.eye(5)[1], [0.1, 0.2, 0.3, 0.4, 0.0]])
    reports = m.privatize(np.repeat(laws, 60_000, axis=0), rng).reshape(3, -1)
    counts = np.array([np.bincount(row, minlength=5) for row in reports])
    for count, law in zip(counts, m.law(laws), strict=True):
        assert chi_square_p_value(count, law) > FALSE_ALARM
    assert chi_square_p_value(counts[1], m.law(laws)[2]) < FALSE_ALARM  # control


@every
def test_one_row_many_rows_and_none(name):
    m, laws = SAMPLERS[name](1.0), awkward_laws(np.random.default_rng(8))
    assert m.law(laws) == pytest.approx(np.array([m.law(p) for p in laws]), rel=1e-14)
    whole = m.privatize(laws, np.random.default_rng(9))
    one_by_one, rng = [], np.random.default_rng(9)
    for p in laws:
        one_by_one.append(m.privatize(p, rng)[0])
    assert whole.tolist() == one_by_one
    assert m.privatize(np.zeros((0, 5)), rng).shape == (0,)
