r"""Waves: reports on a line that are likelier near the value, and how wide the wave should be.

Values lie in [0, 1] and reports in :math:`[-b, 1+b]`. These are functions of real numbers, for
theory and figures; what a user sends is made by :class:`ldp.SquareWave`, whose reports are
integers.
"""

import math

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp.types import Array


def optimal_half_width(epsilon: float) -> float:
    r"""Half-width of the square wave that maximises :func:`mutual_information_bound`.

    .. math:: b=\frac{\epsilon e^\epsilon-e^\epsilon+1}{2e^\epsilon(e^\epsilon-1-\epsilon)},

    1/2 for a vanishing budget and :math:`\epsilon e^{-\epsilon}/2` for a large one.

    Examples
    --------
    >>> round(optimal_half_width(1.0), 4)
    0.2561

    References
    ----------
    ``li2020estimating``; ``S004``.
    """
    budget = _checks.epsilon(epsilon)
    if budget < 0.5:
        # Both differences are of order eps^2 and would lose their digits: eps^2/2! - eps^3/3! + ...
        numerator = denominator = 0.0
        for k in range(20, 1, -1):
            numerator = 1 / math.factorial(k) - budget * numerator
            denominator = 1 / math.factorial(k) + budget * denominator
        return numerator / (2 * denominator)
    small = math.exp(-budget)  # divided by e^(2 eps), so that no large budget overflows
    return small * (budget - 1 + small) / (2 * (1 - small * (1 + budget)))


def mutual_information_bound(epsilon: float, half_width: npt.ArrayLike) -> Array:
    r"""Bound on the mutual information of value and report under a square wave, in nats.

    The report's entropy is at most that of a uniform law on :math:`[-b,1+b]`:

    .. math:: I\le\log\frac{2b+1}{2be^\epsilon+1}+\frac{2be^\epsilon}{2be^\epsilon+1}\,\epsilon

    Examples
    --------
    >>> round(float(mutual_information_bound(1.0, 0.25)), 4)
    0.1233

    References
    ----------
    ``li2020estimating``.
    """
    budget = _checks.epsilon(epsilon)
    small, width = math.exp(-budget), 2 * np.asarray(half_width, dtype=np.float64)
    bound: Array = np.log((width + 1) / (width + small)) - budget * small / (width + small)
    return bound
