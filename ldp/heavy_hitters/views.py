"""What users are asked about a code of many bits: its first bits, or two pieces of it."""

from dataclasses import dataclass

import numpy.typing as npt

from ldp import _checks
from ldp._frozen import freeze
from ldp.heavy_hitters.codes import scatter
from ldp.types import Integers

MOST_BITS = 63


@dataclass(frozen=True, init=False)
class Prefix:
    """The first bits of a code.

    Parameters
    ----------
    num_bits : int
        Bits of a code, at most 63.
    depth : int
        How many of them are asked for, 1 to `num_bits`.
    scattered : bool
        Whether the code is first sent through :func:`scatter`, so that few values share a prefix.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said; on a call, if a value has more bits.

    Examples
    --------
    >>> Prefix(8, 3)([0b11100000, 0b01011111])
    array([7, 2])
    """

    num_bits: int
    depth: int
    scattered: bool

    def __init__(self, num_bits: int, depth: int, *, scattered: bool = False) -> None:
        bits = _checks.integer(num_bits, "num_bits", 1, MOST_BITS)
        freeze(
            self,
            num_bits=bits,
            depth=_checks.integer(depth, "depth", 1, bits),
            scattered=_checks.flag(scattered, "scattered"),
        )

    @property
    def domain_size(self) -> int:
        """Number of codes, 2**num_bits."""
        return 1 << self.num_bits

    def __call__(self, values: npt.ArrayLike) -> Integers:
        """Return the prefix of each code."""
        codes = _checks.values(values, self.domain_size)
        if self.scattered:
            codes = scatter(codes, self.num_bits)
        prefixes: Integers = codes >> (self.num_bits - self.depth)
        return prefixes


@dataclass(frozen=True, init=False)
class SegmentPair:
    """Two of the equal pieces of a code, side by side.

    Parameters
    ----------
    num_bits : int
        Bits of a code, at most 63.
    num_segments : int
        Number of pieces, a divisor of `num_bits`.
    first, second : int
        Which pieces, numbered from 0 at the front; the first before the second.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said; on a call, if a value has more bits.

    Examples
    --------
    >>> SegmentPair(12, 3, 0, 2)([0xABC]).tolist() == [0xAC]
    True
    """

    num_bits: int
    num_segments: int
    first: int
    second: int

    def __init__(self, num_bits: int, num_segments: int, first: int, second: int) -> None:
        bits = _checks.integer(num_bits, "num_bits", 1, MOST_BITS)
        pieces = _checks.integer(num_segments, "num_segments", 2, bits)
        if bits % pieces:
            raise ValueError(f"num_segments must divide the {bits} bits, got {pieces}.")
        last = _checks.integer(second, "second", 1, pieces - 1)
        freeze(
            self,
            num_bits=bits,
            num_segments=pieces,
            first=_checks.integer(first, "first", 0, last - 1),
            second=last,
        )

    @property
    def domain_size(self) -> int:
        """Number of codes, 2**num_bits."""
        return 1 << self.num_bits

    @property
    def segment_bits(self) -> int:
        """Bits of a piece."""
        return self.num_bits // self.num_segments

    def __call__(self, values: npt.ArrayLike) -> Integers:
        """Return the two pieces of each code as one number, the first piece in front."""
        codes = _checks.values(values, self.domain_size)
        return self._piece(codes, self.first) << self.segment_bits | self._piece(codes, self.second)

    def _piece(self, codes: Integers, number: int) -> Integers:
        shift = self.segment_bits * (self.num_segments - 1 - number)
        piece: Integers = codes >> shift & ((1 << self.segment_bits) - 1)
        return piece
