"""Singer's difference sets: hyperplanes of a projective space, as residues."""

from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from ldp._compiled import compiled
from ldp.mechanisms.primes import prime_factors

Polynomial = tuple[int, ...]


def num_residues(order: int, dimension: int) -> int:
    """Points of the projective space of a vector space over the field of that order."""
    return sum(order**k for k in range(dimension))


@lru_cache(maxsize=16)
def hyperplane_order(order: int, dimension: int) -> npt.NDArray[np.int32]:
    r"""Return the nonzero residues modulo v, those of the difference set first.

    A primitive element :math:`\alpha` of the field with :math:`q^t` elements numbers the points:
    those of its multiples by elements of the field with q are :math:`i,i+v,\dots`, where
    :math:`v=(q^t-1)/(q-1)`. The set holds the i for which the trace of :math:`\alpha^i` to the
    field with q elements is 0, or of a multiple by some other element, so that 0 is not in it. With
    q a power of the prime p the trace is 0 if those of :math:`\alpha^{i+jv}` to the prime field
    are, for all j below the exponent; and these are a linear recurrence.
    """
    v = num_residues(order, dimension)
    inside = np.zeros(v, dtype=np.bool_)
    if dimension == 2:  # a point of a line: one residue, any
        inside[1] = True
    else:
        (p,) = prime_factors(order)
        exponent = next(k for k in range(1, order) if p**k == order)
        modulus = primitive_polynomial(p, exponent * dimension)
        traces = np.zeros(exponent * v, dtype=np.int32)
        traces[0] = 1
        _recur(np.array([-c % p for c in modulus]), p, traces)
        inside[:] = ~traces.reshape(exponent, v).any(axis=0)
    residues = np.append(np.flatnonzero(inside), np.flatnonzero(~inside)[1:]).astype(np.int32)
    residues.flags.writeable = False
    return residues


@compiled
def _recur(coefficients: Any, prime: Any, out: Any) -> None:
    """Fill in out[i + n] = sum_j coefficients[j] out[i + j], from the first n on."""
    n = coefficients.size
    for i in range(out.size - n):
        total = 0
        for j in range(n):
            total += coefficients[j] * out[i + j]
        out[i + n] = total % prime


def primitive_polynomial(prime: int, degree: int) -> Polynomial:
    """Return the first polynomial x**n + ... + c[1] x + c[0] whose x has all nonzero powers.

    Then all residues modulo it but 0 are powers of x: they are a field.
    """
    size = prime**degree - 1
    factors = prime_factors(size)
    one = (1,) + (0,) * (degree - 1)
    for reversed_ in product(range(prime), repeat=degree):
        modulus = reversed_[::-1]
        if modulus[0] == 0 or _power_of_x(size, modulus, prime) != one:
            continue
        if all(_power_of_x(size // factor, modulus, prime) != one for factor in factors):
            return modulus
    raise AssertionError("every field has a primitive element")


def _power_of_x(exponent: int, modulus: Polynomial, prime: int) -> Polynomial:
    power: Polynomial = (1,) + (0,) * (len(modulus) - 1)
    for bit in bin(exponent)[2:]:
        power = _product(power, power, modulus, prime)
        if bit == "1":
            power = _reduced((0, *power), modulus, prime)
    return power


def _product(a: Polynomial, b: Polynomial, modulus: Polynomial, prime: int) -> Polynomial:
    full = np.convolve(np.array(a, dtype=object), np.array(b, dtype=object)).tolist()
    return _reduced(tuple(full), modulus, prime)


def _reduced(polynomial: Polynomial, modulus: Polynomial, prime: int) -> Polynomial:
    """Subtract multiples of the modulus until the degree is below its own."""
    rest, n = list(polynomial), len(modulus)
    while len(rest) > n:
        lead = rest.pop()
        for k, c in enumerate(modulus):
            at = len(rest) - n + k
            rest[at] = (rest[at] - lead * c) % prime
    return tuple(c % prime for c in rest)
