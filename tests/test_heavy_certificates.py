"""Lists without a false value but rarely, and what a search cannot have missed."""

import numpy as np
import pytest
from scipy.stats import binom

import ldp
from ldp.heavy_hitters import (
    HeavyHitters,
    Round,
    _tails,
    certify,
    find_prefixes,
    prefix_rounds,
    segment_pairs,
    simulate_prefixes,
    simulate_strings,
)

LEVEL = 0.95


def tail_of_sum(chances):
    """Pr[sum >= c] for c = 0..n, of independent events with these chances."""
    law = np.ones(1)
    for chance in chances:
        law = np.convolve(law, [1 - chance, chance])
    return law[::-1].cumsum()[::-1]


def test_no_sum_of_unequal_chances_has_a_heavier_tail_beyond_its_mean():
    rng, inside = np.random.default_rng(1), 0
    for _ in range(3_000):
        n = int(rng.integers(1, 12))
        chances = rng.random(n) ** rng.choice([0.2, 1, 5])
        mean, counts = chances.sum(), np.arange(n + 1)
        upper, equal = tail_of_sum(chances), binom.sf(counts - 1, n, mean / n)
        beyond = counts >= mean + 1
        assert (upper <= equal + 1e-12)[beyond].all()
        below = counts <= mean - 1  # the lower tail, that of what did not happen
        assert (1 - np.append(upper, 0)[1:] <= binom.cdf(counts, n, mean / n) + 1e-12)[below].all()
        inside += int((upper > equal + 1e-9)[~beyond].any())
    assert inside > 1_000  # control: nearer to the mean it has


def one_round(depth, best, mechanism, tally, candidates=None):
    return Round(depth, mechanism, tally, candidates or tally.counts.size, best)


def judged(found, threshold, chance):
    """What a rule without correction, or with another, would certify."""
    return found.values[_tails.surely_above(found.rounds[-1], threshold, chance)]


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_a_null_population_is_rarely_certified(epsilon):
    # 64 values, all exactly as frequent as the threshold: every certificate is false.
    rounds, runs = prefix_rounds(6, epsilon, depths=(6,)), 1_000
    rng = np.random.default_rng(int(epsilon))
    false = uncorrected = 0
    for _ in range(runs):
        users = rng.integers(0, 64, 3_200)
        found = find_prefixes(rounds.privatize(users, rng), rounds, top_k=64)
        false += certify(found, 1 / 64, level=LEVEL).size > 0
        uncorrected += judged(found, 1 / 64, 1 - LEVEL).size > 0
    # False alarm of this test below 1e-6 if the chance is at most 0.05.
    assert false <= binom.isf(1e-6, runs, 1 - LEVEL)
    assert false >= 0.02 * runs  # and the bound is not idle
    assert uncorrected > 0.8 * runs  # control


def test_reports_that_chose_cannot_certify():
    # 1,024 values of equal frequency; the best 32 of them are looked at again.
    rounds, runs = prefix_rounds(10, 2.0, depths=(10, 10)), 400
    users, rng = np.repeat(np.arange(1024), 10), np.random.default_rng(7)
    fresh = reused = 0
    for _ in range(runs):
        found = find_prefixes(rounds.privatize(users, rng), rounds, top_k=32, keep=32)
        fresh += certify(found, 1 / 1024, level=LEVEL).size > 0
        first = found.rounds[0]
        again = one_round(10, None, first.mechanism, first.tally)  # as if these 32 had been fixed
        counts = (first.tally.counts / first.users - first.mechanism.q) / 1.0
        same = HeavyHitters(first.tally.candidates, counts, (again,))
        reused += certify(same, 1 / 1024, level=LEVEL).size > 0
    assert fresh <= binom.isf(1e-6, runs, 1 - LEVEL)
    assert reused > 0.5 * runs  # control


def test_the_order_of_users_changes_no_certificate():
    rounds, rng = prefix_rounds(12, 2.0, depths=(6, 12, 12)), np.random.default_rng(2)
    users = np.append(np.repeat([5, 4000], 800), rng.integers(0, 4096, 1_000))
    reports = rounds.privatize(users, rng)
    mixed = reports._replace(reports=tuple(rng.permutation(some) for some in reports.reports))
    first, second = (find_prefixes(given, rounds, top_k=8) for given in (reports, mixed))
    assert certify(first, 0.05).tolist() == certify(second, 0.05).tolist() == [5, 4000]
    assert first.upper() == second.upper()


