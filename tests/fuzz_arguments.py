"""Arguments for the fuzzer: plausible ones by the name of the parameter, and hostile ones."""

from collections import UserList
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from catalogue import MEANS, SEVERAL, small

import ldp
from ldp.assigned import Intervals
from ldp.protocols.law_samplers import LangevinSampler


class World(NamedTuple):
    """One mechanism, reports of it, and where choices come from: what the arguments agree on."""

    mechanism: Any
    size: int
    epsilon: float
    reports: Any
    choose: np.random.Generator


def itself(kind: Any, times: int) -> Any:
    """Return a list that holds itself."""
    outer = kind()
    outer.extend([outer] * times)
    return outer


HOSTILE = [None, True, False, "garbage", "", b"1", object(), Ellipsis, {}, {"a": 1}, set(), (), []]
HOSTILE += [-1, 0, 1, 2, 7, 2.5, -0.0, np.nan, np.inf, -np.inf, 1e15, 1e16, 1e308, -1e308, 5e-324]
HOSTILE += [2**31 + 1, 2**63, 2**64, 10**400, -(10**400), 1j, Decimal(1), Fraction(1, 2), 10**5000]
HOSTILE += [[[]], [1, [2]], [None], [1.5], [True], ["a"], [1j], [10**400], [np.nan], [[0.5, 0.5]]]
HOSTILE += [[1e308] * 3, [5e-324] * 3, [-1e308, 1e308], [0, 0], [1, 2, 3, 4], [[1, 0], [0, 1]]]
HOSTILE += [np.array(3), np.array(0.5), np.zeros(0), np.zeros((0, 2)), np.zeros((2, 2, 2))]
HOSTILE += [np.ma.array([1, 2], mask=[False, True]), np.array([1, None], dtype=object), np.eye(2)]
HOSTILE += [np.array(["2020"], dtype="M8[Y]"), np.timedelta64(1), np.array([2**64 - 1], "u8")]
HOSTILE += [np.full((3, 1), 255, dtype=np.uint8), np.float32(0.1), np.int8(3), np.longdouble(1)]
HOSTILE += [itself(list, 1), itself(list, 2), [1, itself(list, 1)], itself(UserList, 2)]
HOSTILE += [np.random, ldp.GRR(3, 1.0), ldp.Tally([1, 2, 0], 3), lambda *_: None]
HOSTILE += [ldp.Tally([-5] * 3, 10), ldp.Tally([500] * 4, 10), ldp.means.OneBitMean(0.0, 1.0, 1.0)]

EPSILONS = [0.1, 0.5, 1.0, 2.0, 8.0]
COUNTED = (ldp.GRR, ldp.RRRR, ldp.SquareWave)  # a tally says all that their reports say
SMALL: list[Any] = [*small(1.0), *small(4.0), *small(0.1, MEANS), *small(2.0, MEANS)]
SMALL += [*small(1.0, SEVERAL), ldp.SHE(2, 60.0, resolution=1)]


def world(choose: np.random.Generator, kind: type | tuple[type, ...] | None = None) -> World:
    """Draw a mechanism, of one class if it is given, and a few reports."""
    fitting = [m for m in SMALL if kind is None or isinstance(m, kind)]
    m = pick(choose, fitting or SMALL)
    size = getattr(m, "domain_size", 3)
    return World(m, size, m.epsilon, m.privatize(values(m, choose), choose), choose)


def values(m: Any, g: np.random.Generator) -> Any:
    """Values of a few users."""
    n = int(g.integers(1, 12))
    if hasattr(m, "domain_size"):
        return g.integers(0, m.domain_size, size=n)
    return g.uniform(-1, 2, size=(n, 3) if isinstance(m, ldp.means.VectorMean) else n)


def pick(g: np.random.Generator, choices: Any) -> Any:
    """Draw one of a sequence; numpy would make an array of it."""
    return choices[int(g.integers(len(choices)))]


def law(w: World) -> Any:
    return w.choose.dirichlet(np.ones(w.size))


