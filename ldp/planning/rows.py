"""One row of a plan: the errors of a mechanism in people, beside what it costs."""

import math
from typing import Any, NamedTuple

import numpy as np
import scipy

from ldp.linear import variance
from ldp.planning.costs import costs
from ldp.types import Floats

LEVEL, POWER = 0.95, 0.8  # of the intervals that notice a value, and how often they do


class Row(NamedTuple):
    """What a mechanism does for a survey; errors and the detection limit are in people."""

    name: str
    mechanism: Any
    """The frozen mechanism itself, ready for use."""
    error: float
    """Standard error of the count of a value that nobody holds."""
    error_frequent: float
    """Standard error of the count of a value of the plan's `frequency`."""
    worst_case: float
    """Largest standard error of any value's count, whatever all people hold."""
    sup_norm: float
    """Largest error among all d counts, on average; people spread evenly."""
    detection_limit: float
    """Holders of a value that is noticed in four of five surveys; infinite if all are too few."""
    bits: int
    """Bits of a report."""
    client_ops: int
    """Random choices of one person."""
    server_ops: int
    """Steps of the server for all reports."""
    attack_success: float
    """How often the best guess from one report is right, if all values are equally likely."""


def row(name: str, mechanism: Any, num_users: int, frequency: float) -> Row:
    """Compute a row, from arguments that are checked."""
    d, n, cost = mechanism.domain_size, num_users, costs(mechanism)
    return Row(
        name,
        mechanism,
        error=_people(mechanism, n, 0.0),
        error_frequent=_people(mechanism, n, frequency),
        worst_case=_worst_people(mechanism, n),
        sup_norm=_people(mechanism, n, 1 / d) * expected_largest(d),
        detection_limit=n * noticed_frequency(mechanism, n),
        bits=cost.bits(mechanism),
        client_ops=cost.client(mechanism),
        server_ops=cost.server(mechanism, n),
        attack_success=cost.attack_success(mechanism),
    )


def _people(mechanism: Any, num_users: int, frequency: float) -> float:
    """Standard error of a count."""
    return num_users * math.sqrt(variance(mechanism, num_users, frequency))


def _worst_people(mechanism: Any, num_users: int) -> float:
    """Largest one: noise is linear in the law, so it is largest if all people hold one value."""
    law = np.zeros(mechanism.domain_size)
    law[0] = 1.0
    noise: Floats = variance(mechanism, num_users, law)
    return num_users * math.sqrt(noise.max())


def expected_largest(size: int) -> float:
    r"""Mean of the largest :math:`|Z_v|` of so many independent standard normal numbers.

    .. math:: \int_0^\infty 1-\big(2\Phi(t)-1\big)^d\,dt

    Dependent ones have a smaller mean (Šidák's inequality), so that this is an upper bound.
    """
    t = np.linspace(0.0, 12.0, 12_001)  # beyond 12 even 2**31 of them have nothing to add
    above = -np.expm1(size * np.log1p(-scipy.special.erfc(t[1:] / math.sqrt(2))))
    return float(t[1] * (0.5 + above.sum()))  # the trapezoid rule, with 1 at zero


def noticed_frequency(mechanism: Any, num_users: int) -> float:
    r"""Least frequency :math:`f` of a value that is noticed with the probability `POWER`.

    Noticed is a value whose interval lies above zero, all d intervals being right together with
    the probability `LEVEL`. With :math:`\sigma^2(f)=a+sf` and normal quantiles z that is

    .. math:: f-z_{(1-\mathrm{LEVEL})/2d}\,\sigma(0)=z_{1-\mathrm{POWER}}\,\sigma(f).
    """
    d = mechanism.domain_size
    a, at_one = (variance(mechanism, num_users, f) for f in (0.0, 1.0))
    bar = -float(scipy.special.ndtri((1 - LEVEL) / 2 / d)) * math.sqrt(a)
    slope, z2 = at_one - a, float(scipy.special.ndtri(POWER)) ** 2
    if bar > 1:
        return math.inf
    # g^2 = z2 (a + slope (bar + g)), with g = f - bar
    f = bar + z2 * slope / 2 + math.sqrt((z2 * slope / 2) ** 2 + z2 * (a + slope * bar))
    return f if f <= 1 else math.inf
