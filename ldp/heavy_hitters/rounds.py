"""Whom to ask what, so that a server can find frequent values that nobody can list."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp.assigned import Assigned
from ldp.heavy_hitters.views import MOST_BITS, Prefix, SegmentPair
from ldp.mechanisms.wide_hashing import WideHashing

MOST_CANDIDATES = 26  # bits: counters of one round take half a gigabyte at most
_KEPT_BITS = 7  # the default depths suit 128 survivors of each round ...
_LONGEST_STEP = 11  # ... and lists of at most 2**18 candidates


def prefix_rounds(
    num_bits: int,
    epsilon: float,
    *,
    depths: Sequence[int] | None = None,
    shares: npt.ArrayLike | None = None,
    scattered: bool = False,
) -> Assigned:
    r"""Ask each user for a prefix of the value, at one of a few depths.

    Round :math:`i` asks a share of the users for the first :math:`b_i` bits by
    :class:`ldp.WideHashing`. Everybody answers once; :func:`find_prefixes` then walks from the
    short prefixes to the whole values. Few long rounds find more than many short ones.

    Parameters
    ----------
    num_bits : int
        Bits :math:`B` of a value, 1 to 63.
    epsilon : float
        Privacy budget of the one report.
    depths : sequence of int, optional
        Depths :math:`b_1\le\dots\le b_g=B`, the first at most 26. A depth that comes again is a
        verification round: new users are asked about the same survivors. By default as few rounds
        as lists of about :math:`2^{18}` candidates allow, for 128 survivors.
    shares : array_like, optional
        Probability of each round; equal by default.
    scattered : bool
        Whether values go through :func:`scatter` first. Natural codes share prefixes, which helps
        when survivors are many and hurts when they are few; only scattered ones let
        :func:`pooled_frequencies` use all rounds.

    Returns
    -------
    Assigned
        What clients call ``privatize`` of.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said.

    Notes
    -----
    Published methods are settings. PEM has equal shares; TreeHist has all depths 1 to :math:`B`,
    one bit a step, and spends half of the users on a last round at depth :math:`B` again.

    Examples
    --------
    >>> [view.depth for view, _, _ in prefix_rounds(48, 2.0).parts]
    [17, 27, 38, 48]
    >>> tree = prefix_rounds(8, 2.0, depths=(*range(1, 9), 8), shares=[0.5 / 8] * 8 + [0.5])

    References
    ----------
    ``bassily2017practical`` for TreeHist.
    """
    bits = _checks.integer(num_bits, "num_bits", 1, MOST_BITS)
    chosen = _default_depths(bits) if depths is None else _checked_depths(depths, bits)
    if shares is None:
        shares = np.full(len(chosen), 1 / len(chosen))
    given = _checks.vector(shares, "shares", len(chosen)).tolist()
    return Assigned(
        [
            (Prefix(bits, depth, scattered=scattered), WideHashing(depth, epsilon), share)
            for depth, share in zip(chosen, given, strict=True)
        ]
    )


def segment_pairs(
    num_bits: int, epsilon: float, *, num_segments: int = 6, final_share: float = 0.5
) -> Assigned:
    r"""Ask each user for two pieces of the value, or for all of it.

    The value is cut into :math:`s` equal pieces; one of the :math:`\binom s2` pairs is asked of
    each group, all groups being equally likely, and the whole value of the last group.
    :func:`find_strings` joins frequent pairs.

    Parameters
    ----------
    num_bits : int
        Bits of a value, at most 63.
    epsilon : float
        Privacy budget of the one report.
    num_segments : int
        Number :math:`s\ge2` of pieces, a divisor of `num_bits`, of at most 13 bits each.
    final_share : float
        Share of the users who are asked for the whole value, between 0 and 1.

    Returns
    -------
    Assigned

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said.

    Examples
    --------
    >>> len(segment_pairs(48, 2.0).parts)
    16
    """
    bits = _checks.integer(num_bits, "num_bits", 1, MOST_BITS)
    last = _checks.between(final_share, "final_share")
    pieces = _checks.integer(num_segments, "num_segments", 2, bits)
    pairs = [SegmentPair(bits, pieces, i, j) for i, j in combinations(range(pieces), 2)]
    width = pairs[0].segment_bits
    if 2 * width > MOST_CANDIDATES:
        raise ValueError(
            f"num_segments must make pieces of at most {MOST_CANDIDATES // 2} bits, "
            f"got {pieces}, of {width} bits each."
        )
    mechanism = WideHashing(2 * width, epsilon)
    asked = [(pair, mechanism, (1 - last) / len(pairs)) for pair in pairs]
    return Assigned([*asked, (Prefix(bits, bits), WideHashing(bits, epsilon), last)])


def _default_depths(bits: int) -> list[int]:
    left = max(0, bits - _KEPT_BITS)
    count = max(1, -(-left // _LONGEST_STEP))
    return [bits - left + round(left * i / count) for i in range(1, count + 1)]


def _checked_depths(depths: Sequence[int], bits: int) -> list[int]:
    given = _checks.integers(depths, "depths")
    if given.size == 0:
        raise ValueError("depths must be at least one, got none.")
    if given[0] < 1 or given[0] > MOST_CANDIDATES:
        raise ValueError(f"depths must begin from 1 to {MOST_CANDIDATES}, got {given[0]}.")
    if (np.diff(given) < 0).any():
        raise ValueError(f"depths must not decrease, got {_checks.shown(given.tolist())}.")
    if given[-1] != bits:
        raise ValueError(f"depths must end at the {bits} bits of a value, got {given[-1]}.")
    chosen: list[int] = given.tolist()
    return chosen
