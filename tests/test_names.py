"""One meaning per name: no two modules define the same public class or function."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# Names that several modules define on purpose: there they mean the same.
SHARED = {
    # Functions of the protocol of samplers, `sklda._sampling.sampler`.
    *("from_topics", "sweep", "counts"),
    # Of kernels that replace each other: over rows or lists, or by another method.
    *("kernel_priors", "sweep_groups", "sweep_tokens"),
}
WRAPS = "sklda/dask/"  # estimators with the public names of those that they wrap


def definitions(source: str) -> set[str]:
    """Return the public classes and functions of a module, but for overloads."""
    kinds = ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
    return {
        node.name
        for node in ast.parse(source).body
        if isinstance(node, kinds) and not node.name.startswith("_")
    }


def public_names(source: str) -> set[str]:
    """Return the names that a module hands out to users."""
    return {
        alias.asname or alias.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def collisions(sources: dict[str, str]) -> dict[str, list[str]]:
    """Return each name that several modules define, and these modules."""
    wrapped = public_names(sources["sklda/__init__.py"])
    found = defaultdict(list)
    for path, source in sources.items():
        for name in definitions(source) - SHARED:
            if not (path.startswith(WRAPS) and name in wrapped):
                found[name].append(path)
    return {name: sorted(paths) for name, paths in found.items() if len(paths) > 1}


def package() -> dict[str, str]:
    """Return the text of each module of sklda by its path from the root."""
    return {
        path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
        for path in sorted((ROOT / "sklda").rglob("*.py"))
    }


def test_each_name_has_one_meaning():
    assert collisions(package()) == {}


def test_shared_names_are_defined_several_times():
    found = [definitions(source) for source in package().values()]
    for name in SHARED:
        assert sum(name in names for names in found) > 1, name


def test_a_second_meaning_is_found():
    face = "from sklda.lda import LDA"
    module = "class LDA:\n    def fit(self): ...\n\ndef sweep(): ...\n\ndef _own(): ..."
    sources = {"sklda/__init__.py": face, "sklda/lda.py": module}
    sources["sklda/dask/_lda.py"] = module
    assert collisions(sources) == {}
    overloads = "@overload\ndef count(a: int): ...\n\ndef count(a): ..."
    sources["sklda/_data/a.py"] = overloads
    assert collisions(sources) == {}
    for fault in ("class LDA: ...", "def count(): ...", "async def count(): ..."):
        planted = sources | {"sklda/_data/b.py": fault}
        (paths,) = collisions(planted).values()
        assert "sklda/_data/b.py" in paths
