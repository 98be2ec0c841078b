"""The chance of the best guess, against sums over all sequences of reports and closed forms."""

import itertools
import math
import re

import numpy as np
import pytest

from ldp import GRR, OUE, RRRR, SUE, HadamardResponse, SubsetSelection
from ldp.utilities import attack_success

ROUNDING = 1e-11  # some thousand terms, each a product or an exponential of a few logarithms


def uniform(size):
    return np.full(size, 1 / size)


def by_sequences(theta, channel, num_reports):
    """Over all m**k sequences of outcomes: the largest chance of a value and the sequence."""
    values, outcomes = range(len(theta)), range(channel.shape[1])
    return sum(
        max(theta[x] * math.prod(channel[x, y] for y in ys) for x in values)
        for ys in itertools.product(outcomes, repeat=num_reports)
    )


def random_cases():
    rng = np.random.default_rng(15)
    for size, outcomes in ((2, 2), (2, 5), (3, 3), (4, 3), (5, 2)):
        theta, channel = rng.dirichlet(np.ones(size)), rng.dirichlet(np.ones(outcomes), size)
        yield theta, channel
        yield theta, np.hstack([0.25 * channel, 0.75 * channel])  # every column twice in shape
        spiked = channel * (rng.random(channel.shape) < 0.7) + 1e-3 * np.eye(size, outcomes, k=-1)
        spiked[:, 0] += 0.01
        yield theta, spiked / spiked.sum(axis=1, keepdims=True)  # with zeros
    for m in (GRR(3, 1.0), RRRR(4, 2.0, [1, 2], 1.5), OUE(2, 1.0), SubsetSelection(4, 1.0, 2)):
        yield uniform(m.domain_size), m.channel()
        yield rng.dirichlet(np.ones(m.domain_size)), m.channel()


@pytest.mark.parametrize("num_reports", [1, 2, 3, 4, 5])
def test_sum_over_all_sequences(num_reports):
    for theta, channel in random_cases():
        made = attack_success(theta, channel, num_reports=num_reports)
        assert isinstance(made, float)
        wanted = by_sequences(theta, channel, num_reports)
        assert made == pytest.approx(wanted, abs=ROUNDING)


def test_control_counting_each_way_once_is_seen():
    """Without the number of orders in which the counts come, the sum is another."""
    theta, channel = uniform(4), GRR(4, 1.0).channel()
    once = sum(
        max(theta[x] * math.prod(channel[x, y] for y in ys) for x in range(4))
        for ys in itertools.combinations_with_replacement(range(4), 3)
    )
    assert abs(attack_success(theta, channel, num_reports=3) - once) > 0.1


def test_a_second_report_of_randomized_response_adds_nothing():
    # Two reports that differ leave two values equally likely: no better than the first alone.
    theta, channel = uniform(4), GRR(4, 1.0).channel()
    made = [attack_success(theta, channel, num_reports=k) for k in (1, 2, 4, 8, 16)]
    assert made == pytest.approx([0.475, 0.475, 0.603, 0.728, 0.867], abs=5e-4)
    assert made[1] == pytest.approx(made[0], abs=1e-14)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("size", [2, 3, 8])
def test_closed_forms(size, epsilon):
    odds = math.exp(epsilon)
    cap = odds / (odds + size - 1)
    success = {
        m: attack_success(uniform(size), m.channel())
        for m in (GRR(size, epsilon), OUE(size, epsilon), SUE(size, epsilon))
    }
    assert attack_success(uniform(size), GRR(size, epsilon).channel()) == pytest.approx(cap)
    for m, made in success.items():
        assert made <= cap * (1 + 1e-12)
        if not isinstance(m, GRR):
            none = (1 - m.q) ** size
            held = m.p / m.q * (1 - none) / size
            empty = (1 - m.p) * (1 - m.q) ** (size - 1) / size
            assert made == pytest.approx(held + empty, rel=1e-12)
            assert made != pytest.approx(held, rel=1e-3)  # its empty report is a guess too
    for k in range(1, size):
        made = attack_success(uniform(size), SubsetSelection(size, epsilon, k).channel())
        assert made == pytest.approx(odds / (k * odds + size - k), rel=1e-12)


