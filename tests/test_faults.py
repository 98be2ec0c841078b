"""The lists of seeded faults and of mutants fit the files that they speak of."""

from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
FAULTS = yaml.safe_load((ROOT / "tests" / "faults.yml").read_text())
MUTANTS = yaml.safe_load((ROOT / "tests" / "mutants.yml").read_text())


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault["name"])
def test_a_fault_fits_its_file(fault):
    text = (ROOT / fault["file"]).read_text()
    assert text.count(fault["old"]) == 1
    compile(text.replace(fault["old"], fault["new"]), fault["file"], "exec")
    assert fault["new"] != fault["old"]
    assert (ROOT / "tests" / f"{fault['test']}.py").exists()
    assert "chapter" not in fault or (ROOT / "book" / f"{fault['chapter']}.md").exists()


def test_twenty_formulas_have_a_fault():
    assert len({fault["name"] for fault in FAULTS}) == len(FAULTS) >= 20
    assert sum("chapter" in fault for fault in FAULTS) >= 12


def test_tests_of_mutants_exist_and_every_module_has_some():
    for place, names in MUTANTS["tests"].items():
        assert (ROOT / place).exists()
        for name in names:
            assert (ROOT / "tests" / f"test_{name}.py").exists(), name
    for path in (ROOT / "ldp").glob("*/*.py"):
        place = str(path.relative_to(ROOT))
        found = [p for p in MUTANTS["tests"] if p == place or (p.endswith("/") and p in place)]
        assert found or len(path.read_text()) < 200, place


def test_equivalent_mutants_fit_their_files():
    for mutant in MUTANTS["equivalent"]:
        assert (ROOT / mutant["file"]).read_text().count(mutant["old"]) == 1, mutant
        assert mutant["new"] != mutant["old"]
        assert mutant["reason"].endswith(".")
