"""Views of values, for tests of users who are asked different things."""

from typing import NamedTuple

import numpy as np


class First(NamedTuple):
    """The value without its last bits."""

    domain_size: int
    dropped: int

    def __call__(self, values):
        return values >> self.dropped


class Same(NamedTuple):
    """The value itself."""

    domain_size: int

    def __call__(self, values):
        return np.asarray(values)
