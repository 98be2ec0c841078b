"""Five thousand calls of public names, and proof that the fuzzer finds what it looks for."""

import numpy as np
import pytest
from fuzz import Target, fuzz, judge, targets
from fuzz_arguments import HOSTILE, SMALL, world

import ldp

CALLS = 5_000


def test_no_call_does_what_it_should_not():
    faults, accepted = fuzz(CALLS, seed=1)
    assert faults == []
    # And no name is only ever refused: the arguments reach beyond the checks.
    assert len(accepted) > 150
    assert sum(accepted.values()) > CALLS / 3
    assert sum(times > 0 for times in accepted.values()) > 0.9 * len(accepted)


def test_every_public_name_is_called():
    called = {target.name.split(".")[0] for target in targets()}
    computing = {
        name
        for name in ldp.__all__
        if callable(getattr(ldp, name)) and not getattr(getattr(ldp, name), "_is_protocol", False)
    }
    assert computing - called == set()
    assert {"GRR.tally", "HybridMean.unbiased", "VectorMean.mean", "Wave.cdf"} <= {
        target.name for target in targets()
    }


# -- controls: each planted fault is found ---------------------------------------------------------


def mutating(estimates):
    """Sort in place."""
    given = np.asarray(estimates)
    if given.dtype.kind == "f" and given.size:
        given.sort()
    return 1.0


def forgetful(estimates):
    """Ask a list for what an array has."""
    return estimates.max()


def terse(estimates):
    """Refuse without saying why."""
    raise ValueError("bad input")


def warning(estimates):
    """Divide by zero."""
    return np.ones(1) / np.zeros(1)


def infinite(estimates):
    """Return what is no number."""
    return np.array([np.nan])


def silent(estimates):
    """Do nothing wrong."""
    return 1.0


PLANTED = {
    mutating: "changes an argument",
    forgetful: "raises AttributeError",
    terse: "refuses in other words",
    warning: "raises RuntimeWarning",
    infinite: "returns nan",
}


@pytest.mark.parametrize("planted", PLANTED, ids=lambda f: f.__name__)
def test_control_a_planted_fault_is_found(planted):
    calls = tuple(Target(planted.__name__, lambda w: planted) for _ in range(200))
    faults, _ = fuzz(200, seed=1, extra=calls)
    assert any(fault.name == planted.__name__ for fault in faults)
    assert {f.what[:10] for f in faults if f.name == planted.__name__} >= {PLANTED[planted][:10]}


def test_control_an_innocent_function_has_no_fault():
    calls = tuple(Target("silent", lambda w: silent) for _ in range(200))
    assert fuzz(200, seed=1, extra=calls)[0] == []


@pytest.mark.parametrize(
    ("m", "reports"),
    [
        (ldp.GRR(5, 1.0), np.array([0, 5])),
        (ldp.SUE(4, 1.0), np.array([[8]], dtype=np.uint8)),  # a padding bit
        (ldp.SubsetSelection(6, 1.0, subset_size=5), np.array([[128]], dtype=np.uint8)),
        (ldp.means.HybridMean(-1.0, 2.0, 0.1, resolution=7), np.array([0])),
        (ldp.SHE(2, 60.0, resolution=1), np.array([[0, 99]])),
        (ldp.means.LaplaceMean(-1.0, 2.0, 2.0, resolution=6), np.array([2**30])),
        (ldp.GRR(5, 1.0), ldp.Tally([-1, 2, 0, 0, 0], 1)),
        (ldp.GRR(5, 1.0), ldp.Tally([1, 2, 0, 0, 0], 4)),
        (ldp.OUE(5, 1.0), ldp.Tally([0, 2, 0, 0, 9], 4)),
    ],
    ids=str,
)
def test_control_a_decoder_that_takes_anything_is_found(m, reports):
    m = next(each for each in SMALL if each == m)
    w = world(np.random.default_rng(0))._replace(mechanism=m)

    def careless(mechanism, reports):
        return 0.0

    given = {"mechanism": m, "reports": reports}
    assert judge("careless", careless, given, w)[1] == "takes a report that no value can make"
    given["reports"] = m.privatize([0, 1], np.random.default_rng(0))
    assert judge("careless", careless, given, w)[1] == ""


def test_a_call_depends_on_its_number_alone():
    first, _ = fuzz(50, seed=3)
    assert first == fuzz(50, seed=3)[0]
    assert len({repr(type(each)) for each in HOSTILE}) > 15
