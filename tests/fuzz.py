"""A fuzzer of every public name: `make fuzz CALLS=100000 SEED=1`, and a part of the suite.

Every call is a public name with plausible arguments, some of them spoiled. It must return, or
refuse in one sentence; it must change no argument, warn of nothing, take no report that no value
can make, and return no number that is none. Anything else is a fault, printed with its number;
``--only NUMBER`` with the same seed makes that call again.
"""

import argparse
import contextlib
import inspect
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from catalogue import MEANS as MEAN_ENTRIES
from catalogue import SEVERAL, all_reports, is_noisy
from fuzz_arguments import SMALL, UNTOUCHED, World, plausible, spoiled, world

import ldp
import ldp.assigned
import ldp.experiments
import ldp.rivals

REFUSALS = (ValueError, TypeError, OverflowError, MemoryError)
SENTENCE = re.compile(r"[^\n]+ must [^\n]*\.")
MODULES = [ldp, *(room for room in map(vars(ldp).get, ldp.__all__) if isinstance(room, ModuleType))]
MODULES += [ldp.experiments, ldp.assigned, ldp.rivals]
MEANS = tuple(MEAN_ENTRIES)
MODULAR = ldp.rivals.ModularSubsetSelection
OF_A_KIND = {
    "mean_interval": MEANS,
    "residue_least_squares": MODULAR,
    "residue_covariance": MODULAR,
}
LAWS = ("norm_sub", "mle_apx", "norm_mul", "power_ns", "beta", "uniform", "zipf", "geometric")
# Other rooms call these of a mechanism with what they have checked.
STEPS = {"check_counts", "moments"}
HOLDERS = {"Fit", "TreeFit", "Langevin"}  # they keep what they are given and compute nothing
# Infinite where their definition is.
NO_LIMIT = {"DirichletMixture.density", "fisher", "kl", "prefix_utilities", "worst_case_epsilon"}


class Target(NamedTuple):
    """A public name; `make` returns the callable in a world."""

    name: str
    make: Callable[[World], Callable[..., Any]]
    kind: type | tuple[type, ...] | None = None


class Fault(NamedTuple):
    """What a call did wrong, and the number of the call."""

    what: str
    name: str
    call: int


def names_of(module: ModuleType) -> list[str]:
    """Public names: those that the module lists, or that it defines."""
    listed = getattr(module, "__all__", None)
    own = [k for k, v in vars(module).items() if getattr(v, "__module__", "") == module.__name__]
    return [name for name in listed or own if not name.startswith("_")]


def targets() -> Iterator[Target]:
    """Every function, every class that computes, and every public method of it."""
    seen = set()
    for module in MODULES:
        for name in names_of(module):
            thing = getattr(module, name)
            plain = isinstance(thing, ModuleType) or not callable(thing)
            if plain or thing in seen or getattr(thing, "_is_protocol", False):
                continue
            seen.add(thing)
            if not inspect.isclass(thing):
                yield Target(name, lambda w, f=thing: f, OF_A_KIND.get(name))
            elif not issubclass(thing, tuple):  # a named tuple computes nothing
                yield Target(name, lambda w, f=thing: f)
                for method, _ in inspect.getmembers(thing, inspect.isfunction):
                    if not method.startswith("_") and method not in STEPS:
                        yield Target(f"{name}.{method}", method_of(thing, method), thing)


def method_of(kind: type, method: str) -> Callable[[World], Callable[..., Any]]:
    """Return the method of the world's mechanism, or of a fresh object of another class."""

    def make(w: World) -> Callable[..., Any]:
        if isinstance(w.mechanism, kind):
            return getattr(w.mechanism, method)
        return getattr(kind(**arguments(kind.__name__, kind, w)), method)

    return make


def arguments(name: str, call: Callable[..., Any], w: World) -> dict[str, Any]:
    """Plausible arguments; those with a default are often left out."""
    given = {}
    for parameter in inspect.signature(call).parameters.values():
        optional = parameter.default is not parameter.empty
        if not optional or (parameter.name not in UNTOUCHED and w.choose.random() < 0.4):
            given[parameter.name] = plausible(name, parameter.name, w)
    return given


