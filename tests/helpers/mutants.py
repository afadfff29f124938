"""Modules of sklda that Python itself runs, with faults planted in their syntax trees.

An edit names the function that it changes, and a pattern of code in which each single
upper-case letter stands for any expression, the same one wherever it occurs. So faults
outlive another layout, a move to another file, and new names of variables where the
structure alone singles out the place. Where only a name does, the pattern has that
name. An edit that no longer matches fails and shows the function.
"""

import ast
import builtins
import copy
import importlib
import random
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

import sklda
from sklda._sampling import random_streams
from sklda._sampling.problem import LANES
from tests.helpers.from_python import from_python, is_step

ROOT = Path(sklda.__file__).parent.parent
TABLES = Path(__file__).resolve().parents[1] / "data" / "mutants"
# Not loaded again: they have no kernels, run without a compiler, or are replaced below.
_SHARED = {
    "sklda._engine.chain",
    "sklda._engine.estimator",
    "sklda._estimators.base",
    "sklda._sampling.parameters",
    "sklda._sampling.random_streams",
    "sklda._simd.compile",
    "sklda._simd.vectors",
}


class Edit(NamedTuple):
    """Replace the code that matches a pattern, within one function (or one module).

    `function` is a name such as ``resample``, as much longer as makes it the only one:
    ``lists.resample``. Patterns are expressions or statements; ``*Z`` is the rest of
    the arguments of a call. The pattern must match `of` times, and the `nth` match is
    replaced.
    """

    function: str
    pattern: str
    replacement: str
    nth: int = 0
    of: int = 1


class Mutant(NamedTuple):
    """A sampler with a fault, and the problem on which the fault shows."""

    sampler: str
    problem: str
    fault: str
    edits: list[Edit]


def mutants_of(family: str) -> list[Mutant]:
    """Read a table of `tests/data/mutants`.

    Samplers stand in brackets, problems at the margin, below each its faults, and below
    these their edits: ``function: pattern -> replacement``, with `` (1 of 2)`` where
    only the first of two matches is to be replaced.
    """
    found: list[Mutant] = []
    for line in (TABLES / f"{family}.txt").read_text(encoding="utf-8").splitlines():
        indent, text = len(line) - len(line.lstrip()), line.strip()
        if not text or text.startswith("#"):
            continue
        if indent == 0 and text.startswith("["):
            samplers = re.findall(r"\[(.+?)\]", text)
        elif indent == 0:
            problem = text
        elif indent == 2:
            edits: list[Edit] = []
            found += [Mutant(sampler, problem, text, edits) for sampler in samplers]
        else:
            parts = r"(\S+): (.+) -> (.+?)(?: \((\d) of (\d)\))?"
            *edit, nth, of = re.fullmatch(parts, text).groups()
            edits.append(Edit(*edit, int(nth or 1) - 1, int(of or 1)))
    return found


class Interpreted(NamedTuple):
    """What was loaded: the module asked for, and every other by its full name."""

    module: ModuleType
    modules: dict[str, ModuleType]
    compiled_draws: bool

    def sampler(self, sampler: Any = None) -> SimpleNamespace:
        """Return a sampler of it as `enumeration` takes them; default: the module."""
        sampler = self.module if sampler is None else sampler
        return SimpleNamespace(
            from_topics=sampler.from_topics,
            sweep=sampler.sweep,
            counts=sampler.counts,
            Problem=self.modules["sklda._sampling.problem"].Problem,
            streams=streams if self.compiled_draws else PlainStreams,
        )


class PlainStreams:
    """Python's own random numbers where kernels have a stream."""

    def __init__(self, seed: int) -> None:
        self.kernel = random.Random(seed)
        self.generator = np.random.default_rng(seed)
        self._children: dict[int, PlainStreams] = {}

    def child(self, i: int) -> "PlainStreams":
        if i not in self._children:
            seed = self.kernel.getrandbits(64)
            self._children[i] = PlainStreams(seed)
        return self._children[i]


def streams(seed: int) -> random_streams.RandomStreams:
    return random_streams.RandomStreams(np.random.SeedSequence(seed))


# --- loading ---------------------------------------------------------------------


