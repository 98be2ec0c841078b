"""Cyclotomic response: blocks of power classes modulo a prime, a 2-design with a small table."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from ldp import _checks
from ldp._frozen import freeze
from ldp.linear import variance
from ldp.mechanisms import families, shared
from ldp.mechanisms.families import Family
from ldp.mechanisms.primes import class_order, divisors, is_prime, primes_from
from ldp.mechanisms.reports import number_outcomes, outcome_number
from ldp.mechanisms.subset import SubsetSelection

_MOST_CELLS = 2**25  # of the server's table, 256 MB
_MOST_PRIMES = 60
_NEAR = 1.003  # times subset selection's variance: a smaller table is worth that


class PowerClasses(NamedTuple):
    r"""Base blocks modulo a prime :math:`P`: unions of classes of :math:`e`-th powers."""

    prime: int
    num_classes: int
    """Number :math:`e` of classes, a divisor of P - 1."""
    taken: int
    """How many neighbouring classes a block has, below e."""
    with_zero: bool
    """Whether it has the residue 0 besides."""

    @property
    def num_points(self) -> int:
        """Residues modulo P."""
        return self.prime

    @property
    def class_size(self) -> int:
        """Residues f of a class."""
        return (self.prime - 1) // self.num_classes

    @property
    def block_size(self) -> int:
        """Residues w of a block."""
        return self.taken * self.class_size + self.with_zero

    @property
    def num_blocks(self) -> int:
        """Base blocks m: half of the classes do where -1 is in the class half around from 1's."""
        halved = self.num_classes % 2 == 0 and self.class_size % 2 == 1
        return self.num_classes // 2 if halved else self.num_classes

    @property
    def family(self) -> Family:
        """The difference family."""
        order = class_order(self.prime, self.num_classes)
        return Family(order, self.class_size, self.num_blocks, self.block_size, self.with_zero)


@dataclass(frozen=True, init=False)
class CyclotomicResponse:
    r"""Report a block of a small design, :math:`e^\epsilon` times likelier if it holds the value.

    Modulo a prime :math:`P\ge d` with a primitive root :math:`g`, let :math:`C_k` be the
    :math:`f` powers :math:`g^{k},g^{k+e},\dots`, where :math:`ef=P-1`. Block :math:`(c,s)` holds
    :math:`x` if :math:`x-s` lies in :math:`C_c\cup\dots\cup C_{c+j-1}` (or is 0, in some designs),
    for :math:`0\le c<m` and :math:`0\le s<P`. With :math:`m=e`, or half of it if :math:`e` is even
    and :math:`f` odd, any two points are together in equally many of the :math:`mP` blocks.

    .. math:: \Pr[c,s\mid x]=\frac1m\cdot\frac{A\text{ if the block holds }x\text{ else }B}
              {wA+(P-w)B},\qquad p=\frac{wA}{wA+(P-w)B},\qquad q=\frac{w-p}{P-1}

    with :math:`w` residues in a block, a power :math:`B` of two and
    :math:`A=\lfloor e^\epsilon B\rfloor`.

    Parameters
    ----------
    domain_size : int
        Number :math:`d` of values 0..d-1, from 2 to :math:`2^{20}`.
    epsilon : float
        Privacy budget.
    design : tuple of (int, int, int, bool), optional
        :math:`P`, :math:`e`, :math:`j` and whether 0 is in the blocks; by default the fewest blocks
        whose variance for rare values is at most 0.3 % above that of
        :class:`ldp.SubsetSelection`, or, where there are none, those of least variance. A
        table has at most :math:`2^{25}` blocks, which at large domains and budgets costs variance.

    Raises
    ------
    TypeError, ValueError
        If `design` is no such design, or the budget is too small or too large for so many values.

    Notes
    -----
    A report, an integer of shape ``(n,)``, is the block's number :math:`cP+s`. It takes one word of
    64 bits, and the law of reports is exact. A server counts the blocks; sums over shifted
    blocks give the tally, by integers throughout.

    Examples
    --------
    >>> m = CyclotomicResponse(1024, 1.0)
    >>> m.num_outcomes, m.report.dtype
    (2122, dtype('uint16'))

    References
    ----------
    ``wilson1972cyclotomy``; ``park2023exactly`` has schemes of block designs.
    """

    domain_size: int
    epsilon: float
    design: PowerClasses

    def __init__(
        self,
        domain_size: int,
        epsilon: float,
        design: tuple[int, int, int, bool] | None = None,
    ) -> None:
        d, budget = _checks.domain_size(domain_size), _checks.epsilon(epsilon)
        families.check_domain(d)
        chosen = _best_design(d, budget) if design is None else _checked_design(design, d)
        freeze(self, domain_size=d, epsilon=budget, design=chosen)
        families.law_of(self)  # refuses budgets

    num_outcomes = property(families.num_cells)
    p = property(families.own_chance)
    q = property(families.other_chance)
    odds = property(families.odds)
    report = property(outcome_number)
    second_moment = shared.indicator_second_moment
    likelihood = shared.support_likelihood
    outcomes = number_outcomes
    privatize = families.privatize
    tally = families.tally
    simulate = families.simulate
    channel = families.channel
    support = families.support
    check_counts = families.check_counts


