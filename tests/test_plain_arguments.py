"""Arguments that stand for nothing: numbers as flags, lists in themselves, results made by hand."""

import subprocess
import sys
from collections import UserList

import numpy as np
import pytest
from fuzz_arguments import itself

from ldp import GRR, OUE, Tally, adobest, bounds, confidence_interval, norm_sub
from ldp.bayes import AllReports, DirichletMixture, GibbsSample, SliceSample, gibbs, slice_sample
from ldp.experiments import run_grid
from ldp.means import OneBitMean, mean_interval
from ldp.metrics import quantile_error
from ldp.protocols import AdaptiveRun, GibbsSampler, LangevinSampler
from ldp.protocols.law_samplers import SliceSampler
from ldp.protocols.prefixes import EmptyPrefix
from ldp.trees import range_variance

M, TALLY = GRR(2, 1.0), Tally([3, 2], 5)
CHANNEL = M.channel()
FLAGS = {
    "simultaneous": lambda flag: confidence_interval(TALLY, M, simultaneous=flag),
    "population": lambda flag: confidence_interval(TALLY, M, population=flag),
    "mean population": lambda flag: mean_interval(TALLY, OneBitMean(0, 1, 1.0), population=flag),
    "consistent": lambda flag: range_variance([0, 1], 2, 0, 1, consistent=flag),
    "sharp": lambda flag: bounds.entropy_bound(-2.0, 3, sharp=flag),
    "tally sharp": lambda flag: bounds.tally_entropy_bound(1.0, 3, 5, sharp=flag),
    "limit sharp": lambda flag: bounds.entropy_limit(CHANNEL, [[0.5, 0.5]] * 2, sharp=flag),
    "constants sharp": lambda flag: bounds.epsilon_constants(2, 1.0, 2, sharp=flag),
    "epsilon sharp": lambda flag: bounds.epsilon_limit(2, 1.0, 2, sharp=flag),
    "spread sharp": lambda flag: bounds.spread_limit(2, 1.0, collision=None, sharp=flag),
    "tangent": lambda flag: bounds.fisher_information(CHANNEL, [0.5, 0.5], tangent=flag),
    "progress": lambda flag: run_grid(lambda c, r: {"x": 1}, [{"a": 1}], 1, 1, progress=flag),
}


@pytest.mark.parametrize("name", FLAGS)
@pytest.mark.parametrize("wrong", ["no", 0, 1, 1.0, None, [], np.array([True])], ids=repr)
def test_flags_are_bools(name, wrong):
    name_of = name.split()[-1]
    with pytest.raises(TypeError, match=rf"^{name_of} must be True or False, got [^\n]*\.$"):
        FLAGS[name](wrong)


@pytest.mark.parametrize("name", FLAGS)
def test_bools_of_numpy_are_flags(name):
    FLAGS[name](np.False_)
    FLAGS[name](False)


# -- numbers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [np.timedelta64(1), np.timedelta64(3, "D")], ids=repr)
def test_a_length_of_time_is_no_number(wrong):
    message = r"^(epsilon|domain_size|num_reports) must be [^\n]*\.$"
    for make in (lambda: OUE(8, wrong), lambda: OUE(wrong, 1.0), lambda: Tally([1, 2], wrong)):
        with pytest.raises(TypeError, match=message):
            make()


def test_no_chain_is_longer_than_a_life():
    few = {"num_draws": 1, "burn_in": 0, "num_chains": 2, "rng": np.random.default_rng(0)}
    for sample in (gibbs, slice_sample):
        for name in ("num_draws", "burn_in", "num_chains"):
            with pytest.raises(ValueError, match=rf"^{name} must be an integer[^\n]*\.$"):
                sample([0, 1], M, [1.0, 1.0], **(few | {name: 10**400}))
    for make in (
        lambda: GibbsSampler(10**400),
        lambda: SliceSampler(10**400),
        lambda: LangevinSampler(1.0, num_updates=10**400),
    ):
        with pytest.raises(ValueError, match=r"^num_\w+ must be an integer[^\n]*\.$"):
            make()


