"""The decorators of kernels and of their steps, and the cache of kernels on disk."""

import contextlib
import functools
import hashlib
import logging
import os
import pickle
import shutil
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import types

try:  # Numba has no public access to its cache; 0.61 to 0.68 have these names
    from numba.core.caching import CompileResultCacheImpl
    from numba.core.compiler import CompileResult
    from numba.core.serialize import dumps

    # Of NUMBA_CACHE_DIR, of __pycache__ and of the user's cache folder.
    _LOCATORS = CompileResultCacheImpl._locator_classes[:3]
except (AttributeError, ImportError):  # a later one, whose kernels are not stored
    _LOCATORS = None

_PACKAGE = Path(__file__).resolve().parents[1]
# Of all functions that are compiled.
_FOLDERS = ("_simd", "_sampling", "_tables", "*/kernels")

# The versions of Numba whose internals `compilers` fits. With another one, or where a
# private name is missing, kernels and their steps compile as functions of Numba do by
# default, which takes longer, and count references.
FIRST_KNOWN, LAST_KNOWN = (0, 62), (0, 68)
IS_KNOWN = FIRST_KNOWN <= numba.version_info.short <= LAST_KNOWN
InlinedCompiler = KernelCompiler = PreoptimisedCompiler = StepCompiler = None
if IS_KNOWN:
    try:
        from sklda._simd.compilers import (
            InlinedCompiler,
            KernelCompiler,
            PreoptimisedCompiler,
            StepCompiler,
        )
    except ImportError:
        IS_KNOWN = False
INLINED = {"_nrt": False, "forceinline": True} if IS_KNOWN else {}  # options of steps

_READ_ONLY = "no cache folder is writable"
_has_warned = False


def kernel(function: Callable) -> Any:
    """Compile a function that Python calls, once per machine; it runs without the GIL.

    A division by zero is inf or NaN, as in NumPy: a test for it in a loop would keep
    LLVM from vectorising the loop. `fastmath` is off, because it adds numbers in an
    order that depends on the processor.
    """
    # By default, a function compiles like its first caller: without counts for arrays
    # that it makes, if that is a lean kernel.
    compiled = _compiled(function, KernelCompiler, _nrt=True)
    if _LOCATORS is not None and hasattr(compiled, "_cache"):
        compiled._cache = _Cache(function)
    return compiled


def nested_kernel(function: Callable) -> Any:
    """Compile a function that makes arrays, and that only kernels call."""
    return _step(function, StepCompiler, _nrt=True)


def lean_kernel(function: Callable) -> Any:
    """Compile a function that makes no arrays, such as a step of a document or cell.

    It counts no references: counts would be updated for each row and slice.
    """
    return _step(function, StepCompiler, _nrt=False)


def inlined_kernel(function: Callable) -> Any:
    """Copy a small or hot step that makes no arrays into the kernels that call it."""
    return _step(function, InlinedCompiler, _nrt=False)


def preoptimised_kernel(function: Callable) -> Any:
    """Copy a step into kernels after LLVM has optimised it, as Numba does by default.

    It takes longer to compile, once for each literal number among its arguments. In
    the hot steps of lists and blocks, LLVM vectorises more: sweeps take 3 % less with
    lists, and a tenth less with blocks.
    """
    return _step(function, PreoptimisedCompiler, _nrt=False)


def _step(function: Callable, compiler: Any, **options: bool) -> Any:
    """Compile a function that only kernels can call.

    It is not stored: the stored code of a kernel contains its steps.
    """
    step = _compiled(function, compiler, **options)

    def add_overload(compiled: Any) -> None:  # Numba's own also lets Python find it
        step.overloads[tuple(compiled.signature.args)] = compiled

    def refuse(*args: Any, **kwargs: Any) -> None:  # instead of a crash
        raise TypeError(f"{step.__name__} has no wrapper: only kernels can call it")

    def compile_(signature: tuple) -> Any:  # once for all literal numbers
        return type(step).compile(step, tuple(map(types.unliteral, signature)))

    if not numba.config.DISABLE_JIT:
        step.add_overload, step._compile_for_args = add_overload, refuse
        if compiler is not PreoptimisedCompiler:
            step.compile = compile_
    return step


