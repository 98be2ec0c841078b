"""Exact privacy audit: the budget a channel really spends."""

import numpy as np
import numpy.typing as npt

from ldp import _checks


def worst_case_epsilon(channel: npt.ArrayLike) -> float:
    r"""Smallest :math:`\epsilon` for which a channel is :math:`\epsilon`-LDP.

    .. math:: \max_{y}\,\max_{x,x'}\,\ln\frac{Q_{x,y}}{Q_{x',y}}

    Parameters
    ----------
    channel : array_like, shape (d, m)
        :math:`Q_{x,y}=\Pr[y\mid x]`: one row per value, each summing to one.

    Returns
    -------
    float
        Infinite if some report is possible under one value and impossible under another; a report
        impossible under all values is ignored.

    Raises
    ------
    TypeError, ValueError
        If `channel` is not a finite, non-negative matrix whose rows sum to one within 1e-9.

    Examples
    --------
    >>> round(worst_case_epsilon([[0.75, 0.25], [0.25, 0.75]]), 6)     # ln 3
    1.098612

    References
    ----------
    ``kasiviswanathan2011what``, definition of a local randomizer.
    """
    matrix = _checks.channel(channel)
    largest, smallest = matrix.max(axis=0), matrix.min(axis=0)
    possible = largest > 0
    if (smallest[possible] == 0).any():
        return float("inf")
    return float(np.log(largest[possible] / smallest[possible]).max())
