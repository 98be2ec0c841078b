"""Restricted response: its channel against Algorithm 1 of S000 and an exact audit on a grid."""

from decimal import Decimal, getcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ldp import GRR, RRRR, debias, worst_case_epsilon
from ldp.mechanisms.restricted_levels import Levels

getcontext().prec = 50
EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0, 6.0)
SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
# Logarithms of ratios of probabilities that carry a few units in the last place.
ROUNDING = 1e-12


def randomized_response(values, epsilon, size):
    """SRR(x; values, epsilon) as a matrix over all of 0..size-1; rows of other x are zero."""
    matrix = np.zeros((size, size))
    matrix[np.ix_(values, values)] = 1 / (np.exp(epsilon) + len(values) - 1)
    matrix[values, values] *= np.exp(epsilon)
    return matrix


def algorithm_1(size, subset, epsilon_1, epsilon_2):
    """Pr[Y = y | X = x] of Algorithm 1 of S000, line by line, by summing over what R may be."""
    outside = [v for v in range(size) if v not in subset]
    choice_of_outsiders = randomized_response(outside, epsilon_2, size)
    matrix = np.zeros((size, size))
    for r in outside:
        answer = randomized_response([*subset, r], epsilon_1, size)
        for x in range(size):
            if x in subset:
                matrix[x] += answer[x] / len(outside)
            else:
                matrix[x] += choice_of_outsiders[x, r] * answer[r]
    return matrix


def outer_budget(num_inside, num_outside, epsilon, epsilon_1):
    """epsilon_2 of "LDP of RRRR" in S000, with fifty digits."""
    whole, part, m = Decimal(epsilon), Decimal(epsilon_1), num_outside
    if num_inside > 0 and whole - part < Decimal(m).ln():
        if m == 1 or m * (part - whole).exp() == 1:
            return whole
        return min(whole, ((m - 1) / ((part - whole).exp() * m - 1)).ln())
    return whole


def some_subset(size, num_inside):
    """Any values, not just the first ones."""
    return np.random.default_rng([size, num_inside]).permutation(size)[:num_inside].tolist()


GRID = [(size, num_inside) for size in range(2, 21) for num_inside in range(size)]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("share", SHARES)
def test_channel_budget_and_outer_budget_on_a_grid(epsilon, share):
    epsilon_1 = share * epsilon
    for size, num_inside in GRID:
        subset, m = some_subset(size, num_inside), size - num_inside
        made = RRRR(size, epsilon, subset, epsilon_1)
        epsilon_2 = outer_budget(num_inside, m, epsilon, epsilon_1)
        assert made.epsilon_outer == pytest.approx(float(epsilon_2), rel=ROUNDING, abs=ROUNDING)
        channel = made.channel()
        wanted = algorithm_1(size, subset, epsilon_1, float(epsilon_2))
        np.testing.assert_allclose(channel, wanted, rtol=ROUNDING, atol=0)
        spent = worst_case_epsilon(channel)
        assert spent <= epsilon + ROUNDING
        assert spent == pytest.approx(made.spent_epsilon, rel=0, abs=ROUNDING)
        if m > 1:  # else nothing is drawn from outside, and epsilon_2 says nothing
            more = algorithm_1(size, subset, epsilon_1, float(epsilon_2) + 1e-3)
            assert worst_case_epsilon(more) > epsilon + 1e-6


def test_budget_that_is_left_where_one_value_is_outside():
    """Said by `spent_epsilon`; the whole budget within gives randomized response at epsilon."""
    for size in (2, 3, 20):
        for epsilon in EPSILONS:
            made = RRRR(size, epsilon, range(1, size), 0.8 * epsilon)
            assert made.spent_epsilon == 0.8 * epsilon
            narrow = GRR(size, 0.8 * epsilon).channel()
            np.testing.assert_allclose(made.channel(), narrow, rtol=ROUNDING)
            tight = RRRR(size, epsilon, range(1, size), epsilon)
            assert tight.spent_epsilon == epsilon
            np.testing.assert_allclose(tight.channel(), GRR(size, epsilon).channel(), rtol=ROUNDING)
            assert np.diag(tight.channel()).min() > np.diag(made.channel()).max()


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("share", [0.5, 1.0])
def test_the_empty_subset_is_randomized_response(epsilon, share):
    for size in (2, 3, 7, 20):
        empty, plain = RRRR(size, epsilon, [], share * epsilon), GRR(size, epsilon)
        np.testing.assert_allclose(empty.channel(), plain.channel(), rtol=1e-15 * size)
        values = np.random.default_rng(1).integers(0, size, 5_000)
        same = [m.privatize(values, np.random.default_rng(2)) for m in (empty, plain)]
        assert np.array_equal(*same)  # word for word, unless one falls on a border


def test_with_the_whole_budget_within_the_outsiders_are_alike():
    for size, num_inside in GRID:
        subset = some_subset(size, num_inside)
        if num_inside in (0, size - 1):
            continue
        made = RRRR(size, 1.5, subset, 1.5)
        assert made.epsilon_outer == 0
        outside = [v for v in range(size) if v not in subset]
        assert np.unique(made.channel()[np.ix_(outside, outside)]).size == 1
        assert np.linalg.matrix_rank(made.channel()) == num_inside + 1