def matrix(w: World) -> Any:
    return w.choose.dirichlet(np.ones(w.size), size=w.size) + 0.0


def tree(w: World) -> Any:
    return [np.ones(1), w.choose.normal(size=2), w.choose.normal(size=4)]


def counts(w: World) -> Any:
    return w.choose.integers(0, 9, size=w.size)


def reports(w: World) -> Any:
    """Reports, or a tally of them where that will do."""
    some = isinstance(
        w.mechanism,
        (*COUNTED, ldp.means.OneBitMean, ldp.means.LaplaceMean, ldp.means.PiecewiseMean),
    )
    return w.mechanism.tally(w.reports) if some and w.choose.random() < 0.3 else w.reports


def sampler(w: World) -> Any:
    return pick(
        w.choose,
        [ldp.protocols.GibbsSampler(), ldp.protocols.SliceSampler(), LangevinSampler(1e-3, 5, 2)],
    )


def rule(w: World) -> Any:
    names = sorted(ldp.utilities.UTILITIES)
    best = ldp.protocols.BestPrefix(pick(w.choose, names), 0.8)
    return pick(w.choose, [best, ldp.protocols.MassPrefix(0.9), ldp.protocols.EmptyPrefix()])


def sets(w: World) -> Any:
    """Sets of three items for a few users."""
    return ldp.itemsets.ItemSets.every(3)[w.choose.integers(0, 8, size=w.choose.integers(1, 12))]


def searched(w: World) -> Any:
    """Rounds of prefixes, and reports of them."""
    rounds = ldp.heavy_hitters.prefix_rounds(4, 1.0, depths=(2, 4, 4))
    return rounds.privatize(np.repeat([3, 12], 20), np.random.default_rng(w.size)), rounds


def paired(w: World) -> Any:
    """Rounds of pairs of pieces, and reports of them."""
    rounds = ldp.heavy_hitters.segment_pairs(4, 1.0, num_segments=2)
    return rounds.privatize(np.repeat([3, 12], 20), np.random.default_rng(w.size)), rounds


def result(w: World) -> Any:
    return ldp.heavy_hitters.find_prefixes(*searched(w), top_k=2)


def many_sets(w: World) -> Any:
    """Sets of three items for so many users that every part has some."""
    return ldp.itemsets.ItemSets.every(3)[w.choose.integers(0, 8, size=300)]


def scattered(w: World) -> Any:
    """Rounds of prefixes of scattered codes, and reports of them."""
    rounds = ldp.heavy_hitters.prefix_rounds(4, 1.0, depths=(2, 4), scattered=True)
    return rounds.privatize(np.repeat([3, 12], 20), np.random.default_rng(w.size)), rounds


def pools(w: World) -> Any:
    """Rounds that are asked by a pool of functions, and reports of them."""
    seeds = np.random.default_rng(0).integers(0, 2**32, (8, 2), dtype=np.uint32)
    pool = ldp.heavy_hitters.HashPool(ldp.WideHashing(4, 1.0), seeds)
    rounds = ldp.Assigned([(ldp.heavy_hitters.Prefix(4, 4), pool, 1.0)])
    return rounds.privatize(np.repeat([3, 12], 20), np.random.default_rng(w.size)), rounds


def pooled(w: World) -> Any:
    """Reports of a few functions and buckets."""
    reports = np.zeros(5, dtype=[("function", "<u4"), ("bucket", "<u4")])
    reports["function"], reports["bucket"] = w.choose.integers(0, [[8], [2]], size=(2, 5))
    return reports


