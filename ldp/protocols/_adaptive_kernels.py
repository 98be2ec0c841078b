"""Compiled rounds of adaptive estimation: arrays in, arrays out, no randomness inside.

Loops take several arrays under one name. The names are defined here, since machine code on disk
knows the fields of a tuple by their places and is made anew when this file changes.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ldp._compiled import compiled
from ldp._words import Words
from ldp.bayes.langevin_kernels import update_phi
from ldp.mechanisms.restricted_levels import restricted_response
from ldp.protocols.prefix_kernels import choose_size, levels_at, sort_values
from ldp.types import Bools, Floats, Integers


class Rule(NamedTuple):
    """How a law decides what is asked; row k of both tables is RRRR at k values."""

    code: int
    enough: float
    inner: float
    levels: Floats
    weights: Words


class History(NamedTuple):
    """Report of every user, subset of every round, laws before the first round and after each."""

    reports: Integers
    inside: Bools
    laws: Floats


class Known(NamedTuple):
    """Rows of likelihoods, how many there are, and the row of each user.

    Users with equal reports under equal subsets share a row: few rows stay in the cache. `row_of`
    has the row of a report under the subset of a round, or -1; the rest is what `first_like` needs.
    """

    rows: Floats
    num_rows: Integers
    owners: Integers
    row_of: npt.NDArray[np.int32]
    codes: Words
    slots: Integers


class Draws(NamedTuple):
    """Random numbers of some rounds: a word per user, and words and noise of every update."""

    words: Words
    picks: Words
    noise: Floats


@compiled
def likelihood_row(report: Any, inside: Any, levels: Any, out: Any) -> None:
    """Probability of a report under every value."""
    own_in, other_in, across, own_out, other_out = levels
    if inside[report]:
        out[:] = other_in
        out[report] = own_in
    else:
        for v in range(out.size):
            out[v] = across if inside[v] else other_out
        out[report] = own_out


@compiled
def row_of_report(report: Any, inside: Any, levels: Any, known: Any, row_of: Any) -> Any:
    """Number of a report's row of likelihoods, which is written when the report is new."""
    if row_of[report] < 0:
        row_of[report] = known.num_rows[0]
        likelihood_row(report, inside, levels, known.rows[row_of[report]])
        known.num_rows[0] += 1
    return row_of[report]


@compiled
def first_like(at: Any, inside: Any, codes: Any, slots: Any) -> Any:
    """First round with the subset of round `at`; `slots` is a hash table, of rounds or -1.

    A subset's hash is the sum of its values' `codes`.
    """
    mixed = np.uint64(0)
    for v in range(codes.size):
        if inside[at, v]:
            mixed += codes[v]
    mask = np.uint64(slots.size - 1)
    slot = (mixed >> np.uint64(20)) & mask
    while slots[slot] >= 0:
        earlier = slots[slot]
        same = True
        for v in range(codes.size):
            if inside[earlier, v] != inside[at, v]:
                same = False
        if same:
            return earlier
        slot = (slot + np.uint64(1)) & mask
    slots[slot] = at
    return at


@compiled
def ask(
    values: Any, random_words: Any, law: Any, rule: Any, order: Any, inside: Any, reports: Any
) -> Any:
    """Mark the best prefix of a law, let users answer within it; return how many values it has.

    `order` is any order of the values, best that of the round before, and is sorted by the law.
    """
    sort_values(law, order)
    size = choose_size(rule.code, law[order], rule.enough, rule.levels, np.empty(law.size))
    places = np.empty_like(order)
    for place in range(law.size):
        places[order[place]] = place
        inside[order[place]] = place < size
    restricted_response(values, random_words, order, places, size, rule.weights[size], reports)
    return size


@compiled
def rounds_of_langevin(
    rounds: Any,
    values: Any,
    starts: Any,
    draws: Any,
    steps: Any,
    rule: Any,
    prior: Any,
    phi: Any,
    order: Any,
    known: Any,
    history: Any,
) -> None:
    """Run the rounds from the first of `rounds` to before the last: ask users, update the law.

    All arrays but `draws`, which is of these rounds alone, are indexed by user or round from the
    first one of the run; `starts` ends with the number of users.
    """
    first, last = rounds
    scratch = np.empty(phi.size)
    for at in range(first, last):
        start, end = starts[at], starts[at + 1]
        inside, reports = history.inside[at], history.reports[start:end]
        random_words = draws.words[start - starts[first] : end - starts[first]]
        size = ask(values[start:end], random_words, history.laws[at], rule, order, inside, reports)
        alike = first_like(at, history.inside, known.codes, known.slots)
        five = levels_at(rule.levels, size)
        for i in range(reports.size):
            row = row_of_report(reports[i], inside, five, known, known.row_of[alike])
            known.owners[start + i] = row
        num_picks = min(draws.picks.shape[2], end)
        for j in range(draws.picks.shape[1]):
            picks = draws.picks[at - first, j, :num_picks]
            noise = draws.noise[at - first, j]
            update_phi(phi, known.rows, known.owners, end, picks, steps[at], prior, noise, scratch)
        total = phi.sum()
        for v in range(phi.size):
            history.laws[at + 1, v] = phi[v] / total
