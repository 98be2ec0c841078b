"""Moduli whose residues tell all values apart."""

import math
from collections.abc import Sequence
from itertools import combinations

from ldp import _checks

_MANY = 4  # of two to ten the number of least total variance, at 20 to 1000 values and epsilon 1


def default_moduli(domain_size: int) -> tuple[int, ...]:
    """Return the four largest coprime numbers below d, fewer if there are no more; d if d < 4."""
    if domain_size < 4:
        return (domain_size,)
    moduli: list[int] = []
    candidate = domain_size - 1
    while len(moduli) < _MANY and candidate > 1:
        if all(math.gcd(candidate, m) == 1 for m in moduli):
            moduli.append(candidate)
        candidate -= 1
    return tuple(moduli)


def num_told_apart(moduli: Sequence[int]) -> int:
    r"""Return how many values in a row the laws of coprime residues determine.

    The indicators of the residues modulo :math:`m` span the sequences of period :math:`m`, that
    is the powers :math:`x\mapsto\zeta^x` of its :math:`m` roots of unity. Coprime moduli share the
    root 1 alone, and powers of :math:`N` different numbers are independent on any :math:`N`
    values in a row (Vandermonde): :math:`N=1+\sum_j(m_j-1)`, and no more can be told.
    """
    return 1 + sum(m - 1 for m in moduli)


def check_moduli(given: object, domain_size: int) -> tuple[int, ...]:
    """Return coprime moduli that tell so many values apart, or refuse them."""
    moduli = tuple(int(m) for m in _checks.integers(given, "moduli"))
    if not moduli or min(moduli) < 2 or max(moduli) > domain_size:
        raise ValueError(f"moduli must be from 2 to domain_size = {domain_size}, got {moduli}.")
    for one, other in combinations(moduli, 2):
        if math.gcd(one, other) > 1:
            raise ValueError(f"moduli must be coprime in pairs, got {one} and {other}.")
    if num_told_apart(moduli) < domain_size:
        raise ValueError(
            f"moduli must tell {domain_size} values apart, with 1 + sum(m - 1) at least that, "
            f"got {num_told_apart(moduli)}."
        )
    return moduli
