"""Steps of kernels, which have no wrapper for Python, as Python can call them."""

from functools import cache

from numba import njit

from sklda._simd.compilers import StepCompiler


@cache
def from_python(kernel):
    """Return a kernel that does nothing but call this one."""
    return njit(lambda *args: kernel(*args))


def is_step(kernel) -> bool:
    return issubclass(compiler_of(kernel), StepCompiler)


def compiler_of(kernel) -> type:
    return getattr(getattr(kernel, "_compiler", None), "pipeline_class", object)