def test_a_certificate_is_what_the_exact_tail_says():
    m = ldp.WideHashing(4, 1.0)
    counts, n, tau, alpha, size = np.arange(260, 340, 5), 1_000, 0.01, 0.1, 16
    tally = ldp.Tally(counts[::-1], n, m, np.arange(16))
    found = HeavyHitters(np.arange(16), np.zeros(16), (one_round(4, None, m, tally),))
    pi = m.q + (m.p - m.q) * tau
    every = np.arange(n + 1)
    law = np.exp(binom.logpmf(every, n, pi))
    sure = [law[every >= c].sum() <= alpha / size for c in tally.counts]
    assert certify(found, tau, level=1 - alpha).tolist() == np.arange(16)[sure].tolist()
    assert 0 < sum(sure) < 16


def test_the_risk_is_shared_by_all_candidates():
    m, n, tau, size = ldp.WideHashing(4, 1.0), 1_000, 0.01, 16
    tally = ldp.Tally([310], n, m, [3])
    found = HeavyHitters(np.array([3]), np.zeros(1), (one_round(4, 200, m, tally, size),))
    tail = binom.sf(309, n, m.q + (m.p - m.q) * tau)
    assert certify(found, tau, level=1 - 1.01 * size * tail).tolist() == [3]
    assert certify(found, tau, level=1 - 0.99 * size * tail).tolist() == []
    lower, upper = found.intervals(0.9)  # each end makes the count as unlikely as it may be
    at_lower = binom.sf(309, n, m.q + (m.p - m.q) * lower[0])
    at_upper = binom.cdf(310, n, m.q + (m.p - m.q) * upper[0])
    assert [at_lower, at_upper] == pytest.approx([0.1 / size / 2] * 2, rel=1e-6)


# -- what was missed -------------------------------------------------------------------------------


def zipf_population(bits, rng):
    counts = np.ceil(60_000 * np.arange(1, 801) ** -1.1 / 5.0).astype(np.int64)
    return rng.permutation(2**bits)[: counts.size], counts


def test_nothing_above_the_upper_bound_is_missed():
    rounds, runs, level = prefix_rounds(16, 2.0, depths=(8, 12, 16)), 300, 0.8
    rng = np.random.default_rng(3)
    wrong = naive = 0
    for _ in range(runs):
        values, counts = zipf_population(16, rng)
        found = simulate_prefixes(values, counts, rounds, rng, top_k=16, keep=24)
        missed = ~np.isin(values, found.values)
        most = counts[missed].max() / counts.sum()
        wrong += most > found.upper(level)
        seen = [
            (one.best_dropped / one.users - one.mechanism.q) / (one.mechanism.p - one.mechanism.q)
            for one in found.rounds
        ]
        naive += most > max(seen)
    assert wrong <= binom.isf(1e-6, runs, 1 - level)
    assert naive > binom.isf(1e-6, runs, 1 - level)  # control: the dropped estimates themselves


def test_the_bound_solves_its_equation():
    m, n, alpha = ldp.WideHashing(10, 1.0), 10_000, 0.05
    one = Round(6, m, ldp.Tally([4_000], n, m, [3]), 64, 2_900)
    bound = HeavyHitters(np.array([3]), np.array([0.5]), (one,)).upper(1 - alpha)
    chance = binom.cdf(2_900, n, m.q + (m.p - m.q) * bound)
    assert chance == pytest.approx(alpha * bound, rel=1e-6)
    whole = Round(6, m, ldp.Tally([4_000], n, m, [3]), 1, None)
    both = HeavyHitters(np.array([3]), np.array([0.5]), (one, whole))
    assert both.upper(1 - alpha) == bound  # a round that dropped nothing missed nothing
    every = Round(1, m, ldp.Tally([4_000, 3_000], n, m, [0, 1]), 2, None)
    assert HeavyHitters(np.array([0, 1]), np.array([0.5, 0.4]), (every,)).upper() == 0.0
    far = Round(6, m, ldp.Tally([9_999], n, m, [3]), 64, 9_999)
    assert HeavyHitters(np.array([3]), np.array([1.0]), (far,)).upper() == 1.0


def test_intervals_hold_for_the_best_of_many():
    rounds, runs = prefix_rounds(8, 2.0, depths=(8,)), 400
    users, rng = np.repeat(np.arange(256), 20), np.random.default_rng(4)
    held = naive = 0
    for _ in range(runs):
        found = find_prefixes(rounds.privatize(users, rng), rounds, top_k=8)
        last = found.rounds[-1]
        for name, (lower, upper) in {
            "held": found.intervals(LEVEL),
            "naive": ldp.confidence_interval(
                last.tally, last.mechanism, level=LEVEL, simultaneous=True, population=True
            ),
        }.items():
            good = bool(((lower <= 1 / 256) & (upper >= 1 / 256)).all())
            held, naive = held + (good and name == "held"), naive + (good and name == "naive")
    assert held >= binom.isf(1 - 1e-6, runs, LEVEL)
    assert naive < 0.5 * runs  # control: eight intervals for the best eight of 256


