"""What adaptive estimation and its samplers refuse, and the smallest that they take."""

import numpy as np
import pytest
from adaptive_runs import RULES, every_rule, every_sampler, run_of

from ldp import adobest
from ldp.protocols import BestPrefix, EmptyPrefix, GibbsSampler, LangevinSampler, SliceSampler


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"values": []}, ValueError, "values must be at least one, got 0."),
        ({"values": [0, 4]}, ValueError, "values must be"),
        ({"values": [0, -1]}, ValueError, "values must be"),
        ({"values": [0.5]}, TypeError, "values must be"),
        ({"domain_size": 1}, ValueError, "domain_size must be"),
        ({"domain_size": 4.0}, TypeError, "domain_size must be"),
        ({"epsilon": 0.0}, ValueError, "epsilon must be positive"),
        ({"epsilon": np.nan}, ValueError, "epsilon must be"),
        ({"rule": "honest"}, TypeError, "rule must be a BestPrefix, MassPrefix or EmptyPrefix"),
        ({"rule": BestPrefix}, TypeError, "rule must be"),
        ({"sampler": "gibbs"}, TypeError, "sampler must be a LangevinSampler, GibbsSampler or"),
        ({"rng": np.random.RandomState(0)}, TypeError, r"rng must be a numpy\.random\.Generator"),
        ({"rng": 0}, TypeError, r"rng must be"),
        ({"growth": -0.1}, ValueError, r"growth must be from 0 to 1, got -0\.1\."),
        ({"growth": 1.1}, ValueError, r"growth must be from 0 to 1, got 1\.1\."),
        ({"growth": np.nan}, ValueError, "growth must be"),
        ({"users_per_round": 0}, ValueError, "users_per_round must be an integer, at least 1"),
        ({"users_per_round": 1.5}, TypeError, "users_per_round must be"),
        ({"sampler": LangevinSampler(0.1, concentration=[1.0])}, ValueError, "concentration must"),
        ({"sampler": LangevinSampler(lambda n: -0.1 / n)}, ValueError, "step_size must be positi"),
        ({"sampler": LangevinSampler(lambda n: n[1:] / n[1:])}, ValueError, "step_size must have"),
        ({"sampler": LangevinSampler(lambda n: n * np.nan)}, ValueError, "step_size must be finit"),
    ],
)
def test_bad_input(change, error, message):
    arguments = {
        "values": [0, 1, 3], "domain_size": 4, "epsilon": 1.0, "rule": EmptyPrefix(),
        "sampler": GibbsSampler(), "rng": np.random.default_rng(0),
    }  # fmt: skip
    with pytest.raises(error, match="^" + message):
        adobest(**(arguments | change))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: LangevinSampler(0.0), "step_size must be positive"),
        (lambda: LangevinSampler(np.inf), "step_size must be"),
        (lambda: LangevinSampler(0.1, minibatch=0), "minibatch must be an integer, at least 1"),
        (lambda: LangevinSampler(0.1, num_updates=0), "num_updates must be an integer, at least 1"),
        (lambda: GibbsSampler(1, 0.0), "concentration must be positive"),
        (lambda: SliceSampler(1, 0.5), r"concentration must be at least 1, got 0\.5\."),
        (lambda: SliceSampler(1, [1.0, 0.5]), r"concentration must be at least 1, got 0\.5\."),
        (lambda: SliceSampler(1, [1.0, -1.0]), "concentration must be positive"),
        (lambda: SliceSampler(1, [[1.0], [1.0, 2.0]]), "concentration must be an array, got rows"),
        (lambda: GibbsSampler(0), "num_sweeps must be an integer, at least 1"),
        (lambda: SliceSampler(0), "num_sweeps must be an integer, at least 1"),
    ],
)
def test_samplers_of_no_sweep_or_step_are_refused(build, message):
    with pytest.raises(ValueError, match="^" + message):
        build()


@every_rule
@pytest.mark.parametrize("updates", [1, 2, 20])
def test_steps_that_are_too_large_are_refused(rule, updates):
    """States far apart or beyond all numbers; choosing a subset at no law must not hang."""
    with pytest.raises(FloatingPointError, match=r"^step sizes must be small enough"):
        run_of(LangevinSampler(1e308, 50, updates, concentration=0.001), rule)


@pytest.mark.parametrize("users_per_round", [1, 2, 3])
def test_finite_states_without_a_finite_sum_are_refused(users_per_round):
    """Every entry goes to 5e307, of 20 values: in every round, or in every other one."""
    sampler, rng = LangevinSampler(1e308, 50, 1), np.random.default_rng(0)
    options = {"users_per_round": users_per_round}
    with pytest.raises(FloatingPointError, match=r"^step sizes must be small enough"):
        adobest(range(6), 20, 1.0, EmptyPrefix(), sampler, rng, **options)


@every_sampler
def test_a_user_alone_and_two_values(sampler):
    if not np.isscalar(sampler.concentration):
        sampler = type(sampler)(sampler.num_sweeps)
    for rule in RULES:
        run = adobest([1], 2, 1.0, rule, sampler, np.random.default_rng(0), users_per_round=9)
        assert run.starts.tolist() == [0]
        assert run.laws.shape == (2, 2)
        assert run.subsets.shape == (1, 2)
        assert sum(tally.num_reports for tally in run.tallies) == 1
