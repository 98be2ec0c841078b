"""No mechanism is missing from a list of the tests."""

import inspect

import instances
import test_bad_input
import test_randomness
import test_samplers
import test_types

import ldp


def is_protocol(made):
    return made in (ldp.Mechanism, ldp.FrequencyOracle, ldp.SupportMechanism, ldp.PureMechanism)


def test_every_mechanism_of_the_package_is_listed_in_the_tests() -> None:
    """A mechanism that is only written and exported would otherwise miss half of the tests."""
    for name in ldp.__all__:
        make = getattr(ldp, name)
        if inspect.isclass(make) and hasattr(make, "likelihood") and not is_protocol(make):
            assert make in {type(m) for m in instances.every(1.0)}, name
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
