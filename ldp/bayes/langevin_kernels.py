"""Compiled Langevin updates: arrays in, arrays out, no randomness inside."""

import math
from typing import Any

from ldp._compiled import compiled, compiled_sums


@compiled_sums
def add_ratios(rows: Any, owners: Any, num_users: Any, picks: Any, phi: Any, out: Any) -> None:
    """Add row / (row . phi) to `out` for the users that words pick, by their first 53 bits."""
    for j in range(picks.size):
        i = owners[int((picks[j] >> 11) * 2.0**-53 * num_users)]
        inner = 0.0
        for v in range(phi.size):
            inner += rows[i, v] * phi[v]
        weight = 1 / inner
        for v in range(phi.size):
            out[v] += weight * rows[i, v]


@compiled_sums
def update_phi(
    phi: Any,
    rows: Any,
    owners: Any,
    num_users: Any,
    picks: Any,
    step: Any,
    prior: Any,
    noise: Any,
    scratch: Any,
) -> None:
    """Take one Langevin step with the users that words pick among the first `num_users`.

    `owners` says which row of likelihoods is a user's.
    """
    total = 0.0
    for v in range(phi.size):
        total += phi[v]
        scratch[v] = 0.0
    add_ratios(rows, owners, num_users, picks, phi, scratch)
    # Of theta = phi / total: d/dphi_v log(row . theta) = row_v / (row . phi) - 1 / total.
    scale = num_users / picks.size
    spread = math.sqrt(step)
    for v in range(phi.size):
        slope = (prior[v] - 1) / phi[v] - 1 + scale * scratch[v] - num_users / total
        phi[v] = abs(phi[v] + step / 2 * slope + spread * noise[v])


@compiled
def update_repeatedly(
    phi: Any,
    rows: Any,
    owners: Any,
    num_users: Any,
    picks: Any,
    steps: Any,
    prior: Any,
    noise: Any,
    scratch: Any,
    laws: Any,
) -> None:
    """Take a step for every row of `picks` and `noise`; fill in the law after each."""
    for i in range(steps.size):
        update_phi(phi, rows, owners, num_users, picks[i], steps[i], prior, noise[i], scratch)
        laws[i] = phi / phi.sum()
