"""The wheel and the sdist: what they contain, and that they can be built again."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import sklda

ROOT = Path(__file__).resolve().parents[1]
NAME = f"sklda-{sklda.__version__}"
SUFFIXES = {".bz2", ".css", ".html", ".js", ".py", ".rst", ".typed"}
OF_THE_WHEEL = {"METADATA", "RECORD", "WHEEL", "licenses/LICENSE"}
RECIPE = "recipe/"  # has the hash of the sdist, so the sdist cannot have it

pytest.importorskip("hatchling")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("git") is None, reason="needs git"),
]


def tracked(*paths: str) -> set[str]:
    """Return the files below these paths that the repository has."""
    command = ["git", "ls-files", "--", *paths]
    listed = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode != 0:
        pytest.skip("not a checkout of git")
    return set(listed.stdout.splitlines())


def build(source: Path, folder: Path) -> tuple[Path, Path]:
    """Build the sdist and the wheel of a folder; return their paths."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in {"PYTHONPATH", "SOURCE_DATE_EPOCH"}
    }
    for target in ("sdist", "wheel"):
        command = [sys.executable, "-m", "hatchling", "build", "-t", target]
        subprocess.run(
            [*command, "-d", folder], cwd=source, env=environment, check=True
        )
    return folder / f"{NAME}.tar.gz", folder / f"{NAME}-py3-none-any.whl"


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> tuple[Path, Path]:
    """Return the sdist and the wheel of the checkout."""
    return build(ROOT, tmp_path_factory.mktemp("dist"))


def test_wheel_has_the_package_and_nothing_else(built):
    with zipfile.ZipFile(built[1]) as wheel:
        names = set(wheel.namelist())
    package = tracked("sklda")
    assert {Path(name).suffix for name in package} == SUFFIXES
    assert names == package | {f"{NAME}.dist-info/{name}" for name in OF_THE_WHEEL}


def test_sdist_has_the_files_of_the_repository(built):
    with tarfile.open(built[0]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    files = {name for name in tracked() if not name.startswith(RECIPE)}
    assert names == files | {"PKG-INFO"}


def test_sdist_builds_the_same_bytes(built, tmp_path):
    # Its files have other times and another folder than those of the checkout.
    with tarfile.open(built[0]) as sdist:
        sdist.extractall(tmp_path, filter="data")
    (tmp_path / NAME / "PKG-INFO").unlink()  # the build adds it
    again = build(tmp_path / NAME, tmp_path / "dist")
    assert [path.read_bytes() for path in again] == [
        path.read_bytes() for path in built
    ]