def interpreted(
    name: str,
    edits: Sequence[Edit] = (),
    *,
    beside: Sequence[str] = (),
    lanes: int = LANES,
    compiled_draws: bool = False,
) -> Interpreted:
    """Load a module and all of sklda that it imports as plain Python, after edits.

    Modules `beside` it are loaded with it, and share what they import. With fewer
    lanes a sweep is faster, and few topics fill several registers. The random numbers
    are Python's own, which is faster too, unless `compiled_draws` asks for those of the
    kernels.
    """
    roots = (*beside, name)
    trees = {module: _tree(module) for root in roots for module in _imported(root)}
    for edit in edits:
        module, scope = _find_scope(edit, trees)
        if trees[module] is _tree(module):  # shared by all mutants
            trees[module] = copy.deepcopy(trees[module])
            _, scope = _find_scope(edit, trees)
        _apply(edit, scope)
    modules: dict[str, ModuleType] = {}
    for module, tree in trees.items():
        code = _code(module) if tree is _tree(module) else _compiled(module, tree)
        modules[module] = _execute(module, code, modules, lanes, compiled_draws)
    return Interpreted(modules[name], modules, compiled_draws)


def _path(name: str) -> Path:
    path = ROOT.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def _tree(name: str) -> ast.Module:
    return ast.parse(_path(name).read_text(encoding="utf-8"))


def _compiled(name: str, tree: ast.Module):
    return compile(ast.fix_missing_locations(tree), _path(name), "exec")


@cache
def _code(name: str):
    return _compiled(name, _tree(name))


@cache
def _imported(name: str) -> tuple[str, ...]:
    """Return the modules of sklda that a module needs, itself the last of them."""
    found: dict[str, None] = {}
    for node in ast.walk(_tree(name)):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith(
            "sklda."
        ):
            continue
        for alias in node.names:
            both = (f"{node.module}.{alias.name}", node.module)
            origin = next(candidate for candidate in both if _path(candidate).is_file())
            if origin not in _SHARED and not _path(origin).match("__init__.py"):
                found |= dict.fromkeys(_imported(origin))
    return (*found, name)


def _execute(name, code, modules, lanes, compiled_draws) -> ModuleType:
    """Run the code of a module whose functions are not to be compiled."""
    module = ModuleType(f"interpreted {name}")

    def importer(origin, globals=None, locals=None, fromlist=(), level=0):
        if origin == "sklda._simd.compile":
            decorators = (
                "kernel",
                "nested_kernel",
                "lean_kernel",
                "inlined_kernel",
                "preoptimised_kernel",
            )
            return SimpleNamespace(
                **dict.fromkeys(decorators, _as_it_is), INLINED={}, IS_KNOWN=False
            )
        if origin == "numba.extending":  # Python takes the function itself
            return SimpleNamespace(
                overload=lambda *_, **__: _as_it_is, register_jitable=_as_it_is
            )
        if origin == "sklda._sampling.random_streams" and compiled_draws:
            return _compiled_draws()
        if origin == "sklda._sampling.random_streams":
            plain = {
                "uniform": random.Random.random,
                "uniform_float32": lambda rng: np.float32(rng.getrandbits(24) / 2**24),
                "next_uint64": lambda rng: np.uint64(rng.getrandbits(64)),
                "draw_key": lambda rng: np.uint64(rng.getrandbits(64)),
            }
            return SimpleNamespace(**vars(random_streams) | plain)
        if origin in modules:
            return modules[origin]
        if any(f"{origin}.{part}" in modules for part in fromlist or ()):
            package = dict(vars(importlib.import_module(origin)))
            for part in fromlist:
                package[part] = modules.get(f"{origin}.{part}", package.get(part))
            return SimpleNamespace(**package)
        return builtins.__import__(origin, globals, locals, fromlist, level)

    vars(module)["__builtins__"] = vars(builtins) | {"__import__": importer}
    sys.modules[module.__name__] = module  # where dataclasses look for it
    exec(code, vars(module))
    del sys.modules[module.__name__]
    if name == "sklda._sampling.problem":
        module.LANES = lanes
    if name == "sklda._sampling.random_streams" and not compiled_draws:
        module.uniform = random.Random.random
    return module


@cache
def _compiled_draws() -> SimpleNamespace:
    found = vars(random_streams).items()
    draws = {k: from_python(v) if is_step(v) else v for k, v in found}
    # Numba returns an int, which NumPy 1 does not shift by a uint64.
    draws["next_uint64"] = lambda rng: np.uint64(random_streams.draw_key(rng))
    return SimpleNamespace(**draws)


def _as_it_is(function):
    return function


# --- patterns --------------------------------------------------------------------


def _find_scope(edit: Edit, trees: dict[str, ast.Module]) -> tuple[str, ast.AST]:
    """Return the module and the function that an edit names."""
    found = [
        (name, scope)
        for name, tree in trees.items()
        for path, scope in _scopes(name, tree)
        if f".{path}".endswith(f".{edit.function}")
    ]
    where = ", ".join(name for name, _ in found) or "nowhere"
    assert len(found) == 1, f"{edit.function} must be one function; found {where}"
    return found[0]


