"""Numba kernels of Gibbs sampling: one algorithm, one file."""
