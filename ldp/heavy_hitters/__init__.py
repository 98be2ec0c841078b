"""Heavy hitters: frequent values of a domain that is too large to list."""

from ldp.heavy_hitters.codes import StringCode, gather, scatter

__all__ = ["StringCode", "gather", "scatter"]
