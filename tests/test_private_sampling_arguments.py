"""Bad input of private sampling: refused before any work, in one sentence."""

import copy
import pickle

import numpy as np
import pytest

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

RNG = np.random.default_rng(1)
Q = [0.2, 0.3, 0.5]
PRIORS = [fixed_point_channel, fixed_point_window, relative_mollifier]
WRONG_PRIORS = [[0.0, 0.5, 0.5], [1.0], [5e-324, 1.0], [-0.1, 0.6, 0.5], [0.2, 0.3, 0.4], []]
WRONG_PRIORS += [[np.nan, 0.5, 0.5], [[0.5, 0.5]]]


@pytest.mark.parametrize("make", PRIORS)
@pytest.mark.parametrize("wrong", WRONG_PRIORS, ids=repr)
def test_priors(make, wrong):
    with pytest.raises((ValueError, TypeError), match=r"^prior must [^\n]*\.$"):
        make(wrong, 1.0)


@pytest.mark.parametrize("make", PRIORS)
@pytest.mark.parametrize("wrong", [0.0, -1.0, np.inf, np.nan, "1", None, True])
def test_budgets(make, wrong):
    with pytest.raises((ValueError, TypeError), match=r"^epsilon must [^\n]*\.$"):
        make(Q, wrong)


@pytest.mark.parametrize(
    ("lower", "upper", "message"),
    [
        ([0.2] * 3, [0.6, 0.5, 0.5], "lower and upper must be within a factor"),  # 0.6 / 0.2 > e
        ([1e-300, 0.5], [1e300, 0.5], "lower and upper must be within a factor"),  # no float64
        ([0.4] * 3, [0.6, 0.5, 0.5], "lower and upper must have sums on either side of 1"),
        ([0.1] * 3, [0.2] * 3, "lower and upper must have sums on either side of 1"),
        ([0.5, 0.2, 0.2], [0.4, 0.5, 0.5], r"lower and upper must have a multiple of 2\*\*-64"),
        ([0.0, 0.2], [0.5, 0.5], "lower must be positive"),
        ([0.3, 0.3], [0.5, 0.5, 0.5], r"upper must have shape \(2,\)"),
    ],
)
def test_windows(lower, upper, message):
    with pytest.raises(ValueError, match="^" + message):
        Mollifier(lower, upper, 1.0)


def test_bounds_far_above_one():
    m = Mollifier([0.2, 0.2], [1e3, 0.9], 10.0)  # an upper bound that never binds
    assert m.law([1.0, 0.0]).tolist() == [0.8, 0.2]
    with pytest.raises(ValueError, match=r"^lower and upper must have sums on either side of 1"):
        Mollifier([1e299, 1e299], [1e300, 1e300], 44.0)


def test_one_value_is_no_report():
    for make in (lambda: Mollifier([1.0], [1.0], 1.0), lambda: LinearSampler(np.ones((3, 1)), 1.0)):
        with pytest.raises(ValueError, match=r"^a sampler must have at least two values"):
            make()


@pytest.mark.parametrize(
    ("prior", "epsilon"),
    [(Q, 745.0), (Q, 2000.0), ([5e-324, 0.5, 0.5], 1.0), ([1e-320, 0.5, 0.5], 1.0)],
)
def test_channels_that_float64_does_not_have(prior, epsilon):
    with pytest.raises(ValueError, match=r"^prior must keep the entries of the channel above"):
        fixed_point_channel(prior, epsilon)


@pytest.mark.parametrize("epsilon", [1.0, 44.0, 600.0])
def test_tiny_masses_keep_the_budget_of_the_channel(epsilon):
    prior = np.array([1e-20, 1.0 - 1e-10, 1e-10])
    channel = fixed_point_channel(prior, epsilon)
    np.testing.assert_allclose(channel.sum(axis=1), 1, rtol=1e-14)
    np.testing.assert_allclose(prior @ channel, prior, rtol=1e-14)
    logs = np.log(channel)
    assert (logs.max(axis=0) - logs.min(axis=0)).max() <= epsilon * (1 + 1e-14)
    small = np.array([1e-300, 1.0 - 1e-16])
    np.testing.assert_allclose(small @ fixed_point_channel(small, 44.0), small, rtol=1e-14)


