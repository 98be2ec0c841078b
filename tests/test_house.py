"""The house in order: who may import whom, what is shown, and how functions take arguments.

Each rule is a function from a package's folder to what breaks it, and has a control: a small
package in which it is broken.
"""

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import catalogue
import pytest
from test_catalogue import ROOMS, public_names

import ldp

ROOT = Path(__file__).parents[1]
MOST_NAMES, MOST_LINES = 31, 250  # names beside mechanisms: with the first sixteen, 47


# -- arrows ----------------------------------------------------------------------------------------


def modules(folder: Path) -> dict[str, Path]:
    """Every module of a package by its dotted name."""
    names = {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder.parent).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


def arrows(folder: Path) -> Iterator[tuple[str, str]]:
    """Who imports whom, from anywhere in a file."""
    known = modules(folder)
    for name, path in known.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                wanted = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                wanted = [f"{node.module}.{alias.name}" for alias in node.names]
                wanted = [each if each in known else str(node.module) for each in wanted]
            else:
                continue
            yield from ((name, each) for each in wanted if each in known)


def room(module: str) -> str:
    """The folder or file right under the package; the front door is the package itself."""
    return ".".join(module.split(".")[1:2])


def stated_order(text: str) -> dict[str, int]:
    """The rows of the table of rooms, from the top."""
    table = text.split("| room of `ldp/` |")[1].split("\n\n")[0]
    rows = [re.findall(r"`(\w+)/?`", line.split("|")[1]) for line in table.splitlines()[2:]]
    return {name: i for i, row in enumerate(rows) for name in row}


def upward(folder: Path, order: dict[str, int]) -> list[str]:
    """Arrows to a room further down in the stated order; the front door imports all."""
    pairs = [(a, b) for a, b in arrows(folder) if room(a) and room(b)]
    return [f"{a} -> {b}" for a, b in pairs if order[room(b)] > order[room(a)]]


def circles(folder: Path) -> set[str]:
    """Modules, and rooms, from which arrows lead back to themselves."""
    pairs = set(arrows(folder)) | {(f"{room(a)}/", f"{room(b)}/") for a, b in arrows(folder)}
    reached = {(a, b) for a, b in pairs if a != b}
    while more := {(a, d) for a, b in reached for c, d in pairs if b == c} - reached:
        reached |= more
    return {a for a, b in reached if a == b}


def private_doors(folder: Path) -> list[str]:
    """Imports of a module with an underscore from outside of its own folder."""
    inside = [(a, b) for a, b in arrows(folder) if b.split(".")[-1].startswith("_")]
    return [f"{a} -> {b}" for a, b in inside if not a.startswith(b.rpartition(".")[0])]


def private_names(folder: Path) -> list[str]:
    """Names with an underscore that one file takes out of another; modules are doors."""
    known = modules(folder)
    return [
        f"{name} -> {node.module}.{alias.name}"
        for name, path in known.items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name.startswith("_")
        and not alias.name.endswith("__")
        and f"{node.module}.{alias.name}" not in known
    ]


def long_files(folder: Path) -> list[str]:
    lines = {path: path.read_text(encoding="utf-8").count("\n") for path in folder.rglob("*.py")}
    return [f"{path.name}: {count}" for path, count in lines.items() if count > MOST_LINES]


