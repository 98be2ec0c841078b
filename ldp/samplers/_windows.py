"""Windows of integers that the emitted laws of a sampler never leave, and reports drawn in them.

A law of a sampler is emitted as weights out of 2**64, one word a report. Each weight lies between
two integers, one at most e**epsilon times the other: so the budget holds for the emitted laws of
*all* private distributions, in exact integers, however they were rounded.
"""

import math
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import numpy.typing as npt

from ldp import _checks, _kernels
from ldp._words import Words, words
from ldp.samplers import _law_kernels
from ldp.types import Floats, Integers

_ROUNDING = 1e-9  # of `upper` above e**epsilon times `lower`: the integers are held to it exactly
_FRACTION = 128  # bits of e**epsilon
_LARGEST = 44.0  # two numbers of 64 bits have no ratio above e**44.4


def check_budget(epsilon: float) -> float:
    """Return a privacy budget that weights of 64 bits can have."""
    number = _checks.epsilon(epsilon)
    if number > _LARGEST:
        raise ValueError(f"epsilon must be at most {_LARGEST} for words of 64 bits, got {number}.")
    return number


def _factor(epsilon: float) -> int:
    """Return 2**128 e**epsilon, rounded down."""
    with localcontext() as context:
        context.prec = 80
        return int(Decimal(epsilon).exp() * 2**_FRACTION)


def check_ratio(
    lower: Floats, upper: Floats, epsilon: float, name: str = "lower and upper"
) -> None:
    """Refuse windows that are wider than the budget by more than rounding."""
    spent = np.log(upper) - np.log(lower)  # their quotient might overflow
    if spent.max() > epsilon + _ROUNDING:
        raise ValueError(
            f"{name} must be within a factor e**epsilon = e**{epsilon:.6g} of each other, "
            f"got e**{spent.max():.6g} at value {int(spent.argmax())}."
        )


def integer_windows(
    lower: Floats, upper: Floats, epsilon: float, name: str = "lower and upper"
) -> tuple[Words, Words]:
    """Return the least and largest weight of each value, out of 2**64; each end can be reached."""
    if lower.size < 2:
        raise ValueError(f"a sampler must have at least two values to report, got {lower.size}.")
    factor = _factor(epsilon)
    # What is above 1 is above it as a 2, too, and has a power of two.
    low = [math.ceil(math.ldexp(number, 64)) for number in np.minimum(lower, 2.0).tolist()]
    high = [
        min(math.floor(math.ldexp(number, 64)), least * factor >> _FRACTION)
        for number, least in zip(np.minimum(upper, 2.0).tolist(), low, strict=True)
    ]
    for value, (least, largest) in enumerate(zip(low, high, strict=True)):
        if largest < least:
            raise ValueError(
                f"{name} must have a multiple of 2**-64 between them, "
                f"got {lower[value]} and {upper[value]} at value {value}."
            )
    least_sum, largest_sum = sum(low), sum(high)
    if not least_sum <= 2**64 <= largest_sum:
        raise ValueError(
            f"{name} must have sums on either side of 1, got "
            f"{least_sum / 2**64} and {largest_sum / 2**64} in multiples of 2**-64."
        )
    reached = [max(a, 2**64 - (largest_sum - b)) for a, b in zip(low, high, strict=True)]
    high = [min(b, 2**64 - (least_sum - a)) for a, b in zip(low, high, strict=True)]
    return np.array(reached, dtype=np.uint64), np.array(high, dtype=np.uint64)


def emitted_epsilon(m: Any) -> float:
    """Budget that the emitted laws spend: ln of the largest ratio of two weights of a value."""
    pairs = zip(m._low.tolist(), m._high.tolist(), strict=True)
    return max(math.log1p((b - a) / a) for a, b in pairs)  # quotients of integers, rounded once


def check_laws(given: npt.ArrayLike, size: int) -> Floats:
    """Return private distributions, shape (n, size), from one or many rows."""
    array = _checks.reals(given, "laws")
    if array.ndim not in (1, 2) or array.shape[-1] != size:
        raise ValueError(f"laws must have shape ({size},) or (n, {size}), got {array.shape}.")
    rows = np.ascontiguousarray(array.reshape(-1, size))
    with np.errstate(over="ignore"):  # what overflows is not 1
        away = np.abs(rows.sum(axis=1) - 1)
    wrong = np.flatnonzero((rows.min(axis=1) < 0) | (away > 1e-9))
    if wrong.size:
        raise ValueError(
            "laws must be non-negative and sum to 1, got minimum "
            f"{rows[wrong[0]].min()} and a sum off by {away[wrong[0]]} in row {wrong[0]}."
        )
    return rows


def check_prior(given: npt.ArrayLike) -> Floats:
    """Return a public prior: a distribution with neither a zero nor, so, a one."""
    law = _checks.distribution(given, "prior")
    if law.size < 2 or law.min() <= 0 or law.max() >= 1:
        raise ValueError(
            "prior must have at least two values, none of them of probability 0 or 1, "
            f"got {law.size} values from {law.min()} to {law.max()}."
        )
    return law


def weights(m: Any, laws: npt.ArrayLike) -> Words:
    """Integers out of 2**64 by which the reports are drawn, in the shape of their laws."""
    targets = m.law(laws)
    out = np.empty(targets.shape, dtype=np.uint64)
    _law_kernels.integer_weights(np.atleast_2d(targets), m._low, m._high, np.atleast_2d(out))
    return out


def privatize(m: Any, laws: npt.ArrayLike, rng: np.random.Generator) -> Integers:
    """Report one value of each person, shape (n,); `laws` has a row for each, or is one law."""
    rows, rng = check_laws(laws, m.domain_size), _checks.rng(rng)
    drawn = np.empty(rows.shape[0], dtype=np.int64)
    for run in _kernels.chunks(*rows.shape):  # runs of laws stay in the cache
        _law_kernels.draw(m.weights(rows[run]), words(rng, run.stop - run.start), drawn[run])
    return drawn
