"""Each compiled loop against a twin of a few lines of plain Python, bit for bit."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp import _bit_counts, _kernels, _noise_kernels, _words
from ldp.bayes import _gibbs_kernels
from ldp.likelihood import _kernels as _likelihood_kernels
from ldp.mechanisms import _set_kernels
from ldp.mechanisms.restricted_levels import restricted_response

ALL_ONES = 2**64 - 1
Array = npt.NDArray[np.generic]


def random_words(seed: int, shape: int | tuple[int, ...]) -> npt.NDArray[np.uint64]:
    return _words.words(np.random.default_rng(seed), shape)


def bit(row: Array, v: int) -> int:
    """Bit v of a packed row, first value in the highest bit."""
    return int(row[v // 8]) >> (7 - v % 8) & 1


# -- words -----------------------------------------------------------------------------------------


def test_words_are_the_raw_words_of_the_generator() -> None:
    # Nothing is expanded, masked or rejected: each word is one word of the caller's generator.
    for seed in range(3):
        raw = np.random.PCG64(seed).random_raw(1000)
        assert np.array_equal(random_words(seed, (10, 100)).ravel(), raw)


@given(st.floats(0, 1))
def test_threshold(probability: float) -> None:
    expected = min(math.floor(probability * 2**64), ALL_ONES)
    assert int(_words.threshold(probability)) == expected


@given(st.lists(st.integers(0, ALL_ONES), max_size=20), st.integers(1, 2**32 - 1))
def test_uniform_below(words: list[int], size: int) -> None:
    words = [0, ALL_ONES, 2**32 - 1, 2**32, *words]
    words = [word for word in words if word * size % 2**64 >= 2**64 % size]
    drawn = _words.uniform_below(np.array(words, dtype=np.uint64), size, np.random.default_rng(1))
    assert drawn.tolist() == [word * size // 2**64 for word in words]


def evenly_mapped(number: int, size: int, uneven: Callable[[int], bool]) -> int:
    """Count the words that are mapped to a number and kept, in exact integers."""
    first, end = -(-number * 2**64 // size), -(-(number + 1) * 2**64 // size)
    assert first * size // 2**64 == (end - 1) * size // 2**64 == number
    # Low halves of the products rise by `size` from word to word: only the first can be uneven.
    assert not uneven(first + 1)
    return end - first - uneven(first)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 1000, 2**20, 2**31 - 1, 2**31, 2**32 - 1])
def test_uniform_below_is_even(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_words, "words", lambda _rng, n: np.full(n, ALL_ONES, dtype=np.uint64))

    def uneven(word: int) -> bool:
        """Say whether a word is replaced, here by one that means the last number."""
        rng = np.random.default_rng(1)
        drawn = int(_words.uniform_below(np.array([word], dtype=np.uint64), size, rng)[0])
        assert drawn in (word * size // 2**64, size - 1)
        return drawn != word * size // 2**64

    for number in {min(n, size - 2) for n in (0, 1, size // 3, size // 2, size - 2)} - {-1}:
        assert evenly_mapped(number, size, uneven) == 2**64 // size


def test_control_the_high_half_alone_is_not_even() -> None:
    counts = {evenly_mapped(number, 5, lambda _: False) for number in range(5)}
    assert counts == {2**64 // 5, 2**64 // 5 + 1}


def test_uneven_words_are_drawn_again_until_they_are_even(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def words(_rng: object, size: int) -> Array:
        asked.append(size)
        return np.array([0, 2**63] if size == 2 else [ALL_ONES], dtype=np.uint64)

    monkeypatch.setattr(_words, "words", words)
    given = np.array([0, 2**62, 0], dtype=np.uint64)
    drawn = _words.uniform_below(given, 5, np.random.default_rng(1))
    assert asked == [2, 1]
    assert drawn.tolist() == [4, 1, 2]
    assert given.tolist() == [0, 2**62, 0]  # the caller's words stay


@pytest.mark.parametrize(("total", "each"), [(0, 1), (1, 1), (2**17 + 1, 1), (10, 2**18)])
def test_chunks(total: int, each: int) -> None:
    parts = list(_kernels.chunks(total, each))
    assert [i for part in parts for i in range(total)[part]] == list(range(total))
    assert all(part.start % 8 == 0 for part in parts)
    assert all((part.stop - part.start) * each <= max(2**17, 8 * each) for part in parts)


# -- randomized response ---------------------------------------------------------------------------


@pytest.mark.parametrize("domain_size", [2, 3, 1000])
@pytest.mark.parametrize("weight", [1, 2**40 + 1, 2**54 + 12345])
def test_replace_value(domain_size: int, weight: int) -> None:
    rng = np.random.default_rng(domain_size)
    values = rng.integers(0, domain_size, 2_000)
    # Half the words fall among the others, some of them on the borders.
    words = random_words(1, values.size)
    words[::2] %= np.uint64(weight * domain_size)
    words[:4] = 0, weight - 1, weight * (domain_size - 1) - 1, weight * (domain_size - 1)
    out = np.empty_like(values)
    _kernels.replace_value(values, words, np.uint64(weight), domain_size - 1, out)
    for value, word, report in zip(values.tolist(), words.tolist(), out.tolist(), strict=True):
        others = [v for v in range(domain_size) if v != value]
        number = word // weight
        assert report == (others[number] if number < len(others) else value)


@pytest.mark.parametrize(
    ("domain_size", "size"), [(2, 0), (2, 1), (5, 1), (5, 4), (6, 3), (1000, 2), (1000, 999)]
)
@pytest.mark.parametrize("each", [[1, 1, 1], [2**40 + 1, 2**38, 2**41], [2**54 + 5, 2**50, 2**53]])
def test_restricted_response(domain_size: int, size: int, each: list[int]) -> None:
    rng = np.random.default_rng(domain_size)
    order = rng.permutation(domain_size)
    order[:size].sort()
    order[size:].sort()
    values = rng.integers(0, domain_size, 3_000)
    # Half the words fall among the others, some of them on the borders.
    words = random_words(1, values.size)
    words[::2] %= np.uint64(max(each) * domain_size)
    borders = [0, ALL_ONES, max(size - 1, 0) * each[0], size * each[0]]
    borders += [borders[3] + (domain_size - size - 1) * weight for weight in each[1:]]
    borders += [border - 1 for border in borders if border > 0] + [weight - 1 for weight in each]
    words[: len(borders)] = borders
    values[: len(borders)] = order[0]
    words[-len(borders) :] = borders
    values[-len(borders) :] = order[-1]
    out = np.empty_like(values)
    weights = np.array(each, dtype=np.uint64)
    restricted_response(values, words, order, np.argsort(order), size, weights, out)
    subset, outside = order[:size].tolist(), order[size:].tolist()
    for value, word, report in zip(values.tolist(), words.tolist(), out.tolist(), strict=True):
        inside = [v for v in subset if v != value]
        others = [v for v in outside if v != value]
        left = word - len(inside) * each[0]
        weight = each[1] if value in subset else each[2]
        if left < 0:
            assert report == inside[word // each[0]]
        else:
            assert report == (others[left // weight] if left < len(others) * weight else value)


@pytest.mark.parametrize("resolution", [1, 3, 2**20])
def test_round_at_random(resolution: int) -> None:
    rng = np.random.default_rng(resolution)
    shares = np.concatenate([rng.random(2_000), np.arange(resolution + 1)[:1_000] / resolution])
    shares[:4] = 1 - 2.0**-53, 2.0**-60, 0.0, 1.0
    words = random_words(4, shares.size)
    for i, place in enumerate((shares * resolution).tolist()):  # some words at the borders
        if i % 2:
            words[i] = max(math.floor(place % 1 * 2**64) - i // 2 % 2, 0)
    out = np.empty(shares.size, dtype=np.int64)
    _kernels.round_at_random(shares, words, resolution, out)
    for share, word, point in zip(shares.tolist(), words.tolist(), out.tolist(), strict=True):
        place = Fraction(share * resolution)
        assert point == math.floor(place) + (word < (place % 1) * 2**64)


@pytest.mark.parametrize("window", [1, 3, 100])
@pytest.mark.parametrize("num_outside", [1, 2, 99])
def test_draw_near(window: int, num_outside: int) -> None:
    rng = np.random.default_rng(window)
    values = rng.integers(0, num_outside + 1, 2_000)
    words = random_words(1, values.size)
    outside = 2**64 // (3 * (window + num_outside))
    inside = int(_words.shared_rest(np.uint64(outside), num_outside, window))
    first_left = num_outside * outside + window * inside
    assert 0 <= 2**64 - first_left < window
    borders = [0, outside - 1, outside, num_outside * outside - 1, num_outside * outside]
    borders += [num_outside * outside + inside, first_left - 1, first_left, ALL_ONES]
    words[: len(borders)] = [min(border, ALL_ONES) for border in borders]
    out = np.empty_like(values)
    _kernels.draw_near(
        values, words, np.uint64(outside), np.uint64(inside), window, num_outside, out
    )
    for value, word, cell in zip(values.tolist(), words.tolist(), out.tolist(), strict=True):
        cells = range(window + num_outside)
        near = range(value, value + window)
        if word < num_outside * outside:
            assert cell == [c for c in cells if c not in near][word // outside]
        elif word < first_left:
            assert cell == near[(word - num_outside * outside) // inside]
        else:
            assert cell == word - first_left


@pytest.mark.parametrize("domain_size", [2, 5, 64])
@pytest.mark.parametrize("window", [1, 3, 65])
def test_window_score(domain_size: int, window: int) -> None:
    rng = np.random.default_rng(domain_size)
    theta, odds = rng.dirichlet(np.full(domain_size, 0.3)), 4.5
    shares = rng.dirichlet(np.ones(domain_size + window - 1))
    distance = np.arange(shares.size)[:, None] - np.arange(domain_size)
    likelihood = np.where((distance >= 0) & (distance < window), odds, 1.0)
    ratios = shares / (likelihood @ theta)
    out = np.empty(domain_size)
    subtracted = _likelihood_kernels.window_score(theta, shares, odds, window, out)
    np.testing.assert_allclose(out, ratios @ likelihood, rtol=1e-13)
    assert subtracted == pytest.approx((odds - 1) * ratios.sum(), rel=1e-13)


@pytest.mark.parametrize("size", [1, 2, 5, 1024])
@pytest.mark.parametrize("num_values", [0, 1, 3, 4, 5, 4095, 4096, 4097, 50_001])
def test_histogram(size: int, num_values: int) -> None:
    values = np.random.default_rng(size).integers(0, size, num_values)
    expected = np.bincount(values, minlength=size).tolist()
    counts = _kernels.histogram(values, size)
    assert counts.dtype == np.int64
    assert counts.tolist() == expected
    assert _kernels._four_histograms(values, size).sum(axis=0).tolist() == expected
    assert _kernels._one_histogram(values, size).tolist() == expected


# -- unary encoding --------------------------------------------------------------------------------


@pytest.mark.parametrize("first_eight", [0, 1, 68, 127, 128, 255])
@pytest.mark.parametrize("num_words", [0, 1, 17])
def test_compare_bits(first_eight: int, num_words: int) -> None:
    planes = random_words(first_eight, (8, num_words))
    planes[:, : num_words // 2] &= random_words(2, (8, num_words // 2))
    lanes = [ALL_ONES if first_eight >> (7 - k) & 1 else 0 for k in range(8)]
    out, undecided = np.empty(num_words, np.uint64), np.empty(num_words, np.uint64)
    _noise_kernels.compare_bits(planes, np.array(lanes, dtype=np.uint64), out, undecided)
    for j in range(num_words):
        for lane in range(64):
            number = int("".join(str(int(planes[k, j]) >> lane & 1) for k in range(8)), 2)
            assert int(out[j]) >> lane & 1 == (number < first_eight)
            assert int(undecided[j]) >> lane & 1 == (number == first_eight)


@pytest.mark.parametrize("num_words", [0, 1, 17, 200])
def test_decide_rest(num_words: int) -> None:
    out, open_bits = random_words(1, num_words), random_words(2, num_words)
    open_bits[1::3] = 0
    open_bits[2::3] = ALL_ONES
    out &= ~open_bits
    decisions = random_words(3, int(np.bitwise_count(open_bits).sum())) < 2**62
    expected, used = out.tolist(), iter(decisions.tolist())
    for j in range(num_words):
        for lane in range(64):
            if int(open_bits[j]) >> lane & 1 and next(used):
                expected[j] |= 1 << lane
    _noise_kernels.decide_rest(out, open_bits, decisions)
    assert out.tolist() == expected
    assert next(used, None) is None


def lanes(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """The bits of words, the lowest of each first."""
    return np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little").astype(np.int64)


@pytest.mark.parametrize("num_words", [0, 1, 3])
@pytest.mark.parametrize("digit", [0, 5, 46])
def test_add_digit(num_words: int, digit: int) -> None:
    bits = random_words(num_words, num_words)
    numbers = np.arange(64 * num_words, dtype=np.int64) & ~(1 << digit)
    expected = numbers | lanes(bits) << digit
    _noise_kernels.add_digit(bits, digit, numbers)
    assert np.array_equal(numbers, expected)


@pytest.mark.parametrize("num_words", [0, 1, 3])
def test_invert(num_words: int) -> None:
    bits = random_words(num_words, num_words)
    numbers = np.arange(64 * num_words, dtype=np.int64) ** 8
    expected = np.where(lanes(bits), -1 - numbers, numbers)
    _noise_kernels.invert(bits, numbers)
    assert np.array_equal(numbers, expected)


@pytest.mark.parametrize("domain_size", [2, 8, 9, 1000])
@pytest.mark.parametrize("num_rows", [0, 1, 300])
def test_set_bits(domain_size: int, num_rows: int) -> None:
    rng = np.random.default_rng(4)
    rows = rng.integers(0, 256, (num_rows, -(-domain_size // 8)), dtype=np.uint8)
    positions = rng.integers(0, domain_size, num_rows)
    words, threshold = random_words(5, num_rows), 2**63
    words[:2] = (threshold, threshold - 1)[:num_rows]
    expected = np.unpackbits(rows, axis=1)
    for i in range(num_rows):
        expected[i, positions[i]] = int(words[i]) < threshold
    _kernels.set_bits(rows, positions, words, np.uint64(threshold))
    assert np.array_equal(np.unpackbits(rows, axis=1), expected)


# Sixteen rows make a group; the counters are emptied after 255 groups = 4080 rows, and 255 full
# groups of ones are the most a counter must hold.
ROWS = [0, 1, 15, 16, 17, 31, 33, 4079, 4080, 4081, 4095, 4096, 4097, 8160, 8161]


@pytest.mark.parametrize("width", [1, 3, 16, 125, 128, 1025, 1280])
@pytest.mark.parametrize("num_rows", ROWS)
@pytest.mark.parametrize("density", ["half", "ones"])
def test_count_bits(width: int, num_rows: int, density: str) -> None:
    rows = np.full((num_rows, width), 255, dtype=np.uint8)
    expected = np.full(8 * width, num_rows)
    if density == "half":
        rows = np.random.default_rng(num_rows).integers(0, 256, rows.shape, dtype=np.uint8)
        expected[:] = 0
        for row in rows:
            expected += np.unpackbits(row)
    counts = _bit_counts.count_bits(rows, 8 * width - 3)
    assert counts.dtype == np.int64
    assert np.array_equal(counts, expected[:-3])


@pytest.mark.parametrize("width", [3071, 3072, 3073, 6145])
def test_count_bits_of_wide_rows(width: int) -> None:
    rows = np.random.default_rng(width).integers(0, 256, (37, width), dtype=np.uint8)
    expected = np.unpackbits(rows, axis=1).sum(axis=0, dtype=np.int64)
    assert np.array_equal(_bit_counts.count_bits(rows, 8 * width), expected)


@given(st.integers(1, 40), st.integers(0, 300), st.integers(0, 2**32))
def test_count_bits_of_any_shape(width: int, num_rows: int, seed: int) -> None:
    rows = np.random.default_rng(seed).integers(0, 256, (num_rows, width), dtype=np.uint8)
    expected = [sum(bit(row, v) for row in rows) for v in (0, 3, 8 * width - 1)]
    assert _bit_counts.count_bits(rows, 8 * width)[[0, 3, -1]].tolist() == expected


# -- Hadamard response -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("domain_size", "block_size"), [(2, 2), (5, 2), (3, 4), (7, 4), (7, 8), (100, 16), (600, 1024)]
)
def test_draw_half_block(domain_size: int, block_size: int) -> None:
    num_outcomes = -(-domain_size // (block_size - 1)) * block_size
    half, rng = block_size // 2, np.random.default_rng(block_size)
    values, hits = rng.integers(0, domain_size, 500), rng.integers(0, 2, 500) == 1
    values[:4] = 0, domain_size - 1, block_size - 2, block_size - 1
    values %= domain_size
    indices, others = rng.integers(0, 2**32, 500), rng.integers(0, num_outcomes - half, 500)
    out = np.empty_like(values)
    _kernels.draw_half_block(values, hits, indices, others, block_size, out)
    for value, hit, index, other, report in zip(
        *(each.tolist() for each in (values, hits, indices, others, out)), strict=True
    ):
        block, row = value // (block_size - 1), value % (block_size - 1) + 1
        odd = [bin(y & row).count("1") % 2 for y in range(block_size)]
        outside = [block * block_size + y for y in range(block_size) if odd[y]]
        outside += [y for y in range(num_outcomes) if y // block_size != block]
        inside = [block * block_size + y for y in range(block_size) if not odd[y]]
        assert report == (inside[index % half] if hit else outside[other])


# -- subset selection ------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1, 2, 16, 17])
def test_count_ones(width: int) -> None:
    rows = random_words(3, (40, width))
    rows[0], rows[1], rows[2, 0] = 0, ALL_ONES, 1 << 63
    counts = np.full(40, -1)
    _set_kernels.count_ones(rows, counts)
    assert counts.tolist() == [sum(word.bit_count() for word in row) for row in rows.tolist()]


@pytest.mark.parametrize("num_places", [1, 2, 3, 8, 17, 1023])
def test_resize_sets(num_places: int) -> None:
    num_rows = 60
    rng = np.random.default_rng(1)
    held = rng.random((num_rows, num_places)) < rng.random((num_rows, 1))
    held[0], held[1] = False, True
    missing = rng.integers(0, num_places + 1, num_rows) - held.sum(axis=1)
    numbers = rng.integers(0, 2**32, 5_000, dtype=np.uint32)
    spare = 2**32 % num_places
    numbers[:40:2] = -(-rng.integers(0, num_places, 20) * 2**32 // num_places)  # the uneven ones
    wanted, stream, stopped = held.copy(), iter(numbers.tolist()), num_rows
    left = missing.copy()
    for i in range(num_rows):
        while left[i]:
            if (number := next(stream, None)) is None:
                stopped = min(stopped, i)
                break
            place, low = divmod(number * num_places, 2**32)
            if low >= spare and wanted[i, place] == (left[i] < 0):
                wanted[i, place] = left[i] > 0
                left[i] -= np.sign(left[i])
    # In three runs: a row for which the numbers do not suffice goes on with the next ones.
    rows, done = np.packbits(np.pad(held, ((0, 0), (0, 1))), axis=1), 0
    for part in np.split(numbers, [7, 300]):
        done = _set_kernels.resize_sets(done, rows, missing, part, num_places, np.uint64(spare))
    assert done == stopped
    assert missing.tolist() == left.tolist()
    assert (np.unpackbits(rows, axis=1, count=num_places) == wanted).all()


@pytest.mark.parametrize("domain_size", [2, 3, 8, 9, 1000])
def test_put_own(domain_size: int) -> None:
    rng = np.random.default_rng(2)
    values = np.append([0, domain_size - 1] * 4, rng.integers(0, domain_size, 52))
    held = rng.random((60, domain_size)) < 0.5
    held[:, -1] = False
    own = rng.random(60) < 0.5
    rows = np.packbits(held, axis=1)
    _set_kernels.put_own(rows, values, own, domain_size - 1)
    for i, value in enumerate(values.tolist()):
        held[i, -1] = held[i, value]
        held[i, value] = own[i]
    assert (rows == np.packbits(held, axis=1)).all()


# -- local hashing ---------------------------------------------------------------------------------


@pytest.mark.parametrize("num_reports", [0, 1, 3, 4, 5, 50])
@pytest.mark.parametrize("num_keys", [0, 1, 7, 33])
def test_count_hashed(num_reports: int, num_keys: int) -> None:
    rng = np.random.default_rng(7)

    def draw(size: int) -> npt.NDArray[np.uint32]:
        return rng.integers(0, 2**32, size, dtype=np.uint32)

    a, b, widths, keys = draw(num_reports), draw(num_reports), draw(num_reports), draw(num_keys)
    widths[::3] >>= np.uint32(8)
    widths[num_reports // 2 :][:1] = (a * keys[:1] + b)[num_reports // 2 :][:1] if num_keys else 0
    counts = np.arange(num_keys, dtype=np.uint32)
    expected = counts + (np.outer(keys, a) + b < widths).sum(axis=1)  # modulo 2**32, as uint32 is
    _kernels.count_hashed(a, b, widths, keys, counts)
    assert np.array_equal(counts, expected)


# -- Hadamard response -----------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 4, 64])
@pytest.mark.parametrize("num_blocks", [1, 3])
def test_walsh_hadamard(size: int, num_blocks: int) -> None:
    blocks = np.random.default_rng(8).integers(-(2**40), 2**40, (num_blocks, size))
    expected = [
        [sum((-1) ** (i & y).bit_count() * int(row[y]) for y in range(size)) for i in range(size)]
        for row in blocks
    ]
    _kernels.walsh_hadamard(blocks)
    assert blocks.tolist() == expected


# -- likelihood


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(0, 40))
def test_byte_sums(seed: int, width: int, num_rows: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 256, (num_rows, width), dtype=np.uint8)
    table, out = rng.normal(size=(width, 256)), np.full(num_rows, np.nan)
    _likelihood_kernels.byte_sums(rows, table, out)
    expected = [0.0] * num_rows
    for i, row in enumerate(rows):
        for j, byte in enumerate(row):
            expected[i] += float(table[j, byte])  # from left to right, one rounding each
    assert out.tolist() == expected


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(0, 40))
def test_byte_weights(seed: int, width: int, num_rows: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(250, 256, (num_rows, width), dtype=np.uint8)  # so that bytes repeat
    weights, totals = rng.normal(size=num_rows), rng.normal(size=(width, 256))
    expected = totals.tolist()  # what is there stays
    for weight, row in zip(weights.tolist(), rows.tolist(), strict=True):
        for j, byte in enumerate(row):
            expected[j][byte] += weight
    _likelihood_kernels.byte_weights(rows, weights, totals)
    assert totals.tolist() == expected


# -- posterior


@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.sampled_from([1.5, math.e, 50.0]))
def test_count_supported(seed: int, d: int, odds: float) -> None:
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2, (6, d), dtype=np.uint8)
    bits[0] = 0  # a report that supports nothing
    rows, theta = np.packbits(bits, axis=1), rng.dirichlet(np.ones(d))
    table = np.zeros((rows.shape[1], 256))
    for j, byte in np.ndindex(table.shape):
        table[j, byte] = sum(
            theta[8 * j + k] for k in range(8) if byte >> 7 - k & 1 and 8 * j + k < d
        )
    repeats = rng.integers(0, 5, 6)
    uniforms = rng.random(repeats.sum())
    counts = np.zeros(d, dtype=np.int64)
    left = _gibbs_kernels.count_supported(rows, repeats, table, theta, odds, uniforms, counts)
    expected, unexplained, used = np.zeros(d, dtype=np.int64), 0, 0
    for row, repeat in zip(bits, repeats, strict=True):
        weights = np.append(1.0, (odds - 1) * row * theta).cumsum()  # all of theta, then S
        for u in uniforms[used : used + repeat]:
            v = int(np.searchsorted(weights, u * weights[-1], side="right")) - 1
            unexplained += v == -1
            expected[v] += v >= 0
        used += repeat
    assert (counts.tolist(), left) == (expected.tolist(), unexplained)


def test_count_supported_at_the_border_between_noise_and_values() -> None:
    """A number that is no longer noise belongs to the first value of the support, a byte away."""
    rows, theta = np.packbits(np.eye(1, 16, 8, dtype=np.uint8), axis=1), np.eye(1, 16, 8)[0]
    table, counts = np.zeros((2, 256)), np.zeros(16, dtype=np.int64)
    table[1, 128:] = 1.0
    arguments = rows, np.array([1]), table, theta, 2.0, np.array([0.5]), counts
    assert _gibbs_kernels.count_supported(*arguments) == 0
    assert counts.tolist() == theta.tolist()


def test_count_supported_past_the_end_of_a_support_reads_no_further() -> None:
    """As rounding may have it: a number beyond the last value, and memory that would tell."""
    memory, numbers = np.zeros(24, dtype=np.int64), np.ones(24)
    numbers[1:16] = 0.0
    rows = np.packbits(np.eye(2, 16, dtype=np.uint8), axis=1)
    rows[1] = 255  # what comes behind the first row
    table = np.zeros((2, 256))
    table[0, 128] = 1.0
    arguments = rows[:1], np.array([1]), table, numbers[:16], 2.0, np.array([1.0]), memory[:16]
    assert _gibbs_kernels.count_supported(*arguments) == 1
    assert not memory.any()


@given(st.integers(0, 2**32 - 1), st.integers(2, 20), st.booleans())
def test_count_explained(seed: int, d: int, with_zeros: bool) -> None:
    rng = np.random.default_rng(seed)
    rows, theta = rng.random((6, d)), rng.dirichlet(np.ones(d))
    if with_zeros:
        rows[:, rng.integers(d)] = 0.0  # no report can be noise
    uniforms, counts = rng.random(6), np.zeros(d, dtype=np.int64)
    left = _gibbs_kernels.count_explained(rows, theta, uniforms, counts)
    expected = np.zeros(d + 1, dtype=np.int64)
    for row, u in zip(rows, uniforms, strict=True):
        chances = np.append(row.min(), (row - row.min()) * theta).cumsum()
        expected[np.searchsorted(chances, u * chances[-1], side="right")] += 1
    assert (left, *counts.tolist()) == tuple(expected.tolist())
