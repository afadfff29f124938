"""What results and displays share: text tables, and the drawing of plots.

The first part makes text tables, which results print, and tables by keys, which
`summary` returns as a dict or a DataFrame. The second part has the bases of the
displays, with one Axes (`Display`) or several (`PanelDisplay`). They check the Axes of
the user or make new ones, and call `_draw`. The last part has the colours, texts, axes
and legends that displays draw alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklda._data.checks import check_indices, label_list
from sklda._data.notices import import_extra, import_pandas

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Light enough for black text on top of it, dark enough to stand out on white.
FILL = "#a3c6df"
EDGE = "#2f5570"
# Texts of users are shown as they are: "$" does not start a formula, TeX does not run.
PLAIN = {"parse_math": False, "usetex": False}
_MAX_NAME = 40  # characters of a name beside an axis or in a legend
_MAX_TITLE = 28  # characters of the title of a panel
_GAPS = {"w_pad": 0.08, "h_pad": 0.08}  # around panels with their texts, in inches

# --- tables -----------------------------------------------------------------------


def table_lines(rows: Sequence[Sequence[str]], sides: str = "<>") -> list[str]:
    """Return the lines of rows of cells, in columns as wide as their widest cell.

    `sides` has a side for each column, "<" or ">"; the last one applies to all others.
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
    labels = pandas.Index(list(table)).set_names(list(index))
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


# --- displays ---------------------------------------------------------------------


class Display:
    """Base of the displays with one Axes.

    Each has `_draw(axes, style)`, which sets the attributes that hold what was drawn.
    """

    ax_: Axes
    figure_: Figure

    def plot(self, ax: Axes | None = None, **style: Any) -> Self:
        """Plot the contents of the display.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to plot on. By default a new figure of suitable size is created.
        **style : dict
            Keyword arguments for the drawing method of Axes.

        Returns
        -------
        Display
            The display itself.

        Raises
        ------
        ImportError, TypeError
            If matplotlib is not installed, or `ax` is not an Axes.
        """
        pyplot = import_pyplot(self)
        if ax is None:
            _, ax = pyplot.subplots(layout="constrained", figsize=self._figure_size())
        check_axes(ax)
        self._draw(ax, style)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _figure_size(self) -> tuple[float, float]:
        """Return the width and the height of a new figure in inches."""
        return 8, 4


class PanelDisplay:
    """Base of the displays with several Axes.

    Each has `_panels()`, which returns the number of panels and what they are for an
    error message, `_new_axes(n_panels)`, which returns the panels of a new figure (see
    `new_panels`), and `_draw(axes, style)`.
    """

    axes_: np.ndarray
    figure_: Figure

    def plot(self, ax: Axes | Iterable[Axes] | None = None, **style: Any) -> Self:
        """Plot the contents of the display.

        Parameters
        ----------
        ax : Axes or array-like of Axes, default=None
            One Axes per panel. By default a new figure of suitable size is created.
        **style : dict
            Keyword arguments for the drawing method of Axes.

        Returns
        -------
        Display
            The display itself.

        Raises
        ------
        ImportError, TypeError, ValueError
            If matplotlib is not installed, or `ax` is not one Axes for each panel.
        """
        import_pyplot(self)
        n_panels, content = self._panels()
        given = self._new_axes(n_panels) if ax is None else ax
        axes = np.asarray(given, dtype=object).ravel()
        for panel in axes:
            check_axes(panel)
        if axes.size != n_panels:
            raise ValueError(
                f"ax contains {axes.size} Axes, but there are {n_panels} {content}."
            )
        for panel in axes:
            panel.spines[["top", "right"]].set_visible(False)
        self._draw(axes, style)
        self.axes_, self.figure_ = axes, axes[0].figure
        return self