ORDER = stated_order((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
PACKAGE = ROOT / "ldp"


def test_every_room_is_in_the_table_of_rooms() -> None:
    assert {room(name) for name in modules(PACKAGE)} - {""} == set(ORDER)


def test_no_arrow_runs_upwards() -> None:
    assert upward(PACKAGE, ORDER) == []


def test_every_file_that_makes_the_book_is_in_a_table_of_rooms() -> None:
    tables = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(?:book/)?(\w+)(?:\.py)?`", tables))
    files = [*(ROOT / "book").glob("*.py"), *(ROOT / "book" / "_ext").glob("*.py")]
    assert {path.stem for path in files} - named == set()


def test_no_file_of_the_book_is_long() -> None:
    assert long_files(ROOT / "book") == []


@pytest.mark.parametrize("rule", [circles, private_doors, private_names, long_files])
def test_the_package_breaks_no_rule(rule: Callable[[Path], Iterable[str]]) -> None:
    assert list(rule(PACKAGE)) == []


def test_controls_of_arrows(tmp_path: Path) -> None:
    files = {
        "__init__.py": "from ldp import high\nfrom ldp.deep import name\n",
        "deep.py": "from ldp import __version__\n",
        "low.py": "def f():\n    from ldp.high import door\n",  # an arrow may hide in a function
        "high/__init__.py": "",
        "high/door.py": "from ldp import low\n" + "\n" * MOST_LINES,
        "high/_own.py": "",
        "high/inner/room.py": "from ldp.high import _own\n",
        "other.py": "from ldp.high._own import _secret\nimport ldp.low\n",
    }
    package = tmp_path / "ldp"
    for name, text in files.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text, encoding="utf-8")
    table = "| room of `ldp/` | |\n|---|---|\n| `low`, `deep` | |\n| `high/`, `other` | |\n\n"
    assert upward(package, stated_order(table)) == ["ldp.low -> ldp.high.door"]
    rooms = {"/", "deep/", "low/", "high/"}
    assert circles(package) == {"ldp", "ldp.deep", "ldp.low", "ldp.high.door"} | rooms
    assert private_doors(package) == ["ldp.other -> ldp.high._own"]
    assert private_names(package) == ["ldp.other -> ldp.high._own._secret"]
    assert long_files(package) == ["door.py: 251"]


# -- names -----------------------------------------------------------------------------------------

TOO_GENERAL = {"norm", "power", "quantile", "mse", "cut", "run", "fit", "estimate", "sample"}
# Where a room says which, the word is the one that a reader looks for.
GENERAL_BUT_CLEAR = {"metrics.mse"}


def two_meanings(rooms: dict[str, dict[str, Any]]) -> set[str]:
    """Names that stand for one thing in one room and for another in another."""
    first: dict[str, Any] = {}
    shown = [pair for names in rooms.values() for pair in names.items()]
    return {name for name, thing in shown if first.setdefault(name, thing) is not thing}


def too_general(rooms: dict[str, dict[str, Any]]) -> set[str]:
    named = {f"{where}.{name}" for where, names in rooms.items() for name in TOO_GENERAL & {*names}}
    return named - GENERAL_BUT_CLEAR


SHOWN = {
    room.__name__.rpartition(".")[2]: {k: getattr(room, k) for k in getattr(room, "__all__", ())}
    for room in (ldp, *ROOMS)
}


def test_the_front_door_is_small() -> None:
    """A new mechanism has a place there; a new estimator goes to its room."""
    listed = {name.split()[0] for name in catalogue.makers(catalogue.CATALOGUE)}
    assert len(set(ldp.__all__) - listed) <= MOST_NAMES
    assert len(set(ldp.__all__)) == len(ldp.__all__)


def test_a_name_has_one_meaning_and_can_be_searched_for() -> None:
    assert two_meanings(SHOWN) == set()
    assert too_general(SHOWN) == set()


def test_controls_of_names() -> None:
    rooms = {"metrics": {"mse": len, "tv": max}, "utilities": {"mse": min, "tv": max}}
    assert two_meanings(rooms) == {"mse"}
    assert too_general(rooms) == {"utilities.mse"}


# -- arguments -------------------------------------------------------------------------------------

# Why a parameter with a default may stand without its name: together with the one before it is one
# thing. The only parameter needs no name, and constructors take a mechanism's own as they will.
BY_PLACE = {
    "second_moment(law)": "a frequency, and those of all values",
    "tally(candidates)": "reports, and what they are asked",
    "channel(num_outcomes)": "rows and columns",
    "variance(frequency)": "the variance of a frequency",
    "least_squares_tree(variances)": "nodes and their variances are one thing",
    "hh_admm(variances)": "nodes and their variances are one thing",
}
LAWS = "ldp.datasets"  # the parameters of a law are its name: zipf(1000, 1.5)
DATA = ("reports", "tally", "tallies", "counts", "estimates", "nodes", "values", "sets", "laws")
WITH = ("mechanism", "mechanisms", "rounds", "channel")


Parameters = list[inspect.Parameter]


def taken_by(functions: dict[str, Any]) -> dict[str, Parameters]:
    """What functions and methods of classes are given; constructors take their own as they will."""
    found = {}
    for name, thing in functions.items():
        if inspect.isfunction(thing):
            found[name] = list(inspect.signature(thing).parameters.values())
        elif inspect.isclass(thing):
            for method, function in inspect.getmembers(thing, inspect.isfunction):
                if not method.startswith("_"):
                    given = list(inspect.signature(function).parameters.values())[1:]
                    found[f"{name}.{method}"] = given
    return found


def by_place(taken: dict[str, Parameters]) -> Iterator[tuple[str, inspect.Parameter]]:
    """Parameters that can be given without their name."""
    for name, parameters in taken.items():
        yield from ((name, p) for p in parameters if p.kind is not p.KEYWORD_ONLY)


def options_by_place(taken: dict[str, Parameters]) -> set[str]:
    """Those with a default, but for the only one and those of what makes a mechanism."""
    names = {name: [p.name for p in parameters] for name, parameters in taken.items()}
    return {
        f"{name.split('.')[-1]}({p.name})"
        for name, p in by_place(taken)
        if p.default is not p.empty and len(names[name]) > 1
        if names[name][:2] != ["domain_size", "epsilon"]
    }


def flags_by_place(taken: dict[str, Parameters]) -> set[str]:
    """Truth values among them."""
    flags = ((name, p) for name, p in by_place(taken) if p.annotation in (bool, "bool"))
    said = ((name, p) for name, p in by_place(taken) if isinstance(p.default, bool))
    return {f"{name}({p.name})" for name, p in (*flags, *said)}


def mechanism_first(taken: dict[str, Parameters]) -> set[str]:
    """Functions of data and a mechanism that do not begin with the data."""
    wrong = set()
    for name, parameters in taken.items():
        kinds = [(p.name in DATA, p.name in WITH) for p in parameters]
        data, tools = ([i for i, kind in enumerate(kinds) if kind[k]] for k in (0, 1))
        if data and tools and min(tools) < min(data):
            wrong.add(name)
    return wrong


def test_options_are_given_by_name() -> None:
    names = public_names()
    of_laws = {n for n, f in names.items() if getattr(f, "__module__", "").startswith(LAWS)}
    taken = taken_by({n: f for n, f in names.items() if n not in of_laws})
    assert options_by_place(taken) - BY_PLACE.keys() == set()
    assert flags_by_place(taken_by(names)) == set()


def test_data_come_before_mechanisms() -> None:
    assert mechanism_first(taken_by(public_names())) == set()


def test_controls_of_arguments() -> None:
    def careless(mechanism, reports, level=0.9, sharp: bool = False): ...
    def careful(reports, mechanism, *, level=0.9, sharp: bool = False): ...

    taken = taken_by({"careless": careless, "careful": careful})
    assert options_by_place(taken) == {"careless(level)", "careless(sharp)"}
    assert flags_by_place(taken) == {"careless(sharp)"}
    assert mechanism_first(taken) == {"careless"}
