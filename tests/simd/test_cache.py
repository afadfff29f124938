"""Kernels give the same results whatever the cache contains, or without a cache."""

import errno
import functools
import importlib.util
import logging
import os
import shutil
import tempfile
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import numpy as np
import pytest

from sklda._simd import compile, compilers
from tests.helpers.processes import ROOT, run_python

SOURCE = """
from sklda._simd.compile import kernel

@kernel
def double(x):
    return 2 * x
"""
FIT = """
import hashlib
import numpy as np
from sklda import CollapsedGibbsLDA

X = np.random.default_rng(0).poisson(0.3, (30, 40))
lda = CollapsedGibbsLDA(5, max_iter=4, random_state=0).fit(X)
print(hashlib.sha256(lda.components_.tobytes()).hexdigest())
"""
ANY_PROCESSOR = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}


def refuse(*args, **kwargs):
    raise OSError(errno.ENOSPC, "disk full")


# Single kernels


@pytest.fixture
def define(tmp_path, monkeypatch):
    """Return a function that defines the kernel as a new process does."""
    monkeypatch.setattr(compile, "_has_warned", False)
    monkeypatch.setattr(logging.getLogger("sklda.kernels"), "disabled", False)
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


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: bytes(len(data)),
        lambda data: data.replace(b"\x7fELF", b"\x7fELV"),
    ],
    ids=["empty", "half", "zeros", "code"],
)
def test_damaged_file_is_replaced(define, tmp_path, damage):
    assert not loads(define())
    assert loads(define())
    (path,) = tmp_path.glob("stored/*/*/*.nbc")
    path.write_bytes(damage(path.read_bytes()))
    assert not loads(define())
    assert loads(define())


def test_code_of_other_types_and_other_files_is_not_loaded(define, tmp_path):
    define()(21.0)
    assert not loads(define())
    (tmp_path / "kernel.py").write_text(SOURCE.replace("2 * x", "10 * x"))
    assert define()(21) == 210


def test_change_in_another_file_is_noticed(define, tmp_path, monkeypatch):
    monkeypatch.setattr(compile, "_PACKAGE", tmp_path)
    path = tmp_path / "_family" / "kernels" / "step.py"
    path.parent.mkdir(parents=True)
    os.symlink("user@host.1234:1700000000", path.parent / ".#step.py")  # of an editor
    digest = functools.cache(compile.digest_of_kernels.__wrapped__)
    monkeypatch.setattr(compile, "digest_of_kernels", digest)
    for text in ("before", "after"):
        path.write_text(text)
        digest.cache_clear()
        assert not loads(define())
        assert loads(define())
    assert len([*tmp_path.glob("stored/*/*")]) == 1  # older code is gone


def test_disk_that_fills_up(define, monkeypatch):
    kernels = [define(), define()]
    monkeypatch.setattr(Path, "write_bytes", refuse)
    with pytest.warns(RuntimeWarning, match="could not be stored .*disk full") as found:
        assert [kernel(21) for kernel in kernels] == [42, 42]
    assert len(found) == 1


@pytest.fixture
def write_nothing(monkeypatch):
    """Return a function after which no folder can be written."""

    def write_nothing():
        monkeypatch.setattr(tempfile, "TemporaryFile", refuse)  # by which Numba looks
        monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
        monkeypatch.setattr(Path, "write_bytes", refuse)
        monkeypatch.setattr(shutil, "rmtree", refuse)

    return write_nothing


def test_without_a_folder_the_first_call_warns(define, write_nothing, caplog):
    write_nothing()
    kernels = [define(), define()]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match=r"no cache folder .*NUMBA_CACHE_DIR"):
            kernels[0](21)
        assert [kernel(21) for kernel in kernels] == [42, 42]
    compilers._tell()  # after seconds
    assert caplog.records == []


def test_what_cannot_be_written_is_read(define, write_nothing, monkeypatch, tmp_path):
    define()(21)
    write_nothing()
    assert loads(define())
    # It is read in all folders, also if the first holds other kernels.
    (stored,) = (tmp_path / "stored").iterdir()
    stored.rename(tmp_path / "__pycache__")
    assert loads(define())
    with pytest.warns(RuntimeWarning, match="no cache folder"):
        define()(21.0)


def test_what_a_folder_cannot_hold_is_stored_in_the_next(define, tmp_path):
    (tmp_path / "stored").write_text("not a folder")
    assert not loads(define())
    assert loads(define())
    assert len([*tmp_path.glob("__pycache__/sklda-*/*.nbc")]) == 1


def test_python_may_run_the_kernels(monkeypatch, define):
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    assert define()(21) == 42
    assert define()(np.float64(1e308)) == np.inf  # without a warning


# The package


def test_other_processors_are_refused_at_import():
    code = """
    import sys
    sys.maxsize, sys.byteorder = 2**31 - 1, "big"
    try:
        import sklda
    except ImportError as error:
        print(error)
    """
    assert run_python(code).endswith("32-bit and big-endian")


def fitted(folder: Path, code: str = "", **environment: str) -> str:
    """Return a digest of topics that a new process samples."""
    expected = "-W", "ignore:Each process compiles:RuntimeWarning"
    return run_python(code + FIT, *expected, NUMBA_CACHE_DIR=str(folder), **environment)


@pytest.fixture
def topics():
    return run_python(FIT)


@pytest.mark.slow
@pytest.mark.parametrize(
    "environment",
    [{}, ANY_PROCESSOR, {"NUMBA_DISABLE_JIT": "1"}],
    ids=["random bytes", "another processor", "run by Python"],
)
def test_fit_with_a_cache(topics, tmp_path, environment):
    folder = tmp_path / "cache"
    shutil.copytree(os.environ["NUMBA_CACHE_DIR"], folder)
    for path in () if environment else folder.rglob("*.nbc"):
        path.write_bytes(os.urandom(path.stat().st_size))
    assert fitted(folder, **environment) == topics


@pytest.mark.slow
def test_the_install_page_fills_a_cache(tmp_path):
    page = (ROOT / "doc" / "install.rst").read_text("utf-8")
    line = page.split('RUN python -c "')[1].split('"\n')[0].replace("\\\n", "")
    stored = []
    for topics in ("20, 100", "17, 24, 57, 1000"):  # with the kernels of the first
        code = line.replace("20, 100", topics)
        run_python(code, "-W", "ignore::UserWarning", NUMBA_CACHE_DIR=str(tmp_path))
        stored.append({*tmp_path.rglob("*.nbc")})
    assert stored[0] == stored[1]


@pytest.mark.slow
def test_processes_that_start_at_once(topics, tmp_path):
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(fitted, [tmp_path] * 4))
    assert {*found, fitted(tmp_path)} == {topics}
