"""The channel is the meaning: exact audits, supports and moments by enumeration."""

import numpy as np
import pytest
from catalogue import EPSILONS, PURE, all_reports, scores, small, spent

from ldp import GRR, OUE, SHE, HadamardResponse, worst_case_epsilon

every = pytest.mark.parametrize("m", [m for e in EPSILONS for m in small(e)], ids=repr)
pure = pytest.mark.parametrize("m", [m for e in EPSILONS for m in small(e, PURE)], ids=repr)
# Rounding: probabilities carry a few units in the last place, and their logarithms as much again
# in absolute terms; 1 - p loses digits where p is near 1.
ROUNDING = 1e-12


@every
def test_rows_of_the_channel_are_laws(m):
    channel = m.channel()
    assert channel.min() > 0
    np.testing.assert_allclose(channel.sum(axis=1), 1, rtol=ROUNDING)


@every
def test_the_channel_spends_the_budget_exactly(m):
    audited = worst_case_epsilon(m.channel())
    assert audited == pytest.approx(spent(m), rel=ROUNDING, abs=ROUNDING)
    assert audited <= m.epsilon + ROUNDING


@every
def test_outcomes_number_the_columns(m):
    reports = all_reports(m)
    np.testing.assert_array_equal(m.outcomes(reports), np.arange(m.channel().shape[1]))


@pure
def test_a_report_is_odds_times_likelier_for_the_values_it_supports(m):
    held = np.unpackbits(m.support(all_reports(m)), axis=1, count=m.domain_size).T
    channel = m.channel()
    constant = channel / np.where(held == 1, m.odds, 1.0)  # C(y), whatever the value
    np.testing.assert_allclose(constant, np.broadcast_to(constant[0], constant.shape), rtol=1e-9)


@every
def test_the_likelihood_is_the_channel_up_to_a_factor_of_the_report(m):
    factor = m.channel() / m.likelihood(all_reports(m)).T  # [x, y]
    np.testing.assert_allclose(factor, np.broadcast_to(factor[0], factor.shape), rtol=1e-9)


@pure
def test_p_and_q_are_the_mean_scores(m):
    mean = m.channel() @ scores(m)  # [x, v]
    expected = np.where(np.eye(m.domain_size) == 1, m.p, m.q)
    np.testing.assert_allclose(mean, expected, rtol=1e-9)


@pure
def test_second_moment_is_exact_for_any_law(m):
    theta = np.random.default_rng(7).dirichlet(np.ones(m.domain_size))
    square = theta @ m.channel() @ scores(m).astype(float) ** 2
    np.testing.assert_allclose(m.second_moment(theta, theta), square, rtol=1e-9)


@pure
def test_scalar_second_moment_spreads_the_rest_evenly(m):
    d = m.domain_size
    square = m.channel() @ scores(m).astype(float) ** 2  # [x, v]
    for frequency in (0.0, 0.3, 1.0):
        laws = np.full((d, d), (1 - frequency) / (d - 1))
        np.fill_diagonal(laws, frequency)
        average = np.mean([laws[v] @ square[:, v] for v in range(d)])
        assert m.second_moment(frequency) == pytest.approx(average, rel=1e-9)


@pure
def test_with_one_block_or_bit_the_tally_is_the_support_count(m):
    if isinstance(m, HadamardResponse) and m.num_blocks > 1:
        held = np.unpackbits(m.support(all_reports(m)), axis=1, count=m.domain_size)
        np.testing.assert_array_equal(scores(m) == 1, held == 1)  # the others count 0 or 1/2
    else:
        reports = all_reports(m)
        held = np.unpackbits(m.support(reports), axis=1, count=m.domain_size)
        tally = m.tally(reports)
        np.testing.assert_array_equal(tally.counts, held.sum(axis=0))
        assert tally.counts.dtype == np.int64


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("resolution", [1, 3, 64])
def test_noise_of_histogram_encoding_has_its_closed_moments(epsilon, resolution):
    m = SHE(2, epsilon, resolution)
    alpha = np.exp(-epsilon / (2 * resolution))
    far = int(np.ceil(60 / -np.log(alpha)))  # the mass beyond is below 1e-25
    steps = np.arange(-far, far + 1)
    law = (1 - alpha) / (1 + alpha) * alpha ** np.abs(steps)
    assert law.sum() == pytest.approx(1, rel=1e-12)
    assert m.second_moment(0.0) == pytest.approx(law @ steps**2, rel=1e-9)
    own = law @ (steps + resolution) ** 2
    assert m.second_moment(1.0) == pytest.approx(own, rel=1e-9)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_cutting_the_coordinates_of_histogram_encoding_hides_no_privacy_loss(epsilon):
    # The likelihood ratio of one coordinate over a grid far wider than the cut.
    resolution = 3
    steps = np.arange(-50, 51)
    decay = epsilon / (2 * resolution)
    loss = decay * (np.abs(steps) - np.abs(steps - resolution))
    cut = decay * (2 * np.clip(steps, 0, resolution) - resolution)
    np.testing.assert_allclose(loss, cut, atol=1e-12)
    assert 2 * np.abs(loss).max() == pytest.approx(epsilon)


def test_a_channel_too_long_to_write_out_is_refused():
    for m in (GRR(2**13, 1.0), OUE(30, 1.0), SHE(8, 1.0)):
        with pytest.raises(ValueError, match="domain_size must keep the channel below"):
            m.channel()


def test_the_audit_sees_a_stronger_randomizer():
    # Negative control: the audit of a channel at a larger budget must not pass for the smaller.
    assert worst_case_epsilon(GRR(5, 1.3).channel()) > 1.0 + 0.29


def test_the_audit_of_an_impossible_report_is_infinite():
    assert worst_case_epsilon([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]]) == np.inf
    # A report nobody ever sends says nothing.
    assert worst_case_epsilon([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0]]) == 0.0


def test_the_audit_compares_every_pair_of_values():
    rows = np.array([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5], [0.25, 0.75]])
    for shift in range(4):
        assert worst_case_epsilon(np.roll(rows, shift, axis=0)) == pytest.approx(np.log(2))


@pytest.mark.parametrize(
    ("channel", "rule"),
    [
        ([[0.5, 0.6], [0.5, 0.5]], "rows that sum to 1"),
        ([[1.5, -0.5], [0.5, 0.5]], "non-negative"),
        ([[np.nan, 1.0], [0.5, 0.5]], "finite"),
        ([0.5, 0.5], "matrix"),
        (np.zeros((0, 2)), "matrix"),
    ],
)
def test_the_audit_refuses_what_is_not_a_channel(channel, rule):
    with pytest.raises(ValueError, match=rule):
        worst_case_epsilon(channel)
