"""Vectors of 16 numbers, and all else that leans on the internals of Numba."""
