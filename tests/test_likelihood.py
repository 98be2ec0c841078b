"""Maximum likelihood against a convex solver, its closed form, its certificate and its law."""

import cvxpy
import numpy as np
import pytest
from catalogue import PURE, all_reports, small
from test_posterior import Rows

from ldp import (
    GRR,
    OLH,
    OUE,
    RRRR,
    SHE,
    SUE,
    HadamardResponse,
    SubsetSelection,
    Tally,
    maximum_likelihood,
)
from ldp.bayes import exact_posterior, gibbs, sgld, slice_sample
from ldp.likelihood import evidence as _evidence
from ldp.likelihood import maximum as likelihood
from ldp.likelihood import maximum_posterior
from ldp.likelihood._simplex_program import _on_faces, second_order_target
from ldp.likelihood.reports import read

SMALL = [m for epsilon in (0.5, 3.0) for m in small(epsilon)]


def reference(rows, counts, prior):
    """Equation (22) of S003 as it is written, for a solver of convex problems."""
    theta = cvxpy.Variable(rows.shape[1], nonneg=True)
    objective = counts @ cvxpy.log(rows @ theta)
    if prior.any():
        held = np.flatnonzero(prior)
        objective += prior[held] @ cvxpy.log(theta[held])
    cvxpy.Problem(cvxpy.Maximize(objective), [cvxpy.sum(theta) == 1]).solve(cvxpy.CLARABEL)
    solution = np.maximum(theta.value, 0) / np.maximum(theta.value, 0).sum()
    return solution, log_posterior(solution, rows, counts, prior)


def log_posterior(theta, rows, counts, prior):
    kept = prior > 0
    return counts @ np.log(rows @ theta) + prior[kept] @ np.log(theta[kept])


def some_reports(m, rng, num_reports=60):
    """Reports of users with an uneven law: some values stay unheld."""
    law = rng.dirichlet(np.full(m.domain_size, 0.4))
    return m.privatize(rng.choice(m.domain_size, num_reports, p=law), rng)


@pytest.mark.parametrize("m", SMALL, ids=repr)
@pytest.mark.parametrize("with_prior", [False, True])
def test_no_convex_solver_finds_a_better_law(m, with_prior):
    rng = np.random.default_rng(3)
    reports = some_reports(m, rng)
    rows, counts = m.likelihood(reports), np.ones(len(reports))
    prior = rng.choice([0.0, 0.5, 2.0], m.domain_size) if with_prior else np.zeros(m.domain_size)
    fit = maximum_posterior(reports, m, 1 + prior) if with_prior else maximum_likelihood(reports, m)
    assert fit.converged
    assert fit.theta.min() >= 0
    assert fit.theta.sum() == pytest.approx(1, rel=1e-12)
    ours = log_posterior(fit.theta, rows, counts, prior)
    _, theirs = reference(rows, counts, prior)
    assert theirs <= ours + fit.gap * len(reports) + 1e-10  # rounding of sums of 60 logarithms
    assert ours <= theirs + 1e-4  # and they come near: it is the same problem
    assert fit.log_likelihood == pytest.approx(counts @ np.log(rows @ fit.theta), rel=1e-12)


def remove_the_smallest(counts, c):
    """Appendix B of S003: start with all cells, drop the smallest while it would be negative."""
    kept = list(np.argsort(counts, kind="stable")[::-1])
    while True:
        theta = np.zeros(counts.size)
        total = counts[kept].sum()
        theta[kept] = (counts[kept] * (c + len(kept)) / total - 1) / c
        if theta[kept[-1]] >= 0:
            return theta
        kept.pop()


TALLIES = [[6, 4, 1], [6, 3, 1], [5, 5, 5], [7, 0, 0], [1, 0], [4, 4, 0, 0, 1], [10**6, 1, 1, 1]]