def missed_chance(ends, n, pi, frequency):
    """Exact chance that a count's interval misses its frequency; `ends` are those of all counts."""
    law = np.exp(binom.logpmf(np.arange(n + 1), n, pi))
    return law[(ends[0] > frequency) | (ends[1] < frequency)].sum()


@pytest.mark.parametrize("frequency", [0.0, 0.0005, 0.002, 0.3, 1.0])
def test_intervals_keep_their_level_far_out_in_the_tail(frequency):
    m, n, size = ldp.WideHashing(48, 4.0), 10_000, 2**17
    tally = ldp.Tally(np.arange(n, -1, -1), n, m, np.arange(n + 1))
    found = HeavyHitters(np.arange(n + 1), np.zeros(n + 1), (Round(48, m, tally, size, None),))
    ends = [end[::-1] for end in found.intervals(LEVEL)]
    pi, allowed = m.q + (m.p - m.q) * frequency, (1 - LEVEL) / size
    assert missed_chance(ends, n, pi, frequency) <= allowed
    if frequency == 0.0005:
        normal = ldp.confidence_interval(tally, m, level=1 - allowed, population=True)
        assert missed_chance([e[::-1] for e in normal], n, pi, frequency) > 1.5 * allowed  # control


# -- refusals --------------------------------------------------------------------------------------


def test_what_loses_values_uncounted_has_no_upper_bound():
    rounds, rng = segment_pairs(24, 3.0, num_segments=4), np.random.default_rng(1)
    counts = np.append([40_000, 30_000], np.full(500, 200))
    values = rng.permutation(2**24)[: counts.size]
    some = simulate_strings(values, counts, rounds, rng, top_k=2)
    none = HeavyHitters(np.zeros(0, dtype=np.int64), np.zeros(0), ())
    walked = simulate_prefixes(values, counts, prefix_rounds(24, 3.0), rng, top_k=2)
    later = HeavyHitters(walked.values, walked.frequencies, walked.rounds[1:])
    assert certify(some, 0.05).size == 2
    for found in (some, none, later):
        with pytest.raises(ValueError, match=r"found must be of a walk that counts all"):
            found.upper()
    assert walked.upper() < 0.1


def test_what_cannot_be_certified_is_refused():
    rng = np.random.default_rng(1)
    found = simulate_prefixes([7, 9], [900, 600], prefix_rounds(8, 2.0), rng, top_k=2)
    with pytest.raises(TypeError, match="found must be HeavyHitters, got Tally"):
        certify(found.rounds[0].tally, 0.1)
    for threshold in (-0.1, 1.0, np.nan):
        with pytest.raises(ValueError, match="threshold must be at least 0 and below 1"):
            certify(found, threshold)
    for level in (0.0, 1.0):
        with pytest.raises(ValueError, match="level must be between 0 and 1"):
            certify(found, 0.1, level=level)


def test_rounds_that_cannot_be_are_refused():
    m = ldp.WideHashing(4, 1.0)
    tally = ldp.Tally([5, 3], 9, m, [2, 3])
    good = Round(4, m, tally, 8, 2)
    assert good.users == 9
    bad = {
        "tally must be of candidates, each once": (4, m, ldp.Tally([5, 3], 9, m, [2, 2]), 8, 2),
        "tally must be of mechanism": (4, ldp.WideHashing(4, 2.0), tally, 8, 2),
        "num_candidates must be an integer, at least 2": (4, m, tally, 1, None),
        "best_dropped must be an integer, at least 0 and at most 3": (4, m, tally, 8, 4),
        "tally must hold at least one report": (4, m, ldp.Tally([0], 0, m, [2]), 8, None),
    }
    for message, arguments in bad.items():
        with pytest.raises(ValueError, match=message):
            Round(*arguments)
    with pytest.raises(TypeError, match="mechanism must be a frequency oracle"):
        Round(4, ldp.SquareWave(4, 1.0), tally, 8, 2)
    with pytest.raises(ValueError, match="values must be the 2 of the last round"):
        HeavyHitters(np.array([2]), np.array([0.5]), (good,))
    with pytest.raises(ValueError, match=r"frequencies must have shape \(2,\)"):
        HeavyHitters(np.array([2, 3]), np.array([0.5]), (good,))
