"""Arguments for the fuzzer: plausible ones by the name of the parameter, and hostile ones."""

from collections import UserList
from collections.abc import Callable
from copy import deepcopy
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


# Names of parameters, alone or with the name that has them, and what does for all of these:
# in every world the same,
ALWAYS: list[tuple[str, Any]] = [
    ("epsilon_inner growth SetSelection.frequency", 0.1),
    ("Tally.num_reports", 40),
    ("oracle make", ldp.OUE),
    ("sort_by", "bits"),
    ("max_bits", 8),
    ("max_server_ops", 10**4),
    ("error attack_success plan.frequency users_needed.frequency epsilon_needed.frequency", 0.4),
    ("epsilon_range.frequency Plan.frequency", 0.4),
    ("rows beyond refused", ()),
    ("VectorMean.oracle", ldp.means.OneBitMean),
    ("HierarchicalHistogram.domain_size num_bits depth", 4),
    (
        "HierarchicalHistogram.branching branching window num_reported limb_bits num_segments "
        "width top_k best_dropped block_size num_chains num_updates stop num_runs "
        "ldp_miner.length PadAndSample.length SetSelection.length",
        2,
    ),
    ("half_width second subset_size burn_in num_sweeps length run seed processes", 1),
    ("lower", -1.0),
    ("upper a deviations factor", 2.0),
    ("num_bins others", 5),
    (
        "num_dimensions num_buckets word_bits StringCode.length keep num_draws "
        "users_per_round minibatch num_items",
        3,
    ),
    ("hash_bits num_candidates", 8),
    ("parts", [(Intervals(4, 2), ldp.GRR(2, 1.0), 0.4), (Intervals(4, 1), ldp.OUE(4, 1.0), 0.6)]),
    ("Assigned.candidates folder", None),
    ("Assigned.simulate.values simulate_prefixes.values simulate_strings.values", np.arange(4)),
    ("shares", [0.25, 0.75]),
    ("alphabet", "ab"),
    ("strings", ["ab", "", "bba"]),
    ("depths", (2, 4, 4)),
    ("half_detected.shares expected_found.shares prefix_rounds.shares", [0.25, 0.25, 0.5]),
    ("expected_found.frequencies", [0.3, 0.2, 0.1]),
    (
        "failure final_share p bin_width tally_entropy_bound.entropy "
        "tally_entropy_limit.entropy value ratio",
        0.5,
    ),
    ("scattered", True),
    ("CyclotomicResponse.design", (13, 4, 1, False)),
    ("CyclicResponse.design", (3, 3)),
    ("first HashPool.simulate.others start", 0),
    ("simulate_prefixes.counts simulate_strings.counts", np.full(4, 9)),
    ("pooled_frequencies.values HashPool.candidates HashPool.value_counts", [3, 12]),
    ("hashing Round.mechanism", ldp.WideHashing(4, 1.0)),
    ("pool_variance.frequencies HashPool.pool_variance.frequencies", [0.5, 0.25, 0.25]),
    ("HashPool.table.given", np.ones((8, 4), dtype=np.int64)),
    ("certify.threshold noise_variance", 0.01),
    ("Round.tally", ldp.Tally([5, 3], 9, ldp.WideHashing(4, 1.0), [2, 3])),
    ("threshold", 0.7),
    ("q", 0.45),
    ("subset", [0]),
    ("significance", 0.05),
    ("exponent", 1.5),
    ("AllReports.histograms", np.ones((2, 3), dtype=int)),
    ("AllReports.probabilities", [0.5, 0.5]),
    ("AllReports.weights", np.full((2, 3), 1 / 3)),
    ("starts", [0, 2]),
    ("step_sizes", [1e-3] * 3),
    ("step_size", 1e-3),
    ("inner_share", 0.8),
    ("mass level collision", 0.9),
    ("tolerance", 1e-6),
    ("max_iterations num_users", 20),
    ("min_rise", 0.0),
    ("smooth", (1, 2, 1)),
    ("variances", [0.0, 1.0, 2.0]),
    ("levels", [0.1, 0.5]),
    ("entropy", -2.0),
    ("heights", (1.0, 0.5, 0.0)),
    ("b", 3.0),
    ("cells", [{"n": 1}, {"n": 2}]),
    ("cell", {"n": 1}),
    ("version", ""),
    ("lists", [[0, 2], [], [1]]),
    ("items", np.array([0, 2, 1])),
    ("lengths", np.array([2, 0, 1])),
    ("svim.shares", (0.4, 0.2, 0.4)),
    ("svsm.shares", (0.2,) * 5),
    ("frequent_items.shares", (0.5, 0.5)),
    ("PadAndSample.oracle", ldp.GRR(5, 1.0)),
    ("PadAndSample.candidates SetSelection.candidates", [2, 3]),
    ("PadAndSample.epsilon gap iterations log_likelihood Fit.theta TreeFit.nodes", 1.0),
    ("found_mse.truth", np.arange(2, 7)),
    ("found_mse.found", np.array([8, 2, 5, 1])),
]
# or drawn in a world.
DRAWN: list[tuple[str, Callable[[World], Any]]] = [
    ("domain_size", lambda w: w.size),
    ("epsilon", lambda w: pick(w.choose, EPSILONS)),
    ("rng", lambda w: np.random.default_rng(w.choose.integers(2**32))),
    ("mechanism", lambda w: w.mechanism),
    ("reports", reports),
    ("tally tallies", lambda w: w.mechanism.tally(w.reports)),
    ("values", lambda w: values(w.mechanism, w.choose)),
    ("value_counts counts", counts),
    ("num_reports", lambda w: int(w.choose.integers(2, 9))),
    ("Tally.mechanism", lambda w: pick(w.choose, [None, w.mechanism])),
    ("candidates", lambda w: np.arange(w.size)),
    ("resolution", lambda w: int(w.choose.integers(1, 9))),
    ("bin_values.values central_laplace_mean.values", lambda w: w.choose.uniform(-1, 2, size=5)),
    ("codes", lambda w: w.choose.integers(0, 32, size=5)),
    ("scatter.values gather.values HashPool.values", lambda w: w.choose.integers(0, 16, size=5)),
    ("find_prefixes.rounds simulate_prefixes.rounds", lambda w: searched(w)[1]),
    ("find_prefixes.reports", lambda w: searched(w)[0]),
    ("find_strings.rounds simulate_strings.rounds", lambda w: paired(w)[1]),
    ("find_strings.reports", lambda w: paired(w)[0]),
    ("pooled_frequencies.rounds", lambda w: scattered(w)[1]),
    ("pooled_frequencies.reports", lambda w: scattered(w)[0]),
    ("seeds", lambda w: w.choose.integers(0, 2**32, (8, 2), dtype=np.uint32)),
    ("HashPool.reports", pooled),
    ("pool_states.rounds", lambda w: pools(w)[1]),
    ("pool_states.reports", lambda w: pools(w)[0]),
    ("certify.found", result),
    ("HeavyHitters.values", lambda w: result(w).values),
    ("HeavyHitters.frequencies", lambda w: result(w).frequencies),
    ("HeavyHitters.rounds", lambda w: result(w).rounds),
    ("frequency", lambda w: w.choose.random(w.size)),
    (
        "law theta truth estimate mle_apx.estimates given fixed_point_channel.prior "
        "fixed_point_window.prior relative_mollifier.prior local_mollifier.prior "
        "LinearSampler.laws Mollifier.laws",
        law,
    ),
    ("x", lambda w: w.choose.normal(size=w.size)),
    ("estimates", lambda w: w.choose.normal(0.3, 0.2, size=w.size)),
    ("subsets", lambda w: w.choose.random((3, w.size)) < 0.5),
    ("channel", matrix),
    ("em.channel", lambda w: pick(w.choose, [ldp.GRR(w.size, 1.0), matrix(w)])),
    ("thetas", lambda w: w.choose.dirichlet(np.ones(w.size), size=3)),
    ("laws", lambda w: w.choose.dirichlet(np.ones(w.size), size=(2, 3))),
    ("concentrations", lambda w: 1 + w.choose.random((2, 3, w.size))),
    ("concentration prior phi", lambda w: 1 + w.choose.random(w.size)),
    ("weights", lambda w: w.choose.dirichlet(np.ones(3))),
    ("DirichletMixture.tallies AllReports.tallies", lambda w: np.ones((3, w.size), dtype=int)),
    ("AdaptiveRun.reports", lambda w: w.choose.integers(0, w.size, size=4)),
    ("AdaptiveRun.subsets", lambda w: np.zeros((2, w.size), dtype=bool)),
    ("AdaptiveRun.laws", lambda w: np.full((3, w.size), 1 / w.size)),
    ("adobest.values", lambda w: w.choose.integers(0, w.size, size=8)),
    ("rule", rule),
    ("sampler", sampler),
    ("utility", lambda w: pick(w.choose, sorted(ldp.utilities.UTILITIES))),
    ("nodes", tree),
    ("num_outcomes", lambda w: w.size + 1),
    ("z", lambda w: w.choose.normal(size=3)),
    ("report", lambda w: w.choose.random(3)),
    ("function", lambda w: lambda cell, rng: {"u": rng.random()}),
    ("sets", sets),
    ("ldp_miner.sets svim.sets svsm.sets frequent_items.sets", many_sets),
    ("ItemSets.candidates", lambda w: w.choose.permutation(3)[:2]),
    ("PadAndSample.reports", lambda w: w.choose.integers(0, 5, size=6)),
    ("SetSelection.reports", lambda w: w.choose.integers(0, 5, size=(6, 1)).astype("u4")),
    ("found", lambda w: w.choose.permutation(9)[:4]),
    ("frequencies", lambda w: w.choose.random(5)),
    ("f1.truth ncr.truth", lambda w: w.choose.permutation(9)[:5]),
    ("found_mse.estimates", lambda w: w.choose.normal(0.3, 0.2, size=4)),
    ("LinearSampler.channel", lambda w: ldp.GRR(w.size, 0.1).channel()),
    ("Mollifier.lower", lambda w: np.full(w.size, 0.96 / w.size)),
    ("Mollifier.upper", lambda w: np.full(w.size, 1.04 / w.size)),
    ("moduli", lambda w: [w.size]),
    ("reports_each", lambda w: w.choose.integers(1, 9, len(getattr(w.mechanism, "moduli", "a")))),
]
FLAGS = "amplified truncate simultaneous population consistent sharp tangent progress converged"
DRAWN += [(FLAGS, lambda w: bool(w.choose.random() < 0.5))]
UNTOUCHED = {"folder", "processes", "progress"}  # others would write files and start processes
UNTOUCHED |= {"max_iterations", "num_runs"}  # others would take what they are allowed: years
PLAUSIBLE = {name: make for names, make in DRAWN for name in names.split()}
for names, value in ALWAYS:
    PLAUSIBLE |= dict.fromkeys(names.split(), lambda w, value=value: deepcopy(value))


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
