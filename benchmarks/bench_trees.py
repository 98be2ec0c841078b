"""Consistent trees, beside dense matrices that do the same steps to the same certified gap.

The twin writes out every node's equation and projects with a matrix of all nodes by all nodes, the
way the sources print it; it needs that matrix first. Run by ``make bench``; processor time.
"""

import time
from functools import cache
from typing import Any

import numpy as np
import pytest

import ldp
from benchmarks import twins
from benchmarks.conftest import Measure

GAP = 1e-12  # squared frequencies: what both sides must certify
USERS = 10**5
ROW = "HH-ADMM, n=1e5, d=1024, branching 4, eps=1 (two passes; twin: dense projection)"

pytestmark = pytest.mark.benchmark(timer=time.process_time, disable_gc=True)


@cache
def tallies(h: ldp.HierarchicalHistogram) -> Any:
    rng = np.random.default_rng(6)
    law = rng.dirichlet(np.full(h.domain_size, 0.5))
    return h.simulate(rng.multinomial(USERS, law), rng)


@cache
def nodes(branching: int, domain_size: int = 1024) -> Any:
    h = ldp.HierarchicalHistogram(domain_size, 1.0, branching)
    return h.nodes(tallies(h))


def solve(measured: Any, variances: Any = None) -> None:
    assert ldp.trees.hh_admm(measured, variances, tolerance=GAP).converged


def test_admm(measure: Measure) -> None:
    measured = nodes(4)
    measure(ROW, lambda: solve(measured), 1, "s", 0.2)


def test_admm_twin(measure: Measure) -> None:
    measured = nodes(4)
    measure(ROW, lambda: twins.dense_tree_admm(measured, GAP), 1, "s", twin=True, rounds=1)


def test_admm_unequal(measure: Measure) -> None:
    h = ldp.HierarchicalHistogram(1024, 1.0, oracle=ldp.GRR)
    measured, variances = h.nodes(tallies(h)), h.variances(tallies(h))
    row = "HH-ADMM, n=1e5, d=1024, branching 4, eps=1, GRR (variances 1.6 to 350)"
    measure(row, lambda: solve(measured, variances), 1, "s", 0.2)


@pytest.mark.parametrize(("branching", "domain_size"), [(2, 1024), (4, 65_536)])
def test_admm_sizes(measure: Measure, branching: int, domain_size: int) -> None:
    measured = nodes(branching, domain_size)
    row = f"HH-ADMM, n=1e5, d={domain_size}, branching {branching}, eps=1"
    measure(row, lambda: solve(measured), 1, "s", rounds=3)


def test_least_squares(measure: Measure) -> None:
    measured = nodes(4)
    row = "least-squares tree, d=1024, branching 4"
    measure(row, lambda: ldp.trees.least_squares_tree(measured), 1, "s")


def test_privatize(measure: Measure) -> None:
    h, rng = ldp.HierarchicalHistogram(1024, 1.0, oracle=ldp.OLH), np.random.default_rng(7)
    values = rng.integers(0, 1024, 10**6)
    measure("hierarchy of OLH, privatize", lambda: h.privatize(values, rng), 10**6, "reports/s")
