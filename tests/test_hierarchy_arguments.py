"""Bad input of hierarchical histograms: one sentence, before any work."""

import numpy as np
import pytest
from test_bad_input import each_of, refuse

import ldp
from ldp import GRR, OUE, HierarchicalHistogram, Tally

H = HierarchicalHistogram(16, 1.0)


DOMAINS = 2, 3, 5, 8, 15, 17, 32, 0, -4, 16.0, None, True  # no powers of four
ORACLES = [None, "OUE", OUE(16, 1.0), ldp.SquareWave]  # the last is no frequency oracle
ORACLES += [lambda size, epsilon: None, lambda size, epsilon: 4]
ORACLES += [lambda size, epsilon: GRR(16, epsilon), lambda size, epsilon: GRR(size, 2 * epsilon)]
BAD = [
    (lambda bad: HierarchicalHistogram(16, 1.0, branching=bad), "branching", 1, 0, -4, 4.0, "4"),
    (lambda bad: HierarchicalHistogram(16, 1.0, branching=bad), "branching", None, True),
    (lambda bad: HierarchicalHistogram(bad, 1.0), "domain_size", *DOMAINS),
    (lambda bad: HierarchicalHistogram(16, bad), "epsilon", 0, -1.0, np.nan, np.inf, "1", None),
    (lambda bad: HierarchicalHistogram(16, 1.0, oracle=bad), "oracle", *ORACLES),
    (lambda bad: H.privatize([1], bad), "rng", None, 3, np.random.RandomState(0), np.random),
    (lambda bad: H.simulate([1] * 16, bad), "rng", None, 3, np.random.RandomState(0), np.random),
]


@pytest.mark.parametrize(("call", "naming"), each_of(BAD))
def test_bad_input(call, naming):
    refuse(call, naming=naming)


@pytest.mark.parametrize("bad", [[16], [-1], [0.5], [np.nan], [[1]], ["a"], None])
def test_refuses_bad_values_and_leaves_the_generator_alone(bad):
    rng = np.random.default_rng(13)
    refuse(lambda: H.privatize(bad, rng), naming="values", rng=rng)


@pytest.mark.parametrize("bad", [[1] * 15, [-1] + [1] * 15, [0.5] * 16, None])
def test_refuses_bad_value_counts(bad):
    rng = np.random.default_rng(14)
    refuse(lambda: H.simulate(bad, rng), naming="value_counts", rng=rng)


def test_refuses_reports_of_other_levels():
    reports = H.privatize(np.arange(16), np.random.default_rng(15))
    for bad in (reports[:1], (*reports, reports[0]), np.zeros((2, 1)), None, reports[::-1]):
        refuse(lambda bad=bad: H.tally(bad), naming="reports")


def test_refuses_tallies_of_other_levels_and_empty_ones():
    tallies = H.simulate(np.full(16, 5), np.random.default_rng(16))
    empty = Tally(np.zeros(4, dtype=int), 0, H.levels[0])
    some = H.levels[1].tally(H.levels[1].privatize([1, 2], np.random.default_rng(17)))
    asked = Tally(some.counts, 2, H.levels[1], np.arange(16)[::-1])
    richer = HierarchicalHistogram(16, 2.0).simulate(np.full(16, 5), np.random.default_rng(18))
    bad_ones = [None, tallies[0], tallies[:1], (*tallies, some), [1, 2], (empty, some)]
    bad_ones += [richer, tallies[::-1], (tallies[0], asked), (tallies[0], Tally([1, 2], 3))]
    for bad in bad_ones:
        refuse(lambda bad=bad: H.nodes(bad), naming="tallies")
        refuse(lambda bad=bad: H.variances(bad), naming="tallies")
    with pytest.raises(ValueError, match=r"one report on every level, got 0 on level 1\.$"):
        H.nodes((empty, some))
