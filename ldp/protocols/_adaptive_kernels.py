"""Compiled rounds of adaptive estimation: arrays in, arrays out, no randomness inside."""

from typing import Any

import numpy as np

from ldp._compiled import compiled
from ldp.bayes.langevin_kernels import update_phi
from ldp.mechanisms.restricted_levels import restrict
from ldp.protocols._prefix_kernels import choose_size, levels_at, sort_values


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
def row_of_report(
    report: Any, inside: Any, levels: Any, rows: Any, num_rows: Any, row_of: Any
) -> Any:
    """Number of a report's row of likelihoods, which is written when the report is new."""
    if row_of[report] < 0:
        row_of[report] = num_rows[0]
        likelihood_row(report, inside, levels, rows[num_rows[0]])
        num_rows[0] += 1
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
def choose_subset(
    law: Any, code: Any, enough: Any, levels: Any, order: Any, inside: Any, scratch: Any
) -> Any:
    """Sort the values, mark those of the best prefix, and return how many they are."""
    sort_values(law, order)
    size = choose_size(code, law[order], enough, levels, scratch)
    inside[:] = False
    for place in range(size):
        inside[order[place]] = True
    return size


@compiled
def rounds_of_langevin(
    values: Any,
    starts: Any,
    random_words: Any,
    picks: Any,
    noise: Any,
    steps: Any,
    rule: Any,
    tables: Any,
    prior: Any,
    phi: Any,
    law: Any,
    order: Any,
    known: Any,
    history: Any,
) -> None:
    """Run the rounds between `starts`: choose a subset, randomize its users, update the law.

    All arrays but the random ones, which are of these rounds alone, are indexed by user or round
    from the first one of the run. Users with equal reports under equal subsets share a row of
    likelihoods: few rows stay in the cache. `known` is `rows`, how many there are, `owners` of
    users, the row of a report under the subset of a round or -1, and what `first_like` needs.
    """
    code, enough, first_round = rule
    levels, weights = tables
    rows, num_rows, owners, row_of, codes, slots = known
    reports, inside, laws = history
    d = law.size
    places = np.empty_like(order)
    scratch = np.empty(d)
    for i in range(starts.size - 1):
        at = first_round + i
        size = choose_subset(law, code, enough, levels, order, inside[at], scratch)
        alike = first_like(at, inside, codes, slots)
        for place in range(d):
            places[order[place]] = place
        five = levels_at(levels, size)
        for user in range(starts[i], starts[i + 1]):
            word = random_words[user - starts[0]]
            report = restrict(values[user], word, order, places, size, weights[size])
            reports[user] = report
            owners[user] = row_of_report(report, inside[at], five, rows, num_rows, row_of[alike])
        num_users = starts[i + 1]
        num_picks = min(picks.shape[2], num_users)
        for j in range(picks.shape[1]):
            update_phi(
                phi,
                rows,
                owners,
                num_users,
                picks[i, j, :num_picks],
                steps[i],
                prior,
                noise[i, j],
                scratch,
            )
        total = phi.sum()
        for v in range(d):
            law[v] = phi[v] / total
        laws[at + 1] = law
