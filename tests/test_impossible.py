"""A report is taken if and only if some value can make it, a tally if some reports give it."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from catalogue import MEANS, PURE, all_reports, is_noisy, small

from ldp import (
    GRR,
    OLH,
    OUE,
    SHE,
    HadamardResponse,
    LocalHashing,
    SubsetSelection,
    Tally,
    WideHashing,
    confidence_interval,
    debias,
    maximum_likelihood,
)
from ldp._noise import reach
from ldp.bayes import exact_posterior, gibbs, sgld, slice_sample
from ldp.likelihood import maximum_posterior
from ldp.means import HybridMean, LaplaceMean, OneBitMean, mean_interval
from ldp.rivals import BalancedSketch, CountMeanSketch, ModularSubsetSelection

SUMS = [SHE(2, 60.0, resolution=1), SHE(2, 90.0, resolution=2)]  # noise of a few steps
FINITE = [*small(1.0), *(m for epsilon in (0.1, 1.0, 8.0) for m in small(epsilon, MEANS))]
FINITE = [m for m in FINITE if not is_noisy(m)]


def candidates(m):
    """Reports of the right type: all possible ones, and others around them."""
    if isinstance(m, LocalHashing | WideHashing):
        good = all_reports(m)
        good = good[:: max(1, len(good) // 150)]
        longer, other = good[:20].copy(), good[:20].copy()
        longer["seed"] |= longer["seed"].dtype.type(1)  # a bit that a short word does not have
        other["bucket"] += m.num_buckets
        return np.concatenate([good, longer, other])
    if isinstance(m, BalancedSketch | CountMeanSketch):
        good = all_reports(m)
        good = good[:: max(1, len(good) // 150)]
        beyond, other = good[:20].copy(), good[:20].copy()
        beyond["function"] = m.family.num_functions
        last = "bucket" if isinstance(m, BalancedSketch) else "row"
        other[last] |= 8 if isinstance(m, BalancedSketch) else 1  # no bucket; a padding bit
        return np.concatenate([good, beyond, other])
    if isinstance(m, ModularSubsetSelection):
        every = np.zeros(256 * (len(m.moduli) + 1), dtype=m.report.dtype)
        every["modulus"] = np.repeat(np.arange(len(m.moduli) + 1), 256)
        every["subset"][:, 0] = np.tile(np.arange(256), len(m.moduli) + 1)
        beyond = every.copy()  # where rows have two bytes, the second one is not empty
        beyond["subset"][:, -1] |= 128
        return np.concatenate([every, beyond])
    if all_reports(m).ndim == 1:
        return np.arange(-2, (getattr(m, "num_outcomes", None) or m.domain_size) + 2)
    width = -(-m.domain_size // 8)
    rows = np.array(list(product(range(256), repeat=1)), dtype=np.uint8)
    return np.hstack([rows, np.full((256, width - 1), 128, dtype=np.uint8)])


def possible(m, report):
    """Whether the channel has a column for it with a positive entry; columns are written apart."""
    column = m.channel().max(axis=0)
    same = all_reports(m) == report
    same = same.all(axis=1) if same.ndim == 2 else same
    return same.any() and column[same].max() > 0


def decoders(m):
    """Everything that takes reports, with the rest of its arguments filled in."""
    if not hasattr(m, "domain_size"):
        return {
            "tally": m.tally,
            "outcomes": m.outcomes,
            "unbiased": m.unbiased,
            "mean": m.mean,
            "mean_interval": lambda y: mean_interval(np.repeat(y, 2), m),
        }
    ones, rng = np.ones(m.domain_size), np.random.default_rng(0)
    few = {"num_draws": 1, "burn_in": 0, "num_chains": 2, "rng": rng}
    found = {name: getattr(m, name) for name in ("tally", "outcomes", "likelihood")}
    return found | {
        "support": getattr(m, "support", m.tally),
        "maximum_likelihood": lambda y: maximum_likelihood(y, m, max_iterations=1),
        "maximum_posterior": lambda y: maximum_posterior(y, m, ones, max_iterations=1),
        "exact_posterior": lambda y: exact_posterior(y, m, ones),
        "gibbs": lambda y: gibbs(y, m, ones, **few),
        "slice_sample": lambda y: slice_sample(y, m, ones, **few),
        "sgld": lambda y: sgld(y, m, ones, [1e-3], rng),
    }


def taken(call, *arguments):
    try:
        call(*arguments)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("m", FINITE, ids=repr)
def test_a_report_is_taken_if_and_only_if_some_value_can_make_it(m):
    every = candidates(m)
    if len(every) > 40:  # the slow decoders look at some of them
        for name in ("tally", "outcomes"):
            for i in range(len(every)):
                wanted = possible(m, every[i])
                assert taken(decoders(m)[name], every[i : i + 1]) == wanted, (name, every[i])
        every = every[:: len(every) // 20]
    for name, call in decoders(m).items():
        for i in range(len(every)):
            assert taken(call, every[i : i + 1]) == possible(m, every[i]), (name, every[i])


def test_control_half_of_the_columns_of_a_mixture_without_windows_are_empty():
    m = HybridMean(-1.0, 2.0, 0.1, resolution=7)
    assert m.share == 0
    assert [possible(m, y) for y in range(m.num_outcomes)].count(True) == 2


@pytest.mark.parametrize("m", SUMS, ids=repr)
def test_noise_is_taken_as_far_as_it_is_drawn(m):
    # Whatever the value is, a coordinate ends at the same two integers.
    ends = -reach(m.epsilon / 2 / m.resolution), m.resolution + reach(m.epsilon / 2 / m.resolution)
    drawn = m.privatize(np.repeat([0, 1], 200), np.random.default_rng(0))
    assert ends[0] <= drawn.min()
    assert drawn.max() <= ends[1]
    for y in product(range(ends[0] - 2, ends[1] + 3), repeat=2):
        wanted = min(y) >= ends[0] and max(y) <= ends[1]
        for call in (m.tally, m.outcomes, m.likelihood):
            assert taken(call, np.array([y])) == wanted, y
        for n in (1, 2, 3):
            bounded = min(y) >= n * ends[0] and max(y) <= n * ends[1]
            assert taken(Tally, list(y), n, m) == bounded


def test_sums_and_squares_of_laplace_noise_are_those_of_integers():
    m = LaplaceMean(0.0, 1.0, 30.0, resolution=1)
    ends = -reach(30.0), 1 + reach(30.0)
    reports = range(ends[0], ends[1] + 1)
    for n in (0, 1, 2, 3):
        given = {(sum(y), sum(v * v for v in y)) for y in combinations_with_replacement(reports, n)}
        found = {
            (total, squares)
            for total in range(-12, 13)
            for squares in range(-1, 40)
            if taken(Tally, [total, 0, squares], n, m)
        }
        assert given <= found
        for total, squares in found - given:  # some ways to miss are let through, none is wild
            assert n * squares >= total**2
            assert squares <= n * ends[1] ** 2


def tallies_of(m, n):
    reports = all_reports(m)
    picks = combinations_with_replacement(range(len(reports)), n)
    return {tuple(m.tally(reports[list(pick)]).counts.tolist()) for pick in picks}


def tallies_taken(m, n, size):
    """Counts from -1 to n + 1, in halves, that a tally of n reports of the mechanism takes."""
    step = 2 if size <= 5 else 1
    grid = [k / step for k in range(-step, (n + 1) * step + 1)]
    whole = [int(c) if c == int(c) else c for c in grid]
    both = (c for c in product(whole, repeat=size))
    return {c for c in both if taken(Tally, c, n, m)}


EXACT = [
    GRR(3, 1.0),
    OUE(3, 1.0),
    SubsetSelection(4, 1.0, subset_size=2),
    SubsetSelection(5, 1.0, subset_size=3),
    *[m for m in small(1.0) if type(m).__name__ in ("RRRR", "SquareWave")],
]


@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize("m", [m for m in EXACT if m.domain_size <= 5], ids=repr)
def test_a_tally_is_taken_if_and_only_if_some_reports_give_it(m, n):
    expected = tallies_of(m, n)
    taken_ones = tallies_taken(m, n, len(next(iter(expected))))
    assert expected <= taken_ones
    # Halves are taken where they are averages of tallies: counts may be expected ones.
    whole = {c for c in taken_ones if all(isinstance(each, int) for each in c)}
    assert whole == expected


@pytest.mark.parametrize("m", [HadamardResponse(3, 1.0, 4), HadamardResponse(3, 1.0, 2)], ids=repr)
def test_no_possible_tally_of_hadamard_response_is_refused(m):
    # And of the others those are refused that need more reports than there are.
    expected, found = tallies_of(m, 2), tallies_taken(m, 2, 3)
    assert expected <= found
    assert all(min(c) >= 0 and max(c) <= 2 for c in found)


def test_blocks_of_hadamard_response_share_the_reports():
    m = HadamardResponse(2, 1.0, block_size=2)  # two blocks, one value each
    assert taken(Tally, [1.5, 1.0], 2, m)
    assert not taken(Tally, [2.0, 2.0], 2, m)  # all reports in both


@pytest.mark.parametrize("estimate", [debias, confidence_interval])
@pytest.mark.parametrize("m", small(1.0, PURE), ids=repr)
def test_estimators_refuse_what_the_tally_did_not_know(m, estimate):
    d = m.domain_size
    for counts in ([-5] * d, [500] * d, [-1] + [1] * (d - 1), [11] + [0] * (d - 1)):
        with pytest.raises(ValueError, match=r"^counts of the tally must [^\n]*\.$"):
            estimate(Tally(counts, 10), m)
        with pytest.raises(ValueError, match=r"^counts must [^\n]*\.$"):
            Tally(counts, 10, m)


def test_candidates_are_counted_apart():
    m = OLH(1000, 1.0)
    assert taken(Tally, [3, 0, 3], 3, m, [1, 2, 1])
    assert not taken(Tally, [4, 0], 3, m, [1, 2])
    assert taken(Tally, [1, 1], 3, GRR(5, 1.0), [1, 2])
    assert not taken(Tally, [1, 4], 3, GRR(5, 1.0), [1, 2])
    assert not taken(Tally, [1, 2], 2, OneBitMean(0.0, 1.0, 1.0))


def test_a_histogram_whose_sum_wraps_around_is_seen():
    quarter = 2**62
    assert sum([quarter] * 4) % 2**64 == 0
    with pytest.raises(ValueError, match="counts must be non-negative and sum to the 0 reports"):
        Tally([quarter] * 4, 0, GRR(4, 1.0))
    assert Tally([quarter, quarter - 1], 2**63 - 1, GRR(2, 1.0)).num_reports == 2**63 - 1


def test_sums_beyond_64_bits_are_refused():
    large = Tally([2**62, 0], 2**62)
    low = Tally([-(2**62) - 1, 0], 5)
    for add in (lambda: large + large, lambda: sum([large, large]), lambda: low + low):
        with pytest.raises(ValueError, match=r"^tallies must have sums within 64 bits"):
            add()
    assert (large + low).counts.tolist() == [-1, 0]
    for counts, n in (([2**63], 1), ([1], 2**63), ([10**400], 1)):
        with pytest.raises((TypeError, ValueError), match=r"^(counts|num_reports) must [^\n]*\.$"):
            Tally(counts, n)
    with pytest.raises(ValueError, match=r"^num_reports must be an integer"):
        Tally([1], 2**62) + Tally([1], 2**62)
    with pytest.raises(ValueError, match=r"^counts must be finite, got inf\.$"):
        Tally([1e308], 1) + Tally([1e308], 1)
