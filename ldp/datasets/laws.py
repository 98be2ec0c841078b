"""Synthetic laws."""

import numpy as np
import scipy

from ldp import _checks
from ldp.types import Floats


def beta(domain_size: int, a: float = 5.0, b: float = 2.0) -> Floats:
    r"""Beta(a, b) law on [0, 1] in d equal bins.

    .. math:: \theta_v=I_{(v+1)/d}(a,b)-I_{v/d}(a,b),

    :math:`I` being the regularised incomplete beta function.

    Examples
    --------
    >>> beta(4).round(4)
    array([0.0046, 0.1047, 0.4246, 0.4661])
    """
    d = _checks.domain_size(domain_size)
    a, b = _checks.positive(a, "a"), _checks.positive(b, "b")
    below = scipy.special.betainc(a, b, np.arange(d + 1) / d)
    above = scipy.special.betainc(b, a, np.arange(d, -1, -1) / d)
    # From either end, for the digits of small bins: differences of numbers near 1 have none.
    law: Floats = np.where(below[1:] <= 0.5, np.diff(below), above[:-1] - above[1:])
    return law


def uniform(domain_size: int) -> Floats:
    r"""Uniform law :math:`\theta_v=1/d`.

    Examples
    --------
    >>> uniform(4)
    array([0.25, 0.25, 0.25, 0.25])
    """
    d = _checks.domain_size(domain_size)
    return np.full(d, 1 / d)


def zipf(domain_size: int, exponent: float = 1.0) -> Floats:
    r"""Zipf's law :math:`\theta_v\propto(v+1)^{-s}` with exponent :math:`s\ge 0`.

    Examples
    --------
    >>> zipf(3).round(4)
    array([0.5455, 0.2727, 0.1818])
    """
    d = _checks.domain_size(domain_size)
    s = _checks.not_negative(exponent, "exponent")
    weights = np.arange(1, d + 1, dtype=np.float64) ** -s
    law: Floats = weights / weights.sum()
    return law


def geometric(domain_size: int, ratio: float = 0.5) -> Floats:
    r"""Truncated geometric law :math:`\theta_v\propto r^v` with ratio :math:`0<r<1`.

    Examples
    --------
    >>> geometric(3).round(4)
    array([0.5714, 0.2857, 0.1429])
    """
    d = _checks.domain_size(domain_size)
    r = _checks.between(ratio, "ratio")
    weights = r ** np.arange(d, dtype=np.float64)
    law: Floats = weights / weights.sum()
    return law


def jeffreys_dirichlet(domain_size: int, rng: np.random.Generator) -> Floats:
    r"""One law drawn from Jeffreys' prior, Dirichlet(1/2, ..., 1/2).

    Examples
    --------
    >>> round(float(jeffreys_dirichlet(5, np.random.default_rng(0)).sum()), 12)
    1.0
    """
    d = _checks.domain_size(domain_size)
    return _checks.rng(rng).dirichlet(np.full(d, 0.5))
