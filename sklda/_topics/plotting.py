"""Axes, colours and labels that the displays share."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sklda._core.checks import check_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Light enough for black text on top of it, dark enough to stand out on white.
FILL = "#a3c6df"
EDGE = "#2f5570"


def import_pyplot(caller: str) -> ModuleType:
    """Import matplotlib.pyplot, or raise an ImportError that says how to install it."""
    try:
        import matplotlib.pyplot
    except ImportError as error:
        raise ImportError(
            f'{caller}.plot needs matplotlib: pip install "sklda[plot]"'
        ) from error
    return matplotlib.pyplot


def axes_or_new(caller: str, ax: Axes | None, **figure_options: Any) -> Any:
    """Return `ax`, or the axes of a new figure if it is None."""
    pyplot = import_pyplot(caller)
    if ax is None:
        _, ax = pyplot.subplots(layout="constrained", **figure_options)
    check_axes(ax)
    return ax


def check_axes(ax: Any) -> None:
    """Raise TypeError if `ax` is not an Axes."""
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise TypeError(f"ax must be an Axes of matplotlib, got {ax!r}.")


def shades(n: int, lightest: float = 0.9) -> np.ndarray:
    """Return n colours from dark to light that differ in greyscale, (n, 4) RGBA."""
    from matplotlib import colormaps

    return np.asarray(colormaps["viridis"](np.linspace(0, lightest, n)))


def legend_beside(ax: Any, **options: Any) -> None:
    """Draw a legend to the right of the axes, where it covers no data."""
    legend = ax.legend(
        loc="upper left", bbox_to_anchor=(1, 1), fontsize="small", **options
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


def text_colour(background: np.ndarray) -> str:
    """Return "black" or "white", whichever is more legible on an RGB(A) colour."""
    luminance = np.dot(background[:3], [0.299, 0.587, 0.114])
    return "black" if luminance > 0.5 else "white"


def shorten(text: str, max_length: int) -> str:
    """Cut a text to `max_length` characters, the last of which is then an ellipsis."""
    return text if len(text) <= max_length else text[: max_length - 1] + "…"


def check_labels(value: Any, name: str, counted: str, size: int) -> list[str]:
    """Return the names of what is drawn as a list of `size` str.

    Raises
    ------
    TypeError
        If `value` is not a list or an array.
    ValueError
        If it does not hold `size` names.
    """
    names = check_names(value, name, f"the names of the {counted}")
    if len(names) != size:
        raise ValueError(f"{name} has {len(names)} names for {size} {counted}.")
    return names


def check_indices(
    values: ArrayLike | None, name: str, size: int, counted: str
) -> np.ndarray:
    """Return indices of topics or documents as an array; None selects all of them.

    Raises
    ------
    ValueError
        If `values` is not a non-empty list of integers from 0 to ``size - 1``.
    """
    try:
        indices = np.arange(size) if values is None else np.asarray(values)
    except ValueError:  # lists of different lengths
        indices = np.array([])
    if indices.ndim != 1 or indices.size == 0 or indices.dtype.kind not in "iu":
        raise ValueError(f"{name} must be a list of integers, got {values!r}.")
    if indices.min() < 0 or indices.max() >= size:
        raise ValueError(
            f"{name} must be between 0 and {size - 1}, because there are {size} "
            f"{counted}; got {values!r}."
        )
    return indices
