"""Randomized response over any number of categories."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ldp import _checks, _kernels
from ldp._frozen import freeze
from ldp._words import at_least, words
from ldp.mechanisms import shared
from ldp.mechanisms.reports import number_outcomes, outcome_number
from ldp.tally import Tally
from ldp.types import Array, Bits, Floats


def response_law(size: int, epsilon: float) -> tuple[float, float]:
    """Probability of the truth and of any one other of so many values."""
    truth = 1 / (1 + (size - 1) * math.exp(-epsilon))
    return truth, truth * math.exp(-epsilon)


def check_response(size: int, epsilon: float) -> None:
    """Refuse a budget that float64 or the integer weights would lose."""
    p, q = response_law(size, epsilon)
    _checks.probabilities(p, q, epsilon)
    _checks.integer_weights(p, epsilon, size - 1)


@dataclass(frozen=True, init=False)
class GRR:
    r"""Generalized randomized response; with two values, Warner's randomized response.

    .. math:: \Pr[y\mid x] = \begin{cases} p=\frac{e^\epsilon}{e^\epsilon+d-1} & y=x\\
              q=\frac{1}{e^\epsilon+d-1} & y\ne x\end{cases}

    Parameters
    ----------
    domain_size : int
        Number :math:`d\ge 2` of values 0..d-1.
    epsilon : float
        Privacy budget.

    Notes
    -----
    A report is an integer, shape ``(n,)``; it supports :math:`S(y)=\{y\}`. The sampler gives every
    other value one integer weight, just above :math:`2^{64}q`, out of :math:`2^{64}` and the rest
    to the truth, so the emitted law never exceeds `epsilon`.

    Examples
    --------
    >>> m = GRR(4, 1.0)
    >>> reports = m.privatize([0, 0, 1, 3], np.random.default_rng(0))
    >>> m.tally(reports).num_reports
    4

    References
    ----------
    ``warner1965randomized``; ``kairouz2016discrete``; ``wang2017locally``, section 4.1.
    """

    domain_size: int
    epsilon: float

    def __init__(self, domain_size: int, epsilon: float) -> None:
        freeze(self, domain_size=_checks.domain_size(domain_size), epsilon=_checks.epsilon(epsilon))
        check_response(self.domain_size, self.epsilon)

    @property
    def num_outcomes(self) -> int:
        """A report is one of the values."""
        return self.domain_size

    @property
    def p(self) -> float:
        """Probability of the truth."""
        return response_law(self.domain_size, self.epsilon)[0]

    @property
    def q(self) -> float:
        """Probability of any one other value."""
        return response_law(self.domain_size, self.epsilon)[1]

    report = property(outcome_number)
    odds = property(shared.budget_odds)
    second_moment = shared.indicator_second_moment
    likelihood = shared.support_likelihood
    outcomes = number_outcomes
    tally = tally_outcomes = shared.count_outcomes
    check_counts = shared.outcome_counts

    def privatize(self, values: npt.ArrayLike, rng: np.random.Generator) -> Array:
        """Keep each value with probability p, else report one of the others, uniformly."""
        given = _checks.values(values, self.domain_size)
        rng = _checks.rng(rng)
        weight = at_least(self.q)
        reports = np.empty(given.size, dtype=self.report.dtype)
        for chunk in _kernels.chunks(given.size, 1):
            random_words = words(rng, chunk.stop - chunk.start)
            _kernels.replace_value(
                given[chunk], random_words, weight, self.domain_size - 1, reports[chunk]
            )
        return reports

    def simulate(self, value_counts: npt.ArrayLike, rng: np.random.Generator) -> Tally:
        """Draw the tally exactly: Bin(n_v, p - q) keep their value, the others fall uniformly."""
        counts = _checks.value_counts(value_counts, self.domain_size)
        rng = _checks.rng(rng)
        kept = rng.binomial(counts, self.p - self.q)
        total = int(counts.sum())
        uniform = np.full(self.domain_size, 1 / self.domain_size)
        return Tally(kept + rng.multinomial(total - int(kept.sum()), uniform), total, self)

    def channel(self) -> Floats:
        """Matrix with p on the diagonal and q elsewhere."""
        _checks.channel_size(self.domain_size, self.domain_size)
        return np.full((self.domain_size, self.domain_size), self.q) + np.diag(
            np.full(self.domain_size, self.p - self.q)
        )

    def support(self, reports: npt.ArrayLike) -> Bits:
        """Bit-packed one-hot rows."""
        given = self.outcomes(reports)
        rows = np.zeros((given.size, -(-self.domain_size // 8)), dtype=np.uint8)
        rows[np.arange(given.size), given >> 3] = 128 >> (given & 7)
        return rows
