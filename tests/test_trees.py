"""Least squares on trees against dense algebra; range queries; bad input of both and HH-ADMM."""

import re
from itertools import pairwise

import numpy as np
import pytest
from dense_trees import (
    covariance,
    dense,
    every_kind,
    every_shape,
    flat,
    free_directions,
    measured,
    weights_of,
)
from test_bad_input import each_of

from ldp import norm_sub
from ldp.trees import hh_admm, least_squares_tree, range_query, range_variance
from ldp.trees.least_squares import sum_up

# -- least squares ---------------------------------------------------------------------------------


@every_kind
@every_shape
def test_least_squares_is_that_of_dense_algebra(branching, depth, equal):
    nodes, variances = measured(branching, depth, equal)
    matrix, basis = dense(branching, depth), free_directions(branching**depth)
    start = np.full(branching**depth, 1 / branching**depth)
    root = np.sqrt(weights_of(nodes, variances))
    rest = root * (flat(nodes) - matrix @ start)
    leaves = start + basis @ np.linalg.lstsq(root[:, None] * (matrix @ basis), rest)[0]
    np.testing.assert_allclose(
        flat(least_squares_tree(nodes, variances)), matrix @ leaves, atol=1e-12
    )


@every_shape
def test_equal_variances_give_the_formula_of_hay(branching, depth):
    """Upwards ((b^l - b^(l-1)) x + (b^(l-1) - 1) sum z) / (b^l - 1), l = 1 at the leaves."""
    nodes, variances = measured(branching, depth)
    z = [nodes[-1]]
    for level, own in enumerate(reversed(nodes[1:-1]), start=2):
        sums = z[-1].reshape(-1, branching).sum(axis=1)
        high, low = branching**level, branching ** (level - 1)
        z.append(((high - low) * own + (low - 1) * sums) / (high - 1))
    x = [np.ones(1)]
    for level in reversed(z):
        missing = x[-1] - level.reshape(-1, branching).sum(axis=1)
        x.append(level + np.repeat(missing / branching, branching))
    for given in (None, variances, 7 * variances):
        np.testing.assert_allclose(flat(least_squares_tree(nodes, given)), flat(x), atol=1e-12)


@every_kind
@every_shape
def test_least_squares_is_consistent_and_changes_no_consistent_tree(branching, depth, equal):
    nodes, variances = measured(branching, depth, equal)
    tree = least_squares_tree(nodes, variances)
    for parents, children in pairwise(tree):
        np.testing.assert_allclose(children.reshape(-1, branching).sum(axis=1), parents, atol=1e-13)
    again = least_squares_tree(tree, variances)
    np.testing.assert_allclose(flat(again), flat(tree), atol=1e-13)
    assert flat(nodes).min() < 0 or branching**depth == 2  # else the trees would test little


def test_control_the_variances_matter():
    nodes, variances = measured(3, 2, equal=False)
    difference = flat(least_squares_tree(nodes, variances)) - flat(least_squares_tree(nodes))
    assert np.abs(difference).max() > 0.05


def test_an_example_by_hand():
    # Up: the halves become (0.5 + (0.3 + 0.4) / 2) / 1.5 = 17/30 and (0.3 + 0.1 / 2) / 1.5 = 7/30;
    # down: they miss 1/5 of the root, hence 20/30 and 10/30; the leaves miss -1/30 and 7/30.
    tree = least_squares_tree([[1], [0.5, 0.3], [0.3, 0.4, 0.1, 0.0]])
    np.testing.assert_allclose(tree[1], [2 / 3, 1 / 3], rtol=1e-14)
    leaves = [0.3 - 1 / 60, 0.4 - 1 / 60, 0.1 + 7 / 60, 7 / 60]
    np.testing.assert_allclose(tree[2], leaves, rtol=1e-14)