@pytest.mark.parametrize("counts", TALLIES, ids=str)
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 8.0])
def test_randomized_response_in_closed_form_is_the_removal_loop(counts, epsilon):
    counts = np.array(counts)
    m = GRR(counts.size, epsilon)
    fit = maximum_likelihood(Tally(counts, int(counts.sum())), m)
    assert fit.iterations == 0
    assert fit.gap < 1e-13  # a few units in the last place of numbers near 1
    np.testing.assert_allclose(
        fit.theta, remove_the_smallest(counts, np.expm1(epsilon)), rtol=0, atol=1e-12 / epsilon
    )


def test_laws_sum_to_one_where_almost_nothing_is_learned():
    fit = maximum_likelihood(Tally([9, 8, 7, 5, 3], 32), GRR(5, 1e-6))
    assert fit.theta.sum() == pytest.approx(1, rel=1e-15)


def test_randomized_response_over_many_random_tallies():
    rng = np.random.default_rng(5)
    for _ in range(2000):
        d, epsilon = int(rng.integers(2, 30)), float(rng.exponential(2.0)) + 0.02
        counts = rng.multinomial(int(rng.integers(1, 500)), rng.dirichlet(np.full(d, 0.3)))
        fit = maximum_likelihood(Tally(counts, int(counts.sum())), GRR(d, epsilon))
        assert fit.gap < 1e-13
        expected = remove_the_smallest(counts, np.expm1(epsilon))
        np.testing.assert_allclose(fit.theta, expected, rtol=0, atol=1e-12 / epsilon)


def test_closed_form_and_solver_agree():
    # Subset selection with sets of one value is randomized response, solved by Newton steps.
    rng = np.random.default_rng(6)
    m = SubsetSelection(12, 1.5, subset_size=1)
    rows = some_reports(m, rng, 3_000)
    values = np.unpackbits(rows, axis=1, count=12).argmax(axis=1)
    solved = maximum_likelihood(rows, m, tolerance=1e-13)
    closed = maximum_likelihood(values, GRR(12, 1.5))
    assert solved.iterations > 0
    # The objective is flat to second order: a gap of 1e-13 leaves a distance of order 1e-7.
    np.testing.assert_allclose(solved.theta, closed.theta, rtol=0, atol=1e-6)
    assert solved.log_likelihood == pytest.approx(closed.log_likelihood, abs=3_000 * 1e-12)


@pytest.mark.parametrize("m", [OUE(6, 1.0), SHE(4, 2.0), OLH(9, 3.0)], ids=repr)
def test_the_gap_bounds_what_is_missing_at_every_stage(m):
    reports = some_reports(m, np.random.default_rng(8), 500)
    best = maximum_likelihood(reports, m, tolerance=1e-12).log_likelihood
    for steps in (1, 2):
        early = maximum_likelihood(reports, m, tolerance=1e-15, max_iterations=steps)
        assert not early.converged
        assert early.iterations == steps
        missing = (best - early.log_likelihood) / 500
        assert 0 < missing <= early.gap


@pytest.mark.parametrize("m", [OUE(6, 1.0), SHE(4, 2.0), OLH(9, 3.0)], ids=repr)
def test_the_gap_is_the_largest_mean_likelihood_ratio(m):
    reports = some_reports(m, np.random.default_rng(8), 500)
    prior = np.linspace(0.5, 40, m.domain_size)
    plain = maximum_likelihood(reports, m, max_iterations=1)
    with_prior = maximum_posterior(reports, m, 1 + prior, max_iterations=1)
    for fit, users in ((plain, np.zeros_like(prior)), (with_prior, prior)):
        rows = m.likelihood(reports)
        towards = (rows / (rows @ fit.theta)[:, None]).sum(axis=0)
        towards += np.divide(users, fit.theta, out=np.zeros_like(users), where=users > 0)
        total = 500 + users.sum()
        assert fit.gap == pytest.approx(total / 500 * np.log(towards.max() / total), rel=1e-9)


