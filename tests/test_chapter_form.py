"""How every chapter begins, teaches, and ends: the rules that make it one book."""

import re
import subprocess
import sys

import nbformat
from claims_badge import section_ends
from test_chapters import code_cells, num_words, prose, text_of

import course
from tools import chapters, outputs

NAMES = chapters.names()
ENDS = ["In short", "What does not hold", "What the sources say", "Exercises", "Further reading"]
SHOWN_LINES, SHOWN_COLUMNS = 8, 80
FIRST_CHAPTERS = tuple(NAMES[:5])  # for readers who have not met a formula of the field
WORDS_PER_FORMULA = 20
FOLDED = {"hide-input", "hide-cell", "remove-cell", "remove-input"}
# What only a reader of the sources has met.
STRANGER = re.compile(r"\bS00[0-4]\b|\b[Ss]lides?\b|\bmisprint")
ROLE = re.compile(r"\{[\w:]+\}`[^`]*`")


def shown(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """Code that a reader sees without unfolding anything, solutions left out."""
    cells, solution = [], False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for gate in re.findall(r"^`{3,}\{solution-(start|end)\}", cell.source, re.M):
                solution = gate == "start"
        elif not solution and not FOLDED & set(cell.metadata.get("tags", [])):
            cells.append(cell)
    return cells


def sections(text: str) -> list[tuple[str, str]]:
    """Headings of the second level, outside every block, each with what follows it."""
    lines = text.splitlines()
    starts = [at for at in section_ends(text) if lines[at].startswith("## ")]
    bounds = zip(starts, [*starts[1:], len(lines)], strict=True)
    bodies = [(lines[at][3:], "\n".join(lines[at:end])) for at, end in bounds]
    return [("", "\n".join(lines[: starts[0]])), *bodies]


def undefined(code: str) -> str:
    """Names that a piece of code uses and does not define, in the linter's words."""
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F821", "-"]
    done = subprocess.run(
        [*command, "--output-format", "concise"], input=code, capture_output=True, text=True
    )
    return "" if done.returncode == 0 else done.stdout


def test_the_head_says_what_is_needed_what_is_learned_and_how_long_it_takes(name: str) -> None:
    text = chapters.source(name).read_text(encoding="utf-8")
    head = text.split("```{code-cell}", 1)[0]
    for promise in ("**You need**", "**You will be able to**", "**Reading takes "):
        assert promise in head
    chapter = course.read(name, text)
    assert chapter.minutes
    assert 2 <= len(chapter.objectives) <= 5
    assert not re.search(r"^## ", head, re.M)


def test_every_chapter_ends_alike(notebook: nbformat.NotebookNode) -> None:
    titles = [title for title, _ in sections(text_of(notebook))]
    assert titles[-len(ENDS) :] == ENDS


def test_in_short_is_short(notebook: nbformat.NotebookNode) -> None:
    words = num_words(prose(dict(sections(text_of(notebook)))["In short"]))
    assert 25 <= words <= 130


def test_exercises_are_graded(name: str) -> None:
    text = chapters.source(name).read_text(encoding="utf-8")
    grades = [exercise.difficulty for exercise in course.read(name, text).exercises]
    assert grades == list(course.DIFFICULTIES)


def test_shown_code_is_short_and_narrow(notebook: nbformat.NotebookNode) -> None:
    for cell in shown(notebook):
        lines = cell.source.splitlines()
        where = outputs.place(cell)
        assert len(lines) <= SHOWN_LINES, f"{where}: {len(lines)} lines"
        assert max(map(len, lines)) <= SHOWN_COLUMNS, f"{where}: {max(map(len, lines))} columns"


def test_shown_code_runs_as_pasted(notebook: nbformat.NotebookNode) -> None:
    code = "\n".join(cell.source for cell in shown(notebook))
    assert "import" in code
    assert undefined(code) == ""


def test_a_name_that_no_shown_cell_defines_is_found() -> None:
    assert "`gain`" in undefined("x = 1\nprint(x, gain)\n")
    assert undefined("x = 1\nprint(x)\n") == ""


def test_the_main_text_needs_no_source(notebook: nbformat.NotebookNode) -> None:
    quarrels = ("What the sources say", "Further reading")
    for title, body in sections(text_of(notebook)):
        if title not in quarrels:
            found = STRANGER.search(ROLE.sub("", prose(body)))
            assert not found, f"{title}: {found[0]}"


def test_readers_can_check_themselves(notebook: nbformat.NotebookNode) -> None:
    text = text_of(notebook)
    questions = re.findall(
        r"^`{3,}\{admonition\} Check yourself: (.+)\n:class: dropdown", text, re.M
    )
    stated = re.findall(r"^`{3,}\{prf:(?:definition|proposition|theorem|lemma)\}", text, re.M)
    assert len(questions) >= max(2, len(stated) // 2), (len(questions), len(stated))
    assert all(question.rstrip().endswith("?") for question in questions)


def test_there_are_more_words_than_formulas(name: str, notebook: nbformat.NotebookNode) -> None:
    text = prose(text_of(notebook))
    if name in FIRST_CHAPTERS:
        formulas = len(re.findall(r"(?<![\w])x(?![\w])", text))
        assert num_words(text) - formulas >= WORDS_PER_FORMULA * formulas


def test_every_figure_has_the_width_of_a_telephone(notebook: nbformat.NotebookNode) -> None:
    for cell in code_cells(notebook):
        if cell.metadata.get("mystnb"):
            sizes = re.findall(r"figsize=\(([\d.]+)", cell.source)
            assert all(float(width) <= 3.75 for width in sizes), outputs.place(cell)
            assert not re.search(r"subplots\((\d|nrows|ncols)", cell.source), "panels are figures"
