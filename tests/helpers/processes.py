"""Other interpreters, KeyboardInterrupt at any instruction, threads and a full disk."""

import _thread
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sklda._simd.compilers import MESSAGE

ROOT = Path(__file__).resolve().parents[2]


def run_python(code: str, *options: str, **environment: str) -> str:
    """Run code in a fresh interpreter beside the checkout and return its output."""
    done = subprocess.run(
        # Their fits are short.
        [
            sys.executable,
            "-W",
            "ignore:max_iter=",
            *options,
            "-c",
            textwrap.dedent(code),
        ],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )
    # On a slow machine, the code may wait long for the compiler.
    stderr = done.stderr.replace(f"{MESSAGE}\n", "")
    assert (done.returncode, stderr) == (0, ""), stderr
    return done.stdout.strip()


def interrupted_at(moment, call, functions=None):
    """Raise KeyboardInterrupt at an instruction of a call; tell if it was reached.

    Instructions are counted in these functions and in what they call themselves, or
    everywhere but in finalisers, whose exceptions Python does not let out.
    """

    def trace(frame, event, _):
        nonlocal moment
        names = {frame.f_code.co_name, frame.f_back.f_code.co_name}
        if "__del__" in names or (functions and names.isdisjoint(functions)):
            return None
        frame.f_trace_opcodes = True
        moment -= event == "opcode"
        if moment == 0:
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    # Python 3.12 has no events of instructions unless a frame asked for them before.
    sys._getframe().f_trace_opcodes = True
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def wait_for_threads(n, seconds=120):
    """Wait until no more than n threads are left beside the main thread."""
    end = time.monotonic() + seconds
    while _thread._count() > n:
        assert time.monotonic() < end, f"{_thread._count()} threads are left, not {n}"
        time.sleep(0)  # they need the interpreter to end


def interrupt(monkeypatch, cls, method, at):
    """Let a method of a class raise KeyboardInterrupt at a call."""
    original = getattr(cls, method)
    calls = []

    def interrupted(self, *args, **kwargs):
        calls.append(method)
        if len(calls) == at:
            raise KeyboardInterrupt
        return original(self, *args, **kwargs)

    monkeypatch.setattr(cls, method, interrupted)


@contextmanager
def no_file_beyond(n_bytes: int) -> Iterator[None]:
    """Let the system refuse to write to files of this process after so many bytes."""
    resource = pytest.importorskip("resource", reason="limits of Unix")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
