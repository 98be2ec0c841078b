"""Change the package in one place at random, many times, and see which changes no test notices.

`python tests/mutants.py --folder FOLDER --size 200 --seed 1` draws places, each with one of the
changes that cosmic-ray knows there, and runs the tests of the module, as `mutants.yml` lists them,
on a copy. What is done is kept in FOLDER, and a second run goes on from there. `--survivors` tests
again, on the tree as it is now, what survived. `--store FILE` writes the summary that the report
page shows.
"""

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from datetime import UTC, datetime
from pathlib import Path

import yaml
from cosmic_ray.commands.init import init
from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.testing import run_tests
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import MutationSpec, TestOutcome

ROOT = Path(__file__).resolve().parents[1]
ROOMS = (
    "ldp/mechanisms",
    "ldp/linear.py",
    "ldp/means",
    "ldp/postprocess",
    "ldp/likelihood",
    "ldp/bayes",
    "ldp/trees",
    "ldp/bounds",
    "ldp/heavy_hitters",
    "ldp/itemsets",
    "ldp/samplers",
    "ldp/assigned",
    "ldp/audit.py",
)
LISTS = yaml.safe_load((ROOT / "tests" / "mutants.yml").read_text())
TIMEOUT = 3600.0  # seconds: a loop without end is noticed, a slow machine is not


def tests_of(module: str) -> list[str]:
    """Test files of a module, or of its innermost folder; the module's own examples first."""
    lists = LISTS["tests"]
    folders = [f for f in lists if f.endswith("/") and module.startswith(f)]
    names = lists[module] if module in lists else lists[max(folders, key=len)]
    return [module, *(f"tests/test_{name}.py" for name in names)]


def modules(root: Path) -> list[Path]:
    found = [root / room for room in ROOMS]
    listed = [p for f in found for p in (sorted(f.rglob("*.py")) if f.is_dir() else [f])]
    return [p.relative_to(root) for p in listed if p.read_text().count("\n") > 3]


# -- what to change --------------------------------------------------------------------------------


