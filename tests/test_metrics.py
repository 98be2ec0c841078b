"""Distances by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp import kl, l_inf, mse, tv

LAWS = st.lists(st.floats(0.01, 1), min_size=3, max_size=3).map(lambda w: np.array(w) / sum(w))


def test_values_by_hand():
    estimate, truth = [0.5, 0.3, 0.2], [0.25, 0.25, 0.5]
    assert mse(estimate, truth) == pytest.approx(0.0625 + 0.0025 + 0.09, rel=1e-14)
    assert tv(estimate, truth) == pytest.approx(0.3, rel=1e-14)
    assert l_inf(estimate, truth) == pytest.approx(0.3, rel=1e-14)
    by_hand = 0.25 * np.log(0.5) + 0.25 * np.log(0.25 / 0.3) + 0.5 * np.log(2.5)
    assert kl(estimate, truth) == pytest.approx(by_hand, rel=1e-14)


def test_kl_at_the_edge():
    assert kl([1.0, 0.0], [0.5, 0.5]) == np.inf
    assert kl([0.5, 0.5], [1.0, 0.0]) == pytest.approx(np.log(2))


@given(LAWS, LAWS)
def test_pinsker_and_norms(p, q):
    assert kl(p, q) >= 2 * tv(p, q) ** 2 - 1e-12
    assert l_inf(p, q) <= tv(p, q) + 1e-15
    assert mse(p, q) <= 2 * tv(p, q) * l_inf(p, q) + 1e-15


@pytest.mark.parametrize("metric", [mse, tv, l_inf, kl])
@pytest.mark.parametrize(
    ("estimate", "truth"),
    [([0.5, 0.5], [1.0]), ([np.nan, 1], [0.5, 0.5]), ([[1.0]], [1.0]), ([], []), (["a"], ["b"])],
)
def test_refuses_what_cannot_be_compared(metric, estimate, truth):
    with pytest.raises((TypeError, ValueError), match=r"^(estimate|truth) must .*\.$"):
        metric(estimate, truth)


def test_kl_refuses_raw_estimates():
    with pytest.raises(ValueError, match="estimate must be non-negative and sum to 1"):
        kl([-0.1, 1.1], [0.5, 0.5])
