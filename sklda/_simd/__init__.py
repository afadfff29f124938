"""Vectors of 16 numbers, and all else that depends on the internals of Numba."""