PLAUSIBLE: dict[str, Any] = {
    "domain_size": lambda w: w.size,
    "epsilon": lambda w: pick(w.choose, EPSILONS),
    "epsilon_inner": lambda w: 0.1,
    "rng": lambda w: np.random.default_rng(w.choose.integers(2**32)),
    "mechanism": lambda w: w.mechanism,
    "reports": reports,
    "tally": lambda w: w.mechanism.tally(w.reports),
    "tallies": lambda w: w.mechanism.tally(w.reports),
    "values": lambda w: values(w.mechanism, w.choose),
    "value_counts": counts,
    "counts": counts,
    "num_reports": lambda w: int(w.choose.integers(2, 9)),
    "Tally.num_reports": lambda w: 40,
    "Tally.mechanism": lambda w: pick(w.choose, [None, w.mechanism]),
    "candidates": lambda w: np.arange(w.size),
    "oracle": lambda w: ldp.OUE,
    "VectorMean.oracle": lambda w: ldp.means.OneBitMean,
    "HierarchicalHistogram.domain_size": lambda w: 4,
    "HierarchicalHistogram.branching": lambda w: 2,
    "branching": lambda w: 2,
    "resolution": lambda w: int(w.choose.integers(1, 9)),
    "window": lambda w: 2,
    "half_width": lambda w: 1,
    "lower": lambda w: -1.0,
    "upper": lambda w: 2.0,
    "bin_values.values": lambda w: w.choose.uniform(-1, 2, size=5),
    "central_laplace_mean.values": lambda w: w.choose.uniform(-1, 2, size=5),
    "num_bins": lambda w: 5,
    "num_dimensions": lambda w: 3,
    "num_reported": lambda w: 2,
    "num_buckets": lambda w: 3,
    "hash_bits": lambda w: 8,
    "num_bits": lambda w: 4,
    "limb_bits": lambda w: 2,
    "word_bits": lambda w: 3,
    "others": lambda w: 5,
    "parts": lambda w: [
        (Intervals(4, 2), ldp.GRR(2, 1.0), 0.4),
        (Intervals(4, 1), ldp.OUE(4, 1.0), 0.6),
    ],
    "Assigned.tally.candidates": lambda w: None,
    "Assigned.simulate.values": lambda w: np.arange(4),
    "Assigned.simulate.candidates": lambda w: None,
    "shares": lambda w: [0.25, 0.75],
    "alphabet": lambda w: "ab",
    "StringCode.length": lambda w: 3,
    "strings": lambda w: ["ab", "", "bba"],
    "codes": lambda w: w.choose.integers(0, 32, size=5),
    "scatter.values": lambda w: w.choose.integers(0, 16, size=5),
    "gather.values": lambda w: w.choose.integers(0, 16, size=5),
    "depths": lambda w: (2, 4, 4),
    "half_detected.shares": lambda w: [0.25, 0.25, 0.5],
    "expected_found.shares": lambda w: [0.25, 0.25, 0.5],
    "expected_found.frequencies": lambda w: [0.3, 0.2, 0.1],
    "failure": lambda w: 0.5,
    "prefix_rounds.shares": lambda w: [0.25, 0.25, 0.5],
    "scattered": lambda w: True,
    "num_segments": lambda w: 2,
    "final_share": lambda w: 0.5,
    "first": lambda w: 0,
    "second": lambda w: 1,
    "width": lambda w: 2,
    "depth": lambda w: 4,
    "top_k": lambda w: 2,
    "keep": lambda w: 3,
    "find_prefixes.rounds": lambda w: searched(w)[1],
    "find_prefixes.reports": lambda w: searched(w)[0],
    "simulate_prefixes.rounds": lambda w: searched(w)[1],
    "simulate_prefixes.values": lambda w: np.arange(4),
    "simulate_prefixes.counts": lambda w: np.full(4, 9),
    "find_strings.rounds": lambda w: paired(w)[1],
    "find_strings.reports": lambda w: paired(w)[0],
    "simulate_strings.rounds": lambda w: paired(w)[1],
    "simulate_strings.values": lambda w: np.arange(4),
    "simulate_strings.counts": lambda w: np.full(4, 9),
    "pooled_frequencies.rounds": lambda w: scattered(w)[1],
    "pooled_frequencies.reports": lambda w: scattered(w)[0],
    "pooled_frequencies.values": lambda w: [3, 12],
    "hashing": lambda w: ldp.WideHashing(4, 1.0),
    "seeds": lambda w: w.choose.integers(0, 2**32, (8, 2), dtype=np.uint32),
    "pool_variance.frequencies": lambda w: [0.5, 0.25, 0.25],
    "HashPool.privatize.values": lambda w: w.choose.integers(0, 16, size=5),
    "HashPool.state.reports": lambda w: pooled(w),
    "HashPool.outcomes.reports": lambda w: pooled(w),
    "HashPool.likelihood.reports": lambda w: pooled(w),
    "HashPool.tally.reports": lambda w: pooled(w),
    "HashPool.tally.candidates": lambda w: [3, 12],
    "HashPool.simulate.value_counts": lambda w: [3, 12],
    "HashPool.simulate.candidates": lambda w: [3, 12],
    "HashPool.simulate.others": lambda w: 0,
    "HashPool.pool_variance.frequencies": lambda w: [0.5, 0.25, 0.25],
    "pool_states.rounds": lambda w: pools(w)[1],
    "pool_states.reports": lambda w: pools(w)[0],
    "HashPool.table.given": lambda w: np.ones((8, 4), dtype=np.int64),
    "certify.found": lambda w: result(w),
    "certify.threshold": lambda w: 0.01,
    "HeavyHitters.values": lambda w: result(w).values,
    "HeavyHitters.frequencies": lambda w: result(w).frequencies,
    "HeavyHitters.rounds": lambda w: result(w).rounds,
    "Round.mechanism": lambda w: ldp.WideHashing(4, 1.0),
    "Round.tally": lambda w: ldp.Tally([5, 3], 9, ldp.WideHashing(4, 1.0), [2, 3]),
    "num_candidates": lambda w: 8,
    "best_dropped": lambda w: 2,
    "block_size": lambda w: 2,
    "subset_size": lambda w: 1,
    "threshold": lambda w: 0.7,
    "p": lambda w: 0.5,
    "q": lambda w: 0.45,
    "subset": lambda w: [0],
    "frequency": lambda w: w.choose.random(w.size),
    "law": law,
    "theta": law,
    "truth": law,
    "estimate": law,
    "x": lambda w: w.choose.normal(size=w.size),
    "estimates": lambda w: w.choose.normal(0.3, 0.2, size=w.size),
    "mle_apx.estimates": law,
    "subsets": lambda w: w.choose.random((3, w.size)) < 0.5,
    "noise_variance": lambda w: 0.01,
    "significance": lambda w: 0.05,
    "exponent": lambda w: 1.5,
    "channel": matrix,
    "em.channel": lambda w: pick(w.choose, [ldp.GRR(w.size, 1.0), matrix(w)]),
    "thetas": lambda w: w.choose.dirichlet(np.ones(w.size), size=3),
    "laws": lambda w: w.choose.dirichlet(np.ones(w.size), size=(2, 3)),
    "concentrations": lambda w: 1 + w.choose.random((2, 3, w.size)),
    "concentration": lambda w: 1 + w.choose.random(w.size),
    "prior": lambda w: 1 + w.choose.random(w.size),
    "weights": lambda w: w.choose.dirichlet(np.ones(3)),
    "DirichletMixture.tallies": lambda w: np.eye(3, w.size, dtype=int)[:, ::-1] * 0 + 1,
    "AllReports.histograms": lambda w: np.ones((2, 3), dtype=int),
    "AllReports.probabilities": lambda w: [0.5, 0.5],
    "AllReports.weights": lambda w: np.full((2, 3), 1 / 3),
    "AllReports.tallies": lambda w: np.ones((3, w.size), dtype=int),
    "AdaptiveRun.reports": lambda w: w.choose.integers(0, w.size, size=4),
    "AdaptiveRun.subsets": lambda w: np.zeros((2, w.size), dtype=bool),
    "AdaptiveRun.laws": lambda w: np.full((3, w.size), 1 / w.size),
    "starts": lambda w: [0, 2],
    "adobest.values": lambda w: w.choose.integers(0, w.size, size=8),
    "num_draws": lambda w: 3,
    "burn_in": lambda w: 1,
    "num_chains": lambda w: 2,
    "num_sweeps": lambda w: 1,
    "num_updates": lambda w: 2,
    "users_per_round": lambda w: 3,
    "growth": lambda w: 0.1,
    "phi": lambda w: 1 + w.choose.random(w.size),
    "step_sizes": lambda w: [1e-3] * 3,
    "step_size": lambda w: 1e-3,
    "minibatch": lambda w: 3,
    "rule": rule,
    "sampler": sampler,
    "utility": lambda w: pick(w.choose, sorted(ldp.utilities.UTILITIES)),
    "inner_share": lambda w: 0.8,
    "mass": lambda w: 0.9,
    "tolerance": lambda w: 1e-6,
    "max_iterations": lambda w: 20,
    "min_rise": lambda w: 0.0,
    "smooth": lambda w: (1, 2, 1),
    "nodes": tree,
    "variances": lambda w: [0.0, 1.0, 2.0],
    "start": lambda w: 0,
    "stop": lambda w: 2,
    "length": lambda w: 1,
    "level": lambda w: 0.9,
    "levels": lambda w: [0.1, 0.5],
    "bin_width": lambda w: 0.5,
    "entropy": lambda w: -2.0,
    "tally_entropy_bound.entropy": lambda w: 0.5,
    "tally_entropy_limit.entropy": lambda w: 0.5,
    "collision": lambda w: 0.9,
    "num_outcomes": lambda w: w.size + 1,
    "heights": lambda w: (1.0, 0.5, 0.0),
    "z": lambda w: w.choose.normal(size=3),
    "report": lambda w: w.choose.random(3),
    "value": lambda w: 0.5,
    "a": lambda w: 2.0,
    "b": lambda w: 3.0,
    "ratio": lambda w: 0.5,
    "function": lambda w: lambda cell, rng: {"u": rng.random()},
    "cells": lambda w: [{"n": 1}, {"n": 2}],
    "cell": lambda w: {"n": 1},
    "num_runs": lambda w: 2,
    "run": lambda w: 1,
    "seed": lambda w: 1,
    "folder": lambda w: None,
    "processes": lambda w: 1,
    "version": lambda w: "",
    "given": law,
    "sets": sets,
    "num_items": lambda w: 3,
    "lists": lambda w: [[0, 2], [], [1]],
    "items": lambda w: np.array([0, 2, 1]),
    "lengths": lambda w: np.array([2, 0, 1]),
    "ldp_miner.sets": many_sets,
    "svim.sets": many_sets,
    "svsm.sets": many_sets,
    "frequent_items.sets": many_sets,
    "svim.shares": lambda w: (0.4, 0.2, 0.4),
    "svsm.shares": lambda w: (0.2,) * 5,
    "frequent_items.shares": lambda w: (0.5, 0.5),
    "ldp_miner.length": lambda w: 2,
    "deviations": lambda w: 2.0,
    "ItemSets.candidates": lambda w: w.choose.permutation(3)[:2],
    "PadAndSample.length": lambda w: 2,
    "PadAndSample.oracle": lambda w: ldp.GRR(5, 1.0),
    "PadAndSample.candidates": lambda w: [2, 3],
    "PadAndSample.reports": lambda w: w.choose.integers(0, 5, size=6),
    "PadAndSample.epsilon": lambda w: 1.0,
    "SetSelection.length": lambda w: 2,
    "SetSelection.frequency": lambda w: 0.1,
    "SetSelection.candidates": lambda w: [2, 3],
    "SetSelection.reports": lambda w: w.choose.integers(0, 5, size=(6, 1)).astype("u4"),
    "num_users": lambda w: 20,
    "found": lambda w: w.choose.permutation(9)[:4],
    "frequencies": lambda w: w.choose.random(5),
    "f1.truth": lambda w: w.choose.permutation(9)[:5],
    "ncr.truth": lambda w: w.choose.permutation(9)[:5],
    "found_mse.truth": lambda w: np.arange(2, 7),
    "found_mse.found": lambda w: np.array([8, 2, 5, 1]),
    "found_mse.estimates": lambda w: w.choose.normal(0.3, 0.2, size=4),
    "factor": lambda w: 2.0,
    "fixed_point_channel.prior": law,
    "fixed_point_window.prior": law,
    "relative_mollifier.prior": law,
    "local_mollifier.prior": law,
    "LinearSampler.channel": lambda w: ldp.GRR(w.size, 0.1).channel(),
    "LinearSampler.laws": law,
    "Mollifier.lower": lambda w: np.full(w.size, 0.96 / w.size),
    "Mollifier.upper": lambda w: np.full(w.size, 1.04 / w.size),
    "Mollifier.laws": law,
}
FLAGS = {
    "amplified",
    "truncate",
    "simultaneous",
    "population",
    "consistent",
    "sharp",
    "tangent",
    "progress",
    "converged",
}
PLAUSIBLE |= dict.fromkeys(FLAGS, lambda w: bool(w.choose.random() < 0.5))
UNTOUCHED = {"folder", "processes", "progress"}  # others would write files and start processes
UNTOUCHED |= {"max_iterations", "num_runs"}  # others would take what they are allowed: years
HOLDS_ANYTHING = {"gap", "iterations", "log_likelihood", "Fit.theta", "TreeFit.nodes"}
PLAUSIBLE |= dict.fromkeys(HOLDS_ANYTHING, lambda w: 1.0)


