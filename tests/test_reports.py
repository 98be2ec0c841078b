"""What a mechanism says of its reports and of its tally is what they are."""

import numpy as np
import pytest

import ldp
from ldp.types import OutcomeMechanism
from tests import instances

FAMILIES = sorted({type(m) for m in instances.every(1.0)}, key=repr)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_tally_counts_outcomes_where_the_mechanism_says_so(family: type[ldp.Mechanism]) -> None:
    said, found = set(), []
    for m in (m for m in instances.every(1.0) if type(m) is family):
        reports = m.privatize(np.repeat(np.arange(m.domain_size), 20), np.random.default_rng(1))
        tally = m.tally(reports)
        histogram = np.bincount(m.outcomes(reports), minlength=m.channel().shape[1])
        found.append(np.array_equal(tally.counts, histogram))
        said.add(isinstance(m, OutcomeMechanism))
        if isinstance(m, OutcomeMechanism):
            assert m.num_outcomes == histogram.size
            assert m.tally_outcomes(reports) == tally
    assert said == {all(found)}
