"""Checks of several models, and their topics as distributions of the same words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sklda._base.fitted_topics import topic_distributions
from sklda._core.checks import differences


def check_models(models: Any, name: str, minimum: int = 1) -> list[Any]:
    """Return models as a list; raise TypeError or ValueError if it is not one."""
    is_single = hasattr(models, "fit") or hasattr(models, "toarray")
    is_single |= getattr(models, "ndim", 3) < 3  # a matrix is a single model
    no_list = isinstance(models, str | bytes | Mapping | set | frozenset)
    if is_single or no_list or not hasattr(models, "__iter__"):
        raise TypeError(
            f"{name} must be a list of models, got {type(models).__name__}. For a "
            "single model, pass a list with one element."
        )
    models = list(models)
    if len(models) < minimum:
        raise ValueError(
            f"{name} must contain at least {minimum} models, got {len(models)}."
        )
    return models


def distributions_of_all(models: list[Any], names: list[str]) -> list[np.ndarray]:
    """Return the word distributions of models; ValueError if their words differ."""
    topics = [
        topic_distributions(model, name)
        for model, name in zip(models, names, strict=True)
    ]
    known = [
        (name, [str(word) for word in model.feature_names_in_])
        for name, model in zip(names, models, strict=True)
        if hasattr(model, "feature_names_in_")
    ]
    for name, words in known[1:]:
        check_same_words(*known[0], name, words)
    for name, rows in zip(names, topics, strict=True):
        if rows.shape[1] != topics[0].shape[1]:
            raise ValueError(
                f"{names[0]} has {topics[0].shape[1]} words, but {name} has "
                f"{rows.shape[1]}: fit all models to the same columns."
            )
    return topics


def check_same_words(
    first_name: str, first: list[str], name: str, words: list[str]
) -> None:
    """Raise ValueError if the words of two models differ, or their order."""
    if first == words:
        return
    difference = differences(first, words, first_name, name)
    raise ValueError(
        f"{first_name} and {name} have different vocabularies: {difference}. Fit all "
        "models to the same columns."
    )
