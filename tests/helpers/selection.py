"""Which parameters of a test run with the fast tests, and which with the slow ones."""

from collections.abc import Iterable
from typing import Any

import pytest


def fast_and_slow(fast: Iterable[Any], slow: Iterable[Any]) -> list[Any]:
    """Return values for `pytest.mark.parametrize`; those of `slow` are marked so.

    A tuple has one value for each of several names.
    """
    return [*fast, *(slowly(value) for value in slow)]


def slowly(value: Any) -> Any:
    values = value if isinstance(value, tuple) else (value,)
    return pytest.param(*values, marks=pytest.mark.slow)
