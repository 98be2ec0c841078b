"""Local hashing: hash the value into a few buckets, then randomize the bucket."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ldp import _checks, _kernels
from ldp._frozen import freeze
from ldp._words import words
from ldp.mechanisms import hashed, shared
from ldp.mechanisms.hash_family import HashFamily, check_family, halves, unit_bits
from ldp.tally import Tally
from ldp.types import Array, Bits, Floats, Integers, ReportType

REPORT = np.dtype([("seed", "<u8"), ("bucket", "<u4")])
"""A report: the multiplier (high half of the seed) and offset (low half) of a hash; a bucket."""


@dataclass(frozen=True, init=False)
class LocalHashing:
    r"""Hash the value with a function of one's own, then report the bucket by :class:`ldp.GRR`.

    With :math:`g` buckets and :math:`h(v)=\mathrm{bucket}\big((a\,k_v+b)\bmod 2^w\big)`,

    .. math:: \Pr[a,b,y\mid x]=2^{-2w}\begin{cases}\frac{e^\epsilon}{e^\epsilon+g-1}&y=h(x)\\
              \frac{1}{e^\epsilon+g-1}&y\ne h(x)\end{cases}

    A report supports :math:`S=\{v:h(v)=y\}`.

    Parameters
    ----------
    domain_size : int
        Number :math:`d\ge 2` of values 0..d-1.
    epsilon : float
        Privacy budget.
    num_buckets : int
        Number :math:`g\ge 2` of buckets; :func:`ldp.BLH` and :func:`ldp.OLH` choose it.
    hash_bits : int
        Word size :math:`w` of the hash, 32 by default. A small word makes the channel short
        enough to write out.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said, or the word is too short for so many values and buckets.

    Notes
    -----
    The functions are those of ``ldp.mechanisms.hash_family``: exactly pairwise independent, with
    buckets whose shares :math:`W_j` of the words may differ by one unit. So a report supports
    another value with probability exactly :math:`q=q_0+(p-q_0)\sum_j W_j^2`, where
    :math:`q_0=1/(e^\epsilon+g-1)`; this is near but not equal to :math:`1/g`.

    Reports are a structured array of ``seed`` and ``bucket``.

    References
    ----------
    ``wang2017locally``, section 4.4; ``dietzfelbinger1996universal`` for the hash.
    """

    domain_size: int
    epsilon: float
    num_buckets: int
    hash_bits: int

    def __init__(
        self, domain_size: int, epsilon: float, num_buckets: int, hash_bits: int = 32
    ) -> None:
        freeze(
            self,
            domain_size=_checks.domain_size(domain_size),
            epsilon=_checks.epsilon(epsilon),
            num_buckets=_checks.integer(num_buckets, "num_buckets", 2),
            hash_bits=_checks.integer(hash_bits, "hash_bits", 2, 32),
        )
        check_family(self.domain_size, self.num_buckets, self.hash_bits)
        _checks.probabilities(self.p, self.q, self.epsilon)

    @property
    def hashes(self) -> HashFamily:
        """The family the hash functions are drawn from."""
        return HashFamily(self.domain_size, self.num_buckets, self.hash_bits)

    response = property(hashed.response)
    p = property(hashed.own_chance)
    q = property(hashed.other_chance)
    report = ReportType(REPORT)
    odds = property(shared.budget_odds)
    second_moment = shared.indicator_second_moment
    likelihood = shared.support_likelihood
    check_counts = shared.candidate_counts

    def privatize(self, values: npt.ArrayLike, rng: np.random.Generator) -> Array:
        """Draw a hash function for each user, then randomize the bucket of the user's value."""
        given = _checks.values(values, self.domain_size)
        rng = _checks.rng(rng)
        reports = np.empty(given.size, dtype=REPORT)
        reports["seed"] = words(rng, given.size) & ~self.hashes.unused
        buckets = self.hashes.bucket(reports["seed"], given)
        reports["bucket"] = self.response.privatize(buckets, rng)
        return reports

    def tally(self, reports: Array, candidates: npt.ArrayLike | None = None) -> Tally:
        """Count the reports that support each value, or each of a list of candidate values."""
        given = hashed.check_hashed(self, reports)
        asked = None if candidates is None else _checks.candidates(candidates, self.domain_size)
        wanted = np.arange(self.domain_size) if asked is None else asked
        keys = self.hashes.keys(wanted)
        counts = np.zeros(keys.size, dtype=np.int64)
        for first in range(0, given.size, 2**15):
            part = given[first : first + 2**15]
            starts, widths = self.hashes.intervals(part["bucket"])
            multiplier, offset = halves(part["seed"])
            offset -= starts
            partial = np.zeros(keys.size, dtype=np.uint32)
            for start in range(0, keys.size, 2**12):  # counters that stay in the first cache
                tile = slice(start, start + 2**12)
                _kernels.count_hashed(multiplier, offset, widths, keys[tile], partial[tile])
            counts += partial
        return Tally(counts, given.size, self, asked)

    def simulate(self, value_counts: npt.ArrayLike, rng: np.random.Generator) -> Tally:
        """Draw each count from its exact law, Bin(n_v, p) + Bin(n - n_v, q), independently.

        Means, variances and every single count are exact. Counts of two values are drawn
        independent; in ``tally(privatize(...))`` they are so up to the dependence that a pairwise
        independent hash leaves among three values. It shows where three keys are in arithmetic
        progression, which the scrambling makes rare.
        """
        counts = _checks.value_counts(value_counts, self.domain_size)
        rng = _checks.rng(rng)
        drawn = shared.independent_counts(counts, self.p, self.q, rng)
        return Tally(drawn, int(counts.sum()), self)

    def channel(self) -> Floats:
        """Every hash function and bucket: 2**(2 hash_bits) * num_buckets columns."""
        seeds, buckets = 4**self.hash_bits, self.num_buckets
        _checks.channel_size(self.domain_size, seeds * buckets)
        reports = np.empty(seeds * buckets, dtype=REPORT)
        numbers = np.arange(seeds * buckets)
        spare = 32 - self.hash_bits
        multiplier, offset = divmod(numbers // buckets, 2**self.hash_bits)
        reports["seed"] = (multiplier << (spare + 32)) | (offset << spare)
        reports["bucket"] = numbers % buckets
        bits = np.unpackbits(self.support(reports), axis=1, count=self.domain_size)
        rows: Floats = np.where(bits.T == 1, self.response.p, self.response.q) / seeds
        return rows

    def outcomes(self, reports: Array) -> Integers:
        """(multiplier * 2**w + offset) * g + bucket; at most 16 hash bits."""
        given = hashed.check_hashed(self, reports)
        _checks.integer(self.hash_bits, "hash_bits", 2, 16)
        multiplier, offset = halves(given["seed"])
        spare = 32 - self.hash_bits
        seed = (multiplier >> spare).astype(np.int64) << self.hash_bits | (offset >> spare)
        outcome: Integers = seed * self.num_buckets + given["bucket"]
        return outcome

    def support(self, reports: Array) -> Bits:
        """Bit-packed rows of the values that hash into each report's bucket."""
        return hashed.hashed_supports(self, reports, np.arange(self.domain_size))


def BLH(domain_size: int, epsilon: float) -> LocalHashing:
    r"""Binary local hashing: two buckets, so that only one bit depends on the value.

    Parameters
    ----------
    domain_size, epsilon
        As for :class:`ldp.LocalHashing`.

    Returns
    -------
    LocalHashing
        A frozen mechanism with ``privatize``, ``tally``, ``simulate``, ``channel`` and the rest.

    Examples
    --------
    >>> m = BLH(1000, 1.0)
    >>> m.num_buckets, m.q
    (2, 0.5)

    References
    ----------
    ``bassily2015local``; ``wang2017locally``, section 4.4.
    """
    return LocalHashing(domain_size, epsilon, 2)


def OLH(domain_size: int, epsilon: float, num_buckets: int | None = None) -> LocalHashing:
    r"""Optimized local hashing: the number of buckets of least variance for rare values.

    With :math:`q=1/g` the variance :math:`\frac{(e^\epsilon+g-1)^2}{(e^\epsilon-1)^2(g-1)}` is
    convex in :math:`g` with its minimum at :math:`g=e^\epsilon+1`; the better of the two integers
    beside it is taken, which is not always the nearer one. The 32-bit words of the hash hold at
    most 2**17 buckets, and half as many for each doubling of the domain beyond 2**16.

    Parameters
    ----------
    domain_size, epsilon
        As for :class:`ldp.LocalHashing`.
    num_buckets : int, optional
        Another number of buckets, at least 2.

    Returns
    -------
    LocalHashing
        A frozen mechanism with ``privatize``, ``tally``, ``simulate``, ``channel`` and the rest.

    Examples
    --------
    >>> OLH(1000, 1.5).num_buckets          # e^1.5 + 1 = 5.48
    6

    References
    ----------
    ``wang2017locally``, section 4.4, equation (10).
    """
    if num_buckets is not None:
        return LocalHashing(domain_size, epsilon, num_buckets)
    d, budget = _checks.domain_size(domain_size), _checks.epsilon(epsilon)
    return LocalHashing(d, budget, hashed.best_buckets(budget, 2 ** unit_bits(d, 32)))
