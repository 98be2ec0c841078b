r"""What reports say about the law they come from: a row of likelihoods per distinct report.

Row :math:`A_i=(\Pr[y_i\mid x]/C(y_i))_x` occurs :math:`w_i` times. Maximum likelihood needs three
sums over rows, with :math:`L=A\theta`: the log-likelihood and its derivative (``score``), its
second derivative (``curvature``), and how it changes on the way to another law (``rise``). For
reports that support sets :math:`A_i=1+(\text{odds}-1)\,1_{S_i}`, and a row stays one bit per
value. All go through the reports in parts, so that they need little memory beside the rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from ldp.likelihood.kernels import byte_sums, byte_weights
from ldp.likelihood.reports import (
    check_list,
    check_mechanism,
    check_reports,
    check_some,
    domain_of,
    tallied_outcomes,
)
from ldp.tally import Tally
from ldp.types import Array, Bits, Floats, Mechanism, SupportMechanism

_CELLS_AT_ONCE = 2**20  # of float32: 4 MiB
_MOST_BITS = 2**38  # 32 GiB of rows: beyond it somebody asked for a square of a domain
_BITS_OF_BYTE = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Evidence:
    """Distinct reports and how often each came.

    With `odds` the rows are bit-packed supports, shape (m, ceil(domain_size / 8)); without it they
    are the likelihoods themselves, shape (m, domain_size).
    """

    rows: Array
    counts: Floats
    domain_size: int
    odds: float | None = None


def likelihood_rows(
    reports: Any,
    mechanism: Mechanism,
) -> Floats:
    """Return the likelihood of every value under every report, shape (n, d), checked."""
    check_mechanism(mechanism)
    rows = mechanism.likelihood(check_reports(reports))
    if not (np.isfinite(rows).all() and (rows.max(axis=1, initial=0.0) > 0).all()):
        raise ValueError("reports must be possible under some value, got one that is not.")
    return rows


def gather(mechanism: Mechanism | Sequence[Mechanism], reports: Any) -> Evidence:
    """Check the reports and put equal ones together, where that is cheap."""
    domain_of(mechanism)
    if isinstance(mechanism, list | tuple):
        return _joined(mechanism, reports)
    evidence = _gather(cast(Mechanism, mechanism), reports)
    check_some(evidence.counts.size)
    return evidence


def _joined(mechanisms: Sequence[Mechanism], reports: Any) -> Evidence:
    """Put together what users say who answered by different mechanisms on one domain."""
    given = check_list(reports, mechanisms)
    parts = [_gather(m, r) for m, r in zip(mechanisms, given, strict=True)]
    counts = np.concatenate([part.counts for part in parts])
    check_some(counts.size)
    d, odds = parts[0].domain_size, {part.odds for part in parts}
    if len(odds) == 1 and None not in odds:
        return Evidence(np.concatenate([part.rows for part in parts]), counts, d, parts[0].odds)
    _check_room(counts.size, d)
    return Evidence(np.concatenate([dense_rows(part) for part in parts]), counts, d)


def _check_room(num_rows: int, domain_size: int, bits: int = 64) -> None:
    """Refuse rows that would not fit into memory."""
    most = _MOST_BITS // bits // domain_size
    if num_rows > most:
        raise ValueError(
            f"reports must be at most {most} different ones at {domain_size} values, "
            f"got {num_rows}."
        )


def dense_rows(evidence: Evidence) -> Floats:
    """Return the likelihoods themselves, shape (m, domain_size)."""
    if evidence.odds is None:
        return cast(Floats, evidence.rows)
    _check_room(len(evidence.rows), evidence.domain_size)
    held = np.unpackbits(evidence.rows, axis=1, count=evidence.domain_size)
    return np.where(held == 1, evidence.odds, 1.0)


def _gather(mechanism: Mechanism, reports: Any) -> Evidence:
    if isinstance(reports, Tally):
        counts = tallied_outcomes(reports, mechanism, "reports")
        given = np.flatnonzero(counts)
        counts = counts[given]
    else:
        given = check_reports(reports)
        counts = np.broadcast_to(1.0, given.shape[:1])
        if given.ndim == 1 and given.dtype.kind in "iu":
            given, repeats = np.unique(given, return_counts=True)
            counts = repeats.astype(np.float64)
    d = mechanism.domain_size
    supported = hasattr(type(mechanism), "support")
    _check_room(len(counts), d, bits=1 if supported else 64)
    if supported:
        supporting = cast(SupportMechanism, mechanism)
        rows = supporting.support(given)
        if rows.shape[1] <= 2:
            rows, counts = _distinct(rows, counts)
        return Evidence(rows, counts, d, supporting.odds)
    return Evidence(likelihood_rows(given, mechanism), counts, d)


def _distinct(rows: Bits, counts: Floats) -> tuple[Bits, Floats]:
    """Group rows of one or two bytes."""
    spelled = rows.astype(np.int64) @ 256 ** np.arange(rows.shape[1])
    totals: Floats = np.bincount(spelled, weights=counts).astype(np.float64)
    seen = np.flatnonzero(totals)
    bytes_of = np.stack([seen >> 8 * j & 255 for j in range(rows.shape[1])], axis=1)
    return bytes_of.astype(np.uint8), totals[seen]


def byte_table(theta: Floats, width: int) -> Floats:
    """Sum of theta over the ones of every byte at every place, shape (width, 256)."""
    padded = np.zeros(8 * width)
    padded[: theta.size] = theta
    table: Floats = padded.reshape(width, 8) @ _BITS_OF_BYTE.T
    return table


def likelihoods(evidence: Evidence, theta: Floats) -> Floats:
    r"""Return :math:`L=A\theta`, theta summing to one."""
    if evidence.odds is None:
        dense: Floats = evidence.rows @ theta
        return dense
    supported = np.empty(len(evidence.rows))
    byte_sums(evidence.rows, byte_table(theta, evidence.rows.shape[1]), supported)
    return 1 + (evidence.odds - 1) * supported


def score(evidence: Evidence, theta: Floats) -> tuple[float, Floats]:
    r"""Log-likelihood :math:`\sum_i w_i\log L_i` and its derivative :math:`\sum_i w_iA_i/L_i`."""
    total, at_values = 0.0, np.zeros(evidence.domain_size)
    by_byte = np.zeros((-(-evidence.domain_size // 8), 256))
    for part in _parts(evidence):
        likelihood = likelihoods(part, theta)
        total += float(part.counts @ np.log(likelihood))
        weights = part.counts / likelihood
        if part.odds is None:
            at_values += weights @ part.rows
        else:
            at_values += weights.sum()
            byte_weights(part.rows, weights * (part.odds - 1), by_byte)
    return total, at_values + (by_byte @ _BITS_OF_BYTE).ravel()[: at_values.size]


def curvature(evidence: Evidence, theta: Floats) -> Floats:
    r"""Minus the second derivative, :math:`\sum_i w_iA_iA_i^\top/L_i^2`, as a form on steps.

    Steps sum to zero: a constant added to a row changes nothing, so packed rows are taken as 0 and
    1. Entries carry seven digits; they steer the steps of a solver and enter no result.
    """
    d = evidence.domain_size
    total = np.zeros((d, d))
    for part in _parts(evidence):
        scale = np.sqrt(part.counts) / likelihoods(part, theta)
        if part.odds is None:
            rows = (part.rows * scale[:, None]).astype(np.float32)
        else:
            rows = np.unpackbits(part.rows, axis=1, count=d).astype(np.float32)
            rows *= ((part.odds - 1) * scale).astype(np.float32)[:, None]
        total += rows.T @ rows
    return total


def rise(evidence: Evidence, theta: Floats, target: Floats, length: float) -> tuple[float, float]:
    """Change of the log-likelihood `length` of the way to `target`, and its slope at `theta`."""
    change = slope = 0.0
    for part in _parts(evidence):
        relative = likelihoods(part, target) / likelihoods(part, theta) - 1
        slope += float(part.counts @ relative)
        change += float(part.counts @ np.log1p(length * relative))
    return change, slope


def _parts(evidence: Evidence) -> Iterator[Evidence]:
    step = max(1, _CELLS_AT_ONCE // evidence.domain_size)
    for first in range(0, len(evidence.rows), step):
        cut = slice(first, first + step)
        yield replace(evidence, rows=evidence.rows[cut], counts=evidence.counts[cut])
