"""Groups of documents: categories, or numbers and dates in their order."""

from __future__ import annotations

import datetime
import math
from typing import Any, NamedTuple

import numpy as np

from sklda._topics.plotting import label_list

MAX_GROUPS = 200  # more would not be legible
_N_INTERVALS = 50


class Groups(NamedTuple):
    """The groups of a corpus."""

    names: list[str]
    members: np.ndarray  # (n_documents,) the group of each document
    places: np.ndarray | None  # (n_groups,) on the axis; None for categories
    are_dates: bool


def check_groups(groups: Any, n_documents: int) -> Groups:
    """Return the groups: numbers and dates in increasing order, others by name.

    More than `MAX_GROUPS` numbers become intervals of equal width, and dates months or
    years. Raise TypeError or ValueError for anything else.
    """
    names = label_list(groups, "groups", "documents", n_documents)
    values = groups if isinstance(groups, np.ndarray) else list(groups)
    for i, value in enumerate(values):
        if _is_missing(value):
            raise ValueError(
                f"groups has no group for document {i} (it is {value!r}). Give it a "
                f"name, or leave the document out."
            )
        if isinstance(value, list | tuple | set | frozenset | dict | np.ndarray):
            raise TypeError(
                f"groups must hold one text, number or date for each document, but "
                f"that of document {i} is {value!r}. Make one text of it."
            )
    dates = _as_dates(groups, values)
    if dates is not None:
        return _of_dates(dates)
    numbers = np.asarray(groups)
    if numbers.dtype.kind in "iuf":
        return _of_numbers(numbers)
    found, members = np.unique(np.array(names, dtype=object), return_inverse=True)
    return _limited(Groups(list(found), members, None, False))


def _is_missing(value: Any) -> bool:
    if isinstance(value, float | np.floating):
        return not math.isfinite(value)
    if isinstance(value, np.datetime64):
        return bool(np.isnat(value))
    # Those of NumPy's masked arrays and of pandas, which need not be installed.
    missing = {"MaskedConstant", "NAType", "NaTType"}
    return value is None or type(value).__name__ in missing


def _as_dates(groups: Any, values: Any) -> np.ndarray | None:
    """Return dates as days, or None if the groups are no dates."""
    if np.asarray(groups).dtype.kind == "M":
        return np.asarray(groups).astype("datetime64[D]")
    if all(isinstance(value, datetime.date) for value in values):
        # A datetime is a date, too; its time and zone do not matter here.
        return np.array([str(value)[:10] for value in values], dtype="datetime64[D]")
    return None


def _of_dates(days: np.ndarray) -> Groups:
    """Group dates by day, month or year: the finest that gives few groups."""
    for unit in ("D", "M", "Y"):
        found, members = np.unique(days.astype(f"M8[{unit}]"), return_inverse=True)
        if len(found) <= MAX_GROUPS:
            break
    places = found.astype("M8[D]").astype(np.int64)
    return _limited(Groups([str(one) for one in found], members, places, True))


def _of_numbers(numbers: np.ndarray) -> Groups:
    """Group numbers by value or, if there are many, by interval."""
    found, members = np.unique(numbers, return_inverse=True)
    if len(found) <= MAX_GROUPS:
        return Groups([f"{one:.12g}" for one in found], members, found, False)
    width = (float(found[-1]) - float(found[0])) / _N_INTERVALS
    power = 10.0 ** math.floor(math.log10(width))
    # Round up to 1, 2 or 5 times a power of ten.
    round_ones = (power * one for one in (1, 2, 5, 10))
    width = next(one for one in round_ones if one >= width * 0.999999)
    steps = np.floor(numbers / width)
    found, members = np.unique(steps, return_inverse=True)
    names = [f"{one * width:.12g} to {(one + 1) * width:.12g}" for one in found]
    return Groups(names, members, found * width, False)


def _limited(groups: Groups) -> Groups:
    if len(groups.names) > MAX_GROUPS:
        raise ValueError(
            f"groups has {len(groups.names):,} different values; the page shows at "
            f"most {MAX_GROUPS}. Merge the rare ones."
        )
    return groups


def group_frequencies(
    groups: Groups, lengths: np.ndarray, proportions: np.ndarray
) -> np.ndarray:
    """Return the proportion of each topic in the tokens of each group.

    The result is (n_groups, n_topics); rows sum to 1, or to 0 for a group without
    tokens. `proportions` are those of topics in documents.
    """
    tokens = np.zeros((len(groups.names), proportions.shape[1]))
    np.add.at(tokens, groups.members, lengths[:, np.newaxis] * proportions)
    sums = tokens.sum(axis=1, keepdims=True)
    return tokens / np.where(sums > 0, sums, 1)
