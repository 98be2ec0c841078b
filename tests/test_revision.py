"""What the sources are called: commit, tree, and whether they differ from them."""

import subprocess
from pathlib import Path

import pytest

from tools import revision


def git(folder: Path, *arguments: str) -> str:
    names = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org")
    command = ["git", "-C", str(folder), *names, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "page.md").write_text("# Page\n")
    (tmp_path / ".gitignore").write_text("_build\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "A page")
    return tmp_path


def test_identifiers_are_gits_names_of_the_commit_and_its_files(repository: Path) -> None:
    commit, tree = git(repository, "log", "-1", "--format=%H %T").split()
    names = {"rev": f"swh:1:rev:{commit}", "dir": f"swh:1:dir:{tree}"}
    assert revision.identifiers(repository) == names
    assert revision.commit(repository) == commit[:12]


def test_the_tree_is_known_by_its_files_alone(repository: Path) -> None:
    before = revision.identifiers(repository)
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "The same files again")
    after = revision.identifiers(repository)
    assert after["dir"] == before["dir"]
    assert after["rev"] != before["rev"]


@pytest.mark.parametrize("name", ["page.md", "new.md"])
def test_a_change_makes_the_sources_dirty(repository: Path, name: str) -> None:
    (repository / "_build").mkdir()
    (repository / "_build" / "page.html").write_text("ignored")
    assert not revision.is_dirty(repository)
    (repository / name).write_text("# Another\n")
    assert revision.is_dirty(repository)
    assert revision.commit(repository).endswith("-dirty")


@pytest.mark.parametrize("inside", [False, True])
def test_outside_a_repository_there_is_no_name(repository: Path, inside: bool) -> None:
    # A folder unpacked inside somebody else's repository is not that repository.
    folder = repository / "unpacked" if inside else repository.with_name("elsewhere")
    folder.mkdir()
    assert revision.commit(folder) == "unknown"
    assert revision.identifiers(folder) == {}
