"""Kernels that are inlined, and so have no code for Python, as Python can call them."""

from functools import cache

from numba import njit


@cache
def from_python(kernel):
    """Return a kernel that does nothing but call this one."""
    return njit(lambda *args: kernel(*args))


def is_inlined(kernel) -> bool:
    return getattr(kernel, "targetoptions", {}).get("forceinline", False)
