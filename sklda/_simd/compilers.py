"""How Numba compiles kernels and their steps, with less work than by default.

Numba optimises each function by itself, makes machine code of it and a wrapper for
Python, and optimises its code again in each function that calls it. Steps, which only
kernels call, need no more than the last of these: LLVM sees their code in the kernel
only. While users wait, garbage is not collected, and a message says why they wait.

Numba 0.62 to 0.68 have all names of Numba that this file uses.
"""

import gc
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Timer
from typing import Any

from llvmlite.binding import create_pass_builder, create_pipeline_tuning_options
from numba.core import cgutils  # noqa: F401
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.typed_passes import InlineOverloads, NopythonRewrites
from numba.core.untyped_passes import WithLifting
from numba.np.arrayobj import _empty_nd_impl as empty_array  # noqa: F401

LONG = 3.0  # seconds of a process after which its user is told
MESSAGE = "sklda compiles kernels, which takes seconds, and stores them for later."

_waited = 0.0


@contextmanager
def waiting() -> Iterator[None]:
    """Do without garbage collection inside, which takes a tenth of the time.

    If it takes long together with earlier waits, log a warning, once per process, which
    Python prints to stderr by default. Numba's lock lets one thread at a time compile.
    """
    global _waited
    begin, collects = time.perf_counter(), gc.isenabled()
    timer = Timer(max(LONG - _waited, 0), _tell)
    timer.daemon = True  # the end of the process does not wait for it
    try:
        gc.disable()
        with suppress(RuntimeError):  # no thread can start: the word is not needed
            timer.start()
        yield
    finally:
        timer.cancel()
        if collects:
            gc.enable()
        _waited += time.perf_counter() - begin


def _tell() -> None:
    logger = logging.getLogger("sklda.kernels")
    logger.warning(MESSAGE)
    logger.disabled = True  # once per process


class _KernelCode(JITCodeLibrary):
    """Code that is optimised only when its steps have been linked into it."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        """Optimise once, without copies of what is inside loops.

        These copies take a quarter of the time, and make sweeps slower, if anything.
        """
        options = create_pipeline_tuning_options(speed_level=3)
        options.loop_vectorization, options.slp_vectorization = True, False
        options.loop_interleaving = options.loop_unrolling = False
        builder = create_pass_builder(self._codegen._tm, options)
        manager = builder.getModulePassManager()
        manager.add_refprune_pass()
        manager.run(self._final_module, builder)


class _PreoptimisedCode(JITCodeLibrary):
    """Code of a step and of its own steps, optimised; no machine code is made of it."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _StepCode(_KernelCode, _PreoptimisedCode):
    """Code as Numba emits it, to be linked into kernels."""

    def _optimize_final_module(self) -> None:
        pass


# Passes of Numba for what kernels do without, such as array expressions and `with`.
_UNUSED = {InlineOverloads, NopythonRewrites, WithLifting}


class KernelCompiler(Compiler):
    """The compiler of functions that Python calls, and that users wait for."""

    _code: type[JITCodeLibrary] = _KernelCode

    def define_pipelines(self) -> list:
        """Return Numba's passes, which add the code to a library of this kind."""
        state = self.state
        state.library = self._code(
            state.targetctx.codegen(), state.func_id.func_qualname
        )
        state.library.enable_object_caching()
        state.flags.no_cfunc_wrapper = True
        (passes,) = super().define_pipelines()
        passes.passes = [p for p in passes.passes if p[0] not in _UNUSED]
        return [passes]

    def _compile_core(self) -> CompileResult:
        with waiting():
            return super()._compile_core()


class StepCompiler(KernelCompiler):
    """The compiler of functions that only kernels call."""

    _code = _StepCode
    _is_inlined = False

    def define_pipelines(self) -> list:
        """Return the passes, which end without machine code."""
        # Not options of the dispatcher: for each set of these, Numba would compile the
        # functions of NumPy and Python once more.
        flags = self.state.flags
        flags.no_compile = flags.no_cpython_wrapper = True
        flags.forceinline = self._is_inlined
        return super().define_pipelines()

    def _compile_core(self) -> CompileResult:
        """Compile, and tell Numba where the code is when a kernel calls it."""
        step = Compiler._compile_core(self)._replace(entry_point=object())
        step.target_context.insert_user_function(
            step.entry_point, step.fndesc, [step.library]
        )
        return step


class InlinedCompiler(StepCompiler):
    """The compiler of steps that are always copied into what calls them."""

    _is_inlined = True


class PreoptimisedCompiler(InlinedCompiler):
    """The compiler of steps that are optimised before they are copied."""

    _code = _PreoptimisedCode
