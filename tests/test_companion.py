"""A claim passes exactly when it holds, and a notebook is left with its record."""

import io
import json
import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from companion import (
    CLAIM_MIME,
    CSV_MIME,
    VALUES_MIME,
    ClaimError,
    agrees,
    claim,
    look,
    smallest_fault,
    style,
)
from companion.agreement import smallest_noticed

NAN, INF = math.nan, math.inf

# ---------------------------------------------------------------- what agrees, and what must not

HOLDS = [
    {"observed": True, "expected": True},
    {"observed": np.bool_(False), "expected": False},
    {"observed": 3, "expected": 3},
    {"observed": np.int64(3), "expected": 3.0},
    {"observed": 10**30, "expected": 10**30},
    {"observed": Fraction(10, 3), "expected": Fraction(20, 6)},
    {"observed": "e", "expected": "e"},
    {"observed": ["a", "b"], "expected": ["a", "b"]},
    {"observed": 0.1 + 0.2, "expected": 0.3},
    {"observed": INF, "expected": INF},
    {"observed": [INF, 0.0], "expected": [INF, 0.0]},
    {"observed": [1e-16, 1.0], "expected": [0.0, 1.0]},
    {"observed": 0.136, "expected": 0.1364, "rtol": 1e-2},
    {"observed": 1.0 + 1e-15, "expected": 1.0, "relation": "<="},
    {"observed": [1, 2], "expected": [2, 3], "relation": "<"},
    {"observed": 2.0, "expected": 1.0, "relation": ">"},
    {"observed": 1.0, "expected": 1.4, "standard_error": 0.1},
    {"observed": 1.4, "expected": 1.0, "standard_error": 0.1, "relation": "<="},
    {"observed": 0.6, "expected": 1.0, "standard_error": 0.1, "relation": ">="},
    {"observed": -9.0, "expected": 1.0, "standard_error": 0.1, "relation": "<="},
    {"observed": 0.4, "expected": 1.0, "standard_error": 0.1, "relation": "<"},
    {"observed": [1.0, 2.0], "expected": [1.4, 2.04], "standard_error": [0.1, 0.01]},
    {"observed": 1.02, "expected": 1.0, "standard_error": 0.005, "margin": 0.05},
    {"observed": 0.9, "expected": 1.0, "standard_error": 0.01, "margin": 0.05, "relation": "<"},
    {"observed": 1.1, "expected": 1.0, "standard_error": 0.009, "margin": 0.05, "relation": ">"},
    {"observed": 1.04, "expected": 1.0, "standard_error": 0.001, "margin": 0.05, "relation": "<="},
    {"observed": 0.96, "expected": 1.0, "standard_error": 0.001, "margin": 0.05, "relation": ">="},
]
FAILS = [
    {"observed": True, "expected": False},
    {"observed": 3, "expected": 4},
    {"observed": 10**30 + 1, "expected": 10**30},
    {"observed": Fraction(1, 3), "expected": Fraction(1, 4)},
    {"observed": "a", "expected": "b"},
    {"observed": ["a", "b"], "expected": ["a", "c"]},
    {"observed": 1.0 + 1e-11, "expected": 1.0},
    {"observed": 1e-16, "expected": 0.0},
    {"observed": [1e-10, 1.0], "expected": [2e-10, 1.0]},
    {"observed": [1e-11, 1.0], "expected": [0.0, 1.0]},
    {"observed": NAN, "expected": NAN},
    {"observed": [1.0, NAN], "expected": [1.0, NAN]},
    {"observed": NAN, "expected": 1.0, "relation": "<="},
    {"observed": NAN, "expected": 1.0, "relation": ">"},
    {"observed": NAN, "expected": 1.0, "standard_error": 1e9},
    {"observed": INF, "expected": -INF},
    {"observed": INF, "expected": 1.0, "standard_error": 1.0},
    {"observed": INF, "expected": INF, "standard_error": 1.0},
    {"observed": 1.0, "expected": INF},
    {"observed": 1.0 + 1e-11, "expected": 1.0, "relation": "<="},
    {"observed": 1.0, "expected": 1.0, "relation": "<"},
    {"observed": [1, 3], "expected": [2, 3], "relation": "<"},
    {"observed": 1.0, "expected": 1.6, "standard_error": 0.1},
    {"observed": 1.6, "expected": 1.0, "standard_error": 0.1, "relation": "<="},
    {"observed": 0.4, "expected": 1.0, "standard_error": 0.1, "relation": ">="},
    {"observed": 0.6, "expected": 1.0, "standard_error": 0.1, "relation": "<"},
    {"observed": [1.0, 2.0], "expected": [1.4, 2.06], "standard_error": [0.1, 0.01]},
    {"observed": 1.03, "expected": 1.0, "standard_error": 0.005, "margin": 0.05},
    {"observed": 1.0, "expected": 1.0, "standard_error": 0.02, "margin": 0.05},
    {"observed": 0.96, "expected": 1.0, "standard_error": 0.001, "margin": 0.05, "relation": "<"},
    {"observed": 1.04, "expected": 1.0, "standard_error": 0.001, "margin": 0.05, "relation": ">"},
    {"observed": 1.04, "expected": 1.0, "standard_error": 0.01, "margin": 0.05, "relation": "<="},
    {"observed": 0.96, "expected": 1.0, "standard_error": 0.01, "margin": 0.05, "relation": ">="},
]


