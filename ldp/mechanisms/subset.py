"""Subset selection: report a set of fixed size that is likelier to hold the own value."""

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from ldp import _checks, _kernels
from ldp._bit_counts import count_bits
from ldp._frozen import freeze
from ldp._words import at_least, at_most, words
from ldp.mechanisms import _set_kernels, shared, uniform_sets
from ldp.mechanisms.reports import check_packed, packed_bits
from ldp.tally import Tally
from ldp.types import Array, Bits, Floats, Integers


def _probabilities(
    domain_size: int, epsilon: float, subset_size: npt.ArrayLike
) -> tuple[Array, Array, Array]:
    """Return p, 1 - p (which loses its digits if it is computed from p) and q."""
    k = np.asarray(subset_size, dtype=np.float64)
    # Divided by e^epsilon throughout, so that no large epsilon overflows.
    without = (domain_size - k) * math.exp(-epsilon)
    p, miss = k / (k + without), without / (k + without)
    return p, miss, (p * (k - 1) + miss * k) / (domain_size - 1)


def best_size(domain_size: int, epsilon: float) -> int:
    r"""Return the k of least variance for rare values.

    With :math:`e=e^\epsilon` and :math:`u=d+k(e-1)` the variance is proportional to
    :math:`\frac{(u-e)(u-1)}{k(d-k)}`. Where that is at most t, a convex parabola in k is at most 0;
    so it falls until its derivative is zero, at the k below, and rises from there on.
    """
    d = domain_size
    if epsilon >= math.log(d):
        return 1  # it rises from the start
    odds = math.exp(epsilon)
    rest = d - odds
    flat = rest * d / (rest + math.sqrt(odds * rest * (odds * d - 1)))
    below = min(max(1, math.floor(flat)), d - 1)

    def variance(k: int) -> float:
        u = d + k * math.expm1(epsilon)
        return (u - odds) * (u - 1) / (k * (d - k))

    return min(below, min(below + 1, d - 1), key=variance)


