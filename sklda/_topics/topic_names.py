"""Names of topics: those that `name_topics` has stored, or else their numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from sklda._core.checks import label_list


def default_names(n_topics: int) -> np.ndarray:
    """Return names that state the numbers of the topics, (n_topics,) str."""
    return np.array([f"topic {k}" for k in range(n_topics)], dtype=object)


def names_of_topics(estimator: Any, n_topics: int) -> np.ndarray:
    """Return the names of all topics of an estimator, (n_topics,) str."""
    stored = getattr(estimator, "topic_names_", None)
    if stored is None:
        return default_names(n_topics)
    names = label_list(stored, "topic_names_", "topics", n_topics)
    return np.array(names, dtype=object)


def keys_of_topics(names: Iterable[str], topics: Iterable[int]) -> list[int | str]:
    """Return what denotes each topic in a table: its name or, if it has none, a number.

    `names` are those of these topics, of which default names count as none.
    """
    return [
        int(k) if name == f"topic {k}" else name
        for name, k in zip(names, topics, strict=True)
    ]


def keys_of_model(estimator: Any, n_topics: int) -> list[int | str]:
    """Return what denotes each topic of an estimator in a table."""
    return keys_of_topics(names_of_topics(estimator, n_topics), range(n_topics))
