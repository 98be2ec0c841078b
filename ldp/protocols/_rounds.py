"""The rounds of adaptive estimation, by any of the samplers."""

from typing import assert_never

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._words import words
from ldp.bayes.langevin import check_state
from ldp.bayes.restricted_counts import (
    RestrictedCounts,
    draw_explained_restricted,
    likelihood_columns,
)
from ldp.bayes.slice_sampling import swept
from ldp.mechanisms.restricted_levels import Levels, restricted_response, weights
from ldp.protocols._adaptive_kernels import choose_subset, rounds_of_langevin
from ldp.protocols.law_samplers import GibbsSampler, LangevinSampler, SliceSampler, StepSize
from ldp.protocols.prefixes import Prefix
from ldp.types import Array, Bools, Floats, Integers

History = tuple[Integers, Bools, Floats]  # reports, subsets and laws of a run

_NUMBERS_AT_ONCE = 2**18


def langevin_rounds(
    values: Integers,
    starts: Integers,
    rule: Prefix,
    levels: Floats,
    sampler: LangevinSampler,
    prior: Floats,
    rng: np.random.Generator,
) -> History:
    """Run all rounds in compiled code, with the random numbers of some rounds at a time."""
    n, d = values.size, len(levels)
    ends = np.append(starts, n)
    steps = _step_sizes(sampler.step_size, ends[1:].copy())
    reports, inside = np.empty(n, dtype=np.int64), np.empty((starts.size, d), dtype=np.bool_)
    laws = np.empty((starts.size + 1, d))
    laws[0] = law = np.full(d, 1 / d)
    phi = law * prior.sum()  # sum(phi) is independent of the law, with this mean
    law, order = law.copy(), np.arange(d)
    tables, known = (levels, _weight_table(levels)), _no_rows(n, starts.size, d)
    updates, batch = sampler.num_updates, min(sampler.minibatch, n)
    at_once = max(1, _NUMBERS_AT_ONCE // (updates * (batch + d)))
    for first in range(0, starts.size, at_once):
        here = ends[first : first + at_once + 1]
        rounds = here.size - 1
        rounds_of_langevin(
            values,
            here,
            words(rng, int(here[-1] - here[0])),
            words(rng, (rounds, updates, batch)),
            rng.standard_normal((rounds, updates, d)),
            steps[first : first + rounds],
            (rule.code, rule.enough, first),
            tables,
            prior,
            phi,
            law,
            order,
            known,
            (reports, inside, laws),
        )
        check_state(phi, laws[first + 1 : first + rounds + 1])
    return reports, inside, laws


def counted_rounds(
    values: Integers,
    starts: Integers,
    rule: Prefix,
    inner: float,
    levels: Floats,
    sampler: GibbsSampler | SliceSampler,
    prior: Floats,
    rng: np.random.Generator,
) -> History:
    """Run one round after another; reports are counted by subset as they come."""
    d = len(levels)
    ends = np.append(starts, values.size)
    reports, inside = np.empty_like(values), np.empty((starts.size, d), dtype=np.bool_)
    laws = np.empty((starts.size + 1, d))
    laws[0] = np.full(d, 1 / d)
    order, scratch, weight_table = np.arange(d), np.empty(d), _weight_table(levels)
    known: dict[bytes, int] = {}  # the subsets so far; a row of each of these three
    masks, levels_of = np.zeros_like(inside), np.zeros((starts.size, 5))
    counts, inner_of = np.zeros((starts.size, d), dtype=np.int64), np.full(starts.size, inner)
    for i in range(starts.size):
        size = choose_subset(laws[i], rule.code, rule.enough, levels, order, inside[i], scratch)
        part = slice(ends[i], ends[i + 1])
        restricted_response(
            values[part],
            words(rng, part.stop - part.start),
            order,
            np.argsort(order),
            size,
            weight_table[size],
            reports[part],
        )
        row = known.setdefault(inside[i].tobytes(), len(known))
        masks[row], levels_of[row] = inside[i], levels[size]
        counts[row] += np.bincount(reports[part], minlength=d)
        r = len(known)
        seen = RestrictedCounts(masks[:r], inner_of[:r], levels_of[:r], counts[:r])
        laws[i + 1] = _next_law(laws[i], seen, sampler, prior, rng)
    return reports, inside, laws


def _next_law(
    law: Floats,
    seen: RestrictedCounts,
    sampler: GibbsSampler | SliceSampler,
    prior: Floats,
    rng: np.random.Generator,
) -> Floats:
    if isinstance(sampler, GibbsSampler):
        for _ in range(sampler.num_sweeps):
            law = rng.dirichlet(prior + draw_explained_restricted(seen, law, rng))
        return law
    if isinstance(sampler, SliceSampler):
        columns, counts = likelihood_columns(seen)
        for _ in range(sampler.num_sweeps):
            law = swept(law, columns, counts, prior, rng)
        return law
    assert_never(sampler)


def _no_rows(num_users: int, num_rounds: int, d: int) -> tuple[Array, ...]:
    """Room for the likelihoods of different reports, none of which is known yet."""
    rows = np.empty((min(num_users, num_rounds * d), d))
    owners = np.empty(num_users, dtype=np.int64)
    row_of = np.full((num_rounds, d), -1, dtype=np.int32)
    # Words whose sums tell most subsets apart; where two collide, the subsets are compared.
    codes = np.cumprod(np.full(d, 0x9E3779B97F4A7C15, dtype=np.uint64))
    slots = np.full(2 ** (2 * num_rounds).bit_length(), -1)
    return rows, np.zeros(1, dtype=np.int64), owners, row_of, codes, slots


def _weight_table(levels: Floats) -> npt.NDArray[np.uint64]:
    """Integer weights of RRRR at every number of values."""
    return np.array([weights(Levels(*row)) for row in levels.tolist()])


def _step_sizes(step_size: StepSize, num_users: Integers) -> Floats:
    """Step size after every round, by the number of users so far."""
    if not callable(step_size):
        return np.full(num_users.size, float(step_size))
    return _checks.positive_vector(step_size(num_users), "step_size", num_users.size)
