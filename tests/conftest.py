"""Fixtures for all tests, and the folder of compiled kernels."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]

# All kernels in one folder that is easy to delete. Numba reads its name when it is
# imported, so this cannot be in a fixture.
os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".numba_cache"))
if "numba" in sys.modules:  # a plugin of pytest was first
    sys.modules["numba"].core.config.reload_config()

from tests.helpers.warm_up import compile_all  # noqa: E402

# Eight tests share the examples: 80 in the suite and 200 with the profile "more", which
# are the same in each run, and 10,000 with --hypothesis-profile=long, which prints how
# to repeat one that fails.
_slow_machines = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
for _name, _examples in (("suite", 10), ("more", 25)):
    settings.register_profile(
        _name, max_examples=_examples, derandomize=True, **_slow_machines
    )
settings.register_profile(
    "long", max_examples=1250, database=None, print_blob=True, **_slow_machines
)
settings.load_profile("suite")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile all kernels before pytest-xdist starts its workers, if there are any."""
    if session.config.getoption("numprocesses", None):  # workers do not see the option
        compile_all()


@pytest.fixture
def pyplot():
    """Return matplotlib.pyplot, drawing to memory; figures are closed afterwards."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    yield pyplot
    pyplot.close("all")