def test_a_prior_that_drowns_the_reports_leaves_no_false_certificate():
    # The gap per report is the gap per pseudo-user times their number: here 1e-16 times 1e13.
    m = OUE(5, 1.0)
    reports = some_reports(m, np.random.default_rng(8), 100)
    fit = maximum_posterior(reports, m, np.full(5, 1e12), max_iterations=20)
    assert fit.gap > 1e-6
    assert not fit.converged


def test_a_solver_that_cannot_go_on_says_so(monkeypatch):
    monkeypatch.setattr(likelihood, "_step_length", lambda *_: 0.0)
    m = OUE(6, 1.0)
    reports = some_reports(m, np.random.default_rng(8), 500)
    fit = maximum_likelihood(reports, m)
    rows = m.likelihood(reports)
    start = np.log((rows / rows.mean(axis=1, keepdims=True)).mean(axis=0).max())
    assert not fit.converged
    assert fit.gap == pytest.approx(start, rel=1e-9)


def test_iterations_that_do_not_suffice_are_admitted():
    m = OUE(6, 1.0)
    fit = maximum_likelihood(some_reports(m, np.random.default_rng(8)), m, max_iterations=1)
    assert not fit.converged
    assert fit.gap > 1e-9


@pytest.mark.parametrize("m", small(1.3, PURE), ids=repr)
def test_packed_rows_sum_as_dense_ones(m, monkeypatch):
    rng = np.random.default_rng(9)
    reports = some_reports(m, rng, 100)
    packed = _evidence.gather(read(reports, m))
    rows, counts = m.likelihood(reports), np.ones(100)
    theta, target = rng.dirichlet(np.ones(m.domain_size), 2)
    for cells in (2**20, 7 * m.domain_size):  # in one part and in many
        monkeypatch.setattr(_evidence, "_CELLS_AT_ONCE", cells)
        held = packed.likelihoods(theta)
        value = packed.counts @ np.log(held)
        assert value == pytest.approx(counts @ np.log(rows @ theta), rel=1e-12)
        slope = packed.weighed(packed.counts / held)
        np.testing.assert_allclose(slope, (counts / (rows @ theta)) @ rows, rtol=1e-12)
        step = target - theta
        expected = ((rows @ step / (rows @ theta)) ** 2).sum()
        assert step @ _evidence.curvature(packed, held) @ step == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("m", small(1.0), ids=repr)
def test_equal_reports_and_their_order_do_not_matter(m):
    rng = np.random.default_rng(10)
    reports = some_reports(m, rng, 40)
    once = maximum_likelihood(reports, m, tolerance=1e-12)
    again = maximum_likelihood(rng.permutation(np.concatenate([reports] * 3)), m, tolerance=1e-12)
    assert again.log_likelihood == pytest.approx(3 * once.log_likelihood, abs=1e-9)


@pytest.mark.parametrize("m", small(2.0), ids=repr)
def test_one_report_alone_goes_to_its_likeliest_values(m):
    for reports in (all_reports(m)[:1], all_reports(m)[-1:]):
        rows = m.likelihood(reports)[0]
        for repeated in (reports, np.concatenate([reports] * 5)):
            fit = maximum_likelihood(repeated, m)
            assert fit.converged
            likeliest = rows >= rows.max() * (1 - 1e-12)
            assert fit.theta[likeliest].sum() == pytest.approx(1, abs=1e-8)


def test_a_flat_prior_changes_nothing_and_a_strong_one_wins():
    m = OUE(5, 1.0)
    reports = some_reports(m, np.random.default_rng(11))
    flat = maximum_posterior(reports, m, np.ones(5))
    np.testing.assert_array_equal(flat.theta, maximum_likelihood(reports, m).theta)
    prior = np.array([0.4, 0.3, 0.2, 0.05, 0.05])
    strong = maximum_posterior(reports, m, 1 + 1e6 * prior)
    np.testing.assert_allclose(strong.theta, prior, atol=1e-3)


