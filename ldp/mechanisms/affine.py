"""Affine response: blocks of affine maps, a 2-design for every prime and every size of blocks."""

from dataclasses import dataclass

from ldp import _checks
from ldp._frozen import freeze
from ldp.mechanisms import affine_maps, families, shared
from ldp.mechanisms.affine_maps import AffineMaps
from ldp.mechanisms.primes import next_prime
from ldp.mechanisms.reports import number_outcomes, outcome_number
from ldp.mechanisms.subset import best_size

_LARGEST_DOMAIN = 2**12  # the table of a tally has some eight million cells


@dataclass(frozen=True, init=False)
class AffineResponse:
    r"""Report an affine map modulo a prime that is likelier to send one's own value below a window.

    :math:`P` is the smallest prime from the domain size :math:`d` on. A report is a slope :math:`a`
    and a shift :math:`s`, and supports the block :math:`S(a,s)=\{x:(ax+s)\bmod P<w\}`.

    .. math:: \Pr[a,s\mid x]=\frac1m\cdot\frac{A\text{ if }x\in S(a,s)\text{ else }B}
              {wA+(P-w)B},\qquad p=\frac{wA}{wA+(P-w)B},\qquad q=\frac{w-p}{P-1}

    with :math:`m` slopes, a power :math:`B` of two and :math:`A=\lfloor e^\epsilon B\rfloor`.

    Parameters
    ----------
    domain_size : int
        Number :math:`d` of values 0..d-1, from 2 to 4096.
    epsilon : float
        Privacy budget.
    window : int, optional
        :math:`w` from 1 to P-1; by default the one of least variance for rare values.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its range, or the budget is too small or too large for so many
        values.

    Notes
    -----
    Any two different values are sent to any two different places by exactly one map of P (P-1), so
    they share as many blocks as any other two: a 2-design, whose p and q are those of
    :class:`ldp.SubsetSelection` on P values, but for the rounding of A. With d = P the variance is
    subset selection's too, that is, optimal; with d < P it is somewhat larger.

    The maps (a, s) and (-a, w-1-s) have one block. So :math:`m=(P-1)/2` slopes, 1..m, are enough,
    and a report is the integer :math:`(a-1)P+s`, shape ``(n,)``, of about :math:`2\log_2P-1` bits.
    With a window of 1 or P-1 all slopes have the same P blocks; then there is one slope.

    It takes one word of 64 bits, and the law of reports is exact. A server has a count for each of
    the m P reports, and finds all sums of w neighbours by running sums: time :math:`O(n+P^2)`,
    whatever the window is.

    References
    ----------
    ``park2023exactly``: block designs reach the least error; ``feldman2021lossless``: affine maps
    over a field (:class:`ldp.rivals.PIRAPPOR`).

    Examples
    --------
    >>> m = AffineResponse(100, 1.0)
    >>> m.design.num_points, m.window, m.num_outcomes
    (101, 27, 5050)
    """

    domain_size: int
    epsilon: float
    window: int

    def __init__(self, domain_size: int, epsilon: float, window: int | None = None) -> None:
        d = affine_maps.domain_size(domain_size, _LARGEST_DOMAIN, "AffineResponse")
        budget, prime = _checks.epsilon(epsilon), next_prime(d)
        if window is None:
            window = best_size(prime, budget)
        w = _checks.integer(window, "window", 1, prime - 1)
        freeze(self, domain_size=d, epsilon=budget, window=w)
        families.law_of(self)  # refuses budgets

    @property
    def design(self) -> AffineMaps:
        """The prime P, the window, and slopes 1..m, of which each block has exactly one."""
        prime = next_prime(self.domain_size)
        all_alike = self.window in (1, prime - 1)
        return AffineMaps(prime, self.window, 1, 1 if all_alike else (prime - 1) // 2)

    num_outcomes = property(families.num_cells)
    p = property(families.own_chance)
    q = property(families.other_chance)
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
    check_counts = families.check_counts
