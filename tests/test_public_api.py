"""The public interface: names, docstrings, annotations, what an import costs."""

import ast
import inspect
import json
import re
import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

import sklda
from tests.helpers.processes import run_python
from tests.helpers.public_names import (
    optional_modules,
    parameters,
    public_callables,
    public_modules,
)

MODULES = [*public_modules(), *optional_modules()]
DEPENDENCIES = {"joblib", "numba", "numpy", "scipy", "sklearn"}
BELOW_THEM = {"llvmlite", "threadpoolctl"}  # they come with Numba and scikit-learn


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_all_is_sorted_and_importable(module):
    assert module.__all__ == sorted(set(module.__all__))
    assert module.__all__
    star = {}
    exec(f"from {module.__name__} import *", star)
    assert set(module.__all__) <= set(star)


def test_public_names_beside_all_are_modules():
    # dir(sklda) shows only what we mean to keep.
    extra = {name for name in dir(sklda) if not name.startswith("_")}
    extra -= {*sklda.__all__, "dask"}  # which is there once something imported it
    assert extra == set()


def test_a_name_that_does_not_exist_is_named():
    with pytest.raises(AttributeError, match="'sklda' has no attribute 'LDA'"):
        sklda.LDA  # noqa: B018


# --- docstrings and annotations --------------------------------------------------

# Docstring, parameters and their order, types and descriptions, results.
CHECKED = {"GL08", "PR01", "PR02", "PR03", "PR04", "PR07", "RT01", "RT03", "YD01"}
EVERYTHING = [pytest.param(*pair, id=pair[0]) for pair in public_callables(MODULES)]


@pytest.mark.parametrize(("name", "member"), EVERYTHING)
def test_everything_public_is_explained(name: str, member: Callable):
    validate = pytest.importorskip("numpydoc.validate")
    checked = CHECKED
    # Functions make results, and callers pass nothing.
    if is_dataclass(member) and not hasattr(member, "fit"):
        checked = CHECKED - {"PR01"}
        docstring = inspect.getdoc(member).partition("Attributes\n----------\n")[2]
        explained = re.findall(r"^\w.*(?= : )", docstring, re.MULTILINE)
        names = {name for line in explained for name in line.split(", ")}
        assert {field.name for field in fields(member) if field.name[0] != "_"} <= names
    errors = validate.validate(name)["errors"]
    assert [error for error in errors if error[0] in checked] == []


@pytest.mark.parametrize(("name", "member"), EVERYTHING)
def test_everything_public_is_annotated(name: str, member: Callable):
    known = {parameter.name: parameter.annotation for parameter in parameters(member)}
    if not inspect.isclass(member):
        known["return"] = inspect.signature(member).return_annotation
    assert [name for name in known if known[name] is inspect.Parameter.empty] == []


# --- what an import costs --------------------------------------------------------

IMPORTED = """
import importlib, json, pkgutil, sys
from importlib.util import find_spec
import numba
from numba.core import event
with event.install_recorder("numba:compile") as recorder:
    import sklda
    modules = [*sys.modules]
    signatures = {}
    for found in pkgutil.walk_packages(sklda.__path__, "sklda."):
        if found.name.startswith("sklda.dask") and not find_spec("distributed"):
            continue  # an extra
        for name, member in vars(importlib.import_module(found.name)).items():
            if isinstance(member, numba.core.dispatcher.Dispatcher):
                signatures[f"{found.name}.{name}"] = len(member.signatures)
    events = [len(recorder.buffer)]
    numba.njit("i8(i8)")(lambda x: x)
    events.append(len(recorder.buffer))
print(json.dumps([modules, signatures, events]))
"""


def test_import_loads_no_extra_and_compiles_nothing():
    modules, signatures, events = json.loads(run_python(IMPORTED))
    loaded = {*modules}
    # scikit-learn itself imports pandas where it is installed.
    extras = {"arviz_base", "arviz_stats", "dask", "distributed", "formulaic"}
    assert not loaded & (extras | {"matplotlib", "pooch"})
    assert signatures, "no kernel was found"
    assert {name for name, count in signatures.items() if count} == set()
    assert events[0] == 0
    assert events[1] > 0  # of a function that is compiled when it is defined


def test_modules_import_the_dependencies_only():
    package, found = Path(sklda.__file__).parent, set()
    for path in package.rglob("*.py"):
        if path.relative_to(package).parts[0] != "dask":
            for node in ast.parse(path.read_text("utf-8")).body:
                if isinstance(node, ast.Import):
                    found |= {alias.name.split(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom):
                    found.add(node.module.split(".")[0])
    found -= sys.stdlib_module_names
    assert found <= DEPENDENCIES | BELOW_THEM | {"sklda"}
    assert found > DEPENDENCIES
