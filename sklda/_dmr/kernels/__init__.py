"""Numba kernels of Dirichlet-multinomial regression."""
