"""Real values into bins: edges, ends, and everything that is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp import bin_values


def test_edges_belong_to_the_bin_above_and_the_end_to_the_last():
    assert bin_values([0.0, 0.24, 0.25, 0.5, 0.75, 0.99, 1.0], 0, 1, 4).tolist() == [
        0, 0, 1, 2, 3, 3, 3,
    ]  # fmt: skip
    assert bin_values([-3.0, -2.0, 5.0], -3, 5, 8).tolist() == [0, 1, 7]
    assert bin_values([0, 30, 60], 0, 60, 2).tolist() == [0, 1, 1]  # integers are numbers
    assert bin_values([], 0, 1, 2).shape == (0,)
    assert bin_values([0.5], 0, 1, 2).dtype == np.int64


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(2, 5000), st.floats(0, 1))
def test_a_value_lies_in_its_bin(lower, width, num_bins, share):
    upper = lower + width
    value = min(upper, lower + share * (upper - lower))
    number = int(bin_values([value], lower, upper, num_bins)[0])
    assert 0 <= number < num_bins
    # The two ends of the bin, with as much room as the subtraction of two floats may lose.
    room = 4e-16 * num_bins * (abs(lower) + abs(upper)) / width + 1e-12
    assert number - room <= (value - lower) / (upper - lower) * num_bins <= number + 1 + room


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.5], 0, 1, 4), "values must be from 0.0 to 1.0, got 1.5"),
        (([-0.001], 0, 1, 4), "values must be from 0.0 to 1.0, got -0.001"),
        (([0.5, np.nan], 0, 1, 4), "values must be from 0.0 to 1.0, got nan"),
        (([np.inf], 0, 1, 4), "values must be from 0.0 to 1.0, got inf"),
        ((["0.5"], 0, 1, 4), "values must be real numbers"),
        (([True], 0, 1, 4), "values must be real numbers"),
        (([0.5j], 0, 1, 4), "values must be real numbers"),
        (([[0.5]], 0, 1, 4), "values must be 1-dimensional"),
        ((np.ma.masked_array([0.5], [True]), 0, 1, 4), "values must be a plain array"),
        (([0.5], 0, 1, 1), "num_bins must be an integer, at least 2"),
        (([0.5], 0, 1, 4.0), "num_bins must be an integer"),
        (([0.5], 1, 0, 4), "lower must be below upper"),
        (([0.5], 0, 0, 4), "lower must be below upper"),
        (([0.5], np.nan, 1, 4), "lower must be finite"),
        (([0.5], 0, np.inf, 4), "upper must be finite"),
        (([0.5], "0", 1, 4), "lower must be finite"),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        bin_values(*arguments)
