r"""From errors to entropies: what is not known after the reports cannot be estimated.

All entropies are in nats and given the reports, averaged over them.
"""

import math

from ldp import _checks
from ldp.bounds._common import check_num_reports, gaussian_factor

_ROUNDING = 1e-9  # an entropy computed by summation may pass its largest value by this much


def _entropy(value: float, most: float, least: float = -math.inf) -> float:
    number = _checks.real(value, "entropy", "a real number of nats")
    if not least - _ROUNDING <= number <= most + _ROUNDING:
        rule = f"at most {most:.6g}" + (f" and at least {least:.6g}" if least > -math.inf else "")
        raise ValueError(f"entropy must be {rule} nats, got {number}.")
    return number


def _gaussian_power(entropy: float, domain_size: int, sharp: bool) -> float:
    """Least sum of variances on the simplex of a density of the given entropy."""
    return gaussian_factor(domain_size, sharp) * math.exp(2 * entropy / (domain_size - 1))


def entropy_bound(entropy: float, domain_size: int, *, sharp: bool = False) -> float:
    r"""Least error for the law, given how uncertain it stays; holds at every number of reports.

    .. math:: \operatorname{MSE}\ge\frac{d}{2\pi e}\,e^{2h(\theta\mid Y)/(d-1)}

    With `sharp` the factor :math:`d` becomes :math:`(d-1)\,d^{1/(d-1)}`, which is larger for every
    :math:`d>2`: the covariance is compared with its eigenvalues on the simplex, not with its
    diagonal in chosen coordinates.

    Parameters
    ----------
    entropy : float
        Differential entropy :math:`h(\theta\mid Y)` of the law in any :math:`d-1` of its
        coordinates, given the reports; at most :math:`-\ln(d-1)!`, that of the uniform law.
    domain_size : int
        Number :math:`d\ge2` of values.
    sharp : bool
        Use the larger constant.

    Returns
    -------
    float
        Squared error summed over values.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> round(entropy_bound(0.0, 2), 4)  # two values, uniform prior, no information
    0.1171
    >>> round(2 / 12, 4)  # the error then: two variances of a uniform variable
    0.1667

    References
    ----------
    ``S003``, Theorem 4.1, (23), reconstructed.
    """
    d = _checks.domain_size(domain_size)
    sharp = _checks.flag(sharp, "sharp")
    return _gaussian_power(_entropy(entropy, -math.lgamma(d)), d, sharp)


def tally_entropy_limit(entropy: float, domain_size: int, num_reports: int) -> float:
    r"""Error for the frequencies, asymptotically at least this; false at some finite :math:`n`.

    .. math:: \operatorname{MSE}\gtrsim\frac{d}{2\pi e\,n^2}\,e^{2H(T\mid Y)/(d-1)}

    Parameters
    ----------
    entropy : float
        Shannon entropy :math:`H(T\mid Y)` of the users' tally given the reports; from 0 to
        :math:`\ln\binom{n+d-1}{d-1}`.
    domain_size : int
        Number :math:`d\ge2` of values.
    num_reports : int
        Number :math:`n\ge1` of users.

    Returns
    -------
    float
        Squared error summed over values.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> tally_entropy_limit(0.0, 2, 1) > 0  # yet a tally without entropy is known
    True

    References
    ----------
    ``S003``, Theorem 4.1, (24), reconstructed.
    """
    d, n, entropy = _tally_arguments(entropy, domain_size, num_reports)
    return _gaussian_power(entropy, d, False) / n**2


def tally_entropy_bound(
    entropy: float, domain_size: int, num_reports: int, *, sharp: bool = False
) -> float:
    r"""Least error for the frequencies, given how uncertain the tally stays; at every :math:`n`.

    .. math:: \operatorname{MSE}\ge\frac{d}{n^2}
              \left(\frac{e^{2H(T\mid Y)/(d-1)}}{2\pi e}-\frac1{12}\right)

    Noise, uniform on a unit cube, turns :math:`d-1` coordinates of the tally into a continuous
    variable of differential entropy :math:`H`; it adds :math:`1/12` to each variance. With `sharp`
    it is uniform on :math:`\{u:\sum_vu_v=0,\ \max u-\min u\le1\}`, whose translates by tallies
    tile the plane of constant sum:

    .. math:: \operatorname{MSE}\ge\frac{d-1}{n^2}
              \left(\frac{d^{1/(d-1)}e^{2H(T\mid Y)/(d-1)}}{2\pi e}-\frac{d+2}{12d}\right)

    which is never smaller, and larger for :math:`d>2`. A negative bound is returned as 0.

    Parameters
    ----------
    entropy, domain_size, num_reports
        As for :func:`tally_entropy_limit`.
    sharp : bool
        Use the second form.

    Returns
    -------
    float
        Squared error summed over values.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> tally_entropy_bound(0.0, 2, 1)
    0.0
    >>> tally_entropy_bound(3.0, 5, 100) < tally_entropy_bound(3.0, 5, 100, sharp=True)
    True

    References
    ----------
    ``S003``, Theorem 4.1, (24), here without its limit; the formula is reconstructed.
    """
    d, n, entropy = _tally_arguments(entropy, domain_size, num_reports)
    sharp = _checks.flag(sharp, "sharp")
    noise = (d - 1) * (d + 2) / (12 * d) if sharp else d / 12
    return max(0.0, _gaussian_power(entropy, d, sharp) - noise) / n**2


def _tally_arguments(entropy: float, domain_size: int, num_reports: int) -> tuple[int, int, float]:
    d = _checks.domain_size(domain_size)
    n = check_num_reports(num_reports)
    most = math.lgamma(n + d) - math.lgamma(d) - math.lgamma(n + 1)
    return d, n, _entropy(entropy, most, 0.0)
