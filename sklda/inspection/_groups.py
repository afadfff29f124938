"""Groups of documents: categories, or numbers and dates in their order."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from sklda._base.columns import as_column
from sklda._core.checks import label_list

MAX_GROUPS = 200  # more categories would not be legible
MAX_BINS = 60  # of numbers and dates, unless the caller says otherwise
# Widths of bins: units of NumPy, and how many of them.
_SPANS = ("D", 1), ("W", 1), ("M", 1), ("M", 3), ("Y", 1)
_YEAR_0 = -1970  # of NumPy
_TINY, _ROUNDING = 1e-300, 1e-12  # least width of bins, and relative to the numbers
_MONDAY = 3  # days from Monday to Thursday, on which the weeks of NumPy begin


class Groups(NamedTuple):
    """The groups of a corpus."""

    names: list[str]
    members: np.ndarray  # (n_documents,) the group of each document; -1 for no date
    places: np.ndarray | None  # (n_groups,) on the axis; None for categories
    dates: np.ndarray | None = None  # (n_documents,), if groups are bins of dates

    @property
    def are_dates(self) -> bool:
        """Whether the groups are bins of dates; then places are days since 1970."""
        return self.dates is not None

    def sizes(self) -> np.ndarray:
        """Return the number of documents of each group."""
        return np.bincount(self.members[self.members >= 0], minlength=len(self.names))


def check_groups(
    groups: Any,
    n_documents: int,
    max_bins: int = MAX_BINS,
    *,
    may_miss_dates: bool = False,
) -> Groups:
    """Return the groups: numbers and dates in increasing order, or categories.

    Dates become bins of equal width, the finest of which there are at most `max_bins`,
    and so do integers on at most that many equal steps. Other numbers have a group for
    each value or, if there are more than `max_bins` values, bins of equal width. A bin
    between others may be empty. Raise TypeError or ValueError for anything else, and
    for missing dates unless they may be missing.
    """
    label_list(groups, "groups", "documents", n_documents)
    values, names = as_column(groups, "groups", may_miss_dates=may_miss_dates)
    if values.dtype.kind == "M":
        is_dated = ~np.isnat(values)
        dated = _of_dates(values[is_dated], max_bins)
        members = np.full(values.size, -1)
        members[is_dated] = dated.members
        return dated._replace(members=members, dates=values)
    if names is None and values.dtype.kind != "b":
        return _of_numbers(values.astype(np.float64), max_bins)
    if names is None:
        distinct, values = np.unique(values, return_inverse=True)
        names = [str(value) for value in distinct]
    if len(names) > MAX_GROUPS:
        raise ValueError(
            f"groups has {len(names):,} different values; at most {MAX_GROUPS} can be "
            "shown. Merge rare groups; convert strings that are dates, for example "
            "with pandas.to_datetime."
        )
    return Groups(names, values, None)


def _of_dates(days: np.ndarray, max_bins: int) -> Groups:
    """Group dates by days, weeks from Monday, months, quarters, years or more years."""
    years = (("Y", int(step)) for step in _round_steps(2))
    for unit, step in chain(_SPANS, years):
        shift = _MONDAY if unit == "W" else 0
        shifted = days + np.timedelta64(shift, "D")
        number = shifted.astype(f"M8[{unit}]").astype(np.int64)
        # Bins of years begin with year 0, or before it with the first year.
        zero = min(_YEAR_0, number.min()) if unit == "Y" else 0
        number = (number - zero) // step
        if number.max() - number.min() < max_bins:
            break
    bins = np.arange(number.min(), number.max() + 2) * step + zero
    starts = bins.astype(f"M8[{unit}]")
    first = starts.astype("M8[D]").astype(np.int64) - shift
    names = [str(start) for start in starts[:-1]]
    if unit == "W" or step > 1:
        ends = (first[1:] - 1).astype("M8[D]")
        if unit == "W":
            starts = first.astype("M8[D]")
        else:
            ends = ends.astype(f"M8[{unit}]")
        names = [f"{a} to {b}" for a, b in zip(starts[:-1], ends, strict=True)]
    middles = (first[:-1] + first[1:] - 1) / 2
    return Groups(names, number - number.min(), middles, days)


def _of_numbers(numbers: np.ndarray, max_bins: int) -> Groups:
    """Group numbers by value or, if there are many, by bins of equal width."""
    distinct, members = np.unique(numbers, return_inverse=True)
    whole = not (distinct % 1).any() and np.abs(distinct).max() < 2**53
    width = distinct[-1] - distinct[0] if whole else np.inf
    least = 1.0 if whole else 0.0
    if whole and width >= max_bins:  # every fifth year, for instance
        least = float(np.gcd.reduce(np.diff(distinct).astype(np.int64)))
    if width < least * max_bins:
        members = np.rint((numbers - distinct[0]) / least).astype(np.int64)
        distinct = distinct[0] + least * np.arange(members.max() + 1)
    elif len(distinct) > max_bins:
        return _of_intervals(numbers, whole, max_bins)
    return Groups([f"{value:.16g}" for value in distinct], members, distinct)


def _of_intervals(numbers: np.ndarray, whole: bool, max_bins: int) -> Groups:
    low, high = float(numbers.min()), float(numbers.max())
    least, largest = high / max_bins - low / max_bins, max(abs(low), abs(high))
    if least < max(_TINY, _ROUNDING * largest) or largest > 1 / _TINY:
        raise ValueError(
            f"groups has numbers from {low!r} to {high!r}, which cannot be divided "
            "into bins: subtract their mean and multiply them by a constant."
        )
    least = 10.0 ** math.floor(math.log10(least))
    # Bins end at 0, so a single one could not contain numbers of both signs.
    zero = low if max_bins == 1 else 0.0
    for width in _round_steps(max(least, 1.0) if whole else least):
        steps = np.floor((numbers - zero) / width)
        if steps.max() - steps.min() < max_bins:
            break
    members = (steps - steps.min()).astype(np.int64)
    first = zero + (steps.min() + np.arange(members.max() + 1)) * width
    last = first + (width - whole)
    names = [f"{a:.12g} to {b:.12g}" for a, b in zip(first, last, strict=True)]
    return Groups(names, members, first / 2 + last / 2)


def _round_steps(least: float) -> Iterator[float]:
    """Yield 1, 2 and 5 times the powers of ten, from `least` on."""
    power = 10.0 ** math.floor(math.log10(least))
    while True:
        yield from (power * step for step in (1, 2, 5) if power * step >= least)
        power *= 10
