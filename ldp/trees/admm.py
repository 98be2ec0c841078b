r"""HH-ADMM: the non-negative consistent tree nearest to the measured one, with a certificate."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp.trees import least_squares
from ldp.trees.least_squares import Tree
from ldp.types import Floats

_BEYOND = 0.6  # over-relaxation by 1.6
_STEPS_BETWEEN_CERTIFICATES = 10


@dataclass(frozen=True, eq=False)
class TreeFit:
    """A non-negative consistent tree and what is certain about it.

    Attributes
    ----------
    theta : ndarray, shape (d,)
        The leaves: non-negative, sum to one.
    nodes : tuple of ndarray
        The tree of their sums, root first.
    gap : float
        No such tree has an objective more than this far below that of `nodes`, in the units of
        :func:`ldp.trees.hh_admm`. Computed from `theta` alone, whatever led to it, up to rounding.
    iterations : int
        Steps taken.
    converged : bool
        Whether `gap` is at most the tolerance that was asked for.
    """

    theta: Floats
    nodes: Tree
    gap: float
    iterations: int
    converged: bool


def hh_admm(
    nodes: Sequence[npt.ArrayLike],
    variances: npt.ArrayLike | None = None,
    *,
    tolerance: float = 1e-12,
    max_iterations: int = 20_000,
) -> TreeFit:
    r"""Non-negative consistent tree nearest to the measured one, by HH-ADMM.

    .. math:: \min_x\ f(x)=\frac12\sum_{l=1}^hw_l\sum_{u\text{ on level }l}(x_u-\tilde x_u)^2
              \qquad\text{subject to}\quad x_u=\sum_{c\text{ child of }u}x_c,\quad x\ge0,\quad
              x_{\text{root}}=1,

    with :math:`w_l=\min_kv_k/v_l`, so that :math:`f` is in squared frequencies. There is one
    equation for each *internal* node; one for a leaf would make it zero.

    Parameters
    ----------
    nodes, variances
        As for :func:`ldp.trees.least_squares_tree`; the sources have equal variances.
    tolerance : float
        Gap at which to stop. All nodes together are then within
        :math:`\sqrt{2\,\text{tolerance}/\min_lv_l}` standard deviations of the noise from the
        solution: by default a hundredth of one or less where the noise is above 1.4e-4 (at
        epsilon 1, with five levels of OUE, up to 9e8 users).
    max_iterations : int
        Most steps.

    Returns
    -------
    TreeFit

    Raises
    ------
    TypeError, ValueError
        If the levels are not of these sizes or not finite, the root is not 1, a variance is not
        positive (0 at the root), or `tolerance` or `max_iterations` is not positive.

    Notes
    -----
    Two copies of the tree, :math:`y` consistent and :math:`z` non-negative, are drawn together by
    the scaled duals :math:`\mu` and :math:`\nu`, with :math:`\rho=1`:

    .. math:: x=\frac{\tilde x+\rho(y-\mu)+\rho(z-\nu)}{1+2\rho},\quad
              y=\Pi_C(x+\mu),\quad z=\max(0,x+\nu),\quad \mu\mathrel{+}=x-y,\quad
              \nu\mathrel{+}=x-z,

    where :math:`\Pi_C` is :func:`ldp.trees.least_squares_tree`. Unequal variances enter there
    alone: distances, the penalty :math:`\rho` included, are measured in standard deviations of the
    noise. In the last four :math:`x` is replaced by :math:`1.6x` less 0.6 times the copy before,
    which saves a third of the steps. It stops on a certificate, never on a small step: let
    :math:`\theta` be the leaves of :math:`z`, rescaled to sum to one, and :math:`G_v` the
    derivative of :math:`f` in leaf :math:`v`, the sum of :math:`w(x-\tilde x)` over the nodes that
    hold it. Then convexity gives :math:`f(\theta)-f(\theta^\ast)\le\sum_v\theta_v(G_v-\min_jG_j)`.

    Examples
    --------
    >>> fit = hh_admm([[1], [0.7, 0.2], [0.8, 0.1, 0.3, -0.2]])
    >>> fit.theta.round(6), fit.converged
    (array([0.728571, 0.028571, 0.242857, 0.      ]), True)

    References
    ----------
    ``li2020estimating`` (HH-ADMM); ``lee2015maximum``; ``boyd2011distributed``, section 3.4.
    """
    tree = least_squares.check_nodes(nodes)
    noise = least_squares.noise_of(tree, variances)
    tolerance = _checks.positive(tolerance, "tolerance")
    max_iterations = _checks.integer(max_iterations, "max_iterations", 1)
    weights = np.append(0.0, noise[1:].min() / noise[1:])
    subtree, ends = (
        least_squares.subtree_variances(noise, tree[1].size),
        np.cumsum([x.size for x in tree[1:]]),
    )
    d, gap_of = tree[-1].size, itemgetter(2)

    def project(x: Floats) -> Floats:
        """Nearest consistent tree, with all levels below the root in one array."""
        return np.concatenate(least_squares.two_passes(np.split(x, ends[:-1]), subtree))

    measured = np.concatenate(tree[1:])
    y = z = project(measured)
    dual_y, dual_z = np.zeros_like(y), np.zeros_like(z)
    best = _certify(z[-d:], tree, weights)
    for step in range(max_iterations + 1):
        if step % _STEPS_BETWEEN_CERTIFICATES == 0 or step == max_iterations:
            best = min(best, _certify(z[-d:], tree, weights), key=gap_of)
            if gap_of(best) <= tolerance:
                break
        x = (measured + (y - dual_y) + (z - dual_z)) / 3  # rho = 1
        toward_y, toward_z = x + _BEYOND * (x - y), x + _BEYOND * (x - z)
        y, z = project(toward_y + dual_y), np.maximum(toward_z + dual_z, 0.0)
        dual_y, dual_z = dual_y + toward_y - y, dual_z + toward_z - z
    return TreeFit(*best, step, gap_of(best) <= tolerance)


def _certify(leaves: Floats, tree: Tree, weights: Floats) -> tuple[Floats, Tree, float]:
    """Make leaves a law and bound what its tree's objective lacks: sum theta_v (G_v - min G)."""
    theta = np.maximum(leaves, 0.0)
    if not theta.any():
        theta = np.ones(theta.size)
    theta /= theta.sum()
    branching = tree[1].size
    nodes = least_squares.sum_up(theta, branching)
    slope = np.zeros(1)
    for now, measured, weight in zip(nodes[1:], tree[1:], weights[1:], strict=True):
        slope = np.repeat(slope, branching) + weight * (now - measured)
    return theta, nodes, float(theta @ (slope - slope.min()))
