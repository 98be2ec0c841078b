"""Concentrations of Dirichlet priors, as estimators take them."""

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp.types import Floats

MOST_DRAWS = 2**31
"""Of a chain: it would take years, and numpy has no array of many more."""

_LARGEST_CONCENTRATION = 2.0**53  # beyond it one user more is lost in rounding


def check_concentration(given: npt.ArrayLike, domain_size: int) -> Floats:
    """Return the concentration of a Dirichlet prior: one positive number per value."""
    alpha = _checks.vector(given, "concentration", domain_size)
    if not alpha.min() > 0:
        raise ValueError(f"concentration must be positive, got {alpha.min()}.")
    if alpha.max() > _LARGEST_CONCENTRATION:
        raise ValueError(f"concentration must be at most 2**53, got {alpha.max()}.")
    return alpha


def check_draws(given: npt.ArrayLike, name: str, domain_size: int | None = None) -> Floats:
    """Return draws of several chains, shape (chains, draws, d)."""
    draws = _checks.reals(given, name)
    last = domain_size if domain_size is not None else "d"
    fits = draws.ndim == 3 and draws.shape[0] >= 2 and draws.size > 0
    if not fits or (domain_size is not None and draws.shape[2] != domain_size):
        raise ValueError(f"{name} must have shape (chains, draws, {last}), got {draws.shape}.")
    return draws


def prior_concentration(given: npt.ArrayLike, domain_size: int) -> Floats:
    """Return a concentration for every value; one number means the same for all."""
    each = _checks.plain_array(given, "concentration")
    return check_concentration(np.full(domain_size, each) if each.ndim == 0 else each, domain_size)


def concave_prior(concentration: npt.ArrayLike, domain_size: int) -> Floats:
    """Return a concentration that makes the posterior density log-concave."""
    alpha = check_concentration(concentration, domain_size)
    check_concave(alpha)
    return alpha


def check_concave(concentration: npt.ArrayLike) -> None:
    """Refuse a density that rises without bound where a value has no mass."""
    least = np.min(concentration)
    if least < 1:
        raise ValueError(f"concentration must be at least 1, got {least}.")
