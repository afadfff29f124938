"""The rules of the house, by folder: imports, names, and how long things may be.

    _simd <- _data <- _sampling <- _tables <- _fitted <- _covariates <- _estimators
          <- _engine <- families <- sklda

A family is a folder with a folder ``kernels``, and so is the engine of all chains,
``_engine``. Within it kernels import kernels, samplers import kernels, and estimators
import all of it. A folder may build on
another one only where `BUILDS_ON` says so. There is no list of modules to keep.
"""

import ast
import sys
import tokenize
from collections import Counter, defaultdict
from functools import cache
from graphlib import CycleError, TopologicalSorter
from io import StringIO
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

BUILDS_ON = {
    "_gibbs": {"_engine"},
    "_dmr": {"_engine", "_gibbs"},
    "_ecgs": {"_engine", "_gibbs"},
    "_medlda": {"_engine"},
    "dask": {"_engine", "_gibbs"},
    "diagnostics": {"_engine", "inspection"},
    "model_selection": {"inspection", "metrics"},
}
# From the bottom up; kernels may use the first four.
LAYERS = ["_simd", "_data", "_sampling", "_tables"]
OF_KERNELS = {*LAYERS}
LAYERS += ["_fitted", "_covariates", "_estimators"]
WRAPS = {"dask"}  # folders of estimators that hand out those of other folders
KERNEL_DEPENDENCIES = {"llvmlite", "numba", "numpy"} | sys.stdlib_module_names
PRIVATE_NAMES = "sklda._data.sklearn_private"  # the only file with scikit-learn's
VERSION = "sklda._data.version"  # a public name of sklda that all may import
DECORATOR = "sklda/_simd/compile.py"  # the only file with Numba's

MAX_FILE_LINES = 400  # of code; kernels are long where they avoid calls
MAX_KERNEL_FILE_LINES = 600
MAX_FUNCTION_LINES = 60
MAX_KERNEL_ARGUMENTS = 10
# The most lines of code of each folder. A change that needs more raises the number, and
# its commit message says what else could have gone.
BUDGET = {
    "__init__.py": 30,
    "_covariates": 390,
    "_cvb": 1050,
    "_data": 650,
    "_dmr": 620,
    "_ecgs": 220,
    "_engine": 1550,
    "_estimators": 310,
    "_fitted": 1120,
    "_gibbs": 1140,
    "_medlda": 1330,
    "_sampling": 1050,
    "_simd": 780,
    "_tables": 590,
    "dask": 1250,
    "datasets": 355,
    "diagnostics": 590,
    "inspection": 1720,
    "metrics": 650,
    "model_selection": 440,
}

# Names that several modules define on purpose, because there they mean the same.
SHARED = {
    # Functions of the protocol of samplers, `sklda._sampling.sampler`.
    *("from_topics", "sweep", "counts"),
    # Of kernels that replace each other: over rows or lists, or by another method.
    *("kernel_priors", "sweep_tokens"),
}


# --- reading ---------------------------------------------------------------------


def module_name(path: str) -> str:
    """Turn ``sklda/_data/__init__.py`` into ``sklda._data``."""
    parts = path.removesuffix(".py").split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def parsed(source: str) -> ast.Module:
    """Return the syntax tree of a module, which nobody changes."""
    return ast.parse(source)


@cache
def nodes(source: str) -> list[ast.AST]:
    return list(ast.walk(parsed(source)))


