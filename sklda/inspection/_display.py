"""What displays share, and the displays of estimates with intervals.

The first part has the bases of the displays, with one Axes (`Display`) or several
(`PanelDisplay`). They check the Axes of the user or make new ones, and call `_draw`.
The second part has the colours, texts, axes and legends that displays draw alike. Then
`TopicIntervalsDisplay` plots effects, contrasts and the proportions of documents, and
`PredictedProportionsDisplay` plots predictions, all with their intervals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sklda._covariates.design import as_column
from sklda._data.checks import (
    check_indices,
    check_names,
    check_numbers,
    check_result,
    label_list,
)
from sklda._data.notices import import_extra
from sklda._data.types import NameList
from sklda._fitted.fitted_topics import numbers_of_topics
from sklda._fitted.posterior_draws import check_draws
from sklda._sampling.parameters import LEVEL, POSITIVE_INTEGER, validates
from sklda.inspection._effects import TopicEffects
from sklda.inspection._estimates import PredictedProportions, TopicContrasts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

# Light enough for black text on top of it, dark enough to stand out on white.
FILL = "#a3c6df"
EDGE = "#2f5570"
# Texts of users are shown as they are: "$" does not start a formula, TeX does not run.
PLAIN = {"parse_math": False, "usetex": False}
# Characters of a title or a word in a panel, of a name, and of a line of text.
SHORT, _MAX_NAME, LONG = 26, 40, 80
_MARKS = "osD^v"
_BAND = 0.7  # height of the intervals of a topic; topics have a distance of 1
_GAPS = {"w_pad": 0.08, "h_pad": 0.08}  # around panels with their texts, in inches

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
    names: Sequence[str],
    style: dict[str, Any],
    lightest: float = 0.75,
    max_length: int = _MAX_NAME,
) -> list[dict[str, Any]]:
    """Return a colour and a label for the legend of each series.

    A label in the style of the user stands before each name, and is removed there.
    Colours are from dark to light, so they differ in greyscale. Matplotlib leaves out
    labels that are empty or begin with "_", so a space comes first, which `draw_legend`
    removes.
    """
    from matplotlib import colormaps

    colours = colormaps["viridis"](np.linspace(0, lightest, len(names)))
    before = f" {style.pop('label')}: " if "label" in style else " "
    labels = [before + plain(name, max_length) for name in names]
    pairs = zip(colours, labels, strict=True)
    return [{"color": colour, "label": label} for colour, label in pairs]


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


def draw_legend(axes: Any, **options: Any) -> None:
    """Draw a legend to the right of the axes, where it covers no data.

    A figure without a layout engine makes no room there and would cut it off: it gets
    the legend inside the axes.
    """
    if axes.figure.get_layout_engine() is not None:
        options |= {"loc": "upper left", "bbox_to_anchor": (1, 1)}
    legend = axes.legend(fontsize="small", **options)
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
    panel.set_title(plain(name, SHORT), fontsize="small", **PLAIN)


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


# --- estimates with intervals ----------------------------------------------------


@dataclass(eq=False, repr=False, kw_only=True)
class TopicIntervalsDisplay(Display):
    """Plot proportions of topics, or effects on them, with their intervals.

    Create a display with `from_draws`, `from_effects` or `from_contrasts`.

    Attributes
    ----------
    estimates : ndarray of shape (n_series, n_topics)
        Points. A series is a document or a covariate.
    low, high : ndarray of shape (n_series, n_topics)
        Lower and upper ends of the intervals.
    topic_names : list of str
        Name of each topic, for the vertical axis.
    series_names : list of str
        Name of each series, for the legend.
    quantity : str
        Name of the plotted quantity, for the horizontal axis.
    ax_, figure_ : Axes and Figure
        Axes and figure of the plot.
    intervals_ : list of LineCollection
        Intervals of each series.
    points_ : list of Line2D
        Points of each series.

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> from sklda.inspection import TopicIntervalsDisplay
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> lda = CollapsedGibbsLDA(
    ...     10, doc_topic_prior=1.0, keep_draws=25, random_state=0
    ... ).fit(X)
    >>> TopicIntervalsDisplay.from_draws(lda.draws_, documents=[3, 14]).low.shape
    (2, 8)
    """

    estimates: np.ndarray
    low: np.ndarray
    high: np.ndarray
    topic_names: list[str]
    series_names: list[str]
    quantity: str

    @classmethod
    @validates(n_topics=POSITIVE_INTEGER, confidence_level=LEVEL)
    def from_draws(
        cls,
        draws: Any,
        *,
        documents: ArrayLike | None = None,
        document_names: NameList | None = None,
        n_topics: int = 8,
        confidence_level: float = 0.95,
        ax: Axes | None = None,
        **style: Any,
    ) -> Self:
        """Plot topic proportions of documents with their credible intervals.

        Parameters
        ----------
        draws : PosteriorDraws
            ``draws_`` of an estimator that was fitted with `keep_draws`.
        documents : array-like of int, default=None
            Row numbers of the documents. By default the first three.
        document_names : array-like of str, default=None
            Names of these documents. By default their row numbers.
        n_topics : int, default=8
            Maximum number of topics to plot, at least 1: those with the largest mean
            proportions in these documents, in the order of their indices.
        confidence_level : float, default=0.95
            Posterior probability of each interval, between 0 and 1.
        ax : Axes, default=None
            Axes to plot on. By default a new figure of suitable size is created.
        **style : dict
            Keyword arguments for ``Axes.hlines``.

        Returns
        -------
        TopicIntervalsDisplay
            The plotted display.

        Raises
        ------
        ImportError, TypeError, ValueError
            Without matplotlib; if a parameter has a wrong type, length or value.
        """
        draws = check_draws(draws)
        rows, series = rows_and_names(
            documents, document_names, draws.n_documents, 3, "document {}"
        )
        low, high = draws.doc_topic_interval(confidence_level, documents=rows)
        samples = (draws.doc_topic(i)[rows] for i in range(draws.n_draws))
        mean = sum(samples, np.zeros(low.shape)) / draws.n_draws
        shown = largest_topics(mean, n_topics)
        return cls(
            estimates=mean[:, shown],
            low=low[:, shown],
            high=high[:, shown],
            topic_names=draws.topic_names[shown].tolist(),
            series_names=series,
            quantity="proportion of the topic",
        ).plot(ax, **style)

    @classmethod
    @validates(n_topics=POSITIVE_INTEGER)
    def from_effects(
        cls,
        effects: Any,
        *,
        terms: NameList | None = None,
        n_topics: int = 12,
        ax: Axes | None = None,
        **style: Any,
    ) -> Self:
        """Plot the coefficients of covariates with their intervals.

        Parameters
        ----------
        effects : TopicEffects
            Result of `estimate_effect`.
        terms : array-like of str, default=None
            Covariates to plot, including "intercept". By default, all except the
            intercept.
        n_topics : int, default=12
            Maximum number of topics to plot, at least 1: those with the largest
            magnitudes of t of any of the terms, in the order of their indices.
        ax : Axes, default=None
            Axes to plot on. By default a new figure of suitable size is created.
        **style : dict
            Keyword arguments for ``Axes.hlines``.

        Returns
        -------
        TopicIntervalsDisplay
            The plotted display.

        Raises
        ------
        ImportError, TypeError, ValueError
            Without matplotlib; if there is no such term, or a parameter has a wrong
            type, length or value.
        """
        check_result(effects, "effects", TopicEffects, "estimate_effect")
        chosen = effects.terms[1:] if terms is None else terms
        chosen = check_names(chosen, "terms", "the names of covariates")
        unknown = [term for term in chosen if term not in effects.terms]
        if unknown or not chosen:
            raise ValueError(f"terms must be among {effects.terms}, got {terms!r}.")
        columns = [effects.terms.index(term) for term in chosen]
        strength = np.abs(effects.t[:, columns]).max(axis=1)
        shown = largest_topics(strength[np.newaxis], n_topics)
        cells = np.ix_(shown, columns)
        return cls(
            estimates=effects.coefficient[cells].T,
            low=effects.low[cells].T,
            high=effects.high[cells].T,
            topic_names=effects.topic_names[shown].tolist(),
            series_names=chosen,
            quantity=f"change of the proportion per unit{effects._against()}",
        ).plot(ax, **style)

    @classmethod
    def from_contrasts(
        cls, contrasts: Any, *, ax: Axes | None = None, **style: Any
    ) -> Self:
        """Plot differences of topic proportions between two groups or settings.

        Parameters
        ----------
        contrasts : TopicContrasts
            Result of the method `contrast` of means, effects or predictions.
        ax : Axes, default=None
            Axes to plot on. By default a new figure of suitable size is created.
        **style : dict
            Keyword arguments for ``Axes.hlines``.

        Returns
        -------
        TopicIntervalsDisplay
            The plotted display; topics with the largest differences are at the top.

        Raises
        ------
        ImportError, TypeError, ValueError
            Without matplotlib; if a parameter has a wrong type, length or value.
        """
        check_result(contrasts, "contrasts", TopicContrasts, "contrast")
        order = np.argsort(-contrasts.difference, kind="stable")
        return cls(
            estimates=contrasts.difference[np.newaxis, order],
            low=contrasts.low[np.newaxis, order],
            high=contrasts.high[np.newaxis, order],
            topic_names=contrasts.topic_names[order].tolist(),
            series_names=[f"{contrasts.first} minus {contrasts.second}"],
            quantity="difference of the proportions",
        ).plot(ax, **style)

    def _figure_size(self) -> tuple[float, float]:
        n_series, n_topics = self.estimates.shape
        return 8, max(0.3, 0.14 * n_series) * n_topics + 0.8

    def _draw(self, axes: Any, style: dict[str, Any]) -> None:
        n_series, n_topics = self.estimates.shape
        places = np.arange(n_topics)
        for place in places[1::2]:
            axes.axhspan(place - 0.5, place + 0.5, color="0.95", zorder=0)
        self.intervals_: list[LineCollection] = []
        self.points_: list[Line2D] = []
        for i, series in enumerate(series_styles(self.series_names, style)):
            heights = places + _BAND * ((i + 0.5) / n_series - 0.5)
            line = {"color": series["color"], "linewidth": 1.5} | style
            bars = axes.hlines(heights, self.low[i], self.high[i], **line)
            self.intervals_.append(bars)
            # Not Axes.errorbar: a mean may lie outside its interval. Neighbours have
            # similar colours, so they also differ in their marks.
            dots = series | {"color": line["color"], "marker": _MARKS[i % len(_MARKS)]}
            dots |= {"markersize": 4, "linestyle": "none"}
            self.points_ += axes.plot(self.estimates[i], heights, **dots)
        if (self.low < 0).any():
            axes.axvline(0, color="black", linewidth=0.8, zorder=1)
        write_rows(axes, self.topic_names)
        axes.set_xlabel(plain(self.quantity, LONG), **PLAIN)
        draw_legend(axes)


@dataclass(eq=False, repr=False, kw_only=True)
class PredictedProportionsDisplay(Display):
    """Plot expected topic proportions against a covariate, with bands.

    Create a display with `from_predictions`.

    Attributes
    ----------
    values : ndarray of shape (n_settings,)
        Values of the covariate; dates are stored as days since 1970.
    are_dates : bool
        Whether the values are dates.
    estimates, low, high : ndarray of shape (n_settings, n_topics)
        Proportions and the ends of their intervals.
    topic_names : list of str
        Name of each topic, for the legend.
    covariate_name : str
        Name of the covariate, for the horizontal axis.
    ax_, figure_ : Axes and Figure
        Axes and figure of the plot.
    lines_ : list of Line2D
        Proportions of each topic.
    bands_ : list of PolyCollection
        Intervals of each topic.

    Examples
    --------
    >>> import numpy as np
    >>> from sklda import DMRLDA
    >>> from sklda.datasets import make_lda_corpus
    >>> from sklda.inspection import PredictedProportionsDisplay, predicted_proportions
    >>> X, theta, _ = make_lda_corpus(50, 30, 3, random_state=0)
    >>> year = 2000 + 20 * theta[:, 0]
    >>> dmr = DMRLDA(3, max_iter=1000, random_state=0).fit(X, covariates=year)
    >>> grid = np.linspace(2000, 2020, 5)
    >>> predicted = predicted_proportions(dmr, grid)
    >>> PredictedProportionsDisplay.from_predictions(predicted, grid).low.shape
    (5, 3)
    """

    values: np.ndarray
    are_dates: bool
    estimates: np.ndarray
    low: np.ndarray
    high: np.ndarray
    topic_names: list[str]
    covariate_name: str

    @classmethod
    @validates(n_topics=POSITIVE_INTEGER)
    def from_predictions(
        cls,
        predicted: Any,
        values: ArrayLike,
        *,
        topics: ArrayLike | None = None,
        n_topics: int = 5,
        covariate_name: str = "covariate",
        ax: Axes | None = None,
        **style: Any,
    ) -> Self:
        """Plot the proportions of some topics.

        Parameters
        ----------
        predicted : PredictedProportions
            Result of `predicted_proportions` for settings along a covariate.
        values : array-like of shape (n_settings,)
            Value of the covariate in each setting, numbers or dates.
        topics : array-like of int or str, default=None
            Topics to plot, by number or name. By default the largest `n_topics`.
        n_topics : int, default=5
            Maximum number of topics to plot, at least 1, if `topics` is None.
        covariate_name : str, default="covariate"
            Name of the covariate.
        ax : Axes, default=None
            Axes to plot on. By default a new figure of suitable size is created.
        **style : dict
            Keyword arguments for ``Axes.plot``.

        Returns
        -------
        PredictedProportionsDisplay
            The plotted display.

        Raises
        ------
        ImportError, TypeError, ValueError
            Without matplotlib; if a parameter has a wrong type, length or value.
        """
        source = "predicted_proportions"
        check_result(predicted, "predicted", PredictedProportions, source)
        if topics is None:
            shown = largest_topics(predicted.mean, n_topics)
        else:
            shown = numbers_of_topics(topics, predicted.topic_names)
        values = np.asarray(values)
        are_dates = values.dtype.kind == "M"
        if are_dates:
            values = as_column(values, "values").values.astype(np.int64)
        return cls(
            values=check_numbers(values, "values", predicted.mean.shape[:1]),
            are_dates=are_dates,
            estimates=predicted.mean[:, shown],
            low=predicted.low[:, shown],
            high=predicted.high[:, shown],
            topic_names=predicted.topic_names[shown].tolist(),
            covariate_name=covariate_name,
        ).plot(ax, **style)

    def _draw(self, axes: Any, style: dict[str, Any]) -> None:
        order = np.argsort(self.values, kind="stable")
        x = self.values[order]
        self.lines_: list[Line2D] = []
        self.bands_: list[PolyCollection] = []
        styles = series_styles(self.topic_names, style, 0.85)
        for k, series in enumerate(styles):
            line = {"linewidth": 1.5} | series | style
            band = {"color": line["color"], "alpha": 0.2, "linewidth": 0}
            ends = self.low[order, k], self.high[order, k]
            self.bands_.append(axes.fill_between(x, *ends, **band))
            self.lines_ += axes.plot(x, self.estimates[order, k], **line)
        axes.set_ylim(bottom=0, auto=None)  # a second display may be higher
        if self.are_dates:
            write_dates(axes)
        axes.set_xlabel(plain(self.covariate_name), **PLAIN)
        axes.set_ylabel("expected proportion")
        axes.spines[["top", "right"]].set_visible(False)
        draw_legend(axes)
