"""Distributions and what describes them: README, citation, recipe, dependencies."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
import textwrap
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest

import sklda
from sklda.datasets import load_state_of_the_union

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.rst").read_text("utf-8")
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]
EXTRAS = PROJECT["optional-dependencies"]
RELEASE = sklda.__version__.partition(".dev")[0]
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def lines_of_git(*command: str) -> set[str]:
    """Return what git prints of the checkout."""
    done = subprocess.run(
        ["git", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        pytest.skip("not a checkout of git")
    return set(done.stdout.splitlines())


# --- the wheel and the sdist -----------------------------------------------------

NAME = f"sklda-{sklda.__version__}"
SUFFIXES = {".bz2", ".css", ".html", ".js", ".py", ".rst", ".typed"}
OF_THE_WHEEL = {"METADATA", "RECORD", "WHEEL", "licenses/LICENSE"}


def build(source: Path, folder: Path) -> tuple[Path, Path]:
    """Build the sdist and the wheel of a folder; return their paths."""
    left_out = {"PYTHONPATH", "SOURCE_DATE_EPOCH"}
    environment = {k: text for k, text in os.environ.items() if k not in left_out}
    for target in ("sdist", "wheel"):
        command = [sys.executable, "-m", "hatchling", "build", "-t", target]
        subprocess.run(
            [*command, "-d", folder], cwd=source, env=environment, check=True
        )
    return folder / f"{NAME}.tar.gz", folder / f"{NAME}-py3-none-any.whl"


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> tuple[Path, Path]:
    """Return the sdist and the wheel of the checkout."""
    pytest.importorskip("hatchling")
    return build(ROOT, tmp_path_factory.mktemp("dist"))


@pytest.mark.slow
@needs_git
def test_wheel_has_the_package_and_nothing_else(built):
    with zipfile.ZipFile(built[1]) as wheel:
        names = set(wheel.namelist())
    package = lines_of_git("ls-files", "--", "sklda")
    assert {Path(name).suffix for name in package} == SUFFIXES
    assert names == package | {f"{NAME}.dist-info/{name}" for name in OF_THE_WHEEL}


@pytest.mark.slow
@needs_git
def test_sdist_has_the_files_of_the_repository(built):
    with tarfile.open(built[0]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    # The recipe has the hash of the sdist, so the sdist cannot have the recipe.
    assert names == lines_of_git("ls-files", "--", ".", ":!recipe") | {"PKG-INFO"}


@pytest.mark.slow
def test_sdist_builds_the_same_bytes(built, tmp_path):
    # Its files have other times and another folder than those of the checkout.
    with tarfile.open(built[0]) as sdist:
        sdist.extractall(tmp_path, filter="data")
    (tmp_path / NAME / "PKG-INFO").unlink()  # the build adds it
    again = build(tmp_path / NAME, tmp_path / "dist")
    assert [path.read_bytes() for path in again] == [
        path.read_bytes() for path in built
    ]


def test_version():
    assert version("sklda") == sklda.__version__, "install the checkout again"


# --- the README and the citation -------------------------------------------------


def targets(text: str) -> list[str]:
    """Return the targets of links and pictures."""
    found = re.findall(r"<([^<>\s]+)>`_", text)
    return found + re.findall(r"(?:image|figure):: (\S+)", text)


def test_relative_targets_of_the_readme_exist():
    for target in targets(README):
        assert "://" in target or (ROOT / target).is_file(), target


@pytest.mark.parametrize(("release", "tag"), [("0.1.0", "v0.1.0"), ("1.dev0", "main")])
def test_readme_of_package_pages_has_no_relative_targets(release, tag):
    pytest.importorskip("hatchling")
    spec = importlib.util.spec_from_file_location("hook", ROOT / ".ci" / "readme.py")
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    metadata = {"version": release, "urls": PROJECT["urls"]}
    hook.CustomMetadataHook.update(SimpleNamespace(root=ROOT), metadata)
    found, repository = metadata["readme"]["text"], PROJECT["urls"]["Repository"]
    expected = [
        target if "://" in target else f"{repository}/{kind}/{tag}/{target}"
        for target in targets(README)
        for kind in [{".png": "raw", ".svg": "raw"}.get(Path(target).suffix, "blob")]
    ]
    assert targets(found) == expected != targets(README)


def block_of_the_readme(name: str, language: str) -> str:
    """Return the block of code below a comment."""
    head = rf"^\.\. {name}\n\n\.\. code-block:: {language}\n\n"
    found = re.search(head + r"((?: +.*\n|\n)+)", README, re.MULTILINE)[1]
    return textwrap.dedent(found)


@pytest.mark.slow
def test_example_of_the_readme_prints_what_stands_below_it(capsys):
    exec(block_of_the_readme("example", "python"), {})
    shown = block_of_the_readme("example-output", "text")
    assert capsys.readouterr().out.split() == shown.split()


def test_five_lines_of_the_readme_write_a_page(tmp_path, monkeypatch):
    code = block_of_the_readme("own-texts", "python")
    _, lines = code.rstrip().split("\n\n")
    assert len(lines.splitlines()) == 5
    monkeypatch.chdir(tmp_path)
    exec(code, {"texts": load_state_of_the_union().data[:100]})
    assert (tmp_path / "topics.html").stat().st_size > 10_000


def test_citation_has_the_version_that_comes_next():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert set(re.findall(r"^ *version: (.+)$", citation, re.MULTILINE)) == {RELEASE}
    page = (ROOT / "doc" / "citing.rst").read_text("utf-8")
    assert f"version = {{{RELEASE}}}" in page
    (year,) = re.findall(r"^  year: (\d+)$", citation, re.MULTILINE)
    assert f"year    = {{{year}}}" in page
    assert f"\n{RELEASE} (" in (ROOT / "CHANGES.rst").read_text("utf-8")


@needs_git
def test_files_with_placeholders_are_listed_for_whoever_publishes():
    steps = "doc/developing/releases.rst"
    files = lines_of_git("grep", "-l", "example.org", "--", ":!*.py") - {steps}
    section = (ROOT / steps).read_text("utf-8").partition("Manual steps")[2]
    assert [path for path in sorted(files) if f"``{path}``" not in section] == []


# --- dependencies ----------------------------------------------------------------


def group(name: str) -> list[str]:
    """Return the packages of a group, and of the groups that it includes."""
    lines = []
    for line in PYPROJECT["dependency-groups"][name]:
        lines += group(line["include-group"]) if isinstance(line, dict) else [line]
    return lines


def test_all_has_the_extras_that_users_need_side_by_side():
    apart = {"all", "diagnostics-plots"}
    assert EXTRAS["all"] == [f"sklda[{','.join(sorted(EXTRAS.keys() - apart))}]"]


def test_extras_in_messages_exist():
    texts = (path.read_text("utf-8") for path in (ROOT / "sklda").rglob("*.py"))
    extra = re.compile(r'(?:sklda\[|import_extra\([^,]+, ")(\w+)')
    named = {name for text in texts for name in extra.findall(text)}
    assert {"pandas", "plot"} < named <= EXTRAS.keys()


def test_oldest_dependencies_of_the_workflow_are_the_floors():
    needed = PROJECT["dependencies"] + EXTRAS["formulas"] + EXTRAS["plot"]
    needed += group("test")
    assert all(re.fullmatch(r"[\w-]+>=[\d.]+", line) for line in needed), needed
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8")
    pins = set(re.findall(r"^ +([\w-]+==[\d.]+)$", workflow, re.MULTILINE))
    assert {line.replace(">=", "==") for line in needed} <= pins


def test_page_of_versions_says_until_when_each_floor_is_supported():
    page = (ROOT / "doc" / "versions.rst").read_text("utf-8")
    rows = re.findall(r"^   \* - (\S+)\n     - (\S+)\n     - \w+ \d{4}\n", page, re.M)
    floors = [f"Python{PROJECT['requires-python']}", *PROJECT["dependencies"]]
    shown = {name.lower(): release for name, release in rows}
    for name, floor in (line.split(">=") for line in floors):
        assert floor.removesuffix(".0") in shown[name.lower()], name


def conda_names(requirements: list[str]) -> set[str]:
    """Return requirements as conda writes them."""
    smaller = {"dask": "dask-core", "matplotlib": "matplotlib-base"}
    found = {tuple(line.partition(">=")[::2]) for line in requirements}
    return {f"{smaller.get(name, name)} >={floor}" for name, floor in found}


def test_recipe_has_the_version_and_the_requirements_of_the_project():
    recipe = ROOT / "recipe" / "recipe.yaml"
    if not recipe.is_file():
        pytest.skip("an sdist has no recipe")
    text = recipe.read_text("utf-8")
    sections = dict(re.findall(r"^  (\w+):\n((?:    - .*\n)+)", text, re.MULTILINE))
    sections = {k: {*re.findall(r"- (.*)\n", v)} for k, v in sections.items()}
    needed = {"python >=${{ python_min }}", *conda_names(PROJECT["dependencies"])}
    assert sections["run"] == needed
    lines = [line for name in EXTRAS for line in EXTRAS[name] if "sklda[" not in line]
    optional = [line for line in lines if "<" not in line and "plots" not in line]
    assert sections["run_constraints"] == conda_names(optional)
    python = PROJECT["requires-python"].removeprefix(">=")
    assert f'python_min: "{python}"\n' in text
    assert f'version: "{RELEASE}"\n' in text
