"""Real values into bins, for mechanisms whose values are 0..d-1."""

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp.types import Integers


def bin_values(values: npt.ArrayLike, lower: float, upper: float, num_bins: int) -> Integers:
    r"""Number the bin of every value: `num_bins` bins of equal width from `lower` to `upper`.

    .. math:: \text{bin}(x)=\min\left(d-1,\left\lfloor d\,
              \frac{x-\text{lower}}{\text{upper}-\text{lower}}\right\rfloor\right)

    A bin holds its lower edge and not its upper one, but the last holds `upper` as well. This is
    done by the user, before the value is randomized.

    Parameters
    ----------
    values : array_like, shape (n,)
        Real numbers, in the units of the range.
    lower, upper : float
        Ends of the range, which must be known without looking at the values.
    num_bins : int
        Number :math:`d\ge 2` of bins.

    Returns
    -------
    ndarray of int64, shape (n,)
        Numbers 0..d-1.

    Raises
    ------
    TypeError, ValueError
        If a value is not a real number in the range (none is clipped), the range is not finite and
        increasing, or there are fewer than two bins.

    Examples
    --------
    >>> bin_values([0.0, 9.5, 24.0], 0.0, 24.0, 48)
    array([ 0, 19, 47])
    """
    ends = _checks.interval(lower, upper)
    size = _checks.integer(num_bins, "num_bins", 2, 2**31)
    numbers = _checks.reals_between(values, "values", *ends)
    share = (numbers - ends[0]) / (ends[1] - ends[0])
    return np.minimum(np.floor(share * size), size - 1).astype(np.int64)
