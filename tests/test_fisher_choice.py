"""The Fisher utility prefers the empty subset: the proof of it, checked in exact arithmetic.

K values, k of them in the subset, m outside, M = m - 1; u = e^eps1 - 1, w = e^eps - e^eps1 and
v = u + w; b = u + 1 + k; zeta = 1 / (own_out - other_out). For randomized response the trace of the
covariance of all K estimates is constant - |theta|^2, for RRRR it is affine in s = theta(S).

Two rational functions whose numerators over a common denominator have at most degree 7 in each
variable are equal if they agree on a grid of 8 points for each: here the degrees are at most 6, so
comparing in fractions proves an identity. Inequalities follow from identities as comments say.
"""

import itertools
import math
from fractions import Fraction as F

import numpy as np
import pytest

import ldp


def constant(v, K):
    """Randomized response: the trace is this - |theta|^2."""
    return 1 + 2 * (K - 1) / F(v) + K * (K - 1) / F(v) ** 2


def at_one(u, zeta, k, m):
    """RRRR at s = 1, all of theta in the subset."""
    b, u = u + 1 + k, F(u)
    inside = 1 + (2 * k - 1 + F(1, m)) / u + (k * k + F(k, m)) / u**2
    return inside + zeta**2 * F(m - 1, m) / b


def at_zero(u, zeta, k, m):
    """RRRR at s = 0, nothing of theta in the subset."""
    b, u = u + 1 + k, F(u)
    inside = F(1, m) + k * (1 + F(1, m)) / u + k * (k + F(1, m)) / u**2
    return inside + (u + 1) * zeta**2 * F(m - 1, m) / b


def across_bound(u, w, k, m):
    """Least zeta with own_out at most e^eps across."""
    return F(m - 1) * (u + 1 + k) / w


def outside_bound(u, w, k, m):
    """Least zeta with own_out at most e^eps other_out."""
    return F(u + 1 + k) * (u + w + m) / ((u + 1) * (u + w))


def least_zeta(u, w, k, m):
    return max(across_bound(u, w, k, m), outside_bound(u, w, k, m))


def channel(u, zeta, k, m):
    """Rows are values, columns reports; zeta says all about eps2."""
    b, K = F(u + 1 + k), k + m
    own_in, other_in, across = (u + 1) / b, 1 / b, 1 / (b * m)
    other_out = ((u + 1) / b - 1 / F(zeta)) / m if m > 1 else F(0)
    own_out = (u + 1) / b - (m - 1) * other_out
    return [
        [
            (own_in if x == y else other_in)
            if y < k
            else (across if x < k else own_out if x == y else other_out)
            for y in range(K)
        ]
        for x in range(K)
    ]


