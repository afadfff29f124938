"""The time that users wait for the compiler: shorter, and with a word if it is long."""

import gc
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Timer
from typing import Any

from numba.core.compiler import Compiler

LONG = 3.0  # seconds of a process after which its user is told
MESSAGE = "sklda is compiling kernels, which takes seconds, once per machine."

_waited = 0.0
_is_told = False


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
    global _is_told
    if not _is_told:
        _is_told = True
        logging.getLogger("sklda").warning(MESSAGE)


class WaitingCompiler(Compiler):
    """Numba's compiler for functions whose callers wait for it."""

    def _compile_core(self) -> Any:  # 0.61 to 0.68 have this name
        with waiting():
            return super()._compile_core()
