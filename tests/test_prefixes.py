"""The utility of every prefix and the rules that choose one, against dense channels."""

import itertools
import math
import re

import numpy as np
import pytest

from ldp import GRR, RRRR, worst_case_epsilon
from ldp.protocols import BestPrefix, EmptyPrefix, MassPrefix, prefix_utilities
from ldp.protocols import prefix_kernels as kernels
from ldp.utilities import UTILITIES

BUDGETS = [(0.2, 0.5), (0.5, 0.8), (1.0, 0.8), (1.0, 1.0), (2.0, 0.9), (5.0, 0.8), (5.0, 1.0)]
of_each = pytest.mark.parametrize("name", UTILITIES)


def laws(size):
    """Sparse and flat laws in no order, one with ties and zeros, a uniform and a certain one."""
    rng = np.random.default_rng(size)
    for concentration in (0.01, 0.1, 1.0, 10.0):
        yield rng.dirichlet(np.full(size, concentration))
    tied = np.zeros(size)
    tied[rng.permutation(size)[: max(2, size // 2)]] = 1 / max(2, size // 2)
    yield tied
    yield np.full(size, 1 / size)
    yield np.eye(size)[size // 2]


def most_probable(theta, k):
    return sorted(range(len(theta)), key=lambda v: (-theta[v], v))[:k]


def dense(name, theta, epsilon, epsilon_inner):
    return [
        UTILITIES[name](
            theta, RRRR(len(theta), epsilon, most_probable(theta, k), epsilon_inner).channel()
        )
        for k in range(len(theta))
    ]


@of_each
@pytest.mark.parametrize(("epsilon", "share"), BUDGETS)
@pytest.mark.parametrize("size", [2, 3, 4, 9, 20])
def test_all_prefixes_against_dense_channels(name, epsilon, share, size):
    for theta in laws(size):
        made = prefix_utilities(theta, epsilon, share * epsilon, name)
        wanted = np.array(dense(name, theta, epsilon, share * epsilon))
        assert made.shape == (size,)
        assert np.array_equal(np.isinf(made), np.isinf(wanted))
        # The dense trace inverts a matrix, and loses digits that the closed form keeps.
        digits = 1e-7 if name == "fisher" else 1e-12
        np.testing.assert_allclose(made, wanted, rtol=digits, atol=1e-13)


def test_fisher_is_minus_infinity_where_several_outsiders_are_alike():
    made = prefix_utilities(np.full(6, 1 / 6), 1.0, 1.0, "fisher")
    assert np.isfinite(made).tolist() == [True, False, False, False, False, True]
    assert (made[1:5] == -np.inf).all()
    assert made[5] == pytest.approx(made[0], rel=1e-12)  # both are randomized response


@of_each
def test_many_values(name):
    theta = np.random.default_rng(3).dirichlet(np.full(300, 0.2))
    made = prefix_utilities(theta, 2.0, 1.6, name)
    for k in (0, 1, 57, 299):
        channel = RRRR(300, 2.0, most_probable(theta, k), 1.6).channel()
        assert made[k] == pytest.approx(UTILITIES[name](theta, channel), rel=1e-7)


def test_control_a_utility_of_another_subset_is_seen():
    theta = np.array([0.4, 0.3, 0.2, 0.1])
    for name, utility in UTILITIES.items():
        other = utility(theta, RRRR(4, 1.0, [0, 2], 0.8).channel())
        assert prefix_utilities(theta, 1.0, 0.8, name)[2] != pytest.approx(other, rel=1e-4)


# -- the choice


@of_each
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 5.0])
def test_chosen_sizes_of_the_example_of_the_source(name, epsilon):
    """theta = (.8, .05, .05, .05, .05) at epsilon_1 = .8 epsilon."""
    theta = [0.8, 0.05, 0.05, 0.05, 0.05]
    large = {"entropy": 1, "tv_report": 1}
    wanted = large.get(name, 0) if epsilon == 5 else int(name != "fisher")
    assert len(BestPrefix(name, 0.8).choose(theta, epsilon).subset) == wanted


def test_entropy_with_the_sign_of_the_slide_would_choose_all_values_but_one():
    for epsilon in (0.5, 1.0, 5.0):
        made = prefix_utilities([0.8, 0.05, 0.05, 0.05, 0.05], epsilon, 0.8 * epsilon, "entropy")
        assert np.argmax(-made) == 4


@of_each
@pytest.mark.parametrize(("epsilon", "share"), BUDGETS)
def test_best_prefix_has_the_largest_utility_and_of_equals_the_fewest_values(name, epsilon, share):
    for size in (2, 3, 7, 20):
        for theta in laws(size):
            wanted = np.array(dense(name, theta, epsilon, share * epsilon))
            chosen = BestPrefix(name, share).choose(theta, epsilon)
            k = len(chosen.subset)
            assert chosen == RRRR(size, epsilon, most_probable(theta, k), share * epsilon)
            scale = 1e-7 if name == "fisher" else 1e-12
            assert wanted[k] >= wanted.max() - scale * max(1, abs(wanted.max()))
            assert (wanted[:k] < wanted[k] - 1e-13).all()


@of_each
def test_a_tie_up_to_rounding_goes_to_the_empty_subset(name):
    # Two values and the whole budget within: both prefixes are randomized response.
    for first, epsilon in itertools.product((0.5, 0.6, 0.9, 1.0), (0.3, 1.0, 4.0)):
        theta = [1 - first, first]
        both = prefix_utilities(theta, epsilon, epsilon, name)
        assert both[0] == pytest.approx(both[1], rel=1e-13)
        assert BestPrefix(name, 1.0).choose(theta, epsilon).subset == ()


def test_equally_probable_values_join_by_number():
    theta = [0.1, 0.3, 0.1, 0.3, 0.2]
    assert MassPrefix(0.65).choose(theta, 1.0).subset == (1, 3, 4)
    assert MassPrefix(0.85).choose(theta, 1.0).subset == (0, 1, 3, 4)


def test_best_prefix_of_the_honest_report_is_the_best_of_all_subsets():
    """Not so for every utility in principle; for this one the most probable values are best."""
    rng = np.random.default_rng(4)
    for _ in range(10):
        theta = rng.dirichlet(np.full(5, 0.4))
        best = max(
            UTILITIES["honest"](theta, RRRR(5, 1.0, subset, 0.8).channel())
            for k in range(5)
            for subset in itertools.combinations(range(5), k)
        )
        assert prefix_utilities(theta, 1.0, 0.8, "honest").max() == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("mass", [0.95, 0.9, 0.8, 0.6, 0.2, 1.0])
def test_mass_prefix_is_the_shortest_that_holds_the_mass(mass):
    for size in (2, 3, 7, 20):
        for theta in laws(size):
            chosen = MassPrefix(mass).choose(theta, 1.5)
            k = len(chosen.subset)
            assert chosen.subset == tuple(sorted(most_probable(theta, k)))
            assert 1 <= k <= size - 1
            held = theta[list(chosen.subset)]
            assert k == size - 1 or held.sum() >= mass - 1e-12
            assert k == 1 or held.sum() - held.min() < mass - 1e-13  # one less: too little
            assert (chosen.epsilon, chosen.epsilon_inner) == (1.5, 1.5)
            assert k == size - 1 or chosen.epsilon_outer == 0
            assert worst_case_epsilon(chosen.channel()) == pytest.approx(1.5, rel=1e-12)


def test_mass_prefix_holds_a_mass_that_it_meets_exactly():
    assert MassPrefix(0.75).choose([0.125, 0.5, 0.125, 0.25], 1.0).subset == (1, 3)


def test_empty_prefix_is_randomized_response():
    chosen = EmptyPrefix().choose([0.1, 0.9], 1.0)
    assert chosen == RRRR(2, 1.0, [], 1.0)
    np.testing.assert_allclose(chosen.channel(), GRR(2, 1.0).channel(), rtol=1e-15)


def test_rules_are_values_and_do_not_change():
    rules = [BestPrefix("honest", 0.8), BestPrefix("mse", 0.8), MassPrefix(0.8), EmptyPrefix()]
    assert rules[0] == BestPrefix(inner_share=0.8, utility="honest")
    assert len(set(rules)) == 4
    with pytest.raises(AttributeError):
        rules[0].inner_share = 0.9
    theta = np.array([0.2, 0.5, 0.3])
    assert rules[0].choose(theta, 1.0) == rules[0].choose(theta, 1.0)
    assert theta.tolist() == [0.2, 0.5, 0.3]


# -- compiled parts


def test_sort_values_sorts_from_any_order():
    rng = np.random.default_rng(5)
    for size in (1, 2, 3, 10, 50):
        for _ in range(20):
            law = rng.integers(0, 6, size) / 8.0  # many ties
            order = rng.permutation(size)
            kernels.sort_values(law, order)
            assert order.tolist() == most_probable(law, size)


def test_choose_size_takes_the_first_of_equal_utilities():
    law, scratch = np.array([0.5, 0.25, 0.125, 0.125]), np.empty(4)
    levels = np.full((4, 5), 0.25)
    assert kernels.choose_size(kernels.HONEST, law, 1.0, levels, scratch) == 0
    levels[1:, [0, 3]] = 0.5
    assert kernels.choose_size(kernels.HONEST, law, 1.0, levels, scratch) == 1
    levels[3, [0, 3]] = 0.6
    assert kernels.choose_size(kernels.HONEST, law, 1.0, levels, scratch) == 3


def test_a_rule_without_a_branch_is_an_error_and_not_the_empty_subset():
    law, levels = np.array([0.6, 0.4]), np.full((2, 5), 0.5)
    for code in (-1, kernels.EMPTY + 1):
        with pytest.raises(ValueError, match="no branch"):
            kernels.choose_size(code, law, 1.0, levels, np.empty(2))


# -- what is refused


def refuse(call, naming):
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    assert re.fullmatch(rf"{naming} must [^\n]*, got [^\n]*\.", str(caught.value)), caught.value


BAD_LAWS = [[0.5, 0.6], [1.5, -0.5], [math.nan, 1.0], [[0.5, 0.5]], ["1", "0"], [1.0], [], None]


@pytest.mark.parametrize("theta", BAD_LAWS, ids=repr)
def test_bad_laws(theta):
    refuse(lambda: prefix_utilities(theta, 1.0, 0.8, "honest"), "theta")
    for rule in (BestPrefix("honest", 0.8), MassPrefix(0.5), EmptyPrefix()):
        refuse(lambda rule=rule: rule.choose(theta, 1.0), "theta")


@pytest.mark.parametrize("bad", [0, -1.0, math.nan, math.inf, "1", None, True, [1.0], 1j], ids=repr)
def test_bad_budgets(bad):
    theta = [0.5, 0.3, 0.2]
    prefix_utilities(theta, 1.0, 1.0, "honest")  # a table that is kept, and True == 1.0
    refuse(lambda: prefix_utilities(theta, bad, 0.8, "honest"), "epsilon")
    refuse(lambda: prefix_utilities(theta, 1.0, bad, "honest"), "epsilon_inner")
    for rule in (BestPrefix("honest", 1.0), MassPrefix(0.5), EmptyPrefix()):
        refuse(lambda rule=rule: rule.choose(theta, bad), "epsilon")


def test_a_budget_within_above_the_whole():
    refuse(lambda: prefix_utilities([0.5, 0.5], 1.0, 1.01, "honest"), "epsilon_inner")


@pytest.mark.parametrize("name", ["Honest", "", None, 3, ["honest"], "mass"], ids=repr)
def test_bad_names(name):
    refuse(lambda: prefix_utilities([0.5, 0.5], 1.0, 0.8, name), "utility")
    refuse(lambda: BestPrefix(name, 0.8), "utility")


@pytest.mark.parametrize("share", [0, -0.1, 1.1, math.nan, math.inf, "1", None, True], ids=repr)
def test_bad_shares(share):
    refuse(lambda: BestPrefix("honest", share), "inner_share")
    refuse(lambda: MassPrefix(share), "mass")
