"""The package, the sources and the data that the site carries: whole, equal, and installable."""

import io
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import archives


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    archives.write(archives.ROOT, folder)
    return folder


@pytest.fixture(scope="module")
def unpacked(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of sources, as whoever downloads the archive has it: without git."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(site / archives.names()["source"]) as archive:
        archive.extractall(folder, filter="data")
    (project,) = folder.iterdir()
    return project


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_names_are_those_of_the_files(site: Path) -> None:
    found = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert found == set(archives.names().values())


def test_the_wheel_is_the_package_and_can_be_installed_alone(site: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    wheel = site / archives.names()["wheel"]
    subprocess.run([*command, "--target", str(tmp_path), str(wheel)], check=True)
    package = archives.ROOT / "ldp"
    for path in package.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert (tmp_path / "ldp" / path.relative_to(package)).read_bytes() == path.read_bytes()
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import ldp; print(ldp.__file__)"
    command = [sys.executable, "-P", "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()).is_relative_to(tmp_path)


def test_the_sources_give_the_same_archives_again(site: Path, unpacked: Path) -> None:
    """Also where git is not there to say what a source is, beside what tools leave."""
    assert archives.sources(unpacked) == archives.sources(archives.ROOT)
    for rest in (".venv/bin/python", "_build/html/index.html", "ldp/__pycache__/a.pyc"):
        (unpacked / rest).parent.mkdir(parents=True, exist_ok=True)
        (unpacked / rest).touch()
    again = unpacked / "_build" / "again"
    again.mkdir()
    archives.write(unpacked, again)
    for name in archives.names().values():
        assert (again / name).read_bytes() == (site / name).read_bytes(), name


def test_git_names_the_unpacked_sources_as_it_names_the_commit(tmp_path: Path) -> None:
    """The identifier `dir` of a page can be found again in the archive beside it."""
    project = tmp_path / "project"
    (project / "ldp").mkdir(parents=True)
    (project / "ldp" / "__init__.py").write_text('__version__ = "1"\n')
    (project / "run").write_text("#!/bin/sh\n")
    (project / "run").chmod(0o755)
    (project / ".gitignore").write_text("rest\n")
    (project / "rest").touch()
    git(tmp_path, "init", "--quiet", str(project))
    git(project, "add", ".")
    tree = git(project, "write-tree")
    archives.write_source(project, tmp_path / "project-1.tar.gz")
    shutil.rmtree(project)
    with tarfile.open(tmp_path / "project-1.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    git(tmp_path, "init", "--quiet", "project-1")
    git(tmp_path / "project-1", "add", "--force", ".")
    assert git(tmp_path / "project-1", "write-tree") == tree
    (tmp_path / "project-1" / "run").chmod(0o644)  # control: one right, and it is another name
    git(tmp_path / "project-1", "add", "--force", ".")
    assert git(tmp_path / "project-1", "write-tree") != tree


def test_the_data_are_the_tables_of_package_and_studies(site: Path) -> None:
    packed = (site / archives.names()["data"]).read_bytes()
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert {"ldp/datasets/adult_workclass.csv", "studies/adobest.json"} <= {*archive.namelist()}
        for name in archive.namelist():
            assert archive.read(name) == (archives.ROOT / name).read_bytes()