def test_without_noise_the_prior_adds_its_users_to_the_counts():
    values = np.repeat([0, 1, 2], [5, 3, 0])
    fit = maximum_posterior(values, GRR(3, 30.0), [2.0, 1.5, 3.0], tolerance=1e-13)
    np.testing.assert_allclose(fit.theta, np.array([6, 3.5, 2]) / 11.5, atol=1e-6)


@pytest.mark.parametrize(
    ("m", "seed"), [(OUE(4, 2.0), 1), (SubsetSelection(5, 2.0), 2), (HadamardResponse(4, 2.0), 3)]
)
@pytest.mark.statistical
def test_errors_spread_as_the_information_says(m, seed):
    # n Cov -> inverse Fisher information, from the channel. Over 300 runs the sum of squares of
    # d - 1 standardized coordinates is chi-square with 300 (d - 1) degrees of freedom, within five
    # standard deviations (one false alarm in 650,000). It sees a fifth of the covariance.
    trials, n = 300, 20_000
    rng = np.random.default_rng(seed)
    theta = rng.dirichlet(np.full(m.domain_size, 8.0))
    channel = m.channel()
    contrast = channel[:-1] - channel[-1]
    information = contrast / (theta @ channel) @ contrast.T

    def statistic(assumed):
        total = 0.0
        for child in np.random.default_rng(seed).spawn(trials):
            reports = m.privatize(child.choice(m.domain_size, n, p=theta), child)
            error = (maximum_likelihood(reports, assumed).theta - theta)[:-1]
            total += n * error @ information @ error
        freedom = trials * (m.domain_size - 1)
        return (total - freedom) / np.sqrt(2 * freedom)

    assert abs(statistic(m)) < 5
    wrong = {
        OUE(4, 2.0): OUE(4, 2.3),
        SubsetSelection(5, 2.0): SubsetSelection(5, 2.3, 1),
        HadamardResponse(4, 2.0): HadamardResponse(4, 2.3),
    }
    assert statistic(wrong[m]) > 5


def test_reports_are_checked_before_any_work():
    m = OUE(10, 1.0)
    rows = m.privatize([0, 1, 2], np.random.default_rng(0))
    with pytest.raises(ValueError, match="reports must be at least one, got 0"):
        maximum_likelihood(rows[:0], m)
    with pytest.raises(TypeError, match="reports must have dtype uint8, got int64"):
        maximum_likelihood(np.array([1, 2]), m)
    with pytest.raises(ValueError, match=r"reports must be of shape \(n, 2\)"):
        maximum_likelihood(SUE(30, 1.0).privatize([0], np.random.default_rng(0)), m)
    with pytest.raises(TypeError, match="reports must be the reports themselves, got a Tally"):
        maximum_likelihood(m.tally(rows), m)
    with pytest.raises(ValueError, match="domain_size must be at most 8192 here, got 9000"):
        maximum_likelihood(OUE(9_000, 1.0).privatize([0], np.random.default_rng()), OUE(9_000, 1.0))


@pytest.mark.parametrize("reports", [3, None, "1", iter([0, 1])], ids=type)
def test_what_is_no_array_of_reports_is_refused(reports):
    m, ones, rng = GRR(3, 1.0), np.ones(3), np.random.default_rng(0)
    for estimate in (
        lambda: maximum_likelihood(reports, m),
        lambda: maximum_likelihood([reports], [m]),
        lambda: maximum_posterior(reports, m, 1 + ones),
        lambda: exact_posterior(reports, m, ones),
        lambda: gibbs(reports, m, ones, 2, rng, burn_in=0),
        lambda: slice_sample(reports, m, ones, 2, rng, burn_in=0),
        lambda: sgld(reports, m, ones, [0.1], rng),
    ):
        with pytest.raises((TypeError, ValueError), match=r"^reports must be .*, got .*\.$"):
            estimate()