@dataclass(frozen=True, init=False)
class SubsetSelection:
    r"""Report a set of :math:`k` values, :math:`e^\epsilon` times likelier if it holds one's own.

    .. math:: \Pr[S\mid x]=\frac{e^\epsilon\text{ if }x\in S\text{ else }1}
              {e^\epsilon\binom{d-1}{k-1}+\binom{d-1}{k}}

    .. math:: p=\frac{k e^\epsilon}{k e^\epsilon+d-k},\qquad
              q=\frac{p(k-1)+(1-p)k}{d-1}

    Parameters
    ----------
    domain_size : int
        Number :math:`d\ge 2` of values 0..d-1.
    epsilon : float
        Privacy budget.
    subset_size : int, optional
        :math:`k` from 1 to d-1; by default the one of least variance for rare values (it is near
        :math:`d/(e^\epsilon+1)`). With k = 1 this is :class:`ldp.GRR`.

    Notes
    -----
    A report is the set's indicator, bit-packed like those of unary encoding. A set written as a
    list could betray the value by its position; a row of bits has no order.

    Examples
    --------
    >>> SubsetSelection(10, 1.0).subset_size
    2

    References
    ----------
    ``ye2018optimal``; ``wang2016mutual``.
    """

    domain_size: int
    epsilon: float
    subset_size: int

    def __init__(self, domain_size: int, epsilon: float, subset_size: int | None = None) -> None:
        d, budget = _checks.domain_size(domain_size), _checks.epsilon(epsilon)
        if subset_size is None:
            size = best_size(d, budget)
        else:
            size = _checks.integer(subset_size, "subset_size", 1, d - 1)
        freeze(self, domain_size=d, epsilon=budget, subset_size=size)
        _checks.probabilities(self.p, self.q, self.epsilon)

    @property
    def p(self) -> float:
        """Probability that the set holds the own value."""
        return float(_probabilities(self.domain_size, self.epsilon, self.subset_size)[0])

    @property
    def q(self) -> float:
        """Probability that the set holds any one other value."""
        return float(_probabilities(self.domain_size, self.epsilon, self.subset_size)[2])

    @property
    def _miss(self) -> float:
        """Probability that the set does not hold the own value."""
        return float(_probabilities(self.domain_size, self.epsilon, self.subset_size)[1])

    @property
    def _left_out(self) -> np.uint64:
        """Words below leave the own value out, a hair too often: one of the smaller chance.

        A hair of a chance near one would be more than a small budget gives to the other.
        """
        if self.p > 0.5:
            return at_least(self._miss)
        return np.uint64(2**64 - int(at_most(self.p)))

    report = property(packed_bits)
    odds = property(shared.budget_odds)
    second_moment = shared.indicator_second_moment
    likelihood = shared.support_likelihood

    def privatize(self, values: npt.ArrayLike, rng: np.random.Generator) -> Bits:
        """Hold the own value w.p. p, then fill up with uniform distinct others."""
        given = _checks.values(values, self.domain_size)
        rng = _checks.rng(rng)
        d, k = self.domain_size, self.subset_size
        rows = np.zeros((given.size, *self.report.shape), dtype=np.uint8)
        start = uniform_sets.cheapest_start(d - 1, k - self.p)
        for chunk in _kernels.chunks(given.size, 1 + start.words_each(d - 1)):
            own = words(rng, chunk.stop - chunk.start) >= self._left_out
            # The others are numbered 0..d-2: the last one has the own number.
            uniform_sets.draw_sets(k - own, d - 1, start, rng, rows[chunk])
            _set_kernels.put_own(rows[chunk], given[chunk], own, d - 1)
        return rows

    def tally(self, reports: npt.ArrayLike) -> Tally:
        """Count the sets that hold each value."""
        rows = self.support(reports)
        return Tally(count_bits(rows, self.domain_size), len(rows), self)

    def check_counts(self, tally: Tally, name: str) -> None:
        """Refuse counts that no reports have."""
        shared.support_counts(self, tally, name)
        wanted, total = self.subset_size * tally.num_reports, shared.exact_sum(tally.counts)
        spare = self.subset_size * shared.slack(tally)
        if tally.candidates is None and abs(total - wanted) > spare:
            raise ValueError(
                f"{name} must sum to {self.subset_size} for each of the {tally.num_reports} "
                f"reports, got a sum of {total}."
            )

    def simulate(self, value_counts: npt.ArrayLike, rng: np.random.Generator) -> Tally:
        """Draw the tally exactly, value by value, at a cost free of n (up to 10**9 users).

        Users are kept by how many places of their set are still open. At value v each non-owner
        takes it with probability (open places) / (values it may still take).
        """
        counts = _checks.value_counts(value_counts, self.domain_size)
        rng = _checks.rng(rng)
        total = _checks.integer(int(counts.sum()), "the sum of value_counts", 0, 10**9)
        d, k = self.domain_size, self.subset_size
        own = rng.binomial(counts, self.p)
        # Row 0: own value ahead and in the set. Row 1: ahead and not in it. Row 2: behind.
        open_places = np.zeros((3, k + 1), dtype=np.int64)
        open_places[0, k - 1], open_places[1, k] = own.sum(), total - own.sum()
        places = np.arange(k + 1)
        tally = own.copy()
        for v in range(d):
            owners = np.zeros_like(open_places)
            for row, size in ((0, own[v]), (1, counts[v] - own[v])):
                # Users ahead were treated alike, so the owners of v are a uniform choice of them.
                owners[row] = rng.multivariate_hypergeometric(
                    open_places[row], size, method="marginals"
                )
            open_places -= owners
            # Values still to come, without the own one for those who have it ahead.
            remaining = np.array([[d - v - 1], [d - v - 1], [d - v]])
            chance = np.minimum(places / np.maximum(remaining, 1), 1.0)
            taken = rng.binomial(open_places, chance)
            tally[v] += taken.sum()
            open_places -= taken
            open_places[:, :-1] += taken[:, 1:]
            open_places[2] += owners.sum(axis=0)
        return Tally(tally, total, self)

    def channel(self) -> Floats:
        """All sets of k values, as columns in lexicographic order."""
        num_sets = math.comb(self.domain_size, self.subset_size)
        _checks.channel_size(self.domain_size, num_sets)
        held = np.zeros((self.domain_size, num_sets), dtype=bool)
        for column, subset in enumerate(combinations(range(self.domain_size), self.subset_size)):
            held[list(subset), column] = True
        ways = math.comb(self.domain_size - 1, self.subset_size - 1)
        return np.where(held, self.p / ways, self._miss / (num_sets - ways))

    def outcomes(self, reports: npt.ArrayLike) -> Integers:
        """Rank of each set in lexicographic order."""
        rows = self.support(reports)
        num_sets = math.comb(self.domain_size, self.subset_size)
        _checks.channel_size(self.domain_size, num_sets)
        bits = np.unpackbits(rows, axis=1, count=self.domain_size)
        ranks = np.zeros(len(rows), dtype=np.int64)
        missing = np.full(len(rows), self.subset_size)
        for v in range(self.domain_size):
            # A set without v comes after all that hold v and agree so far.
            ways = [
                math.comb(self.domain_size - v - 1, m - 1) if m else 0
                for m in range(self.subset_size + 1)
            ]
            ranks += np.where(bits[:, v] == 0, np.array(ways)[missing], 0)
            missing -= bits[:, v]
        return ranks

    def support(self, reports: npt.ArrayLike) -> Bits:
        """The reports themselves, checked."""
        rows = check_packed(self, reports)
        step = max(1, 2**18 // rows.shape[1])
        for first in range(0, len(rows), step):
            sizes = np.bitwise_count(rows[first : first + step]).sum(axis=1, dtype=np.int64)
            if (sizes != self.subset_size).any():
                wrong = sizes[sizes != self.subset_size][0]
                raise ValueError(
                    f"reports must be sets of {self.subset_size} values, got one of {wrong}."
                )
        return rows
