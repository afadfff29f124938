"""The public interface: names, documentation, annotations, the installed files."""

import ast
import inspect
import json
import re
import sys
import textwrap
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import Path

import pytest

import sklda
from tests.helpers.interpreter import run_python
from tests.helpers.public_names import (
    optional_modules,
    parameters,
    public_callables,
    public_modules,
)

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = ["dask", "datasets", "diagnostics", "formulas", "pandas", "plot"]


PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def project() -> dict:
    """Return what pyproject.toml says of the package."""
    return PYPROJECT["project"]


def optional_dependencies() -> dict[str, list[str]]:
    return project()["optional-dependencies"]


def group(name: str) -> list[str]:
    """Return the packages of a group, and of the groups that it includes."""
    lines = []
    for line in PYPROJECT["dependency-groups"][name]:
        included = group(line["include-group"]) if isinstance(line, dict) else [line]
        lines.extend(included)
    return lines


def oldest_dependencies() -> list[str]:
    """Return the floors that the jobs with the oldest dependencies install."""
    extras = optional_dependencies()
    users = project()["dependencies"] + extras["formulas"] + extras["plot"]
    return users + group("test")


# --- names -------------------------------------------------------------------


MODULES = [*public_modules(), *optional_modules()]


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_all_is_sorted_and_importable(module):
    assert module.__all__ == sorted(module.__all__)
    assert len(module.__all__) == len(set(module.__all__))
    assert module.__all__
    star = {}
    exec(f"from {module.__name__} import *", star)
    assert set(module.__all__) <= set(star)


def test_public_names_beside_all_are_modules():
    # dir(sklda) shows only what we mean to keep.
    extra = {name for name in dir(sklda) if not name.startswith("_")}
    extra -= {*sklda.__all__, "dask"}  # which is there once something imported it
    assert extra == set()


def imported_by(code: str) -> set[str]:
    """Return the names of the modules that a new process has after this code."""
    return set(run_python(f"import sys\n{code}\nprint(*sys.modules)").split())


def test_import_loads_only_what_is_used():
    loaded = imported_by("from sklda import CollapsedGibbsLDA")
    assert "sklda._gibbs.collapsed" in loaded
    others = ("_cvb", "_ecgs", "_dmr", "_medlda", "dask", *sklda.__all__)
    assert not loaded & {f"sklda.{name}" for name in others}


EACH_ALONE = """
import sys
import sklda
for name in sklda.__all__:
    for module in [m for m in sys.modules if m.partition(".")[0] == "sklda"]:
        del sys.modules[module]
    import sklda
    getattr(sklda, name).__doc__
"""


def test_each_name_needs_no_import_but_that_of_sklda():
    run_python(EACH_ALONE)


def test_a_name_that_does_not_exist_is_named():
    with pytest.raises(AttributeError, match="'sklda' has no attribute 'LDA'"):
        sklda.LDA  # noqa: B018


# --- documentation and annotations -------------------------------------------


def documented_names(sections: Mapping, section: str) -> list[str]:
    """Return the names in a section of a docstring, such as "Parameters"."""
    lines = [line.name for line in sections[section]]
    return [name.strip().lstrip("*") for line in lines for name in line.split(",")]


def complaints(name: str, member: Callable) -> list[str]:
    """Return a sentence for each parameter or result that is not explained."""
    docscrape = pytest.importorskip("numpydoc.docscrape")
    docstring = inspect.getdoc(member) or ""
    wrong = []
    if not docstring:
        wrong.append(f"{name} has no docstring")
    expected = [parameter.name for parameter in parameters(member)]
    sections = docscrape.NumpyDocString(docstring)
    documented = documented_names(sections, "Parameters")
    if documented != expected:
        wrong.append(f"{name} documents {documented}, its parameters are {expected}")
    if is_dataclass(member) and not hasattr(member, "fit"):  # a result
        names = {field.name for field in fields(member) if field.name[0] != "_"}
        missing = names - {*documented_names(sections, "Attributes")}
        wrong += [f"{name} does not explain {field}" for field in sorted(missing)]
    wrong += [
        f"{name}: {parameter.name} has no annotation"
        for parameter in parameters(member)
        if parameter.annotation is parameter.empty
    ]
    if not inspect.isclass(member):
        signature = inspect.signature(member)
        result = signature.return_annotation
        if result is signature.empty:
            wrong.append(f"{name}: the result has no annotation")
        elif result not in {None, "None"}:
            if not sections["Returns"] + sections["Yields"]:
                wrong.append(f"{name} does not say what it returns")
    return wrong


