"""Codes of strings, and codes scattered: nothing lost, nothing silently changed."""

from itertools import product

import numpy as np
import pytest
from test_bad_input import each_of, refuse

from ldp.heavy_hitters import StringCode, gather, scatter

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def test_every_string_has_its_own_code_and_comes_back():
    code = StringCode("ab", 3)
    strings = ["".join(s) for size in range(4) for s in product("ab", repeat=size)]
    codes = code.encode(strings)
    assert code.num_bits == 5
    assert len(set(codes.tolist())) == len(strings) == 15
    assert code.decode(codes) == strings
    back = code.decode(range(32))
    assert sum(s is not None for s in back) == 15  # the other numbers are nobody's
    assert [s for s in back if s is not None] == sorted(strings)


def test_codes_are_numbers_in_base_27():
    code = StringCode(LETTERS, 9)
    assert code.encode(["emma", "", "zzzzzzzzz"]).tolist() == [
        5 * 27**8 + 13 * 27**7 + 13 * 27**6 + 27**5,
        0,
        27**9 - 1,
    ]
    assert code.num_bits == 43


def test_any_letters():
    code = StringCode("é日😀ab\n", 4)
    strings = ["日😀é", "\n", "aab😀"]
    assert code.decode(code.encode(strings)) == strings
    assert code.encode(np.array(strings)).tolist() == code.encode(strings).tolist()
    assert code.encode([]).shape == (0,)


def test_long_strings_are_cut_only_when_told():
    code = StringCode(LETTERS, 4)
    refuse(lambda: code.encode(["anna", "annabel"]), naming="strings")
    assert code.decode(code.encode(["anna", "annabel", "li"], truncate=True)) == [
        "anna", "anna", "li"]  # fmt: skip
    refuse(lambda: code.encode(["annabe!"], truncate=True), naming="strings")


CODE = StringCode("ab", 3)
STRINGS = "ab", [1], ["a", None], [b"a"], ["A"], ["a\0"], ["a\ud800"]
BAD = [
    (lambda bad: StringCode(bad, 3), "alphabet", "aba", "", ["a"]),
    (lambda bad: StringCode("ab", bad), "length", 0, 2.0),
    (lambda bad: StringCode(LETTERS, bad), "length", 14),  # 67 bits
    (CODE.encode, "strings", *STRINGS),
    (lambda bad: CODE.encode(["a"], truncate=bad), "truncate", 1),
    (CODE.decode, "codes", [32], [-1], ["a"]),
    (lambda bad: scatter(bad, 3), "values", [8], [-1], [1.5]),
    (lambda bad: scatter([1], bad), "num_bits", 64),
    (lambda bad: gather([1], bad), "num_bits", 0),
    (lambda bad: gather(bad, 3), "values", [2**3]),
]


@pytest.mark.parametrize(("call", "naming"), each_of(BAD))
def test_bad_input(call, naming):
    refuse(call, naming=naming)


@pytest.mark.parametrize("num_bits", [1, 2, 3, 7, 8, 16])
def test_scatter_is_a_bijection(num_bits):
    every = np.arange(2**num_bits)
    sent = scatter(every, num_bits)
    assert np.unique(sent).size == every.size
    assert sent.max() == every[-1]
    assert (gather(sent, num_bits) == every).all()


@pytest.mark.parametrize("num_bits", [17, 31, 32, 33, 43, 48, 62, 63])
def test_gather_undoes_scatter(num_bits):
    values = np.random.default_rng(1).integers(0, 2**num_bits, 10_000)
    values[:2] = 0, 2**num_bits - 1
    assert (gather(scatter(values, num_bits), num_bits) == values).all()
    assert (scatter(gather(values, num_bits), num_bits) == values).all()


@pytest.mark.statistical
def test_beginnings_are_spread_like_random_ones():
    """2**16 neighbours on 2**16 beginnings: as many empty as balls thrown at random leave.

    The number of empty cells has mean 2**16 / e and standard deviation below 0.5 * 2**8.
    """
    for start in (0, 12_345 << 20):
        begin = scatter(start + np.arange(2**16), 43) >> 27
        empty = 2**16 - np.unique(begin).size
        assert abs(empty - 2**16 / np.e) < 6 * 0.5 * 2**8
    control = np.unique((start + np.arange(2**16)) >> 27).size
    assert control == 1
