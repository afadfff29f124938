"""Tables of results: as lines of text, which they print, and as DataFrames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklda._core.extras import import_pandas

_MAX_SHOWN = 5  # texts in a message


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


def as_frame_or_dict(rows: dict[Any, Any], names: list[str], as_frame: bool) -> Any:
    """Return rows by their keys, or a DataFrame whose index has these names."""
    if not as_frame:
        return rows
    pandas = import_pandas()
    index = pandas.MultiIndex.from_tuples(rows, names=names)
    return pandas.DataFrame(list(rows.values()), index=index)


def first_few(texts: Sequence[str]) -> str:
    """Return the first texts of a list, for a message."""
    return ", ".join(texts[:_MAX_SHOWN]) + ", ..." * (len(texts) > _MAX_SHOWN)


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
