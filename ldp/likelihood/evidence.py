r"""What reports say about the law they come from: a row of likelihoods per distinct report.

Row :math:`A_i=(\Pr[y_i\mid x]/C(y_i))_x` occurs :math:`w_i` times. Maximum likelihood needs
:math:`L=A\theta`, the derivative :math:`\sum_iw_iA_i/L_i` of the log-likelihood and its second
derivative. For reports that support sets :math:`A_i=1+(\text{odds}-1)\,1_{S_i}`, and a row stays
one bit per value: `Supports`; any other row is written out: `Rows`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ldp.likelihood._kernels import byte_sums, byte_weights
from ldp.likelihood.reports import Answers, Likely
from ldp.types import Array, Bits, Floats, SupportMechanism

_CELLS_AT_ONCE = 2**20  # of float32: 4 MiB
_MOST_BITS = 2**38  # 32 GiB of rows: beyond it somebody asked for a square of a domain
_BITS_OF_BYTE = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float64)
_ALL = slice(None)


@dataclass(frozen=True, eq=False)
class Supports:
    """Bit-packed supports, shape (m, ceil(domain_size / 8)), and how often each came."""

    rows: Bits
    counts: Floats
    domain_size: int
    odds: float

    def likelihoods(self, theta: Floats) -> Floats:
        r"""Return :math:`L=A\theta`, theta summing to one."""
        supported = np.empty(len(self.rows))
        byte_sums(self.rows, byte_table(theta), supported)
        return 1 + (self.odds - 1) * supported

    def weighed(self, weights: Floats) -> Floats:
        r"""Return :math:`\sum_i\text{weights}_iA_i`."""
        by_byte = np.zeros((self.rows.shape[1], 256))
        byte_weights(self.rows, weights * (self.odds - 1), by_byte)
        held = (by_byte @ _BITS_OF_BYTE).ravel()[: self.domain_size]
        total: Floats = weights.sum() + held
        return total

    def dense(self, part: slice = _ALL) -> Floats:
        """Return the rows of a part as `Rows` has them."""
        _check_room(len(self.rows[part]), self.domain_size)
        return np.where(self._held(part) == 1, self.odds, 1.0)

    def least(self, part: slice) -> Floats:
        """Return what every value has in each row of a part, and some values more, shape (m, 1)."""
        return np.ones((len(self.rows[part]), 1))

    def steep(self, part: slice, scale: Floats) -> Array:
        """Return rows times `scale`, as float32, less a constant each: steps sum to zero."""
        rows = self._held(part).astype(np.float32)
        rows *= ((self.odds - 1) * scale).astype(np.float32)[:, None]
        return rows

    def _held(self, part: slice) -> Bits:
        return np.unpackbits(self.rows[part], axis=1, count=self.domain_size)


@dataclass(frozen=True, eq=False)
class Rows:
    """The likelihoods themselves, shape (m, d), and how often each row came: as `Supports`."""

    rows: Floats
    counts: Floats

    @property
    def domain_size(self) -> int:
        """Number of values."""
        return int(self.rows.shape[1])

    def likelihoods(self, theta: Floats) -> Floats:
        """As above."""
        dense: Floats = self.rows @ theta
        return dense

    def weighed(self, weights: Floats) -> Floats:
        """As above."""
        total: Floats = weights @ self.rows
        return total

    def dense(self, part: slice = _ALL) -> Floats:
        """As above."""
        return self.rows[part]

    def least(self, part: slice) -> Floats:
        """As above: the least likelihood of the report."""
        smallest: Floats = self.rows[part].min(axis=1, keepdims=True)
        return smallest

    def steep(self, part: slice, scale: Floats) -> Array:
        """As above, with nothing taken off."""
        return (self.rows[part] * scale[:, None]).astype(np.float32)


Evidence = Supports | Rows


def gather(answers: Sequence[Answers]) -> Evidence:
    """Put together what users say, who may have answered by different mechanisms."""
    parts = [_gather(*each[:3]) for each in answers]
    if len(parts) == 1:
        return parts[0]
    counts = np.concatenate([part.counts for part in parts])
    supports = [part for part in parts if isinstance(part, Supports)]
    if len(supports) == len(parts) and len({part.odds for part in supports}) == 1:
        rows = np.concatenate([part.rows for part in supports])
        return replace(supports[0], rows=rows, counts=counts)
    _check_room(counts.size, parts[0].domain_size)
    return Rows(np.concatenate([part.dense() for part in parts]), counts)


def _gather(reports: Array, counts: Floats, mechanism: Likely) -> Evidence:
    if not isinstance(mechanism, SupportMechanism):
        _check_room(counts.size, mechanism.domain_size)
        return Rows(likelihood_rows(reports, mechanism), counts)
    _check_room(counts.size, mechanism.domain_size, bits=1)
    rows = mechanism.support(reports)
    if rows.shape[1] <= 2:
        rows, counts = _distinct(rows, counts)
    return Supports(rows, counts, mechanism.domain_size, mechanism.odds)


def likelihood_rows(reports: Array, mechanism: Likely) -> Floats:
    """Return the likelihood of every value under every report, shape (n, d), checked."""
    rows = mechanism.likelihood(reports)
    if not (np.isfinite(rows).all() and (rows.max(axis=1, initial=0.0) > 0).all()):
        raise ValueError("reports must be possible under some value, got one that is not.")
    return rows


def _check_room(num_rows: int, domain_size: int, bits: int = 64) -> None:
    """Refuse rows that would not fit into memory."""
    most = _MOST_BITS // bits // domain_size
    if num_rows > most:
        raise ValueError(
            f"reports must be at most {most} different ones at {domain_size} values, "
            f"got {num_rows}."
        )


def _distinct(rows: Bits, counts: Floats) -> tuple[Bits, Floats]:
    """Group rows of one or two bytes."""
    spelled = rows.astype(np.int64) @ 256 ** np.arange(rows.shape[1])
    totals: Floats = np.bincount(spelled, weights=counts).astype(np.float64)
    seen = np.flatnonzero(totals)
    bytes_of = np.stack([seen >> 8 * j & 255 for j in range(rows.shape[1])], axis=1)
    return bytes_of.astype(np.uint8), totals[seen]


def byte_table(theta: Floats) -> Floats:
    """Sum of theta over the ones of every byte at every place, shape (ceil(d / 8), 256)."""
    padded = np.zeros(-(-theta.size // 8) * 8)
    padded[: theta.size] = theta
    table: Floats = padded.reshape(-1, 8) @ _BITS_OF_BYTE.T
    return table


def parts_of(evidence: Evidence) -> Iterator[slice]:
    """Cut the rows into parts that need little memory when they are written out."""
    step = max(1, _CELLS_AT_ONCE // evidence.domain_size)
    for first in range(0, len(evidence.rows), step):
        yield slice(first, first + step)


def curvature(evidence: Evidence, likelihoods: Floats) -> Floats:
    r"""Minus the second derivative, :math:`\sum_i w_iA_iA_i^\top/L_i^2`, as a form on steps.

    Entries carry seven digits; they steer the steps of a solver and enter no result.
    """
    total = np.zeros((evidence.domain_size, evidence.domain_size))
    for part in parts_of(evidence):
        rows = evidence.steep(part, np.sqrt(evidence.counts[part]) / likelihoods[part])
        total += rows.T @ rows
    return total
