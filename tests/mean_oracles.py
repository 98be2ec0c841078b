"""Small mean oracles, and the law of their reports written without their help."""

import numpy as np

from ldp.means import HybridMean, LaplaceMean, OneBitMean, PiecewiseMean

EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)
LOWER, UPPER = -1.0, 2.0


def one_bit_noise(epsilon):
    """coth^2(epsilon / 2) / 4: mean square about the middle, in widths of the range."""
    return 0.25 / np.tanh(epsilon / 2) ** 2


def finite(epsilon):
    """Oracles whose number depends on the outcome alone."""
    ends = LOWER, UPPER, epsilon
    return [
        OneBitMean(*ends),
        PiecewiseMean(*ends, resolution=1),
        PiecewiseMean(*ends, resolution=7),
        PiecewiseMean(*ends, resolution=6, window=3),
        PiecewiseMean(*ends, resolution=3, window=11),
        HybridMean(*ends, resolution=7),
        HybridMean(*ends, resolution=6, window=4),
    ]


def every(epsilon):
    ends = LOWER, UPPER, epsilon
    return [
        *finite(epsilon),
        LaplaceMean(*ends, resolution=1),
        LaplaceMean(*ends, resolution=6),
    ]


def numbers_and_laws(m):
    """Numbers a report can stand for, and their law at every grid point, shape (K + 1, m)."""
    if not isinstance(m, LaplaceMean):
        channel = m.channel()
        possible = np.flatnonzero(channel.any(axis=0))  # a hybrid may send the bit alone
        return m.unbiased(possible), channel[:, possible]
    decay, far = m.epsilon / m.resolution, int(40 * m.resolution / m.epsilon) + 1
    reports = np.arange(-far, m.resolution + far + 1)
    distance = np.abs(reports - np.arange(m.resolution + 1)[:, None])
    law = np.tanh(decay / 2) * np.exp(-decay * distance)
    return m.lower + (m.upper - m.lower) * reports / m.resolution, law


def law_given(m, value, laws):
    """Mix the laws of the two grid points between which a value lies, so that its mean stays."""
    place = (value - m.lower) / (m.upper - m.lower) * m.resolution
    below = min(int(place), m.resolution - 1)
    part = place - below
    return (1 - part) * laws[below] + part * laws[below + 1]
