"""Steps of kernels, which have no wrapper for Python, as Python can call them."""

from functools import cache

from numba import njit


@cache
def from_python(kernel):
    """Return a kernel that does nothing but call this one."""
    return njit(lambda *args: kernel(*args))


def is_step(kernel) -> bool:
    """Return whether a function is a step, which refuses calls from Python."""
    call = getattr(kernel, "_compile_for_args", None)
    return getattr(call, "__name__", None) == "refuse"
