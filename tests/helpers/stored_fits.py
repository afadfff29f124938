"""Fitted models as an earlier release stored them.

    python -m tests.helpers.stored_fits     # stores those of this version

A file holds what a pickle would: the name of the class and its state. It is no pickle,
because a pickle also names functions inside NumPy, and these differ between the
versions of NumPy that sklda supports.
"""

import json
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sklda import __version__
from sklda.datasets import make_lda_corpus
from tests.helpers.public_names import estimators

FOLDER = Path(__file__).resolve().parents[1] / "data" / "fits"
METHODS = ("transform", "decision_function", "predict", "perplexity")


class Stored(NamedTuple):
    """A model, documents, and what the model said of them when it was stored."""

    model: Any
    X: np.ndarray
    results: dict[str, Any]


def fits() -> list[Stored]:
    """Fit each public estimator to a small corpus."""
    X, theta, _ = make_lda_corpus(20, 12, 3, document_length=25, random_state=0)
    X = X.toarray()
    labels = np.array(["one", "two", "three"])[theta.argmax(axis=1)]
    params = {"n_components": 3, "max_iter": 20, "random_state": 0}
    params["doc_topic_prior"] = [0.1, 0.2, 0.3]
    targets = {"MedLDAClassifier": labels, "MedLDARegressor": theta[:, 0]}
    models = [
        cls(**params).fit(X, targets.get(name)) for name, cls in estimators().items()
    ]
    return [Stored(model, X, results_of(model, X)) for model in models]


def results_of(model: Any, X: np.ndarray) -> dict[str, Any]:
    """Return the results of all methods that take documents alone."""
    return {name: getattr(model, name)(X) for name in METHODS if hasattr(model, name)}


def write(path: Path, stored: Stored) -> None:
    """Store a model; TypeError if its state holds more than arrays and plain values."""
    cls, state = type(stored.model), stored.model.__getstate__()
    arrays = {k: v for k, v in state.items() if isinstance(v, np.ndarray)}
    plain = {k: v for k, v in state.items() if k not in arrays}
    model = {"module": cls.__module__, "class": cls.__name__, "state": plain}
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        path,
        model=json.dumps(model, default=as_dict),
        X=stored.X,
        **{f"state.{name}": array for name, array in arrays.items()},
        **{f"results.{name}": result for name, result in stored.results.items()},
    )


def as_dict(array: np.ndarray) -> dict[str, Any]:
    """Return an array inside another attribute as JSON can hold it."""
    return {"array": array.tolist(), "dtype": array.dtype.str}


def from_dict(found: dict[str, Any]) -> Any:
    """Return what `as_dict` was given, and other dicts as they are."""
    if found.keys() != {"array", "dtype"}:
        return found
    return np.array(found["array"], found["dtype"])


def load(path: Path) -> Stored:
    """Restore a model by the steps of unpickling."""
    with np.load(path, allow_pickle=False) as file:
        parts = {name: file[name] for name in file.files}

    def named(prefix):
        return {k.removeprefix(prefix): v for k, v in parts.items() if prefix in k}

    model = json.loads(parts["model"].item(), object_hook=from_dict)
    cls = getattr(import_module(model["module"]), model["class"])
    estimator = cls.__new__(cls)
    estimator.__setstate__(model["state"] | named("state."))
    return Stored(estimator, parts["X"], named("results."))


if __name__ == "__main__":
    for stored in fits():
        write(FOLDER / __version__ / f"{type(stored.model).__name__}.npz", stored)
