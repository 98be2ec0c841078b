"""Which values to restrict randomized response to: the k most probable ones, for some k."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._frozen import freeze
from ldp.mechanisms.restricted import RRRR
from ldp.mechanisms.restricted_levels import Levels, check_budgets, levels, weights
from ldp.protocols import prefix_kernels as kernels
from ldp.protocols._adaptive_kernels import Rule
from ldp.types import Floats
from ldp.utilities import UTILITIES

_CODES = {
    "fisher": kernels.FISHER,
    "entropy": kernels.ENTROPY,
    "tv_posterior": kernels.TV_POSTERIOR,
    "tv_report": kernels.TV_REPORT,
    "mse": kernels.MSE,
    "honest": kernels.HONEST,
}
"""Of :data:`ldp.utilities.UTILITIES`, in the compiled loops."""


def prefix_utilities(
    theta: npt.ArrayLike, epsilon: float, epsilon_inner: float, utility: str
) -> Floats:
    r"""Utility of :class:`ldp.RRRR` restricted to the k most probable values, for every k.

    With :math:`\theta_{\sigma(1)}\ge\dots\ge\theta_{\sigma(d)}` entry k is
    :math:`U(\theta,\{\sigma(1),\dots,\sigma(k)\},\epsilon)`.

    Parameters
    ----------
    theta : array_like, shape (d,)
        Law of the value, d at least 2.
    epsilon : float
        Privacy budget.
    epsilon_inner : float
        Budget :math:`\epsilon_1\le\epsilon` within the subset.
    utility : str
        One of ``fisher``, ``entropy``, ``tv_posterior``, ``tv_report``, ``mse``, ``honest``; see
        :mod:`ldp.utilities`.

    Returns
    -------
    ndarray, shape (d,)
        For k = 0, 1, ..., d - 1.

    Raises
    ------
    TypeError, ValueError
        If `theta` is no law, `utility` no name of one, or a budget one that :class:`ldp.RRRR`
        refuses.

    Notes
    -----
    The channel has five numbers, so no matrix is made: all k together cost :math:`O(d)` for
    ``fisher`` and ``honest`` and :math:`O(d^2)` for the others, beside sorting.

    Examples
    --------
    >>> prefix_utilities([0.8, 0.05, 0.05, 0.05, 0.05], 1.0, 0.8, "honest").round(3)
    array([0.405, 0.594, 0.48 , 0.409, 0.357])

    References
    ----------
    ``S000``, "Subset selection in RRRR".
    """
    law = _law(theta)
    code = _CODES[_utility(utility)]
    whole, inner = _checks.epsilon(epsilon), _checks.positive(epsilon_inner, "epsilon_inner")
    table = level_table(law.size, whole, inner)
    out = np.empty(law.size)
    kernels.utilities_of_prefixes(code, np.sort(law)[::-1].copy(), table, out)
    return out


def _choose(rule: "Prefix", theta: npt.ArrayLike, epsilon: float) -> RRRR:
    """Build the mechanism for the next user; of equally good k the smallest."""
    law, inner = _law(theta), rule.inner_share * _checks.epsilon(epsilon)
    table, order = level_table(law.size, epsilon, inner), np.argsort(-law, kind="stable")
    size = kernels.choose_size(rule.code, law[order], rule.enough, table, np.empty(law.size))
    return RRRR(law.size, epsilon, order[:size], inner)


@dataclass(frozen=True, init=False)
class BestPrefix:
    r"""Restrict to the k most probable values of largest utility: the adaptive rule of S000.

    Parameters
    ----------
    utility : str
        One of ``fisher``, ``entropy``, ``tv_posterior``, ``tv_report``, ``mse``, ``honest``.
    inner_share : float
        Share :math:`\epsilon_1/\epsilon` of the budget within the subset, in (0, 1].

    Examples
    --------
    >>> BestPrefix("honest", 0.8).choose([0.05, 0.8, 0.05, 0.05, 0.05], 1.0).subset
    (1,)

    References
    ----------
    ``S000``, "Subset selection in RRRR".
    """

    utility: str
    inner_share: float
    enough = 1.0  # no mass decides

    def __init__(self, utility: str, inner_share: float) -> None:
        freeze(self, utility=_utility(utility), inner_share=_share(inner_share, "inner_share"))

    @property
    def code(self) -> int:
        """Number of the rule in the compiled loops."""
        return _CODES[self.utility]

    choose = _choose


@dataclass(frozen=True, init=False)
class MassPrefix:
    r"""Restrict to the fewest values that hold a given mass: the semi-adaptive rule of S000.

    The whole budget serves the answer, :math:`\epsilon_1=\epsilon`, so that reports do not tell
    the values outside from each other. One value at least stays outside.

    Parameters
    ----------
    mass : float
        The mass :math:`\alpha` in (0, 1] that the subset must hold.

    Examples
    --------
    >>> MassPrefix(0.9).choose([0.05, 0.8, 0.05, 0.05, 0.05], 1.0).subset
    (0, 1, 2)

    References
    ----------
    ``S000``, "Performance evaluation".
    """

    mass: float

    def __init__(self, mass: float) -> None:
        freeze(self, mass=_share(mass, "mass"))

    inner_share = 1.0
    code = kernels.MASS

    @property
    def enough(self) -> float:
        """Mass at which the compiled loops stop adding values."""
        return self.mass

    choose = _choose


@dataclass(frozen=True)
class EmptyPrefix:
    """Restrict to nothing: plain randomized response, the non-adaptive rule.

    Examples
    --------
    >>> EmptyPrefix().choose([0.8, 0.2], 1.0).subset
    ()
    """

    inner_share = enough = 1.0
    code = kernels.EMPTY

    choose = _choose


Prefix = BestPrefix | MassPrefix | EmptyPrefix


def check_rule(rule: object) -> Prefix:
    """Return a rule, or refuse anything else."""
    if not isinstance(rule, Prefix):
        raise TypeError(
            f"rule must be a BestPrefix, MassPrefix or EmptyPrefix, got {type(rule).__name__}."
        )
    return rule


@lru_cache(maxsize=64)
def level_table(domain_size: int, epsilon: float, epsilon_inner: float) -> Floats:
    """Probabilities of RRRR at 0, 1, ..., d - 1 values, a row each; refuses what RRRR refuses."""
    d = _checks.domain_size(domain_size)
    for size in range(d):
        check_budgets(d, size, epsilon, epsilon_inner)
    table = np.array([levels(d, size, epsilon, epsilon_inner) for size in range(d)])
    table.setflags(write=False)
    return table


def compiled_rule(rule: Prefix, domain_size: int, epsilon: float) -> Rule:
    """Return the rule as compiled loops take it."""
    inner = rule.inner_share * _checks.epsilon(epsilon)
    table = level_table(domain_size, epsilon, inner)
    each = np.array([weights(Levels(*row)) for row in table.tolist()])
    return Rule(rule.code, rule.enough, inner, table, each)


def _law(theta: npt.ArrayLike) -> Floats:
    law = _checks.distribution(theta, "theta")
    if law.size < 2:
        raise ValueError(f"theta must have at least two values, got {law.size}.")
    return law


def _utility(name: str) -> str:
    if not isinstance(name, str) or name not in UTILITIES:
        raise ValueError(
            f"utility must be one of {', '.join(UTILITIES)}, got {_checks.shown(name)}."
        )
    return name


def _share(value: float, name: str) -> float:
    share = _checks.real(value, name, "above 0 and at most 1")
    if not 0 < share <= 1:
        raise ValueError(f"{name} must be above 0 and at most 1, got {share}.")
    return share
