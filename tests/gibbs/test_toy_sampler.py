"""The steps of the page doc/add_a_sampler.rst work, and its mutants are not exact."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gibbs.test_exactness import SMALL
from tests.helpers.enumeration import is_wrong
from tests.helpers.mutants import Edit, interpreted

ROOT = Path(__file__).resolve().parents[2]
DOC = ROOT / "doc"


def edits() -> Iterator[tuple[str, str, str]]:
    """Yield each edit of the page: the file, and its lines before and after."""
    for part in (DOC / "add_a_sampler.diff").read_text("utf-8").split("--- a/")[1:]:
        head, *hunks = re.split(r"^@@\n", part, flags=re.MULTILINE)
        for hunk in hunks:
            lines = hunk.splitlines(keepends=True)
            before = "".join(line[1:] for line in lines if line[0] != "+")
            after = "".join(line[1:] for line in lines if line[0] != "-")
            yield head.split("\n")[0], before, after


@pytest.mark.slow
def test_the_steps_of_the_page_work(tmp_path):
    hidden = shutil.ignore_patterns("__pycache__")
    for name in ("sklda", "tests"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=hidden)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    page = (DOC / "add_a_sampler.rst").read_text("utf-8")
    name = re.search(r"Save this as ``(\S+)``", page)[1]
    shutil.copy(DOC / "toy_sampler.py", tmp_path / name)
    for path, before, after in edits():
        text = (tmp_path / path).read_text("utf-8")
        assert text.count(before) == 1, f"{path} no longer has once:\n{before}"
        (tmp_path / path).write_text(text.replace(before, after), "utf-8")
    command = re.search(r"^   python (-m pytest .*)$", page, re.MULTILINE)[1]
    environment = {n: v for n, v in os.environ.items() if not n.startswith("PYTEST_")}
    run = subprocess.run(
        [sys.executable, *shlex.split(command), "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env=environment | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout


# --- mutants

MUTANTS = {
    "the token counts itself": Edit(
        "sweep_tokens", "D[K] + A[K]", "D[K] + A[K] + (K == z[i])"
    ),
    "alpha is 1 for all topics": Edit("sweep_tokens", "D[K] + A[K]", "D[K] + 1"),
    "V is missing": Edit("sweep_tokens", "B / (N + S)", "B / (N + beta)"),
}


@pytest.mark.parametrize("edit", MUTANTS.values(), ids=MUTANTS)
def test_mutants_fail(edit):
    mutant = interpreted("doc.toy_sampler", [edit], lanes=2).sampler()
    assert is_wrong(mutant, SMALL["words"], 4000, seed=2)


# --- end
