"""The six utilities against their definitions, written as loops over values and reports."""

import itertools
import math
import re

import numpy as np
import pytest

from ldp import GRR, OUE, RRRR, utilities
from ldp.protocols import prefix_utilities
from ldp.utilities import UTILITIES

# Sums of some hundred products of positive numbers.
ROUNDING = 1e-11


def pairs(channel):
    return itertools.product(range(len(channel)), range(channel.shape[1]))


def reports_of(theta, channel):
    law = [0.0] * channel.shape[1]
    for x, y in pairs(channel):
        law[y] += theta[x] * channel[x, y]
    return law


def posterior(theta, channel, y):
    chance = reports_of(theta, channel)[y]
    return [theta[x] * channel[x, y] / chance for x in range(len(theta))]


def naive_fisher(theta, channel):
    """Covariance of all d estimates from the information on the first d - 1 of them."""
    free = len(theta) - 1
    chances = reports_of(theta, channel)
    information = np.zeros((free, free))
    for i, j in itertools.product(range(free), repeat=2):
        for y, chance in enumerate(chances):
            if chance > 0:
                score_i = (channel[i, y] - channel[free, y]) / chance
                score_j = (channel[j, y] - channel[free, y]) / chance
                information[i, j] += chance * score_i * score_j
    covariance = np.linalg.inv(information)
    return -(covariance.trace() + covariance.sum())  # the last estimate is 1 - the others


def naive_entropy(theta, channel):
    return sum(p * math.log(p) for p in reports_of(theta, channel) if p > 0)


def naive_tv_posterior(theta, channel):
    total = 0.0
    for y, chance in enumerate(reports_of(theta, channel)):
        if chance > 0:
            after = posterior(theta, channel, y)
            total += chance * sum(abs(a - b) for a, b in zip(after, theta, strict=True)) / 2
    return total


def naive_tv_report(theta, channel):
    return -sum(abs(p - t) for p, t in zip(reports_of(theta, channel), theta, strict=True)) / 2


def naive_mse(theta, channel):
    """Minus the expected squared distance of e_X from the best guess, the posterior."""
    total = 0.0
    for x, y in pairs(channel):
        if theta[x] * channel[x, y] > 0:
            guess = posterior(theta, channel, y)
            error = sum(((v == x) - guess[v]) ** 2 for v in range(len(theta)))
            total -= theta[x] * channel[x, y] * error
    return total


def naive_honest(theta, channel):
    return sum(theta[x] * channel[x, y] for x, y in pairs(channel) if x == y)


NAIVE = {
    "fisher": naive_fisher,
    "entropy": naive_entropy,
    "tv_posterior": naive_tv_posterior,
    "tv_report": naive_tv_report,
    "mse": naive_mse,
    "honest": naive_honest,
}
of_each = pytest.mark.parametrize("name", NAIVE)


