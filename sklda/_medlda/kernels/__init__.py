"""Numba kernels of max-margin supervised topics."""