def test_steps_on_faces_reach_the_maximum_from_the_worst_vertex():
    rng = np.random.default_rng(3)
    for _ in range(50):
        d = int(rng.integers(3, 9))
        root, slope, theta = (
            rng.normal(size=(d, d)),
            3 * rng.normal(size=d),
            rng.dirichlet(np.ones(d)),
        )
        centred = root @ root.T
        centred -= centred.mean(axis=0)
        centred -= centred.mean(axis=1, keepdims=True)
        x = _on_faces(theta, slope, centred, np.eye(d)[slope.argmin()], 1e-9)
        gradient = slope - centred @ (x - theta)
        assert gradient.max() - gradient @ x <= 1e-9  # the certificate that was asked for


def test_the_certificate_allows_for_the_rounding_of_its_sums():
    assert likelihood.certified_gap(np.array([1.0]), 100) == 10 * 2.0**-50
    assert likelihood.certified_gap(np.array([1.0]), 100, 3.0) == 30 * 2.0**-50
    assert likelihood.certified_gap(np.array([1.0, 0.5]), 0) == 0


def test_tallies_of_randomized_response_are_checked():
    m = GRR(3, 1.0)
    for tally, message in [
        (Tally([1, 2, 3], 7), "sum to the 7 reports, got minimum 1 and sum 6"),
        (Tally([4, -1, 3], 6), "must be non-negative"),
        (Tally([0, 0, 0], 0), "reports must be at least one, got 0"),
        (Tally([1, 2], 3), r"must have shape \(3,\), got \(2,\)"),
        (GRR(3, 2.0).tally([0, 1]), "got a tally of GRR"),
        (Tally([6, 4, 1], 11, candidates=[2, 1, 0]), "got one of candidates"),
    ]:
        with pytest.raises(ValueError, match=message):
            maximum_likelihood(tally, m)


def test_extreme_budgets_leave_no_certificate_of_nothing():
    # At a budget of 720 e^epsilon is not a float64; the likelihood is still known up to a factor.
    m = SHE(4, 720.0)
    reports = m.privatize([0] * 9 + [1], np.random.default_rng(0))
    fit = maximum_likelihood(reports, m)
    assert fit.converged
    np.testing.assert_allclose(fit.theta, [0.9, 0.1, 0, 0], atol=1e-4)


@pytest.mark.parametrize("wrong", [[0, 1], np.eye(2), None])
def test_what_is_no_mechanism_is_refused(wrong):
    with pytest.raises(TypeError, match="mechanism must have a likelihood, got"):
        maximum_likelihood(np.array([0, 1]), wrong)
    with pytest.raises(TypeError, match="mechanism must have a likelihood, got"):
        maximum_posterior(np.array([0, 1]), wrong, [1.0, 1.0])


@pytest.mark.parametrize("row", [[np.nan, 0.5], [np.inf, 1.0]])
def test_likelihoods_that_are_no_numbers_are_refused(row):
    with pytest.raises(ValueError, match="reports must be possible under some value"):
        maximum_likelihood(np.array([0]), Rows(row))
    assert likelihood.certified_gap(np.array([1.0, np.nan]), 1) == np.inf


def test_a_square_of_the_domain_is_refused():
    m = GRR(10**6, 10.0)
    with pytest.raises(ValueError, match="reports must be at most 274877 different ones"):
        _evidence.gather(read(np.arange(10**6), m))


def test_an_impossible_report_is_refused():
    erasing = Rows([1.0, 0.5], [0.0, 0.0])  # what no mechanism here would send
    with pytest.raises(ValueError, match="reports must be possible under some value"):
        maximum_likelihood(np.array([0, 1]), erasing)
    assert maximum_likelihood(np.array([0, 0]), erasing).theta[0] == pytest.approx(1, abs=1e-8)