def fingerprint(value: Any) -> Any:
    """What must be the same after the call; a generator moves, and is not looked at."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.flags.writeable, value.tobytes()
    if isinstance(value, list | tuple) and len(repr(value)) < 10_000:
        return type(value).__name__, repr(value)
    return None if isinstance(value, np.random.Generator) else id(value)


@cache
def columns(m: Any) -> frozenset[bytes]:
    """Reports that some value can make, written by the tests and not by the mechanism."""
    largest = m.channel().max(axis=0)
    return frozenset(y.tobytes() for y, p in zip(all_reports(m), largest, strict=True) if p > 0)


def impossible(m: Any, reports: Any) -> bool:
    """Say whether one of the reports can be made by no value, or the tally by no reports."""
    if isinstance(reports, ldp.Tally):
        c, n = reports.counts, reports.num_reports
        if is_noisy(m):
            return False
        histogram = isinstance(m, (ldp.GRR, ldp.RRRR, ldp.SquareWave)) or not hasattr(m, "q")
        histogram &= not isinstance(m, MODULAR)  # it refuses by sums of each modulus
        return bool(c.min() < 0 or c.max() > n or (histogram and abs(c.sum() - n) > 1e-9 * n))
    rows = np.asarray(reports)
    if is_noisy(m):
        least, most = m.report.bounds
        return bool(rows.size and (rows.min() < least or rows.max() > most))
    dtype = np.int64 if rows.dtype.kind in "iu" and rows.dtype != np.uint8 else rows.dtype
    packed = all_reports(m).ndim == 2
    rows = rows.astype(np.uint8 if packed else dtype if rows.dtype.names else np.int64)
    return any(row.tobytes() not in columns(m) for row in rows)


def decoded(name: str, given: dict[str, Any], w: World) -> bool:
    """Say whether an accepted call has taken reports that cannot be."""
    own = w.mechanism if name.startswith(f"{type(w.mechanism).__name__}.") else None
    m = given.get("mechanism", own)
    taken = given.get("reports", given.get("tally"))
    known = isinstance(m, tuple(type(each) for each in SMALL)) and m in SMALL
    if not known or taken is None or type(m) in SEVERAL:
        return False
    return impossible(m, taken)


def numbers(result: Any) -> Iterator[np.ndarray]:
    """All floats of a result."""
    if isinstance(result, float | np.floating | np.ndarray):
        array = np.asarray(result)
        if array.dtype.kind == "f":
            yield array
    elif isinstance(result, tuple | list):
        for part in result:
            yield from numbers(part)
    elif hasattr(result, "theta"):
        yield np.asarray(result.theta)


def wrong_result(name: str, result: Any) -> str | None:
    """Say what is wrong about a result, or nothing."""
    if name in HOLDERS:
        return None
    for array in numbers(result):
        if np.isnan(array).any() or (np.isinf(array).any() and name not in NO_LIMIT):
            return "returns nan or infinity"
    law = result if name in LAWS else getattr(result, "theta", None)
    if not isinstance(law, np.ndarray):
        return None
    right = law.min() >= 0 and abs(law.sum() - 1) < 1e-9
    return None if right else "returns no law"


def judge(name: str, call: Callable[..., Any], given: dict[str, Any], w: World) -> tuple[bool, str]:
    """Make one call: whether it was accepted, and what is wrong, if anything."""
    before = [fingerprint(value) for value in given.values()]
    accepted, wrong = False, ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = call(**given)
        accepted, wrong = True, wrong_result(name, result) or ""
    except REFUSALS as error:
        if not isinstance(error, MemoryError) and not SENTENCE.fullmatch(str(error)):
            wrong = f"refuses in other words: {type(error).__name__}: {str(error)[:200]!r}"
    except BaseException as error:
        said = type(error).__name__ in (inspect.getdoc(call) or "")
        if not (isinstance(error, FloatingPointError) and said):
            wrong = f"raises {type(error).__name__}: {str(error)[:200]!r}"
    if not wrong and accepted and decoded(name, given, w):
        wrong = "takes a report that no value can make"
    if before != [fingerprint(value) for value in given.values()]:
        wrong = "changes an argument"
    return accepted, wrong


def one_call(number: int, seed: int, found: list[Target]) -> tuple[str, bool, str, dict[str, Any]]:
    """Draw and judge the call of a number, whatever came before it."""
    choose = np.random.default_rng([seed, number])
    target = found[int(choose.integers(len(found)))]
    w = world(choose, target.kind)
    call = target.make(w)
    given = arguments(target.name, call, w)
    if choose.random() < 0.7:
        for name in given:
            if name not in UNTOUCHED and choose.random() < 0.4:
                given[name] = spoiled(given[name], choose)
    return target.name, *judge(target.name, call, given, w), given


def fuzz(calls: int, seed: int, extra: tuple[Target, ...] = ()) -> tuple[list[Fault], Counter[str]]:
    """Make so many calls; return faults, and how many calls of each name were accepted."""
    found, faults = [*targets(), *extra], []
    accepted: Counter[str] = Counter({target.name: 0 for target in found})
    for number in range(calls):
        name, taken, wrong, _ = one_call(number, seed, found)
        accepted[name] += taken
        if wrong:
            faults.append(Fault(wrong, name, number))
    return faults, accepted


def main() -> int:
    """Run from the command line; fail if there is a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="repeat the call of this number and show it")
    options = parser.parse_args()
    if options.only is not None:
        with contextlib.suppress(RecursionError):
            print(*one_call(options.only, options.seed, [*targets()]), sep="\n")
        return 0
    faults, accepted = fuzz(options.calls, options.seed)
    for fault in faults:
        print(f"call {fault.call}: {fault.name} {fault.what}")
    never = [name for name, times in accepted.items() if not times]
    print(
        f"{options.calls} calls with seed {options.seed}, {sum(accepted.values())} accepted, ",
        end="",
    )
    print(f"{len(faults)} faults; never accepted: {', '.join(never) or 'none'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
