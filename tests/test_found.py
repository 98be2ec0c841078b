"""How good a list of found items is: by hand, and by counting over all small lists."""

from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from test_bad_input import refuse

from ldp.metrics import f1, found_mse, ncr

TRUTH = (4, 1, 3)  # the most frequent item first


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_every_list_against_its_definition(size):
    for found in combinations(range(5), size):
        common = set(found) & set(TRUTH)
        precision, recall = Fraction(len(common), size), Fraction(len(common), 3)
        wanted = 2 * precision * recall / (precision + recall) if common else 0
        assert f1(found, TRUTH) == pytest.approx(float(wanted), rel=1e-15)
        ranks = [TRUTH.index(v) + 1 for v in common]
        assert ncr(found, TRUTH) == pytest.approx(sum(4 - r for r in ranks) / 6, rel=1e-15)


def test_order_matters_only_where_it_says_so():
    for order in permutations(TRUTH):
        assert f1([4, 0], order) == f1([0, 4], TRUTH)
        assert ncr(order, TRUTH) == 1.0
    assert ncr([4], TRUTH) > ncr([3], TRUTH)  # control: of the true list the order counts
    assert ncr([4], TRUTH[::-1]) < ncr([4], TRUTH)


def test_errors_are_of_found_true_items_alone():
    error = found_mse([0, 3, 4], [9.0, 0.5, 0.25], TRUTH, [0.5, 0.4, 0.1])
    assert error == pytest.approx((0.4**2 + 0.25**2) / 2, rel=1e-15)


def test_items_may_be_as_large_as_int64():
    large = 2**63 - 1
    assert f1([large], [large]) == 1.0
    assert f1([large], [large - 1]) == 0.0  # as floats they would be one


@pytest.mark.parametrize("metric", [f1, ncr])
@pytest.mark.parametrize("bad", [[], [1, 1], [0.5], ["a"], [[1]], 3, None, [True]], ids=repr)
def test_bad_lists_are_refused(metric, bad):
    refuse(lambda: metric(bad, TRUTH), naming="found")
    refuse(lambda: metric(TRUTH, bad), naming="truth")


def test_bad_estimates_are_refused():
    refuse(lambda: found_mse([1, 2], [0.1], TRUTH, [0.1] * 3), naming="estimates")
    refuse(lambda: found_mse([1], [np.nan], TRUTH, [0.1] * 3), naming="estimates")
    refuse(lambda: found_mse([1], [0.1], TRUTH, [0.1] * 2), naming="frequencies")
    refuse(lambda: found_mse([0], [0.1], TRUTH, [0.1] * 3), naming="found")
    with pytest.raises(OverflowError, match="must fit into float64"):
        found_mse([1], [1e300], TRUTH, [0.1] * 3)
