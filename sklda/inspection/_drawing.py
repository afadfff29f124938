"""What the pictures share: matplotlib itself, axes, colours, labels."""

from types import ModuleType

import numpy as np

# Light enough to read black text on it, dark enough to be seen on white.
FILL = "#a3c6df"
EDGE = "#2f5570"


def import_pyplot(caller: str) -> ModuleType:
    """Import matplotlib where it is needed, and say how to get it."""
    try:
        import matplotlib.pyplot
    except ImportError as error:
        raise ImportError(
            f'{caller}.plot needs matplotlib: pip install "sklda[plot]"'
        ) from error
    return matplotlib.pyplot


def one_axes(caller: str, ax, **figure_options):
    """Return `ax`, or the axes of a new figure."""
    pyplot = import_pyplot(caller)
    if ax is None:
        _, ax = pyplot.subplots(layout="constrained", **figure_options)
    return ax


def shades(n: int, lightest: float = 0.9) -> np.ndarray:
    """Return n colours from dark to light, which stay apart in greyscale."""
    from matplotlib import colormaps

    return colormaps["viridis"](np.linspace(0, lightest, n))


def legend_beside(ax, **options):
    """Write a legend where it covers nothing."""
    place = {"loc": "upper left", "bbox_to_anchor": (1, 1)}
    legend = ax.legend(**place, fontsize="small", **options)
    for text in legend.get_texts():
        text.set_parse_math(False)
    return legend


def text_colour(background) -> str:
    """Return black or white, whichever can be read on a colour."""
    luminance = np.dot(background[:3], [0.299, 0.587, 0.114])
    return "black" if luminance > 0.5 else "white"


def shorten(text: str, most: int) -> str:
    """Cut a text to at most so many characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def check_indices(values, name: str, size: int, of_what: str) -> np.ndarray:
    """Return numbers of topics or documents as an array; all of them for None."""
    indices = np.arange(size) if values is None else np.asarray(values)
    if indices.ndim != 1 or indices.size == 0 or indices.dtype.kind not in "iu":
        raise ValueError(f"{name} must be a list of integers, got {values!r}.")
    if indices.min() < 0 or indices.max() >= size:
        raise ValueError(
            f"{name} must be between 0 and {size - 1}, for there are {size} {of_what}; "
            f"got {values!r}."
        )
    return indices
