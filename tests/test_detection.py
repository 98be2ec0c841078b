"""What a search for frequent values can find: a formula and a bound, by simulation and by grids."""

import numpy as np
import pytest
from scipy import stats
from test_bad_input import each_of, refuse

from ldp import GRR, WideHashing, variance
from ldp.bounds import expected_found, half_detected, identification_bound
from ldp.datasets import zipf


def equal_rounds(num_rounds, keep=32, bits=48):
    """Depths that give every round equally many candidates."""
    return np.linspace(np.log2(keep), bits, num_rounds + 1)[1:]


@pytest.mark.parametrize("num_rounds", [1, 2, 3, 5, 10])
def test_equal_rounds_in_closed_form(num_rounds):
    """All rounds alike: the chance of each is the m-th root of a half."""
    m = num_rounds
    each = stats.norm.ppf(0.5 ** (1 / m)) + stats.norm.isf(2.0 ** (-43 / m))
    found = half_detected(equal_rounds(m), top_k=32, keep=32)
    assert found == pytest.approx(np.sqrt(m) * each, rel=1e-9)


def test_half_detected_by_simulation():
    """Of 4,000 runs as many as are half, within five standard errors; the control is one less."""
    rng, depths, shares = np.random.default_rng(1), [9, 12], [0.4, 0.6]
    x = half_detected(depths, top_k=4, keep=16, shares=shares)

    def share_found(signal):
        first = rng.normal(size=(4_000, 2**9))
        first[:, 0] += signal * np.sqrt(0.4)
        alive = (first[:, 1:] > first[:, :1]).sum(axis=1) < 16
        second = rng.normal(size=(4_000, 16 * 8))
        second[:, 0] += signal * np.sqrt(0.6)
        return (alive & ((second[:, 1:] > second[:, :1]).sum(axis=1) < 4)).mean()

    assert abs(share_found(x) - 0.5) < 0.04  # five standard errors; a bar moves as kept ones do
    assert abs(share_found(x - 0.5) - 0.5) > 0.04


def simulated(law, m, num_users, depths, keep, top_k, rng):
    """Found of the most frequent, with random codes and normal estimates."""
    codes = rng.choice(2 ** depths[-1], law.size, replace=False)
    alive, before = np.zeros(1, dtype=np.int64), 0
    for depth, size in zip(depths, [*[keep] * (len(depths) - 1), top_k], strict=True):
        step = depth - before
        asked = (alive[:, None] << step | np.arange(2**step)).ravel()
        n = num_users // len(depths)
        sample = rng.multinomial(n, law) / n
        prefixes, held = np.unique(codes >> (depths[-1] - depth), return_inverse=True)
        mass = np.zeros(asked.size)
        kept = np.isin(prefixes, asked)
        sums = np.bincount(held, sample)
        mass[np.searchsorted(asked, prefixes[kept])] = sums[kept]
        noise = np.sqrt(variance(m, n, mass))
        estimate = mass + noise * rng.normal(size=asked.size)
        alive = np.sort(asked[np.argsort(-estimate)[:size]])
        before = depth
    return np.isin(codes[:top_k], alive).sum()


@pytest.mark.statistical
@pytest.mark.parametrize("depths", [[11, 20], [9, 13, 20], [16, 20]], ids=str)
def test_as_many_are_found_as_expected(depths):
    """Within 4 per cent and five standard errors; half the users, the control, find others."""
    law, m, rng = zipf(2_000, 1.1), WideHashing(20, 2.0), np.random.default_rng(2)
    runs = [simulated(law, m, 200_000, depths, 32, 16, child) for child in rng.spawn(150)]
    error = np.std(runs) / np.sqrt(150)
    expected = expected_found(law, m, 200_000, depths, top_k=16, keep=32)
    assert abs(np.mean(runs) - expected) < 5 * error + 0.04 * 16
    other = expected_found(law, m, 100_000, depths, top_k=16, keep=32)
    assert abs(np.mean(runs) - other) > 5 * error + 0.04 * 16


def test_more_users_find_more():
    law, m = zipf(1_000, 1.2), WideHashing(48, 1.0)
    found = [expected_found(law, m, n, [17, 33, 48], top_k=8) for n in (10**5, 10**6, 10**8)]
    assert 0 < found[0] < found[1] < found[2] < 8 + 1e-9
    assert found[2] > 7.99


# -- no search can find less frequent values -------------------------------------------------------


def two_level(odds, f, w):
    """Mean of z ln z at z = 1 + f (r - 1), where r has mean 1 and two levels, `odds` apart."""
    low = 1 / (1 + w * (odds - 1))
    high, low = 1 + f * (odds * low - 1), 1 + f * (low - 1)
    return w * high * np.log(high) + (1 - w) * low * np.log(low)


