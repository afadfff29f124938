"""Kernels that fold documents in."""
