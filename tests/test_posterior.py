"""The exact posterior against sums over everything and plain integrals."""

import math
from itertools import product

import numpy as np
import pytest
from catalogue import small
from scipy import integrate, stats
from scipy.special import gammaln

from ldp import GRR, OUE, SHE, SubsetSelection
from ldp.bayes import DirichletMixture, exact_posterior, minimum_mse, posterior_mean
from ldp.bayes._tallies import count_tallies, number_tallies, written

SMALL = [m for epsilon in (0.5, 4.0) for m in small(epsilon)]


class Rows:
    """All that estimators ask of a mechanism: how likely each report is under each value."""

    def __init__(self, *rows):
        self.rows, self.domain_size = np.array(rows), len(rows[0])

    def likelihood(self, reports):
        return self.rows[np.asarray(reports)]


def prior_for(d):
    """An uneven concentration with entries below, at and above 1."""
    return np.resize([0.5, 1.0, 2.0, 0.3, 1.7, 1.0, 0.8, 1.0, 0.6], d)


def log_beta(a):
    return gammaln(a).sum() - gammaln(a.sum())


def by_assignments(likelihood, alpha):
    """Posterior of the tally by summing over all d**n values the users may have."""
    n, d = likelihood.shape
    weights = {}
    for values in product(range(d), repeat=n):
        tally = np.bincount(values, minlength=d)
        chance = np.prod(likelihood[range(n), values])
        chance *= math.exp(log_beta(alpha + tally) - log_beta(alpha))
        weights[tuple(tally)] = weights.get(tuple(tally), 0.0) + chance
    return weights


# -- the numbering of tallies


@pytest.mark.parametrize(("n", "d"), [(0, 2), (0, 4), (1, 2), (6, 2), (1, 5), (5, 3), (4, 6)])
def test_every_tally_has_one_number_and_fewer_users_come_first(n, d):
    tallies = number_tallies(n, d)
    for j in range(n + 1):
        listed = [tuple(t) for t in tallies.of(j)]
        assert set(listed) == {t for t in product(range(j + 1), repeat=d) if sum(t) == j}
        assert len(listed) == len(set(listed)) == tallies.sizes[j] == math.comb(j + d - 1, d - 1)


@pytest.mark.parametrize(("n", "d"), [(1, 2), (6, 2), (5, 3), (4, 6)])
def test_follower_is_the_tally_with_one_more_user(n, d):
    tallies = number_tallies(n, d)
    before, after = tallies.of(n - 1), tallies.of(n)
    assert (after[: len(before)] - before == np.eye(d, dtype=int)[0]).all()
    for v in range(1, d):
        assert (after[tallies.follower[v - 1]] - before == np.eye(d, dtype=int)[v]).all()


# -- the posterior


@pytest.mark.parametrize("m", SMALL, ids=repr)
def test_posterior_is_the_sum_over_all_assignments(m):
    rng = np.random.default_rng(1)
    d, alpha = m.domain_size, prior_for(m.domain_size)
    reports = m.privatize(rng.integers(0, d, 4), rng)
    posterior = exact_posterior(reports, m, alpha)
    expected = by_assignments(m.likelihood(reports), alpha)
    total = sum(expected.values())
    listed = np.array([expected[tuple(t)] / total for t in posterior.tallies])
    np.testing.assert_allclose(posterior.weights, listed, rtol=1e-11)
    np.testing.assert_allclose(posterior_mean(reports, m, alpha), posterior.mean, rtol=0)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("n", [1, 7, 300])
def test_two_values_agree_with_an_integral_over_the_interval(epsilon, n):
    m, alpha = GRR(2, epsilon), np.array([1.5, 2.5])
    reports = np.random.default_rng(n).integers(0, 2, n)
    ones = reports.sum()
    posterior = exact_posterior(reports, m, alpha)
    assert posterior.weights.sum() == pytest.approx(1, rel=1e-12)

    def log_density(z):  # of theta_0, up to a constant
        chance = m.q + (m.p - m.q) * z
        return (
            0.5 * np.log(z)
            + 1.5 * np.log1p(-z)
            + (n - ones) * np.log(chance)
            + ones * np.log1p(-chance)
        )

    grid = np.linspace(0, 1, 40_001)[1:-1]
    top = log_density(grid).max()
    moments = [
        integrate.quad(
            lambda z, k=k: z**k * math.exp(log_density(z) - top),
            0, 1, epsabs=0, epsrel=1e-11, limit=500, points=[grid[log_density(grid).argmax()]],
        )[0]
        for k in range(3)
    ]  # fmt: skip
    mean = moments[1] / moments[0]
    # Quadrature of 1e-11 in both moments; the variance loses the digits of mean**2 / variance.
    assert posterior.mean[0] == pytest.approx(mean, rel=1e-9)
    variance = moments[2] / moments[0] - mean**2
    assert posterior.variance[0] == pytest.approx(variance, rel=1e-6)
    for z in (0.2, 0.7):
        density = math.exp(log_density(z) - top) / moments[0]
        assert posterior.density([z, 1 - z]) == pytest.approx(density, rel=1e-8, abs=1e-300)


