"""The hash functions of local hashing: exactly pairwise independent, evaluated modulo 2**32."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp.types import Array, Integers

Words32 = npt.NDArray[np.uint32]


def key_bits(domain_size: int, word_bits: int) -> int:
    """Bits of a key; wider than the domain needs, so that few keys are in arithmetic relation.

    Two keys hash independently in any case; relations show only among three.
    """
    return max((domain_size - 1).bit_length(), min(16, word_bits // 2))


def unit_bits(domain_size: int, word_bits: int) -> int:
    """Number of exactly pairwise independent bits of a hashed word."""
    return word_bits - key_bits(domain_size, word_bits) + 1


def check_family(domain_size: int, num_buckets: int, word_bits: int) -> None:
    """Refuse a word too short for so many values and buckets."""
    _checks.integer(word_bits, "hash_bits", 2, 32)
    units = unit_bits(domain_size, word_bits)
    if units < 1:
        needed = key_bits(domain_size, word_bits)
        raise ValueError(f"hash_bits must be at least the {needed} bits of a key, got {word_bits}.")
    _checks.integer(num_buckets, "num_buckets", 2, 2**units)


@dataclass(frozen=True)
class HashFamily:
    r"""All functions :math:`v\mapsto\mathrm{bucket}\big((a\,k_v+b)\bmod 2^w\big)`.

    The multiplier :math:`a` and offset :math:`b` range over all :math:`w`-bit words. The keys
    :math:`k_v`, a fixed scrambling of the values, have :math:`\kappa` bits; then the top
    :math:`w-\kappa+1` bits of :math:`a k_v+b`, the *unit*, are uniform and exactly independent
    for any two values (``dietzfelbinger1996universal``). A bucket is a run of units.

    A seed is one 64-bit word: the multiplier in its high half, the offset in its low half. Words
    shorter than 32 bits sit in the high bits of a half, where arithmetic modulo 2**w is free.
    """

    domain_size: int
    num_buckets: int
    word_bits: int

    def __post_init__(self) -> None:
        """Refuse a word too short for so many values and buckets."""
        check_family(self.domain_size, self.num_buckets, self.word_bits)

    @property
    def key_bits(self) -> int:
        """Bits of a key."""
        return key_bits(self.domain_size, self.word_bits)

    @property
    def unit_bits(self) -> int:
        """Number of exactly pairwise independent bits."""
        return unit_bits(self.domain_size, self.word_bits)

    @property
    def edges(self) -> Integers:
        """First unit of every bucket, and the end; widths differ by at most one unit."""
        numbers = np.arange(self.num_buckets + 1, dtype=np.int64) << self.unit_bits
        return -(-numbers // self.num_buckets)

    @property
    def collision(self) -> float:
        """Probability that two values share a bucket: the sum of squared bucket shares."""
        shares = np.diff(self.edges) / 2**self.unit_bits
        return float(shares @ shares)

    @property
    def unused(self) -> np.uint64:
        """Bits of a seed that are always zero."""
        half = (1 << (32 - self.word_bits)) - 1
        return np.uint64(half << 32 | half)

    def keys(self, values: Integers) -> Words32:
        """Scramble values by a fixed bijection of the key_bits-bit numbers."""
        keys = values.astype(np.uint32)
        for odd in (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D):
            keys *= np.uint32(odd)
            keys &= np.uint32(2**self.key_bits - 1)
            keys ^= keys >> np.uint32((self.key_bits + 1) // 2)
        return keys

    def bucket(self, seeds: Array, values: Integers) -> Integers:
        """Bucket of each value under the function of its seed; the two broadcast."""
        multiplier, offset = halves(seeds)
        return self.bucket_of(multiplier * self.keys(values) + offset)  # modulo 2**32

    def table(self, seeds: Array, values: Integers) -> Integers:
        """Bucket of each value under each function, shape (number of seeds, number of values)."""
        return self.bucket(seeds[:, None], values)

    def bucket_of(self, hashed: Words32) -> Integers:
        """Bucket in which a hashed word lies."""
        unit = (hashed >> np.uint32(32 - self.unit_bits)).astype(np.int64)
        return (unit * self.num_buckets) >> self.unit_bits

    def intervals(self, buckets: Array) -> tuple[Words32, Words32]:
        """First word and number of words, out of 2**32, of each bucket."""
        edges = self.edges << (32 - self.unit_bits)
        return edges[:-1].astype(np.uint32)[buckets], np.diff(edges).astype(np.uint32)[buckets]


def halves(seeds: Array) -> tuple[Words32, Words32]:
    """Split seeds into multipliers and offsets."""
    return (seeds >> np.uint64(32)).astype(np.uint32), seeds.astype(np.uint32)


@dataclass(frozen=True)
class MultilinearFamily:
    r"""All functions of a value in limbs, :math:`\mathrm{bucket}((\sum_ja_jk_j+b)\bmod 2^w)`.

    The key :math:`k_j` is a fixed scrambling of limb :math:`j`. Two values differ in some limb;
    whatever the other multipliers are, that limb's makes the units of the two exactly independent,
    as in :class:`HashFamily`. So more limbs cost no bit of the units.

    A seed is a row of words: the multipliers, most significant limb first, then the offset.
    """

    num_bits: int
    num_buckets: int
    limb_bits: int
    word_bits: int

    @property
    def limb(self) -> HashFamily:
        """The family of a single limb, with the same units and buckets."""
        return HashFamily(2**self.limb_bits, self.num_buckets, self.word_bits)

    @property
    def num_limbs(self) -> int:
        """Number of limbs of a value."""
        return -(-self.num_bits // self.limb_bits)

    @property
    def unused(self) -> np.uint32:
        """Bits of a word of a seed that are always zero."""
        return np.uint32(self.limb.unused & np.uint64(0xFFFFFFFF))

    @property
    def collision(self) -> float:
        """Probability that two values share a bucket."""
        return self.limb.collision

    def keys(self, values: Integers) -> Words32:
        """Key of each limb of each value, shape (n, num_limbs)."""
        shifts = self.limb_bits * np.arange(self.num_limbs - 1, -1, -1)
        return self.limb.keys(values[:, None] >> shifts & (2**self.limb_bits - 1))

    def table(self, seeds: Words32, values: Integers) -> Integers:
        """Bucket of each value under each function, shape (number of seeds, number of values)."""
        return self.limb.bucket_of(seeds[:, :-1] @ self.keys(values).T + seeds[:, -1:])
