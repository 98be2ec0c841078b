"""Unary encoding: one bit per value, each flipped on its own."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ldp import _checks, _kernels
from ldp._bit_counts import count_bits
from ldp._frozen import freeze
from ldp._noise import draw_bits, multiple
from ldp._words import at_least, at_most, words
from ldp.mechanisms import shared
from ldp.mechanisms.reports import check_packed, packed_bits
from ldp.tally import Tally
from ldp.types import Bits, Floats, Integers

_MOST_ENUMERABLE_BITS = 62
_LEAST_MISS = 2.0**-22  # below it 1 - p, and with it the odds, lose more than 1e-9


@dataclass(frozen=True, init=False)
class UnaryEncoding:
    r"""Send the set of values as bits: the own value's bit is 1 w.p. p, every other w.p. q.

    .. math:: \Pr[y\mid x]=p^{y_x}(1-p)^{1-y_x}\prod_{v\ne x}q^{y_v}(1-q)^{1-y_v}

    A report supports :math:`S(y)=\{v: y_v=1\}` with odds
    :math:`\frac{p(1-q)}{q(1-p)}\le e^\epsilon`.

    Parameters
    ----------
    domain_size : int
        Number :math:`d\ge 2` of values 0..d-1.
    epsilon : float
        Privacy budget.
    p : float
        Probability of a one for the own value; :func:`ldp.SUE`, :func:`ldp.OUE` and
        :func:`ldp.THE` choose it and q.
    q : float
        Probability of a one for any other value, :math:`0<q<p<1`.

    Raises
    ------
    ValueError
        If p and q would spend more than `epsilon`.

    Notes
    -----
    Reports are bit-packed, ``uint8`` of shape ``(n, ceil(d/8))``, first value in the highest bit
    (the order of ``numpy.packbits``), padding bits zero. Bits are drawn 64 at a time by comparing
    random numbers with q from their most significant bit on: about 8.3 random bits per report bit,
    with q a multiple of :math:`2^{-64}`, at most a hair above the one stated.

    Examples
    --------
    >>> m = UnaryEncoding(4, 2 * np.log(4), p=0.8, q=0.2)
    >>> round(m.odds, 12)
    16.0
    """

    domain_size: int
    epsilon: float
    p: float
    q: float

    def __init__(self, domain_size: int, epsilon: float, p: float, q: float) -> None:
        freeze(
            self,
            domain_size=_checks.domain_size(domain_size),
            epsilon=_checks.epsilon(epsilon),
            p=_checks.real(p, "p", "between 0 and 1"),
            q=_checks.real(q, "q", "between 0 and 1"),
        )
        if not 0 < self.q < self.p < 1:
            raise ValueError(f"p and q must satisfy 0 < q < p < 1, got {self.p} and {self.q}.")
        if 1 - self.p < _LEAST_MISS:
            raise ValueError(f"p must be at most 1 - {_LEAST_MISS}, got {self.p}.")
        # Rounding p and q to float64 moves the log-odds by about this much and no more.
        rounding = 2.0**-52 * (4 + 1 / (1 - self.p) + self.epsilon)
        spent = math.log(self.p) - math.log1p(-self.p) + math.log1p(-self.q) - math.log(self.q)
        if spent > self.epsilon + rounding:
            raise ValueError(f"p and q must spend at most epsilon = {self.epsilon}, got {spent}.")

    @property
    def odds(self) -> float:
        """Odds p(1-q)/(q(1-p)) of a one, own column against another."""
        return self.p * (1 - self.q) / (self.q * (1 - self.p))

    report = property(packed_bits)
    second_moment = shared.indicator_second_moment
    likelihood = shared.support_likelihood
    check_counts = shared.support_counts

    def privatize(self, values: npt.ArrayLike, rng: np.random.Generator) -> Bits:
        """Draw every bit w.p. q, then draw the own bit again w.p. p."""
        given = _checks.values(values, self.domain_size)
        rng = _checks.rng(rng)
        (width,) = self.report.shape
        padding = 8 * width - self.domain_size
        stream = np.empty(-(-given.size * width // 8), dtype=np.uint64)
        rows = stream.view(np.uint8)[: given.size * width].reshape(given.size, width)
        for chunk in _kernels.chunks(given.size, width):
            part = stream[chunk.start * width // 8 : -(-chunk.stop * width // 8)]
            draw_bits(part, multiple(at_least(self.q)), rng)
            if padding:
                rows[chunk, -1] &= np.uint8(256 - (1 << padding))
            own = words(rng, chunk.stop - chunk.start)
            _kernels.set_bits(rows[chunk], given[chunk], own, at_most(self.p))
        return rows

    def tally(self, reports: npt.ArrayLike) -> Tally:
        """Count the ones of every value."""
        rows = self.support(reports)
        return Tally(count_bits(rows, self.domain_size), len(rows), self)

    def simulate(self, value_counts: npt.ArrayLike, rng: np.random.Generator) -> Tally:
        """Draw the tally exactly: independent Bin(n_v, p) + Bin(n - n_v, q)."""
        counts = _checks.value_counts(value_counts, self.domain_size)
        rng = _checks.rng(rng)
        drawn = shared.independent_counts(counts, self.p, self.q, rng)
        return Tally(drawn, int(counts.sum()), self)

    def channel(self) -> Floats:
        """All 2**d reports, column y being the report whose bits, first value highest, spell y."""
        d = self.domain_size
        _checks.channel_size(d, 2 ** min(d, _MOST_ENUMERABLE_BITS))
        bits = (np.arange(2**d)[:, None] >> np.arange(d - 1, -1, -1)) & 1
        others = np.where(bits == 1, self.q, 1 - self.q)
        own = np.where(bits == 1, self.p, 1 - self.p)
        rows: Floats = (others.prod(axis=1, keepdims=True) * own / others).T
        return rows

    def outcomes(self, reports: npt.ArrayLike) -> Integers:
        """The number each report's bits spell, first value highest; at most 62 values."""
        rows = self.support(reports)
        d = _checks.integer(self.domain_size, "domain_size", 2, _MOST_ENUMERABLE_BITS)
        bits = np.unpackbits(rows, axis=1, count=d).astype(np.int64)
        return bits @ (1 << np.arange(d - 1, -1, -1))

    def support(self, reports: npt.ArrayLike) -> Bits:
        """The reports themselves, checked."""
        return check_packed(self, reports)