def test_a_level_that_is_nearly_exact_is_kept():
    nodes, _ = measured(4, 2)
    top = norm_sub(nodes[1])
    tree = least_squares_tree((nodes[0], top, nodes[2]), [0, 1e-14, 1.0])
    np.testing.assert_allclose(tree[1], top, atol=1e-12)


# -- range queries ---------------------------------------------------------------------------------


def ranges(d):
    return [(start, stop) for start in range(d + 1) for stop in range(start, d + 1)]


@every_shape
def test_a_range_of_a_consistent_tree_is_the_sum_of_its_leaves(branching, depth):
    law = np.random.default_rng(branching).dirichlet(np.ones(branching**depth))
    tree = sum_up(law, branching)
    for start, stop in ranges(law.size):
        assert range_query(tree, start, stop) == pytest.approx(law[start:stop].sum(), abs=1e-13)


def fewest(branching, depth):
    """Least number of nodes that tile each range, by trying every first node."""
    d, best = branching**depth, {}
    for stop in range(d + 1):
        best[stop, stop] = 0
        for start in range(stop - 1, -1, -1):
            widths = [branching**i for i in range(depth + 1) if start % branching**i == 0]
            best[start, stop] = 1 + min(best[start + w, stop] for w in widths if start + w <= stop)
    return best


@pytest.mark.parametrize(("branching", "depth"), [(2, 4), (3, 3), (4, 2)])
def test_a_range_takes_the_fewest_nodes(branching, depth):
    ones = [np.ones(branching**i) for i in range(depth + 1)]  # each node adds one
    counted = {r: range_query(ones, *r) for r in ranges(branching**depth)}
    assert counted == fewest(branching, depth)


def answer_weights(answer, branching, depth):
    """How much each node below the root adds to an answer that is affine in them."""
    zero = [np.ones(1)] + [np.zeros(branching**i) for i in range(1, depth + 1)]
    weights = []
    for level in zero[1:]:
        for i in range(level.size):
            level[i] = 1.0
            weights.append(answer(zero))
            level[i] = 0.0
    return np.array(weights) - answer(zero)


@every_kind
@pytest.mark.parametrize("consistent", [True, False])
@pytest.mark.parametrize(("branching", "depth"), [(2, 3), (3, 2), (4, 2), (7, 1)])
def test_the_variance_of_a_range_is_exact(branching, depth, consistent, equal):
    """Both answers are linear: add up squared weights times variances, node by node."""
    variances = measured(branching, depth, equal)[1]
    noise = 1 / weights_of([np.ones(branching**i) for i in range(depth + 1)], variances)
    for start, stop in ranges(branching**depth):

        def answer(nodes, start=start, stop=stop):
            tree = least_squares_tree(nodes, variances) if consistent else nodes
            return range_query(tree, start, stop)

        expected = answer_weights(answer, branching, depth) ** 2 @ noise
        found = range_variance(variances, branching, start, stop, consistent=consistent)
        assert found == pytest.approx(expected, rel=1e-10, abs=1e-14)


