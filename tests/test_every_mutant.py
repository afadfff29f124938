"""Every planted fault is found: in kernels, and checks of input that are left out.

`tests/data/mutants` has the faults of kernels. Each family of samplers says whether one
is exact after edits: True, False, or None where that is unclear.
"""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from types import FunctionType

import pytest

from sklda._base import columns, fitted_topics, parameters
from sklda._core import checks, corpus, refusals
from tests.base import test_halves as halves
from tests.cvb import test_exact as cvb_exact
from tests.cvb import test_kernels as cvb
from tests.dmr import test_weights as covariates
from tests.ecgs import test_exactness as groups
from tests.gibbs import test_exactness as single_site
from tests.gibbs import test_hierarchical_exactness as hierarchical
from tests.gibbs import test_phi_first_exactness as phi_first
from tests.gibbs import test_sharded as shards
from tests.gibbs import test_small_blocks as kept_sums
from tests.helpers import blocks, word_prior
from tests.helpers.bad_input.draws import draws_doors, predicted_doors
from tests.helpers.bad_input.estimators import estimator_doors
from tests.helpers.bad_input.functions import function_doors
from tests.helpers.mutants import TABLES, mutants_of
from tests.medlda import test_exactness as medlda
from tests.medlda import test_sharded as medlda_shards
from tests.test_bad_input import complaint

FAMILIES = {
    "blocks": blocks,
    "covariates": covariates,
    "cvb": cvb,
    "cvb_exact": cvb_exact,
    "groups": groups,
    "halves": halves,
    "hierarchical": hierarchical,
    "kept_sums": kept_sums,
    "medlda": medlda,
    "medlda_shards": medlda_shards,
    "phi_first": phi_first,
    "shards": shards,
    "single_site": single_site,
    "word_prior": word_prior,
}
# Those that take less than a second are with the fast tests.
FAST = {"cvb", "cvb_exact", "halves", "kept_sums", "medlda_shards", "shards"}
MUTANTS = [(family, *mutant) for family in FAMILIES for mutant in mutants_of(family)]
RIGHT = dict.fromkeys((family, name, problem) for family, name, problem, *_ in MUTANTS)
pytestmark = pytest.mark.filterwarnings(
    "ignore:divide by zero"  # no token comes after the last
)


def parametrised(rows):
    """Return parameters with their names, those of slow families marked so."""
    return [
        pytest.param(
            *(value for value in row if isinstance(value, str | list)),
            id="-".join(value for value in row if isinstance(value, str)),
            marks=[] if row[0] in FAST else [pytest.mark.slow],
        )
        for row in rows
    ]


def test_every_table_is_walked():
    assert {path.stem for path in TABLES.iterdir()} == FAMILIES.keys()


@pytest.fixture(autouse=True)
def many_slices(monkeypatch):
    phi_first.cut(monkeypatch)


@pytest.mark.parametrize(("family", "name", "problem"), parametrised(RIGHT))
def test_what_python_runs_without_a_fault_passes(family, name, problem):
    assert FAMILIES[family].passes(name, problem, [])


@pytest.mark.parametrize(
    ("family", "name", "problem", "fault", "edits"), parametrised(MUTANTS)
)
def test_a_fault_is_found(family, name, problem, fault, edits):
    verdict = FAMILIES[family].passes(name, problem, edits)
    assert verdict is not None
    assert not verdict


# --- checks of input -------------------------------------------------------------


def refusals_of(*modules) -> Iterator[tuple[FunctionType, int]]:
    """Yield each function that raises errors, with the number of each `raise`."""
    for module in modules:
        for function in vars(module).values():
            if inspect.isfunction(function) and function.__module__ == module.__name__:
                for number in range(len(raises(parsed(function)))):
                    yield function, number


def parsed(function: FunctionType) -> ast.Module:
    return ast.parse(textwrap.dedent(inspect.getsource(function)))


def raises(tree: ast.AST) -> list[ast.Raise]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Raise)]


@contextmanager
def left_out(function: FunctionType, number: int) -> Iterator[None]:
    """Let a function go on where it would raise an error."""
    tree, code = parsed(function), function.__code__
    wanted = raises(tree)[number]

    class Leave(ast.NodeTransformer):
        def visit_Raise(self, node):
            return ast.Pass() if node is wanted else node

    tree.body[0].decorator_list.clear()
    changed = ast.fix_missing_locations(Leave().visit(tree))
    namespace: dict = {}
    exec(compile(changed, code.co_filename, "exec"), function.__globals__, namespace)
    function.__code__ = namespace[function.__name__].__code__
    try:
        yield
    finally:
        function.__code__ = code


@pytest.fixture(scope="module")
def doors(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    every = estimator_doors(), function_doors(folder), draws_doors(), predicted_doors()
    return list(chain.from_iterable(every))


CHECKS = list(refusals_of(checks, corpus, refusals, parameters, fitted_topics, columns))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "number"),
    CHECKS,
    ids=[f"{f.__module__}.{f.__name__}-{number}" for f, number in CHECKS],
)
@pytest.mark.usefixtures("pyplot")
def test_a_check_that_is_left_out_is_missed(function, number, doors):
    with left_out(function, number):
        found = (
            complaint(door, parameter, bad)
            for _, door in doors
            for parameter, spec in door.specs.items()
            for bad in spec.bad
        )
        assert next(filter(None, found), None)