@pytest.mark.parametrize("m", [GRR(3, 1.0), OUE(4, 2.0), SHE(3, 1.0, resolution=3)], ids=repr)
def test_order_of_reports_and_names_of_values_do_not_matter(m):
    rng = np.random.default_rng(2)
    d, alpha = m.domain_size, prior_for(m.domain_size)
    reports = m.privatize(rng.integers(0, d, 12), rng)
    mean = posterior_mean(reports, m, alpha)
    np.testing.assert_allclose(posterior_mean(reports[::-1], m, alpha), mean, rtol=1e-12)
    if isinstance(m, GRR):
        renamed = posterior_mean((reports + 1) % d, m, np.roll(alpha, 1))
        np.testing.assert_allclose(renamed, np.roll(mean, 1), rtol=1e-12)


def test_density_is_that_of_prior_times_likelihood_and_integrates_to_one():
    m, alpha = OUE(3, 1.0), np.array([2.0, 1.0, 3.0])
    reports = m.privatize([0, 0, 1, 2, 2, 2], np.random.default_rng(0))
    posterior = exact_posterior(reports, m, alpha)
    laws = np.random.default_rng(1).dirichlet([1, 1, 1], 50)
    product_form = np.prod(m.likelihood(reports) @ laws.T, axis=0)
    product_form *= stats.dirichlet(alpha).pdf(laws.T)
    ratio = posterior.density(laws) / product_form
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-11)
    area, _ = integrate.dblquad(
        lambda v, u: posterior.density([u, v, 1 - u - v]), 0, 1, 0, lambda u: 1 - u, epsrel=1e-8
    )
    assert area == pytest.approx(1, rel=1e-6)


@pytest.mark.filterwarnings("error")
def test_density_at_the_faces_is_its_limit():
    likelihood_only = exact_posterior([0, 1, 2], GRR(3, 1.0), np.ones(3))
    jeffreys = exact_posterior([0, 1, 2], GRR(3, 1.0), np.full(3, 0.5))
    mixed = exact_posterior([0, 1, 2], GRR(3, 1.0), [0.5, 1.0, 2.0])
    corner, edge, near = [1.0, 0, 0], [0.5, 0.5, 0], [0.5, 0.5 - 1e-9, 1e-9]
    assert np.isfinite(likelihood_only.density([corner, edge])).all()
    assert likelihood_only.density(edge) == pytest.approx(likelihood_only.density(near), rel=1e-7)
    assert jeffreys.density([corner, edge]).tolist() == [math.inf, math.inf]
    # theta_0 ** -1/2 * theta_2: zero where only the last is zero, infinite where only the first is.
    assert mixed.density([edge, [0, 0.5, 0.5]]).tolist() == [0.0, math.inf]
    with pytest.raises(ValueError, match=r"^laws must be where the density has a limit, got \[0\."):
        mixed.density([edge, [0.0, 1.0, 0.0]])


@pytest.mark.filterwarnings("error")
def test_density_of_one_component_is_that_of_its_law():
    mixture = DirichletMixture(np.array([1.0, 0.0]), np.array([[1, 1], [0, 2]]), np.full(2, 0.5))
    assert mixture.density([[0.0, 1.0], [1.0, 0.0]]).tolist() == [0.0, 0.0]
    assert mixture.density([0.3, 0.7]) == pytest.approx(stats.beta(1.5, 1.5).pdf(0.3), rel=1e-13)


@pytest.mark.parametrize(
    "laws", [[3, 1, 1], [-1, 1, 1], [0.5, 0.5], 1.0, [[1, 0, 0], [0.5, 0.6, 0]], [np.nan, 0, 1]]
)
def test_density_refuses_what_is_no_law(laws):
    with pytest.raises(ValueError, match=r"^laws must (be non-negative|have shape).*\.$"):
        exact_posterior([0, 1], GRR(3, 1.0), np.ones(3)).density(laws)
    with pytest.raises(TypeError, match=r"^laws must be real"):
        exact_posterior([0, 1], GRR(3, 1.0), np.ones(3)).density(["a", "b", "c"])


