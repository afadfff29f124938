"""Tables of results: as lines of text, which they print, and as DataFrames."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from sklda._core.extras import import_pandas


def table_lines(rows: Sequence[Sequence[str]], sides: str = "<>") -> list[str]:
    """Return the lines of rows of cells, in columns as wide as their widest cell.

    `sides` has a side for each column, "<" or ">"; its last one stands for all others.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = sides.ljust(len(widths), sides[-1])
    return [
        "  ".join(
            f"{cell:{side}{width}}"
            for cell, side, width in zip(row, sides, widths, strict=False)
        ).rstrip()
        for row in rows
    ]


def table_by_keys(
    index: dict[str, list[Any]], columns: dict[str, np.ndarray], as_frame: bool
) -> Any:
    """Return a dict of rows, or a DataFrame.

    `index` contains the values of each axis of the columns; rows have a key for each
    combination of them.
    """
    axes = list(index.values())
    keys = product(*axes) if len(axes) > 1 else axes[0]
    cells = zip(*(column.ravel().tolist() for column in columns.values()), strict=True)
    rows = (dict(zip(columns, row, strict=True)) for row in cells)
    table = dict(zip(keys, rows, strict=True))
    if not as_frame:
        return table
    pandas = import_pandas()
    if len(axes) > 1:
        labels = pandas.MultiIndex.from_tuples(table, names=list(index))
    else:
        labels = pandas.Index(list(table), name=next(iter(index)))
    return pandas.DataFrame(list(table.values()), index=labels)


def line_of_others(n_topics: int, n_shown: int) -> list[str]:
    """Return the line below a table of the first topics, if there are others."""
    n_more = n_topics - n_shown
    return [f"and {n_more} more topics: see summary()"] if n_more > 0 else []


def in_two_lines(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return rows whose headings break at their last "_" if that makes a column narrow.

    The first row is that of the headings; two rows stand in its place.
    """
    above, below = [], []
    for name, *cells in zip(*rows, strict=True):
        first, mark, last = name.rpartition("_")
        breaks = len(name) > max(map(len, cells), default=0)
        above.append(first + mark if breaks else "")
        below.append(last if breaks else name)
    return [above, below, *map(list, rows[1:])]
