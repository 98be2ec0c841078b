"""The rounds of adaptive estimation: compiled altogether, or one after another."""

from typing import Any

import numpy as np
from numpy.random import Generator

from ldp import _checks
from ldp._words import words
from ldp.bayes.langevin import check_state
from ldp.bayes.slice_sampling import swept
from ldp.bayes.subset_counts import SubsetCounts, draw_by_subset, likelihood_columns
from ldp.protocols._adaptive_kernels import Draws, History, Known, Rule, ask, rounds_of_langevin
from ldp.protocols.law_samplers import LangevinSampler, Sampler, SliceSampler, StepSize
from ldp.types import Floats, Integers

_NUMBERS_AT_ONCE = 2**18


def run_rounds(
    sampler: Sampler, values: Integers, ends: Integers, rule: Rule, prior: Floats, rng: Generator
) -> History:
    """Ask all users; `ends` is the first user of every round and the number of users."""
    run = _langevin_rounds if isinstance(sampler, LangevinSampler) else _counted_rounds
    return run(sampler, values, ends, rule, prior, rng)


def _langevin_rounds(
    sampler: Any, values: Integers, ends: Integers, rule: Rule, prior: Floats, rng: Generator
) -> History:
    """Run all rounds in compiled code, with the random numbers of some rounds at a time."""
    updates, batch = sampler.num_updates, min(sampler.minibatch, values.size)
    steps = _step_sizes(sampler.step_size, ends[1:].copy())
    history = _begun(values.size, ends.size - 1, prior.size)
    known = _no_rows(values.size, ends.size - 1, prior.size)
    phi = history.laws[0] * prior.sum()  # sum(phi) is independent of the law, with this mean
    order = np.arange(prior.size)
    at_once = max(1, _NUMBERS_AT_ONCE // (updates * (batch + prior.size)))
    for first in range(0, steps.size, at_once):
        last = min(first + at_once, steps.size)
        draws = Draws(
            words(rng, int(ends[last] - ends[first])),
            words(rng, (last - first, updates, batch)),
            rng.standard_normal((last - first, updates, prior.size)),
        )
        rounds = first, last
        rounds_of_langevin(
            rounds, values, ends, draws, steps, rule, prior, phi, order, known, history
        )
        check_state(phi, history.laws[first + 1 : last + 1])
    return history


def _counted_rounds(
    sampler: Any, values: Integers, ends: Integers, rule: Rule, prior: Floats, rng: Generator
) -> History:
    """Run one round after another; reports are counted by subset as they come."""
    d = len(rule.levels)
    history = _begun(values.size, ends.size - 1, d)
    order, rows = np.arange(d), dict[bytes, int]()  # a row of what follows for each subset so far
    counts, levels = np.zeros_like(history.inside, dtype=np.int64), np.zeros((ends.size - 1, 5))
    masks, inner = np.zeros_like(history.inside), np.full(ends.size - 1, rule.inner)
    for i, law in enumerate(history.laws[:-1]):
        users, inside = slice(ends[i], ends[i + 1]), history.inside[i]
        told, reports = words(rng, int(ends[i + 1] - ends[i])), history.reports[users]
        size = ask(values[users], told, law, rule, order, inside, reports)
        row = rows.setdefault(inside.tobytes(), len(rows))
        masks[row], levels[row] = inside, rule.levels[size]
        counts[row] += np.bincount(reports, minlength=d)
        r = len(rows)
        seen = SubsetCounts(masks[:r], inner[:r], levels[:r], counts[:r])
        history.laws[i + 1] = _next_law(sampler, law, seen, prior, rng)
    return history


def _step_sizes(step_size: StepSize, num_users: Integers) -> Floats:
    """Step size after every round, by the number of users so far."""
    if not callable(step_size):
        return np.full(num_users.size, float(step_size))
    return _checks.positive_vector(step_size(num_users), "step_size", num_users.size)


def _next_law(
    sampler: Any, law: Floats, seen: SubsetCounts, prior: Floats, rng: Generator
) -> Floats:
    """Sweep from one law to the next."""
    if isinstance(sampler, SliceSampler):
        columns, counts = likelihood_columns(seen)
        for _ in range(sampler.num_sweeps):
            law = swept(law, columns, counts, prior, rng)
        return law
    for _ in range(sampler.num_sweeps):
        law = rng.dirichlet(prior + draw_by_subset(seen, law, rng))
    return law


def _begun(num_users: int, num_rounds: int, d: int) -> History:
    """Room for a history, and the uniform law before it."""
    reports, laws = np.empty(num_users, dtype=np.int64), np.empty((num_rounds + 1, d))
    laws[0] = 1 / d
    return History(reports, np.empty((num_rounds, d), dtype=np.bool_), laws)


def _no_rows(num_users: int, num_rounds: int, d: int) -> Known:
    """Room for the likelihoods of different reports, none of which is known yet."""
    return Known(
        rows=np.empty((min(num_users, num_rounds * d), d)),
        num_rows=np.zeros(1, dtype=np.int64),
        owners=np.empty(num_users, dtype=np.int64),
        row_of=np.full((num_rounds, d), -1, dtype=np.int32),
        # Words whose sums tell most subsets apart; where two collide, the subsets are compared.
        codes=np.cumprod(np.full(d, 0x9E3779B97F4A7C15, dtype=np.uint64), dtype=np.uint64),
        slots=np.full(2 ** (2 * num_rounds).bit_length(), -1),
    )