def test_density_names_the_first_of_several_that_are_no_laws():
    posterior = exact_posterior([0, 1], GRR(2, 1.0), np.ones(2))
    with pytest.raises(ValueError, match=r"got \[2\.0, 0\.0\]\.$"):
        posterior.density([[0.5, 0.5], [2.0, 0.0], [0.0, 3.0]])


def test_moments_of_a_mixture_are_those_of_its_components():
    rng = np.random.default_rng(3)
    tallies = rng.multinomial(9, [0.2, 0.3, 0.5], size=4)
    weights, prior = rng.dirichlet(np.ones(4)), np.array([0.5, 1.0, 2.0])
    mixture = DirichletMixture(weights, tallies, prior)
    parts = [stats.dirichlet(prior + t) for t in tallies]
    mean = weights @ [part.mean() for part in parts]
    squares = weights @ [part.var() + part.mean() ** 2 for part in parts]
    np.testing.assert_allclose(mixture.mean, mean, rtol=1e-13)
    np.testing.assert_allclose(mixture.variance, squares - mean**2, rtol=1e-11)
    np.testing.assert_allclose(mixture.frequency_mean, weights @ tallies / 9, rtol=1e-13)
    spread = weights @ tallies**2 / 81 - (weights @ tallies / 9) ** 2
    np.testing.assert_allclose(mixture.frequency_variance, spread, rtol=1e-11)


def test_reports_without_information_leave_the_prior():
    alpha = np.array([0.5, 1.0, 2.0])
    reports = np.array([0] * 10)
    # Ten reports of odds 1 + 1e-9 move a mean by less than 1e-8.
    mean = posterior_mean(reports, GRR(3, 1e-9), alpha)
    np.testing.assert_allclose(mean, alpha / 3.5, atol=1e-8)


def test_reports_that_tell_all_leave_the_tally():
    reports = np.array([0, 1, 1, 2, 2, 2])
    posterior = exact_posterior(reports, GRR(3, 35.0), np.ones(3))
    # A report lies with probability 2 exp(-35) = 1e-15.
    np.testing.assert_allclose(posterior.mean, np.array([2, 3, 4]) / 9, rtol=1e-12)


def test_no_report_gives_the_prior():
    posterior = exact_posterior(np.array([], dtype=int), GRR(3, 1.0), [1.0, 2.0, 3.0])
    np.testing.assert_allclose(posterior.mean, np.array([1, 2, 3]) / 6, rtol=1e-15)
    np.testing.assert_allclose(posterior.variance, stats.dirichlet([1, 2, 3]).var(), rtol=1e-13)
    with pytest.raises(ValueError, match=r"reports must be at least one .* got 0\."):
        _ = posterior.frequency_mean


def test_one_report():
    """Bayes' rule by hand: (p, q) weighs the two values, then one user joins the prior."""
    p = math.e / (math.e + 1)
    posterior = exact_posterior([1], GRR(2, 1.0), [1.0, 1.0])
    np.testing.assert_allclose(posterior.frequency_mean, [1 - p, p], rtol=1e-14)
    np.testing.assert_allclose(posterior.mean, [(2 - p) / 3, (1 + p) / 3], rtol=1e-14)


@pytest.mark.parametrize("n", [1, 5, 400])
def test_equal_reports(n):
    mean = posterior_mean(np.full(n, 1), GRR(3, 3.0), np.ones(3))
    assert mean[1] > 1 / 3
    assert mean[0] == pytest.approx(mean[2], rel=1e-11)
    assert mean.sum() == pytest.approx(1, rel=1e-13)


IMPOSSIBLE = Rows([0.5, 0.5], [0.0, 0.0], [0.0, 1.0])  # no value sends the second report


def test_a_report_of_probability_zero_is_refused_and_a_zero_entry_is_not():
    with pytest.raises(ValueError, match=r"reports must be possible under some value, got one"):
        exact_posterior([0, 1], IMPOSSIBLE, [1.0, 1.0])
    posterior = exact_posterior([2, 2], IMPOSSIBLE, [1.0, 1.0])
    np.testing.assert_allclose(posterior.mean, [1 / 4, 3 / 4], rtol=1e-15)


