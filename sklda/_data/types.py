"""Types for the hints of public functions.

A module that uses these aliases should begin with ``from __future__ import
annotations``: ``help()`` then prints ``X: 'MatrixLike'`` instead of the whole union.
"""

import os
from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator


class SupportsArray(Protocol):
    """Anything that NumPy converts: an ndarray, a DataFrame, a tensor."""

    def __array__(self) -> np.ndarray[Any, Any]:
        """Return the values as an ndarray."""


# Documents × words. numpy.typing.ArrayLike would also accept a string and a list of
# strings, so a type checker could not report that texts were passed instead of counts.
MatrixLike: TypeAlias = (
    SupportsArray
    | Sequence[Sequence[float]]
    | Sequence[SupportsArray]
    | sparse.spmatrix
    | sparse.sparray
)

# Names in the order of what they name; Iterable[str] would also accept a set of them.
NameList: TypeAlias = Sequence[str] | SupportsArray

# Scores by which `sklda.inspection` ranks the words of a topic.
WordMetric: TypeAlias = Literal["probability", "relevance", "lift", "frex"]

PathLike: TypeAlias = str | os.PathLike[str]

# What a chain starts from: a method, topics, or a fitted model with topics.
InitLike: TypeAlias = Literal["random", "annealed"] | ArrayLike | BaseEstimator

# How a chain finds its priors.
LearnPriors: TypeAlias = (
    Literal["auto", "symmetric", "asymmetric", "hierarchical"] | None
)
