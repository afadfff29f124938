"""Kernels on the counts that travel between workers."""
