"""What the pages say of the runs is what the runs stored."""

import re

import execution

THREADS = {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}


def entry(**run: object) -> dict:
    stored = {
        "date": "2026-11-22T03:18:36Z",
        "commit": "0123456789ab",
        "system": "an old system",
        "processor": "a slow one",
        "cores": 2,
        "simd": ["A", "B"],
        "python": "3.11.7",
        "ldp": "0.1.0",
        "blas": {"numpy": "fast 1.0"},
        "threads": THREADS,
        "distributions": {"numpy": "2.4.6"},
    }
    whole = {"seconds": 8.25, "peak_mb": 224, "cells": 19, "profile": "fast"}
    return whole | {"run": stored | run}


def test_what_all_runs_share_is_said_once_and_what_differs_is_all_said() -> None:
    other = {"numpy": "2.5.0", "scipy": "1.17.1"}
    entries = {"00-one": entry(), "01-two": entry(distributions=other, system="a new system")}
    machine, versions = execution.machine(entries), execution.versions(entries)
    assert machine["system"] == "a new system; an old system"
    assert machine["processor"] == "a slow one"
    assert machine["instruction sets"] == "A, B"
    assert machine["linear algebra"] == "numpy: fast 1.0"
    assert machine["threads"] == "1"
    assert machine["run"] == "2026-11-22 03:18 UTC"
    assert versions["python"] == "3.11.7"
    assert versions["ldp-companion"] == "0.1.0"
    assert versions["numpy"] == "2.4.6; 2.5.0"
    assert versions["scipy"] == "1.17.1"
    assert versions["numba"] == ""
    assert execution.imported(entries) == {"numpy": "2.4.6; 2.5.0", "scipy": "1.17.1"}


def test_other_numbers_of_threads_are_all_named() -> None:
    run = entry(threads=THREADS | {"OMP_NUM_THREADS": "2"}, date="2026-11-23T00:00:00Z")
    machine = execution.machine({"00-one": entry(), "01-two": run})
    assert machine["threads"] == "1; OMP_NUM_THREADS: 2, NUMBA_NUM_THREADS: 1"
    assert machine["run"] == "2026-11-22 03:18 UTC to 2026-11-23 00:00 UTC"


def test_table_has_a_line_for_each_chapter_and_their_sum() -> None:
    entries = {"01-two": entry() | {"peak_mb": 300, "seconds": 1.0}, "00-one": entry()}
    rows = re.findall(r"<tr>.*?</tr>", execution.times_table(entries))
    texts = [re.findall(r">([^<]+)<", row) for row in rows]
    assert [row[0] for row in texts] == ["chapter", "00-one", "01-two", "all chapters"]
    common = ["19", "fast", "2026-11-22 03:18", "0123456789ab"]
    assert texts[1] == ["00-one", "8.2", "224", *common]
    assert texts[2] == ["01-two", "1.0", "300", *common]
    assert texts[3] == ["all chapters", "9.2", "300", "38"]
    assert 'href="00-one.html"' in rows[1]


def test_changed_sources_are_said_to_be_so() -> None:
    names = {"rev": "swh:1:rev:f", "dir": "swh:1:dir:0"}
    rows = execution.identifiers({"commit": "0123456789ab"} | names)
    told = {"commit": "0123456789ab", "its rev": "swh:1:rev:f", "its dir": "swh:1:dir:0"}
    assert rows == told
    dirty = execution.identifiers({"commit": "0123456789ab-dirty"} | names)
    note = "0123456789ab (the sources had changes that it does not hold)"
    assert dirty == told | {"commit": note}
    assert "rev" not in execution.facts_list(execution.identifiers({"commit": "unknown"}))


def test_claims_at_other_seeds_are_counted_and_their_failures_told() -> None:
    claim = {"chapter": "00-one", "held": [7, 8], "failed": [], "missing": []}
    stored = {"date": "2026-11-22T03:18:36Z", "commit": "0123", "profile": "fast", "seeds": [7, 8]}
    stored["claims"] = {
        "S000-01": claim,
        "S000-02": claim | {"held": [8], "failed": [7]},
        "S000-03": claim | {"held": [7], "missing": [8]},
    }
    stored["failures"] = [["00-one", 7, "S000-02: observed 1 < 2"]]
    page = execution.seeds_table(stored)
    assert "1 of 3 statistical claims held at each of 2 seeds (7 to 8)" in page
    assert "commit 0123, 2026-11-22 03:18 UTC" in page
    rows = [re.findall(r">([^<]+)<", row) for row in re.findall(r"<tr>.*?</tr>", page)]
    assert rows[1:] == [
        ["S000-01", "00-one", "2", "0", "0"],
        ["S000-02", "00-one", "1", "1", "0"],
        ["S000-03", "00-one", "1", "0", "1"],
    ]
    assert "<li>00-one, seed 7: S000-02: observed 1 &lt; 2</li>" in page
