"""Local hashing of values that are too many to list: codes of up to 63 bits."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ldp import _checks, _kernels
from ldp._frozen import freeze
from ldp._words import words
from ldp.mechanisms import _wide_kernels, hashed, shared
from ldp.mechanisms.hash_family import MultilinearFamily, check_family, unit_bits
from ldp.tally import Tally
from ldp.types import Array, Bits, Floats, Integers, ReportType

_MOST_LISTED_BITS = 26  # counters of all values take half a gigabyte


@dataclass(frozen=True, init=False)
class WideHashing:
    r"""Local hashing of the values 0 to :math:`2^B-1`, for any :math:`B` up to 63.

    A value is cut into :math:`r` limbs, each scrambled to a key :math:`k_j`. With :math:`g`
    buckets and :math:`h(v)=\mathrm{bucket}\big((a_1k_1+\dots+a_rk_r+b)\bmod 2^w\big)`,

    .. math:: \Pr[a,b,y\mid x]=2^{-(r+1)w}\begin{cases}\frac{e^\epsilon}{e^\epsilon+g-1}&y=h(x)\\
              \frac{1}{e^\epsilon+g-1}&y\ne h(x)\end{cases}

    A report supports :math:`S=\{v:h(v)=y\}`. The server asks for the counts of candidates.

    Parameters
    ----------
    num_bits : int
        Number :math:`B` of bits of a value, 1 to 63.
    epsilon : float
        Privacy budget.
    num_buckets : int, optional
        Number :math:`g\ge 2` of buckets; by default the one of least variance for rare values,
        as for :func:`ldp.OLH`.
    limb_bits, word_bits : int
        Bits of a limb and of the words :math:`a_j` and :math:`b`; 16 and 32 leave room for
        2**17 buckets. Small ones make the channel short enough to write out.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said, or the words are too short for so many buckets.

    Notes
    -----
    Two values differ in some limb; whatever the other multipliers are, that limb's makes the top
    :math:`w-\kappa+1` bits of the two words uniform and independent, for keys of :math:`\kappa`
    bits. So :math:`q=q_0+(p-q_0)\sum_jW_j^2` exactly, as for :class:`ldp.LocalHashing`, at any
    number of limbs. Three values are not independent in general.

    Reports are a structured array of ``seed``, the words :math:`a_1,\dots,a_r,b`, and ``bucket``:
    20 bytes for 48 bits and 24 for 63.

    Examples
    --------
    >>> m = WideHashing(48, 2.0)
    >>> rng = np.random.default_rng(1)
    >>> users = np.repeat([2**47 + 5, 3], [600, 400])
    >>> tally = m.tally(m.privatize(users, rng), candidates=[3, 4, 2**47 + 5])
    >>> from ldp import debias
    >>> debias(tally, m).round(1) + 0.0
    array([0.4, 0. , 0.6])

    References
    ----------
    ``wang2017locally``, section 4.4; ``dietzfelbinger1996universal`` for one limb.
    """

    num_bits: int
    epsilon: float
    num_buckets: int
    limb_bits: int
    word_bits: int

    def __init__(
        self,
        num_bits: int,
        epsilon: float,
        num_buckets: int | None = None,
        *,
        limb_bits: int = 16,
        word_bits: int = 32,
    ) -> None:
        bits, budget = _checks.integer(num_bits, "num_bits", 1, 63), _checks.epsilon(epsilon)
        word = _checks.integer(word_bits, "word_bits", 2, 32)
        limb = _checks.integer(limb_bits, "limb_bits", 1, min(word, 31))
        if num_buckets is None:
            num_buckets = hashed.best_buckets(budget, 2 ** unit_bits(2**limb, word))
        freeze(
            self,
            num_bits=bits,
            epsilon=budget,
            num_buckets=_checks.integer(num_buckets, "num_buckets", 2),
            limb_bits=limb,
            word_bits=word,
        )
        check_family(2**limb, self.num_buckets, word)
        _checks.probabilities(self.p, self.q, self.epsilon)

    @property
    def domain_size(self) -> int:
        """Number of values, 2**num_bits."""
        return 1 << self.num_bits

    @property
    def hashes(self) -> MultilinearFamily:
        """The family the hash functions are drawn from."""
        return MultilinearFamily(self.num_bits, self.num_buckets, self.limb_bits, self.word_bits)

    @property
    def report(self) -> ReportType:
        """The words of a seed, and a bucket."""
        seed = ("seed", "<u4", (self.hashes.num_limbs + 1,))
        return ReportType(np.dtype([seed, ("bucket", "<u4")]))

    response = property(hashed.response)
    p = property(hashed.own_chance)
    q = property(hashed.other_chance)
    odds = property(shared.budget_odds)
    second_moment = shared.indicator_second_moment
    likelihood = shared.support_likelihood
    check_counts = shared.candidate_counts

    def privatize(self, values: npt.ArrayLike, rng: np.random.Generator) -> Array:
        """Draw a hash function for each user, then randomize the bucket of the user's value."""
        given = _checks.values(values, self.domain_size)
        rng = _checks.rng(rng)
        family, randomizer = self.hashes, self.response
        reports = np.empty(given.size, dtype=self.report.dtype)
        words_each = family.num_limbs // 2 + 1  # two halves of a seed in each
        for chunk in _kernels.chunks(given.size, words_each):
            random_words = words(rng, (chunk.stop - chunk.start, words_each))
            sums = np.empty(len(random_words), dtype=np.uint32)
            keys = family.keys(given[chunk])
            seeds = reports["seed"][chunk]
            _wide_kernels.hash_limbs(random_words, family.unused, keys, seeds, sums)
            reports["bucket"][chunk] = randomizer.privatize(family.limb.bucket_of(sums), rng)
        return reports

    def tally(self, reports: Array, candidates: npt.ArrayLike | None = None) -> Tally:
        """Count the reports that support each candidate; each value, if they are few.

        Candidates that differ in their last limb only, such as neighbours, are cheapest.
        """
        given, every = hashed.check_hashed(self, reports), candidates is None
        asked = listed(self.num_bits) if every else _checks.candidates(candidates, self.domain_size)
        order = np.argsort(asked >> self.limb_bits, kind="stable")
        groups = asked[order] >> self.limb_bits
        ends = np.append(np.flatnonzero(np.diff(groups)) + 1, groups.size)
        keys = self.hashes.keys(asked[order])
        prefixes, last = keys[ends - 1, :-1], np.ascontiguousarray(keys[:, -1])
        counts = np.zeros(asked.size, dtype=np.int64)
        for first in range(0, given.size, 2**15):
            part = given[first : first + 2**15]
            starts, widths = self.hashes.limb.intervals(part["bucket"])
            words_of = np.ascontiguousarray(part["seed"].T)
            offsets = words_of[-1] - starts
            _wide_kernels.count_multilinear(
                words_of[:-1], offsets, widths, prefixes, ends, last, counts
            )
        found = np.empty_like(counts)
        found[order] = counts
        return Tally(found, given.size, self, None if every else asked)

    def simulate(
        self,
        value_counts: npt.ArrayLike,
        rng: np.random.Generator,
        *,
        candidates: npt.ArrayLike | None = None,
        others: int = 0,
    ) -> Tally:
        """Draw each count from its exact law, Bin(n_v, p) + Bin(n - n_v, q), independently.

        With `candidates` the counts are of users who hold each of these, and `others` is how many
        hold none of them; without, there is a count for each value of at most 26 bits. Means,
        variances and every single count are exact, and so is the independence of two counts while
        nobody holds a third value and the buckets are equal; else see :class:`ldp.LocalHashing`.
        A candidate named twice is refused: it would count differently in its two places.
        """
        d = self.domain_size
        asked = None if candidates is None else _checks.different_candidates(candidates, d)
        size = listed(self.num_bits).size if asked is None else asked.size
        counts = _checks.value_counts(value_counts, size)
        more = _checks.integer(others, "others", 0, 2**53)
        rng = _checks.rng(rng)
        every = np.append(counts, more)
        drawn = shared.independent_counts(every, self.p, self.q, rng)[:-1]
        return Tally(drawn, int(every.sum()), self, asked)

    def channel(self) -> Floats:
        """Every hash function and bucket: 2**(word_bits (num_limbs + 1)) * num_buckets columns."""
        seed_bits, buckets = self.word_bits * (self.hashes.num_limbs + 1), self.num_buckets
        _checks.channel_size(self.domain_size, buckets << seed_bits, "num_bits and word_bits")
        reports = np.empty(buckets << seed_bits, dtype=self.report.dtype)
        numbers, reports["bucket"] = np.divmod(np.arange(reports.size), buckets)
        shifts = self.word_bits * np.arange(self.hashes.num_limbs, -1, -1)
        halves = numbers[:, None] >> shifts & (2**self.word_bits - 1)
        reports["seed"] = halves << (32 - self.word_bits)
        bits = np.unpackbits(self.support(reports), axis=1, count=self.domain_size)
        rows: Floats = np.where(bits.T == 1, self.response.p, self.response.q) / 2.0**seed_bits
        return rows

    def outcomes(self, reports: Array) -> Integers:
        """The number that the seed's words make, of at most 32 bits, times g, plus the bucket."""
        given = hashed.check_hashed(self, reports)
        seed_bits = self.word_bits * (self.hashes.num_limbs + 1)
        if seed_bits > 32:
            raise ValueError(f"word_bits must make seeds of at most 32 bits, got {seed_bits}.")
        number = np.zeros(given.size, dtype=np.int64)
        for word in given["seed"].T:
            number = number << self.word_bits | word >> np.uint32(32 - self.word_bits)
        outcome: Integers = number * self.num_buckets + given["bucket"]
        return outcome

    def support(self, reports: Array) -> Bits:
        """Bit-packed rows of the values that hash into each report's bucket; at most 26 bits."""
        return hashed.hashed_supports(self, reports, listed(self.num_bits))


def listed(num_bits: int) -> Integers:
    """Return all values of so many bits, or refuse to list them."""
    if num_bits > _MOST_LISTED_BITS:
        raise ValueError(
            f"num_bits must be at most {_MOST_LISTED_BITS} for all values to be listed "
            f"(name candidates), got {num_bits}."
        )
    return np.arange(1 << num_bits)
