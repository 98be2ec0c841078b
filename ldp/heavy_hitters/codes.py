"""Values that are not numbers 0..d-1, as codes of few bits: strings, and codes scattered."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._frozen import freeze
from ldp.types import Integers

_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


@dataclass(frozen=True, init=False)
class StringCode:
    r"""Strings of at most :math:`m` letters as numbers in base :math:`|A|+1`.

    .. math:: \mathrm{code}(s)=\sum_{i=1}^m\delta_i\,(|A|+1)^{m-i},

    where :math:`\delta_i` is the place of letter :math:`i` in the alphabet, from 1, and 0 beyond
    the end of the string. Codes keep the alphabetical order, so strings with one beginning are
    neighbours.

    Parameters
    ----------
    alphabet : str
        The letters, each once.
    length : int
        Most letters :math:`m` of a string. The code is a public choice: what is longer than most
        strings costs bits, what is shorter loses ends.

    Raises
    ------
    TypeError, ValueError
        If the alphabet is empty or repeats a letter, or codes have more than 63 bits.

    Examples
    --------
    >>> code = StringCode("abcdefghijklmnopqrstuvwxyz", 9)
    >>> code.num_bits
    43
    >>> code.decode(code.encode(["emma", "liam"]))
    ['emma', 'liam']
    """

    alphabet: str
    length: int

    def __init__(self, alphabet: str, length: int) -> None:
        if not isinstance(alphabet, str):
            raise TypeError(f"alphabet must be a string, got {type(alphabet).__name__}.")
        if not alphabet:
            raise ValueError("alphabet must have at least one letter, got none.")
        if len(set(alphabet)) < len(alphabet):
            repeated = next(letter for letter in alphabet if alphabet.count(letter) > 1)
            raise ValueError(f"alphabet must have each letter once, got {repeated!r} again.")
        freeze(self, alphabet=alphabet, length=_checks.integer(length, "length", 1, 63))
        if self.num_bits > 63:
            raise ValueError(
                f"length must keep codes within 63 bits, got {length} letters of "
                f"{len(alphabet)}, which take {self.num_bits}."
            )

    @property
    def base(self) -> int:
        """Number of digits: one for each letter, and 0 for what is beyond the end."""
        return len(self.alphabet) + 1

    @property
    def num_bits(self) -> int:
        """Bits of a code."""
        return int(self.base**self.length - 1).bit_length()

    def encode(self, strings: Sequence[str], *, truncate: bool = False) -> Integers:
        """Code of each string.

        A letter that is not in the alphabet is refused. So is a string that is too long, unless
        `truncate` says that only its first letters count.
        """
        cut = _checks.flag(truncate, "truncate")
        given = _strings(strings)
        lengths = np.fromiter(map(len, given), dtype=np.int64, count=len(given))
        if lengths.size and lengths.max() > self.length and not cut:
            wrong = given[int(lengths.argmax())]
            raise ValueError(
                f"strings must have at most {self.length} letters unless truncate is True, "
                f"got {_checks.shown(wrong)}."
            )
        points = np.frombuffer("".join(given).encode("utf-32-le", "surrogatepass"), dtype="<u4")
        places = self._places(points)
        place = np.arange(points.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        kept = place < self.length
        digits = np.zeros((self.length, len(given)), dtype=np.int64)
        digits[place[kept], np.repeat(np.arange(len(given)), lengths)[kept]] = places[kept]
        codes = np.zeros(len(given), dtype=np.int64)
        for row in digits:
            codes = codes * self.base + row
        return codes

    def decode(self, codes: npt.ArrayLike) -> list[str | None]:
        """String of each code; None for a number that is no string's code.

        Such numbers are there because a power of the base is no power of two, and because nothing
        follows the end of a string.
        """
        rest = _checks.integers_below(codes, "codes", 1 << self.num_bits)
        beyond = rest >= self.base**self.length
        digits = np.empty((rest.size, self.length), dtype=np.int64)
        for i in range(self.length - 1, -1, -1):
            rest, digits[:, i] = np.divmod(rest, self.base)
        beyond |= ((digits[:, :-1] == 0) & (digits[:, 1:] != 0)).any(axis=1)
        letters = ["", *self.alphabet]
        return [
            None if wrong else "".join(letters[digit] for digit in row)
            for wrong, row in zip(beyond.tolist(), digits.tolist(), strict=True)
        ]

    def _places(self, points: npt.NDArray[np.uint32]) -> Integers:
        """Place of each letter in the alphabet, from 1."""
        known = np.array([ord(letter) for letter in self.alphabet])
        table = np.zeros(known.max() + 2, dtype=np.int64)
        table[known] = np.arange(1, self.base)
        places: Integers = table[np.minimum(points, known.max() + 1)]
        if places.size and places.min() == 0:
            wrong = chr(points[places.argmin()])
            raise ValueError(f"strings must be of letters of the alphabet, got {wrong!r}.")
        return places


def scatter(values: npt.ArrayLike, num_bits: int) -> Integers:
    r"""Send each number of so many bits to another, by a fixed public bijection.

    Beginnings of natural codes are shared by many values and crowd each other out; after
    scattering, two values share a beginning of :math:`b` bits about as rarely as random codes do,
    once in :math:`2^b`.

    Three times: multiply by an odd number, then add the upper half of the bits to the lower half,
    bit by bit. Each step can be undone.

    Parameters
    ----------
    values : array_like of int
        Numbers from 0 to :math:`2^B-1`.
    num_bits : int
        Number :math:`B` of bits, 1 to 63.

    Returns
    -------
    ndarray of int64
        Numbers from 0 to :math:`2^B-1`, different ones for different values.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said.

    Examples
    --------
    >>> scatter([1, 2, 3], 8)
    array([152,  32, 184])
    >>> gather(scatter([1, 2, 3], 8), 8)
    array([1, 2, 3])
    """
    numbers, mask, shift = _numbers(values, num_bits)
    for odd in _MULTIPLIERS:
        numbers = numbers * np.uint64(odd) & mask
        numbers ^= numbers >> shift
    return numbers.astype(np.int64)


def gather(values: npt.ArrayLike, num_bits: int) -> Integers:
    """Undo :func:`scatter`.

    Parameters
    ----------
    values, num_bits
        As for :func:`scatter`.

    Returns
    -------
    ndarray of int64
        What was scattered.

    Raises
    ------
    TypeError, ValueError
        As :func:`scatter`.

    Examples
    --------
    >>> gather([152, 32, 184], 8)
    array([1, 2, 3])
    """
    numbers, mask, shift = _numbers(values, num_bits)
    for odd in reversed(_MULTIPLIERS):
        numbers ^= numbers >> shift  # undoes itself: the upper half has stayed
        numbers = numbers * np.uint64(pow(odd, -1, 2**64)) & mask
    return numbers.astype(np.int64)


def _numbers(
    values: npt.ArrayLike, num_bits: int
) -> tuple[npt.NDArray[np.uint64], np.uint64, np.uint64]:
    bits = _checks.integer(num_bits, "num_bits", 1, 63)
    given = _checks.integers_below(values, "values", 1 << bits).astype(np.uint64)
    return given, np.uint64((1 << bits) - 1), np.uint64(math.ceil(bits / 2))


def _strings(strings: object) -> list[str]:
    if isinstance(strings, np.ndarray) and strings.dtype.kind == "U":
        strings = strings.tolist()
    if isinstance(strings, str) or not isinstance(strings, list | tuple):
        raise TypeError(f"strings must be a list of strings, got {type(strings).__name__}.")
    if not set(map(type, strings)) <= {str, np.str_}:
        wrong = next(s for s in strings if not isinstance(s, str))
        raise TypeError(f"strings must all be strings, got {_checks.shown(wrong)}.")
    return list(strings)
