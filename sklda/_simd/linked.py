"""Functions that only kernels call: LLVM works on their code once, in the kernel.

Numba optimises each function by itself, makes machine code of it and a wrapper for
Python, and optimises its code again in each function that calls it. For steps of a
kernel, all but the last of these would be half of the time of a first call.
"""

import gc
from typing import Any

import llvmlite.binding as llvm
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, compile_result


class LinkedCode(JITCodeLibrary):
    """Code as Numba emits it, to be linked into kernels."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


# Passes for what kernels of sklda do not have: closures, literal_unroll, with blocks.
_UNUSED = {
    "WithLifting",
    "InlineClosureLikes",
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


class KernelCompiler(Compiler):
    def define_pipelines(self) -> list:
        self.state.flags.no_cfunc_wrapper = True
        (passes,) = super().define_pipelines()
        passes.passes = [p for p in passes.passes if p[0].__name__ not in _UNUSED]
        return [passes]

    def _compile_core(self) -> CompileResult:
        if not gc.isenabled():
            return super()._compile_core()
        gc.disable()
        try:
            return super()._compile_core()
        finally:
            gc.enable()


class StepCompiler(KernelCompiler):
    """Numba's steps from bytecode to LLVM's language, which end there."""

    inline = False

    def define_pipelines(self) -> list:
        state = self.state
        codegen = state.targetctx.codegen()
        state.library = LinkedCode(codegen, state.func_id.func_qualname)
        state.flags.no_compile = True
        state.flags.no_cpython_wrapper = True
        state.flags.forceinline = self.inline
        return super().define_pipelines()

    def _compile_core(self) -> CompileResult:
        compiled = super()._compile_core()._replace(entry_point=object())
        function = compiled.entry_point, compiled.fndesc, [compiled.library]
        compiled.target_context.insert_user_function(*function)
        return compiled


class InlinedCompiler(StepCompiler):
    inline = True


class _Impl(CompileResultCacheImpl):
    """What is stored of such a function."""

    def reduce(self, compiled: CompileResult) -> tuple:
        compiled.fndesc.typemap = compiled.fndesc.calltypes = None
        _, _, bitcode = compiled.library.serialize_using_bitcode()
        return compiled.library.name, bitcode, compiled.fndesc, compiled.signature

    def rebuild(self, target_context: Any, stored: tuple) -> CompileResult:
        name, bitcode, fndesc, signature = stored
        library = LinkedCode(target_context.codegen(), name)
        library._final_module = llvm.parse_bitcode(bitcode)
        library._finalize_final_module()
        return compile_result(
            typing_context=target_context.typing_context,
            target_context=target_context,
            entry_point=object(),  # a name for it
            signature=signature,
            objectmode=False,
            lifted=(),
            fndesc=fndesc,
            library=library,
            reload_init=[],
        )


class LinkedCache(FunctionCache):
    """Numba's cache of such a function."""

    _impl_class = _Impl
