"""What is beside the package: README of package pages, recipe, placeholders."""

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import sklda

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.rst").read_text("utf-8")
REPOSITORY = "https://example.org/sklda"
STEPS = "doc/developing/releases.rst"  # for whoever publishes
RECIPE = ROOT / "recipe" / "recipe.yaml"
OF_CONDA = {
    "dask": "dask-core",
    "matplotlib": "matplotlib-base",
}  # the smaller packages


@pytest.fixture
def hook(monkeypatch):
    """Return the module that the build runs, without the packages of the build."""
    name = "hatchling.metadata.plugin.interface"
    fake = ModuleType(name)
    fake.MetadataHookInterface = object
    monkeypatch.setitem(sys.modules, name, fake)
    for parent in ("hatchling.metadata.plugin", "hatchling.metadata", "hatchling"):
        monkeypatch.setitem(sys.modules, parent, ModuleType(parent))
    spec = importlib.util.spec_from_file_location("hook", ROOT / ".ci" / "readme.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def targets(text: str) -> list[str]:
    """Return the targets of links and pictures."""
    found = re.findall(r"<([^<>\s]+)>`_", text)
    return found + re.findall(r"(?:image|figure):: (\S+)", text)


@pytest.mark.parametrize(
    ("version", "tag"), [("0.1.0", "v0.1.0"), ("1.2.dev0", "main")]
)
def test_readme_of_package_pages_has_no_relative_targets(hook, version, tag):
    metadata = {"version": version, "urls": {"Repository": REPOSITORY}}
    hook.CustomMetadataHook.update(SimpleNamespace(root=ROOT), metadata)
    found = targets(metadata["readme"]["text"])
    relative = [target for target in targets(README) if "://" not in target]
    assert len(relative) > 3
    assert len(found) == len(targets(README))
    assert [target for target in found if "://" not in target] == []
    (picture,) = re.findall(r"image:: (\S+)", README)
    assert f"{REPOSITORY}/raw/{tag}/{picture}" in found
    assert f"{REPOSITORY}/blob/{tag}/CHANGES.rst" in found


def test_addresses_stay_as_they_are(hook):
    text = "`NumPy <https://numpy.org>`__ `us <a/b.rst>`__ <x>\n\n.. image:: c.png\n"
    found = targets(hook.with_addresses(text, "https://h/r", "v1"))
    assert found == [
        "https://numpy.org",
        "https://h/r/blob/v1/a/b.rst",
        "https://h/r/raw/v1/c.png",
    ]


def test_relative_targets_of_the_readme_exist():
    for target in targets(README):
        assert "://" in target or (ROOT / target).is_file(), target


def recipe_section(name: str) -> set[str]:
    """Return the lines of a list in the recipe, which says how conda builds sklda."""
    if not RECIPE.is_file():
        pytest.skip("an sdist has no recipe")
    text = RECIPE.read_text("utf-8")
    (found,) = re.findall(rf"^  {name}:\n((?:    - .*\n)+)", text, re.MULTILINE)
    return {line.removeprefix("    - ") for line in found.splitlines()}


def conda_names(requirements: list[str]) -> set[str]:
    """Return requirements as conda writes them."""
    found = {tuple(line.partition(">=")[::2]) for line in requirements}
    return {f"{OF_CONDA.get(name, name)} >={floor}" for name, floor in found}


def test_recipe_has_the_version_and_the_requirements_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = {"python >=${{ python_min }}", *conda_names(project["dependencies"])}
    assert recipe_section("run") == needed
    extras = project["optional-dependencies"]
    lines = [line for name in extras for line in extras[name] if "sklda[" not in line]
    optional = {line for line in lines if "<" not in line and "plots" not in line}
    assert recipe_section("run_constraints") == conda_names(sorted(optional))
    text = RECIPE.read_text("utf-8")
    python = project["requires-python"].removeprefix(">=")
    version = sklda.__version__.partition(".dev")[0]
    assert f'python_min: "{python}"\n' in text
    assert f'version: "{version}"\n' in text


def test_page_of_versions_says_until_when_each_floor_is_supported():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    page = (ROOT / "doc" / "versions.rst").read_text("utf-8")
    rows = re.findall(r"^   \* - (\S+)\n     - (\S+)\n     - \w+ \d{4}\n", page, re.M)
    floors = [f"Python{project['requires-python']}", *project["dependencies"]]
    shown = {name.lower(): version for name, version in rows}
    for name, floor in (line.split(">=") for line in floors):
        assert floor.removesuffix(".0") in shown[name.lower()], name


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_files_with_placeholders_are_listed_for_whoever_publishes():
    listed = subprocess.run(
        ["git", "grep", "-l", "example.org", "--", ":!*.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("not a checkout of git")
    text = (ROOT / STEPS).read_text("utf-8")
    section = text.partition("Manual steps")[2]
    files = set(listed.stdout.split()) - {STEPS}
    assert [path for path in sorted(files) if f"``{path}``" not in section] == []