def test_values_no_report_tells_apart_share_what_is_known_of_both():
    merging = Rows([3.0, 1.0, 1.0], [1.0, 2.0, 2.0])  # of rank two
    fit = maximum_likelihood(np.array([0, 0, 1]), merging)
    assert fit.converged
    # 2 log(1 + 2t) + log(2 - t) still rises at t = 1: 4/(1 + 2t) = 1/(2 - t) only at t = 7/6.
    assert fit.theta[0] == pytest.approx(1.0, abs=1e-6)
    fit = maximum_likelihood(np.array([0, 1, 1]), merging)
    # log(1 + 2t) + 2 log(2 - t) is largest where 2/(1 + 2t) = 2/(2 - t): t = 1/3.
    assert fit.theta[0] == pytest.approx(1 / 3, abs=1e-4)
    assert fit.theta[1] == pytest.approx(fit.theta[2], abs=1e-12)  # nothing prefers one of them


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"tolerance": 0.0}, ValueError, "tolerance must be positive and finite, got 0.0"),
        ({"tolerance": float("nan")}, ValueError, "tolerance must be positive and finite, got nan"),
        ({"tolerance": "small"}, TypeError, "tolerance must be positive and finite"),
        ({"max_iterations": 0}, ValueError, "max_iterations must be an integer, at least 1, got 0"),
        ({"max_iterations": 2.0}, TypeError, "max_iterations must be an integer"),
    ],
)
def test_stopping_rules_are_checked(arguments, error, message):
    with pytest.raises(error, match=message):
        maximum_likelihood([0, 1], GRR(2, 1.0), **arguments)


@pytest.mark.parametrize(
    ("concentration", "message"),
    [
        ([1.0, 0.5], "concentration must be at least 1, got 0.5"),
        ([1.0, np.inf], "concentration must be finite"),
        ([1.0, 1e300], "concentration must be"),
        ([1.0, 2.0, 3.0], r"concentration must have shape \(2,\)"),
    ],
)
def test_concentrations_are_checked(concentration, message):
    with pytest.raises(ValueError, match=message):
        maximum_posterior(np.array([0, 1]), GRR(2, 1.0), concentration)


def test_a_domain_of_a_million_needs_no_matrix():
    m = GRR(10**6, 10.0)
    tally = m.simulate(np.arange(10**6) % 7, np.random.default_rng(2))
    fit = maximum_likelihood(tally, m)
    assert fit.converged
    assert fit.theta.sum() == pytest.approx(1, rel=1e-12)


def test_second_order_target_solves_its_quadratic_problem():
    rng = np.random.default_rng(12)
    for _ in range(20):
        d = int(rng.integers(2, 9))
        root = rng.normal(size=(d, d))
        hessian, slope = root @ root.T, rng.normal(size=d)
        theta = rng.dirichlet(np.ones(d))
        found = second_order_target(theta, slope, hessian, 1e-9)
        x = cvxpy.Variable(d, nonneg=True)
        model = slope @ x - cvxpy.quad_form(x - theta, cvxpy.psd_wrap(hessian)) / 2
        problem = cvxpy.Problem(cvxpy.Maximize(model), [cvxpy.sum(x) == 1])
        best = problem.solve(cvxpy.CLARABEL)
        step = found - theta
        assert slope @ found - step @ hessian @ step / 2 >= best - 1e-6  # the reference's accuracy


def test_long_valleys_are_crossed() -> None:
    """Values outside almost every subset are told apart by a few reports in a million only.

    The curvature then spans eight orders of magnitude, more than projected gradients can cross in
    any number of steps that one would wait for.
    """
    rng = np.random.default_rng(5)
    d, law = 20, rng.dirichlet(np.full(20, 2.0))
    mechanisms = [RRRR(d, 5.0, [v], 5.0) for v in range(d)]
    users = [2_000_000, *[8] * (d - 1)]
    tallies = [
        m.simulate(rng.multinomial(n, law), rng) for m, n in zip(mechanisms, users, strict=True)
    ]
    fit = maximum_likelihood(tallies, mechanisms)
    assert fit.converged
    assert fit.iterations < 40
