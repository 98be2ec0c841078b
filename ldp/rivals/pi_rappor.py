"""PI-RAPPOR over a prime field: affine maps, the constant ones among them."""

import math
from dataclasses import dataclass

from ldp import _checks
from ldp._frozen import freeze
from ldp.mechanisms import affine_maps, families, shared
from ldp.mechanisms.affine_maps import AffineMaps
from ldp.mechanisms.primes import next_prime
from ldp.mechanisms.reports import number_outcomes, outcome_number

_LARGEST_DOMAIN = 2**11  # the table of a tally has some four million cells


@dataclass(frozen=True, init=False)
class PIRAPPOR:
    r"""Report an affine map, likelier one that sends the own value below a window; slope 0 counts.

    With :math:`P` the smallest prime from :math:`d` on, a report is a slope :math:`a` and a shift
    :math:`s`, both any numbers below :math:`P`, and supports
    :math:`S(a,s)=\{x:(ax+s)\bmod P<w\}`.

    .. math:: \Pr[a,s\mid x]=\frac1P\cdot\frac{A\text{ if }x\in S(a,s)\text{ else }B}{wA+(P-w)B},
              \qquad p=\frac{wA}{wA+(P-w)B},\qquad q=\frac wP

    with a power :math:`B` of two and :math:`A=\lfloor e^\epsilon B\rfloor`; the window :math:`w` is
    the one of least variance, near :math:`P/(e^\epsilon+1)`.

    Parameters
    ----------
    domain_size : int
        Number :math:`d` of values 0..d-1, from 2 to 2048.
    epsilon : float
        Privacy budget.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its range, or the budget is too small or too large for so many
        values.

    Notes
    -----
    A report, an integer of shape ``(n,)``, is the cell :math:`aP+s`. Supports of two values are
    independent in pairs, as bits of unary encoding are, since all maps take part. Those of slope
    zero support all values or none and say nothing; :class:`ldp.AffineResponse` is the same
    without them. For the same P and w, the variance for rare values is that of
    :class:`ldp.AffineResponse` times

    .. math:: \frac{w(P-w)}{(w-p)(P-1-w+p)}.

    Most of it is in the sum of the estimates. With d = P and users drawn from the uniform
    distribution, estimates that are shifted so as to sum to one have the total variance of
    :class:`ldp.AffineResponse` times :math:`P/(P-1)`; given what users hold, it is larger by
    :math:`1/(nP)`.

    Examples
    --------
    >>> m = PIRAPPOR(100, 1.0)
    >>> m.design.num_points, m.design.block_size, m.num_outcomes
    (101, 27, 10201)

    References
    ----------
    ``feldman2021lossless`` (its abstract); fields whose size is no prime are left out here.
    """

    domain_size: int
    epsilon: float

    def __init__(self, domain_size: int, epsilon: float) -> None:
        d = affine_maps.domain_size(domain_size, _LARGEST_DOMAIN, "PIRAPPOR")
        freeze(self, domain_size=d, epsilon=_checks.epsilon(epsilon))
        families.law_of(self)  # refuses budgets

    @property
    def design(self) -> AffineMaps:
        """The prime P, the window, and all slopes."""
        prime = next_prime(self.domain_size)
        return AffineMaps(prime, _best_window(prime, self.epsilon), 0, prime)

    @property
    def q(self) -> float:
        """Probability that a report supports any one other value."""
        return self.design.block_size / self.design.num_points

    num_outcomes = property(families.num_cells)
    p = property(families.own_chance)
    odds = property(families.odds)
    report = property(outcome_number)
    second_moment = shared.indicator_second_moment
    likelihood = shared.support_likelihood
    outcomes = number_outcomes
    privatize = affine_maps.privatize
    tally = affine_maps.tally
    simulate = affine_maps.simulate
    support = affine_maps.support
    channel = families.channel
    check_counts = shared.support_counts


def _best_window(prime: int, epsilon: float) -> int:
    """Return the window of least variance for rare values, q (1 - q) / (p - q)^2."""
    rare = math.exp(-epsilon)

    def noise(window: int) -> float:  # up to a factor that is the same for all
        return (window + (prime - window) * rare) ** 2 / (window * (prime - window))

    below = min(max(1, math.floor(prime * rare / (1 + rare))), prime - 1)
    return min(below, min(below + 1, prime - 1), key=noise)
