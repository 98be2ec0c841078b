"""No mechanism is missing from the catalogue, and nothing else from the list of its room."""

import inspect
import pickle
import re
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import adaptive_runs
import catalogue
import pytest
import test_itemsets
import test_miners
import test_private_sampling

import ldp
import ldp.experiments
import ldp.rivals
from ldp.protocols import law_samplers, prefixes
from ldp.types import FrequencyOracle, Mechanism, PureMechanism

HERE = Path(__file__).parent
REFERENCE = sorted((HERE.parent / "book").glob("api-*.md"))
ROOMS = [ldp, ldp.experiments, ldp.rivals]
ROOMS += [room for name in ldp.__all__ if isinstance(room := getattr(ldp, name), ModuleType)]


def place(file: str, start: str) -> str:
    """Where a list begins, as an editor takes it."""
    lines = (HERE / file).read_text(encoding="utf-8").splitlines()
    number = next(i for i, line in enumerate(lines, 1) if line.startswith(start))
    return f"{HERE / file}:{number}"


def check_listed(needed: set[str], listed: set[str], file: str, start: str) -> None:
    """Fail with the file, the line and the names that are missing there."""
    missing, unknown = sorted(needed - listed), sorted(listed - needed)
    assert not missing, f"{place(file, start)}: list {', '.join(missing)} here"
    assert not unknown, f"{place(file, start)}: {', '.join(unknown)} is no public name"


def public_names() -> dict[str, Any]:
    """Every name that a room or the front door shows."""
    rooms = [ldp, *ROOMS]
    return {name: getattr(room, name) for room in rooms for name in getattr(room, "__all__", ())}


def randomizes(made: Any) -> bool:
    """Whether it is a class whose values randomize what a person holds, or makes one of these."""
    if inspect.isclass(made):
        return hasattr(made, "privatize") and not getattr(made, "_is_protocol", False)
    if not callable(made):
        return False
    needed = [p.name for p in inspect.signature(made).parameters.values() if p.default is p.empty]
    return needed == ["domain_size", "epsilon"] and hasattr(made(2, 1.0), "privatize")


# These are made of more than a size and a budget, or draw from laws: their rooms have lists.
OF_OTHER_ROOMS = {"HashPool", "PadAndSample", "SetSelection", "LinearSampler", "Mollifier"}
OF_OTHER_ROOMS |= {"minimax_mollifier"}


def test_every_mechanism_is_in_the_catalogue() -> None:
    needed = {name for name, made in public_names().items() if randomizes(made)}
    listed = {name.split()[0] for name in catalogue.makers(catalogue.CATALOGUE)}
    check_listed(needed - OF_OTHER_ROOMS, listed, "catalogue.py", "PURE:")
    assert needed >= OF_OTHER_ROOMS
    made = catalogue.made(64, 1.0, catalogue.CATALOGUE)
    check_listed(
        {type(m).__name__ for m in made.values()},
        {kind.__name__ for kind in catalogue.CATALOGUE},
        "catalogue.py",
        "PURE:",
    )


def test_control_a_name_that_is_missing_is_named_with_file_and_line() -> None:
    needed = {name for name, made in public_names().items() if randomizes(made)}
    with pytest.raises(AssertionError, match=r"catalogue\.py:\d+: list GRR here"):
        check_listed(needed, needed - {"GRR"}, "catalogue.py", "PURE:")
    with pytest.raises(AssertionError, match=r"catalogue\.py:\d+: Nobody is no public name"):
        check_listed(needed, needed | {"Nobody"}, "catalogue.py", "PURE:")


EVERY = catalogue.made(64, 1.0, catalogue.CATALOGUE)


@pytest.mark.parametrize("name", EVERY)
def test_mechanisms_are_values(name: str) -> None:
    make, m = catalogue.makers(catalogue.CATALOGUE)[name], EVERY[name]
    for same in (make(64, 1.0), pickle.loads(pickle.dumps(m))):
        assert same == m
        assert hash(same) == hash(m)
        assert repr(same) == repr(m)
    assert [other for other, each in EVERY.items() if each == m] == [name]


def test_kinds_are_those_of_the_protocols() -> None:
    """And no mechanism has the parts of a kind that it is not listed as."""
    for kind, m in ((type(m), m) for m in catalogue.small(1.0, catalogue.CATALOGUE)):
        several = kind in catalogue.MEANS or kind in catalogue.SEVERAL
        assert isinstance(m, Mechanism) != several
        assert isinstance(m, FrequencyOracle) == (kind in catalogue.ORACLES)
        assert isinstance(m, PureMechanism) == (kind in catalogue.PURE)


# -- other rooms -----------------------------------------------------------------------------------


def functions_with(room: ModuleType, parameter: str) -> set[str]:
    made = [name for name in room.__all__ if inspect.isfunction(getattr(room, name))]
    return {n for n in made if parameter in inspect.signature(getattr(room, n)).parameters}


def test_every_miner_is_listed() -> None:
    listed = {name.split()[0] for name in test_miners.MINERS}
    check_listed(functions_with(ldp.itemsets, "top_k"), listed, "test_miners.py", "MINERS")


def test_every_mechanism_of_sets_is_listed() -> None:
    needed = {name for name in ldp.itemsets.__all__ if randomizes(getattr(ldp.itemsets, name))}
    for start in ("SMALL", "SAMPLED"):
        listed = {type(m).__name__ for m in getattr(test_itemsets, start)}
        check_listed(needed, listed, "test_itemsets.py", start)


def test_every_private_sampler_is_listed() -> None:
    needed = {n for n in ldp.samplers.__all__ if inspect.isclass(getattr(ldp.samplers, n))}
    listed = {type(make(1.0)).__name__ for make in test_private_sampling.SAMPLERS.values()}
    check_listed(needed, listed, "test_private_sampling.py", "SAMPLERS")


def test_every_rule_and_sampler_of_adaptive_estimation_is_listed() -> None:
    for start, kinds in (("RULES", prefixes.Prefix), ("SAMPLERS", law_samplers.Sampler)):
        listed = {type(each).__name__ for each in getattr(adaptive_runs, start)}
        check_listed({k.__name__ for k in get_args(kinds)}, listed, "adaptive_runs.py", start)


# -- the reference page ----------------------------------------------------------------------------


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.__name__)
def test_the_names_of_a_room_are_on_a_reference_page_with_an_example(room: ModuleType) -> None:
    page = "\n".join(path.read_text(encoding="utf-8") for path in REFERENCE)
    start = f".. currentmodule:: {room.__name__}\n"
    sections = [part.split(".. currentmodule::")[0] for part in page.split(start)[1:]]
    lines = [line for part in sections for line in part.splitlines()]
    listed = {
        line.split(":: ")[1]
        for line in lines
        if re.match(r"\.\. auto(class|function|data)::", line)
    }
    own = {name for name in room.__all__ if not isinstance(getattr(room, name), ModuleType)}
    own -= set() if room is ldp else set(ldp.__all__)  # these are on the page already
    assert own == listed
    for name in own:
        made = getattr(room, name)
        if inspect.isfunction(made):
            assert ">>>" in made.__doc__, name
