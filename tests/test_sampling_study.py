"""The study of private sampling, on tables made up here: its data are not passed on."""

import csv
import json
import re

import numpy as np
import pytest
from scipy.special import rel_entr

import ldp
import sampling

GENRES = 4


@pytest.fixture
def folder(tmp_path):
    """Tables of the right form."""
    rng = np.random.default_rng(1)

    def write(name, head, rows):
        with (tmp_path / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([head, *rows])

    ages = ["young", "old"]
    counts = rng.integers(50, 900, (2, GENRES)).tolist()
    fits = [[30, 20, 40, 80, 150, 400, *rng.uniform(0.5, 6, GENRES)] for _ in ages]
    genres = list("abcd")
    write(
        sampling.PRIORS,
        [*"xyz", *genres],
        [[a, 9, 99, *c] for a, c in zip(ages, counts, strict=True)],
    )
    write(sampling.FITS, [*"xyzuvwt", *genres], [[a, *f] for a, f in zip(ages, fits, strict=True)])
    write(sampling.VIEWERS, ["ratings", *genres], rng.integers(0, 9, (20, 1 + GENRES)) + 1)
    write(sampling.PAGES, genres, rng.integers(0, 9, (20, GENRES)) + 1)
    return tmp_path


def test_rows_are_what_a_loop_computes(folder):
    rows = list(sampling.summarise(folder))
    assert len(rows) == 3 * len(sampling.EPSILONS) * len(sampling.SAMPLERS)
    parts = dict(sampling.populations(folder))
    assert [sum(len(p) for _, p in part) for part in parts.values()] == [240, 20, 20]
    prior, people = parts["viewers"][0]
    linear = people @ ldp.samplers.fixed_point_channel(prior, 2.0)
    law = ldp.samplers.fixed_point_window(prior, 2.0).law(people)
    found, other = rel_entr(people, law).sum(axis=1), rel_entr(people, linear).sum(axis=1)
    (row,) = [r for r in rows if list(r.values())[:3] == ["viewers", 2.0, "window"]]
    assert row["mean"] == pytest.approx(found.mean(), rel=1e-12)
    assert row["worst"] == pytest.approx(found.max(), rel=1e-12)
    assert row["gain"] == pytest.approx((other - found).mean(), rel=1e-9)
    assert row["gain_se"] == pytest.approx((other - found).std(ddof=1) / 20**0.5, rel=1e-9)
    assert row["better"] == (found < other).sum()


def test_simulated_people_have_the_fitted_mean(folder):
    """Five standard errors, of 4,800 people: a false alarm in a million."""
    _, fits = sampling.rows(folder / sampling.FITS)
    fit = fits[0] * np.r_[40, np.ones(9)]
    people = sampling.simulated(fit, np.random.default_rng(2))
    mean = fit[6:] / fit[6:].sum()
    error = people.std(axis=0, ddof=1) / len(people) ** 0.5
    assert (np.abs(people.mean(axis=0) - mean) < 5 * error).all()
    assert (np.abs(people.mean(axis=0) - np.roll(mean, 1)) > 5 * error).any()  # control


def test_the_stored_table_says_where_it_comes_from():
    path = sampling.ROOT / "studies" / "sampling.csv"
    told = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert told["table"] == path.name
    assert told["seed"] == sampling.SEED
    assert re.fullmatch("[0-9a-f]{12}", told["commit"])
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in told["inputs"].values())
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 * len(sampling.EPSILONS) * len(sampling.SAMPLERS)
    assert {int(row["people"]) for row in rows} == {11_992, 610, 323}
