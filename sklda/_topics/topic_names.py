"""Names of topics: those that `name_topics` has stored, or else their numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike

from sklda._base.fitted_topics import fitted_components
from sklda._core.checks import array_or_none, check_indices, label_list, shown


def default_names(n_topics: int) -> np.ndarray:
    """Return names that state the numbers of the topics, (n_topics,) str."""
    return np.array([f"topic {k}" for k in range(n_topics)], dtype=object)


def names_of_topics(estimator: Any, n_topics: int) -> np.ndarray:
    """Return the names of all topics of an estimator, (n_topics,) str.

    These are default names if the topics have changed since they were named.
    """
    stored = getattr(estimator, "topic_names_", None)
    named = getattr(estimator, "_named_topics", None)
    if stored is None or named not in (None, checksum(estimator)):
        return default_names(n_topics)
    names = label_list(stored, "topic_names_", "topics", n_topics)
    return np.array(names, dtype=object)


def checksum(estimator: Any) -> int | None:
    """Return a number that a fit changes; None for models of sklda: they drop names."""
    if hasattr(estimator, "_n_words"):
        return None
    return crc32(np.ascontiguousarray(fitted_components(estimator)))


def numbers_of_topics(topics: ArrayLike | None, names: Iterable[str]) -> np.ndarray:
    """Return the numbers of topics that are named or numbered; of all topics for None.

    `names` are those of all topics. Raises ValueError for any other name or number.
    """
    known, numbers = list(names), topics
    given = [] if array_or_none(topics).ndim != 1 else list(cast(Iterable, topics))
    if any(isinstance(topic, str) for topic in given):
        numbers = [_number_of(t, known) if isinstance(t, str) else t for t in given]
    return check_indices(numbers, "topics", len(known), "topics")


def _number_of(name: str, known: list[str]) -> int:
    if name not in known:
        raise ValueError(
            f"topics must be a list of integers or names, and no topic is named "
            f"{name!r}: the names are {shown(known)}."
        )
    return known.index(name)


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