def test_control_the_naive_restriction_spends_without_bound():
    """Of twenty parties, only the large four are told from each other: not private at all."""
    naive = np.zeros((20, 20))
    naive[:4] = randomized_response([0, 1, 2, 3], 1.0, 20)[:4]
    naive[4:, 4:] = 1 / 16
    assert worst_case_epsilon(naive) == np.inf
    assert worst_case_epsilon(RRRR(20, 1.0, range(4), 0.8).channel()) == pytest.approx(1.0)


def test_levels_are_the_five_numbers_of_the_channel():
    made = RRRR(6, 2.0, [4, 1], 1.5)
    channel, own = made.channel(), made.levels
    assert isinstance(own, Levels)
    assert (channel[1, 1], channel[4, 4]) == (own.own_in, own.own_in)
    assert {*channel[[0, 2, 3, 5], 1], channel[4, 1]} == {own.other_in}
    assert {*channel[1, [0, 2, 3, 5]]} == {own.across}
    assert {channel[v, v] for v in (0, 2, 3, 5)} == {own.own_out}
    assert {channel[0, 2], channel[5, 3]} == {own.other_out}


def test_exact_levels_of_an_example_by_hand():
    # e^eps_1 = 2, e^eps = 4, four values outside: e^eps_2 = 3 / (4 / 2 - 1) = 3.
    made = RRRR(6, np.log(4), [0, 1], np.log(2))
    wanted = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 16), Fraction(1, 4), Fraction(1, 12)]
    np.testing.assert_allclose(made.levels, [float(w) for w in wanted], rtol=1e-14)
    assert made.epsilon_outer == pytest.approx(np.log(3), rel=1e-14)


@given(
    st.integers(2, 200),
    st.floats(1e-3, 12),
    st.floats(1e-3, 1),
    st.floats(0, 1, exclude_max=True),
    st.randoms(use_true_random=False),
)
def test_never_above_the_budget_anywhere(size, epsilon, share, filled, random):
    subset = random.sample(range(size), int(filled * size))
    made = RRRR(size, epsilon, subset, share * epsilon)
    spent = worst_case_epsilon(made.channel())
    assert spent == pytest.approx(made.spent_epsilon, rel=1e-11, abs=1e-11)  # small budgets
    assert made.spent_epsilon <= epsilon
    assert 0 <= made.epsilon_outer <= epsilon * (1 + 1e-9)


def test_at_the_border_of_the_rule_the_outer_budget_does_not_jump():
    # Below epsilon - epsilon_1 = ln m the formula goes to infinity, so epsilon takes over earlier.
    m = 4
    gap = np.log(m)
    budgets = [
        RRRR(6, 3.0, [0, 1], 3.0 - gap + shift).epsilon_outer for shift in (-1e-9, 0.0, 1e-9)
    ]
    assert budgets == pytest.approx([3.0] * 3, rel=1e-12)


def test_a_mechanism_is_its_value():
    made = RRRR(5, 1.0, [3, 1], 0.8)
    assert made.subset == (1, 3)
    assert made == RRRR(5, 1, np.array([1, 3], dtype=np.uint8), 0.8) == RRRR(5, 1.0, {3, 1}, 0.8)
    assert made == RRRR(5, 1.0, iter((3, 1)), 0.8)
    assert len({made, RRRR(5, 1.0, (1, 3), 0.8), RRRR(5, 1.0, [1], 0.8)}) == 2
    assert made != RRRR(5, 1.0, [1, 3], 0.7)
    assert (made.num_outcomes, made.domain_size) == (5, 5)
    assert all(type(v) is int for v in made.subset)
    with pytest.raises(AttributeError):
        made.subset = (0,)  # type: ignore[misc]


def test_no_single_p_and_q():
    made = RRRR(4, 1.0, [0], 0.8)
    with pytest.raises(TypeError, match="mechanism must"):
        debias(made.simulate([5, 5, 5, 5], np.random.default_rng(1)), made)


def squared_distance(drawn, made, counts):
    """Distance of a tally from its mean, in units of its covariance, from the channel alone."""
    channel = made.channel()
    mean = counts @ channel
    covariance = np.diag(mean) - (channel.T * counts) @ channel
    deviation = (drawn - mean)[:-1]  # the last follows from the others
    return deviation @ np.linalg.solve(covariance[:-1, :-1], deviation)


SHARP = [RRRR(6, 1.0, [4, 1], 0.8), RRRR(5, 2.0, [0], 2.0), RRRR(4, 3.0, [0, 1, 3], 2.0)]


@pytest.mark.statistical
@pytest.mark.parametrize("made", SHARP, ids=repr)
def test_simulate_of_many_users_has_the_mean_and_covariance_of_the_channel(made):
    """Squared distances of 300 normal tallies; false alarms below 2e-9."""
    counts = np.array([10**12, 0, 3 * 10**11, 5 * 10**11, 10**12, 10**11])[: made.domain_size]
    rngs = np.random.default_rng(8).spawn(300)
    draws = np.array([made.simulate(counts, rng).counts for rng in rngs])
    assert (draws.sum(axis=1) == counts.sum()).all()
    total = sum(squared_distance(draw, made, counts) for draw in draws)
    freedom = 300 * (made.domain_size - 1)
    assert min(stats.chi2.cdf(total, freedom), stats.chi2.sf(total, freedom)) > 1e-9
    budget = made.epsilon * (1 + 1e-5)
    near = RRRR(made.domain_size, budget, made.subset, made.epsilon_inner * (1 + 1e-5))
    off = sum(squared_distance(draw, near, counts) for draw in draws)
    assert stats.chi2.sf(off, freedom) < 1e-9  # control