def test_numbers_too_long_to_write_are_refused_in_one_short_line():
    for wrong in (10**400, 10**5000, -(10**5000), "x" * 10**5, np.zeros(10**5)):
        with pytest.raises((TypeError, ValueError)) as caught:
            GRR(wrong, 1.0)
        assert len(str(caught.value)) < 400
        assert "\n" not in str(caught.value)


# -- lists that hold themselves --------------------------------------------------------------------


@pytest.mark.parametrize("kind", [list, UserList])
@pytest.mark.parametrize("times", [1, 2, 50])
def test_a_list_that_holds_itself_is_refused_before_numpy_sees_it(kind, times):
    held = itself(kind, times)
    calls = [
        lambda: norm_sub(held),
        lambda: norm_sub([1.0, held]),
        lambda: M.privatize(held, np.random.default_rng(0)),
        lambda: M.tally((held, 1)),
        lambda: quantile_error([0.5, 0.5], [0.5, 0.5], levels=held),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"must be an array, got lists more than 8 deep\.$"):
            call()


def test_lists_that_share_their_parts_are_looked_at_once_a_level():
    deep = [0.5]
    for _ in range(64):  # 2**64 numbers, were they counted
        deep = [deep, deep]
    with pytest.raises(ValueError, match="lists more than 8 deep"):
        norm_sub(deep)


def test_lists_that_are_not_too_deep_are_arrays():
    shared = [0.25, 0.75]
    three = OneBitMean(0.0, 1.0, 1.0).variance([[[shared]], [[shared]]])
    assert three.shape == (2, 1, 1, 2)
    assert norm_sub(range(2)).tolist() == [0, 1]


def test_memory_stays_small():
    """In a process of its own, with a limit: numpy alone would ask for all there is."""
    code = (
        "import resource, ldp\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2**32, 2**32))\n"
        "twice = []; twice += [twice, twice]\n"
        "try: ldp.postprocess.norm_add(twice)\n"
        "except ValueError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "estimates must be an array, got lists more than 8 deep.\n", done.stderr


# -- results ---------------------------------------------------------------------------------------

LAWS = np.full((2, 3, 2), 0.5)
ONES, EYE = np.ones(2), np.eye(2, dtype=int)
RUN = adobest([0, 1, 1], 2, 1.0, EmptyPrefix(), SliceSampler(), np.random.default_rng(0))
RESULTS = {
    GibbsSample: {"laws": LAWS, "concentrations": LAWS, "prior": ONES, "num_reports": 3},
    SliceSample: {"laws": LAWS},
    DirichletMixture: {"weights": ONES / 2, "tallies": EYE, "prior": ONES},
    AllReports: {
        "histograms": EYE,
        "probabilities": ONES / 2,
        "weights": np.eye(2),
        "tallies": EYE,
        "prior": ONES,
    },
    AdaptiveRun: {name: getattr(RUN, name) for name in AdaptiveRun.__dataclass_fields__},
}
FIELDS = [(kind, name) for kind, fields in RESULTS.items() for name in fields]


@pytest.mark.parametrize(("kind", "name"), FIELDS, ids=lambda x: getattr(x, "__name__", x))
@pytest.mark.parametrize("wrong", [None, "garbage", 1.5, [[[[0.5]]]], np.zeros(0)], ids=repr)
def test_results_check_their_fields(kind, name, wrong):
    fields = RESULTS[kind]
    kind(**fields)
    if name in ("epsilon", "epsilon_inner") and isinstance(wrong, float):
        wrong = -1.5
    with pytest.raises((TypeError, ValueError), match=r"^\w+ must [^\n]*, got [^\n]*\.$"):
        kind(**(fields | {name: wrong}))


def test_a_history_is_a_copy():
    fields = {name: getattr(RUN, name) for name in AdaptiveRun.__dataclass_fields__}
    fields["reports"] = reports = RUN.reports.copy()
    run = AdaptiveRun(**fields)
    reports[0] = 1 - reports[0]  # the caller's array is his own
    assert run.reports.tolist() == RUN.reports.tolist()
    with pytest.raises(ValueError, match="read-only"):
        run.reports[0] = 0
