"""Compare the square wave with EM and EMS, a tree and bins, for values on a line.

    python studies/lines.py [RUNS]

Writes `lines.csv`: mean errors of four methods for five populations of 100,000 people in 256 bins.
The best of four would be ahead by luck after few runs, so the even runs choose, and the odd ones
say by how much the chosen method leads: `chance` is the largest of the three one-sided chances, one
against each rival, that a lead as clear comes about by luck (a paired t-test). Run r of a cell has
the generator `ldp.experiments.run_rng(cell, r, SEED)`.
"""

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import ttest_1samp

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "book"))

import ldp
from ldp import datasets
from ldp.experiments import run_rng
from ldp.metrics import ks, range_error, wasserstein
from ldp.trees import hh_admm
from tools import environment, revision

SEED, USERS, BINS, COARSE = 0, 100_000, 256, 16
EPSILONS = (0.5, 1.0, 2.5)
METHODS = ("EMS", "EM", "tree", "16 bins")
METRICS = ("wasserstein", "ks", "range")


def populations() -> dict[str, Any]:
    """Shares of the bins; half of the spiky population is on five single values."""
    smooth = datasets.beta(BINS)
    spikes = np.bincount([40, 90, 128, 150, 200], minlength=BINS) / 5
    tables = {
        "taxi": datasets.taxi_pickup(),
        "pay": datasets.sf_pay(),
        "benefits": datasets.sf_benefits(),
    }
    counts = {name: t.counts.reshape(BINS, -1).sum(axis=1) for name, t in tables.items()}
    real = {name: c / c.sum() for name, c in counts.items()}
    return {"beta": smooth, "spiky": (smooth + spikes) / 2} | real


def estimates(users: Any, epsilon: float, rng: np.random.Generator) -> Iterator[Any]:
    """The four methods, EM and EMS from the same reports."""
    wave = ldp.SquareWave(BINS, epsilon)
    tree = ldp.HierarchicalHistogram(BINS, epsilon)
    bins = ldp.OUE(COARSE, epsilon)
    heard, levels = wave.simulate(users, rng), tree.simulate(users, rng)
    coarse = bins.simulate(users.reshape(COARSE, -1).sum(axis=1), rng)
    yield ldp.em(heard, wave, smooth=(1, 2, 1), tolerance=1e-5).theta
    yield ldp.em(heard, wave, min_rise=1e-3 * np.exp(epsilon), max_iterations=4_000).theta
    yield hh_admm(tree.nodes(levels), tree.variances(levels)).theta
    yield np.repeat(ldp.norm_sub(ldp.debias(coarse, bins)), BINS // COARSE) * COARSE / BINS


def errors(cell: dict[str, Any], law: Any, run: int) -> list[list[float]]:
    """Errors of one run, a row for each method and a column for each metric."""
    rng = run_rng(cell, run, SEED)
    users = rng.multinomial(USERS, law)
    truth = users / USERS
    found = estimates(users, cell["epsilon"], rng)
    width = 1 / BINS
    return [
        [wasserstein(x, truth, bin_width=width), ks(x, truth), range_error(x, truth, BINS // 10)]
        for x in found
    ]


def summarise(runs: int) -> Iterator[dict[str, Any]]:
    """One row for every population, budget, metric and method."""
    for name, law in populations().items():
        for epsilon in EPSILONS:
            cell = {"population": name, "epsilon": epsilon}
            each = np.array([errors(cell, law, run) for run in range(runs)])
            for k, metric in enumerate(METRICS):
                chosen = int(each[::2, :, k].mean(axis=0).argmin())
                rivals = np.delete(each[1::2, :, k], chosen, axis=1)
                leads = rivals - each[1::2, [chosen], k]
                chance = ttest_1samp(leads, 0, alternative="greater").pvalue.max()
                for i, method in enumerate(METHODS):
                    yield cell | {
                        "metric": metric,
                        "method": method,
                        "runs": runs,
                        "mean": each[:, i, k].mean(),
                        "se": each[:, i, k].std(ddof=1) / np.sqrt(runs),
                        "first": each[0, i, k],
                        "chance": float(chance) if i == chosen else "",
                    }


def main(runs: int) -> None:
    """Write the table, and where it comes from."""
    target = ROOT / "studies" / "lines.csv"
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        for number, row in enumerate(summarise(runs)):
            if number == 0:
                writer.writerow(row)
            writer.writerow([f"{v:.4g}" if isinstance(v, float) else v for v in row.values()])
    facts = {"table": target.name, "command": "python studies/lines.py", "seed": SEED}
    facts |= {"runs": runs, "commit": revision.commit(ROOT)} | environment.facts()
    target.with_suffix(".json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
