"""The form of the chapters: short cells, real alternative texts, exercises that are executed."""

import ast
import re
from pathlib import Path

import jupytext
import nbformat
import pytest

from tools import chapters, freshness, outputs

NAMES = chapters.names()
MAX_CELL_LINES = 15
MAX_FIGURES = 6  # cells, each of one panel or of several
WORDS = range(1_500, 2_801)
NUM_EXERCISES = 3
ALT_LENGTH = range(40, 401)
FENCE = re.compile(r"^(`{3,}|:{3,})(.*)$")
NOT_PROSE = ("{math}", "{code-block}", "{bibliography}", "python", "text", "bash")


def code_cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def text_of(notebook: nbformat.NotebookNode) -> str:
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def prose(markdown: str) -> str:
    """Text of a page without mathematics, listings, comments, options and directive lines."""
    kept, hidden = [], None
    for line in markdown.splitlines():
        fence = FENCE.match(line.strip())
        if hidden:
            hidden = None if fence and fence[1].startswith(hidden) and not fence[2] else hidden
        elif fence and fence[2].strip().startswith(NOT_PROSE):
            hidden = fence[1]
        elif not fence and not re.match(r"^\s*(:[\w-]+:|%|\+\+\+)", line):
            kept.append(line)
    text = re.sub(r"<!--.*?-->|\$\$.*?\$\$", " ", "\n".join(kept), flags=re.S)
    return re.sub(r"\$[^$]*\$", " x ", text)


def num_words(text: str) -> int:
    return len(re.findall(r"[^\W\d_][\w'’-]*", text))


def test_prose_counts_words_that_are_read() -> None:
    page = "# Two words\n\n```{math}\n:label: eq-a\na = b\n```\n\n% a note\nA $x + y$ *b*.\n"
    page += "```{exercise} Name\n:label: ex-a\nSay why.\n```\n"
    assert prose(page).split() == ["#", "Two", "words", "A", "x", "*b*.", "Say", "why."]
    assert num_words(prose(page)) == 7


def test_there_are_five_chapters_or_more() -> None:
    assert len(NAMES) >= 5


def test_one_parameters_cell_of_plain_assignments(notebook: nbformat.NotebookNode) -> None:
    tagged = [c for c in code_cells(notebook) if "parameters" in c.metadata.get("tags", [])]
    assert tagged == code_cells(notebook)[:1], "the first code cell, and no other"
    values = {}
    for statement in ast.parse(tagged[0].source).body:
        assert isinstance(statement, ast.Assign), ast.unparse(statement)
        (target,) = statement.targets
        values[target.id] = ast.literal_eval(statement.value)
    assert values["profile"] == "fast"
    assert isinstance(values["seed"], int)


def test_cells_are_short_and_plain_python(notebook: nbformat.NotebookNode) -> None:
    for cell in code_cells(notebook):
        lines = cell.source.splitlines()
        assert 0 < len(lines) <= MAX_CELL_LINES, f"{outputs.place(cell)}: {len(lines)} lines"
        ast.parse(cell.source)  # fails on magics and shell escapes


def test_random_numbers_come_from_the_seed(notebook: nbformat.NotebookNode) -> None:
    code = "\n".join(cell.source for cell in code_cells(notebook))
    assert not re.search(r"np\.random\.(?!default_rng\(|Generator\b|SeedSequence\b)\w+", code)
    assert not re.search(r"default_rng\(\s*\)", code)


def test_prose_has_the_length_of_one_idea(notebook: nbformat.NotebookNode) -> None:
    assert num_words(prose(text_of(notebook))) in WORDS


def test_one_heading_of_the_first_level(notebook: nbformat.NotebookNode) -> None:
    assert len(re.findall(r"^# ", prose(text_of(notebook)), re.M)) == 1


def test_figures_have_alternative_texts_names_and_captions() -> None:
    seen: dict[str, str] = {}
    for name in NAMES:
        notebook = chapters.read(chapters.source(name).read_text(encoding="utf-8"))
        figures = [c for c in code_cells(notebook) if c.metadata.get("mystnb")]
        assert len(figures) <= MAX_FIGURES, name
        for cell in figures:
            options = cell.metadata["mystnb"]
            where = f"{name}, {outputs.place(cell)}"
            alt, figure = options["image"]["alt"], options["figure"]
            assert len(alt) in ALT_LENGTH, f"{where}: alt of {len(alt)} characters"
            assert alt.strip() != figure["caption"].strip(), where
            for text in (alt, figure["name"]):
                assert text not in seen, f"{where} and {seen.get(text)} share {text!r}"
                seen[text] = where
            assert figure["name"].startswith("fig-"), where


def test_every_exercise_has_an_executed_solution(notebook: nbformat.NotebookNode) -> None:
    exercises = re.findall(r"^`{3,}\{exercise\}.*\n:label: (\S+)", text_of(notebook), re.M)
    assert len(exercises) == len(set(exercises)) == NUM_EXERCISES
    solved: dict[str, int] = {}
    current = None
    for cell in notebook.cells:
        if cell.cell_type == "code":
            if current:
                solved[current] += 1
            continue
        for gate in re.finditer(r"^`{3,}\{solution-(start|end)\} ?(\S*)", cell.source, re.M):
            assert (gate[1] == "start") == (current is None), (
                f"unpaired gate of {gate[2] or current}"
            )
            current = gate[2] or None
            if current:
                solved[current] = 0
                rest = cell.source[gate.end() :]
                assert re.match(r"\n(:\w+:.*\n)*:class: dropdown", rest), f"{current} is not folded"
    assert current is None
    assert sorted(solved) == sorted(exercises)
    assert all(solved.values()), f"a solution without code: {solved}"


def test_displayed_equations_use_the_directive(notebook: nbformat.NotebookNode) -> None:
    assert not re.search(r"^\\begin\{(align|equation|gather)\*?\}", text_of(notebook), re.M)


def test_sources_are_named(notebook: nbformat.NotebookNode) -> None:
    assert re.search(r"^## (Sources|Where the sources|What the sources)", text_of(notebook), re.M)
    assert re.search(r"\{cite(:\w)?\}", text_of(notebook))


def test_jupytext_reads_the_same_cells(name: str) -> None:
    """People who open a chapter in Jupyter see the cells that the book runs."""
    text = chapters.source(name).read_text(encoding="utf-8")
    ours = [c.source for c in code_cells(chapters.read(text))]
    theirs = [c.source for c in code_cells(jupytext.reads(text, fmt="md:myst"))]
    assert ours == theirs


# --- after a run ---


@pytest.mark.chapters
def test_no_chapter_is_stale() -> None:
    assert freshness.stale() == {}


@pytest.mark.chapters
def test_run_shows_a_figure_where_one_is_promised(name: str) -> None:
    run = nbformat.read(chapters.executed(name), as_version=4)
    for cell in code_cells(run):
        promised = bool(cell.metadata.get("mystnb", {}).get("figure"))
        assert bool(outputs.images(cell)) == promised, cell.source


@pytest.mark.chapters
def test_nothing_published_names_this_machine(name: str, root: Path) -> None:
    text = chapters.executed(name).read_text(encoding="utf-8")
    assert str(root) not in text
    assert str(Path.home()) + "/" not in text
