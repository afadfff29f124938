"""Kernels compile where no file can be written, and where a stored one is damaged."""

import errno
import functools
import importlib.util
import os
import pickle
import tempfile
import warnings
from pathlib import Path

import numba
import numpy as np
import pytest

from sklda._simd import compile
from tests.helpers.processes import run_python

SOURCE = """
from sklda._simd.compile import kernel

@kernel
def double(x):
    return 2 * x
"""


@pytest.fixture(autouse=True)
def not_yet_warned(monkeypatch):
    monkeypatch.setattr(compile, "_has_warned", False)


@pytest.fixture
def define(tmp_path, monkeypatch):
    """Return a function that defines the kernel as a new process does."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "stored"))
    path = tmp_path / "kernel.py"
    path.write_text(SOURCE)

    def execute():
        spec = importlib.util.spec_from_file_location("kernel", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.double

    return execute


def loads(kernel):
    """Return whether the kernel comes from a file, after a call."""
    assert kernel(21) == 42
    return sum(kernel.stats.cache_hits.values()) == 1


def stored(tmp_path, kind) -> Path:
    (path,) = tmp_path.glob(f"stored/*/*.{kind}")
    return path


def refuse(*args, **kwargs):
    raise OSError(errno.ENOSPC, "disk full")


def test_python_cannot_call_what_is_inlined():
    @compile.inlined_kernel
    def double(x):
        return 2 * x

    @compile.kernel
    def fourfold(x):
        return double(double(x))

    for _ in range(2):
        with pytest.raises(TypeError, match="double has no wrapper"):
            double(21)
        assert fourfold(21) == 84  # compiles both


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda data: bytes(len(data)),
        lambda data: pickle.dumps(numba.__version__) + pickle.dumps(None),
    ],
    ids=["empty", "half", "cut", "zeros", "other"],
)
def test_damaged_file_is_replaced(define, tmp_path, kind, damage):
    assert not loads(define())
    assert loads(define())
    path = stored(tmp_path, kind)
    path.write_bytes(damage(path.read_bytes()))
    assert not loads(define())
    assert loads(define())


def test_damaged_code_is_replaced(define, tmp_path):
    define()(21)
    path = stored(tmp_path, "nbc")
    path.write_bytes(path.read_bytes().replace(b"\x7fELF", b"\x7fELV"))
    assert not loads(define())
    assert loads(define())


def test_code_of_an_older_kernel_is_not_loaded(define, tmp_path, monkeypatch):
    assert not loads(define())
    (tmp_path / "kernel.py").write_text(SOURCE.replace("2 * x", "10 * x"))
    replace = os.replace

    def refuse_code(new, path):
        refuse() if path.endswith("nbc") else replace(new, path)

    with monkeypatch.context() as context:
        context.setattr(os, "replace", refuse_code)
        with pytest.warns(RuntimeWarning, match="could not be stored"):
            assert define()(21) == 210  # stores an index, which leads to older code
    assert define()(21) == 210


def test_code_for_other_types_is_not_loaded(define, tmp_path):
    define()(21.0)
    floats = stored(tmp_path, "nbc").read_bytes()
    for path in tmp_path.glob("stored/*/*"):
        path.unlink()
    define()(21)
    stored(tmp_path, "nbc").write_bytes(floats)  # as two processes at once may do
    assert not loads(define())
    assert loads(define())


def test_change_in_another_file_is_noticed(define, tmp_path, monkeypatch):
    monkeypatch.setattr(compile, "_PACKAGE", tmp_path)
    path = tmp_path / "_family" / "kernels" / "step.py"
    path.parent.mkdir(parents=True)
    digest = functools.cache(compile.digest_of_kernels.__wrapped__)
    monkeypatch.setattr(compile, "digest_of_kernels", digest)
    for text in ("before", "after"):
        path.write_text(text)
        digest.cache_clear()
        assert not loads(define())
        assert loads(define())


def test_damaged_file_that_cannot_be_replaced(define, tmp_path, monkeypatch):
    loads(define())
    stored(tmp_path, "nbi").write_bytes(b"")
    monkeypatch.setattr(os, "replace", refuse)
    with pytest.warns(RuntimeWarning, match="could not be stored .*NUMBA_CACHE_DIR"):
        assert not loads(define())


def test_folder_that_fills_up(define, monkeypatch):
    kernels = [define(), define()]
    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    with pytest.warns(RuntimeWarning, match="could not be stored .*disk full") as found:
        assert [kernel(21) for kernel in kernels] == [42, 42]
    assert len(found) == 1


def test_no_folder(define, monkeypatch):
    with monkeypatch.context() as context:
        context.setattr(tempfile, "TemporaryFile", refuse)
        kernels = [define(), define()]
    with pytest.warns(RuntimeWarning, match="NUMBA_CACHE_DIR") as found:
        assert [kernel(21) for kernel in kernels] == [42, 42]
    assert len(found) == 1


def test_warning_as_an_error_stops_the_call_and_not_the_import(define, monkeypatch):
    with monkeypatch.context() as context:
        context.setattr(tempfile, "TemporaryFile", refuse)
        kernel = define()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="no cache folder is writable"):
            kernel(21)
        assert kernel(21) == 42


def test_import_of_sklda_needs_no_folder():
    code = """
    import tempfile
    def refuse(*args, **kwargs):
        raise PermissionError
    tempfile.TemporaryFile = refuse  # with it Numba looks for a folder
    import sklda
    from sklda._simd.vector_math import exp
    assert exp.stats.cache_path is None
    """
    run_python(code, "-W", "error")


def test_python_may_run_the_kernels(monkeypatch, define):
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    assert define()(21) == 42
    assert define()(np.float64(1e308)) == np.inf  # without a warning


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("byteorder", "big", "64-bit and big-endian"),
        ("maxsize", 2**31 - 1, "32-bit and little-endian"),
    ],
)
def test_other_processors_are_refused_at_import(name, value, found):
    code = f"""
    import sys
    sys.{name} = {value!r}
    try:
        import sklda
    except ImportError as error:
        print(error)
    """
    assert run_python(code).endswith(found)
