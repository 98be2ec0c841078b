"""One style for the figures of the book."""


def style(vector: bool = False) -> None:
    """Set the book's figure style: large type, colour-blind-safe lines, a ground of its own.

    Parameters
    ----------
    vector : bool
        Figures as SVG: text stays text, the page lends its ground (and, in the dark, turns light
        into dark), and a figure of the default size is as wide as a telephone shows.

    Examples
    --------
    >>> style()
    """
    import matplotlib as mpl
    from cycler import cycler

    # The colours of Okabe and Ito without their yellow, which is too pale for lines on white.
    # Line styles change with them: colour is never the only signal.
    colors = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
    dashes = ["-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1))]
    paper = "#fdfdfb"
    mpl.rcParams.update(
        {
            "axes.prop_cycle": cycler(color=colors) + cycler(linestyle=dashes),
            "axes.facecolor": paper,
            "axes.grid": True,
            "axes.spines.right": False,
            "axes.spines.top": False,
            "errorbar.capsize": 3.0,
            "figure.constrained_layout.use": True,
            "figure.dpi": 110,
            "figure.facecolor": paper,
            "figure.figsize": (7.0, 4.0),
            "font.size": 12.0,
            "grid.color": "#d9d9d6",
            "grid.linewidth": 0.6,
            "legend.frameon": False,
            "lines.linewidth": 1.8,
            "savefig.facecolor": paper,
            "svg.hashsalt": "ldp-companion",  # the same figure gives the same bytes
        }
    )
    if vector:
        _draw_vectors()


def _draw_vectors() -> None:
    """Show figures as SVG of at most 360 CSS pixels: 3.6 inches of 72 points, 96 pixels each."""
    import matplotlib as mpl

    mpl.rcParams.update(
        {
            "axes.facecolor": "none",
            "axes.titlesize": 10.0,
            "figure.facecolor": "none",
            "figure.figsize": (3.6, 2.7),
            "font.size": 9.0,  # 12 pixels
            "lines.linewidth": 1.4,
            "lines.markersize": 4.5,
            "savefig.facecolor": "none",
            "svg.fonttype": "none",
        }
    )
    try:
        from IPython import get_ipython
        from matplotlib_inline.backend_inline import set_matplotlib_formats
    except ImportError:
        return
    if get_ipython() is not None:
        # A date would make two equal runs differ.
        set_matplotlib_formats("svg", metadata={"Date": None})  # type: ignore[no-untyped-call]