@every_kind
@every_shape
def test_least_squares_is_the_best_linear_unbiased_answer(branching, depth, equal):
    """Its variance is that of generalised least squares, below that of every measured range."""
    variances = measured(branching, depth, equal)[1]
    of_leaves = covariance(branching, depth, variances)
    for start, stop in ranges(branching**depth)[:: 1 + branching**depth // 20]:
        best = range_variance(variances, branching, start, stop, consistent=True)
        least = of_leaves[start:stop, start:stop].sum()
        assert best == pytest.approx(least, rel=1e-9, abs=1e-13)
        assert best <= range_variance(variances, branching, start, stop) + 1e-13


def test_control_equal_weights_are_not_the_best_answer():
    variances = np.array([0.0, 1.0, 20.0, 1.0])

    def unweighted(nodes):
        return range_query(least_squares_tree(nodes), 0, 3)

    noise = np.repeat(variances[1:], [2, 4, 8])
    spent = answer_weights(unweighted, 2, 3) ** 2 @ noise
    assert spent > 1.1 * range_variance(variances, 2, 0, 3, consistent=True)


# -- bad input -------------------------------------------------------------------------------------

GOOD = ([1.0], [0.5, 0.5], [0.1, 0.4, 0.3, 0.2])
BAD_NODES = [np.ones((2, 2)), "tree", None, [], [[1.0]], [[1.0], [1.0]], [[1.0], [1.0], [1.0]]]
BAD_NODES += [[[], [0.5, 0.5]], [[1.0], []], [[1.0, 0.0], [0.5, 0.5]], [[0.5, 0.5], [1.0]]]
BAD_NODES += [[[1.0], [0.5, 0.5], [0.5, 0.5]], [[1.0], [0.5, 0.5], [0.2, 0.3, 0.5]]]
BAD_NODES += [[[0.9], [0.5, 0.5]], [[np.nan], [0.5, 0.5]], [[1.0], [0.5, np.nan]], [[1.0], "ab"]]
BAD_NODES += [[[1.0], [0.5, np.inf]], [[1.0], ["a", "b"]], [[1.0], [0.5, 0.5j]]]
BAD_NODES += [[[1.0], [[0.5, 0.5]]], [1.0, [0.5, 0.5]]]
BAD_NODES += [[[1.0], np.ma.masked_array([0.5, 0.5], [False, True])]]
BAD_VARIANCES = [1.0, [1.0, 1.0], [0.0, 1.0], [0.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0], []]
BAD_VARIANCES += [[0.0, 0.0, 1.0], [0.0, 1.0, -1.0], [0.0, np.nan, 1.0], [0.0, np.inf, 1.0]]
BAD_VARIANCES += [["0", "1", "1"]]
BAD_RANGES = [(-1, 2), (0, 5), (3, 2), (5, 5), (0.0, 2), (0, 2.0), (True, 2), (None, 2), (0, None)]
TOO_LONG_IS_FINE = [[0.0, 1.0], [0.0, 1.0, 1.0, 1.0]]  # for a function that sees no tree


def refuse(call, naming):
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    assert re.fullmatch(rf"{naming}\S* must [^\n]*, got [^\n]*\.", str(caught.value)), caught.value


@pytest.mark.parametrize("bad", BAD_NODES, ids=repr)
@pytest.mark.parametrize("call", [least_squares_tree, hh_admm, lambda x: range_query(x, 0, 1)])
def test_refuses_what_is_no_tree(call, bad):
    refuse(lambda: call(bad), "nodes")


@pytest.mark.parametrize("bad", BAD_VARIANCES, ids=repr)
def test_refuses_bad_variances(bad):
    refuse(lambda: least_squares_tree(GOOD, bad), "variances")
    refuse(lambda: hh_admm(GOOD, bad), "variances")
    if bad not in TOO_LONG_IS_FINE:
        refuse(lambda: range_variance(bad, 2, 0, 1), "variances")


@pytest.mark.parametrize("bad", BAD_RANGES, ids=repr)
def test_refuses_a_range_outside_the_domain(bad):
    refuse(lambda: range_query(GOOD, *bad), "(start|stop)")
    refuse(lambda: range_variance([0, 1, 1], 2, *bad), "(start|stop)")


BAD = [
    (lambda bad: range_variance([0, 1, 1], bad, 0, 1), "branching", 1, 0, -2, 2.0, "2", None, True),
    (lambda bad: range_variance([0] + [1] * 40, bad, 0, 1), "branching", 10),  # too many to count
    (lambda bad: hh_admm(GOOD, tolerance=bad), "tolerance", 0, -1e-9, np.nan, np.inf, "1", None),
    (lambda bad: hh_admm(GOOD, tolerance=bad), "tolerance", True),
    (lambda bad: hh_admm(GOOD, max_iterations=bad), "max_iterations", 0, -1, 10.0, "1", None, True),
]


@pytest.mark.parametrize(("call", "naming"), each_of(BAD))
def test_refuses_bad_settings(call, naming):
    refuse(call, naming)
