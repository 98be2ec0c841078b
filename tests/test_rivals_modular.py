"""Modular subset selection: its least squares, by enumeration and beside published orderings."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from catalogue import all_reports

from ldp import SubsetSelection, Tally, debias, sampling_variance
from ldp.rivals import (
    ModularSubsetSelection,
    residue_covariance,
    residue_least_squares,
)
from ldp.utilities import attack_success

ROUNDING = 1e-11


def residues(d, moduli):
    """The matrix that adds up equal residues, a row each."""
    return np.vstack([np.arange(d) % m == np.arange(m)[:, None] for m in moduli]).astype(float)


# -- the estimator, by enumeration -----------------------------------------------------------------


def law_of_estimate(m, each, theta):
    """Exact mean and covariance of the estimate, over all reports of so many users a modulus."""
    reports = all_reports(m)
    chance = theta @ m.channel() * len(m.moduli)  # given the modulus
    columns = [np.flatnonzero(reports["modulus"] == j) for j in range(len(m.moduli))]
    drawn = product(*(columns[j] for j, n in enumerate(each) for _ in range(n)))
    picks = np.array(list(drawn))
    weights = chance[picks].prod(axis=1)
    estimates = np.array(
        [residue_least_squares(m.tally(reports[pick]), m).frequencies for pick in picks]
    )
    mean = weights @ estimates
    return mean, np.cov(estimates.T, aweights=weights, ddof=0), weights.sum()


CASES = [
    ((6, [5, 3]), (1, 1)),
    ((4, [3, 2]), (2, 1)),
    ((7, [4, 3, 5]), (1, 1, 1)),
    ((3, [3]), (2,)),
]


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize(("made", "each"), CASES)
def test_it_is_unbiased_and_has_the_stated_covariance(made, each, epsilon):
    d, moduli = made
    m = ModularSubsetSelection(d, epsilon, moduli)
    theta = np.random.default_rng(d).dirichlet(np.ones(d))
    mean, covariance, total = law_of_estimate(m, each, theta)
    assert total == pytest.approx(1, rel=ROUNDING)
    np.testing.assert_allclose(mean, theta, atol=ROUNDING)
    stated = residue_covariance(m, each, theta)
    np.testing.assert_allclose(covariance, stated, atol=ROUNDING * stated.max())
    # Control: at a budget two per cent larger it is another covariance.
    other = residue_covariance(ModularSubsetSelection(d, 1.02 * epsilon, moduli), each, theta)
    assert np.abs(covariance - other).max() > 0.01 * stated.max()


def test_with_the_modulus_d_it_is_subset_selection():
    d, n = 9, 5_000
    m, plain = ModularSubsetSelection(d, 1.0, [d]), SubsetSelection(d, 1.0)
    theta = np.random.default_rng(1).dirichlet(np.ones(d))
    counts = np.random.default_rng(2).multinomial(n, theta)
    tally = m.simulate(counts, np.random.default_rng(3))
    same = debias(Tally(tally.counts, n, plain), plain)
    np.testing.assert_allclose(residue_least_squares(tally, m).frequencies, same, atol=1e-12)
    stated = np.diag(residue_covariance(m, [n], theta))
    np.testing.assert_allclose(stated, sampling_variance(plain, n, theta), rtol=ROUNDING)


def weights_of(m, each):
    """One over the variance of a debiased residue in directions of sum zero, by enumeration."""
    found = []
    for part, n in zip(m.parts, each, strict=True):
        size, channel = part.domain_size, part.channel()
        held = np.unpackbits(all_reports(part), axis=1, count=size).astype(float)
        law = channel.mean(axis=0)  # of uniform residues
        score = (held - law @ held) / (part.p - part.q)
        covariance = score.T * law @ score
        spread = covariance.trace() / (size - 1)
        np.testing.assert_allclose(covariance, spread * (np.eye(size) - 1 / size), atol=ROUNDING)
        found.append(n / spread)
    return np.repeat(found, m.moduli)


@pytest.mark.parametrize(("d", "moduli"), [(9, [7, 5]), (8, [5, 3, 2]), (10, [4, 3, 7])])
def test_the_residual_is_orthogonal_and_the_certificate_says_so(d, moduli):
    """Dense normal equations with the constraint, and weights from the channels of the parts."""
    m = ModularSubsetSelection(d, 1.0, moduli)
    rng = np.random.default_rng(4)
    tally = m.tally(m.privatize(rng.integers(0, d, 300), rng))
    each = m.reports_each(tally)
    assert each.sum() == 300
    fit = residue_least_squares(tally, m)
    matrix, weights = residues(d, moduli), weights_of(m, each)
    p, q = (np.repeat([getattr(part, k) for part in m.parts], moduli) for k in "pq")
    z = (tally.counts / np.repeat(each, moduli) - q) / (p - q)
    seen = matrix.T @ (weights * (z - matrix @ fit.frequencies))
    assert fit.frequencies.sum() == pytest.approx(1, abs=1e-12)
    total = weights_of(m, each)[np.cumsum(moduli) - 1].sum()
    assert np.ptp(seen) / total < 1e-9  # equal for all values: the multiplier of the constraint
    assert fit.gradient < 1e-9
    off = fit.frequencies + 0.02 * np.eye(d)[0] - 0.02 / d
    assert np.ptp(matrix.T @ (weights * (z - matrix @ off))) / total > 1e-3  # control


def test_a_modulus_that_nobody_drew_is_left_out_if_the_others_tell_all():
    m = ModularSubsetSelection(6, 1.0, [5, 3, 2])
    reports = m.privatize(np.arange(60) % 6, np.random.default_rng(5))
    some = reports[reports["modulus"] != 2]
    assert residue_least_squares(m.tally(some), m).gradient < 1e-9
    few = m.tally(reports[reports["modulus"] != 0])
    with pytest.raises(ValueError, match=r"^tally must have .* tell 6 values apart, got 4\.$"):
        residue_least_squares(few, m)


# -- which moduli tell the values apart ------------------------------------------------------------


def test_coprime_moduli_tell_exactly_that_many_values_apart():
    """The rank of the residues is min(d, 1 + sum of (m - 1)): for all coprime sets below 12."""
    tried = 0
    for size in (1, 2, 3):
        for moduli in combinations(range(2, 12), size):
            if any(math.gcd(a, b) > 1 for a, b in combinations(moduli, 2)):
                continue
            told = 1 + sum(m - 1 for m in moduli)
            for d in range(max(moduli), told + 2):
                tried += 1
                rank = np.linalg.matrix_rank(residues(d, moduli))
                assert rank == min(d, told), (d, moduli)
                if rank == d:
                    m = ModularSubsetSelection(d, 1.0, moduli)
                    assert m.moduli == moduli
                else:
                    with pytest.raises(ValueError, match=r"^moduli must tell"):
                        ModularSubsetSelection(d, 1.0, moduli)
    assert tried > 300


@pytest.mark.parametrize(
    ("moduli", "rule"),
    [
        ([500, 499], "tell 1000 values apart, with 1 \\+ sum\\(m - 1\\) at least that, got 998"),
        ([999, 777], "coprime in pairs, got 999 and 777"),
        ([999, 1], "from 2 to domain_size = 1000, got \\(999, 1\\)"),
        ([1001, 999], "from 2 to domain_size"),
        ([], "from 2 to domain_size"),
        ([999.0], "integers"),
        ("999", "integers|one-dimensional"),
    ],
)
def test_other_moduli_are_refused_in_one_sentence(moduli, rule):
    with pytest.raises((TypeError, ValueError), match=f"^moduli must [^\n]*({rule})[^\n]*\\.$"):
        ModularSubsetSelection(1000, 1.0, moduli)


@pytest.mark.parametrize("d", [2, 3, 4, 5, 6, 7, 30, 31, 2**31])
def test_default_moduli_will_do(d):
    m = ModularSubsetSelection(d, 1.0)
    assert ModularSubsetSelection(d, 1.0, m.moduli) == m
    assert len(m.moduli) <= 4
    assert d < 5 or max(m.moduli) == d - 1


# -- published orderings at published sizes --------------------------------------------------------


def primes_below(number, how_many):
    found, candidate = [], math.ceil(number) - 1
    while len(found) < how_many:
        if all(candidate % k for k in range(2, math.isqrt(candidate) + 1)):
            found.append(candidate)
        candidate -= 1
    return found


def total_variance(m):
    """Per report, for uniform values and equally many reports of each modulus."""
    each, uniform = np.full(len(m.moduli), 10**6), np.full(m.domain_size, 1 / m.domain_size)
    return residue_covariance(m, each, uniform).trace() * each.sum()


def of_subsets(d, epsilon):
    return sampling_variance(SubsetSelection(d, epsilon), 1, np.full(d, 1 / d)).sum()


RATIOS = {  # of total variance to subset selection's, primes just below c times 1000
    2: {1: 1.01, 0.95: 1.74, 0.9: 5.49, 0.75: 23.6, 0.6: 37.6, 0.5: None},
    4: {1: 1.01, 0.95: 1.09, 0.9: 1.76, 0.75: 2.44, 0.6: 3.06, 0.5: 13.1},
    8: {1: 1.01, 0.95: 1.03, 0.9: 1.10, 0.75: 1.24, 0.6: 1.73, 0.5: 3.94},
    16: {1: 1.01, 0.95: 1.02, 0.9: 1.04, 0.75: 1.09, 0.6: 1.17, 0.5: 2.02},
}


@pytest.mark.parametrize("how_many", RATIOS)
def test_few_moduli_must_lie_near_the_number_of_values(how_many):
    """A table that was computed by other code; its last digit."""
    plain = of_subsets(1000, 1.0)
    for share, ratio in RATIOS[how_many].items():
        moduli = primes_below(share * 1000, how_many)
        if ratio is None:
            with pytest.raises(ValueError, match="moduli must tell"):
                ModularSubsetSelection(1000, 1.0, moduli)
        else:
            found = total_variance(ModularSubsetSelection(1000, 1.0, moduli)) / plain
            assert found == pytest.approx(ratio, abs=0.05 if ratio > 10 else 0.0051)


def success_by_form(d, epsilon, moduli, sizes=None):
    sizes = sizes or [SubsetSelection(m, epsilon).subset_size for m in moduli]
    e = math.exp(epsilon)
    return np.mean([m / d * e / (w * e + m - w) for m, w in zip(moduli, sizes, strict=True)])


@pytest.mark.parametrize(("d", "moduli"), [(9, [7, 5]), (8, [5, 3, 2]), (12, [11, 5])])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_attack_success_has_its_closed_form(d, moduli, epsilon):
    m = ModularSubsetSelection(d, epsilon, moduli)
    found = attack_success(np.full(d, 1 / d), m.channel())
    assert found == pytest.approx(success_by_form(d, epsilon, moduli), rel=ROUNDING)


PUBLISHED = {  # epsilon: subset selection, moduli 53 and 59, moduli 37, 41 and 43; 100 values
    1.0: (0.0186, 0.0186, 0.0185),
    2.0: (0.0418, 0.0425, 0.0425),
    4.0: (0.264, 0.279, 0.234),
}


@pytest.mark.parametrize("epsilon", PUBLISHED)
def test_moduli_far_below_the_domain_hardly_stop_the_attack_and_lose_the_law(epsilon):
    """A table by other code, with sets of the nearest whole size; ours are the better of two."""
    choices = ([100], [53, 59], [37, 41, 43])
    nearest = [[round(m / (math.exp(epsilon) + 1)) for m in moduli] for moduli in choices]
    found = [success_by_form(100, epsilon, *each) for each in zip(choices, nearest, strict=True)]
    np.testing.assert_allclose(found, PUBLISHED[epsilon], atol=6e-4 if epsilon > 3 else 6e-5)
    if epsilon < 3:  # there the size of a set hardly matters: success is (e + 1) / 2d
        ours = [success_by_form(100, epsilon, moduli) for moduli in choices]
        np.testing.assert_allclose(ours, (math.exp(epsilon) + 1) / 200, rtol=0.02)
    if epsilon == 1.0:
        plain = of_subsets(100, epsilon)
        two, three = (total_variance(ModularSubsetSelection(100, 1.0, m)) for m in choices[1:])
        assert two / plain == pytest.approx(5.6, abs=0.05)
        assert three / plain == pytest.approx(90, abs=1)


def test_a_set_of_residues_is_not_the_bits_of_one_residue():
    """What a report costs as it is sent, the least of any code of sets, and one residue."""
    m = ModularSubsetSelection(1000, 1.0, primes_below(1000, 4))
    as_sent = 8 * m.report.dtype.itemsize
    least = math.log2(sum(math.comb(p.domain_size, p.subset_size) for p in m.parts))
    residue = 2 + math.ceil(math.log2(max(m.moduli)))
    assert (as_sent, math.ceil(least), residue) == (1008, 833, 12)
    # With one residue a set, at large budgets, the count is right: 2 + 10 bits hold all reports.
    single = ModularSubsetSelection(1000, 8.0, primes_below(1000, 4))
    assert {part.subset_size for part in single.parts} == {1}
    assert math.log2(sum(single.moduli)) <= residue
