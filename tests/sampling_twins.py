"""Slow twins of private sampling, in plain Python: the printed recursion, and programmes."""

import math
from decimal import Decimal, getcontext
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog

getcontext().prec = 80
DIVERGENCES = {  # f(r) and f(0), for r = P / Q
    "KL": (lambda r: r * np.log(r), 0.0),
    "TV": (lambda r: np.abs(r - 1) / 2, 0.5),
    "chi-square": (lambda r: (r - 1) ** 2, 1.0),
    "Hellinger": (lambda r: (np.sqrt(r) - 1) ** 2, 1.0),
}
SLOPES = {  # f(r) - r f'(r), which is the slope of D_f in Q, and its value at r = 0
    "KL": (lambda r: -r, 0.0),
    "chi-square": (lambda r: 1 - r**2, 1.0),
    "Hellinger": (lambda r: 1 - np.sqrt(r), 1.0),
}


def factor(epsilon):
    """e**epsilon of the very float64 that was passed, as a fraction."""
    return Fraction(Decimal(epsilon).exp())


def divergence(name, p, q):
    """D_f(P || Q) of rows, with P = 0 where it is 0."""
    f, at_zero = DIVERGENCES[name]
    terms = np.where(p > 0, f(np.where(p > 0, p, q) / q), at_zero)
    return (q * terms).sum(axis=-1)


def printed_channel(prior, e):
    """Algorithm 1 of S002 as it is printed, on numbers of any kind; it takes the first as least."""
    n, a = len(prior), prior[0]
    d = e * a + 1 - a
    if n == 2:
        return [[e * a / d, (1 - a) / d], [a / d, ((e - 1) * a + 1 - a) / d]]
    rest = sum(prior[1:])
    inner = printed_channel([x / rest for x in prior[1:]], e)
    kept = 1 - a / d
    first = [e * a / d, *[x / d for x in prior[1:]]]
    return [first, *[[a / d, *[kept * x for x in row]] for row in inner]]


def best_diagonal(prior, epsilon):
    """Largest least diagonal entry of an LDP channel with qK = q, by a linear programme."""
    n, e = len(prior), math.exp(epsilon)
    less, equal = [], []
    for y in range(n):
        for x in range(n):
            for other in range(n):
                if x != other:
                    row = np.zeros(n * n + 1)
                    row[n * x + y], row[n * other + y] = 1.0, -e
                    less.append(row)
        row = np.zeros(n * n + 1)
        row[n * y + y], row[-1] = -1.0, 1.0
        less.append(row)
        row = np.zeros(n * n + 1)
        row[y : n * n : n] = prior
        equal.append((row, prior[y]))
        row = np.zeros(n * n + 1)
        row[n * y : n * y + n] = 1.0
        equal.append((row, 1.0))
    cost = np.append(np.zeros(n * n), -1.0)
    rows, values = zip(*equal, strict=True)
    solved = linprog(cost, less, np.zeros(len(less)), rows, values, (0, 1), method="highs")
    return -solved.fun


def best_own_mass(prior, epsilon):
    """Largest least own mass of any sampler with Q_q = q, by a linear programme in l and s."""
    n, e = len(prior), math.exp(epsilon)
    less, most = [], []
    for x in range(n):
        ratio, total = np.zeros(n + 1), np.ones(n + 1)
        ratio[x], ratio[-1], total[x] = -e, 1.0, 0.0
        less += [ratio, total]
        most += [0.0, 1.0]
    bounds = [*[(x / e, x) for x in prior], (0, 1)]
    return -linprog([*[0.0] * n, -1.0], less, most, bounds=bounds, method="highs").fun


def certificate(slope, at, lower, upper):
    """How far D_f can fall from `at` inside the window, to first order: 0 at the nearest law."""
    n = len(at)
    ends = np.column_stack([lower, upper])
    solved = linprog(slope, A_eq=np.ones((1, n)), b_eq=[1.0], bounds=ends)
    return slope @ at - solved.fun
