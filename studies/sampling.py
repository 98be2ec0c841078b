"""Private sampling on film ratings and page views: divergences that the book's chapter 18 shows.

    python studies/sampling.py FOLDER

FOLDER holds four tables made of public data whose terms do not let this repository pass them on,
or hold it to non-commercial use; only the results, `sampling.csv`, are kept here.

* `movielens_100k_age_genre.csv`: age range, users, ratings, then for each of 18 genres the number
  of ratings of films of the genre, in MovieLens 100K. It gives the public prior of an age range.
* `movielens_1m_first2998_age_dirichlet.csv`: age range, users, five quantiles of the ratings of a
  user (5, 25, 50, 75, 95 %), and the Dirichlet distribution fitted to the genre counts of the users
  by maximum likelihood (Dirichlet-multinomial), in MovieLens 1M, users 1 to 2,998.
* `movielens_small_user_genre.csv`: ratings and 18 genre counts of the 610 users of
  ml-latest-small (September 2018).
* `msnbc323_user_category.csv`: page views of 323 users of msnbc.com in 17 categories (UCI,
  CC BY 4.0; the part that is in the R package ClickClust).

Three populations hold private distributions: `films`, users simulated from the Dirichlet fits,
whose prior is that of their age range; `viewers`, the 610 users, whose prior is that of all users
of MovieLens 100K; `pages`, the 323 users, whose prior is the mean of the users' distributions.
Every divergence is D_KL(P || Q_P) in nats, exact given P: nothing is sampled but the users.
"""

import csv
import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import rel_entr

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "book"))

from ldp import GRR
from ldp.samplers import (
    LinearSampler,
    fixed_point_channel,
    fixed_point_window,
    local_mollifier,
    minimax_mollifier,
    relative_mollifier,
)
from tools import environment, revision

SEED, COPIES = 0, 4  # simulated users: four for each of the 2,998
EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)
PRIORS, FITS, VIEWERS, PAGES = (
    "movielens_100k_age_genre.csv",
    "movielens_1m_first2998_age_dirichlet.csv",
    "movielens_small_user_genre.csv",
    "msnbc323_user_category.csv",
)
SAMPLERS: dict[str, Callable[[Any, float], Any]] = {
    "linear": lambda q, e: LinearSampler(fixed_point_channel(q, e), e),
    "window": fixed_point_window,
    "relative": relative_mollifier,
    "relative_uniform": lambda q, e: relative_mollifier(np.full(q.size, 1 / q.size), e),
    "local": lambda q, e: local_mollifier(q, e, float(np.exp(e))),
    "minimax": lambda q, e: minimax_mollifier(q.size, e),
    "randomized_response": lambda q, e: LinearSampler(GRR(q.size, e).channel(), e),
}
Part = tuple[Any, Any]  # a prior and the private distributions of people who share it


def rows(path: Path) -> tuple[list[str], Any]:
    """First column as text, all others as numbers."""
    with path.open(encoding="utf-8", newline="") as file:
        table = list(csv.reader(file))[1:]
    return [row[0] for row in table], np.array([row[1:] for row in table], dtype=float)


def shares(counts: Any) -> Any:
    """Counts, divided by their sum."""
    return counts / counts.sum(axis=-1, keepdims=True)


def simulated(fit: Any, rng: np.random.Generator) -> Any:
    """Genre shares of users of an age range; a rated film has 2.1 genres, as on average there."""
    users, quantiles, concentration = int(fit[0]) * COPIES, fit[1:6], fit[6:]
    levels = [0.05, 0.25, 0.5, 0.75, 0.95]
    places = rng.uniform(0.05, 0.95, users)
    ratings = np.exp(np.interp(places, levels, np.log(quantiles)))
    tastes = rng.dirichlet(concentration, users)
    return shares(rng.multinomial(np.rint(2.1 * ratings).astype(int), tastes))


def populations(folder: Path) -> Iterator[tuple[str, list[Part]]]:
    """Each population in parts of one prior."""
    rng = np.random.default_rng(SEED)
    ages, totals = rows(folder / PRIORS)
    priors = dict(zip(ages, shares(totals[:, 2:]), strict=True))
    names, fits = rows(folder / FITS)
    yield "films", [(priors[n], simulated(f, rng)) for n, f in zip(names, fits, strict=True)]
    _, viewers = rows(folder / VIEWERS)
    yield "viewers", [(shares(totals[:, 2:].sum(axis=0)), shares(viewers))]
    with (folder / PAGES).open(encoding="utf-8", newline="") as file:
        pages = shares(np.array(list(csv.reader(file))[1:], dtype=float))
    yield "pages", [(pages.mean(axis=0), pages)]


def divergences(parts: list[Part], name: str, epsilon: float) -> Any:
    """D_KL of every person."""
    each = [rel_entr(p, SAMPLERS[name](q, epsilon).law(p)).sum(axis=1) for q, p in parts]
    return np.concatenate(each)


def summarise(folder: Path) -> Iterator[dict[str, Any]]:
    """One row for every population, budget and sampler, compared with the linear one by person."""
    for population, parts in populations(folder):
        for epsilon in EPSILONS:
            linear = divergences(parts, "linear", epsilon)
            for name in SAMPLERS:
                found = divergences(parts, name, epsilon)
                gain, root = linear - found, np.sqrt(found.size)
                yield {
                    "population": population,
                    "epsilon": epsilon,
                    "sampler": name,
                    "people": found.size,
                    "mean": found.mean(),
                    "se": found.std(ddof=1) / root,
                    "worst": found.max(),
                    "gain": gain.mean(),
                    "gain_se": gain.std(ddof=1) / root,
                    "better": int((gain > 0).sum()),
                }


def main(folder: Path) -> None:
    """Write the table, and where it comes from."""
    target = ROOT / "studies" / "sampling.csv"
    summary = list(summarise(folder))
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(summary[0])
        for row in summary:
            writer.writerow([f"{v:.5g}" if isinstance(v, float) else v for v in row.values()])
    used = {n: (folder / n).read_bytes() for n in (PRIORS, FITS, VIEWERS, PAGES)}
    facts = {"table": target.name, "command": "python studies/sampling.py FOLDER", "seed": SEED}
    facts |= {"commit": revision.commit(ROOT)} | environment.facts()
    facts["inputs"] = {name: hashlib.sha256(text).hexdigest() for name, text in used.items()}
    text = json.dumps(facts, indent=1) + "\n"
    target.with_suffix(".json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