@pytest.mark.parametrize(
    ("name", "member"),
    [pytest.param(*pair, id=pair[0]) for pair in public_callables(MODULES)],
)
def test_everything_public_is_explained(name, member):
    assert complaints(name, member) == []


def explained(first: int, second: str = "") -> str:
    """Do.

    Parameters
    ----------
    first : int
        One.
    second : str, default=""
        Two.

    Returns
    -------
    str
        Three.
    """


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("    first : int\n        One.\n", "", r"documents \['second'\]"),
        ("    second : str", "    third : str", r"documents \['first', 'third'\]"),
        ("Returns\n    -------", "Notes\n    -----", "does not say what it returns"),
        ("first: int, ", "first, ", "first has no annotation"),
        (" -> str:", ":", "the result has no annotation"),
    ],
)
def test_missing_explanation_is_found(old, new, complaint):
    assert complaints("explained", explained) == []
    source = inspect.getsource(explained)
    assert source.count(old) == 1
    namespace = {}
    exec(source.replace(old, new), namespace)
    wrong = complaints("explained", namespace["explained"])
    assert len(wrong) == 1
    assert re.search(complaint, wrong[0])


# --- what an import costs ----------------------------------------------------


# scikit-learn imports pandas if it is installed, so sys.modules says nothing about
# sklda. This records what the files of sklda try to import.
IMPORTED_BY = """
import builtins, json
real_import, asked = builtins.__import__, set()
def noting_import(name, globals=None, locals=None, fromlist=(), level=0):
    importer = (globals or {}).get("__name__", "")
    if level == 0 and importer.split(".")[0] == "sklda":
        asked.add(name.split(".")[0])
    return real_import(name, globals, locals, fromlist, level)
builtins.__import__ = noting_import
IMPORTS
print(json.dumps([sorted(asked), list(__import__("sys").modules)]))
"""


def test_import_asks_for_the_dependencies_only():
    modules = [module.__name__ for module in public_modules()]
    lines = [f"import {', '.join(modules)}", *(f"from {m} import *" for m in modules)]
    code = IMPORTED_BY.replace("IMPORTS", "\n".join(lines))
    asked, loaded = map(set, json.loads(run_python(code)))
    asked -= sys.stdlib_module_names
    assert {"numba", "numpy", "sklearn"} <= asked
    lines = [line for name in EXTRAS for line in optional_dependencies()[name]]
    packages = {re.match(r"[\w-]+", line).group().replace("-", "_") for line in lines}
    assert {"matplotlib", "pandas", "dask"} < packages
    # scikit-learn itself imports pandas where it is installed.
    assert not loaded & (packages - {"pandas"})
    numba = {"llvmlite", "numba"}  # neither comes without the other
    assert asked <= numba | {
        "joblib",
        "numpy",
        "scipy",
        "sklda",
        "sklearn",
        "threadpoolctl",
    }


def unguarded_imports(source: str) -> set[str]:
    """Return what a file of tests cannot be collected without."""
    skipped = {
        name.split(".")[0] for name in re.findall(r'importorskip\("(.+?)"', source)
    }
    found = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found - skipped - sys.stdlib_module_names


def test_tests_can_be_collected_with_the_dependencies_of_the_tests():
    names = {re.match(r"[\w-]+", line).group() for line in oldest_dependencies()}
    names |= {"sklearn", "threadpoolctl", "sklda", "tests", "benchmarks"}
    # The conftest of this folder skips it where Dask is absent.
    more = {"dask": {"dask", "distributed"}}
    for path in (ROOT / "tests").rglob("*.py"):
        found = unguarded_imports(path.read_text(encoding="utf-8"))
        assert found <= names | more.get(path.parent.name, set()), path.name


def test_an_unguarded_import_is_found():
    assert unguarded_imports("import numpydoc.docscrape\nimport sys") == {"numpydoc"}
    assert unguarded_imports('importorskip("numpydoc.x")\nimport numpydoc') == set()