def test_masses_without_a_word():
    """1e-21 is 0.018 of a word: no integer lies in its window, which is refused and not widened."""
    for make in (fixed_point_window, relative_mollifier):
        with pytest.raises(ValueError, match=r"^prior and epsilon must .*, got 1e-21 and 1\.0\.$"):
            make([1e-21, 0.5, 0.5], 1.0)
    with pytest.raises(ValueError, match=r"^domain_size and epsilon must leave multiples"):
        minimax_mollifier(3, 1e-30)
    with pytest.raises(ValueError, match=r"^epsilon must be at most 44.0 for words of 64 bits"):
        minimax_mollifier(3, 50.0)
    channel = fixed_point_channel([1e-21, 1.0 - 1e-10, 1e-10], 1.0)  # the channel is right
    with pytest.raises(
        ValueError, match=r"^the entries of a column of channel must have a multiple"
    ):
        LinearSampler(channel, 1.0)


def test_channels():
    with pytest.raises(ValueError, match=r"^the entries of a column of channel must be within"):
        LinearSampler(ldp.GRR(3, 1.1).channel(), 1.0)
    with pytest.raises(ValueError, match=r"^channel must be positive, got 0\.0\.$"):
        LinearSampler(np.eye(2), 1.0)
    with pytest.raises(ValueError, match=r"^channel must have rows that sum to 1"):
        LinearSampler([[0.5, 0.4], [0.5, 0.5]], 1.0)


def test_factors():
    for wrong in (1.0, 0.5, -2.0, np.inf, "2"):
        with pytest.raises((ValueError, TypeError), match=r"^factor must [^\n]*\.$"):
            local_mollifier(Q, 1.0, wrong)


GRR = LinearSampler(ldp.GRR(3, 1.0).channel(), 1.0)


@pytest.mark.parametrize("m", [relative_mollifier(Q, 1.0), GRR])
@pytest.mark.parametrize(
    "wrong",
    [[0.5, 0.5], [0.2, 0.3, 0.4], [-0.2, 0.7, 0.5], [np.nan, 0.5, 0.5], "abc", [[[1, 0, 0]]], 1.0],
    ids=repr,
)
def test_laws(m, wrong):
    for call in (m.law, m.weights, lambda laws: m.privatize(laws, RNG)):
        with pytest.raises((ValueError, TypeError), match=r"^laws must [^\n]*\.$"):
            call(wrong)


def test_the_law_that_is_none_is_named():
    with pytest.raises(ValueError, match=r"minimum 0\.25 and a sum off by 0\.5 in row 1\.$"):
        GRR.law([[0.5, 0.25, 0.25], [0.25, 0.25, 1.0], [-1.0, 1.0, 1.0]])


def test_generators():
    with pytest.raises(TypeError, match=r"^rng must be a numpy\.random\.Generator"):
        relative_mollifier(Q, 1.0).privatize(Q, 1)


@pytest.mark.parametrize("m", [relative_mollifier(Q, 1.0), GRR])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_are_checked_and_frozen(m, copied):
    again = copied(m)
    assert (again.weights(Q) == m.weights(Q)).all()
    assert not any(v.flags.writeable for v in vars(again).values() if isinstance(v, np.ndarray))


def test_the_caller_cannot_change_a_sampler():
    lower, upper = np.array([0.3, 0.3]), np.array([0.6, 0.6])
    m = Mollifier(lower, upper, 1.0)
    lower[0] = 0.9
    assert m.lower[0] == 0.3
    with pytest.raises(ValueError, match="read-only"):
        m.lower[0] = 0.9