def _checked_design(design: tuple[int, int, int, bool], domain_size: int) -> PowerClasses:
    """Return a design that is one; refuse others."""
    if not isinstance(design, tuple) or len(design) != 4:
        raise TypeError(
            f"design must be a tuple of a prime, two integers and a bool, "
            f"got {_checks.shown(design)}."
        )
    prime = _checks.integer(design[0], "the prime of design", domain_size, 2**21)
    with_zero = _checks.flag(design[3], "the last part of design")
    fewest = 1 if with_zero or prime == 2 else 2  # one class is all residues but 0
    classes = _checks.integer(design[1], "the number of classes of design", fewest, prime - 1)
    least = 0 if with_zero else 1
    taken = _checks.integer(design[2], "the classes of a block of design", least, classes - 1)
    if not is_prime(prime) or (prime - 1) % classes:
        raise ValueError(
            f"design must have a prime and a divisor of the prime minus one, "
            f"got {prime} and {classes}."
        )
    given = PowerClasses(prime, classes, taken, with_zero)
    if given.num_blocks * prime > _MOST_CELLS:
        raise ValueError(
            f"design must have at most {_MOST_CELLS} blocks, got {given.num_blocks * prime}."
        )
    return given


@lru_cache(maxsize=256)
def _best_design(domain_size: int, epsilon: float) -> PowerClasses:
    """Return the fewest blocks that are near subset selection's variance, else the best."""
    near = _NEAR * variance(SubsetSelection(domain_size, epsilon), 1)
    found = []
    for design in _designs(domain_size, epsilon):
        noise = families.noise(design.num_points, design.block_size, epsilon)
        found.append((max(noise, near), design.num_blocks * design.prime, noise, design))
    return min(found)[-1]


def _designs(domain_size: int, epsilon: float) -> Iterator[PowerClasses]:
    """Yield designs with blocks of about the best size, modulo the primes from d on."""
    share = 1 / (1 + math.exp(min(epsilon, 500.0)))  # of the residues in the best blocks
    primes = primes_from(domain_size, 2 * domain_size)  # there is one, by Bertrand and Chebyshev
    for prime in islice(primes, _MOST_PRIMES):
        yield PowerClasses(prime, 1, 0, True)
        for classes in divisors(prime - 1)[1:]:
            size = (prime - 1) // classes
            for with_zero in (False, True):
                below = math.floor((share * prime - with_zero) / size)
                for taken in {min(max(1, some), classes - 1) for some in (below, below + 1)}:
                    design = PowerClasses(prime, classes, taken, with_zero)
                    if design.num_blocks * prime <= _MOST_CELLS:
                        yield design
