"""One run of a small book: what must pass passes, what must fail fails by name."""

import base64
import io
import json
import os
import platform
import re
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import nbformat
import pytest
from matplotlib.figure import Figure
from PIL import Image, ImageChops
from small_book import BAD, tool, write_project

from tools import chapters, freshness, outputs, runs


def test_a_bad_chapter_makes_the_exit_status_1(bad_book: tuple[Path, str, int]) -> None:
    assert bad_book[2] == 1
    assert f"{len(BAD) + 1} chapters, {len(BAD) + 1} run" in bad_book[1]
    assert bad_book[1].rstrip().endswith(f"{len(BAD)} failed")


@pytest.mark.parametrize("name", BAD)
def test_report_names_chapter_cell_and_message(bad_book: tuple[Path, str, int], name: str) -> None:
    found = re.search(rf"^FAILED {name}, (.*):\n  (.*)$", bad_book[1], re.M)
    assert found, bad_book[1]
    assert BAD[name][1] in found[2]
    if name not in ("02-undeclared", "03-missing", "04-elsewhere"):
        assert found[1] == "code cell 2 (line 15)"


@pytest.mark.parametrize("name", BAD)
def test_a_bad_chapter_leaves_nothing_to_publish(
    bad_book: tuple[Path, str, int], name: str
) -> None:
    project = bad_book[0]
    assert name in freshness.stale(project)
    if name not in ("02-undeclared", "03-missing", "04-elsewhere"):
        assert not chapters.executed(name, project).exists()
        assert not chapters.claims_path(name, project).exists()
        assert name not in runs.load(project)["chapters"]


def test_the_good_chapter_passes_beside_the_bad_ones(bad_book: tuple[Path, str, int]) -> None:
    project, report, _ = bad_book
    assert "FAILED 00-good" not in report
    assert re.search(r"^  00-good +\d+\.\d s +\d+ MB  fast$", report, re.M)
    assert "00-good" not in freshness.stale(project)


def test_claim_records_say_where_they_stand(bad_book: tuple[Path, str, int]) -> None:
    (record,) = json.loads(chapters.claims_path("00-good", bad_book[0]).read_text())
    assert record["id"] == "S000-01"
    assert (record["cell"], record["code_cell"], record["line"]) == (2, 2, 15)
    assert (record["chapter"], record["profile"]) == ("00-good", "fast")
    assert 0 < record["seconds"] < 60


def test_the_run_says_what_it_was_computed_with(bad_book: tuple[Path, str, int]) -> None:
    run = runs.load(bad_book[0])["chapters"]["00-good"]["run"]
    assert datetime.fromisoformat(run["date"]) <= datetime.now(UTC)
    assert run["commit"] == "unknown"  # the small book is in no repository
    assert run["python"] == platform.python_version()
    assert set(run["threads"].values()) == {"1"}
    assert run["cores"] == os.cpu_count()
    for name in ("system", "processor", "ldp", "simd"):
        assert run[name]
    assert set(run["blas"]) == {"numpy", "scipy"}
    versions = run["distributions"]
    assert versions["numpy"] == metadata.version("numpy")
    assert {"ipykernel", "scipy"} <= set(versions)
    absent = {"cvxpy", "matplotlib", "numba", "papermill"}  # installed, but not imported
    assert not absent & set(versions)


def test_executed_notebook_holds_nothing_of_the_machine(bad_book: tuple[Path, str, int]) -> None:
    path = chapters.executed("00-good", bad_book[0])
    text = path.read_text()
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    assert str(bad_book[0]) not in text
    assert str(Path.home()) + "/" not in text
    assert not re.search(r"papermill|start_time|input_path", text)
    injected = next(c for c in notebook.cells if c.id == "injected-parameters")
    assert "remove-cell" in injected.metadata.tags


def test_failed_chapter_is_kept_for_inspection(bad_book: tuple[Path, str, int]) -> None:
    failed = {p.stem for p in (bad_book[0] / "_build" / "failed").glob("*.ipynb")}
    assert failed >= {"00-slow", "07-warning", "11-error"}
    assert "00-good" not in failed


def test_printed_text_is_one_piece_however_the_kernel_cut_it() -> None:
    def printed(text: str, name: str = "stdout") -> nbformat.NotebookNode:
        return nbformat.v4.new_output("stream", name=name, text=text)

    image = nbformat.v4.new_output("display_data", {"image/png": "AA=="})
    merged = outputs.merge_streams([printed("a"), printed("b\n"), image, printed("c")])
    assert [output.get("text") for output in merged] == ["ab\n", None, "c"]
    assert len(outputs.merge_streams([printed("a"), printed("b", "stderr")])) == 2


def drawn(paper: str) -> str:
    """A figure with lines and letters, as a notebook stores it."""
    figure = Figure(dpi=110)
    axes = figure.add_subplot(facecolor=paper)
    for k in range(1, 9):
        axes.plot([0, 1], [0, k], label=f"law {k}")
    axes.legend(frameon=False)
    file = io.BytesIO()
    figure.savefig(file, format="png", facecolor=paper)
    return base64.b64encode(file.getvalue()).decode("ascii")


def test_a_figure_is_stored_with_few_colours_and_looks_the_same() -> None:
    png = drawn("#fdfcfb")
    light = outputs.lighten(png)
    assert len(light) < len(png) / 2
    before, after = (
        Image.open(io.BytesIO(base64.b64decode(p))).convert("RGB") for p in (png, light)
    )
    assert before.getpixel((0, 0)) == after.getpixel((0, 0)), "the paper changed its colour"
    change = ImageChops.difference(before, after)
    assert max(top for _, top in change.getextrema()) <= 16  # a sixteenth of the scale: not seen
    assert change.getbbox() is not None, "the figure has too few shades to test anything"


def test_a_transparent_figure_is_stored_as_it_is() -> None:
    png = drawn("none")
    assert outputs.lighten(png) == png


def test_several_images_of_a_cell_share_one_alternative_text() -> None:
    show = nbformat.v4.new_output("display_data", {"image/png": "AA=="})
    cell = nbformat.v4.new_code_cell(outputs=[show, show])
    place = {"code_cell": 1, "line": 0}
    cell.metadata = nbformat.from_dict({"ldp": place, "mystnb": {"image": {"alt": "x"}}})
    notebook = nbformat.v4.new_notebook(cells=[cell])
    assert outputs.first_fault(notebook, chapters.ROOT) is None
    cell.metadata["mystnb"] = {}
    assert "without alternative text" in outputs.first_fault(notebook, chapters.ROOT)[1]


def test_a_chapter_without_the_profile_parameter_is_refused(tmp_path: Path) -> None:
    project = write_project(tmp_path / "book", {"00-bare": "print(1)"})
    page = project / "book" / "00-bare.md"
    page.write_text(page.read_text().replace('profile = "fast"\n', ""))
    done = tool("run.py", project)
    assert done.returncode == 1
    assert "the parameters cell does not define profile" in done.stdout
