"""Numba kernels of collapsed variational Bayes."""
