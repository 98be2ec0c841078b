"""What a search for frequent values by prefixes in rounds can find."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from ldp import _checks
from ldp.bounds._common import check_num_reports
from ldp.linear import variance
from ldp.types import Floats, FrequencyOracle

_MOST_ROUNDS = 63


def expected_found(
    frequencies: npt.ArrayLike,
    mechanism: FrequencyOracle,
    num_users: int,
    depths: Sequence[float],
    *,
    top_k: int,
    keep: int | None = None,
    shares: npt.ArrayLike | None = None,
) -> float:
    r"""How many of the most frequent values a search by prefixes is expected to find.

    Round :math:`i` asks a share :math:`s_i` of the users for the first :math:`b_i` bits of the
    value. Its candidates are the kept prefixes, made longer in all ways. Of a value of frequency
    :math:`f` the estimate is near a normal number with mean :math:`f` and standard deviation
    :math:`\sigma_i(f)`, so the value is kept with probability

    .. math:: \Phi\!\left(\frac{f-t_i}{\sigma_i(f)}\right),

    where the bar :math:`t_i` is the one above which there are, on average, as many candidates as
    are kept. Rounds ask different users, so the probabilities multiply.

    The values' codes are taken as random, and the first prefixes as long enough that what rare
    values add to them is even. If they are shorter, more is found than expected: a value rides on
    the frequent one beside it.

    Parameters
    ----------
    frequencies : array_like
        Frequencies of the values, in any order; the rest of the mass may be left out.
    mechanism : FrequencyOracle
        What every round reports with; only its p and q matter.
    num_users : int
        Users of all rounds together.
    depths : sequence of numbers
        Bits :math:`b_1\le\dots\le b_m` of the prefix in each round.
    top_k : int
        How many values are looked for, and returned by the last round.
    keep : int, optional
        Prefixes kept by every earlier round; ``4 * top_k`` by default.
    shares : array_like, optional
        Share of the users of each round; equal ones by default.

    Returns
    -------
    float
        Expected number of the `top_k` most frequent values among the `top_k` returned. Divided by
        `top_k` it is the expected F1 score.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said.

    Examples
    --------
    >>> from ldp import WideHashing
    >>> from ldp.datasets import zipf
    >>> law = zipf(10_000, 1.1)
    >>> round(expected_found(law, WideHashing(48, 2.0), 10**6, [18, 33, 48], top_k=32), 1)
    15.7

    References
    ----------
    Ours; ``S004`` for the search.
    """
    law = _checks.positive_vector(frequencies, "frequencies")
    with np.errstate(over="ignore"):  # an infinite sum is refused
        total = law.sum()
    if total > 1 + 1e-9:
        raise ValueError(f"frequencies must sum to at most 1, got {total}.")
    users = check_num_reports(num_users)
    bits, kept, share = _rounds(depths, top_k, keep, shares)
    if law.size < top_k:
        raise ValueError(f"top_k must be at most the {law.size} frequencies, got {top_k}.")
    law = np.sort(law)[::-1]
    found = np.ones(law.size)
    for i, size in enumerate(kept):
        asked = max(1, round(share[i] * users))
        sampling = law * (1 - law) * (1 / asked - 1 / users)
        spread = np.sqrt(variance(mechanism, asked, law) + np.maximum(sampling, 0))
        noise = math.sqrt(variance(mechanism, asked))
        candidates = 2.0 ** bits[i] * (kept[i - 1] if i else 1)
        before = np.cumsum(found) - found  # more values than candidates: the rest share theirs
        alive = np.clip(candidates - before, 0, found)
        bar = _bar(law, spread, alive, candidates - alive.sum(), noise, size)
        found = found * scipy.special.ndtr((law - bar) / spread)
    return float(found[:top_k].sum())


def half_detected(
    depths: Sequence[float],
    *,
    top_k: int,
    keep: int | None = None,
    shares: npt.ArrayLike | None = None,
) -> float:
    r"""Frequency that a search by prefixes finds half of the time, in standard deviations.

    The unit is :math:`\sigma=\sqrt{V/n}`, the noise of a rare value's estimate if all :math:`n`
    users were asked about it at once. With all other values rare, :math:`K_i` of :math:`C_i`
    candidates kept and shares :math:`s_i`, it is the :math:`x` with

    .. math:: \prod_i\Phi\big(x\sqrt{s_i}-z_i\big)=\tfrac12,\qquad\Phi(-z_i)=K_i/C_i,

    the formula of :func:`expected_found` for a single value above the noise.

    Parameters
    ----------
    depths, top_k, keep, shares
        As for :func:`expected_found`; depths need not be whole numbers.

    Returns
    -------
    float
        Frequency in units of :math:`\sigma`.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said.

    Examples
    --------
    >>> round(half_detected([48], top_k=32), 2)                  # every string is a candidate
    7.33
    >>> round(half_detected([18, 33, 48], top_k=32, keep=32), 2)
    8.19

    References
    ----------
    Ours.
    """
    bits, kept, share = _rounds(depths, top_k, keep, shares)
    before = np.concatenate([[1], kept[:-1]])
    passed = np.minimum(kept / (before * 2.0**bits), 1 - 1e-16)
    z, root = -scipy.special.ndtri(passed), np.sqrt(share)

    def excess(x: float) -> float:
        return float(scipy.special.log_ndtr(x * root - z).sum()) + math.log(2)

    low, high = ((z - 40) / root).min(), ((z + 40) / root).max()  # certain to fail, and to pass
    return float(scipy.optimize.brentq(excess, low, high, xtol=1e-12, maxiter=2000))


def _rounds(
    depths: Sequence[float], top_k: int, keep: int | None, shares: npt.ArrayLike | None
) -> tuple[Floats, Any, Floats]:
    """Return how many bits each round adds, how many prefixes it keeps, and its share."""
    bits = _checks.positive_vector(depths, "depths")
    if bits.size > _MOST_ROUNDS or (np.diff(bits) < 0).any() or bits[-1] > _MOST_ROUNDS:
        wrong = _checks.shown(depths)
        raise ValueError(f"depths must rise to at most 63 in at most 63 rounds, got {wrong}.")
    size = _checks.integer(top_k, "top_k", 1, 2**26)
    kept = 4 * size if keep is None else _checks.integer(keep, "keep", size, 2**26)
    given = np.full(bits.size, 1 / bits.size) if shares is None else shares
    share = _checks.distribution(_checks.positive_vector(given, "shares", bits.size), "shares")
    if size > 2.0 ** bits[-1]:
        raise ValueError(f"top_k must be at most the number of values, got {top_k}.")
    sizes = np.array([*[kept] * (bits.size - 1), size], dtype=np.float64)
    return np.diff(bits, prepend=0.0), sizes, share


def _bar(
    law: Floats, spread: Floats, alive: Floats, others: float, noise: float, size: float
) -> float:
    """Return the bar above which there are, on average, `size` candidates."""

    def excess(bar: float) -> float:
        ndtr = scipy.special.ndtr
        return float(alive @ ndtr((law - bar) / spread) + others * ndtr(-bar / noise)) - size

    low, high = -50 * noise, float(law.max()) + 50 * noise + 50 * float(spread.max())
    return low if excess(low) <= 0 else float(scipy.optimize.brentq(excess, low, high, xtol=1e-15))
