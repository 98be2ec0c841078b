"""Claims at other seeds: what held, what did not, and what was not reached."""

import json
from pathlib import Path

import seeds
from small_book import declaration, tool, write_project

# Each holds at the seed of the chapter, which is 1.
CELLS = """\
from companion import claim

def compare(name, difference):
    claim(name, observed=float(difference), expected=0.0, standard_error=0.1, notices=0)

compare("S000-01", seed == seeds_first)
```

```{code-cell} ipython3
compare("S000-02", False)
assert seed != seeds_first + 1
compare("S000-03", False)
claim("S000-04", observed=3, expected=3, notices=0)"""
LEDGER = "".join(declaration(f"S000-0{k}", "00-random") for k in range(1, 5))


def test_every_claim_is_counted_at_every_seed(tmp_path: Path) -> None:
    cells = CELLS.replace("seeds_first", str(seeds.FIRST))
    project = write_project(tmp_path / "book", {"00-random": cells})
    (project / "book" / "claims.yml").write_text(LEDGER)
    assert tool("seeds.py", project).returncode == 2, "no chapter has been run"
    done = tool("run.py", project)
    assert done.returncode == 0, done.stdout + done.stderr
    done = tool("seeds.py", project, "--seeds", "3")
    assert done.returncode == 1, done.stdout + done.stderr
    stored = json.loads((project / "_build" / "seeds.json").read_text())
    one, two, three = stored["seeds"]
    chapter = {"chapter": "00-random"}
    assert stored["claims"] == {
        "S000-01": chapter | {"held": [two, three], "failed": [one], "missing": []},
        "S000-02": chapter | {"held": [one, two, three], "failed": [], "missing": []},
        "S000-03": chapter | {"held": [one, three], "failed": [], "missing": [two]},
    }
    texts = [text for _, _, text in stored["failures"]]
    assert texts[0].startswith("S000-01: observed 1")
    assert texts[1].startswith("AssertionError")
    assert "S000-01   00-random                  2 of 3" in done.stdout
    assert "1 of 3 statistical claims held at every seed" in done.stdout