def encoding_from_epsilon(domain_size: int, epsilon: float, p: float, q: float) -> UnaryEncoding:
    """Build it from p and q that follow from epsilon: an error then blames epsilon."""
    _checks.probabilities(p, q, epsilon)
    if 1 - p < _LEAST_MISS:
        raise ValueError(
            f"epsilon must be small enough that 1 - p is at least {_LEAST_MISS}, got {epsilon}."
        )
    return UnaryEncoding(domain_size, epsilon, p, q)


def SUE(domain_size: int, epsilon: float) -> UnaryEncoding:
    r"""Symmetric unary encoding (basic RAPPOR): ones and zeros are kept equally often.

    .. math:: p=\frac{e^{\epsilon/2}}{e^{\epsilon/2}+1},\qquad q=\frac{1}{e^{\epsilon/2}+1}

    Parameters
    ----------
    domain_size, epsilon
        As for :class:`ldp.UnaryEncoding`.

    Returns
    -------
    UnaryEncoding
        A frozen mechanism with ``privatize``, ``tally``, ``simulate``, ``channel`` and the rest.

    Examples
    --------
    >>> m = SUE(4, 2 * np.log(4))
    >>> round(m.p, 12), round(m.q, 12)
    (0.8, 0.2)

    References
    ----------
    ``erlingsson2014rappor``; ``wang2017locally``, section 4.3.
    """
    budget = _checks.epsilon(epsilon)
    kept = math.exp(-budget / 2)
    return encoding_from_epsilon(domain_size, budget, 1 / (1 + kept), kept / (1 + kept))


def OUE(domain_size: int, epsilon: float) -> UnaryEncoding:
    r"""Optimized unary encoding: the p and q of least variance for rare values.

    .. math:: p=\frac12,\qquad q=\frac{1}{e^\epsilon+1}

    Parameters
    ----------
    domain_size, epsilon
        As for :class:`ldp.UnaryEncoding`.

    Returns
    -------
    UnaryEncoding
        A frozen mechanism with ``privatize``, ``tally``, ``simulate``, ``channel`` and the rest.

    Examples
    --------
    >>> from ldp import debias
    >>> mechanism, rng = OUE(4, 1.0), np.random.default_rng(0)
    >>> reports = mechanism.privatize([0] * 700 + [3] * 300, rng)
    >>> debias(mechanism.tally(reports), mechanism).shape
    (4,)

    References
    ----------
    ``wang2017locally``, section 4.3.
    """
    budget = _checks.epsilon(epsilon)
    rare = math.exp(-budget)
    return encoding_from_epsilon(domain_size, budget, 0.5, rare / (1 + rare))
