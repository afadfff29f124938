"""The decorators of kernels, with a cache on disk whose failures only cost time.

Numba's own cache refuses to define a kernel where no folder can be written, as in many
containers, and fails at the first call if one of its files is damaged.
"""

import contextlib
import warnings
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

import numba
from numba.core import types

# The versions of Numba whose internals `compilers` fits. With another one, kernels and
# their steps compile as functions of Numba do by default, in twice the time.
FIRST_KNOWN, LAST_KNOWN = (0, 62), (0, 68)
IS_KNOWN = FIRST_KNOWN <= numba.version_info.short <= LAST_KNOWN
if IS_KNOWN:
    from sklda._simd import compilers

_has_warned = False
# Whom to tell of the fit that this context runs: a list, because all threads of the fit
# tell once in all.
_listeners: ContextVar[list[Callable[[], None]] | None] = ContextVar(
    "listeners", default=None
)


@contextlib.contextmanager
def told_of_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """Call `tell` before the first kernel inside is compiled, if one is."""
    before = _listeners.set([tell])
    try:
        yield
    finally:
        _listeners.reset(before)


def kernel(function: Callable) -> Any:
    """Compile a function that Python calls, once per machine; it runs without the GIL.

    A division by zero is inf or NaN, as in NumPy: a test for it in a loop would keep
    LLVM from vectorising the loop. `fastmath` is off, because it adds numbers in an
    order that depends on the processor.
    """
    # By default, a function compiles like its first caller: without counts for arrays
    # that it makes, if that is a lean kernel.
    return _compiled(function, "KernelCompiler" if IS_KNOWN else None, _nrt=True)


def nested_kernel(function: Callable) -> Any:
    """Compile a function that makes arrays, and that only kernels call."""
    return _step(function, "StepCompiler", _nrt=True)


def lean_kernel(function: Callable) -> Any:
    """Compile a function that makes no arrays, such as a step of a document or cell.

    It counts no references: counts would be updated for each row and slice.
    """
    return _step(function, "StepCompiler", _nrt=False)


def inlined_kernel(function: Callable) -> Any:
    """Copy a small or hot step that makes no arrays into the kernels that call it."""
    return _step(function, "InlinedCompiler", _nrt=False, forceinline=not IS_KNOWN)


def preoptimised_kernel(function: Callable) -> Any:
    """Copy a step into kernels after LLVM has optimised it, as Numba does by default.

    It takes longer to compile, once for each literal number among its arguments. In
    steps as large as those of blocks, LLVM vectorises more: sweeps take a tenth less.
    """
    return _step(function, None, _nrt=False, forceinline=True)


def _step(function: Callable, compiler: str | None, **options: bool) -> Any:
    """Compile a function that only kernels can call."""
    is_default = compiler is None or not IS_KNOWN
    if is_default:
        options |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    compiled = _compiled(function, None if is_default else compiler, **options)
    if compiled is not function:  # as under NUMBA_DISABLE_JIT
        _hide_from_python(compiled)
        if not is_default:
            _compile_once(compiled)
    return compiled


def _compiled(function: Callable, compiler: str | None, **options: Any) -> Any:
    """Return what ``numba.njit`` makes of a function, with a safe cache."""
    options |= {"nogil": True, "error_model": "numpy"}
    if compiler is not None:
        options["pipeline_class"] = getattr(compilers, compiler)
    compiled = numba.njit(**options)(function)
    if compiled is not function:
        has_machine_code = compiler in {None, "KernelCompiler"}
        _enable_caching(compiled, has_machine_code=has_machine_code)
    return compiled


def _hide_from_python(kernel: Any) -> None:
    """Raise TypeError if Python calls what has no wrapper, instead of a crash."""

    def add_overload(compiled: Any) -> None:  # Numba's own also lets Python find it
        kernel.overloads[tuple(compiled.signature.args)] = compiled

    def refuse(*args: Any, **kwargs: Any) -> None:
        raise TypeError(f"{kernel.__name__} has no wrapper: only kernels can call it")

    kernel.add_overload, kernel._compile_for_args = add_overload, refuse


def _compile_once(kernel: Any) -> None:
    """Compile a step once for all literal numbers that kernels pass."""

    def compile_(signature: tuple) -> Any:
        return type(kernel).compile(kernel, tuple(map(types.unliteral, signature)))

    kernel.compile = compile_


def _enable_caching(kernel: Any, *, has_machine_code: bool) -> None:
    """Let a kernel or a step store its code on disk, if there is a folder for it."""
    problem = None
    try:
        if has_machine_code:
            kernel.enable_caching()
        else:
            kernel._cache = compilers.StepCache(kernel.py_func)
    except RuntimeError as error:
        problem = f"no cache folder is writable ({error})"
    # Numba has no public access to its cache; 0.60 to 0.68 have this name.
    if hasattr(kernel, "_cache"):
        kernel._cache = _SafeCache(kernel._cache, problem)


class _SafeCache:
    """Numba's cache of one kernel, without its errors; `problem` is why it is empty."""

    def __init__(self, cache: Any, problem: str | None) -> None:
        self._cache = cache
        self._problem = problem

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the stored code for a signature, or None if it must be compiled."""
        # Not at import; and before the kernel compiles others, so that a filter that
        # turns warnings into errors does not interrupt Numba.
        if self._problem is not None:
            _warn_once(self._problem)
        found = None
        try:
            found = self._cache.load_overload(signature, context)
        except Exception:  # a damaged pickle may raise any
            with contextlib.suppress(OSError):
                self._cache.flush()
        if found is None:
            _tell_once()
        return found

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Store compiled code; damaged files are replaced."""
        try:
            self._cache.save_overload(signature, compiled)
        except Exception as error:  # a full disk, or a damaged file of another user
            _warn_once(f"one could not be stored ({error!r})")


def _tell_once() -> None:
    with contextlib.suppress(IndexError):  # another thread of the fit told
        if listeners := _listeners.get():
            listeners.pop()()


def _warn_once(problem: str) -> None:
    global _has_warned
    if not _has_warned:
        _has_warned = True
        warnings.warn(
            "Each process compiles the kernels of sklda again, which takes seconds: "
            f"{problem}. Set the environment variable NUMBA_CACHE_DIR to a writable "
            "folder.",
            RuntimeWarning,
            stacklevel=3,
        )