def test_the_cap_holds_for_every_mechanism_and_prior_and_is_attained():
    rng = np.random.default_rng(3)
    for m in (SUE(5, 1.0), HadamardResponse(5, 1.0), RRRR(5, 1.0, [0, 1], 0.7), OUE(5, 1.0)):
        channel = m.channel()
        cap = math.e / (math.e + 4)
        assert attack_success(uniform(5), channel) < 0.999 * cap
        for theta in rng.dirichlet(np.ones(5), 5):
            made = [attack_success(theta, channel, num_reports=k) for k in (1, 2)]
            # A report is at least no worse than none, and two than one.
            assert theta.max() - ROUNDING <= made[0] <= made[1] + ROUNDING <= 1
            # All channels within the budget: sum_y max_x Q_xy is at most d e^eps/(e^eps + d - 1).
            assert made[0] <= theta.max() * 5 * cap
    assert attack_success(uniform(8), OUE(8, 1.0).channel()) == pytest.approx(0.2204, abs=5e-5)


def test_like_outcomes_are_one():
    """A hundred reports of an encoding with 64 outcomes, all split from two."""
    theta, two = np.array([0.6, 0.4]), GRR(2, 0.2).channel()
    shares = np.random.default_rng(0).dirichlet(np.ones(64))
    split = (two[:, :, None] * shares).reshape(2, -1)
    for k in (2, 100):
        wanted = attack_success(theta, two, num_reports=k)
        assert attack_success(theta, split, num_reports=k) == pytest.approx(wanted, abs=ROUNDING)


def test_many_reports_of_two_values_are_a_binomial():
    k, q = 600, 1 / (1 + math.exp(0.02))
    channel = np.array([[1 - q, q], [q, 1 - q]])
    theta = uniform(2)
    # The sign of the majority decides, and a tie is a coin: by the exact integers of the binomial.
    share = round(q * 2**60)
    ways = [math.comb(k, c) * share**c * (2**60 - share) ** (k - c) for c in range(k // 2 + 1)]
    right = (sum(ways[:-1]) * 2 + ways[-1]) / (2 * 2 ** (60 * k))
    made = attack_success(theta, channel, num_reports=k)
    assert made == pytest.approx(right, abs=1e-10)  # logarithms of about 1e3, exponentiated


def test_ends():
    theta = np.array([0.5, 0.3, 0.2])
    assert attack_success(theta, np.eye(3), num_reports=3) == pytest.approx(1, abs=1e-14)
    assert attack_success(theta, np.full((3, 4), 0.25), num_reports=2**24) == pytest.approx(0.5)
    assert attack_success([0.0, 1.0], GRR(2, 1.0).channel(), num_reports=5) == pytest.approx(1)


@pytest.mark.parametrize(
    ("theta", "channel", "num_reports", "naming"),
    [
        ([0.5, 0.6], np.eye(2), 1, "theta"),
        ([0.5, 0.3, 0.2], np.eye(2), 1, "theta"),
        ([0.5, 0.5], [[0.5, 0.5], [0.5, 0.6]], 1, "channel"),
        ([0.5, 0.5], GRR(2, 1.0), 1, "channel"),
        ([0.5, 0.5], np.eye(2), 0, "num_reports"),
        ([0.5, 0.5], np.eye(2), 2.0, "num_reports"),
        ([0.5, 0.5], np.eye(2), True, "num_reports"),
        ([0.5, 0.5], np.eye(2), 10**400, "num_reports"),
        ([0.5, 0.5], np.eye(2), 2**23, "num_reports"),
        (uniform(50), GRR(50, 1.0).channel(), 30, "num_reports"),
        (uniform(50), GRR(50, 1.0).channel(), 2**24, "num_reports"),
    ],
)
def test_bad_input(theta, channel, num_reports, naming):
    with pytest.raises((ValueError, TypeError)) as caught:
        attack_success(theta, channel, num_reports=num_reports)
    assert re.fullmatch(rf"{naming} must [^\n]*, got [^\n]*\.", str(caught.value))
