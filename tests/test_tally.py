"""Mechanisms and tallies are values: every copy is equal, and as little to be changed."""

import copy
import pickle

import numpy as np
import pytest
from catalogue import MEANS, small

import ldp

EVERY = [*small(1.0), *small(1.0, MEANS)]
COPIES = {
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "old pickle": lambda value: pickle.loads(pickle.dumps(value, protocol=0)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


def some_tally(m):
    values = [0, 1, 1] if isinstance(m, ldp.Mechanism) else [m.grid.upper] * 3
    return m.tally(m.privatize(values, np.random.default_rng(1)))


def read_only(tally):
    arrays = [tally.counts] + ([] if tally.candidates is None else [tally.candidates])
    return not any(array.flags.writeable for array in arrays)


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("m", EVERY, ids=repr)
def test_copies_are_the_same_values(m, copied):
    again, tally = copied(m), some_tally(m)
    assert (again, hash(again), repr(again)) == (m, hash(m), repr(m))
    assert copied(tally) == some_tally(again) == tally
    assert copied(tally).mechanism == m
    assert read_only(copied(tally))
    assert (copied(tally) + tally).num_reports == 6


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_copies_of_counted_candidates_are_read_only(copied):
    m = ldp.OLH(9, 1.0)
    tally = m.tally(m.privatize([2, 3], np.random.default_rng(1)), [3, 5])
    again = copied(tally)
    assert again == tally
    assert read_only(again)
    with pytest.raises(ValueError, match="read-only"):
        again.counts[0] = 1


def test_mechanisms_differ_from_those_of_other_arguments():
    assert len(set(EVERY)) == len(EVERY)
    assert set(EVERY).isdisjoint(small(1.5))


def test_what_is_no_mechanism_and_no_value_is_refused():
    with pytest.raises(TypeError, match=r"^mechanism must be an object, got the class GRR\.$"):
        ldp.Tally([1, 2, 3, 4], 10, ldp.GRR)
    with pytest.raises(ValueError, match=r"^candidates must be .*, got 99\.$"):
        ldp.Tally([1, 2], 3, ldp.OLH(4, 1.0), [1, 99])
