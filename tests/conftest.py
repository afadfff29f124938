"""Fixtures for all tests, and a compilation cache that is never out of date."""

import hashlib
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]


def _kernel_digest() -> str:
    """Name a state of the kernels' sources and of what compiles them."""
    digest = hashlib.sha256()
    for part in ("numba", "llvmlite", "numpy"):
        digest.update(f"{part} {version(part)}\n".encode())
    digest.update(f"python {platform.python_version()}\n".encode())
    package = ROOT / "sklda"
    folders = ("_simd", "_core", "_tables", "*/kernels")
    kernels = {path for folder in folders for path in package.glob(f"{folder}/**/*.py")}
    for path in sorted(kernels):
        digest.update(f"{path.relative_to(package).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


# Numba's cache notices an edit in the file of a kernel, but not in the files of the
# functions that the kernel calls: after an edit in rows.py, single_site_rows.py would
# run the old code. So each state of the sources has its own folder. This must be set
# before numba is imported, so not in a fixture.
_folder = Path(os.environ.get("NUMBA_CACHE_DIR", ROOT / ".numba_cache"))
if "PYTEST_XDIST_WORKER" not in os.environ:  # a worker inherits it
    os.environ["NUMBA_CACHE_DIR"] = str(_folder / _kernel_digest())
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


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of the corpora that are too large for the repository.

    It holds UCI bags of words under ``uci_bow/``. Tests that need it are skipped
    where it is absent.
    """
    path = Path(os.environ.get("SKLDA_TEST_DATA", ROOT.parent / "shared" / "data"))
    if not path.is_dir():
        pytest.skip(f"no test data in {path}: name its folder in SKLDA_TEST_DATA")
    return path


@pytest.fixture
def pyplot():
    """Return matplotlib.pyplot, drawing to memory; figures are closed afterwards."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    yield pyplot
    pyplot.close("all")
