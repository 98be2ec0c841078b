"""Consistent trees of counts, from the levels of a hierarchy, and what they say of ranges."""

from ldp.trees.admm import TreeFit, hh_admm
from ldp.trees.least_squares import least_squares_tree
from ldp.trees.ranges import range_query, range_variance

__all__ = ["TreeFit", "hh_admm", "least_squares_tree", "range_query", "range_variance"]