# Numba reports no event for a kernel from the cache on disk, so this returns both the
# events of the compiler and the signatures of what was loaded.
COMPILED_BY = """
import importlib, json, pkgutil
from importlib.util import find_spec
import numba
from numba.core import event
with event.install_recorder("numba:compile") as recorder:
    import sklda
    from sklda import *
    signatures = {}
    for found in pkgutil.walk_packages(sklda.__path__, "sklda."):
        if found.name.startswith("sklda.dask") and not find_spec("distributed"):
            continue  # an extra
        for name, member in vars(importlib.import_module(found.name)).items():
            if isinstance(member, numba.core.dispatcher.Dispatcher):
                signatures[f"{found.name}.{name}"] = len(member.signatures)
    found = len(recorder.buffer)
    planted = numba.njit("i8(i8)")(lambda x: x)
    found_after = len(recorder.buffer)
print(json.dumps([found, signatures, [found_after - found, len(planted.signatures)]]))
"""


def test_import_compiles_nothing():
    events, signatures, planted = json.loads(run_python(COMPILED_BY))
    assert events == 0
    assert signatures, "no kernel was found"
    assert {name for name, count in signatures.items() if count} == set()
    events, count = planted  # of a function that is compiled when it is defined
    assert events > 0
    assert count == 1


# --- the installed distribution ----------------------------------------------


@pytest.fixture(scope="module")
def installed() -> Distribution:
    """Return what pip knows of sklda in this environment."""
    try:
        return distribution("sklda")
    except PackageNotFoundError:
        pytest.fail(
            'sklda is not installed: python -m pip install -e ".[all]" --group test'
        )


def test_version(installed):
    assert installed.version == sklda.__version__, "install the checkout again"


def test_package_is_typed():
    assert (files(sklda) / "py.typed").is_file()


def test_every_module_is_installed(installed):
    origin = json.loads(installed.read_text("direct_url.json") or "{}")
    if origin.get("dir_info", {}).get("editable"):
        pytest.skip("an editable installation holds no copy of the package")
    shipped = {path.as_posix() for path in installed.files}
    shipped = {path for path in shipped if path.startswith("sklda/")}
    suffixes = {".py", ".html", ".css", ".js"}
    modules = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "sklda").rglob("*")
        if path.suffix in suffixes
    }
    assert {path for path in shipped if Path(path).suffix in suffixes} == modules, (
        "install the checkout again"
    )
    assert "sklda/py.typed" in shipped


def test_all_has_the_extras_that_users_need_side_by_side():
    (everything,) = optional_dependencies()["all"]
    assert everything == f"sklda[{','.join(EXTRAS)}]"
    assert optional_dependencies().keys() == {*EXTRAS, "all", "diagnostics-plots"}


def test_extras_in_messages_exist():
    texts = (path.read_text("utf-8") for path in (ROOT / "sklda").rglob("*.py"))
    extra = re.compile(r'(?:sklda\[|import_extra\([^,]+, ")(\w+)')
    named = {name for text in texts for name in extra.findall(text)}
    assert {"pandas", "plot"} < named <= optional_dependencies().keys()


def test_oldest_dependencies_of_the_workflow_are_the_floors():
    needed = oldest_dependencies()
    assert all(re.fullmatch(r"[\w-]+>=[\d.]+", line) for line in needed), needed
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8")
    pins = set(re.findall(r"^ +([\w-]+==[\d.]+)$", workflow, re.MULTILINE))
    assert {line.replace(">=", "==") for line in needed} <= pins


# --- the README and the citation ---------------------------------------------


def readme_block(marker: str, language: str) -> str:
    """Return the block of the README below a comment."""
    (block,) = re.findall(
        rf"^\.\. {marker}\n\n\.\. code-block:: {language}\n\n((?: +.*\n|\n)+)",
        (ROOT / "README.rst").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    return textwrap.dedent(block)


@pytest.mark.slow
def test_example_of_the_readme_prints_what_stands_below_it():
    shown = readme_block("ten-lines-output", "text")
    printed = run_python(readme_block("ten-lines", "python"))
    assert printed.split() == shown.split()


def test_citation_has_the_version_that_comes_next():
    version = sklda.__version__.partition(".dev")[0]
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert set(re.findall(r"^ *version: (.+)$", citation, re.MULTILINE)) == {version}
    page = (ROOT / "doc" / "citing.rst").read_text("utf-8")
    assert f"version = {{{version}}}" in page
    years = re.findall(r"^  year: (\d+)$", citation, re.MULTILINE)
    assert len(years) == 1
    assert f"year    = {{{years[0]}}}" in page
    assert f"\n{version} (" in (ROOT / "CHANGES.rst").read_text("utf-8")
