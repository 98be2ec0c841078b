"""Bad input of mean oracles: one sentence, before any work."""

import numpy as np
import pytest
from test_bad_input import each_of
from test_means import SAMPLED

from ldp import GRR, Tally
from ldp._noise import reach
from ldp.means import (
    HybridMean,
    LaplaceMean,
    OneBitMean,
    PiecewiseMean,
    VectorMean,
    central_laplace_mean,
    mean_interval,
)

MAKERS = [OneBitMean, LaplaceMean, PiecewiseMean, HybridMean]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.0, 1.0, 1.0), "lower must be below upper"),
        ((2.0, 1.0, 1.0), "lower must be below upper"),
        ((-1.7e308, 1.7e308, 1.0), "lower must be below upper"),
        ((np.nan, 1.0, 1.0), "lower must be finite"),
        ((0.0, np.inf, 1.0), "upper must be finite"),
        (("0", 1.0, 1.0), "lower must be finite"),
        ((0.0, 1.0, 0.0), "epsilon must be positive"),
        ((0.0, 1.0, np.nan), "epsilon must be positive"),
        ((0.0, 1.0, 1e-300), "epsilon must"),
        ((0.0, 1.0, 1e6), "epsilon must"),
    ],
)
def test_ranges_and_budgets(make, arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make(*arguments)


@pytest.mark.parametrize("make", MAKERS[1:])
@pytest.mark.parametrize("resolution", [0, -1, 1.5, "8", True, 2**20 + 1])
def test_resolutions(make, resolution):
    with pytest.raises((TypeError, ValueError), match="resolution must be an integer"):
        make(0.0, 1.0, 1.0, resolution)


@pytest.mark.parametrize("make", MAKERS[2:])
@pytest.mark.parametrize("window", [0, 2.0, 4097])
def test_windows(make, window):
    with pytest.raises((TypeError, ValueError), match="window must be an integer"):
        make(0.0, 1.0, 1.0, 1024, window)


BAD_VALUES = [[1.5], [-0.1], [np.nan], [np.inf], ["a"], [True], [1j], 0.5, [[0.5]], [None]]
BAD_VALUES += [np.ma.masked_array([0.5], [True])]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("values", BAD_VALUES, ids=repr)
def test_values_outside_the_range_or_no_numbers(make, values):
    m, rng = make(0.0, 1.0, 1.0), np.random.default_rng(1)
    before = str(rng.bit_generator.state)
    with pytest.raises((TypeError, ValueError), match="values must be"):
        m.privatize(values, rng)
    assert str(rng.bit_generator.state) == before


@pytest.mark.parametrize("make", MAKERS)
def test_integers_are_numbers_and_nobody_is_allowed(make):
    m, rng = make(0, 10, 1.0), np.random.default_rng(1)
    assert m.privatize([0, 10, 3], rng).shape == (3,)
    assert m.privatize([], rng).shape == (0,)
    with pytest.raises(ValueError, match="reports must be at least one, got 0"):
        m.mean(m.privatize([], rng))


@pytest.mark.parametrize("m", SAMPLED, ids=repr)
def test_reports_and_tallies_of_others(m):
    for reports in ([-(2**50)], [0.5], [[0]], ["1"]):
        with pytest.raises((TypeError, ValueError), match="reports must"):
            m.mean(np.array(reports))
    other = OneBitMean(-1.0, 2.0, 9.0)
    with pytest.raises(ValueError, match="reports must be of"):
        m.mean(Tally([1, 2], 3, other))
    with pytest.raises((TypeError, ValueError), match="rng must be"):
        m.privatize([0.5], 1)


UNIT = 0.0, 1.0, 1.0
TWO, RNG = VectorMean(OneBitMean, *UNIT, 2), np.random.default_rng(1)
BAD = [
    (lambda bad: mean_interval(bad, SAMPLED[0]), "reports must be at least two", [1]),
    (lambda bad: mean_interval([1, 0], SAMPLED[0], level=bad), "level must be between", 1.0, 0.0),
    (lambda bad: mean_interval([1, 0], bad), "mechanism must be a mean oracle", GRR(2, 1.0)),
    (lambda bad: VectorMean(bad, *UNIT, 2), "oracle must be a callable", 3),
    (lambda bad: VectorMean(OneBitMean, *UNIT, bad), "num_dimensions must be", 0),
    (lambda bad: VectorMean(OneBitMean, *UNIT, 2, bad), "num_reported must be", 3),
    (lambda bad: TWO.privatize(bad, RNG), r"values must have shape \(n, 2\)", np.zeros((3, 4))),
    (TWO.mean, "reports must", np.zeros((1, 1))),
    (lambda bad: central_laplace_mean(bad, *UNIT, RNG), "values must be at least one", []),
]


@pytest.mark.parametrize(("call", "message"), each_of(BAD))
def test_bad_input(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("ends", [(-1e200, 1e200), (0.0, 1e-200), (0.0, 5e-324)])
def test_ranges_whose_squares_are_no_floats(make, ends):
    with pytest.raises(ValueError, match="upper must exceed lower by 1e-100 to 1e100"):
        make(*ends, 1.0)


def tally_of(m):
    return m.tally(m.privatize(np.linspace(-1, 2, 30), np.random.default_rng(2)))


@pytest.mark.parametrize("m", SAMPLED, ids=repr)
def test_tallies_that_cannot_be(m):
    good = tally_of(m)
    for bad in (
        Tally([*good.counts, 0], 30),
        Tally(good.counts[1:], 30),
        Tally(good.counts * 1.0, 30),
        Tally(good.counts, 30, m, candidates=np.arange(good.counts.size)),
    ):
        for estimate in (m.mean, lambda tally: mean_interval(tally, m)):
            with pytest.raises(ValueError, match=f"a tally of {good.counts.size} integers"):
                estimate(bad)
    assert m.mean(Tally(good.counts, 30)) == m.mean(good)  # nobody says of which mechanism


@pytest.mark.parametrize("m", [m for m in SAMPLED if not isinstance(m, LaplaceMean)], ids=repr)
def test_counts_that_do_not_add_up(m):
    good = tally_of(m)
    shifted = good.counts.copy()
    shifted[:2] = -1, shifted[:2].sum() + 1
    for bad in (Tally(good.counts, 31), Tally(good.counts + 1, 30), Tally(shifted, 30)):
        with pytest.raises(ValueError, match="must be non-negative and sum to"):
            m.mean(bad)


def test_sums_that_are_smaller_than_their_squares_allow():
    m = LaplaceMean(-1.0, 2.0, 2.0, 4)
    with pytest.raises(ValueError, match="counts must be a sum and"):
        m.mean(Tally([30, 0, 20], 10, m))


def test_reports_that_laplace_noise_never_makes():
    m = LaplaceMean(-1.0, 2.0, 2.0, 4)
    most = reach(0.5)
    for possible in ([-most, 0], [4 + most, 0]):
        assert np.isfinite(m.mean(possible))
    for bad in ([-most - 1, 0], [0, -most - 1], [4 + most + 1, 0], [0, 4 + most + 1]):
        with pytest.raises(ValueError, match=f"reports must be from -{most} to {4 + most}"):
            m.tally(bad)


@pytest.mark.parametrize("make", MAKERS[1:])
def test_channels_too_large_to_write_out(make):
    with pytest.raises(ValueError, match="resolution must keep the channel below"):
        make(0.0, 1.0, 1.0, 2**12).channel()
