"""Who waits for the compiler is told once; meanwhile, no garbage is collected."""

import gc
import logging
import time

import numba
import pytest

from sklda._simd import compile, compilers
from sklda._simd.compilers import MESSAGE


@pytest.fixture(autouse=True)
def new_process(monkeypatch, tmp_path):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "stored"))
    monkeypatch.setattr(compilers, "_waited", 0.0)
    monkeypatch.setattr(logging.getLogger("sklda.kernels"), "disabled", False)


def wait(seconds):
    with compilers.waiting():
        time.sleep(seconds)


def test_short_waits_are_silent_until_they_add_up(caplog, monkeypatch):
    monkeypatch.setattr(compilers, "LONG", 0.5)
    wait(0.2)
    assert caplog.records == []
    wait(0.5)
    wait(0.2)  # one process is told once
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("sklda.kernels", "WARNING")
    assert record.getMessage() == MESSAGE


@pytest.mark.parametrize("collects", [True, False])
def test_garbage_is_collected_afterwards_if_it_was_before(collects):
    assert gc.isenabled()
    try:
        if not collects:
            gc.disable()
        with compilers.waiting():
            assert not gc.isenabled()
        with pytest.raises(ZeroDivisionError), compilers.waiting():
            raise ZeroDivisionError
        assert gc.isenabled() == collects
    finally:
        gc.enable()


def test_without_a_thread_the_message_is_left_out(monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("threading.Thread.start", refuse)
    with compilers.waiting():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_kernels_are_compiled_without_it(monkeypatch):
    @compile.kernel
    def double(x):
        return 2 * x

    disabled, disable = [], gc.disable
    monkeypatch.setattr(gc, "disable", lambda: (disabled.append(True), disable()))
    assert [double(2.5), double(3.5)] == [5, 7]
    assert disabled == [True]
    assert gc.isenabled()