@pytest.mark.parametrize("case", HOLDS, ids=str)
def test_claim_that_holds_prints_its_badge(case: dict, capsys: pytest.CaptureFixture) -> None:
    claim("S004-41", **case)
    assert capsys.readouterr().out.startswith("[S004-41 checked] observed ")


@pytest.mark.parametrize("case", FAILS, ids=str)
def test_false_claim_raises(case: dict, capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(ClaimError, match=r"^S004-41: observed .* does not hold"):
        claim("S004-41", **case)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ({"id": "41"}, "id must look like S004-41 or S004-F07, got '41'"),
        ({"id": "S004-4x"}, "id must look like"),
        ({"id": "4S-41"}, "id must look like"),
        ({"id": 'S004-41" onclick='}, "id must look like"),
        ({"margin": 0.0, "standard_error": 0.1}, "margin must be between 0 and 1, got 0.0"),
        ({"margin": 0.05}, "margin needs a standard_error, got none"),
        ({"notices": -0.1}, "notices must not be negative, got -0.1"),
        ({"notices": NAN}, "notices must not be negative, got nan"),
        ({"rtol": 1.0}, r"rtol must be in \[0, 1\), got 1.0"),
        ({"rtol": NAN}, "rtol must be in"),
        ({"relation": "!="}, "relation must be one of"),
        ({"standard_error": NAN}, "standard_error must be finite and not negative, got nan"),
        ({"standard_error": INF}, "standard_error must be finite and not negative, got inf"),
        ({"standard_error": -1.0}, "standard_error must be finite and not negative, got -1.0"),
        ({"expected": [1.0]}, "observed and expected must have one shape"),
        ({"observed": [], "expected": []}, "observed must hold at least one value, got none"),
        ({"observed": True}, "observed and expected must be of one kind, got boolean, number"),
        ({"observed": None}, "observed must hold booleans, numbers or strings"),
        ({"observed": 1j}, "observed must hold booleans, numbers or strings"),
        ({"observed": "a", "expected": "a", "relation": "<"}, "relation must be =="),
    ],
    ids=str,
)
def test_misuse_is_an_error_and_not_a_verdict(case: dict, message: str) -> None:
    arguments = {"id": "S004-41", "observed": 1.0, "expected": 1.0} | case
    with pytest.raises((ValueError, TypeError), match=message):
        claim(arguments.pop("id"), **arguments)


@pytest.mark.statistical
def test_five_standard_errors_let_truth_pass_and_catch_a_bias() -> None:
    """A normal error passes but for one run in 1.7 million; a shift of 10 standard errors fails.

    The shift leaves 5 standard errors: it would slip through with probability 2.9e-7.
    """
    rng = np.random.default_rng(1)
    error = 1 / math.sqrt(10_000)
    mean = rng.standard_normal(10_000).mean()
    assert agrees(mean, 0.0, standard_error=error)
    assert not agrees(mean + 10 * error, 0.0, standard_error=error)


# --------------------------------------------------------------- the smallest fault that is seen