def new_panels(
    n_panels: int,
    max_columns: int,
    size: tuple[float, float],
    margin: tuple[float, float] = (0, 0),
    **options: Any,
) -> np.ndarray:
    """Return panels in rows of at most `max_columns`, in a new figure.

    Each has this width and height in inches; the figure has a margin around them.
    """
    from matplotlib import pyplot

    n_columns = min(n_panels, max_columns)
    n_rows = -(-n_panels // n_columns)
    width, height = size[0] * n_columns + margin[0], size[1] * n_rows + margin[1]
    options = {"figsize": (width, height), "layout": "constrained"} | options
    figure, grid = pyplot.subplots(n_rows, n_columns, squeeze=False, **options)
    if figure.get_layout_engine() is not None:
        figure.get_layout_engine().set(**_GAPS)
    grid = grid.ravel()
    for panel in grid[n_panels:]:
        panel.remove()
    panels: np.ndarray = grid[:n_panels]
    return panels


def import_pyplot(display: Any) -> Any:
    """Import matplotlib.pyplot, or raise an ImportError that says how to install it."""
    return import_extra("matplotlib.pyplot", "plot", f"{type(display).__name__}.plot")


def check_axes(ax: Any) -> None:
    """Raise TypeError if `ax` is not an Axes."""
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise TypeError(f"ax must be an Axes of matplotlib, got {ax!r}.")


# --- colours, texts, axes and legends ---------------------------------------------


def series_styles(
    names: Sequence[str], lightest: float = 0.75, max_length: int = _MAX_NAME
) -> Iterator[dict[str, Any]]:
    """Yield a colour and a label for the legend of each series.

    Colours are from dark to light, so they differ in greyscale. Matplotlib leaves out
    labels that are empty or begin with "_", so a space comes first, which
    `legend_beside` removes.
    """
    from matplotlib import colormaps

    colours = colormaps["viridis"](np.linspace(0, lightest, len(names)))
    for colour, name in zip(colours, names, strict=True):
        yield {"color": colour, "label": f" {plain(name, max_length)}"}


def write_rows(axes: Any, names: list[str], max_length: int = _MAX_NAME) -> None:
    """Write the names of rows to the left of them, from top to bottom."""
    texts = [plain(name, max_length) for name in names]
    axes.set_yticks(np.arange(len(texts)), texts, **PLAIN)
    axes.set_ylim(len(texts) - 0.5, -0.5)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)


def write_dates(axes: Any) -> None:
    """Write dates on the axis of days since 1970, which Matplotlib counts as well."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    locator = AutoDateLocator(minticks=2, maxticks=5)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))


def legend_beside(axes: Any, **options: Any) -> None:
    """Draw a legend to the right of the axes, where it covers no data."""
    legend = axes.legend(
        loc="upper left", bbox_to_anchor=(1, 1), fontsize="small", **options
    )
    for text in legend.get_texts():
        text.set(text=text.get_text().removeprefix(" "), **PLAIN)


def plain(text: str, max_length: int = _MAX_NAME) -> str:
    """Return a text in one line that fonts can draw: lone surrogates become escapes."""
    return shorten(text.encode("utf-8", "backslashreplace").decode("utf-8"), max_length)


def shorten(text: str, max_length: int) -> str:
    """Return a text in one line, cut to `max_length` characters with an ellipsis."""
    text = " ".join(text.split())
    return text if len(text) <= max_length else text[: max_length - 1] + "…"


def write_title(panel: Any, name: str) -> None:
    """Write a title above a panel, so short that it fits in capital letters."""
    panel.set_title(plain(name, _MAX_TITLE), fontsize="small", **PLAIN)


def rows_and_names(
    documents: Any, names: Any, n_documents: int, n_default: int, name: str = "{}"
) -> tuple[np.ndarray, list[str]]:
    """Return the rows of the documents to plot, by default the first, and their names.

    Raise TypeError or ValueError if there are no such documents, or not as many names.
    """
    if documents is None:
        documents = np.arange(min(n_documents, n_default))
    rows = check_indices(documents, "documents", n_documents, "documents")
    if names is None:
        return rows, [name.format(row) for row in rows]
    return rows, label_list(names, "document_names", "documents", rows.size)


def largest_topics(proportions: np.ndarray, n: int) -> np.ndarray:
    """Return the n topics with the largest sums over the documents, in order."""
    order = np.argsort(-proportions.sum(axis=0), kind="stable")
    return np.sort(order[:n])
