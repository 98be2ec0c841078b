"""Private sampling: a person holds a distribution, and the report is one value drawn near it."""

from ldp.samplers.fixed_point import fixed_point_channel, fixed_point_window
from ldp.samplers.linear import LinearSampler
from ldp.samplers.mollifier import (
    Mollifier,
    local_mollifier,
    minimax_mollifier,
    relative_mollifier,
)

__all__ = [
    "LinearSampler",
    "Mollifier",
    "fixed_point_channel",
    "fixed_point_window",
    "local_mollifier",
    "minimax_mollifier",
    "relative_mollifier",
]
