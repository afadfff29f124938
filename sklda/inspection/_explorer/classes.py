"""Weights of topics for classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklda._base.fitted_topics import count_models


def class_weights(estimator: Any, n_topics: int) -> dict[str, Any] | None:
    """Return the weight of each topic for each class, or None without classes.

    Parameters
    ----------
    estimator : estimator
        Fitted. Its weights are `coef_` of shape (n_tasks, n_topics); with one-vs-rest
        (n_tasks, n_topics / n_tasks), for the topics of each task.
    n_topics : int
        Number of topics.

    Returns
    -------
    dict or None
        "names" of the classes that the tasks predict; "other", the name of the first
        of two classes, which share one task, else None; "weights", a list of the tasks'
        weights for each topic, None where a topic belongs to another task.
    """
    if not hasattr(estimator, "classes_") or not hasattr(estimator, "coef_"):
        return None
    coef = np.asarray(estimator.coef_, dtype=np.float64)
    n_models = count_models(estimator)
    if coef.ndim != 2 or coef.shape[1] * n_models != n_topics:
        return None
    names = [str(name) for name in estimator.classes_]
    other = None
    if len(names) == 2 and len(coef) == 1:
        other, names = names[0], names[1:]
    if len(names) != len(coef):
        return None
    weights: list[list[float | None]] = [[None] * len(coef) for _ in range(n_topics)]
    for task, row in enumerate(coef):
        first = task * len(row) if n_models > 1 else 0
        for k, weight in enumerate(row, start=first):
            weights[k][task] = float(f"{weight:.4g}")
    return {"names": names, "other": other, "weights": weights}
