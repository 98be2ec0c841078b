"""How adaptive estimation draws the next law: the settings of three samplers."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy.typing as npt

from ldp import _checks
from ldp._frozen import freeze
from ldp.likelihood.prior import MOST_DRAWS, check_concave
from ldp.types import Floats, Integers

StepSize = float | Callable[[Integers], Floats]


@dataclass(frozen=True)
class LangevinSampler:
    r"""Draw the next law by stochastic gradient Langevin dynamics, as S000 does.

    Parameters
    ----------
    step_size : float or function
        Step size :math:`\gamma`, or a function that takes the numbers of users so far, shape (r,),
        to as many step sizes.
    minibatch : int
        Number of users that an update looks at.
    num_updates : int
        Updates between one round of users and the next.
    concentration : float or array_like, shape (d,)
        Concentration of the Dirichlet prior.

    References
    ----------
    ``S000``, "Posterior sampling".
    """

    step_size: StepSize
    minibatch: int = 50
    num_updates: int = 20
    concentration: npt.ArrayLike = 1.0

    def __post_init__(self) -> None:
        """Refuse numbers that make no sampler."""
        if not callable(self.step_size):
            _checks.positive(self.step_size, "step_size")
        freeze(
            self,
            minibatch=_checks.integer(self.minibatch, "minibatch", 1),
            num_updates=_checks.integer(self.num_updates, "num_updates", 1, MOST_DRAWS),
            concentration=_plain(self.concentration),
        )


@dataclass(frozen=True)
class GibbsSampler:
    r"""Draw the next law by sweeps of :func:`ldp.bayes.gibbs`: its stationary law is the posterior.

    Reports are counted by subset, so that a sweep costs :math:`O(d)` for each different subset,
    whatever the number of users. At small budgets a chain forgets slowly.

    Parameters
    ----------
    num_sweeps : int
        Sweeps between one round of users and the next; the more, the less a draw remembers.
    concentration : float or array_like, shape (d,)
        Concentration of the Dirichlet prior.
    """

    num_sweeps: int = 1
    concentration: npt.ArrayLike = 1.0

    def __post_init__(self) -> None:
        """Refuse numbers that make no sampler."""
        sweeps = _checks.integer(self.num_sweeps, "num_sweeps", 1, MOST_DRAWS)
        freeze(self, num_sweeps=sweeps, concentration=_plain(self.concentration))


@dataclass(frozen=True)
class SliceSampler:
    r"""Draw the next law by sweeps of :func:`ldp.bayes.slice_sample`: the posterior, quickly mixed.

    Reports are counted by subset, so that a sweep costs :math:`O(d)` for each different report
    under each different subset, whatever the number of users.

    Parameters
    ----------
    num_sweeps : int
        Sweeps between one round of users and the next.
    concentration : float or array_like, shape (d,)
        Concentration of the Dirichlet prior, at least 1.
    """

    num_sweeps: int = 1
    concentration: npt.ArrayLike = 1.0

    def __post_init__(self) -> None:
        """Refuse numbers that make no sampler."""
        sweeps = _checks.integer(self.num_sweeps, "num_sweeps", 1, MOST_DRAWS)
        freeze(self, num_sweeps=sweeps, concentration=_plain(self.concentration))
        check_concave(self.concentration)


def _plain(concentration: npt.ArrayLike) -> float | tuple[float, ...]:
    """Return concentrations as plain numbers, so that samplers are values."""
    if _checks.plain_array(concentration, "concentration").ndim == 0:
        return _checks.positive(concentration, "concentration")
    return tuple(_checks.positive_vector(concentration, "concentration").tolist())


Sampler = LangevinSampler | GibbsSampler | SliceSampler


def check_sampler(sampler: object) -> Sampler:
    """Return a sampler, or refuse anything else."""
    if not isinstance(sampler, Sampler):
        raise TypeError(
            "sampler must be a LangevinSampler, GibbsSampler or SliceSampler, "
            f"got {type(sampler).__name__}."
        )
    return sampler
