"""Protocols: rounds in which what was learned decides how the next users are asked."""
