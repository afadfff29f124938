"""The floors of the package: imports only go down, and files stay short.

5  ``sklda``: the public names
4  estimators
3  ``_base``
2  NumPy level: corpus, sampling loop, priors, metrics, inspection, data sets
1  kernels: one algorithm each, on Numba and NumPy alone
0  what all kernels share
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

ESTIMATORS = frozenset(
    {
        "sklda._cvb.estimator",
        "sklda._ecgs.estimator",
        "sklda._gibbs.collapsed",
        "sklda._medlda.classifier",
        "sklda._medlda.regressor",
    }
)
FLOORS = {
    "sklda": 5,
    **dict.fromkeys(ESTIMATORS, 4),
    "sklda._base.estimator": 3,
    "sklda._medlda.base": 3,
    "sklda._gibbs.adaptive": 2,
    "sklda._gibbs.uncollapsed_sampler": 2,
    "sklda._core.threads": 2,
    "sklda._cvb.bound": 2,
    "sklda._base.fold_in": 2,
    "sklda._base.sklearn_private": 2,
    "sklda._core.corpus": 2,
    "sklda._gibbs.chain": 2,
    "sklda._ecgs.sampler": 2,
    "sklda._medlda.chain": 2,
    "sklda._core.minka": 2,
    "sklda._base.fitted_topics": 2,
    "sklda._cvb.engine": 2,
    "sklda.metrics": 2,
    "sklda.inspection": 2,
    "sklda.datasets": 2,
    # The package itself is on the lowest floor so that it imports no kernel.
    "sklda._kernels": 0,
    "sklda._core.problem": 0,
    "sklda._gibbs.kernels.blocked.backward": 0,
    "sklda._gibbs.kernels.blocked.blocks": 0,
    "sklda._core.rows": 0,
    "sklda._core.document": 0,
    "sklda._core.random_streams": 0,
    "sklda._medlda.kernels.labels": 0,
    "sklda._gibbs.kernels.blocked.large": 0,
    "sklda._core.lists": 0,
    "sklda._core.prefetch": 0,
    "sklda._core.random_topics": 0,
    "sklda._cvb.kernels.moments": 0,
    "sklda._gibbs.kernels.blocked.nested": 0,
    "sklda._gibbs.kernels.blocked.small": 0,
    "sklda._core.vector_math": 0,
}
KERNEL_DEPENDENCIES = {"llvmlite", "numba", "numpy"} | sys.stdlib_module_names

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60


def floor_of(module: str) -> int | None:
    """Return the floor of a module, None if nobody has given it one."""
    if module in FLOORS:
        return FLOORS[module]
    if module.startswith("sklda._kernels."):
        return 1
    if module.startswith(("sklda.datasets.", "sklda.inspection.")):
        return 2
    return None


def module_name(path: str) -> str:
    """Turn ``sklda/_kernels/__init__.py`` into ``sklda._kernels``."""
    parts = path.removesuffix(".py").split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: str, tree: ast.Module) -> Iterator[tuple[str, str | None]]:
    """Yield each import as an absolute module and a name taken from it, or None.

    Imports inside functions and under ``if TYPE_CHECKING`` are arrows as well.
    """
    package = path.split("/")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, None
        elif isinstance(node, ast.ImportFrom):
            parents = package[: len(package) + 1 - node.level] if node.level else []
            origin = ".".join([*parents, *([node.module] if node.module else [])])
            for alias in node.names:
                yield origin, alias.name


def arrows(sources: dict[str, str]) -> set[tuple[str, str]]:
    """Return who imports whom among the modules of sklda."""
    modules = {module_name(path) for path in sources}
    found = set()
    for path, source in sources.items():
        for origin, name in imports(path, ast.parse(source)):
            # `from ._kernels import single_site` imports the module single_site.
            target = f"{origin}.{name}" if f"{origin}.{name}" in modules else origin
            if target.split(".")[0] == "sklda":
                found.add((module_name(path), target))
    return found


def floor_violations(sources: dict[str, str]) -> list[str]:
    """Return a sentence for each module off the floors and each wrong arrow."""
    wrong = [
        f"{module} has no floor: give it one in FLOORS of {Path(__file__).name}"
        for module in sorted(map(module_name, sources))
        if floor_of(module) is None
    ]
    for importer, imported in sorted(arrows(sources)):
        above, below = floor_of(importer), floor_of(imported)
        if above is None:
            continue  # named already
        if below is None:
            wrong.append(f"{importer} imports {imported}, which has no floor")
        elif below > above:
            wrong.append(
                f"{importer} (floor {above}) imports {imported} (floor {below}): up"
            )
        elif above == below == 4:
            wrong.append(f"{importer} imports {imported}: both are estimators")
        elif above == below == 1:
            wrong.append(f"{importer} imports {imported}: both are algorithms")
    return wrong


def dependency_violations(sources: dict[str, str]) -> list[str]:
    """Return a sentence for each third package or private name out of its place."""
    wrong = []
    private = {}
    for path, source in sorted(sources.items()):
        module = module_name(path)
        for origin, name in imports(path, ast.parse(source)):
            package, *rest = origin.split(".")
            if module.startswith("sklda._kernels") and package != "sklda":
                if package not in KERNEL_DEPENDENCIES:
                    wrong.append(f"{module} is a kernel and imports {package}")
            if package == "sklearn" and any(
                part.startswith("_") and part != "__version__"
                for part in [*rest, name or ""]
            ):
                private.setdefault(module, f"{origin}.{name}" if name else origin)
    if len(private) > 1:
        names = ", ".join(f"{module} ({name})" for module, name in private.items())
        wrong.append(f"private names of scikit-learn in more than one file: {names}")
    return wrong


def kernel_violations(sources: dict[str, str]) -> list[str]:
    """Return a sentence for each way of Numba that the kernel contract excludes."""
    wrong = []
    for path, source in sorted(sources.items()):
        if not path.startswith("sklda/_kernels/"):
            continue
        for node in ast.walk(ast.parse(source)):
            name = getattr(node, "id", None) or getattr(node, "attr", None)
            if name is None and isinstance(node, ast.alias):
                name = node.name
            # Numba's own threads abort the process when two threads of Python
            # enter them; a jitclass compiles again in each process.
            if name in {"prange", "jitclass"}:
                wrong.append(f"{path} uses {name}")
            if isinstance(node, ast.keyword) and node.arg == "parallel":
                wrong.append(f"{path} uses parallel=")
    return wrong


def code_lines(function: ast.FunctionDef, lines: list[str]) -> int:
    """Count the lines of a body without docstring, comments and blank lines."""
    body = function.body
    if ast.get_docstring(function) is not None:
        body = body[1:]
    if not body:
        return 0
    text = lines[body[0].lineno - 1 : function.end_lineno]
    return sum(1 for line in text if line.strip() and not line.strip().startswith("#"))


def size_violations(sources: dict[str, str]) -> list[str]:
    """Return a sentence for each file and each function that is too long."""
    wrong = []
    for path, source in sorted(sources.items()):
        lines = source.splitlines()
        if len(lines) >= MAX_FILE_LINES:
            wrong.append(f"{path} has {len(lines)} lines")
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = code_lines(node, lines)
                if length > MAX_FUNCTION_LINES:
                    wrong.append(f"{path}: {node.name} has {length} lines of code")
    return wrong


CHECKS = [floor_violations, dependency_violations, kernel_violations, size_violations]


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


def test_arrows_of_the_package_are_seen(package):
    # Without it a reader that sees no import would pass everything.
    assert ("sklda", "sklda._gibbs.collapsed") in arrows(package)
    assert ("sklda._gibbs.collapsed", "sklda._base.estimator") in arrows(package)
    assert any(
        floor_of(importer) >= 2 and floor_of(imported) == 1
        for importer, imported in arrows(package)
    )


# A small package without fault, into which the tests below plant one fault each.
SOUND = {
    "sklda/__init__.py": "from . import datasets\nfrom ._gibbs import Gibbs\n",
    "sklda/_gibbs.py": (
        "from ._base import Base\nfrom ._kernels import blocked, single_site\n"
    ),
    "sklda/_cvb.py": "from sklda._base.estimator import Base\nimport sklda._kernels.cvb\n",
    "sklda/_base.py": (
        "from sklearn.base import BaseEstimator, _fit_context\n"
        "from sklearn.utils._param_validation import Interval\n"
        "from ._sampling import run\n"
    ),
    "sklda/_sampling.py": "from joblib import Parallel\nfrom . import _priors\n",
    "sklda/_priors.py": "from ._kernels.special import psi\n",
    "sklda/datasets/__init__.py": "from ._synthetic import make_bars\n",
    "sklda/datasets/_synthetic.py": "from sklearn.utils import Bunch\n",
    "sklda/_kernels/__init__.py": "",
    "sklda/_kernels/arrays.py": "from typing import NamedTuple\nimport numpy as np\n",
    "sklda/_kernels/special.py": "import math\nfrom numba import njit\n",
    "sklda/_kernels/blocked.py": "from .arrays import Corpus\n",
    "sklda/_kernels/cvb.py": "from .special import psi\n",
    "sklda/_kernels/single_site.py": (
        "import numba\nfrom .arrays import Corpus\n\n\n"
        "@numba.njit(cache=True, nogil=True)\n"
        "def sweep(corpus):\n"
        '    """Sweep."""\n'
        "    return corpus\n"
    ),
}


@pytest.mark.parametrize("check", CHECKS)
def test_sound_package_passes(check):
    assert check(SOUND) == []


@pytest.mark.parametrize(
    ("path", "planted", "complaint"),
    [
        ("_kernels/arrays.py", "from .cvb import sweep", "imports sklda._kernels.cvb"),
        ("_kernels/cvb.py", "from .._priors import minka", "imports sklda._core.minka"),
        ("_kernels/cvb.py", "from . import single_site", "both are algorithms"),
        ("_kernels/__init__.py", "from . import cvb", "imports sklda._kernels.cvb"),
        ("_priors.py", "from ._base import Base", "imports sklda._base.estimator"),
        ("_priors.py", "from . import _base", "imports sklda._base.estimator"),
        ("_priors.py", "import sklda._base.estimator as base", "imports sklda._base.estimator"),
        ("_priors.py", "from . import __version__", "imports sklda (floor 5)"),
        ("_priors.py", "def f():\n    from ._gibbs import G", "imports sklda._gibbs.collapsed"),
        (
            "_priors.py",
            "from typing import TYPE_CHECKING\n"
            "if TYPE_CHECKING:\n    from ._base import Base",
            "imports sklda._base.estimator",
        ),
        ("datasets/_synthetic.py", "from .._base import B", "imports sklda._base.estimator"),
        ("_base.py", "from sklda._gibbs.collapsed import G", "imports sklda._gibbs.collapsed"),
        ("_base.py", "from ._helpers import tidy", "sklda._helpers, which has no"),
        ("_cvb.py", "from ._gibbs import Gibbs", "both are estimators"),
        ("_helpers.py", "", "sklda._helpers has no floor"),
    ],
)
def test_planted_arrow_is_found(path, planted, complaint):
    path = f"sklda/{path}"
    wrong = floor_violations({**SOUND, path: f"{SOUND.get(path, '')}{planted}\n"})
    assert len(wrong) == 1
    assert complaint in wrong[0]


@pytest.mark.parametrize(
    ("path", "planted", "complaint"),
    [
        ("_kernels/cvb.py", "from sklearn.utils import Bunch", "imports sklearn"),
        ("_kernels/draws.py", "import joblib", "imports joblib"),
        ("_kernels/cvb.py", "from scipy.special import psi", "imports scipy"),
        ("_gibbs.py", "from sklearn.base import _fit_context", "more than one file"),
        ("_gibbs.py", "import sklearn.utils._param_validation", "more than one file"),
        ("_gibbs.py", "from sklearn.utils._tags import Tags", "more than one file"),
        ("_gibbs.py", "from sklearn.utils import _tags", "more than one file"),
    ],
)
def test_planted_dependency_is_found(path, planted, complaint):
    path = f"sklda/{path}"
    wrong = dependency_violations({**SOUND, path: f"{SOUND.get(path, '')}{planted}\n"})
    assert len(wrong) == 1
    assert complaint in wrong[0]


@pytest.mark.parametrize(
    ("planted", "complaint"),
    [
        ("from numba import prange", "prange"),
        ("for i in numba.prange(3):\n    pass", "prange"),
        ("from numba.experimental import jitclass", "jitclass"),
        ("f = numba.njit(parallel=True)(f)", "parallel="),
    ],
)
def test_planted_way_of_numba_is_found(planted, complaint):
    wrong = kernel_violations({**SOUND, "sklda/_kernels/cvb.py": planted})
    assert wrong == [f"sklda/_kernels/cvb.py uses {complaint}"]


def test_long_file_is_found():
    lines = "x = 1\n" * (MAX_FILE_LINES - 1)
    assert size_violations({"sklda/_gibbs.py": lines}) == []
    assert size_violations({"sklda/_gibbs.py": lines + "y = 2\n"}) == [
        "sklda/_gibbs.py has 400 lines"
    ]


def test_long_function_is_found():
    def source(length):
        docstring = '    """Sum up.\n\n' + "    A line.\n" * 70 + '    """\n'
        return (
            f"def tally(x):\n{docstring}    # A comment.\n\n"
            + "    x += 1\n" * (length - 1)
            + "    return x\n"
        )

    assert size_violations({"sklda/_gibbs.py": source(MAX_FUNCTION_LINES)}) == []
    assert size_violations({"sklda/_gibbs.py": source(MAX_FUNCTION_LINES + 1)}) == [
        "sklda/_gibbs.py: tally has 61 lines of code"
    ]