def laws(size, seed, number=6):
    """Laws from sparse to flat, one with zeros and ties, one of a single value."""
    rng = np.random.default_rng(seed)
    for concentration in np.geomspace(0.05, 5, number):
        yield rng.dirichlet(np.full(size, concentration))
    tied = np.zeros(size)
    tied[: max(2, size // 2)] = 1 / max(2, size // 2)
    yield tied
    yield np.eye(size)[size - 1]


def channels(size, seed):
    rng = np.random.default_rng(seed)
    for k, epsilon, share in [(0, 1.0, 1.0), (1, 0.5, 0.8), (size // 2, 2.0, 0.7), (1, 5.0, 0.9)]:
        yield RRRR(size, epsilon, rng.permutation(size)[:k], share * epsilon).channel()
    yield rng.dirichlet(np.ones(size), size=size)


def test_the_six_stand_in_the_order_of_the_source():
    assert list(UTILITIES) == list(NAIVE)
    named = [getattr(utilities, {"mse": "best_guess"}.get(name, name)) for name in NAIVE]
    assert all(f is g for f, g in zip(UTILITIES.values(), named, strict=True))
    with pytest.raises(TypeError):
        UTILITIES["other"] = utilities.honest  # type: ignore[index]


@of_each
@pytest.mark.parametrize("size", [2, 3, 6])
def test_definitions(name, size):
    for channel in channels(size, size):
        for theta in laws(size, size):
            made = UTILITIES[name](theta, channel)
            assert isinstance(made, float)
            # The twin's inverse of a random channel loses the digits of its condition, twice.
            loss = ROUNDING * (np.linalg.cond(channel) ** 2 if name == "fisher" else 1)
            assert made == pytest.approx(NAIVE[name](theta, channel), rel=loss, abs=ROUNDING)


@pytest.mark.parametrize("name", ["fisher", "entropy", "tv_posterior", "mse"])
def test_more_reports_than_values(name):
    channel = OUE(3, 1.0).channel()
    for theta in laws(3, 7):
        wanted = NAIVE[name](theta, channel)
        assert UTILITIES[name](theta, channel) == pytest.approx(wanted, rel=1e-9)


def test_fisher_is_the_trace_of_the_covariance_of_the_inverted_channel():
    # As many reports as values: maximum likelihood inverts the channel.
    for size in (2, 3, 8):
        for theta in laws(size, 3):
            channel = RRRR(size, 1.5, [0], 1.2).channel()
            of_reports, inverse = theta @ channel, np.linalg.inv(channel)
            covariance = inverse.T @ (np.diag(of_reports) - np.outer(of_reports, of_reports))
            trace = np.trace(covariance @ inverse)
            assert utilities.fisher(theta, channel) == pytest.approx(-trace, rel=1e-9)


def test_fisher_of_randomized_response_in_closed_form():
    for size, epsilon in itertools.product((2, 5, 20), (0.5, 1.0, 5.0)):
        odds = math.exp(epsilon)
        for theta in laws(size, 2):
            trace = ((odds + size - 2) ** 2 + size - 1) / (odds - 1) ** 2 - theta @ theta
            made = utilities.fisher(theta, GRR(size, epsilon).channel())
            assert made == pytest.approx(-trace, rel=1e-9)


@pytest.mark.parametrize("gap", [1e-3, 1e-7, 1e-9, 1e-11])
def test_fisher_of_channels_that_are_nearly_singular(gap):
    theta = np.array([0.4, 0.3, 0.2, 0.1])
    made = utilities.fisher(theta, RRRR(4, 1.0, [0, 1], 1 - gap).channel())
    # What tells the two outsiders apart is about gap / 10, of which the channel keeps 2**-55.
    wanted = prefix_utilities(theta, 1.0, 1 - gap, "fisher")[2]
    assert made == pytest.approx(wanted, rel=2.0**-48 / gap)


def test_fisher_that_is_singular_is_minus_infinity():
    theta = [0.4, 0.3, 0.2, 0.1]
    assert utilities.fisher(theta, RRRR(4, 1.0, [0, 1], 1.0).channel()) == -math.inf
    assert utilities.fisher(theta, RRRR(4, 1.0, [0], 1.0).channel()) == -math.inf
    assert utilities.fisher(theta, np.full((4, 3), 1 / 3)) == -math.inf
    assert utilities.fisher(theta, RRRR(4, 1.0, [0, 1, 2], 1.0).channel()) > -1e3
    assert utilities.fisher(theta, RRRR(4, 1.0, [0, 1], 0.999).channel()) > -math.inf


def test_fisher_is_the_error_of_maximum_likelihood_on_binary_values():
    # One report in n: n times its variance, twice since both estimates are counted.
    theta, q = np.array([0.3, 0.7]), 0.25
    chance = 0.3 * 0.75 + 0.7 * 0.25
    wanted = -2 * chance * (1 - chance) / (1 - 2 * q) ** 2
    channel = [[0.75, 0.25], [0.25, 0.75]]
    assert utilities.fisher(theta, channel) == pytest.approx(wanted, rel=1e-12)


def test_no_guess_does_better_than_the_posterior():
    rng = np.random.default_rng(1)
    theta, channel = np.array([0.5, 0.3, 0.2]), RRRR(3, 1.0, [0], 0.8).channel()
    best = utilities.best_guess(theta, channel)
    joint, one_hot = theta[:, None] * channel, np.eye(3)
    posteriors = joint / joint.sum(axis=0)
    for step in (0.0, 1e-3, 0.1):
        guesses = posteriors + step * rng.normal(size=(3, 3))  # column y: the guess after report y
        error = sum(
            joint[x, y] * np.sum((one_hot[x] - guesses[:, y]) ** 2)
            for x, y in itertools.product(range(3), repeat=2)
        )
        assert -error <= best + ROUNDING
        assert (-error == pytest.approx(best, rel=1e-12)) == (step == 0)


def test_ends():
    """A channel that tells all, and one that tells nothing."""
    theta = np.array([0.5, 0.3, 0.2])
    truth, noise = np.eye(3), np.full((3, 3), 1 / 3)
    assert utilities.honest(theta, truth) == 1
    assert utilities.best_guess(theta, truth) == pytest.approx(0, abs=1e-15)
    assert utilities.best_guess(theta, noise) == pytest.approx(theta @ theta - 1)
    assert utilities.tv_report(theta, truth) == pytest.approx(0, abs=1e-15)
    assert utilities.tv_posterior(theta, noise) == pytest.approx(0, abs=1e-15)
    assert utilities.tv_posterior(theta, truth) == pytest.approx(1 - theta @ theta)
    assert utilities.entropy(theta, noise) == pytest.approx(-math.log(3))
    with pytest.raises(ValueError, match="channel must give every report a positive probability"):
        utilities.fisher(theta, truth)
    nearly = GRR(3, 30.0).channel()
    assert utilities.fisher(theta, nearly) == pytest.approx(theta @ theta - 1, rel=1e-11)


def test_reports_that_nobody_sends_change_nothing():
    theta = [0.6, 0.4]
    short = np.array([[0.75, 0.25], [0.25, 0.75]])
    longer = np.hstack([short, np.zeros((2, 1))])
    for name in ("entropy", "tv_posterior", "mse"):
        assert UTILITIES[name](theta, longer) == pytest.approx(UTILITIES[name](theta, short))
    one = [1.0, 0.0]  # the second report is impossible under the law, not under the channel
    for name in ("entropy", "tv_posterior", "mse", "honest"):
        assert math.isfinite(UTILITIES[name](one, np.eye(2)))


@of_each
@pytest.mark.parametrize(
    ("theta", "channel", "naming"),
    [
        ([0.5, 0.6], np.eye(2), "theta"),
        ([1.5, -0.5], np.eye(2), "theta"),
        ([np.nan, 1.0], np.eye(2), "theta"),
        ([[0.5, 0.5]], np.eye(2), "theta"),
        (["1", "0"], np.eye(2), "theta"),
        ([0.5, 0.3, 0.2], np.eye(2), "theta"),
        ([0.5, 0.5], [[0.5, 0.5], [0.5, 0.6]], "channel"),
        ([0.5, 0.5], [[1.5, -0.5], [0.5, 0.5]], "channel"),
        ([0.5, 0.5], [0.5, 0.5], "channel"),
        ([0.5, 0.5], [[np.nan, 1.0], [0.5, 0.5]], "channel"),
        ([0.5, 0.5], GRR(2, 1.0), "channel"),
    ],
)
def test_bad_input(name, theta, channel, naming):
    with pytest.raises((ValueError, TypeError)) as caught:
        UTILITIES[name](theta, channel)
    assert re.fullmatch(rf"{naming} must [^\n]*, got [^\n]*\.", str(caught.value))


@pytest.mark.parametrize("name", ["tv_report", "honest"])
def test_utilities_that_compare_value_and_report_need_a_square_channel(name):
    with pytest.raises(ValueError, match=r"channel must have one report per value, got shape"):
        UTILITIES[name]([0.5, 0.5], [[0.5, 0.25, 0.25], [0.2, 0.2, 0.6]])


def test_arguments_are_left_alone():
    theta, channel = np.array([0.5, 0.5]), GRR(2, 1.0).channel()
    before = theta.copy(), channel.copy()
    for utility in UTILITIES.values():
        utility(theta, channel)
    assert (theta == before[0]).all()
    assert (channel == before[1]).all()
