"""Frequencies from the reports of all rounds of a search."""

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp.assigned import Assigned
from ldp.heavy_hitters._counting import Reports, counted
from ldp.heavy_hitters._walk import prefix_parts
from ldp.linear import debias
from ldp.types import Floats


def pooled_frequencies(reports: Reports, rounds: Assigned, values: npt.ArrayLike) -> Floats:
    r"""Estimate the frequencies of given values from the reports of all rounds.

    After :func:`scatter` the prefixes of a value hold little else: of another value's users, a
    share :math:`s_b=(2^{B-b}-1)/(2^B-1)` on average over bijections. So every round estimates the
    frequency; with :math:`n_i` users in round :math:`i` and estimates :math:`\hat g_i` of prefixes

    .. math:: \hat f=\frac1n\sum_in_i\,\frac{\hat g_i-s_{b_i}}{1-s_{b_i}}.

    Parameters
    ----------
    reports : AssignedReports or sequence of them
    rounds : Assigned
        What ``prefix_rounds(..., scattered=True)`` made. Others are refused: natural codes share
        prefixes, and the estimate of a prefix would be that of all values that have it.
    values : array_like of int, shape (k,)
        Values, such as those that were found.

    Returns
    -------
    ndarray, shape (k,)
        Unbiased on average over bijections, for values chosen beforehand. With the one bijection
        that there is, a share of the users of standard deviation
        :math:`(2^{-b}\sum_uf_u^2)^{1/2}` is mistaken for the value's in a round of :math:`b` bits.
        Values that these reports have found are estimated too large, as by the last round alone.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said, or nobody answered in some round.

    Examples
    --------
    >>> from ldp.heavy_hitters import prefix_rounds
    >>> rng = np.random.default_rng(1)
    >>> rounds = prefix_rounds(48, 3.0, scattered=True)
    >>> reports = rounds.privatize(np.repeat([5, 7], [60_000, 40_000]), rng)
    >>> pooled_frequencies(reports, rounds, [5, 7, 9]).round(2) + 0.0
    array([0.6, 0.4, 0. ])
    """
    parts = prefix_parts(rounds, 1)
    if not parts[0].view.scattered:
        raise ValueError(
            "rounds must ask for prefixes of scattered codes, got natural ones, "
            "whose prefixes hold other values too."
        )
    wanted = _checks.values(values, rounds.domain_size)
    count = counted(rounds, reports)
    if not wanted.size:
        return np.zeros(0)
    total, users = np.zeros(wanted.size), 0
    for i, (view, mechanism) in enumerate(parts):
        tally = count(i, view(wanted))
        shared = (2 ** (view.num_bits - view.depth) - 1) / (2**view.num_bits - 1)
        estimate = (debias(tally, mechanism) - shared) / (1 - shared)
        total, users = total + tally.num_reports * estimate, users + tally.num_reports
    mean: Floats = total / users
    return mean
