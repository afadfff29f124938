"""Models that are stored and loaded: by pickle, joblib and skops, by other versions."""

import contextlib
import pickle
from functools import cache

import numpy as np
import pytest
from sklearn.exceptions import InconsistentVersionWarning

import sklda
from sklda import CVBLDA
from sklda._data.version import series
from sklda._estimators import base
from tests.helpers import stored_fits
from tests.helpers.comparison import assert_same_fit
from tests.helpers.public_names import estimators

PATHS = sorted(stored_fits.FOLDER.glob("*/*.npz"))


@cache
def fits():
    return {type(stored.model).__name__: stored for stored in stored_fits.fits()}


@pytest.mark.parametrize(
    ("stored_by", "loaded_by", "warns"),
    [
        ("0.1.0", "0.1.12", False),
        ("0.2.0", "0.1.3", True),
        ("1.1.0", "11.1.0", True),
        ("0.2.0.dev0", "0.2.0.dev0", False),
        ("0.2.0.dev0", "0.2.0", True),
    ],
)
def test_only_another_series_of_releases_warns(
    monkeypatch, stored_by, loaded_by, warns
):
    model = fits()["CVBLDA"].model
    monkeypatch.setattr(base, "__version__", stored_by)
    data = pickle.dumps(model)
    monkeypatch.setattr(base, "__version__", loaded_by)
    expectation = contextlib.nullcontext()
    if warns:
        words = (
            rf"^(?s:.*)CVBLDA from version {stored_by} when using version {loaded_by}"
        )
        expectation = pytest.warns(InconsistentVersionWarning, match=words)
    with expectation as caught:  # without one, a warning is an error
        copy = pickle.loads(data)
    assert_same_fit(copy, model)
    assert not warns or caught[0].filename == __file__
    # The version is of what was stored, not of the estimator.
    assert vars(copy).keys() == vars(model).keys()


def test_a_state_without_a_version_warns():
    model = fits()["CVBLDA"].model
    with pytest.warns(InconsistentVersionWarning, match="from version unknown"):
        CVBLDA().__setstate__(dict(vars(model)))


def test_a_parameter_that_came_later_has_its_default():
    state = fits()["CVBLDA"].model.__getstate__()
    copy = CVBLDA(n_jobs=2)
    copy.__setstate__({name: state[name] for name in state.keys() - {"n_shards"}})
    assert copy.get_params() == fits()["CVBLDA"].model.get_params()


def test_every_estimator_is_stored_by_this_version():
    stored = {path.stem for path in PATHS if path.parent.name == sklda.__version__}
    assert stored == estimators().keys(), "run: python -m tests.helpers.stored_fits"


@pytest.mark.parametrize(
    "path", PATHS, ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_stored_fit(path):
    assert path.stat().st_size < 20_000
    version = path.parent.name
    expectation = contextlib.nullcontext()
    if series(version) != series(sklda.__version__):
        expectation = pytest.warns(InconsistentVersionWarning, match=f"{version} when")
    with expectation:
        model, X, results = stored_fits.load(path)
    assert type(model).__name__ == path.stem
    assert results
    for method, expected in results.items():
        result = getattr(model, method)(X)
        if expected.dtype.kind == "U":
            np.testing.assert_array_equal(result, expected)
        else:  # kernels compute in float32, and round differently on each machine
            np.testing.assert_allclose(result, expected, rtol=1e-3, atol=1e-3)
