"""Linear samplers: the law of the report is a mixture of the rows of one channel."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._frozen import freeze
from ldp._words import Words
from ldp.samplers import _windows
from ldp.types import Floats


@dataclass(frozen=True, init=False, eq=False)
class LinearSampler:
    r"""Draw a value of the private distribution and randomize it: :math:`Q_P=PK`.

    The channel :math:`K` is that of an :math:`\epsilon`-locally private mechanism, and then, and
    only then, is the sampler :math:`\epsilon`-locally private: :math:`Q_P(y)` is a mean of the
    entries of a column. :func:`ldp.samplers.fixed_point_channel` is one that leaves a prior as it
    is; the channel of :class:`ldp.GRR` has the best worst case without a prior.

    Parameters
    ----------
    channel : array_like, shape (d, m)
        :math:`K_{x,y}`: rows are values and sum to one; every entry is positive.
    epsilon : float
        Privacy budget, at most 44 and at least that of the channel within 1e-9.

    Raises
    ------
    TypeError, ValueError
        If `channel` is no channel, has a zero, or spends more than `epsilon`.

    Notes
    -----
    Emitted laws have integer weights out of :math:`2^{64}`, each between the least and the largest
    entry of its column and these within :math:`e^\epsilon` in integers, as those of
    :class:`ldp.samplers.Mollifier`.

    Examples
    --------
    >>> import ldp
    >>> m = LinearSampler(ldp.GRR(3, 1.0).channel(), 1.0)
    >>> m.law([1.0, 0.0, 0.0]).round(3).tolist()
    [0.576, 0.212, 0.212]

    References
    ----------
    ``S002``, "Our setting".
    """

    channel: Floats = field(repr=False)
    epsilon: float
    _low: Words = field(repr=False)
    _high: Words = field(repr=False)

    def __init__(self, channel: npt.ArrayLike, epsilon: float) -> None:
        matrix, budget = _checks.channel(channel), _windows.check_budget(epsilon)
        if matrix.min() <= 0:
            raise ValueError(f"channel must be positive, got {matrix.min()}.")
        lower, upper = matrix.min(axis=0), matrix.max(axis=0)
        name = "the entries of a column of channel"
        _windows.check_ratio(lower, upper, budget, name)
        low, high = _windows.integer_windows(lower, upper, budget, name)
        for array in (matrix, low, high):
            array.flags.writeable = False
        freeze(self, channel=matrix, epsilon=budget, _low=low, _high=high)

    def __reduce__(self) -> tuple[type["LinearSampler"], tuple[object, ...]]:
        """Let a copy be made and checked anew: pickled arrays would come back writable."""
        return LinearSampler, (self.channel, self.epsilon)

    @property
    def domain_size(self) -> int:
        """Number d of values."""
        return int(self.channel.shape[0])

    emitted_epsilon = property(_windows.emitted_epsilon)
    weights = _windows.weights
    privatize = _windows.privatize

    def law(self, laws: npt.ArrayLike) -> Floats:
        """Law of the report for each private distribution, shape (m,) or (n, m).

        Raises ``TypeError`` or ``ValueError`` if a row is no distribution within 1e-9.
        """
        rows = _windows.check_laws(laws, self.domain_size)
        return (rows @ self.channel).reshape(*np.shape(laws)[:-1], -1)
