"""Cyclic response: one difference set and its shifts, the hyperplanes of a projective space."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import count, islice
from typing import NamedTuple

from ldp import _checks
from ldp._frozen import freeze
from ldp.mechanisms import families, shared
from ldp.mechanisms.families import Family
from ldp.mechanisms.primes import prime_factors
from ldp.mechanisms.reports import number_outcomes, outcome_number
from ldp.mechanisms.singer import hyperplane_order, num_residues

_MOST_CELLS = 2**23  # of the server's table, 64 MB
_MOST_ORDERS = 20


class Hyperplanes(NamedTuple):
    r"""Hyperplanes of a projective space over a field of :math:`q` elements: shifts of one."""

    order: int
    """Number :math:`q` of elements, a power of a prime."""
    dimension: int
    """Dimension :math:`t\\ge2` of the vectors whose lines are the points."""

    @property
    def num_points(self) -> int:
        """Points v, as many as hyperplanes."""
        return num_residues(self.order, self.dimension)

    @property
    def block_size(self) -> int:
        """Points w of a hyperplane."""
        return num_residues(self.order, self.dimension - 1)

    @property
    def num_blocks(self) -> int:
        """One base block."""
        return 1

    @property
    def family(self) -> Family:
        """The difference set."""
        order = hyperplane_order(self.order, self.dimension)
        return Family(order, 0, 1, self.block_size, False)


@dataclass(frozen=True, init=False)
class CyclicResponse:
    r"""Report a hyperplane, :math:`e^\epsilon` times likelier if it holds the value.

    Points and hyperplanes of the projective space of :math:`\mathbb F_q^t` are
    :math:`v=\frac{q^t-1}{q-1}` each, and a hyperplane has :math:`w=\frac{q^{t-1}-1}{q-1}` points.
    Numbered by powers of a primitive element, all are shifts :math:`D+s` of a set of residues
    modulo v (Singer), and any two points are together in equally many.

    .. math:: \Pr[s\mid x]=\frac{A\text{ if }x-s\in D\text{ else }B}{wA+(v-w)B},\qquad
              p=\frac{wA}{wA+(v-w)B},\qquad q=\frac{w-p}{v-1}

    with a power :math:`B` of two and :math:`A=\lfloor e^\epsilon B\rfloor`.

    Parameters
    ----------
    domain_size : int
        Number :math:`d` of values 0..d-1, from 2 to :math:`2^{20}`; they are the first points.
    epsilon : float
        Privacy budget.
    design : tuple of (int, int), optional
        :math:`q`, a power of a prime, and :math:`t`; by default those of least variance for
        rare values among some with at most :math:`2^{23}` points. The best share of a block,
        :math:`1/(e^\epsilon+1)`, lies between those of two q: one of the two can cost some per
        cent, as can points that are no values; :class:`ldp.CyclotomicResponse` is closer.

    Raises
    ------
    TypeError, ValueError
        If `design` is no such design, or the budget is too small or too large for so many values.

    Notes
    -----
    This is projective geometry response, with all elements of a design as reports: a number s of
    :math:`\log_2v` bits, which no design of as many points can go below.

    Examples
    --------
    >>> m = CyclicResponse(1024, 1.0)
    >>> m.design, m.num_outcomes
    (Hyperplanes(order=4, dimension=6), 1365)

    References
    ----------
    ``feldman2022private``; ``singer1938theorem``.
    """

    domain_size: int
    epsilon: float
    design: Hyperplanes

    def __init__(
        self, domain_size: int, epsilon: float, design: tuple[int, int] | None = None
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


def _checked_design(design: tuple[int, int], domain_size: int) -> Hyperplanes:
    """Return a design that is one; refuse others."""
    if not isinstance(design, tuple) or len(design) != 2:
        raise TypeError(f"design must be a tuple of two integers, got {_checks.shown(design)}.")
    order = _checks.integer(design[0], "the order of design", 2, _MOST_CELLS - 1)
    dimension = _checks.integer(design[1], "the dimension of design", 2, 23)
    given = Hyperplanes(order, dimension)
    if len(prime_factors(order)) > 1:
        raise ValueError(f"design must have the power of a prime as its order, got {order}.")
    if not domain_size <= given.num_points <= _MOST_CELLS:
        raise ValueError(
            f"design must have {domain_size} to {_MOST_CELLS} points, got {given.num_points}."
        )
    return given


@lru_cache(maxsize=256)
def _best_design(domain_size: int, epsilon: float) -> Hyperplanes:
    """Return the least variance for rare values, and among equals the fewest points."""

    def noise(design: Hyperplanes) -> tuple[float, int]:
        variance = families.noise(design.num_points, design.block_size, epsilon)
        return variance, design.num_points

    return min(_designs(domain_size), key=noise)


def _designs(domain_size: int) -> Iterator[Hyperplanes]:
    """Yield the smallest designs of every dimension."""
    for dimension in range(2, 24):
        root = int(domain_size ** (1 / (dimension - 1)))  # (n + 1)**(dimension - 1) >= num_residues
        first = max(2, root - 1)
        orders = (n for n in count(first) if num_residues(n, dimension) >= domain_size)
        powers = (n for n in orders if len(prime_factors(n)) == 1)
        for order in islice(powers, _MOST_ORDERS):
            if num_residues(order, dimension) <= _MOST_CELLS:
                yield Hyperplanes(order, dimension)
