r"""What reports say about the law they come from: a row of likelihoods per distinct report.

Row :math:`A_i=(\Pr[y_i\mid x]/C(y_i))_x` occurs :math:`w_i` times. Maximum likelihood needs three
sums over rows, with :math:`L=A\theta`: the log-likelihood and its derivative (``score``), its
second derivative (``curvature``), and how it changes on the way to another law (``rise``). For a
pure mechanism :math:`A_i=1+(\text{odds}-1)\,1_{S_i}`, and a row stays one bit per value. All go
through the reports in parts, so that they need little memory beside them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ldp import _checks
from ldp._kernels import byte_sums, byte_weights
from ldp.types import Array, Bits, Floats, Mechanism, PureMechanism

_CELLS_AT_ONCE = 2**20  # of float32: 4 MiB
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


def gather(mechanism: Mechanism, reports: Array) -> Evidence:
    """Check the reports and put equal ones together, where that is cheap."""
    given = _checks.plain_array(reports, "reports")
    counts: Floats = np.broadcast_to(1.0, given.shape[:1])
    if given.ndim == 1 and given.dtype.kind in "iu":
        given, repeats = np.unique(given, return_counts=True)
        counts = repeats.astype(np.float64)
    if isinstance(mechanism, PureMechanism):
        rows = mechanism.support(given)
        if counts.size == len(rows) and rows.shape[1] <= 2:
            rows, counts = _distinct(rows, counts)
        evidence = Evidence(rows, counts, mechanism.domain_size, mechanism.odds)
    else:
        likelihood = mechanism.likelihood(given)
        if not (likelihood.max(axis=1, initial=0) > 0).all():
            raise ValueError("reports must be possible under some value, got one that is not.")
        evidence = Evidence(likelihood, counts, mechanism.domain_size)
    if not evidence.counts.size:
        raise ValueError("reports must be at least one, got 0.")
    return evidence


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
