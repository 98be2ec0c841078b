"""The binomial tails behind certificates, against scipy's and against sums of fractions."""

from fractions import Fraction as F
from math import comb

import numpy as np
import pytest
from scipy.stats import binom

from ldp.heavy_hitters._tails import _at_least, _at_most


@pytest.mark.parametrize("n", [1, 7])
def test_tails_are_sums_of_binomial_chances(n):
    chances = [F(comb(n, k) * 3**k * 5 ** (n - k), 8**n) for k in range(n + 1)]
    upper = _at_least(np.arange(n + 1), n, 3 / 8)
    np.testing.assert_allclose(upper, [float(sum(chances[k:])) for k in range(n + 1)], rtol=1e-13)
    lower = [_at_most(k, n, 3 / 8) for k in range(n + 1)]
    np.testing.assert_allclose(
        lower, [float(sum(chances[: k + 1])) for k in range(n + 1)], rtol=1e-13
    )


@pytest.mark.parametrize("deviations", [2, 5, 8])
def test_far_tails_of_many_users_keep_their_digits(deviations):
    n, chance = 1_000_000, 0.1192
    away = deviations * np.sqrt(n * chance * (1 - chance))
    above, below = int(n * chance + away), int(n * chance - away)
    # scipy's own two routes to such a tail differ by some 1e-10.
    assert _at_least(np.array([above]), n, chance)[0] == pytest.approx(
        binom.sf(above - 1, n, chance), rel=1e-9
    )
    assert _at_most(below, n, chance) == pytest.approx(binom.cdf(below, n, chance), rel=1e-9)
