"""What the report says of the run of mutants."""

import json
from pathlib import Path

import pytest

import mutants_page

ROOT = Path(__file__).resolve().parents[1]
COUNTS = {"sampled": 10, "killed": 6, "killed_later": 1, "equivalent": 2, "survived": 1}
SUMMARY = {
    "date": "2020-01-31", "commit": "0123456789abcdef", "seed": 3, "score": 0.75,
    "interval": [0.41, 0.93], **COUNTS,
    "modules": {"ldp/bounds/a.py": COUNTS, "ldp/bounds/b.py": dict.fromkeys(COUNTS, 0)},
}  # fmt: skip


def test_sentences_and_rows():
    text = mutants_page.sentences(SUMMARY)
    assert "10 random places (seed 3, commit 0123456789)" in text
    assert "Of the other 8 the tests noticed 6, 75.0% (95 % interval 41.0% to 93.0%)" in text
    assert "notice 1 more; 1 are not noticed" in text
    assert mutants_page.rows(SUMMARY) == [
        ["ldp/bounds", "10", "6", "1", "2", "1"],
        ["all", "10", "6", "1", "2", "1"],
    ]


def test_the_stored_summary_adds_up():
    stored = json.loads((ROOT / "studies" / "mutants.json").read_text())
    kinds = [kind for kind in COUNTS if kind != "sampled"]
    for counts in [stored, *stored["modules"].values()]:
        assert counts["sampled"] == sum(counts[kind] for kind in kinds)
    for kind in COUNTS:
        assert stored[kind] == sum(counts[kind] for counts in stored["modules"].values())
    trials = stored["sampled"] - stored["equivalent"]
    assert stored["score"] == pytest.approx(stored["killed"] / trials, abs=1e-4)
    low, high = stored["interval"]
    assert low < stored["score"] < high
