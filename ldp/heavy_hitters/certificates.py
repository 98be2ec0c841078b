"""Which of the found values are certainly frequent."""

from ldp import _checks
from ldp.heavy_hitters import _tails
from ldp.heavy_hitters.result import HeavyHitters
from ldp.types import Integers


def certify(found: HeavyHitters, threshold: float, *, level: float = 0.95) -> Integers:
    r"""Found values whose frequency is above a threshold, with no false one but rarely.

    The last round's :math:`m` candidates were chosen by the reports of other users. For a value of
    frequency at most :math:`\tau` its count among the :math:`n` users of the round is at least
    :math:`c` with a chance of at most the binomial tail

    .. math:: \Pr[\operatorname{Bin}(n,\pi)\ge c],\qquad \pi=q+(p-q)\,\tau.

    Values are listed for which it is at most :math:`\alpha/m`, so that the chance of any false
    value in the list is at most :math:`\alpha=1-\text{level}`.

    Parameters
    ----------
    found : HeavyHitters
    threshold : float
        Frequency :math:`\tau` in the population, from 0 and below 1.
    level : float
        Confidence level in (0, 1), of the list as a whole.

    Returns
    -------
    ndarray of int64
        Certified values, most frequent first.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said.

    Notes
    -----
    No normal approximation is made: far out in the tail, where :math:`\alpha/m` lies, it is wrong
    by tens of per cent and more. Answers of users with different values have different chances;
    the tail of their sum is bounded by the binomial one. This holds
    for given users, for users drawn from a population, and for a round's users drawn out of all.
    A repeated last depth has far fewer candidates, hence a larger :math:`\alpha/m`.

    Examples
    --------
    >>> import numpy as np
    >>> from ldp.heavy_hitters import prefix_rounds, simulate_prefixes
    >>> rounds = prefix_rounds(48, 3.0, depths=(17, 28, 38, 48, 48))
    >>> found = simulate_prefixes([7, 9], [10**6, 10**3], rounds, np.random.default_rng(1), top_k=2)
    >>> certify(found, 0.01)
    array([7])
    """
    if not isinstance(found, HeavyHitters):
        raise TypeError(f"found must be HeavyHitters, got {type(found).__name__}.")
    limit = _checks.real(threshold, "threshold", "at least 0 and below 1")
    if not 0 <= limit < 1:
        raise ValueError(f"threshold must be at least 0 and below 1, got {limit}.")
    alpha = _tails.risk(level)
    if not found.values.size:
        return found.values
    last = found.rounds[-1]
    _tails.check_exact(last)
    return found.values[_tails.surely_above(last, limit, alpha / last.num_candidates)]
