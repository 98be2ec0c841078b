"""A public pool of hash functions: what the server keeps does not grow with the users."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._frozen import freeze
from ldp._words import uniform_below, words
from ldp.heavy_hitters._pool_kernels import count_pooled
from ldp.mechanisms.hash_family import MultilinearFamily
from ldp.mechanisms.reports import check_reports
from ldp.mechanisms.shared import indicator_second_moment
from ldp.mechanisms.wide_hashing import WideHashing, listed
from ldp.tally import Tally
from ldp.types import Array, Floats, Integers, ReportType

REPORT = np.dtype([("function", "<u4"), ("bucket", "<u4")])
_MOST_FUNCTIONS = 2**24


@dataclass(frozen=True, init=False, eq=False)
class HashPool:
    r"""Wide hashing in which users draw their function from a public list of :math:`A`.

    .. math:: \Pr[a,y\mid x]=\frac1A\begin{cases}\frac{e^\epsilon}{e^\epsilon+g-1}&y=h_a(x)\\
              \frac{1}{e^\epsilon+g-1}&y\ne h_a(x)\end{cases}

    The reports of any number of users are a table of :math:`A\times g` counts, the *state*, and a
    candidate costs :math:`A` hashes. Tables of several machines add.

    Parameters
    ----------
    hashing : WideHashing
        What is asked with a function of one's own.
    seeds : array_like of uint32, shape (A, limbs + 1)
        Words of the functions, drawn once, uniformly, without a look at anybody's value, and known
        to all: ``rng.integers(0, 2**32, (A, hashing.hashes.num_limbs + 1), dtype=np.uint32)``.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said.

    Notes
    -----
    The privacy is that of `hashing`, whatever the seeds are. The estimate is unbiased on average
    over pools; users who share a function share its collisions, which adds :meth:`pool_variance`.
    So counts are no sums of independent answers, and a search with a pool certifies nothing.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> m = WideHashing(48, 2.0)
    >>> pool = HashPool(m, rng.integers(0, 2**32, (4096, 4), dtype=np.uint32))
    >>> users = np.repeat([2**47 + 5, 3], [60_000, 40_000])
    >>> state = pool.state(pool.privatize(users, rng))
    >>> state.shape
    (4096, 8)
    >>> from ldp import debias
    >>> debias(pool.tally(state, [3, 4, 2**47 + 5]), pool).round(1) + 0.0
    array([0.4, 0. , 0.6])
    """

    hashing: WideHashing
    seeds: npt.NDArray[np.uint32]

    def __init__(self, hashing: WideHashing, seeds: npt.ArrayLike) -> None:
        if not isinstance(hashing, WideHashing):
            raise TypeError(f"hashing must be WideHashing, got {_checks.shown(hashing)}.")
        given = _checks.plain_array(seeds, "seeds")
        if given.dtype != np.uint32:
            raise TypeError(f"seeds must be of dtype uint32, got {given.dtype}.")
        width = hashing.hashes.num_limbs + 1
        if given.ndim != 2 or given.shape[1] != width or not 1 <= len(given) <= _MOST_FUNCTIONS:
            rule = f"shape (A, {width}), A at most {_MOST_FUNCTIONS}"
            raise ValueError(f"seeds must have {rule}, got {given.shape}.")
        if (given & hashing.hashes.unused).any():
            rule = f"of {hashing.word_bits}-bit words, in the high bits"
            raise ValueError(f"seeds must be {rule}, got longer ones.")
        kept = given.copy()
        kept.flags.writeable = False
        freeze(self, hashing=hashing, seeds=kept)

    def __eq__(self, other: object) -> bool:
        """Compare functions, so that tallies of several machines add."""
        if not isinstance(other, HashPool):
            return NotImplemented
        return self.hashing == other.hashing and np.array_equal(self.seeds, other.seeds)

    def __hash__(self) -> int:
        """Equal pools have equal ones."""
        return hash((self.hashing, len(self.seeds)))

    def __reduce__(self) -> tuple[type["HashPool"], tuple[object, ...]]:
        """Let a copy be made and checked anew: pickled arrays would come back writable."""
        return HashPool, (self.hashing, self.seeds)

    @property
    def domain_size(self) -> int:
        """Number of values, 2**num_bits."""
        return self.hashing.domain_size

    @property
    def epsilon(self) -> float:
        """Privacy budget."""
        return self.hashing.epsilon

    @property
    def hashes(self) -> MultilinearFamily:
        """The family that the pool's functions are of."""
        return self.hashing.hashes

    @property
    def num_functions(self) -> int:
        """Number of functions in the pool."""
        return len(self.seeds)

    @property
    def p(self) -> float:
        """Probability that the own value is supported."""
        return float(self.hashing.p)

    @property
    def q(self) -> float:
        """Probability that any one other value is supported, on average over pools."""
        return float(self.hashing.q)

    report = ReportType(REPORT)
    second_moment = indicator_second_moment

    def pool_variance(self, frequencies: npt.ArrayLike, num_reports: int) -> Floats:
        r"""Variance that the pool adds to the estimate of each value.

        .. math:: \frac{c}{(1-c)A}\sum_{u\ne v}f_u\Big(f_u-\frac1n\Big),

        with the chance :math:`c` that two values share a bucket. It is exact where three values
        hash independently, and leaves out what three dependent ones add.

        Parameters
        ----------
        frequencies : array_like, shape (k,)
            Frequencies among the users of all values that some hold.
        num_reports : int
            Number of users.

        Returns
        -------
        ndarray, shape (k,)
        """
        f = _checks.distribution(frequencies, "frequencies")
        n = _checks.integer(num_reports, "num_reports", 1, 2**53)
        c = self.hashes.limb.collision
        terms = np.maximum(f * (f - 1 / n), 0.0)
        result: Floats = (terms.sum() - terms) * c / ((1 - c) * self.num_functions)
        return result

    def privatize(self, values: npt.ArrayLike, rng: np.random.Generator) -> Array:
        """Draw a function of the pool for each user, then randomize the bucket of the value."""
        given = _checks.values(values, self.domain_size)
        rng = _checks.rng(rng)
        reports = np.empty(given.size, dtype=REPORT)
        drawn = uniform_below(words(rng, given.size), self.num_functions, rng)
        reports["function"] = drawn
        seeds, keys = self.seeds[drawn], self.hashes.keys(given)
        hashed = (seeds[:, :-1] * keys).sum(axis=1, dtype=np.uint32) + seeds[:, -1]
        buckets = self.hashes.limb.bucket_of(hashed)
        reports["bucket"] = self.hashing.response.privatize(buckets, rng)
        return reports

    def state(self, reports: Array) -> Integers:
        """Count the reports of each function and bucket, shape (A, g): all a server must keep."""
        size = self.num_functions * self.hashing.num_buckets
        counts: Integers = np.bincount(self.outcomes(reports), minlength=size).astype(np.int64)
        return counts.reshape(self.num_functions, -1)

    def tally(self, reports: Array, candidates: npt.ArrayLike | None = None) -> Tally:
        """Count the support of each candidate, from reports or from their state."""
        given = _checks.plain_array(reports, "reports")
        state = self.table(given) if given.ndim == 2 else self.state(given)
        asked = self._asked(candidates)
        counts, family = np.zeros(asked.size, dtype=np.int64), self.hashes
        for first in range(0, asked.size, 2**12):
            tile = slice(first, first + 2**12)
            keys = np.ascontiguousarray(family.keys(asked[tile]).T)
            count_pooled(
                state, self.seeds, keys, family.limb.unit_bits, family.num_buckets, counts[tile]
            )
        return Tally(counts, int(state.sum()), self, None if candidates is None else asked)

    def simulate(
        self,
        value_counts: npt.ArrayLike,
        rng: np.random.Generator,
        *,
        candidates: npt.ArrayLike | None = None,
        others: int = 0,
    ) -> Tally:
        """Make the reports of so many users of each value and count them: exact, and no faster.

        `others` must be 0: what users with unnamed values share with the candidates is not known.
        """
        _checks.integer(others, "others", 0, 0)
        asked = self._asked(candidates)
        counts = _checks.value_counts(value_counts, asked.size)
        reports = self.privatize(np.repeat(asked, counts), rng)
        return self.tally(reports, candidates)

    def _asked(self, candidates: npt.ArrayLike | None) -> Integers:
        """Candidates, or all values if they can be listed."""
        if candidates is None:
            return listed(self.hashing.num_bits)
        return _checks.candidates(candidates, self.domain_size)

    def channel(self) -> Floats:
        """Every function and bucket: A * g columns."""
        size = self.num_functions * self.hashing.num_buckets
        _checks.channel_size(self.domain_size, size)
        own = self.hashes.table(self.seeds, np.arange(self.domain_size)).T[:, :, None]
        hit = own == np.arange(self.hashing.num_buckets)
        response = self.hashing.response
        rows: Floats = np.where(hit, response.p, response.q).reshape(self.domain_size, size)
        return rows / self.num_functions

    def outcomes(self, reports: Array) -> Integers:
        """Number of the function times g, plus the bucket."""
        given, g = check_reports(reports, self.report), self.hashing.num_buckets
        function = _checks.integers_below(
            given["function"], "reports' function", self.num_functions
        )
        return function * g + _checks.integers_below(given["bucket"], "reports' bucket", g)

    def likelihood(self, reports: Array) -> Floats:
        """Pr[report | value] up to a factor of the report, shape (n, domain_size)."""
        rows: Floats = self.channel().T[self.outcomes(reports)]
        return rows

    def table(self, given: npt.ArrayLike) -> Integers:
        """Return a state that fits, or refuse it."""
        given = _checks.plain_array(given, "reports")
        shape = (self.num_functions, self.hashing.num_buckets)
        if given.dtype != np.int64 or given.shape != shape:
            wrong = f"{given.dtype} of shape {given.shape}"
            raise TypeError(f"reports must be reports or a state of shape {shape}, got {wrong}.")
        if given.min() < 0:
            raise ValueError(f"a state must be non-negative, got {given.min()}.")
        if given.sum(dtype=np.float64) > 2**53:
            raise ValueError(f"a state must be of at most {2**53} reports, got more.")
        return np.ascontiguousarray(given)
