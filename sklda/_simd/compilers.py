"""How Numba compiles kernels and their steps, with less work than by default.

Numba optimises each function by itself, makes machine code of it and a wrapper for
Python, and optimises its code again in each function that calls it. Steps, which only
kernels call, need no more than the last of these: LLVM sees their code in the kernel
only. All names here are Numba's own; 0.62 to 0.68 have them.
"""

from typing import Any

import llvmlite.binding as llvm
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, compile_result

from sklda._simd.waiting import waiting

# For what no kernel has: `with`, literal_unroll, branches on types.
_UNUSED_PASSES = {
    "WithLifting",
    "RewriteSemanticConstants",
    "DeadBranchPrune",
    "RewriteDynamicRaises",
    "MakeFunctionToJitFunction",
    "InlineInlinables",
    "FindLiterallyCalls",
    "LiteralUnroll",
    "LiteralPropagationSubPipelinePass",
    "InlineOverloads",
    "NoPythonSupportedFeatureValidation",
    "DumpParforDiagnostics",
}


class _KernelCode(JITCodeLibrary):
    """Code that is optimised when that of all its steps has been linked into it."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        """Optimise twice: LLVM vectorises some loops only after a first run."""
        super()._optimize_final_module()
        manager, options = self._codegen._module_pass_manager()
        manager.run(self._final_module, options)


class _StepCode(_KernelCode):
    """Code as Numba emits it, to be linked into kernels."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _ShortCompiler(Compiler):
    """Numba's passes but for those that no kernel needs."""

    _code: type[JITCodeLibrary]

    def define_pipelines(self) -> list:
        state = self.state
        state.library = self._code(
            state.targetctx.codegen(), state.func_id.func_qualname
        )
        state.library.enable_object_caching()
        state.flags.no_cfunc_wrapper = True
        (manager,) = super().define_pipelines()
        manager.passes = [
            step for step in manager.passes if step[0].__name__ not in _UNUSED_PASSES
        ]
        return [manager]


class KernelCompiler(_ShortCompiler):
    """The compiler of functions that Python calls, and that users wait for."""

    _code = _KernelCode

    def _compile_core(self) -> CompileResult:
        with waiting():
            return super()._compile_core()


class StepCompiler(_ShortCompiler):
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
        step = super()._compile_core()._replace(entry_point=object())
        step.target_context.insert_user_function(
            step.entry_point, step.fndesc, [step.library]
        )
        return step


class InlinedCompiler(StepCompiler):
    """The compiler of steps that are always copied into what calls them."""

    _is_inlined = True


class _StoredSteps(CompileResultCacheImpl):
    """What is stored of a step: its code before LLVM optimises it."""

    def check_cachable(self, cres: CompileResult) -> bool:
        # The code still has addresses of Python's objects, such as the steps that it
        # calls. Numba refuses to store kernels of which LLVM cannot remove them.
        return True

    def reduce(self, cres: CompileResult) -> tuple:
        cres.fndesc.typemap = cres.fndesc.calltypes = None  # as Numba does
        code = cres.library.serialize_using_bitcode()
        return code, cres.fndesc, cres.signature

    def rebuild(self, target_context: Any, payload: tuple) -> CompileResult:
        (name, _, bitcode), fndesc, signature = payload
        library = _StepCode(target_context.codegen(), name)
        library._final_module = llvm.parse_bitcode(bitcode)
        library._finalize_final_module()
        return compile_result(
            typing_context=target_context.typing_context,
            target_context=target_context,
            entry_point=object(),
            signature=signature,
            objectmode=False,
            lifted=(),
            fndesc=fndesc,
            library=library,
            reload_init=[],
        )


class StepCache(FunctionCache):
    """Numba's cache of one step."""

    _impl_class = _StoredSteps
