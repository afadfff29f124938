"""Numba loops of the metrics."""
