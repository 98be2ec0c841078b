"""Langevin dynamics: one update by hand, and what its draws are worth as posterior draws.

Statistical tests say their false-alarm rate; that of the whole file is below 10**-6.
"""

import numpy as np
import pytest
from catalogue import drawn

from ldp import GRR, OUE, RRRR, SHE
from ldp._words import words
from ldp.bayes import exact_posterior, sgld
from ldp.bayes import langevin as module
from ldp.likelihood.evidence import gather
from ldp.likelihood.reports import read

TWO = [GRR(3, 1.0), RRRR(3, 1.5, [1], 1.0)]


class Altered(np.random.Generator):
    """A generator whose normal noise is stretched, or whose words pick the users in turn."""

    def __init__(self, seed=0, stretch=1.0, in_turn=False):
        super().__init__(np.random.PCG64(seed))
        self.stretch, self.in_turn = stretch, in_turn

    def standard_normal(self, size):
        return self.stretch * super().standard_normal(size)

    def integers(self, *bounds, size=None, **options):
        if not self.in_turn:
            return super().integers(*bounds, size=size, **options)
        # The middle of each of n equal parts of all words, for every update.
        middles = [(2 * i + 1) * 2**63 // size[-1] for i in range(size[-1])]
        return np.tile(np.array(middles, dtype=np.uint64), (*size[:-1], 1))


# -- updates, number by number


def slow(rows, phi, steps, minibatch, alpha, picks, noise):
    """Updates as printed, but for the root of the step size; `rows` is one row per user."""
    n, m = len(rows), min(minibatch, len(rows))
    for step, words_of_update, w in zip(steps, picks, noise, strict=True):
        theta = phi / phi.sum()
        gradient = (alpha - 1) / phi - 1
        for word in words_of_update.tolist():
            row = rows[word * n >> 64]
            gradient = gradient + n / m * (row / (row @ theta) - 1) / phi.sum()
        phi = np.abs(phi + step / 2 * gradient + np.sqrt(step) * w)
        yield phi


def numbered(m, listed, reports):
    """Row of likelihoods of every user, as numbered inside, up to factors; checked as a set."""
    evidence = gather(read(reports if isinstance(m, list) else reports[0], m))
    rows = np.repeat(evidence.dense(), evidence.counts.astype(int), axis=0)
    wanted = np.concatenate([e.likelihood(r) for e, r in zip(listed, reports, strict=True)])
    rows, wanted = (each / each.sum(axis=1, keepdims=True) for each in (rows, wanted))
    in_order = [each[np.lexsort(each.round(9).T)] for each in (rows, wanted)]
    np.testing.assert_allclose(*in_order, rtol=1e-12)
    return rows


@pytest.mark.parametrize("alpha", [1.0, np.array([0.5, 1.0, 2.5])], ids=["1", "several"])
@pytest.mark.parametrize(("n", "minibatch"), [(1, 50), (7, 50), (40, 6)])
@pytest.mark.parametrize("m", [*TWO, OUE(3, 1.0), SHE(3, 1.0), TWO], ids=repr)
def test_updates_are_those_of_the_formula(m, n, minibatch, alpha):
    """Summation in another order costs some units in the last place an update."""
    listed = m if isinstance(m, list) else [m]
    reports = [drawn(each, n, seed) for seed, each in enumerate(listed)]
    rows = numbered(m, listed, reports)
    phi, steps = np.array([0.3, 1.0, 2.0]), np.geomspace(0.1, 1e-4, 8)
    rng, again = np.random.default_rng(5), np.random.default_rng(5)
    given = reports if isinstance(m, list) else reports[0]
    made = sgld(given, m, phi, steps, rng, minibatch=minibatch, concentration=alpha)
    picks = words(again, (8, min(minibatch, len(rows))))
    noise = again.standard_normal((8, 3))
    wanted = list(slow(rows, phi, steps, minibatch, alpha, picks, noise))
    np.testing.assert_allclose(made.laws, [p / p.sum() for p in wanted], rtol=1e-9)
    np.testing.assert_allclose(made.phi, wanted[-1], rtol=1e-9)
    assert (phi == [0.3, 1.0, 2.0]).all()


def log_density(phi, alpha, rows):
    """Log of the Gamma prior and of the likelihood at theta = phi / sum(phi)."""
    return ((alpha - 1) * np.log(phi) - phi).sum() + np.log(rows @ phi / phi.sum()).sum()


@pytest.mark.parametrize("m", [*TWO, OUE(3, 1.0)], ids=repr)
def test_all_users_without_noise_climb_the_log_density(m):
    """Central differences of width h are off by about h**2, and by rounding over h: 1e-8."""
    reports, phi = drawn(m, 12), np.array([0.4, 1.1, 0.7])
    alpha, h, step = np.array([0.5, 1.0, 2.5]), 1e-5, 1e-3
    rng = Altered(stretch=0.0, in_turn=True)
    moved = sgld(reports, m, phi, [step], rng, minibatch=12, concentration=alpha).phi
    rows = m.likelihood(reports)
    for v in range(3):
        ends = [log_density(phi + h * sign * np.eye(3)[v], alpha, rows) for sign in (-1, 1)]
        slope = (ends[1] - ends[0]) / (2 * h)
        assert (moved[v] - phi[v]) / (step / 2) == pytest.approx(slope, abs=1e-7)


def test_states_below_zero_are_reflected():
    """With one user in two values at a flat law, a report pulls by known amounts."""
    step, phi = 0.04, np.array([0.01, 0.01])
    free = phi + step / 2 * ((np.array([2 * 0.75, 2 * 0.25]) - 1) / 0.02 - 1)
    noise = np.random.default_rng(3).standard_normal(2)
    wanted = free + np.sqrt(step) * -2 * np.abs(noise)
    assert wanted.max() < 0
    rng = Altered(3)
    rng.standard_normal = lambda size: -2 * np.abs(noise)[None]
    moved = sgld([0], GRR(2, np.log(3)), phi, [step], rng)
    np.testing.assert_allclose(moved.phi, -wanted, rtol=1e-12)


def test_two_calls_go_on_like_one(monkeypatch):
    """Random numbers are drawn for some updates at a time: here ten."""
    m, reports, steps = GRR(3, 1.0), drawn(GRR(3, 1.0), 9), np.geomspace(0.1, 1e-3, 20)
    monkeypatch.setattr(module, "_NUMBERS_AT_ONCE", 10 * (5 + 3))
    one, two = np.random.default_rng(1), np.random.default_rng(1)
    whole = sgld(reports, m, np.ones(3), steps, one, minibatch=5)
    first = sgld(reports, m, np.ones(3), steps[:10], two, minibatch=5)
    second = sgld(reports, m, first.phi, steps[10:], two, minibatch=5)
    assert (np.concatenate([first.laws, second.laws]) == whole.laws).all()
    assert (second.phi == whole.phi).all()
    assert (whole.laws[-1] == whole.phi / whole.phi.sum()).all()


def test_tallies_say_what_reports_say():
    reports = [drawn(m, 30) for m in TWO]
    tallies = [m.tally(r) for m, r in zip(TWO, reports, strict=True)]
    by_report, by_tally = (
        sgld(given, TWO, np.ones(3), np.full(20, 0.01), np.random.default_rng(2))
        for given in (reports, tallies)
    )
    assert (by_report.laws == by_tally.laws).all()


# -- the stationary law


def moments(rng_of, m, reports, step, exact, chains=32, updates=60_000):
    """Means and squared distances from the exact mean of chains, shape (chains, 2 d)."""
    found = []
    for chain in range(chains):
        rng, steps = rng_of(chain), np.full(updates, step)
        laws = sgld(reports, m, rng.gamma(1, size=3), steps, rng).laws[updates // 6 :]
        found.append(np.concatenate([laws.mean(axis=0), ((laws - exact.mean) ** 2).mean(axis=0)]))
    return np.array(found)


def excess(rng_of, m, reports, step):
    """Distance from the posterior's moments, in units of what the step size and chance explain.

    Where the error is of order at least 1/2 in the step size, that of a step of `step` is at most
    the change from four times that step. Of 32 chains, Student's t beyond 8 is a 5e-9 event.
    """
    exact = exact_posterior(reports, GRR(3, 1.0), np.ones(3))
    fine, coarse = (moments(rng_of, m, reports, s, exact) for s in (step, 4 * step))
    error = fine.std(axis=0, ddof=1) + coarse.std(axis=0, ddof=1)
    explained = np.abs(coarse.mean(axis=0) - fine.mean(axis=0)) + 8 * error / np.sqrt(len(fine))
    wanted = np.concatenate([exact.mean, exact.variance])
    return (np.abs(fine.mean(axis=0) - wanted) / explained).max()


REPORTS = np.array([0] * 6 + [1] * 3 + [2])


@pytest.mark.statistical
def test_small_steps_have_the_moments_of_the_posterior():
    assert excess(np.random.default_rng, GRR(3, 1.0), REPORTS, 0.02) < 1


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("stretch", "m"),
    [(np.sqrt(0.02), GRR(3, 1.0)), (np.sqrt(0.5), GRR(3, 1.0)), (1.0, GRR(3, 2.0))],
    ids=["gamma W as printed", "drift without its half", "another channel"],
)
def test_control_wrong_dynamics_have_others(stretch, m):
    """Noise of variance 1/2 beside a drift of 1/2 is that of a drift of 1 at half the step."""
    assert excess(lambda seed: Altered(seed, stretch), m, REPORTS, 0.02) > 1


# -- limits


def test_other_priors_than_the_uniform_throw_states_near_zero_far_away():
    """The drift (alpha - 1) / phi has no bound; at alpha = 1 it is constant."""
    for alpha, least, most in [(1.0, 0.0, 2.0), (0.5, 100.0, np.inf), (2.0, 100.0, np.inf)]:
        moved = sgld([0], GRR(2, 1.0), [1e-6, 1.0], [0.001], Altered(), concentration=alpha)
        assert least <= moved.phi[0] <= most


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"phi": [1.0, 0.0, 1.0]}, "phi must be positive, got 0.0."),
        ({"phi": [1.0, 1.0]}, "phi must have shape"),
        ({"phi": [1.0, np.nan, 1.0]}, "phi must be finite, got nan."),
        ({"step_sizes": [0.1, -1.0]}, "step_sizes must be positive, got -1.0."),
        ({"step_sizes": [np.inf]}, "step_sizes must be finite, got inf."),
        ({"step_sizes": []}, "step_sizes must"),
        ({"step_sizes": 0.1}, "step_sizes must have shape"),
        ({"minibatch": 0}, "minibatch must be"),
        ({"concentration": [1.0, 0.0, 1.0]}, "concentration must be positive, got 0.0."),
        ({"concentration": 0.0}, "concentration must be positive, got 0.0."),
        ({"concentration": [1.0, 1.0]}, "concentration must have shape"),
        ({"reports": np.array([], dtype=int)}, "reports must be at least one, got 0."),
        ({"reports": [0, 3]}, "reports must be from 0 to 2, got 3."),
        ({"mechanism": TWO, "reports": [[0]]}, "reports must be of 2 mechanisms, got 1."),
    ],
)
def test_bad_input(change, message):
    arguments = {
        "mechanism": GRR(3, 1.0), "reports": [0, 1], "phi": np.ones(3), "step_sizes": [0.1],
        "rng": np.random.default_rng(0),
    }  # fmt: skip
    with pytest.raises(ValueError, match="^" + message):
        sgld(**(arguments | change))


def test_refuses_what_is_no_generator_and_states_that_left_all_bounds():
    with pytest.raises(TypeError, match=r"rng must be a numpy\.random\.Generator"):
        sgld([0], GRR(3, 1.0), np.ones(3), [0.1], np.random.RandomState(0))
    phi, rng = [1e-307, 1.0, 1.0], np.random.default_rng(0)
    with pytest.raises(FloatingPointError, match="step sizes must be small enough"):
        sgld([0], GRR(3, 1.0), phi, [1e3], rng, concentration=3.0)
