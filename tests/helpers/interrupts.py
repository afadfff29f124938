"""KeyboardInterrupt at any instruction, and threads that must not outlive it."""

import _thread
import sys
import time


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