def inverse(matrix):
    """Gauss-Jordan in fractions."""
    size = len(matrix)
    rows = [list(map(F, row)) + [F(i == j) for j in range(size)] for i, row in enumerate(matrix)]
    for i in range(size):
        pivot = next(j for j in range(i, size) if rows[j][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [a / rows[i][i] for a in rows[i]]
        for j in range(size):
            if j != i:
                rows[j] = [a - rows[j][i] * c for a, c in zip(rows[j], rows[i], strict=True)]
    return [row[size:] for row in rows]


def second_moments(Q, x):
    """E[estimate_j^2] for each j, of the estimate by inversion, when theta is all on x."""
    inv = inverse(Q)
    return [sum(Q[x][y] * inv[y][j] ** 2 for y in range(len(Q))) for j in range(len(Q))]


CELLS = [
    (k, m, u, w)
    for k, m in itertools.product((1, 2, 3), (2, 3, 4))
    for u, w in itertools.product((F(1, 5), F(1), F(7)), (F(1, 3), F(2), F(40)))
]


@pytest.mark.parametrize(("k", "m", "u", "w"), CELLS[::4])
def test_trace_is_the_one_of_the_proof(k, m, u, w):
    zeta = least_zeta(u, w, k, m)
    Q = channel(u, zeta, k, m)
    assert all(sum(row) == 1 and min(row) > 0 for row in Q)
    assert sum(second_moments(Q, 0)) == at_one(u, zeta, k, m)
    assert sum(second_moments(Q, k)) == at_zero(u, zeta, k, m)
    # One value outside or none inside: randomized response.
    assert sum(second_moments(channel(u, None, k, 1), k)) == constant(u, k + 1)
    # The budget u + w + 1 of one report is spent and not exceeded.
    ratios = [max(col) / min(col) for col in zip(*Q, strict=True)]
    assert max(ratios) == u + w + 1


def test_channel_of_the_proof_is_that_of_the_package():
    for k, m, u, w in CELLS:
        epsilon, inner = math.log(1 + u + w), math.log(1 + u)
        theirs = ldp.RRRR(k + m, epsilon, range(k), inner).channel()
        ours = np.array(channel(u, least_zeta(u, w, k, m), k, m), dtype=float)
        np.testing.assert_allclose(theirs, ours, rtol=1e-12)


def test_utility_is_minus_the_trace():
    rng = np.random.default_rng(1)
    for k, m, u, w in CELLS:
        theta = np.sort(rng.dirichlet(np.ones(k + m)))[::-1]
        epsilon, inner = math.log(1 + u + w), math.log(1 + u)
        utilities = ldp.protocols.prefix_utilities(theta, epsilon, inner, "fisher")
        zeta, s = least_zeta(u, w, k, m), theta[:k].sum()
        trace = float(at_one(u, zeta, k, m)) * s + float(at_zero(u, zeta, k, m)) * (1 - s)
        np.testing.assert_allclose(utilities[k], theta @ theta - trace, rtol=1e-9)
        np.testing.assert_allclose(
            utilities[0], theta @ theta - float(constant(u + w, k + m)), rtol=1e-9
        )
        assert utilities.argmax() == 0


def same(left, right, points):
    return all(left(*p) == right(*p) for p in points)


RS = [F(i, 3) for i in range(1, 9)]
SIZES = list(range(2, 10))


def test_linear_terms():
    # (A) M + 2 + M^3/r^2 >= 2 m^2/(1+r), times r^2 (1+r): a square times a positive number.
    assert same(
        lambda M, r: ((M + 2) * r**2 + M**3) * (1 + r) - 2 * (M + 1) ** 2 * r**2,
        lambda M, r: (r - M) ** 2 * ((M + 2) * r + M),
        itertools.product(SIZES, RS),
    )


def test_quadratic_terms():
    # (B) Since 1/(1+r)^2 <= t^3 + (1-t)^3/r^2 (Hoelder), at t = k/(K-1) two inequalities do:
    # (k^2 + k/m) >= K (K-1) t^3 and M^3 (k + 1 - 1/m^2)/m >= K (K-1) (1-t)^3.
    assert same(  # the first, times m (K-1)^2 / k
        lambda k, M: (k * (M + 1) + 1) * (k + M) ** 2 - k**2 * (M + 1) * (k + M + 1),
        lambda k, M: k * (M + 1) * (k * (M - 1) + M**2) + (k + M) ** 2,
        itertools.product(SIZES, SIZES),
    )
    # The second is m K <= (k + 1 - 1/m^2) (K-1)^2. As m <= K-1 and the bracket is at least 7/4, it
    # follows from K <= 7/4 (K-1), that is from K >= 7/3.
    assert F(3) <= F(7, 4) * 2
    # Hoelder's inequality at the r where it is tight, and beside it.
    for t, r in itertools.product((F(1, 3), F(1, 2), F(4, 5)), RS):
        gap = t**3 + (1 - t) ** 3 / r**2 - 1 / (1 + r) ** 2
        assert gap >= 0
        assert (gap == 0) == (t == 1 / (1 + r))


def test_all_inside():
    # s = 1: linear terms of f - n_0, times m u, are (A) and 2 m (k-1) r/(1+r); (B) does the rest.
    def split(k, m, u, w):
        M, r = m - 1, w / u
        linear = m * (2 * k - 1) + 1 + M**3 / r**2 - 2 * m * (k + M) / (1 + r)
        square = k * k + F(k, m) + M**3 * (k + 1) / (m * r**2) - (k + m) * (k + M) / (1 + r) ** 2
        return linear / (m * u) + square / u**2

    assert same(
        lambda k, m, u, w: at_one(u, across_bound(u, w, k, m), k, m) - constant(u + w, k + m),
        split,
        itertools.product(SIZES, SIZES, RS, RS),
    )
    assert same(
        lambda k, M, r: (M + 1) * (2 * k - 1) + 1 - 2 * (M + 1) * (k + M) / (1 + r),
        lambda k, M, r: M + 2 - 2 * (M + 1) ** 2 / (1 + r) + 2 * (M + 1) * (k - 1) * r / (1 + r),
        itertools.product(SIZES, SIZES, RS),
    )


def test_none_inside_large_budget():
    # s = 0 and w >= M/m: v^2/k (f - n_0) is 2 (w - M/m) and positive terms.
    def positive(k, m, u, w):
        M, extra = m - 1, 2 * w / u + (w / u) ** 2
        rest = (1 + F(1, m)) * w**2 / u + F(M, m) * (w + M) ** 2 / (u + 1) + (k + F(1, m)) * extra
        return 2 * (w - F(M, m)) + rest

    assert same(
        lambda k, m, u, w: (
            (u + w) ** 2
            / k
            * (at_zero(u, outside_bound(u, w, k, m), k, m) - constant(u + w, k + m))
        ),
        positive,
        itertools.product(SIZES, SIZES, RS, RS),
    )


def test_none_inside_small_budget():
    # s = 0 and w < M/m: of the k + 1 in (u+1) b = u^2 + (k+2) u + (k+1), a part 1/m^2 pays for the
    # constant, as M^3/(m w^2) / m^2 > M/m; (B) does
    # the other squares.
    def split(k, m, u, w):
        M, r = m - 1, w / u
        paid = F(M**3, m**3) / w**2 - F(M, m) + F(M**3, m) / r**2
        linear = k * (m + 1) + M**3 * (k + 2) / r**2 - 2 * m * (k + M) / (1 + r)
        kept = M**3 * (k + 1 - F(1, m * m)) / (m * r**2)
        square = k * k + F(k, m) + kept - (k + m) * (k + M) / (1 + r) ** 2
        return paid + linear / (m * u) + square / u**2

    assert same(
        lambda k, m, u, w: at_zero(u, across_bound(u, w, k, m), k, m) - constant(u + w, k + m),
        split,
        itertools.product(SIZES, SIZES, RS, RS),
    )
    # The linear terms are at least k times (A), since M^3 (k+2) > M^3 k and k m >= k + M.
    assert same(
        lambda k, M: k * (M + 1) - (k + M),
        lambda k, M: M * (k - 1),
        itertools.product(SIZES, SIZES),
    )


def test_empty_subset_is_best_on_a_grid():
    grid = [F(1, 1000), F(1, 20), F(1, 2), F(1), F(3), F(30), F(1000)]
    for k, m, u, w in itertools.product((1, 2, 5, 30), (2, 3, 8, 50), grid, grid):
        zeta = least_zeta(u, w, k, m)
        assert at_one(u, zeta, k, m) > constant(u + w, k + m)
        assert at_zero(u, zeta, k, m) > constant(u + w, k + m)


def test_beyond_the_budget_a_subset_would_win():
    # The control: with zeta a tenth less (reports that exceed the budget) the conclusion is false.
    k, m, u, w = 1, 2, F(1000), F(1000)
    assert at_one(u, least_zeta(u, w, k, m), k, m) > constant(u + w, k + m)
    assert at_one(u, least_zeta(u, w, k, m) * F(9, 10), k, m) < constant(u + w, k + m)
    # And the bound of either kind alone is not enough.
    k, m, u, w = 1, 2, F(100), F(10000)
    assert at_zero(u, across_bound(u, w, k, m), k, m) < constant(u + w, k + m)
    k, m, u, w = 1, 2, F(100), F(1, 10)
    assert at_one(u, outside_bound(u, w, k, m), k, m) < constant(u + w, k + m)


def test_leaving_out_a_coordinate_can_change_the_choice():
    # The trace over all but one coordinate outside the subset, almost all of theta inside.
    k, m, u, w = 1, 2, F(1000), F(850)
    ours = second_moments(channel(u, least_zeta(u, w, k, m), k, m), 0)
    srr = second_moments(channel(u + w, None, k + m - 1, 1), 0)
    assert sum(ours) > sum(srr)
    assert ours[0] + ours[1] < srr[0] + srr[1]


def test_a_mixture_of_mechanisms_can_beat_randomized_response():
    # The proposition is on one mechanism for all users: information adds, its inverse does not.
    theta = np.array([0.96, 0.01, 0.01, 0.01, 0.01])

    def trace(share, k):
        # A coin that is reported too decides between the empty subset and the k first values.
        plain, ours = (ldp.RRRR(5, 2.0, range(size), 2.0).channel() for size in (0, k))
        return -ldp.utilities.fisher(theta, np.hstack([(1 - share) * plain, share * ours]))

    plain = -ldp.utilities.fisher(theta, ldp.GRR(5, 2.0).channel())
    np.testing.assert_allclose(trace(0.5, 0), plain, rtol=1e-9)
    assert trace(0.15, 1) < 0.96 * plain
    assert trace(0.7, 1) > plain  # but not however much of it