def _compiled(function: Callable, compiler: Any, **options: bool) -> Any:
    """Return what ``numba.njit`` makes of a function; the options are private ones."""
    if numba.config.DISABLE_JIT:  # machine code does not warn of overflow, either
        return np.errstate(all="ignore")(function)
    common = {"nogil": True, "error_model": "numpy"}
    if compiler is not None:
        common["pipeline_class"] = compiler
    return numba.njit(**common, **(options if IS_KNOWN else {}))(function)


@functools.cache
def digest_of_kernels() -> str:
    """Return a digest of all source files with functions that are compiled."""
    digest = hashlib.sha256()
    paths = (path for name in _FOLDERS for path in _PACKAGE.glob(f"{name}/**/*.py"))
    for path in sorted(paths):
        with contextlib.suppress(OSError):  # of an editor: a link to nothing
            digest.update(path.read_bytes())
            digest.update(path.relative_to(_PACKAGE).as_posix().encode())
    return digest.hexdigest()[:16]


class _Cache:
    """The machine code of one kernel on disk, whose failures only cost time.

    Numba's own cache refuses to define a kernel where no folder can be written, reads
    nothing from a folder that cannot be, as in many containers, fails at the first call
    if one of its files is damaged, and looks for a change in the file of the kernel
    alone, not in those of its steps. Here, a folder whose name has the digest of all
    kernels contains a file for each signature, processor and version of the file of the
    kernel. It is looked for in each of Numba's folders, and written to the first that
    can be written. Nothing is locked: a file that several processes write, or that one
    began to write, is damaged at worst.
    """

    cache_path = None  # in the statistics of Numba

    def __init__(self, function: Callable) -> None:
        self._function, name = function, f"sklda-{digest_of_kernels()}"
        path = function.__code__.co_filename
        found = [_unchecked(kind).from_function(function, path) for kind in _LOCATORS]
        self._folders = [Path(at.get_cache_path(), name) for at in found if at]

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the stored code for a signature, or None if it must be compiled."""
        context.refresh()
        with contextlib.suppress(Exception):  # a damaged pickle may raise any
            name = self._name(signature, context.codegen())
            for path in [folder / name for folder in self._folders]:
                data = path.read_bytes() if path.is_file() else b""
                if data[:32] == hashlib.sha256(data[32:]).digest():  # else it may crash
                    return CompileResult._rebuild(context, *pickle.loads(data[32:]))
        # Not at import; and before the kernel compiles others, so that a filter that
        # turns warnings into errors does not interrupt Numba.
        if not any(map(_is_writable, self._folders)):
            _warn_once(_READ_ONLY)
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Store compiled code, in place of older code and of damaged files."""
        if compiled.library.has_dynamic_globals:  # addresses of this process
            return
        problem = _READ_ONLY
        for folder in filter(_is_writable, self._folders):
            try:
                for other in {*folder.parent.glob("sklda-*")} - {folder}:
                    shutil.rmtree(other, ignore_errors=True)
                code = dumps(compiled._reduce())
                path = folder / self._name(signature, compiled.codegen)
                path.write_bytes(hashlib.sha256(code).digest() + code)
                return
            except Exception as error:  # a full disk, or a file of another user
                problem = f"one could not be stored ({error!r})"
        _warn_once(problem)

    def _name(self, signature: Any, codegen: Any) -> str:
        """Return the name of the file for a signature, on this processor and Python."""
        code, cells = self._function.__code__, self._function.__closure__ or ()
        versions = numba.__version__, sys.version, codegen.magic_tuple()
        source = Path(code.co_filename).read_bytes()
        values = [cell.cell_contents for cell in cells]
        key = repr((signature, versions, source, code.co_firstlineno, values))
        return f"{code.co_name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.nbc"


def _unchecked(locator: type) -> type:
    """Return a class of Numba that finds a folder also if it cannot be written."""
    return type(locator.__name__, (locator,), {"ensure_cache_path": lambda _: None})


def _is_writable(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        return os.access(folder, os.W_OK)
    return False


def _warn_once(problem: str) -> None:
    global _has_warned
    if not _has_warned:
        _has_warned = True
        logging.getLogger("sklda.kernels").disabled = True  # it promises to store them
        warnings.warn(
            "Each process compiles kernels of sklda again, which takes seconds: "
            f"{problem}. Set the environment variable NUMBA_CACHE_DIR to a folder that "
            "is writable, or that a fit with as many topics has filled.",
            RuntimeWarning,
            stacklevel=3,
        )
