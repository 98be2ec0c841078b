"""Distances by hand."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from ldp.metrics import (
    kl,
    ks,
    l_inf,
    law_quantile,
    mean_error,
    mse,
    quantile_error,
    range_error,
    tv,
    variance_error,
    wasserstein,
)

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


def test_kl_refuses_raw_estimates():
    with pytest.raises(ValueError, match="estimate must be non-negative and sum to 1"):
        kl([-0.1, 1.1], [0.5, 0.5])


# -- on a line -------------------------------------------------------------------------------------

ON_A_LINE = [wasserstein, ks, mean_error, variance_error, quantile_error]


@given(LAWS, LAWS)
def test_wasserstein_is_the_least_work_of_moving_mass(p, q):
    places = np.arange(3)
    assert wasserstein(p, q) == pytest.approx(
        scipy.stats.wasserstein_distance(places, places, p, q), abs=1e-14
    )
    assert wasserstein(p, q, bin_width=0.25) == wasserstein(p, q) / 4
    assert ks(p, q) <= wasserstein(p, q) <= 2 * ks(p, q) + 1e-15  # two inner edges
    assert mean_error(p, q) <= wasserstein(p, q) + 1e-15


@given(LAWS, LAWS, st.integers(1, 3))
def test_ranges_one_by_one(p, q, length):
    errors = [abs((p - q)[s : s + length].sum()) for s in range(3 - length + 1)]
    assert range_error(p, q, length) == pytest.approx(np.mean(errors), abs=1e-14)


@given(LAWS, LAWS)
def test_moments_of_histograms(p, q):
    places = 7.0 * np.arange(3)
    means = [law @ places for law in (p, q)]
    variances = [law @ (places - mean) ** 2 for law, mean in zip((p, q), means, strict=True)]
    assert mean_error(p, q, bin_width=7) == pytest.approx(abs(means[0] - means[1]), abs=1e-13)
    assert variance_error(p, q, bin_width=7) == pytest.approx(
        abs(variances[0] - variances[1]), abs=1e-12
    )


def test_quantiles():
    law = [0.1, 0.2, 0.3, 0.4]
    levels = (0.05, 0.1, 0.11, 0.3, 0.6, 0.99)
    assert [law_quantile(law, level) for level in levels] == [0, 0, 1, 1, 2, 3]
    assert law_quantile([0.1] * 10, 0.3) == 2  # 0.1 + 0.1 + 0.1 is above 0.3 in floats, 1/3 is not
    assert law_quantile([1 / 3] * 3, 2 / 3) == 1
    assert (
        law_quantile([0.1] * 10, 0.8) == 7
    )  # though eight tenths add up to less than 0.8 in floats
    # A law may miss 1 by 1e-9; the last quantile is still the last bin that has mass.
    assert law_quantile([0.5, 0.5 - 5e-10, 0.0], 1 - 1e-10) == 1
    shifted = [0.0, 0.1, 0.2, 0.3, 0.4]
    assert quantile_error([*law, 0.0], shifted) == 1
    assert quantile_error([*law, 0.0], shifted, bin_width=0.5) == 0.5


def test_near_and_far_at_the_same_squared_error():
    truth = np.array([1.0, 0, 0, 0])
    near, far = [0.5, 0.5, 0, 0], [0.5, 0, 0, 0.5]
    assert mse(near, truth) == mse(far, truth)
    assert wasserstein(far, truth) == 3 * wasserstein(near, truth)


@pytest.mark.parametrize(
    "metric", [mse, tv, l_inf, kl, *ON_A_LINE, lambda p, q: range_error(p, q, 1)]
)
@pytest.mark.parametrize(
    ("estimate", "truth"),
    [([0.5, 0.5], [1.0]), ([np.nan, 1], [0.5, 0.5]), ([[1.0]], [1.0]), ([], []), (["a"], ["b"])],
)
def test_refuses_what_cannot_be_compared(metric, estimate, truth):
    with pytest.raises((TypeError, ValueError), match=r"^(estimate|truth) must .*\.$"):
        metric(estimate, truth)


HALVES = [0.5, 0.5]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wasserstein(HALVES, HALVES, bin_width=0), "bin_width must be positive"),
        (lambda: mean_error(HALVES, HALVES, bin_width=np.nan), "bin_width must be positive"),
        (lambda: variance_error(HALVES, HALVES, bin_width=-1), "bin_width must be positive"),
        (lambda: range_error(HALVES, HALVES, 0), "length must be an integer"),
        (lambda: range_error(HALVES, HALVES, 3), "length must be an integer"),
        (lambda: range_error(HALVES, HALVES, 1.0), "length must be an integer"),
        (lambda: law_quantile(HALVES, 0), "level must be between 0 and 1"),
        (lambda: law_quantile(HALVES, "1"), "level must be between 0 and 1"),
        (lambda: law_quantile([-0.5, 1.5], 0.5), "law must be non-negative"),
        (
            lambda: quantile_error(HALVES, HALVES, levels=[0.5, 1.0]),
            "levels must be between 0 and 1",
        ),
        (lambda: quantile_error(HALVES, HALVES, levels=[]), "levels must have shape"),
        (lambda: quantile_error(HALVES, HALVES, levels=0.5), "levels must have shape"),
        (lambda: quantile_error([-0.5, 1.5], HALVES), "estimate must be non-negative"),
    ],
)
def test_bad_arguments_on_a_line(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()
