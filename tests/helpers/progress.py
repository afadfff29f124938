"""The lines that verbose fits print."""

import re

import pytest


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
