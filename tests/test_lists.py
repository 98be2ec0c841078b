"""No mechanism is missing from a list of the tests."""

import inspect
import re
from pathlib import Path
from typing import get_args

import adaptive_runs
import instances
import pytest
import test_bad_input
import test_miners
import test_randomness
import test_samplers
import test_types

import ldp
import ldp.experiments
from ldp.protocols import law_samplers, prefixes

LISTS = [
    instances.every(1.0),
    [*test_types.EVERY, *test_types.PURE],
    test_samplers.SAMPLED,
    [*test_samplers.SIMULATED, *test_samplers.MOMENTS],
    test_bad_input.MECHANISMS.values(),
    test_randomness.MECHANISMS.values(),
]


ROOMS = [ldp.experiments]
ROOMS += [room for room in map(vars(ldp).get, ldp.__all__) if inspect.ismodule(room)]
REFERENCE = Path(__file__).parents[1] / "book" / "api.md"


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.__name__)
def test_the_names_of_a_room_are_on_the_reference_page_with_an_example(room) -> None:
    page = REFERENCE.read_text(encoding="utf-8")
    start = f".. currentmodule:: {room.__name__}\n"
    sections = [part.split(".. currentmodule::")[0] for part in page.split(start)[1:]]
    lines = [line for part in sections for line in part.splitlines()]
    listed = {
        line.split(":: ")[1]
        for line in lines
        if re.match(r"\.\. auto(class|function|data)::", line)
    }
    own = set(getattr(room, "__all__", listed)) - set(ldp.__all__)  # those are on the page already
    assert own == listed
    for name in own:
        made = getattr(room, name)
        if inspect.isfunction(made):
            assert ">>>" in made.__doc__, name


def test_every_miner_is_listed_in_the_tests() -> None:
    made = [
        name for name in ldp.itemsets.__all__ if inspect.isfunction(getattr(ldp.itemsets, name))
    ]
    mining = {n for n in made if "top_k" in inspect.signature(getattr(ldp.itemsets, n)).parameters}
    assert mining == {name.split()[0] for name in test_miners.MINERS}


def is_protocol(made):
    return made in (
        ldp.Mechanism,
        ldp.FrequencyOracle,
        ldp.types.SupportMechanism,
        ldp.types.PureMechanism,
    )


def test_every_rule_and_sampler_is_listed_in_the_tests() -> None:
    assert {type(rule) for rule in adaptive_runs.RULES} == set(get_args(prefixes.Prefix))
    assert {type(s) for s in adaptive_runs.SAMPLERS} == set(get_args(law_samplers.Sampler))


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