@pytest.mark.parametrize(
    "concentration", [[1.0, 0.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0], [1.0, np.nan, 1.0], 1.0]
)
def test_refuses_what_is_no_concentration(concentration):
    for call in (exact_posterior, posterior_mean):
        with pytest.raises(ValueError, match=r"^concentration must .*\.$"):
            call([0, 1], GRR(3, 1.0), concentration)
    with pytest.raises(ValueError, match=r"^concentration must .*\.$"):
        minimum_mse(GRR(3, 1.0).channel(), 2, concentration)


def test_concentrations_at_which_one_user_more_is_lost_are_refused():
    assert posterior_mean([0], GRR(2, 1.0), [2.0**53, 2.0**53]).tolist() == [0.5, 0.5]
    with pytest.raises(ValueError, match=r"^concentration must be at most 2\*\*53, got 1e\+308\.$"):
        posterior_mean([0], GRR(2, 1.0), [1.0, 1e308])


def test_reports_are_counted_before_their_likelihood_is_written():
    class Watched:
        domain_size = 3_000

        def likelihood(self, reports):
            raise AssertionError("200,000 reports of 3,000 values are 5 GB")

    with pytest.raises(ValueError, match=r"^reports must be few enough"):
        exact_posterior(np.zeros(200_000, dtype=int), Watched(), np.ones(3_000))


def test_a_number_of_tallies_beyond_floats_is_refused_in_words():
    with pytest.raises(ValueError, match=r"^reports must be few enough .* more than 1e300 tallies"):
        exact_posterior(np.zeros(10_000, dtype=int), GRR(200, 1.0), np.ones(200))


@pytest.mark.parametrize(
    ("n", "d"), [(0, 5), (1, 2), (7, 3), (10**6, 2), (100, 10), (400, 300), (10**4, 200)]
)
def test_count_of_tallies_is_the_binomial_or_infinite_where_that_is_long(n, d):
    exact = math.comb(n + d - 1, d - 1)
    assert count_tallies(n, d) in (exact, math.inf)
    assert count_tallies(n, d) == exact or exact > 10**300
    assert written(exact) == (f"{exact:.3g}" if exact < 10**300 else "more than 1e300")


@pytest.mark.parametrize(("d", "n"), [(10, 100), (2, 10**6), (1000, 3), (2**20, 1)])
def test_too_many_tallies_are_refused_before_any_work(d, n):
    m = SubsetSelection(d, 1.0, 1) if d < 2**20 else GRR(d, 1.0)
    with pytest.raises(ValueError, match=r"^reports must be few enough .* ldp\.bayes\.gibbs takes"):
        exact_posterior(reports_of(d, n), m, np.ones(d))


def reports_of(d, n):
    if d == 2**20:
        return np.zeros(n, dtype=int)
    rows = np.zeros((n, -(-d // 8)), dtype=np.uint8)
    rows[:, 0] = 128
    return rows


def test_tiny_concentrations_treat_all_values_alike():
    # At 1e-14 the prior is one part in 1e15 of 50 users: it must not be added to them first.
    m, a = GRR(2, 30.0), [1e-14, 1e-14]
    rare_first = exact_posterior([1] * 50 + [0], m, a).frequency_mean
    rare_last = exact_posterior([0] * 50 + [1], m, a).frequency_mean
    np.testing.assert_allclose(rare_first, rare_last[::-1], rtol=1e-9)


def test_density_goes_through_laws_in_parts(monkeypatch):
    p = exact_posterior([0, 1, 1, 2], GRR(3, 1.0), [0.5, 1.0, 2.0])
    laws = np.random.default_rng(3).dirichlet(np.ones(3), (4, 5))
    whole = p.density(laws)
    monkeypatch.setattr("ldp.bayes.mixture._CELLS_AT_ONCE", 7 * p.tallies.size)
    np.testing.assert_array_equal(p.density(laws), whole)


@pytest.mark.parametrize(
    ("weights", "tallies", "message"),
    [
        ([0.7, 0.7], [[1, 0], [0, 1]], "weights must be non-negative and sum to 1"),
        ([0.5, 0.5], [[1, 0], [0, 3]], "tallies must be of one number of reports, got 1 to 3"),
    ],
)
def test_mixtures_of_no_reports_are_refused(weights, tallies, message):
    with pytest.raises(ValueError, match=message):
        DirichletMixture(np.array(weights), np.array(tallies), np.ones(2))
