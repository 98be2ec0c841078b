r"""Distances between an estimate and the truth; vectors of shape (d,) in, one float out."""

import numpy as np
import numpy.typing as npt
from scipy.special import rel_entr

from ldp import _checks
from ldp.types import Floats


def _pair(estimate: npt.ArrayLike, truth: npt.ArrayLike) -> tuple[Floats, Floats]:
    first = _checks.vector(estimate, "estimate")
    return first, _checks.vector(truth, "truth", first.size)


def mse(estimate: npt.ArrayLike, truth: npt.ArrayLike) -> float:
    r"""Squared error :math:`\sum_v(\hat\theta_v-\theta_v)^2`, summed over values, not averaged.

    Averaged over trials it is the mean squared error of ``S003``, equation (7).

    Examples
    --------
    >>> mse([0.5, 0.5], [0.25, 0.75])
    0.125
    """
    first, second = _pair(estimate, truth)
    return float(np.sum((first - second) ** 2))


def tv(estimate: npt.ArrayLike, truth: npt.ArrayLike) -> float:
    r"""Total variation :math:`\tfrac12\sum_v|\hat\theta_v-\theta_v|`.

    Examples
    --------
    >>> tv([0.5, 0.5], [0.25, 0.75])
    0.25
    """
    first, second = _pair(estimate, truth)
    return float(np.abs(first - second).sum() / 2)


def l_inf(estimate: npt.ArrayLike, truth: npt.ArrayLike) -> float:
    r"""Largest error :math:`\max_v|\hat\theta_v-\theta_v|`.

    Examples
    --------
    >>> l_inf([0.5, 0.5], [0.25, 0.75])
    0.25
    """
    first, second = _pair(estimate, truth)
    return float(np.abs(first - second).max())


def kl(estimate: npt.ArrayLike, truth: npt.ArrayLike) -> float:
    r"""Kullback-Leibler divergence :math:`\sum_v\theta_v\ln(\theta_v/\hat\theta_v)`, in nats.

    Both arguments must be distributions (project a raw estimate first); the result is infinite if
    the estimate gives zero to a value that occurs.

    Examples
    --------
    >>> round(kl([0.5, 0.5], [1.0, 0.0]), 6)
    0.693147
    """
    first = _checks.distribution(estimate, "estimate")
    second = _checks.distribution(truth, "truth", first.size)
    return float(rel_entr(second, first).sum())
