"""``show_versions`` prints what a report of a defect should contain."""

import numba
import numpy
import pytest

import sklda


@pytest.fixture
def printed(capsys, monkeypatch):
    monkeypatch.setenv("NUMBA_CPU_NAME", "a processor of the user")
    sklda.show_versions()
    lines = capsys.readouterr().out.splitlines()
    return dict(line.strip().split(": ", 1) for line in lines if ": " in line)


def test_versions_of_packages_are_those_installed(printed):
    assert printed["sklda"]
    assert printed["numpy"] == numpy.__version__
    assert printed["numba"] == numba.__version__


def test_settings_of_numba_and_the_processor_are_named(printed):
    assert printed["NUMBA_CPU_NAME"] == "a processor of the user"
    assert printed["processor"]
    assert printed["vectors"]


def test_a_package_that_is_missing_is_no_error(capsys, monkeypatch):
    monkeypatch.setattr(
        "sklda._estimators.show_versions._PACKAGES", ("no-such-package",)
    )
    sklda.show_versions()
    assert "no-such-package: not installed" in capsys.readouterr().out
