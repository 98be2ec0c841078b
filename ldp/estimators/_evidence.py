r"""What reports say about the law they come from: a row of likelihoods per distinct report.

Row :math:`A_i=(\Pr[y_i\mid x]/C(y_i))_x` occurs :math:`w_i` times. Maximum likelihood and the
posterior need sums over rows and nothing else: ``likelihoods`` is :math:`A\theta`, ``column_sums``
is :math:`A^\top u` and ``curvature`` is :math:`A^\top\operatorname{diag}(u)\,A`. For a pure
mechanism :math:`A_i=1+(\text{odds}-1)\,1_{S_i}`, and a row stays one bit per value.
"""

from dataclasses import dataclass

import numpy as np

from ldp import _checks
from ldp._kernels import byte_sums, byte_weights
from ldp.types import Array, Bits, Floats, Mechanism, PureMechanism

_CELLS_AT_ONCE = 2**21  # of float32: 8 MiB, small beside the reports
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
    counts = np.ones(len(given)) if given.ndim else np.ones(0)
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
    r"""Return :math:`A\theta`: the likelihood of every distinct report, theta summing to one."""
    if evidence.odds is None:
        dense: Floats = evidence.rows @ theta
        return dense
    supported = np.empty(len(evidence.rows))
    byte_sums(evidence.rows, byte_table(theta, evidence.rows.shape[1]), supported)
    return 1 + (evidence.odds - 1) * supported


def column_sums(evidence: Evidence, u: Floats) -> Floats:
    r"""Return :math:`A^\top u`."""
    if evidence.odds is None:
        dense: Floats = u @ evidence.rows
        return dense
    totals = np.zeros((evidence.rows.shape[1], 256))
    byte_weights(evidence.rows, u, totals)
    supported = (totals @ _BITS_OF_BYTE).ravel()[: evidence.domain_size]
    sums: Floats = u.sum() + (evidence.odds - 1) * supported
    return sums


def curvature(evidence: Evidence, u: Floats) -> Floats:
    r"""Return :math:`A^\top\operatorname{diag}(u)\,A`, as a form on vectors that sum to zero.

    On these a constant added to a row changes nothing, so packed rows are taken as 0 and 1. Entries
    carry seven digits: they steer the steps of a solver and enter no result.
    """
    d = evidence.domain_size
    scale = 1.0 if evidence.odds is None else (evidence.odds - 1) ** 2
    weights = np.sqrt(u * (scale / u.max())).astype(np.float32)
    total = np.zeros((d, d))
    step = max(1, _CELLS_AT_ONCE // d)
    for first in range(0, len(weights), step):
        rows = evidence.rows[first : first + step]
        if evidence.odds is not None:
            rows = np.unpackbits(rows, axis=1, count=d)
        part = rows.astype(np.float32)
        part *= weights[first : first + step, None]
        total += part.T @ part
    total *= u.max()
    return total
