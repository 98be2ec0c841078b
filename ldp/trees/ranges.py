"""Range queries on trees of frequencies, and what the noise does to them."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp.trees.least_squares import check_nodes, check_variances, subtree_variances


def _check_range(start: int, stop: int, domain_size: int) -> tuple[int, int]:
    first = _checks.integer(start, "start", 0, domain_size)
    return first, _checks.integer(stop, "stop", first, domain_size)


def _pieces(start: int, stop: int, branching: int, depth: int) -> Iterator[tuple[int, int, int]]:
    """Yield (level, first, end): fewest nodes of which start..stop-1 is made up."""
    for level in range(depth, -1, -1):
        # Whole families go one level up; what stays are those left and right of them.
        left = min(-(-start // branching) * branching, stop)
        right = max(stop // branching * branching, left)
        yield level, start, left
        yield level, right, stop
        start, stop = left // branching, right // branching


def range_query(nodes: Sequence[npt.ArrayLike], start: int, stop: int) -> float:
    r"""Frequency of the values start..stop-1, as the sum of the fewest nodes that make them up.

    Of a consistent tree that is the sum of the leaves; of a measured one it needs at most
    :math:`2(\beta-1)` nodes of every level instead of up to :math:`d` leaves.

    Parameters
    ----------
    nodes : sequence of array_like
        A tree, root first, of sizes :math:`1,\beta,\beta^2,\dots,d`. The root is 1.
    start, stop : int
        Range, :math:`0\le` start :math:`\le` stop :math:`\le d`; empty, with frequency 0, if they
        are equal. A start of 0 makes it a prefix: the distribution function at stop - 1.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If `nodes` is no tree or the range leaves the domain.

    Examples
    --------
    >>> nodes = [1.0], [0.5, 0.3], [0.3, 0.4, 0.1, 0.0]
    >>> round(range_query(nodes, 0, 3), 12)          # 0.5 of level 1 and 0.1 of level 2
    0.6

    References
    ----------
    ``cormode2019answering``.
    """
    tree = check_nodes(nodes)
    start, stop = _check_range(start, stop, tree[-1].size)
    pieces = _pieces(start, stop, tree[1].size, len(tree) - 1)
    return float(sum(tree[level][first:end].sum() for level, first, end in pieces))


def range_variance(
    variances: npt.ArrayLike, branching: int, start: int, stop: int, *, consistent: bool = False
) -> float:
    r"""Noise variance of :func:`range_query`, of a measured tree or of the least-squares one.

    For independent errors of variance :math:`v_l` on level :math:`l`, and a range that takes
    :math:`k_l` nodes of level :math:`l`,

    .. math:: \sum_{l=1}^h k_lv_l\qquad\text{and}\qquad
              \sum_{l=1}^hV_l\sum_{u\text{ on level }l}(g_u-\bar g_u)^2,\qquad
              V_h=v_h,\quad \frac1{V_l}=\frac1{v_l}+\frac1{\beta V_{l+1}}

    for the measured and for the consistent tree, where :math:`g_u` is the part of node :math:`u`
    that lies in the range and :math:`\bar g_u` the mean over :math:`u` and its siblings.

    Parameters
    ----------
    variances : array_like, shape (levels + 1,)
        Noise variance of a node on each level, 0 at the root, such as
        :meth:`ldp.HierarchicalHistogram.variances`.
    branching : int
        Number :math:`\beta\ge2` of children of a node; the domain has :math:`\beta^h` values.
    start, stop : int
        Range, as in :func:`range_query`.
    consistent : bool
        Whether the range is asked of ``least_squares_tree(nodes, variances)``.

    Returns
    -------
    float
        Variance of a frequency.

    Raises
    ------
    TypeError, ValueError
        If a variance is not positive (0 at the root) or the range leaves the domain.

    Notes
    -----
    The second sum follows the pass downwards: given their parent, siblings of the least-squares
    tree err like numbers of variance :math:`V_l` from which their mean was taken away. Only
    families that an end of the range cuts count.

    Given the users of a level, errors of unary encodings are independent; those of randomized
    response are negatively correlated, so that their ranges do a little better than stated. What
    :meth:`ldp.HierarchicalHistogram.variances` leaves out at frequent intervals is left out here.

    Examples
    --------
    >>> range_variance([0, 1, 1], 4, 0, 6), range_variance([0, 1, 1], 4, 0, 6, consistent=True)
    (3.0, 1.55)

    References
    ----------
    ``hay2010boosting``, section 4; ``cormode2019answering``.
    """
    noise = check_variances(variances)
    consistent = _checks.flag(consistent, "consistent")
    branching = _checks.integer(branching, "branching", 2, 2**20)
    depth = noise.size - 1
    if branching**depth > 2**31:
        raise ValueError(
            f"branching must make at most 2**31 values on {depth} levels, got {branching}."
        )
    start, stop = _check_range(start, stop, branching**depth)
    if not consistent:
        pieces = _pieces(start, stop, branching, depth)
        return float(sum((end - first) * noise[level] for level, first, end in pieces))
    subtree = subtree_variances(noise, branching)
    total, width = 0.0, 1
    for level in range(depth, 0, -1):
        # Families that lie inside or outside the range as a whole add nothing.
        for family in {start // (branching * width), stop // (branching * width)}:
            ends = width * (branching * family + np.arange(branching + 1))
            inside = np.diff(np.clip(ends, start, stop)) / width
            total += float(subtree[level] * ((inside - inside.mean()) ** 2).sum())
        width *= branching
    return total
