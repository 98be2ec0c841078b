"""No mechanism is missing from a list of the tests."""

import inspect
from typing import get_args

import adaptive_runs
import instances
import test_bad_input
import test_randomness
import test_samplers
import test_types

import ldp
from ldp.protocols import prefixes, samplers

LISTS = [
    instances.every(1.0),
    [*test_types.EVERY, *test_types.PURE],
    test_samplers.SAMPLED,
    [*test_samplers.SIMULATED, *test_samplers.MOMENTS],
    test_bad_input.MECHANISMS.values(),
    test_randomness.MECHANISMS.values(),
]


def is_protocol(made):
    return made in (ldp.Mechanism, ldp.FrequencyOracle, ldp.SupportMechanism, ldp.PureMechanism)


def test_every_rule_and_sampler_is_listed_in_the_tests() -> None:
    assert {type(rule) for rule in adaptive_runs.RULES} == set(get_args(prefixes.Prefix))
    assert {type(s) for s in adaptive_runs.SAMPLERS} == set(get_args(samplers.Sampler))


def test_every_mechanism_of_the_package_is_listed_in_the_tests() -> None:
    """A mechanism that is only written and exported would otherwise miss half of the tests."""
    for name in ldp.__all__:
        make = getattr(ldp, name)
        if inspect.isclass(make) and hasattr(make, "likelihood") and not is_protocol(make):
            for tested in LISTS:
                assert make in {type(m) for m in tested}, name
        parameters = list(inspect.signature(make).parameters.values()) if callable(make) else []
        needed = [p.name for p in parameters if p.default is p.empty]
        if needed != ["domain_size", "epsilon"]:
            continue  # not a mechanism of its own, or one that others configure
        if inspect.isclass(make) and not hasattr(make, "likelihood"):
            continue  # not a mechanism with one channel
        m = make(2, 1.0)
        assert isinstance(m, ldp.Mechanism), name
        assert m in [*test_types.EVERY, *test_types.PURE], name
        assert name in test_bad_input.FACTORIES, name
        assert name in test_randomness.MECHANISMS, name
        kinds = [instances.every(1.0), test_samplers.SAMPLED]
        if isinstance(m, ldp.FrequencyOracle):
            kinds.append(test_samplers.MOMENTS)
        for tested in kinds:
            assert type(m) in {type(other) for other in tested}, name
