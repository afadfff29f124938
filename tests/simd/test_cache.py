"""Fits have the same bits whatever the cache contains, and where there is none."""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.helpers.processes import ROOT, run_python

FIT = """
import hashlib
import numpy as np
from sklda import CollapsedGibbsLDA

X = np.random.default_rng(0).poisson(0.3, (30, 40))
lda = CollapsedGibbsLDA(5, max_iter=4, random_state=0).fit(X)
print(hashlib.sha256(lda.components_.tobytes()).hexdigest())
"""
NO_FOLDER = """
import tempfile

def refuse(*args, **kwargs):
    raise PermissionError

tempfile.TemporaryFile = refuse  # with it Numba looks for a folder
"""
FULL_DISK = """
from tests.helpers.processes import no_file_beyond

limit = no_file_beyond(2000)  # indices are stored, and no code
limit.__enter__()
"""
ANY_PROCESSOR = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}


def leave(folder: Path) -> None:
    """Keep the machine code of the other tests."""


def truncate(folder: Path) -> None:
    """Shorten all files to a half."""
    for path in folder.rglob("*.nb?"):
        os.truncate(path, path.stat().st_size // 2)


def randomize(folder: Path) -> None:
    """Fill all files with random bytes."""
    for path in folder.rglob("*.nb?"):
        path.write_bytes(os.urandom(path.stat().st_size))


def fitted(folder: Path, code: str = "", **environment: str) -> str:
    """Return a digest of topics that a new process samples."""
    expected = "-W", "ignore:Each process compiles:RuntimeWarning"
    return run_python(code + FIT, *expected, NUMBA_CACHE_DIR=str(folder), **environment)


@pytest.fixture
def topics():
    return run_python(FIT)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "environment"),
    [
        (truncate, {}),
        (randomize, {}),
        (leave, ANY_PROCESSOR),
        (leave, {"NUMBA_DISABLE_JIT": "1"}),
    ],
    ids=["truncated", "random", "another processor", "run by Python"],
)
def test_fit_with_a_cache(topics, tmp_path, change, environment):
    folder = tmp_path / "cache"
    shutil.copytree(os.environ["NUMBA_CACHE_DIR"], folder)
    change(folder)
    assert fitted(folder, **environment) == topics


@pytest.mark.slow
@pytest.mark.parametrize("code", [NO_FOLDER, FULL_DISK], ids=["no folder", "full disk"])
def test_fit_without_a_cache(topics, tmp_path, code):
    assert fitted(tmp_path, code) == topics
    assert fitted(tmp_path) == topics


@pytest.mark.slow
def test_processes_that_start_at_once(topics, tmp_path):
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(fitted, [tmp_path] * 4))
    assert {*found, fitted(tmp_path)} == {topics}


def test_files_of_editors_are_ignored(tmp_path):
    hidden = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "sklda", tmp_path / "sklda", ignore=hidden)
    os.symlink("user@host.1234:1700000000", tmp_path / "sklda/_sampling/.#problem.py")
    code = f"""
    import sys
    sys.path.insert(0, {str(tmp_path)!r})
    from sklda import CollapsedGibbsLDA
    from sklda._simd import compile
    print(compile.__file__, compile.digest_of_kernels())
    """
    assert run_python(code).startswith(str(tmp_path))