POWERS = [
    ({"observed": 3.0, "expected": 3.0}, 1e-12),
    ({"observed": 3.0, "expected": 3.0, "rtol": 1e-3}, 1e-3),
    ({"observed": Fraction(1, 3), "expected": Fraction(1, 3)}, 0.0),
    ({"observed": 1.02, "expected": 1.0, "standard_error": 0.01}, 0.06645),
    ({"observed": [1.0, 5.0], "expected": [1.0, 5.0], "standard_error": 0.1}, 0.1329),
    ({"observed": 2.0, "expected": 2.5, "relation": "<="}, 0.25),
    ({"observed": 2.0, "expected": 1.5, "relation": ">"}, 0.25),
    ({"observed": 2.0, "expected": 3.0, "standard_error": 0.1, "relation": "<"}, 0.33225),
    ({"observed": 2.0, "expected": 3.0, "standard_error": 0.1, "relation": "<="}, 0.83225),
    ({"observed": 1.0, "expected": 1.0, "standard_error": 0.001, "margin": 0.05}, 0.046645),
    ({"observed": 3, "expected": 3}, None),
    ({"observed": True, "expected": True}, None),
    ({"observed": "a", "expected": "a"}, None),
    ({"observed": [0.0], "expected": [0.0]}, None),
    ({"observed": 0.0, "expected": 0.0, "standard_error": 1.0}, None),
]


@pytest.mark.parametrize(("case", "fault"), POWERS, ids=str)
def test_smallest_noticed_fault_is_stated(case: dict, fault: float | None) -> None:
    found = smallest_noticed(**case)
    assert found == (None if fault is None else pytest.approx(fault))


@pytest.mark.parametrize(("case", "fault"), [c for c in POWERS if c[1]], ids=str)
def test_stated_fault_is_where_the_rule_begins_to_refuse(case: dict, fault: float) -> None:
    """Without luck: moved by what it takes to be sure, each side of the stated fault differs."""
    error = np.max(np.asarray(case.get("standard_error", 0.0)))
    upwards = case.get("relation", "==") in ("==", "<", "<=")

    def passes(factor: float) -> bool:
        centre = case["expected"] if case.get("relation", "==") == "==" else case["observed"]
        scale = 1 + factor * fault if upwards else 1 - factor * fault
        sure = -1.645 * error if upwards else 1.645 * error  # the noise that still helps it pass
        return agrees(
            scale * np.asarray(centre) + sure, **{k: case[k] for k in case if k != "observed"}
        )

    assert passes(0.99)
    assert not passes(1.01)


def test_smallest_fault_is_found_by_bisection_and_must_show_on_both_sides() -> None:
    both = smallest_fault(lambda scale: 0.99 <= scale <= 1.03)
    assert 0.03 <= both <= 0.03 * 1.01
    assert smallest_fault(lambda scale: scale >= 0.99) is None
    with pytest.raises(ValueError, match="check must pass where nothing is falsified"):
        smallest_fault(lambda scale: False)
    with pytest.raises(ValueError, match="most must be between 0 and 1, got 1"):
        smallest_fault(lambda scale: scale == 1, most=1)


# ------------------------------------------------------------------- what a notebook is left with


@pytest.fixture
def shell():
    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()


def outputs_of(shell: InteractiveShell, code: str) -> list[dict]:
    with capture_output() as captured:
        shell.run_cell(code).raise_error()
    return [output.data for output in captured.outputs]


def test_notebook_gets_badge_text_and_record(shell: InteractiveShell) -> None:
    code = (
        "import numpy as np\n"
        "from companion import claim\n"
        "claim('S004-44', observed=np.array([0, 10 / 3]), expected=[0, 3.3], standard_error=0.1)"
    )
    (data,) = outputs_of(shell, code)
    assert "S004-44 checked" in data["text/html"]
    assert data["text/plain"].startswith("[S004-44 checked]")
    record = data[CLAIM_MIME]
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert record == {
        "id": "S004-44",
        "observed": [0.0, 10 / 3],
        "expected": [0.0, 3.3],
        "relation": "==",
        "tolerance": "tolerance 5 standard errors of 0.1",
        "standard_error": 0.1,
        "rtol": 1e-12,
        "margin": None,
        "notices": pytest.approx(6.645 * 0.1 / 3.3),
        "farthest": pytest.approx((10 / 3 - 3.3) / 0.1),
        "size": 2,
        "values": {},
    }


def test_records_are_json_even_when_infinite_exact_or_long(shell: InteractiveShell) -> None:
    code = (
        "from fractions import Fraction\nimport numpy as np\nfrom companion import claim\n"
        "claim('S004-44', observed=np.inf, expected=np.inf)\n"
        "claim('S004-44', observed=Fraction(1, 3), expected=Fraction(1, 3))\n"
        "claim('S004-44', observed=np.arange(40.0), expected=np.arange(40.0))\n"
        "claim('S004-44', observed='<b>', expected='<b>')\n"
        "claim('S004-44', observed=np.ones(40, bool), expected=np.ones(40, bool))\n"
    )
    first, second, third, fourth, fifth = outputs_of(shell, code)
    assert first[CLAIM_MIME]["observed"] == "inf"
    assert second[CLAIM_MIME]["observed"] == "1/3"
    assert third[CLAIM_MIME]["observed"] == {"shape": [40], "min": 0.0, "max": 39.0}
    assert "<b>" not in fourth["text/html"]
    assert fifth[CLAIM_MIME]["observed"] == {"shape": [40], "min": True, "max": True}


