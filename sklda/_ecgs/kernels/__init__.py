"""Numba kernels of efficient collapsed Gibbs sampling."""
