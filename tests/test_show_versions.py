"""``show_versions`` prints what a report of a defect should contain."""

import numba
import numpy

import sklda


def test_versions_processor_and_settings_of_numba(capsys, monkeypatch):
    monkeypatch.setenv("NUMBA_CPU_NAME", "a processor of the user")
    packages = "sklda._estimators.show_versions._PACKAGES"
    monkeypatch.setattr(packages, ("sklda", "numba", "no-such-package"))
    sklda.show_versions()
    lines = capsys.readouterr().out.splitlines()
    printed = dict(line.lstrip().split(": ", 1) for line in lines if ": " in line)
    assert printed["sklda"] == sklda.__version__
    assert printed["numpy"] == numpy.__version__
    assert printed["numba"] == numba.__version__
    assert printed["no-such-package"] == "not installed"
    assert printed["NUMBA_CPU_NAME"] == "a processor of the user"
    assert printed["processor"]
    assert printed["vectors"]