def test_false_claim_stops_the_cell_and_leaves_nothing(shell: InteractiveShell) -> None:
    code = "from companion import claim\nclaim('S004-44', observed=1.0, expected=1.1)"
    with capture_output() as captured, pytest.raises(ClaimError):
        shell.run_cell(code).raise_error()
    assert captured.outputs == []


def test_style_does_not_rely_on_colour_and_lends_the_ground_of_the_page() -> None:
    mpl = pytest.importorskip("matplotlib")
    with mpl.rc_context():
        style()
        cycle = mpl.rcParams["axes.prop_cycle"].by_key()
        assert mpl.rcParams["figure.facecolor"] == mpl.rcParams["savefig.facecolor"] == "none"
    assert len(set(cycle["color"])) == len(set(map(str, cycle["linestyle"]))) == 7


def test_vector_figures_keep_text_as_text_fit_a_telephone_and_have_equal_bytes() -> None:
    mpl = pytest.importorskip("matplotlib")
    from matplotlib import pyplot as plt

    drawn = []
    for _ in range(2):
        with mpl.rc_context():
            style()
            figure, axes = plt.subplots()
            axes.plot([0, 1], [0, 1])
            axes.set_title("a finding")
            file = io.StringIO()
            figure.savefig(file, format="svg", metadata={"Date": None})
            plt.close(figure)
            drawn.append(file.getvalue())
    assert drawn[0] == drawn[1]
    assert ">a finding</text>" in drawn[0]
    assert float(re.search(r'width="([\d.]+)pt"', drawn[0])[1]) * 4 / 3 <= 360


def test_looks_that_are_compared_differ_in_colour_and_in_marker() -> None:
    from companion.figures import LOOKS

    together = [
        ("GRR", "OUE", "OLH", "SUE", "BLH", "HR", "SS"),
        ("raw", "Norm-Sub", "maximum likelihood", "MAP", "posterior mean"),
        ("EM", "EMS", "tree", "16 bins", "64 bins"),
        ("central", "local"),
    ]
    for names in together:
        for part in (0, 1):
            assert len({LOOKS[name][part] for name in names}) == len(names), names
    with pytest.raises(ValueError, match=r"name must be one of truth, .*, got 'Norm-Add'"):
        look("Norm-Add")


DRAW = """
import numpy as np
from matplotlib import pyplot as plt
from companion import remember, style
style()
remember(gain=np.array([0.25, 1.5]))
figure, (left, right, third) = plt.subplots(1, 3)
left.set_title("left")
left.errorbar([1, 2], [3, 4], [0.5, 0.5], label="GRR")
right.bar([0, 1], [5, 7])
right.scatter([8], [9])
third.pcolormesh(np.array([[1.0, 2.0]]))
display(figure)
figure.axes[0].plot(np.arange(6000))
display(figure)
"""


def test_a_figure_brings_its_numbers_unless_they_are_too_many(shell: InteractiveShell) -> None:
    mpl = pytest.importorskip("matplotlib")
    with mpl.rc_context():
        mpl.use("agg")
        numbers, drawn, crowded = outputs_of(shell, DRAW)
    assert numbers[VALUES_MIME] == {"values": {"gain": [0.25, 1.5]}}
    rows = drawn[CSV_MIME].splitlines()
    assert rows[0] == "panel,kind,series,x,y"
    for row in ("left,line,1,1,3", "left,bar,1,2,4.5", ",bar,1,1,7", ",mark,1,8,9"):
        assert row in rows, drawn[CSV_MIME]
    assert ",cell of row 0,1,1,2" in rows
    assert CSV_MIME not in crowded


def test_the_package_draws_nothing_and_knows_nothing_of_the_book(root: Path) -> None:
    foreign = re.compile(r"^\s*(?:import|from) (?:matplotlib|companion|IPython)\b", re.M)
    users = [p.name for p in (root / "ldp").rglob("*.py") if foreign.search(p.read_text("utf-8"))]
    assert users == []
