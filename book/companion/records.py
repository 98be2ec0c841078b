"""What a chapter leaves for the pages: numbers as JSON holds them, in the outputs of a cell."""

import math
from fractions import Fraction
from typing import Any

import numpy as np

MAX_RECORDED = 16  # longer arrays are recorded by shape and range, to keep pages light


def plain(value: Any) -> Any:
    """Turn a value into what JSON can hold; infinities and fractions become strings.

    Examples
    --------
    >>> plain([1, float("inf")]), plain(range(20))
    ([1.0, 'inf'], {'shape': [20], 'min': 0, 'max': 19})
    """
    array = np.asarray(value)
    if array.size > MAX_RECORDED:
        summary: dict[str, Any] = {"shape": list(array.shape)}
        if array.dtype.kind in "iufbO":
            summary |= {"min": plain(array.min()), "max": plain(array.max())}
        return summary
    if array.ndim:
        return [plain(item) for item in array]
    item = array.item()
    if isinstance(item, Fraction) or (isinstance(item, float) and math.isinf(item)):
        return str(item)
    return item


def publish(data: dict[str, Any]) -> bool:
    """Leave an output in the notebook that runs; False where none does."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell: Any = get_ipython()
    if shell is not None:
        shell.display_pub.publish(data)
    return shell is not None
