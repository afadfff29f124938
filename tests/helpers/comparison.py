"""Comparison of fitted models, and of what they print."""

import re

import numpy as np
import pytest

from sklda.inspection import PosteriorDraws


def fitted(model):
    """Return everything that fit has set."""
    return {k: getattr(model, k) for k in dir(model) if is_attribute(model, k)}


def is_attribute(model, name):
    """Return whether fit sets this attribute, or what makes it when it is read."""
    if name in vars(model):
        return name.endswith("_")
    is_made = name in ("components_", "doc_topic_")
    return is_made and hasattr(model, name)


def assert_same_fit(a, b, but=()):
    """Assert that two fits gave the same bits, but for some attributes."""
    a, b = fitted(a), fitted(b)
    assert a.keys() - set(but) == b.keys() - set(but)
    for name in a.keys() - set(but):
        if isinstance(a[name], PosteriorDraws):
            np.testing.assert_equal(vars(a[name]), vars(b[name]))
        elif isinstance(a[name], dict):
            np.testing.assert_equal(a[name], b[name], err_msg=name)
        else:
            np.testing.assert_array_equal(a[name], b[name], strict=True, err_msg=name)


def assert_progress(lines, name, quantity, sweeps, last, values):
    """Assert that there is a line for each evaluation, with its value per token."""
    assert len(lines) == len(sweeps)
    for line, sweep, value in zip(lines, sweeps, values, strict=True):
        match = re.fullmatch(
            rf"\[{name}\] sweep {sweep}/{last}, "
            rf"{quantity} per token (-\d+\.\d{{4}}), \d+\.\d M tokens/s",
            line,
        )
        assert match, line
        assert float(match[1]) == pytest.approx(value, abs=1e-4)