def without_meaning(module: Path) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Spans of annotations and of `compiled`, which change speed or nothing."""
    spans = []
    for node in ast.walk(ast.parse(module.read_text())):
        parts = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        parts += [d for d in getattr(node, "decorator_list", []) if "compiled" in ast.unparse(d)]
        for part in filter(None, parts):  # the @ of a decorator stands before it
            start = (part.lineno, part.col_offset - 1)
            spans.append((start, (part.end_lineno, part.end_col_offset)))
    return spans


def name(mutation: MutationSpec) -> tuple[str, int]:
    return mutation.operator_name, mutation.occurrence


def draw(db: WorkDB, size: int, seed: int) -> None:
    """Keep one change each of so many places, drawn from every module in proportion."""
    places: dict[Path, dict[tuple[int, int], list]] = {}
    for item in db.work_items:
        (m,) = item.mutations
        places.setdefault(m.module_path, {}).setdefault(m.start_pos, []).append(item)
    for module, found in places.items():
        for place in list(found):
            if any(start <= place < end for start, end in without_meaning(module)):
                del found[place]
    rng, total = random.Random(seed), sum(map(len, places.values()))
    kept = []
    for _, found in sorted(places.items()):
        share = size * len(found) / total
        number = int(share) + (rng.random() < share % 1)
        chosen = rng.sample(sorted(found), min(max(number, 1), len(found)))
        for place in chosen:
            kept.append(rng.choice(sorted(found[place], key=lambda item: name(item.mutations[0]))))
    rng.shuffle(kept)
    db.clear()
    db.add_work_items(kept)


# -- the run ---------------------------------------------------------------------------------------


def git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()


def copy_tree(target: Path, commit: str) -> None:
    """Write the files of a commit; a run that was killed may have left a changed module behind."""
    target.mkdir(parents=True, exist_ok=True)
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True)
    subprocess.run(["tar", "-x", "-C", str(target)], input=archive.stdout, check=True)


def command(module: str) -> str:
    files = [f for f in tests_of(module) if Path(f).exists()]
    return f"{sys.executable} -m pytest -x -q --no-header -p no:cacheprovider {' '.join(files)}"


def run(folder: Path, size: int, seed: int) -> None:
    """Start a session or go on with one."""
    session, copy, start = folder / "session.sqlite", folder / "copy", folder / "start.json"
    if not start.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        commit = git("rev-parse", "HEAD")
        copy_tree(copy, commit)
        os.chdir(copy)
        with use_db(str(session), WorkDB.Mode.create) as db:
            init(modules(copy), db, {})
            draw(db, size, seed)
        date = datetime.now(UTC).date().isoformat()
        start.write_text(json.dumps({"date": date, "commit": commit, "seed": seed}))
    copy_tree(copy, json.loads(start.read_text())["commit"])
    os.chdir(copy)
    with use_db(str(session), WorkDB.Mode.open) as db:
        for item in list(db.pending_work_items):
            (mutation,) = item.mutations
            result = mutate_and_test(item.mutations, command(str(mutation.module_path)), TIMEOUT)
            db.set_result(item.job_id, result)
            print(db.num_results, result.test_outcome.value, mutation.module_path, flush=True)


def again(folder: Path) -> None:
    """Apply every survivor to the tree as it is now; print those that still survive."""
    copy = folder / "now"
    shutil.rmtree(copy, ignore_errors=True)
    copy_tree(copy, "HEAD")
    os.chdir(copy)
    seen = []
    for mutant in summary(folder)["survivors"]:
        path = Path(mutant["file"])
        text = path.read_text()
        if text.count(mutant["old"]) != 1:
            print("not found once:", mutant)
            continue
        path.write_text(text.replace(mutant["old"], mutant["new"]))
        outcome, _ = run_tests(command(mutant["file"]), TIMEOUT)
        path.write_text(text)
        print(outcome.value, mutant, flush=True)
        if outcome == TestOutcome.KILLED:
            seen.append(mutant)
    (folder / "seen_later.json").write_text(json.dumps(seen))


# -- the summary -----------------------------------------------------------------------------------


def change(diff: str) -> tuple[str, str]:
    """Lines that a mutant takes away and puts in their place, with their indents."""
    lines = diff.split("\n")[3:]
    sides = ["\n".join(li[1:] for li in lines if li.startswith(sign)) for sign in "-+"]
    return sides[0], sides[1]


def wilson(successes: int, trials: int, z: float = 1.96) -> tuple[float, float]:
    """Interval of Wilson for a share."""
    share, extra = successes / trials, z * z / trials
    middle = share + extra / 2
    half = z * ((share * (1 - share) + extra / 4) / trials) ** 0.5
    return (middle - half) / (1 + extra), (middle + half) / (1 + extra)


def summary(folder: Path) -> dict:
    """Count mutants by module; `killed_later` are those that tests written since have seen."""
    survivors: list[dict] = []
    counts: dict[str, Counter] = defaultdict(Counter)
    equivalent = [{k: e[k] for k in ("file", "old", "new")} for e in LISTS["equivalent"]]
    later = folder / "seen_later.json"
    later = json.loads(later.read_text()) if later.exists() else []
    with use_db(str(folder / "session.sqlite"), WorkDB.Mode.open) as db:
        for item, result in db.completed_work_items:
            module = str(item.mutations[0].module_path)
            old, new = change(result.diff or "")
            mutant, kind = {"file": module, "old": old, "new": new}, "killed"
            if not result.is_killed:
                kind = "equivalent" if mutant in equivalent else "survived"
            if kind == "survived":
                survivors.append(mutant)
                kind = "killed_later" if mutant in later else kind
            counts[module][kind] += 1
    total = sum(counts.values(), Counter())
    trials = total.total() - total["equivalent"]
    kinds = ("killed", "killed_later", "equivalent", "survived")
    return {
        **json.loads((folder / "start.json").read_text()),
        "sampled": total.total(),
        **{kind: total[kind] for kind in kinds},
        "score": round(total["killed"] / trials, 4),
        "interval": [round(end, 4) for end in wilson(total["killed"], trials)],
        "modules": {
            m: {"sampled": c.total(), **{k: c[k] for k in kinds}} for m, c in sorted(counts.items())
        },
        "survivors": survivors,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=ROOT / "_build" / "mutants")
    parser.add_argument("--size", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--survivors", action="store_true")
    parser.add_argument("--store", type=Path)
    given = parser.parse_args()
    os.nice(10)
    target, place = given.folder.resolve(), given.store and given.store.resolve()
    if given.survivors:
        again(target)
    else:
        run(target, given.size, given.seed)
    found = summary(target)
    print(json.dumps({k: v for k, v in found.items() if k != "modules"}, indent=1))
    if place:
        place.write_text(json.dumps(found, indent=1) + "\n")