def plausible(target: str, parameter: str, w: World) -> Any:
    """Return an argument that the target may well take; a new parameter needs a line above."""
    for key in (f"{target}.{parameter}", f"{target.split('.')[0]}.{parameter}", parameter):
        if key in PLAUSIBLE:
            return PLAUSIBLE[key](w)
    raise KeyError(f"say in fuzz_arguments.py what {parameter} of {target} may be")


def spoiled(value: Any, g: np.random.Generator) -> Any:
    """Return something hostile, or the value with one thing about it changed."""
    if isinstance(value, ldp.Tally) and g.random() < 0.7:
        change = g.integers(-2, 3, size=value.counts.size) * pick(g, [1, 10**6])
        return ldp.Tally(value.counts + change, value.num_reports, None, value.candidates)
    if not isinstance(value, np.ndarray) or value.ndim == 0 or g.random() < 0.4:
        return pick(g, HOSTILE)
    return pick(g, [an_entry, an_entry, all_of_it])(value.copy(), g)


def an_entry(array: Any, g: np.random.Generator) -> Any:
    """Put something else into one place."""
    if not array.size:
        return array
    at = int(g.integers(array.size))
    if array.dtype.names:
        field = array[pick(g, array.dtype.names)]
        field.flat[at % field.size] = pick(g, [0, 1, 7, min(2**31, np.iinfo(field.dtype).max)])
    elif array.dtype.kind == "f":
        array.flat[at] = pick(g, [-1.0, 1e15, 1e16, 1e308, -1e308, 5e-324, np.nan, np.inf])
    elif array.dtype == np.uint8:
        array.flat[at] = pick(g, [0, 1, 7, 64, 255])
    elif array.dtype.kind in "iu":
        array = array.astype(np.int64)  # a wrong number may not fit the dtype of a right one
        array.flat[at] = pick(g, [-1, -129, 0, 7, 40, 99, 2**31, 2**62])
    return array


def all_of_it(array: Any, g: np.random.Generator) -> Any:
    """Change its shape, its type, or the order of its memory, or make it large or small."""
    forms = [
        array[:0],
        array[None],
        array[..., :-1],
        array[::-1],
        array.tolist(),
        array.astype("O"),
    ]
    forms += [np.asfortranarray(array), np.repeat(array, 2, axis=0)[::2]]
    if array.dtype.kind == "f":
        forms += [array.astype("f4"), array.astype(">f8"), array * 1e15, array * 1e300]
        forms += [array * 5e-324, -array]
    return pick(g, forms)