@cache
def imports(source: str) -> list[tuple[str, str | None]]:
    """Return each import as a module and a name taken from it, or None.

    Imports inside functions and under ``if TYPE_CHECKING`` count as well.
    """
    found: list[tuple[str, str | None]] = []
    for node in nodes(source):
        if isinstance(node, ast.Import):
            found += [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [(node.module or "", alias.name) for alias in node.names]
    return found


def arrows(sources: dict[str, str]) -> set[tuple[str, str]]:
    """Return who imports whom among the modules of sklda."""
    modules = {module_name(path) for path in sources}
    found = set()
    for path, source in sources.items():
        for origin, name in imports(source):
            # `from sklda._tables import rows` imports the module rows.
            target = f"{origin}.{name}" if f"{origin}.{name}" in modules else origin
            if target.split(".")[0] == "sklda":
                found.add((module_name(path), target))
    return found


def is_kernel(module: str) -> bool:
    return "kernels" in module.split(".")


# --- rules -----------------------------------------------------------------------


def may_import(importer: str, imported: str) -> bool:
    """Return whether the folders allow an import."""
    folder, other = (f"{module}.".split(".")[1] for module in (importer, imported))
    if importer == "sklda":
        return not is_kernel(imported)
    if is_kernel(imported):  # those of a family serve that family alone
        return folder == other
    if is_kernel(importer):
        return other in OF_KERNELS
    if folder in LAYERS:
        return other in LAYERS[: LAYERS.index(folder) + 1]
    return other in {folder, *LAYERS, *BUILDS_ON.get(folder, set())}


def wraps(module: str, imported: str, public: set[str]) -> bool:
    """Return whether a module may import a file of public names.

    One with a public function may import the estimator of its family that it returns,
    and a family may use the samplers beside the estimators of one that it builds on.
    """
    folder, other = (f"{name}.".split(".")[1] for name in (module, imported))
    builds_on = folder in WRAPS or other in BUILDS_ON.get(folder, set())
    return module == "sklda" or builds_on or (module in public and folder == other)


def import_violations(sources: dict[str, str]) -> list[str]:
    """Return a sentence for each import that goes up, across or round."""
    packages = {module_name(p) for p in sources if p.endswith("/__init__.py")}
    found = arrows(sources)
    estimators = {to for of, to in found if of == "sklda"} - packages - {VERSION}
    wrong = []
    for importer, imported in sorted(found):
        if not may_import(importer, imported):
            wrong.append(f"{importer} must not import {imported}")
        elif imported in packages and importer != "sklda":
            wrong.append(f"{importer} imports the package {imported}, not its modules")
        elif imported in estimators and not wraps(importer, imported, estimators):
            wrong.append(f"{importer} imports {imported}, a file of public names")
    for path, source in sorted(sources.items()):
        for node in nodes(source):
            if isinstance(node, ast.ImportFrom) and node.level > 0:
                wrong.append(f"{module_name(path)} has a relative import")
    graph: dict[str, set[str]] = {}
    for importer, imported in found:
        graph.setdefault(importer, set()).add(imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        wrong.append(f"modules import each other: {' <- '.join(error.args[1])}")
    return wrong


def dependency_violations(sources: dict[str, str]) -> list[str]:
    """Return a sentence for each third package or private name out of its place."""
    wrong = []
    for path, source in sorted(sources.items()):
        module = module_name(path)
        for origin, name in imports(source):
            package, *rest = origin.split(".")
            foreign = package not in {"sklda", ""} | KERNEL_DEPENDENCIES
            if is_kernel(module) and foreign:
                wrong.append(f"{module} is a kernel and imports {package}")
            private = any(
                part.startswith("_") and part != "__version__"
                for part in [*rest, name or ""]
            )
            if package == "sklearn" and private and module != PRIVATE_NAMES:
                wrong.append(f"{module} has a private name of scikit-learn: {origin}")
    return wrong


def numba_violations(sources: dict[str, str]) -> list[str]:
    """Return a sentence for each way of Numba that the kernel contract excludes."""
    wrong = []
    for path, source in sorted(sources.items()):
        # With Numba's decorator, sklda cannot be imported where no file can be written.
        numba = {("numba", None), ("numba", "njit")} & set(imports(source))
        if numba and path != DECORATOR:
            wrong.append(f"{path} takes njit from Numba, not from {DECORATOR}")
        for node in nodes(source):
            name = getattr(node, "id", None) or getattr(node, "attr", None)
            if name is None and isinstance(node, ast.alias):
                name = node.name
            # Numba's own threads abort the process when two threads of Python
            # enter them; a jitclass compiles again in each process.
            if name in {"prange", "jitclass"}:
                wrong.append(f"{path} uses {name}")
            if isinstance(node, ast.keyword) and node.arg == "parallel":
                wrong.append(f"{path} uses parallel=")
            if isinstance(node, ast.FunctionDef) and is_compiled(node):
                n = len(node.args.args)
                if n > MAX_KERNEL_ARGUMENTS:
                    wrong.append(f"{path}: {node.name} takes {n} arguments")
    return wrong


def is_compiled(function: ast.FunctionDef) -> bool:
    return any("kernel" in ast.unparse(node) for node in function.decorator_list)


def name_violations(sources: dict[str, str]) -> list[str]:
    """Return a sentence for each public class or function that has two meanings."""
    public = {name for _, name in imports(sources["sklda/__init__.py"])}
    kinds = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    defined = defaultdict(set)
    for path, source in sources.items():
        wrapped = public if path.split("/")[1] in WRAPS else set()
        for node in parsed(source).body:
            if isinstance(node, kinds) and node.name not in wrapped:
                defined[node.name].add(path)
    return [
        f"{name} is defined in {', '.join(sorted(paths))}"
        for name, paths in sorted(defined.items())
        if name[0] != "_" and (len(paths) > 1) != (name in SHARED)
    ]


@cache
def code_lines(source: str) -> set[int]:
    """Return the numbers of the lines with code, without docstrings and comments."""
    layout = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE}
    layout |= {tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    found: set[int] = set()
    for token in tokenize.generate_tokens(StringIO(source).readline):
        if token.type not in layout:
            found.update(range(token.start[0], token.end[0] + 1))
    for node in nodes(source):
        documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        if isinstance(node, documented) and ast.get_docstring(node) is not None:
            text = node.body[0]
            found.difference_update(range(text.lineno, text.end_lineno + 1))
    return found


def size_violations(sources: dict[str, str]) -> list[str]:
    """Return a sentence for each file and each function that is too long."""
    wrong = []
    for path, source in sorted(sources.items()):
        lines = code_lines(source)
        most = MAX_KERNEL_FILE_LINES if "/kernels/" in path else MAX_FILE_LINES
        if len(lines) > most:
            wrong.append(f"{path} has {len(lines)} lines of code")
        for node in nodes(source):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                inside = range(node.body[0].lineno, node.end_lineno + 1)
                length = len(lines.intersection(inside))
                if length > MAX_FUNCTION_LINES:
                    wrong.append(f"{path}: {node.name} has {length} lines of code")
    return wrong


def budget_violations(sources: dict[str, str]) -> list[str]:
    """Return a sentence for each folder that has more lines of code than its budget."""
    used = Counter()
    for path, source in sources.items():
        used[path.split("/")[1]] += len(code_lines(source))
    return [
        f"{folder} has {n} lines of code, and its budget is {BUDGET.get(folder, 0)}"
        for folder, n in sorted(used.items())
        if n > BUDGET.get(folder, 0)
    ]


CHECKS = [import_violations, dependency_violations, numba_violations, name_violations]
CHECKS += [size_violations, budget_violations]


@pytest.fixture(scope="module")
def package() -> dict[str, str]:
    """Return the text of each module of sklda by its path from the root."""
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted((ROOT / "sklda").rglob("*.py"))
    }


@pytest.mark.parametrize("check", CHECKS)
def test_package(check, package):
    assert check(package) == []


def test_the_package_is_seen(package):
    # A reader that finds no imports would find no faults either.
    found = arrows(package)
    assert ("sklda", "sklda._gibbs.collapsed") in found
    assert ("sklda._gibbs.collapsed", "sklda._sampling.problem") in found
    assert any(is_kernel(of) and is_kernel(to) for of, to in found)
    assert any(is_kernel(to) and not is_kernel(of) for of, to in found)


# --- each rule finds what it forbids ---------------------------------------------


def planted(check, package, path, code):
    """Return the complaints after code was added to a file of the package."""
    path = f"sklda/{path}"
    assert path in package
    return check({**package, path: f"{package[path]}{code}\n"})


OWN, KERNEL = "_gibbs.kernels", "_gibbs/kernels/single_site_lists.py"
ROWS = "_tables/rows.py"


def function_of(length):
    """Return a function of so many lines of code, and of a docstring and a comment."""
    body = (length - 1) * "    x += 1\n"
    docstring = '"""Sum.\n\n    A line.\n    """'
    return f"def f(x):\n    {docstring}\n    # Why.\n{body}    return x"


MANY = ", ".join(f"x{i}" for i in range(MAX_KERNEL_ARGUMENTS))
PLANTED = {
    import_violations: [
        ("_sampling/problem.py", "from sklda._fitted.fold_in import B", "must not"),
        ("_data/checks.py", "from sklda._data import corpus", "each other"),
        ("_estimators/base.py", "from sklda._data import name", "imports the package"),
        (KERNEL, "from sklda._ecgs.kernels import lists", "must not"),
        ("_engine/chain.py", "from .kernels import rows", "relative import"),
        ("_medlda/base.py", "from sklda._medlda.estimators import M", "public names"),
        ("__init__.py", f"from sklda.{OWN} import single_site_lists", "must not"),
        ("_data/corpus.py", "if X:\n    from sklda._engine.chain import C", "must not"),
    ],
    dependency_violations: [
        (KERNEL, "from sklearn.utils import Bunch", "imports sklearn"),
        ("_engine/chain.py", "from sklearn.base import _fit_context", "private name"),
    ],
    numba_violations: [
        (ROWS, "from numba import njit", "takes njit from Numba"),
        (ROWS, "from numba import prange", "uses prange"),
        (ROWS, "from numba.experimental import jitclass", "uses jitclass"),
        (ROWS, "f = numba.njit(parallel=True)(f)", "uses parallel="),
        (ROWS, f"@kernel\ndef f({MANY}, y): ...", "f takes 11 arguments"),
    ],
    name_violations: [
        ("_data/checks.py", "class CVBLDA: ...", "CVBLDA is defined in"),
        ("_data/checks.py", "async def count_type(): ...", "count_type is defined in"),
    ],
    size_violations: [
        (ROWS, MAX_FILE_LINES * "x = 1\n", f"{ROWS} has"),
        (KERNEL, MAX_KERNEL_FILE_LINES * "x = 1\n", f"{KERNEL} has"),
        (ROWS, function_of(MAX_FUNCTION_LINES + 1), "f has 61 lines of code"),
    ],
    budget_violations: [(ROWS, 1000 * "x = 1\n", "lines of code, and its budget is")],
}


@pytest.mark.parametrize(
    ("check", "path", "code", "complaint"),
    [(check, *fault) for check, faults in PLANTED.items() for fault in faults],
)
def test_planted_fault_is_found(package, check, path, code, complaint):
    wrong = planted(check, package, path, code)
    assert wrong
    assert complaint in wrong[0]


def test_as_much_as_allowed_is_no_fault(package):
    code = f"@kernel\ndef f({MANY}): 0"
    assert planted(numba_violations, package, ROWS, code) == []
    assert size_violations({"a.py": function_of(MAX_FUNCTION_LINES)}) == []
    assert size_violations({"a.py": MAX_FILE_LINES * "x = 1\n"}) == []
