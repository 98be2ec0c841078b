"""What no search for frequent values can find."""

import math

from ldp import _checks
from ldp.bounds._common import check_epsilon, check_num_reports


def identification_bound(
    num_bits: float, epsilon: float, num_users: int, *, top_k: int = 1, failure: float = 0.5
) -> float:
    r"""Least frequency that any one-shot search can find, whatever is reported.

    One value :math:`X`, uniform among :math:`d=2^B`, is held by each user with probability
    :math:`f`; else the user holds a uniform value. A list of :math:`k` that misses :math:`X` with
    probability at most :math:`\delta` needs

    .. math:: n f^2\ge2V\big((1-\delta)\ln(d/k)-\ln2\big),
              \qquad V=\frac{4E}{(E-1)^2},\ E=e^\epsilon.

    Parameters
    ----------
    num_bits : float
        Bits :math:`B` of a value.
    epsilon : float
        Privacy budget of each report; users may use different mechanisms, but not see others'.
    num_users : int
        Number :math:`n` of users.
    top_k : int
        Length :math:`k` of the list, below :math:`2^B`.
    failure : float
        Probability :math:`\delta` of missing the value, at least 0 and below 1.

    Returns
    -------
    float
        Frequency; above 1 if nothing can be found, 0 if a guess is enough.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said.

    Notes
    -----
    *List decoding.* By Fano's inequality :math:`(1-\delta)\ln(d/k)\le I+\ln2`, and given
    :math:`X` reports are independent: :math:`I\le nI(X;Y)`. It remains that
    :math:`I(X;Y)\le f^2/(2V)`.

    *One report.* For a report :math:`y` let :math:`r_x` be :math:`\Pr[y|x]` over its mean. It has
    mean 1 over :math:`x` and lies in :math:`[a,Ea]` for some :math:`a`. Since :math:`z\ln z` is
    convex, its mean at :math:`z=1+f(r-1)` is largest if :math:`r` is :math:`Ea` with
    probability :math:`w` and :math:`a` else, :math:`(E-1)wa=1-a`. That mean is the divergence of a
    coin with chance :math:`w+fc` from one with chance :math:`w`, where
    :math:`c=(E-1)a\,w(1-w)`:

    .. math:: f^2c^2\int_0^1\frac{1-t}{v(w+tfc)}\,dt,\qquad v(u)=u(1-u),

    and :math:`v(w+c)=\kappa v(w)` with :math:`\kappa=Ea^2`. As :math:`v` is concave,
    :math:`v(w+tfc)\ge v(w)` if :math:`\kappa\ge1`. Then the divergence is at most
    :math:`\frac{f^2}2\frac{c^2}{v(w)}=\frac{f^2}2(1-a)(Ea-1)`, which is largest, :math:`f^2/(2V)`,
    at :math:`a=\frac{1+E}{2E}`. If :math:`\kappa=e^{-2h}<1`, then
    :math:`v(w+tfc)\ge v(w)(1-t+t\kappa)`, and the integral is at most
    :math:`\kappa^{-1/2}\frac{\sinh h-he^{-h}}{2\sinh^2h}\le\frac12\kappa^{-1/2}`, because
    :math:`\frac{h}{\sinh h}e^{-h}\ge\frac{e^{-h}}{\cosh h}=1-\tanh h\ge1-\sinh h`. Now
    :math:`(1-a)(Ea-1)=2\sqrt\kappa\,(\cosh\frac\epsilon2-\cosh h)`, so the divergence is at most
    :math:`f^2(\cosh\frac\epsilon2-1)\le\frac{f^2}2\sinh^2\frac\epsilon2=f^2/(2V)`.

    Examples
    --------
    >>> sigma = math.sqrt(4 * math.e / (math.e - 1) ** 2 / 10**6)       # of a full search
    >>> round(identification_bound(48, 1.0, 10**6, top_k=32) / sigma, 2)
    5.33

    References
    ----------
    Ours. That some error of this order is needed was shown by ``bassily2015local``.
    """
    bits = _checks.positive(num_bits, "num_bits")
    budget, users = check_epsilon(epsilon), check_num_reports(num_users)
    size = _checks.integer(top_k, "top_k", 1)
    missed = _checks.real(failure, "failure", "at least 0 and below 1")
    if not 0 <= missed < 1:
        raise ValueError(f"failure must be at least 0 and below 1, got {missed}.")
    nats = bits * math.log(2) - math.log(size)
    if nats <= 0:
        raise ValueError(f"top_k must be below the number of values, got {top_k}.")
    needed = 2 * ((1 - missed) * nats - math.log(2)) / users
    # V is 1 / sinh(epsilon / 2)**2, and the sine of a large number is divided by unseen.
    return math.sqrt(max(needed, 0.0)) / math.sinh(min(budget / 2, 350.0))
