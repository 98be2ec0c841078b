"""Mechanisms: one file, one family."""
