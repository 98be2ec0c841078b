"""The numbers that a figure shows, as CSV beside its picture."""

import csv
import io
from collections.abc import Iterator
from typing import Any

import numpy as np

CSV_MIME = "text/csv"
MAX_ROWS = 5_000  # a file for reading; what is larger is computed by the cell beside it
Row = tuple[str, str, str, Any, Any]


def bring_data(shell: Any) -> None:
    """Have a notebook's shell store, with every figure that it shows, the numbers in it."""
    from IPython.core.formatters import BaseFormatter  # only where there is a shell
    from matplotlib.figure import Figure
    from traitlets import ObjectName, Unicode

    class FigureData(BaseFormatter):
        format_type = Unicode(CSV_MIME)
        print_method = ObjectName("_repr_csv_")

    formatter: Any = FigureData(parent=shell.display_formatter)
    formatter.for_type(Figure, table)
    shell.display_formatter.formatters[CSV_MIME] = formatter
    shell.display_formatter.active_types = [*shell.display_formatter.active_types, CSV_MIME]


def table(figure: Any) -> str | None:
    """Lines, bars, marks and cells of a figure as CSV: panel, kind, series, x, y.

    None if it shows nothing of these, or more than `MAX_ROWS` of them.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> figure = Figure()
    >>> _ = figure.subplots().plot([1, 2], [0.5, 0.25], label="GRR")
    >>> print(table(figure), end="")
    panel,kind,series,x,y
    ,line,GRR,1,0.5
    ,line,GRR,2,0.25
    """
    rows = [row for axes in figure.axes for row in _rows(axes)]
    if not 0 < len(rows) <= MAX_ROWS:
        return None
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(("panel", "kind", "series", "x", "y"))
    writer.writerows((*row[:3], *map(_number, row[3:])) for row in rows)
    return written.getvalue()


def _rows(axes: Any) -> Iterator[Row]:
    """Whatever one panel shows, in the order in which it was drawn."""
    from matplotlib.collections import LineCollection, QuadMesh

    panel = axes.get_title()
    for index, line in enumerate(axes.lines):
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=False):
            yield panel, "line", _series(line, index), x, y
    for index, marks in enumerate(axes.collections):
        series = _series(marks, index)
        if isinstance(marks, QuadMesh):
            shades = np.atleast_2d(np.asarray(marks.get_array()))
            for (row, column), value in np.ndenumerate(shades):
                yield panel, f"cell of row {row}", series, column, value
        elif isinstance(marks, LineCollection):
            for piece in marks.get_segments():
                for x, y in piece:
                    yield panel, "bar" if len(piece) == 2 else "curve", series, x, y
        else:
            for x, y in np.ma.filled(marks.get_offsets(), np.nan):
                yield panel, "mark", series, x, y
    for bar in axes.patches:
        if hasattr(bar, "get_height") and bar.get_transform().contains_branch(axes.transData):
            middle = bar.get_x() + bar.get_width() / 2
            yield panel, "bar", _series(bar, 0), middle, bar.get_y() + bar.get_height()


def _series(artist: Any, index: int) -> str:
    """Label of an artist; its number where it has none."""
    label = str(artist.get_label())
    return str(index + 1) if label.startswith("_") or not label else label


def _number(value: Any) -> str:
    """Six digits, as many as a figure can show."""
    return f"{float(value):.6g}" if isinstance(value, (int, float, np.number)) else str(value)