def test_a_report_says_at_most_half_of_chi_square():
    odds = np.exp(np.linspace(0.05, 8, 60))[:, None, None]
    f = np.geomspace(1e-3, 1, 40)[:, None]
    w = np.concatenate([np.geomspace(1e-5, 0.5, 300), 1 - np.geomspace(1e-5, 0.5, 300)])
    limit = f**2 * (odds - 1) ** 2 / (8 * odds)
    ratio = two_level(odds, f, w) / limit
    assert ratio.max() <= 1
    assert ratio.max() > 0.9999  # the control: a smaller constant would be wrong


def information(channel, f):
    """I(X; report) if users hold X with probability f and else a uniform value."""
    mean = channel.mean(axis=0)
    row = (1 - f) * mean + f * channel
    return (row * np.log(row / mean)).sum(axis=1).mean()


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_no_channel_says_more(epsilon):
    """Random channels of the budget, all columns of two levels, and one with many levels."""
    rng, v = np.random.default_rng(3), 4 * np.exp(epsilon) / np.expm1(epsilon) ** 2
    largest = 0.0
    for _ in range(300):
        d = int(rng.integers(2, 40))
        levels = rng.choice([1, np.exp(epsilon)], (d, 30)) if rng.random() < 0.5 else None
        raw = np.exp(epsilon * rng.random((d, 30))) if levels is None else levels
        raw = raw * rng.random(30)
        scale = raw.sum(axis=1, keepdims=True)
        channel = raw / scale
        spent = np.log(channel.max(axis=0) / channel.min(axis=0)).max()
        v = 4 * np.exp(spent) / np.expm1(spent) ** 2
        f = rng.random()
        largest = max(largest, information(channel, f) / (f**2 / (2 * v)))
    assert 0.1 < largest <= 1


def test_the_bound_in_numbers():
    sigma = np.sqrt(4 * np.e / (np.e - 1) ** 2 / 10**6)
    bound = identification_bound(48, 1.0, 10**6, top_k=32)
    assert bound / sigma == pytest.approx(np.sqrt(2 * (0.5 * 43 - 1) * np.log(2)), rel=1e-12)
    assert identification_bound(48, 1.0, 10**6, failure=0.99) == 0
    assert identification_bound(48, 1e-3, 10) > 1
    assert identification_bound(48, 1e3, 10) < 1e-100


@pytest.mark.parametrize("epsilon", [2.0, 4.0, 6.0])
def test_the_best_guess_from_one_report_misses_as_often_as_it_must(epsilon):
    """The bound solved for the chance to miss, below the exact one of randomized response."""
    for bits, f in ((4, 0.5), (6, 0.9), (8, 0.7)):
        m = GRR(2**bits, epsilon)
        missed = 1 - (f * m.p + (1 - f) / 2**bits)  # the report itself is the best guess
        needed = [
            delta
            for delta in np.linspace(0, 0.999, 1_000)
            if identification_bound(bits, epsilon, 1, failure=delta) <= f
        ]
        assert not needed or needed[0] <= missed


M = WideHashing(48, 1.0)


BAD = [
    (lambda bad: half_detected(bad, top_k=1), "depths", [], [3, 2], [0, 2], [64]),
    (lambda bad: half_detected([4], top_k=bad), "top_k", 17, 0),
    (lambda bad: half_detected([4, 8], top_k=4, keep=bad), "keep", 3),
    (lambda bad: half_detected([4, 8], top_k=4, shares=bad), "shares", [1.0], [0.5, 0.6], [1.0, 0]),
    (lambda bad: expected_found(bad, M, 9, [48], top_k=1), "frequencies", [0.9, 0.2], [0.1, 0.0]),
    (lambda bad: expected_found(bad, M, 9, [48], top_k=1), "frequencies", [1e308] * 20),
    (lambda bad: expected_found([0.1], M, 100, [48], top_k=bad), "top_k", 2),
    (lambda bad: expected_found([0.1], M, bad, [48], top_k=1), "num_reports", 0),
    (lambda bad: expected_found([0.1], bad, 10, [48], top_k=1), "mechanism", 3),
    (lambda bad: identification_bound(bad, 1.0, 10), "num_bits", 0),
    (lambda bad: identification_bound(4, bad, 10), "epsilon", -1.0),
    (lambda bad: identification_bound(4, 1.0, bad), "num_reports", 0),
    (lambda bad: identification_bound(4, 1.0, 10, top_k=bad), "top_k", 16),
    (lambda bad: identification_bound(4, 1.0, 10, failure=bad), "failure", 1.0, np.nan),
]


@pytest.mark.parametrize(("call", "naming"), each_of(BAD))
def test_bad_input(call, naming):
    refuse(call, naming=naming)


@pytest.mark.parametrize("small", [1e-6, 1e-10, 1e-300])
def test_a_round_of_hardly_any_users_decides_alone(small):
    # The other round is passed for certain, so that the small one's bar is met half of the time.
    found = half_detected([18, 48], top_k=1, shares=[1 - small, small])
    passed = 1 / (4 * 2.0**30)  # one of the continuations of four
    assert found * np.sqrt(small) == pytest.approx(-stats.norm.ppf(passed), rel=1e-9)
