"""Edits of syntax trees: what they match, and that they fail loudly."""

import ast

import numpy as np
import pytest

from sklda._sampling.problem import LANES
from tests.helpers.from_python import from_python
from tests.helpers.mutants import Edit, _apply, interpreted

SOURCE = """
def f(a, b):
    total = a[0] - b
    total = total + (a[1] - b)
    if total > 0:
        a[0] = total
        a[1] = total
    return g(a, b, total)
"""


def edited(*edit):
    tree = ast.parse(SOURCE)
    _apply(Edit("f", *edit), tree)
    return ast.unparse(ast.fix_missing_locations(tree))


@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        (("A[I] - N", "A[I]", 1, 2), "a[1] - b", "a[1]"),
        (("X > 0", "True"), "total > 0", "True"),
        (("A[0] = X", "pass"), "a[0] = total", "pass"),
        (("A[0] = X\nA[1] = X", "pass"), "a[0] = total\n        a[1] = total", "pass"),
        (("X + (A[J] - B)", "B - X"), "total + (a[1] - b)", "b - total"),
        (("g(A, *Z)", "h(*Z)"), "g(a, b, total)", "h(b, total)"),
    ],
)
def test_edits(edit, old, new):
    expected = ast.unparse(ast.parse(SOURCE)).replace(old, new)
    assert edited(*edit) == expected.replace("(a[1])", "a[1]")


@pytest.mark.parametrize(
    "edit",
    [
        ("A[I] - N", "A[I]"),  # twice
        ("A[I] * N", "A[I]"),  # never
        ("X - X", "0"),  # one letter is one expression
        ("A[0] = X\nA[0] = X", "pass"),
    ],
)
def test_a_pattern_that_does_not_fit_says_where_and_what(edit):
    with pytest.raises(AssertionError, match=r"(?s)in f \d times.*total = a\[0\] - b"):
        edited(*edit)


@pytest.mark.parametrize("function", ["from_topics", "no_such_function"])
def test_a_function_must_be_the_only_one(function):
    edit = Edit(function, "A", "A")
    with pytest.raises(AssertionError, match="must be one function"):
        interpreted("sklda._ecgs.estimator", [edit])


def test_modules_are_the_interpreted_ones_and_leave_the_package_alone():
    from sklda._gibbs.kernels import partially_collapsed
    from sklda._sampling import problem
    from sklda._tables import rows

    edit = Edit("rows.weigh_row", "total(A)", "-1.0")
    loaded = interpreted(partially_collapsed.__name__, [edit], lanes=2)
    ratio, weight = np.ones(LANES, np.float32), np.zeros(LANES, np.float32)
    arguments = ratio, 2 * ratio, weight
    assert loaded.module.weigh_row(*arguments) == -1
    assert loaded.module.weigh_row is loaded.modules["sklda._tables.rows"].weigh_row
    assert loaded.modules["sklda._sampling.problem"].padded(3) == 4
    assert rows.weigh_row is partially_collapsed.weigh_row
    assert from_python(rows.weigh_row)(*arguments) == 2 * LANES
    assert problem.padded(3) == problem.LANES == LANES
