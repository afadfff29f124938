"""Steps of kernels compile once, are not stored, and need no private name of Numba."""

import numba
import pytest

from sklda._simd import compile
from tests.helpers.processes import run_python

STEPS = """
import numpy as np
from sklda._simd.compile import inlined_kernel, kernel, lean_kernel, nested_kernel
from sklda._simd.arrays import zeros

@inlined_kernel
def increment(x):
    return x + 1

@lean_kernel
def twice(x):
    return 2 * increment(x)

@nested_kernel
def pair(x):
    numbers = zeros(2, np.int64)
    numbers[0], numbers[1] = x, twice(x)
    return numbers

@kernel
def total(x):
    numbers = pair(x)
    return numbers[0] + numbers[1]
"""


needs_known_numba = pytest.mark.skipif(
    not compile.IS_KNOWN, reason="this Numba compiles steps as it does by default"
)


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "stored"))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "stored"))
    (tmp_path / "steps.py").write_text(STEPS)


@needs_known_numba
def test_a_step_is_compiled_once_for_all_numbers_in_the_code():
    @compile.lean_kernel
    def scaled(x, n):
        return x * n

    @compile.kernel
    def sixfold(x):
        return scaled(scaled(x, 2), 3)

    assert sixfold(1.5) == 9
    assert [str(s) for s in scaled.signatures] == ["(float64, int64)"]


def test_another_process_loads_a_kernel_without_its_steps(tmp_path):
    code = f"""
    import sys
    import numba
    numba.__version__ = VERSION or numba.__version__
    sys.path.insert(0, {str(tmp_path)!r})
    from steps import increment, pair, total, twice
    assert total(20) == 62
    print([len(step.overloads) for step in (pair, twice, increment)])
    """
    # Code of another Numba is not loaded.
    found = [run_python(code.replace("VERSION", v)) for v in ("None", "None", "'99.0'")]
    assert found == ["[1, 1, 1]", "[0, 0, 0]", "[1, 1, 1]"]
    names = [path.name.split("-")[0] for path in tmp_path.glob("stored/*/*/*.nbc")]
    assert names == ["total"] * 2


FIT = """
import builtins
import numpy as np

def import_(name, globals=None, *args, **kwargs):
    importer = (globals or {}).get("__name__", "")
    if importer.startswith("sklda") and name.startswith(HIDDEN):
        raise ImportError(name)
    return original(name, globals, *args, **kwargs)

original, builtins.__import__ = builtins.__import__, import_
from sklda import CollapsedGibbsLDA
X = np.random.default_rng(0).poisson(1, (20, 9))
theta = CollapsedGibbsLDA(20, max_iter=3, random_state=0).fit(X).transform(X)
print(theta.tobytes().hex())
"""


@pytest.fixture(scope="module")
def theta():
    return run_python(FIT.replace("HIDDEN", "'none'"))


HIDDEN = [("numba.core", "numba.np"), "numba.core.caching"]


@pytest.mark.parametrize("hidden", HIDDEN)
def test_fits_need_no_private_name_of_numba(hidden, theta, tmp_path):
    """A later Numba may lack any of them."""
    code = FIT.replace("HIDDEN", repr(hidden))
    assert run_python(code, NUMBA_CACHE_DIR=str(tmp_path)) == theta


def test_python_cannot_call_a_step():
    @compile.inlined_kernel
    def double(x):
        return 2 * x

    @compile.kernel
    def fourfold(x):
        return double(double(x))

    for _ in range(2):
        with pytest.raises(TypeError, match="double has no wrapper"):
            double(21)
        assert fourfold(21) == 84  # compiles both
