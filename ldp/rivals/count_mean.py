"""The count-mean sketch: a public hash function of the value, and a noisy row of its buckets."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._frozen import freeze
from ldp.mechanisms import shared
from ldp.mechanisms.primes import next_prime
from ldp.mechanisms.reports import check_packed, packed_supports
from ldp.mechanisms.unary import SUE, UnaryEncoding
from ldp.rivals.affine_hashes import (
    MOST_BUCKETS,
    AffineHashes,
    blocks,
    check_functions,
    count_in_rows,
)
from ldp.tally import Tally
from ldp.types import Array, Bits, Bools, Floats, Integers, ReportType


@dataclass(frozen=True, init=False)
class CountMeanSketch:
    r"""Hash the value by a public function, and report its bucket's row of bits, each flipped.

    The functions are :math:`h(x)=\lfloor((ax+s)\bmod P)\,g/P\rfloor` for all :math:`a` and
    :math:`s` modulo :math:`P`, the smallest prime from d and g on. The row is that of
    :func:`ldp.SUE` on :math:`g` buckets:

    .. math:: \Pr[a,s,y\mid x]=\frac1{P^2}\prod_{b<g}
              \frac{e^{\epsilon/2}\text{ if }y_b=[b=h(x)]\text{ else }1}{e^{\epsilon/2}+1}

    Parameters
    ----------
    domain_size : int
        Number :math:`d\ge2` of values 0..d-1.
    epsilon : float
        Privacy budget.
    num_buckets : int
        Number :math:`g\ge2` of buckets, that is of bits in a row.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said.

    Notes
    -----
    A report supports :math:`\{x:y_{h(x)}=1\}`. Two values share a bucket with chance
    :math:`c=\sum_bn_b^2/P^2` where bucket :math:`b` has :math:`n_b` of the P places, near but not
    equal to :math:`1/g`; so another value is supported with probability exactly
    :math:`q=q_1+(p-q_1)c`, from the :math:`p` and :math:`q_1` of a bit. More buckets are always
    better, and the row of all values, :func:`ldp.SUE` itself, is best: the sketch is for domains
    whose rows are too long to send.

    A server that publishes only a few of the functions knows which values collide, and estimates
    by one q are biased for these: as far as its abstract says, ``pan2024improving`` corrects the
    expectation and the variance of the first description. Here every function is drawn, and
    expectation and variance are exact. With randomized response of the bucket in place of a row the
    sketch is :class:`ldp.LocalHashing`, whose functions are another such family.

    Reports are structured: ``function``, the number aP + s, and ``row``, packed bits.

    Examples
    --------
    >>> m = CountMeanSketch(1000, 1.0, 64)
    >>> m.report.dtype.itemsize, round(m.q - SUE(64, 1.0).q, 4)
    (12, 0.0038)

    References
    ----------
    ``apple2017learning``; ``pan2024improving`` (its abstract).
    """

    domain_size: int
    epsilon: float
    num_buckets: int

    def __init__(self, domain_size: int, epsilon: float, num_buckets: int) -> None:
        d, budget = _checks.domain_size(domain_size), _checks.epsilon(epsilon)
        size = _checks.integer(num_buckets, "num_buckets", 2, MOST_BUCKETS)
        freeze(self, domain_size=d, epsilon=budget, num_buckets=size)
        _checks.probabilities(self.p, self.q, self.epsilon)

    @property
    def family(self) -> AffineHashes:
        """The public functions."""
        prime = next_prime(max(self.domain_size, self.num_buckets))
        return AffineHashes(prime, self.num_buckets, balanced=False)

    @property
    def row(self) -> UnaryEncoding:
        """The randomizer of the bucket."""
        return SUE(self.num_buckets, self.epsilon)

    @property
    def p(self) -> float:
        """Probability that the own value is supported."""
        return self.row.p

    @property
    def q(self) -> float:
        """Probability that any one other value is supported."""
        row = self.row
        return row.q + (row.p - row.q) * self.family.collision

    @property
    def odds(self) -> float:
        """Likelihood ratio of a supported value."""
        return self.row.odds

    @property
    def report(self) -> ReportType:
        """The number of a function, and a row of bits for its buckets."""
        return ReportType(
            np.dtype([("function", self.family.dtype), ("row", np.uint8, self.row.report.shape)])
        )

    second_moment = shared.indicator_second_moment
    likelihood = shared.support_likelihood
    check_counts = shared.support_counts

    def privatize(self, values: npt.ArrayLike, rng: np.random.Generator) -> Array:
        """Draw a function for each user, then a row for the bucket of the user's value."""
        given = _checks.values(values, self.domain_size)
        rng = _checks.rng(rng)
        reports = np.empty(given.size, dtype=self.report.dtype)
        reports["function"] = self.family.draw(given.size, rng)
        buckets = self.family.bucket(reports["function"], given)
        reports["row"] = self.row.privatize(buckets, rng)
        return reports

    def tally(self, reports: npt.ArrayLike) -> Tally:
        """Count the rows that have a one in the bucket of each value."""
        given, family = self._check(reports), self.family
        counts, bucket_of = np.zeros(self.domain_size, dtype=np.int64), family.buckets
        for part in blocks(given):
            slopes, shifts = family.parts(part["function"])
            rows = np.ascontiguousarray(part["row"])
            count_in_rows(slopes, shifts, rows, bucket_of, family.prime, counts)
        return Tally(counts, given.size, self)

    def simulate(self, value_counts: npt.ArrayLike, rng: np.random.Generator) -> Tally:
        """Draw each count from its exact law, Bin(n_v, p) + Bin(n - n_v, q), independently.

        Means, variances and every single count are exact. Two values share a row's bits when they
        share a bucket, so that in ``tally(privatize(...))`` their counts depend on each other.
        """
        counts = _checks.value_counts(value_counts, self.domain_size)
        drawn = shared.independent_counts(counts, self.p, self.q, _checks.rng(rng))
        return Tally(drawn, int(counts.sum()), self)

    def channel(self) -> Floats:
        """Every function, and every row of it."""
        functions, row = self.family.num_functions, 2 ** min(self.num_buckets, 62)
        _checks.channel_size(self.domain_size, functions * row)
        every, values = np.arange(functions), np.arange(self.domain_size)
        buckets = self.family.bucket(every[:, None], values).T  # [x, function]
        return self.row.channel()[buckets].reshape(self.domain_size, -1) / functions

    def outcomes(self, reports: npt.ArrayLike) -> Integers:
        """Function times 2**g, and the number that the row's bits spell."""
        given = self._check(reports)
        _checks.channel_size(1, self.family.num_functions * 2 ** min(self.num_buckets, 62))
        numbers: Integers = given["function"].astype(np.int64) << self.num_buckets
        return numbers + self.row.outcomes(given["row"])

    def support(self, reports: npt.ArrayLike) -> Bits:
        """Bit-packed rows of the values in whose bucket each report has a one."""
        values = np.arange(self.domain_size)

        def held(some: Array) -> Bools:
            bits = np.unpackbits(some["row"], axis=1)
            buckets = self.family.bucket(some["function"][:, None], values)
            hit: Bools = np.take_along_axis(bits, buckets, axis=1) == 1
            return hit

        return packed_supports(self._check(reports), self.domain_size, held)

    def _check(self, reports: npt.ArrayLike) -> Array:
        given = check_functions(reports, self.report, self.family)
        check_packed(self.row, np.ascontiguousarray(given["row"]))
        return given
