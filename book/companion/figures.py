"""One style for figures: vectors, as wide as a telephone shows, and one look for each name."""

from importlib import import_module
from typing import Any

# The colours of Okabe and Ito without their yellow, which is too pale for lines on white. The pages
# turn each into its own light version in the dark (`book/_ext/drawings.py`).
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))

# Name: colour, marker. Names that are compared with each other differ in both; the line style goes
# with the colour, so that neither colour nor shape is the only signal.
LOOKS = {
    # what is true, measured, or bounded
    "truth": (6, "_"),
    "central": (0, "o"),
    "local": (1, "s"),
    "bound": (2, "_"),
    "least error": (6, "o"),
    "entropy bound": (0, "_"),
    "spread bound": (2, "_"),
    "budget bound": (1, "_"),
    "report-count bound": (3, "_"),
    # mechanisms
    "GRR": (0, "o"),
    "OUE": (1, "s"),
    "OLH": (2, "^"),
    "SUE": (5, "v"),
    "BLH": (4, "<"),
    "THE": (4, "X"),
    "SHE": (3, "P"),
    "HR": (3, "D"),
    "SS": (6, "*"),
    "RRRR": (4, "h"),
    "MSS": (2, "X"),
    "cyclotomic": (4, "p"),
    "affine": (5, "H"),
    "cyclic": (0, "X"),
    "PI-RAPPOR": (3, "d"),
    # rules that adapt, beside GRR and SS
    "adaptive": (4, "h"),
    "known": (5, "D"),
    "semi": (2, "s"),
    # estimators
    "raw": (6, "o"),
    "Norm-Sub": (1, "s"),
    "maximum likelihood": (0, "D"),
    "MLE-Apx": (5, "d"),
    "Norm": (3, "x"),
    "Norm-Mul": (3, "v"),
    "Norm-Cut": (4, "<"),
    "Base-Pos": (2, "^"),
    "Post-Pos": (5, ">"),
    "Base-Cut": (4, "P"),
    "Power": (2, "X"),
    "PowerNS": (5, "*"),
    "MAP": (2, "h"),
    "posterior mean": (3, "p"),
    "EM": (0, "D"),
    "EMS": (2, "^"),
    "tree": (1, "v"),
    "16 bins": (3, "o"),
    "64 bins": (4, "s"),
    # means
    "one bit": (0, "o"),
    "Laplace": (1, "s"),
    "piecewise": (2, "^"),
    "hybrid": (3, "D"),
}


def look(name: str) -> dict[str, Any]:
    """Colour, marker and line style of a name, the same in every figure of the book.

    Parameters
    ----------
    name : str
        A key of `LOOKS`.

    Returns
    -------
    dict
        Keywords of ``ax.plot`` and ``ax.errorbar``.

    Raises
    ------
    ValueError
        If the name has no look yet; add it to `LOOKS`.

    Examples
    --------
    >>> look("Norm-Sub")
    {'color': '#D55E00', 'marker': 's', 'linestyle': '--'}
    """
    if name not in LOOKS:
        raise ValueError(f"name must be one of {', '.join(LOOKS)}, got {name!r}")
    color, marker = LOOKS[name]
    return {"color": COLORS[color], "marker": marker, "linestyle": DASHES[color]}


def style(vector: bool = True) -> None:
    """Set the book's figure style; in a notebook each figure brings the numbers that it shows.

    A figure of the default size, 3.6 by 2.7 inches, is as wide as a telephone shows, and its text
    is text; several figures of one cell stand side by side where there is room.

    Parameters
    ----------
    vector : bool
        Figures as SVG. Otherwise as PNG, for what has thousands of marks.

    Examples
    --------
    >>> style()
    """
    import matplotlib as mpl
    from cycler import cycler

    mpl.rcParams.update(
        {
            "axes.prop_cycle": cycler(color=COLORS) + cycler(linestyle=DASHES),
            "axes.facecolor": "none",
            "axes.grid": True,
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.titlesize": 10.0,
            "errorbar.capsize": 2.5,
            "figure.constrained_layout.use": True,
            "figure.dpi": 192,  # of what is drawn as pixels: two to a CSS pixel
            "figure.facecolor": "none",
            "figure.figsize": (3.6, 2.7),
            "font.size": 9.0,  # 12 CSS pixels
            "grid.color": "#d9d9d6",
            "grid.linewidth": 0.6,
            "legend.fontsize": 8.0,
            "legend.frameon": False,
            "lines.linewidth": 1.4,
            "lines.markersize": 4.5,
            "savefig.facecolor": "none",
            "svg.fonttype": "none",
            "svg.hashsalt": "ldp-companion",  # the same figure gives the same bytes
        }
    )
    try:
        from IPython import get_ipython

        notebook: Any = import_module("matplotlib_inline.backend_inline")
    except ImportError:
        return
    if (shell := get_ipython()) is not None:
        from companion.figure_data import bring_data

        # A date would make two equal runs differ.
        metadata = {"metadata": {"Date": None}} if vector else {}
        notebook.set_matplotlib_formats("svg" if vector else "png", **metadata)
        bring_data(shell)
