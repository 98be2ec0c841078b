"""Samplers that leave a public prior as it is: the best linear one and the best of all."""

import math

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp.samplers import _windows
from ldp.samplers.mollifier import Mollifier, window_around
from ldp.types import Floats

_SMALLEST = float(np.finfo(np.float64).tiny)  # smaller numbers have fewer digits


def fixed_point_channel(prior: npt.ArrayLike, epsilon: float) -> Floats:
    r"""Return the best private channel that leaves a prior fixed, :math:`qK=q`.

    With the prior sorted, :math:`q_1\le\dots\le q_n`, the shares
    :math:`\alpha_i=q_i/\sum_{j\ge i}q_j`, :math:`D_i=e^\epsilon\alpha_i+1-\alpha_i` and
    :math:`M_i=\prod_{j<i}(1-\alpha_j/D_j)`,

    .. math:: K_{ii}=M_i\frac{e^\epsilon\alpha_i}{D_i},\qquad
              K_{ji}=M_i\frac{\alpha_i}{D_i},\qquad
              K_{ij}=M_i\frac{q_j}{q_i}\frac{\alpha_i}{D_i}\qquad(j>i),

    for :math:`i<n`, and :math:`K_{nn}=M_n`. Rows and columns are then put back in the prior's
    order. The least diagonal entry, :math:`e^\epsilon\alpha_1/D_1`, is the largest that any such
    channel can have: :math:`q_x\ge q_xK_{xx}+(1-q_x)K_{xx}e^{-\epsilon}` bounds
    :math:`K_{xx}` by :math:`e^\epsilon q_x/(e^\epsilon q_x+1-q_x)`.

    Parameters
    ----------
    prior : array_like, shape (n,)
        The prior :math:`q`: a distribution, without zeros; in any order.
    epsilon : float
        Privacy budget.

    Returns
    -------
    ndarray, shape (n, n)
        Rows are values; give it to :class:`ldp.samplers.LinearSampler`.

    Raises
    ------
    TypeError, ValueError
        If `prior` is no distribution, has a zero or a one, so many values that the channel has
        more than 2**24 cells, or so small a mass, or `epsilon` is so large, that an entry of the
        channel rounds to zero or nearly so.

    Examples
    --------
    >>> q = np.array([0.5, 0.2, 0.3])
    >>> K = fixed_point_channel(q, 1.0)
    >>> bool(np.allclose(q @ K, q)), K.diagonal().round(3).tolist()
    (True, [0.657, 0.405, 0.528])

    References
    ----------
    ``S002``, algorithm 1, a recursion on the sorted prior.
    """
    given, budget = _windows.check_prior(prior), _checks.epsilon(epsilon)
    _checks.channel_size(given.size, given.size, "prior")
    order = np.argsort(given, kind="stable")
    q, e = given[order], math.exp(-budget)
    rest = np.cumsum(q[::-1])[::-1]
    own, others = q[:-1] / rest[:-1], rest[1:] / rest[:-1]  # alpha and 1 - alpha, without a loss
    scale = own + others * e  # D / e**epsilon
    kept = np.cumprod(np.append(1.0, (own * -math.expm1(-budget) + others * e) / scale))
    lower = kept[:-1] * own * (e / scale)
    channel = np.tril(np.append(lower, 0.0)[None, :].repeat(q.size, axis=0), -1)
    channel += np.triu(np.append(lower / q[:-1], 0.0)[:, None] * q, 1)
    np.fill_diagonal(channel, np.append(kept[:-1] * own / scale, kept[-1]))
    if not channel.min() >= _SMALLEST:  # else a ratio of two entries could be anything
        raise ValueError(
            f"prior must keep the entries of the channel above {_SMALLEST:.3g} "
            f"at epsilon {budget}, got {channel.min()}."
        )
    back = np.argsort(order)
    return channel[np.ix_(back, back)]


def fixed_point_window(prior: npt.ArrayLike, epsilon: float) -> Mollifier:
    r"""Return the private sampler that leaves a prior as it is and has the best worst case.

    With :math:`E=e^\epsilon`, its laws lie in :math:`l\le Q\le u` for

    .. math:: u_x=\min\{\max\{t,q_x\},Eq_x\},\qquad l=u/E,\qquad
              t(1-\tfrac1E)+\tfrac1E\sum_xu_x=1 .

    **Theorem.** Let :math:`Q` be any :math:`\epsilon`-locally private sampler, linear or not, with
    :math:`Q_q=q`. For every :math:`f`-divergence its worst case is at least that of this one,
    :math:`s f(1/s)+(1-s)f(0)` with :math:`s=\min\{t,E\min_xq_x\}`, the least probability with which
    a point mass reports its own value.

    *Proof.* Let :math:`l_x=\inf_PQ_P(x)`. Then :math:`q/E\le l\le q`, and a point mass at
    :math:`x` reports :math:`x` with probability at most
    :math:`\min\{El_x,\,1-\sum_{y\ne x}l_y\}`. If that is at least :math:`s` for every :math:`x`,
    then :math:`s\le Eq_x` and :math:`l_x\ge\max\{s,q_x\}/E`, so at the smallest :math:`q_x`, where
    we may take :math:`s\ge q_x`,
    :math:`1\ge s+\sum_{y\ne x}l_y\ge s(1-\frac1E)+\frac1E\sum_y\max\{s,q_y\}`: hence
    :math:`s\le t`. The window attains :math:`\min\{t,E\min q\}` at each point mass. The divergence
    of a point mass falls with its own mass, and that of :math:`P` to a convex set is convex in
    :math:`P`, so point masses are worst.

    Parameters
    ----------
    prior, epsilon
        As for :func:`ldp.samplers.relative_mollifier`.

    Raises
    ------
    TypeError, ValueError
        If `prior` is no distribution, has a zero or a one, or a mass so small that no multiple of
        :math:`2^{-64}` is in its window.

    Examples
    --------
    >>> q = [0.5, 0.2, 0.3]
    >>> m = fixed_point_window(q, 1.0)
    >>> m.law(q).tolist(), m.upper.round(3).tolist()
    ([0.5, 0.2, 0.3], [0.585, 0.544, 0.585])

    References
    ----------
    Theorem and window are this book's, in its chapter on sampling.
    """
    q, budget = _windows.check_prior(prior), _windows.check_budget(epsilon)
    e = math.exp(-budget)
    upper = _capped(q, e)
    return window_around("prior", float(q.min()), upper * e, upper, budget)


def _capped(q: Floats, e: float) -> Floats:
    """Find clip(t, q, q/e) with t (1 - e) + e sum of it = 1: halve the range of t to the end."""
    caps = q / e
    low, high = float(q.min()), 1.0
    while low < (middle := 0.5 * (low + high)) < high:
        used = middle * (1 - e) + e * np.clip(middle, q, caps).sum()
        low, high = (middle, high) if used <= 1 else (low, middle)
    upper: Floats = np.clip(low, q, caps)
    return upper