def _scopes(path: str, node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield all functions and classes, and the module itself, by their full names."""
    yield path, node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            yield from _scopes(f"{path}.{child.name}", child)


def _apply(edit: Edit, scope: ast.AST) -> None:
    """Change the tree of a function as an edit says."""
    pattern, replacement = _parse(edit.pattern), _parse(edit.replacement)
    is_code = [isinstance(code, list) for code in (pattern, replacement)]
    if any(is_code) and not all(is_code):  # an expression beside a statement is one
        pattern, replacement = (
            code if isinstance(code, list) else [ast.Expr(code)]
            for code in (pattern, replacement)
        )
    matches = list(_matches(pattern, scope))
    assert len(matches) == edit.of, (
        f"{edit.pattern!r} is in {edit.function} {len(matches)} times, not {edit.of}:\n"
        f"{ast.unparse(scope)[:3000]}"
    )
    parent, field, index, bound = matches[edit.nth]
    new = _filled(replacement, bound)
    value = getattr(parent, field)
    old = value if index is None else value[index]
    if hasattr(new, "ctx"):
        new.ctx = getattr(old, "ctx", ast.Load())
    if isinstance(pattern, list):
        value[index : index + len(pattern)] = new
    elif index is None:
        setattr(parent, field, new)
    else:
        value[index] = new


def _parse(code: str) -> ast.expr | list[ast.stmt]:
    """Return an expression, or a list of statements."""
    body = ast.parse(code).body
    return body[0].value if isinstance(body[0], ast.Expr) else body


def _matches(pattern, node: ast.AST) -> Iterator[tuple]:
    """Yield parent, field, index and what letters stand for, in the order of code."""
    for field, value in ast.iter_fields(node):
        children = value if isinstance(value, list) else [value]
        for i, child in enumerate(children):
            if not isinstance(child, ast.AST):
                continue
            bound: dict[str, Any] = {}
            index = i if isinstance(value, list) else None
            if isinstance(pattern, list):
                run = children[i : i + len(pattern)]
                if isinstance(child, ast.stmt) and _equal(pattern, run, bound):
                    yield node, field, index, bound
            elif isinstance(child, ast.expr) and _equal(pattern, child, bound):
                yield node, field, index, bound
            yield from _matches(pattern, child)


def _wildcard(node) -> str | None:
    if isinstance(node, ast.Name) and len(node.id) == 1 and node.id.isupper():
        return node.id
    return None


def _equal(pattern, node, bound: dict[str, Any]) -> bool:
    """Return whether code matches; enter what the letters stand for."""
    letter = _wildcard(pattern)
    if letter is not None and isinstance(node, ast.expr):
        if letter in bound:
            return ast.unparse(bound[letter]) == ast.unparse(node)
        bound[letter] = node
        return True
    if isinstance(pattern, list):
        if not isinstance(node, list):
            return False
        if pattern and isinstance(pattern[-1], ast.Starred):
            letter, n = _wildcard(pattern[-1].value), len(pattern) - 1
            if letter is not None and len(node) >= n:
                bound[letter] = node[n:]
                pattern, node = pattern[:n], node[:n]
        pairs = zip(pattern, node, strict=False)
        return len(pattern) == len(node) and all(_equal(p, n, bound) for p, n in pairs)
    if not isinstance(pattern, ast.AST):
        return type(pattern) is type(node) and pattern == node
    return type(pattern) is type(node) and all(
        _equal(getattr(pattern, field), getattr(node, field, None), bound)
        for field in pattern._fields
        if field not in ("ctx", "type_comment", "kind")
    )


def _filled(pattern, bound: dict[str, Any]):
    """Return the replacement with what the letters stand for."""

    class Fill(ast.NodeTransformer):
        def visit_Name(self, node):
            letter = _wildcard(node)
            if letter not in bound:
                return node
            new = copy.deepcopy(bound[letter])
            if isinstance(new, ast.expr) and hasattr(new, "ctx"):
                new.ctx = node.ctx
            return new

        def visit_Starred(self, node):
            letter = _wildcard(node.value)
            if letter in bound and isinstance(bound[letter], list):
                return copy.deepcopy(bound[letter])
            return self.generic_visit(node)

    new = copy.deepcopy(pattern)
    if isinstance(new, list):
        return [Fill().visit(statement) for statement in new]
    return Fill().visit(new)
