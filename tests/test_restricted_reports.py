"""Reports of several restricted mechanisms: parts without users, parts of users, and room."""

import re

import numpy as np
import pytest

from ldp import GRR, OUE, RRRR, Tally, maximum_likelihood
from ldp.bayes import gibbs, sgld, slice_sample
from ldp.protocols import LangevinSampler, SliceSampler

PAIR = [RRRR(5, 1.0, [1], 0.5), RRRR(5, 1.0, [0], 0.5)]
GIVEN = np.array([1, 2, 2])
NOBODY = np.zeros(0, dtype=np.int64)


def estimates(mechanism, reports):
    """Estimate in every way that there is."""
    d = (mechanism[0] if isinstance(mechanism, list) else mechanism).domain_size
    ones, rng = np.ones(d), np.random.default_rng(1)
    return [
        maximum_likelihood(reports, mechanism).theta,
        gibbs(reports, mechanism, ones, 3, rng, burn_in=1).laws,
        slice_sample(reports, mechanism, ones, 3, rng, burn_in=1).laws,
        sgld(reports, mechanism, ones, [0.01], rng).laws,
    ]


@pytest.mark.parametrize("nobody", [NOBODY, PAIR[1].tally(NOBODY)])
def test_a_mechanism_that_nobody_used_changes_nothing(nobody):
    alone, both = estimates(PAIR[:1], [GIVEN]), estimates(PAIR, [GIVEN, nobody])
    for one, two in zip(alone, both, strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("reports", [[NOBODY, NOBODY], [m.tally(NOBODY) for m in PAIR]])
@pytest.mark.parametrize("way", [gibbs, slice_sample, sgld, maximum_likelihood])
def test_nobody_at_all_is_refused(way, reports):
    arguments = {
        gibbs: (np.ones(5), 3, np.random.default_rng(1)),
        slice_sample: (np.ones(5), 3, np.random.default_rng(1)),
        sgld: (np.ones(5), [0.1], np.random.default_rng(1)),
    }.get(way, ())
    options = {"burn_in": 1} if way in (gibbs, slice_sample) else {}
    with pytest.raises(ValueError, match=re.escape("reports must be at least one, got 0.")):
        way(reports, PAIR, *arguments, **options)


@pytest.mark.parametrize("mechanism", [RRRR(2, 1.0, [0], 0.5), GRR(2, 1.0)])
def test_parts_of_users_are_not_cut_off(mechanism):
    halves = Tally([1.5, 1.5], 3)
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match=r"must be whole numbers here, got 1\.5"):
        gibbs(halves, mechanism, np.ones(2), 3, rng, burn_in=1)
    with pytest.raises(ValueError, match=r"must be whole numbers here, got 1\.5"):
        sgld(halves, mechanism, np.ones(2), [0.1], rng)
    assert maximum_likelihood(halves, mechanism).theta == pytest.approx([0.5, 0.5])


def test_more_users_than_indices_are_refused():
    m = GRR(3, 1.0)
    crowd = m.simulate([2**33, 0, 0], np.random.default_rng(1))
    with pytest.raises(ValueError, match=re.escape("reports must be at most 2**31")):
        sgld(crowd, m, np.ones(3), [0.1], np.random.default_rng(1))


def test_rows_that_would_not_fit_are_refused(monkeypatch):
    """Packed rows take a bit for every value, the likelihoods themselves 64."""
    monkeypatch.setattr("ldp.likelihood.evidence._MOST_BITS", 40 * 24 * 64 - 1)
    m = OUE(24, 1.0)  # so wide that equal rows are not looked for
    reports = m.privatize(np.arange(40) % 24, np.random.default_rng(1))
    assert maximum_likelihood(reports, m).converged
    with pytest.raises(ValueError, match="reports must be at most 39 different ones at 24 values"):
        sgld(reports, m, np.ones(24), [0.1], np.random.default_rng(1))


def test_samplers_are_values():
    assert SliceSampler(concentration=np.ones(3)) == SliceSampler(concentration=[1.0, 1.0, 1.0])
    assert hash(LangevinSampler(0.1, concentration=[1, 2])) == hash(
        LangevinSampler(0.1, concentration=(1.0, 2.0))
    )
    with pytest.raises(TypeError, match="concentration must be"):
        LangevinSampler(0.1, concentration="x")
