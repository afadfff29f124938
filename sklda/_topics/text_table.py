"""Tables as lines of text, which results print."""

from __future__ import annotations

from collections.abc import Sequence


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
