"""Estimators: plain functions from tallies to frequencies."""
