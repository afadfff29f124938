"""Plot of quantities of topics with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sklda._base.parameters import LEVEL, POSITIVE_INTEGER, validates
from sklda._core.checks import check_names, check_numbers
from sklda._core.types import NameList
from sklda._topics.plotting import (
    axes_or_new,
    check_indices,
    check_labels,
    legend_beside,
    shades,
    shorten,
)
from sklda._topics.posterior_draws import check_draws
from sklda.inspection._effects import TopicEffects

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

_DEFAULT_N_DOCUMENTS = 3
_MAX_NAME_LENGTH = 40  # characters of the name of a topic
_MAX_SERIES_LENGTH = 30  # of a document or a covariate
_BAND = 0.7  # of the distance of two topics, which holds their intervals


class TopicIntervalsDisplay:
    """Plot proportions of topics, or effects on them, with their intervals.

    Create a display with `from_draws` or `from_effects`. Its parameters are kept as
    attributes.

    Parameters
    ----------
    estimates : ndarray of shape (n_series, n_topics)
        Points. A series is a document, or a covariate.
    low : ndarray of shape (n_series, n_topics)
        Lower ends of the intervals.
    high : ndarray of shape (n_series, n_topics)
        Upper ends of the intervals.
    topic_names : list of str
        Name of each topic, for the vertical axis.
    series_names : list of str
        Name of each series, for the legend.
    quantity : str
        What is plotted, for the horizontal axis.

    Attributes
    ----------
    ax_ : Axes
        Axes of the plot.
    figure_ : Figure
        Figure of the plot.
    intervals_ : list of LineCollection
        Intervals of each series.
    points_ : list of Line2D
        Points of each series.

    Raises
    ------
    TypeError
        If names are not a list.
    ValueError
        If `estimates`, `low` or `high` are not arrays of finite numbers of the same
        shape, or the numbers of names do not match.

    See Also
    --------
    DocumentTopicsDisplay : Plot the proportions of many documents, without intervals.

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> from sklda.inspection import TopicIntervalsDisplay
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> lda = CollapsedGibbsLDA(10, thin=4, keep_draws=25, random_state=0).fit(X)
    >>> display = TopicIntervalsDisplay.from_draws(lda.draws_, documents=[3, 14])
    >>> display.estimates.shape
    (2, 8)
    """

    ax_: Axes
    figure_: Figure
    intervals_: list[LineCollection]
    points_: list[Line2D]

    def __init__(
        self,
        *,
        estimates: np.ndarray,
        low: np.ndarray,
        high: np.ndarray,
        topic_names: list[str],
        series_names: list[str],
        quantity: str,
    ) -> None:
        self.estimates = check_numbers(estimates, "estimates", ("n_series", "n_topics"))
        n_series, n_topics = self.estimates.shape
        self.low = check_numbers(low, "low", (n_series, n_topics))
        self.high = check_numbers(high, "high", (n_series, n_topics))
        self.topic_names = check_labels(topic_names, "topic_names", "topics", n_topics)
        self.series_names = check_labels(
            series_names, "series_names", "series", n_series
        )
        self.quantity = quantity

    @classmethod
    @validates(n_topics=POSITIVE_INTEGER, confidence_level=LEVEL)
    def from_draws(
        cls,
        draws: Any,
        *,
        documents: ArrayLike | None = None,
        document_names: NameList | None = None,
        topic_names: NameList | None = None,
        n_topics: int = 8,
        confidence_level: float = 0.95,
        ax: Axes | None = None,
        **line_kw: Any,
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
        topic_names : array-like of str of shape (n_components,), default=None
            Names of all topics. By default their numbers.
        n_topics : int, default=8
            Maximum number of topics to plot, at least 1: those with the largest mean
            proportions in these documents, in the order of their indices.
        confidence_level : float, default=0.95
            Posterior probability of each interval, between 0 and 1.
        ax : Axes, default=None
            Axes to plot on. By default a new figure of suitable height is created.
        **line_kw : dict
            Keyword arguments for ``Axes.hlines``.

        Returns
        -------
        TopicIntervalsDisplay
            The display, plotted.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If `draws` are no draws, names are not a list or an array, or `ax` is not an
            Axes.
        ValueError
            If a parameter is out of its range, or the number of names does not match.
        """
        draws = check_draws(draws)
        if documents is None:
            documents = np.arange(min(draws.n_documents, _DEFAULT_N_DOCUMENTS))
        rows = check_indices(documents, "documents", draws.n_documents, "documents")
        names = _names(topic_names, range(draws.n_topics))
        given: Any = document_names
        if given is None:
            given = [f"document {row}" for row in rows]
        series = check_labels(given, "document_names", "documents", rows.size)
        low, high = draws.doc_topic_interval(confidence_level, documents=rows)
        every = (draws.doc_topic(i)[rows] for i in range(draws.n_draws))
        mean = sum(every, np.zeros(low.shape)) / draws.n_draws
        order = np.argsort(-mean.sum(axis=0), kind="stable")
        shown = np.sort(order[:n_topics])
        display = cls(
            estimates=mean[:, shown],
            low=low[:, shown],
            high=high[:, shown],
            topic_names=[names[k] for k in shown],
            series_names=series,
            quantity="proportion of the topic",
        )
        return display.plot(ax, **line_kw)

    @classmethod
    def from_effects(
        cls,
        effects: Any,
        *,
        terms: NameList | None = None,
        topic_names: NameList | None = None,
        ax: Axes | None = None,
        **line_kw: Any,
    ) -> Self:
        """Plot the coefficients of covariates with their intervals.

        Parameters
        ----------
        effects : TopicEffects
            What `estimate_effect` returns.
        terms : array-like of str, default=None
            Names of the covariates to plot, or "intercept". By default all covariates.
        topic_names : array-like of str, default=None
            Names of the topics of the effects. By default their numbers.
        ax : Axes, default=None
            Axes to plot on. By default a new figure of suitable height is created.
        **line_kw : dict
            Keyword arguments for ``Axes.hlines``.

        Returns
        -------
        TopicIntervalsDisplay
            The display, plotted.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If `effects` are no effects, names are not a list or an array, or `ax` is
            not an Axes.
        ValueError
            If there is no such term, or the number of topic_names does not match.
        """
        if not isinstance(effects, TopicEffects):
            raise TypeError(
                f"effects must be what estimate_effect returns, got {effects!r}."
            )
        chosen = effects.terms[1:] if terms is None else terms
        chosen = check_names(chosen, "terms", "the names of covariates")
        unknown = [term for term in chosen if term not in effects.terms]
        if unknown or not chosen:
            raise ValueError(f"terms must be of {effects.terms}, got {terms!r}.")
        columns = [effects.terms.index(term) for term in chosen]
        display = cls(
            estimates=effects.coefficient[:, columns].T,
            low=effects.low[:, columns].T,
            high=effects.high[:, columns].T,
            topic_names=_names(topic_names, effects.topics),
            series_names=chosen,
            quantity="change of the proportion per unit",
        )
        return display.plot(ax, **line_kw)

    def plot(self, ax: Axes | None = None, **line_kw: Any) -> Self:
        """Plot the points and their intervals.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to plot on. By default a new figure of suitable height is created.
        **line_kw : dict
            Keyword arguments for ``Axes.hlines``.

        Returns
        -------
        TopicIntervalsDisplay
            The display itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If `ax` is not an Axes.
        """
        n_series, n_topics = self.estimates.shape
        height = max(0.3, 0.14 * n_series) * n_topics + 0.8
        axes = axes_or_new("TopicIntervalsDisplay", ax, figsize=(8, height))
        places = np.arange(n_topics)
        for place in places[1::2]:
            axes.axhspan(place - 0.5, place + 0.5, color="0.95", zorder=0)
        self.intervals_ = []
        self.points_ = []
        for i, colour in enumerate(shades(n_series, 0.75)):
            style = {"color": colour, "linewidth": 1.5} | line_kw
            at = places + _BAND * ((i + 0.5) / n_series - 0.5)
            lines = axes.hlines(at, self.low[i], self.high[i], **style)
            # No error bars of matplotlib: the mean of a skewed posterior may lie
            # outside its interval.
            label = shorten(self.series_names[i], _MAX_SERIES_LENGTH)
            dots = {"color": style["color"], "markersize": 4, "label": label}
            self.points_ += axes.plot(self.estimates[i], at, "o", **dots)
            self.intervals_.append(lines)
        if self.low.min() < 0:
            axes.axvline(0, color="black", linewidth=0.8, zorder=1)
        names = [shorten(name, _MAX_NAME_LENGTH) for name in self.topic_names]
        axes.set_yticks(places, names, parse_math=False)
        axes.set(ylim=(n_topics - 0.5, -0.5), xlabel=self.quantity)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(axis="y", length=0)
        legend_beside(axes)
        self.ax_, self.figure_ = axes, axes.figure
        return self


def _names(topic_names: NameList | None, topics: Any) -> list[str]:
    """Return the names of topics, by default their numbers."""
    given: Any = [f"topic {k}" for k in topics] if topic_names is None else topic_names
    return check_labels(given, "topic_names", "topics", len(topics))
