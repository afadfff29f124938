"""Plots of traces, documents, topics and their words.

`ConvergenceDisplay` plots the traces of fits or chains, `DocumentTopicsDisplay` the
topic proportions of documents, `TopWordsDisplay` the top words of each topic, and
`TopicMapDisplay` a map of topics by the similarity of their words. Each has a method
that computes what it shows, and `_draw`, which draws it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.decomposition import KernelPCA

from sklda._data.types import MatrixLike, NameList, WordMetric
from sklda._fitted import fitted_topics
from sklda._fitted.topic_words import (
    RANKING_CONSTRAINTS,
    jensen_shannon_distances,
    top_columns,
)
from sklda._sampling.parameters import NATURAL_NUMBER, POSITIVE_INTEGER, validates
from sklda.inspection import _display

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

# Attributes with the values and the sweeps of a trace, and the quantity it records.
_TRACES = (
    ("log_joint_", "log_joint_iter_", "log joint (nats)"),
    ("bound_", "bound_iter_", "bound (nats per token)"),
)
_DASHES = "-", "--", "-.", ":"
_MAX_MARKERS = 30  # longer traces are drawn without markers
_LEGEND_ROWS = 14  # of each column of the legend

NUMBER_OF_WORDS = [None, *NATURAL_NUMBER]  # in a label
NO_TOKENS = "(no tokens)"  # in place of the words of a topic
# Characters of a word and of a name in a label.
_WORD_IN_LABEL, _NAME_IN_LABEL = 18, 60

_MIN_NUMBERED = 0.05  # of a bar: smaller segments are too narrow for a number

# Sizes in inches of a panel of words.
_WIDTH, _WORD_HEIGHT = 2.2, 0.2
_SIDES = 0.25  # left and right of each panel
_TOP = 0.4  # above each panel, for its title
_BOTTOM = 0.55  # below the lowest panels, for the axis
_MAX_COLUMNS = 5
_WORD_PAD = 3  # points between the left edge and the words

_TOTAL_SIZE = 12_000  # sum of the squared diameters of all circles, in square points
_MAX_LABELLED = 30  # with more topics, the words would take too much space
_ROW = 0.19  # inches of a label

# --- traces -----------------------------------------------------------------------


@dataclass(eq=False, repr=False, kw_only=True)
class ConvergenceDisplay(_display.Display):
    """Plot the log joint probability or the bound of fits against their sweeps.

    Create a display with `from_estimator` or `from_chains`, or from traces of your own.

    Attributes
    ----------
    sweeps : list of ndarray
        Sweeps after which each fit was evaluated.
    values : list of ndarray
        Value after each of these sweeps.
    names : list of str
        Names of the fits, for the legend.
    quantity : str
        Quantity of the values with its unit, for the vertical axis.
    burn_in : int, default=0
        Number of burn-in sweeps, which the plot shades.
    r_hat : float, default=None
        R-hat of the values after burn-in, for the title; None omits it.
    ax_, figure_ : Axes and Figure
        Axes and figure of the plot.
    lines_ : list of Line2D
        Curve of each fit.

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> from sklda.inspection import ConvergenceDisplay
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> fits = {f"seed {i}": CollapsedGibbsLDA(random_state=i).fit(X) for i in range(3)}
    >>> ConvergenceDisplay.from_estimator(fits).names
    ['seed 0', 'seed 1', 'seed 2']
    """

    sweeps: list[np.ndarray]
    values: list[np.ndarray]
    names: list[str]
    quantity: str
    burn_in: int = 0
    r_hat: float | None = None

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, ax: Axes | None = None, **style: Any
    ) -> Self:
        """Plot the trace of one or several fitted estimators.

        Parameters
        ----------
        estimator : estimator, list of estimators, or dict of str to estimator
            Fitted, with `log_joint_` or `bound_`; several estimators must record the
            same quantity. The keys of a dict name the fits.
        ax : Axes, default=None
            Axes to plot on. By default a new figure is created.
        **style : dict
            Keyword arguments for ``Axes.plot``.

        Returns
        -------
        ConvergenceDisplay
            The plotted display.

        Raises
        ------
        NotFittedError, ImportError, TypeError, ValueError
            Before fit; without matplotlib; if there is no estimator, a trace is missing
            or empty, traces record different quantities, or `ax` is not an Axes.
        """
        named = _named_fits(estimator)
        if not named:
            raise ValueError("There is no fit to plot: estimator is empty.")
        traces = [_trace(fit, name) for name, fit in named]
        sweeps, values, recorded = map(list, zip(*traces, strict=True))
        quantities = sorted(set(recorded))
        if len(quantities) > 1:
            raise ValueError(
                f"All fits must record the same quantity, but these record "
                f"{' and '.join(quantities)}."
            )
        return cls(
            sweeps=sweeps,
            values=values,
            names=[name for name, _ in named],
            quantity=quantities[0],
        ).plot(ax, **style)

    @classmethod
    def from_chains(cls, chains: Any, *, ax: Axes | None = None, **style: Any) -> Self:
        """Plot the traces of several chains with shaded burn-in and their R-hat.

        Parameters
        ----------
        chains : SampledChains
            Chains from `sklda.diagnostics.sample_chains`. If the estimator records no
            trace, the display plots the draws after burn-in.
        ax : Axes, default=None
            Axes to plot on. By default a new figure is created.
        **style : dict
            Keyword arguments for ``Axes.plot``.

        Returns
        -------
        ConvergenceDisplay
            The plotted display.

        Raises
        ------
        ImportError, TypeError
            Without matplotlib; if `chains` is not SampledChains, or `ax` is not an
            Axes.
        """
        if not hasattr(chains, "_traces"):
            raise TypeError(f"chains must be SampledChains, got {chains!r}.")
        return cls(**chains._traces()).plot(ax, **style)

    def _draw(self, axes: Any, style: dict[str, Any]) -> None:
        self.lines_: list[Line2D] = []
        # Adjacent colours are similar, so adjacent curves also differ in their dashes.
        for i, series in enumerate(_display.series_styles(self.names, style)):
            options = {"linestyle": _DASHES[i % len(_DASHES)]} | series | style
            if self.sweeps[i].size <= _MAX_MARKERS:
                options = {"marker": "."} | options
            self.lines_ += axes.plot(self.sweeps[i], self.values[i], **options)
        if self.burn_in > 0:
            axes.axvspan(0, self.burn_in, color="0.9", zorder=0, label="burn-in")
        if self.r_hat is not None:
            axes.set_title(f"R-hat {self.r_hat:.3f}")
        axes.set_xlabel("sweep")
        axes.set_ylabel(_display.plain(self.quantity), **_display.PLAIN)
        axes.xaxis.get_major_locator().set_params(integer=True)
        # In full, such as -6,340,000, not as multiples of a power above the axis.
        axes.yaxis.set_major_formatter("{x:,.12g}")
        _display.draw_legend(axes, ncols=-(-len(self.names) // _LEGEND_ROWS))


def _named_fits(estimator: Any) -> list[tuple[str, Any]]:
    """Return the name and the estimator of each fit."""
    if isinstance(estimator, Mapping):
        return [(str(name), fit) for name, fit in estimator.items()]
    if not isinstance(estimator, list | tuple):
        return [(type(estimator).__name__, estimator)]
    return [(f"{i}: {type(fit).__name__}", fit) for i, fit in enumerate(estimator)]


def _trace(estimator: Any, name: str) -> tuple[np.ndarray, np.ndarray, str]:
    """Return the sweeps and the values of the trace of a fit, and its quantity."""
    estimator = fitted_topics.snapshot(estimator)
    for values, sweeps, quantity in _TRACES:
        if hasattr(estimator, sweeps):
            recorded = np.asarray(getattr(estimator, sweeps))
            if recorded.size == 0:
                raise ValueError(
                    f"{name} was fitted without a trace: set evaluate_every to a "
                    f"number of sweeps from 1 to max_iter, and fit again."
                )
            return recorded, np.asarray(getattr(estimator, values)), quantity
    raise TypeError(
        f"{name} records no trace: it has neither log_joint_iter_ nor bound_iter_."
    )


# --- labels of topics -------------------------------------------------------------


def topic_labels(
    estimator: Any,
    feature_names: NameList | None,
    n_words: int | None,
    default_n_words: int,
    metric: str,
) -> list[str]:
    """Return the number of each topic and its name or, without one, its top words.

    If `n_words` is None there are `default_n_words`, or none if words have no names.
    """
    components = fitted_topics.fitted_components(estimator)
    n_topics, n_columns = components.shape
    has_words = feature_names is not None or fitted_topics.has_names(estimator)
    if n_words is None:
        n_words = min(default_n_words, n_columns) if has_words else 0
    texts = [""] * n_topics
    if n_words:
        names = fitted_topics.word_names(estimator, feature_names, n_columns)
        words = [_display.plain(name, _WORD_IN_LABEL) for name in names]
        top = top_columns(components, n_words, metric)
        texts = [", ".join(words[column] for column in topic) for topic in top]
        for k in np.flatnonzero(fitted_topics.empty_topics(estimator, components)):
            texts[k] = NO_TOKENS
    for k, key in enumerate(fitted_topics.keys_of_model(estimator, n_topics)):
        if isinstance(key, str):
            texts[k] = _display.plain(key, _NAME_IN_LABEL)
    return [f"{k}: {text}" if text else str(k) for k, text in enumerate(texts)]


# --- documents --------------------------------------------------------------------


@dataclass(eq=False, repr=False, kw_only=True)
class DocumentTopicsDisplay(_display.Display):
    """Plot the topic proportions of documents as stacked bars.

    Create a display with `from_estimator`.

    Attributes
    ----------
    proportions : ndarray of shape (n_documents, n_topics)
        Proportions of the plotted topics in each document. If a row sums to less than
        1, a segment for other topics shows the rest.
    topics : ndarray of shape (n_topics,)
        Indices of the plotted topics.
    document_names : list of str
        Name of each document, for the vertical axis.
    topic_names : list of str
        Name of each plotted topic, for the legend.
    ax_, figure_ : Axes and Figure
        Axes and figure of the plot.
    bars_ : list of BarContainer
        Segments of each plotted topic and of the other topics, if there are any.

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> from sklda.inspection import DocumentTopicsDisplay
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> lda = CollapsedGibbsLDA(n_components=10, random_state=0).fit(X)
    >>> DocumentTopicsDisplay.from_estimator(lda, X, documents=[3, 14]).topics.shape
    (8,)
    """

    proportions: np.ndarray
    topics: np.ndarray
    document_names: list[str]
    topic_names: list[str]

    @classmethod
    @validates(n_words=NUMBER_OF_WORDS, n_topics=POSITIVE_INTEGER)
    def from_estimator(
        cls,
        estimator: Any,
        X: MatrixLike,
        feature_names: NameList | None = None,
        n_words: int | None = None,
        *,
        documents: ArrayLike | None = None,
        document_names: NameList | None = None,
        n_topics: int = 8,
        ax: Axes | None = None,
        **style: Any,
    ) -> Self:
        """Compute the topic proportions of documents and plot them.

        Cost: that of `transform` for all rows of X.

        Parameters
        ----------
        estimator : estimator
            Fitted topic model with `components_` and `transform`.
        X : {array-like, sparse matrix} of shape (n_documents, n_features_in_)
            Word counts.
        feature_names : array-like of str of shape (n_features_in_,), default=None
            Words in the order of the columns of X. By default, `feature_names_in_` or,
            without it, the column numbers, with a warning.
        n_words : int, default=None
            Number of most probable words in the legend for each topic that has no name
            (see `name_topics`). The default is 3, or 0 if words have no names.
        documents : array-like of int, default=None
            Row numbers in X of the documents to plot, from top to bottom. By default
            the first ten.
        document_names : array-like of str, default=None
            Names of these documents. By default their row numbers.
        n_topics : int, default=8
            Maximum number of topics to plot, at least 1: those with the largest mean
            proportions in these documents, in the order of their indices. The others
            are one segment.
        ax : Axes, default=None
            Axes to plot on. By default a new figure of suitable size is created.
        **style : dict
            Keyword arguments for ``Axes.barh``, except color.

        Returns
        -------
        DocumentTopicsDisplay
            The plotted display.

        Raises
        ------
        NotFittedError, ImportError, TypeError, ValueError
            Before fit; without matplotlib; if there is no `components_`, `transform`
            rejects X, or a parameter has a wrong type, length or value.
        """
        estimator = fitted_topics.snapshot(estimator)
        words = (feature_names, n_words, 3, "probability")
        labels = topic_labels(estimator, *words)
        proportions = fitted_topics.topic_proportions(estimator, X)
        rows, names = _display.rows_and_names(
            documents, document_names, len(proportions), 10
        )
        proportions = proportions[rows]
        topics = _display.largest_topics(proportions, n_topics)
        return cls(
            proportions=proportions[:, topics],
            topics=topics,
            document_names=names,
            topic_names=[labels[k] for k in topics],
        ).plot(ax, **style)

    def _figure_size(self) -> tuple[float, float]:
        n_documents, n_topics = self.proportions.shape
        return 10, 0.3 * max(n_documents, n_topics + 1) + 0.8

    def _draw(self, axes: Any, style: dict[str, Any]) -> None:
        style = {"edgecolor": "white", "linewidth": 1} | style
        rows = np.arange(len(self.proportions))
        starts = np.zeros(rows.size)
        self.bars_: list[BarContainer] = []
        styles = _display.series_styles(self.topic_names, style, 0.9, _display.LONG)
        for topic, widths, series in zip(
            self.topics, self.proportions.T, styles, strict=True
        ):
            self.bars_.append(axes.barh(rows, widths, left=starts, **series | style))
            luminance = np.dot(series["color"][:3], [0.299, 0.587, 0.114])
            has_room = widths >= _MIN_NUMBERED
            axes.bar_label(
                self.bars_[-1],
                np.where(has_room, str(topic), ""),
                label_type="center",
                color="black" if luminance > 0.5 else "white",
                fontsize="small",
            )
            starts = starts + widths
        rest = (1 - starts).clip(0)
        if rest.max() > 1e-6:
            style = style | {"color": "white", "edgecolor": "grey", "hatch": "////"}
            bars = axes.barh(rows, rest, left=starts, label="others", **style)
            self.bars_.append(bars)
        _display.write_rows(axes, self.document_names, _display.SHORT)
        axes.set(xlim=(0, 1), xlabel="proportion of the topic")
        _display.draw_legend(axes, title="Topics")


# --- words of topics --------------------------------------------------------------


@dataclass(eq=False, repr=False, kw_only=True)
class TopWordsDisplay(_display.PanelDisplay):
    """Plot the top words of each topic as bars, one panel per topic.

    Create a display with `from_estimator`.

    Attributes
    ----------
    words : list of list of str
        Top words of each topic.
    probabilities : ndarray of shape (n_topics, n_words)
        Probability of each of these words in the topic.
    topic_names : list of str
        Names of the topics, for the titles.
    axes_ : ndarray of shape (n_topics,) of Axes
        Panel of each topic.
    bars_ : list of BarContainer
        Bars of each panel.
    figure_ : Figure
        Figure of the panels.

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> from sklda.inspection import TopWordsDisplay
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> lda = CollapsedGibbsLDA(n_components=10, random_state=0).fit(X)
    >>> pixels = [f"pixel {i}" for i in range(X.shape[1])]
    >>> TopWordsDisplay.from_estimator(lda, pixels, n_words=5).axes_.shape
    (10,)
    """

    words: list[list[str]]
    probabilities: np.ndarray
    topic_names: list[str]

    @classmethod
    @validates(**RANKING_CONSTRAINTS)
    def from_estimator(
        cls,
        estimator: Any,
        feature_names: NameList | None = None,
        n_words: int = 10,
        metric: WordMetric = "probability",
        *,
        weight: float | None = None,
        topics: ArrayLike | None = None,
        ax: Axes | Iterable[Axes] | None = None,
        **style: Any,
    ) -> Self:
        """Plot the top words of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            Fitted topic model with non-negative `components_`.
        feature_names : array-like of str of shape (n_features_in_,), default=None
            Words in the order of the columns of X. By default, `feature_names_in_` or,
            without it, the column numbers, with a warning.
        n_words : int, default=10
            Number of words for each topic, from 1 to `n_features_in_`.
        metric : {"probability", "relevance", "lift", "frex"}, default="probability"
            Score that ranks the words, see `top_words`. Bars always show probabilities.
        weight : float, default=None
            Weight in "relevance" and "frex", see `top_words`.
        topics : array-like of int or str, default=None
            Topics to plot, by number or name, in this order. By default all topics.
        ax : Axes or array-like of Axes, default=None
            One Axes per topic. By default a new figure of suitable size is created.
        **style : dict
            Keyword arguments for ``Axes.barh``.

        Returns
        -------
        TopWordsDisplay
            The plotted display.

        Raises
        ------
        NotFittedError, ImportError, TypeError, ValueError
            Before fit; without matplotlib; if `components_` is missing or negative, or
            a parameter has a wrong type, length or value.
        """
        estimator = fitted_topics.snapshot(estimator)
        components = fitted_topics.fitted_components(estimator)
        names = fitted_topics.word_names(estimator, feature_names, components.shape[1])
        topic_names = fitted_topics.names_of_topics(estimator, len(components))
        shown = fitted_topics.numbers_of_topics(topics, topic_names)
        # Scores compare a topic with all others, so they are computed for all topics.
        columns = top_columns(components, n_words, metric, weight)[shown]
        topic_word = fitted_topics.normalise(components[shown])
        words = np.array(names, dtype=object)[columns]
        probabilities = np.take_along_axis(topic_word, columns, axis=1)
        empty = fitted_topics.empty_topics(estimator, components)[shown]
        words[empty] = [NO_TOKENS, *[""] * (n_words - 1)]
        probabilities[empty] = 0
        return cls(
            words=words.tolist(),
            probabilities=probabilities,
            topic_names=topic_names[shown].tolist(),
        ).plot(ax, **style)

    def _panels(self) -> tuple[int, str]:
        way_out = "topics to plot. Select topics with the parameter topics"
        return len(self.words), way_out

    def _draw(self, axes: np.ndarray, style: dict[str, Any]) -> None:
        limit = 1.05 * self.probabilities.max() or 1.0  # without tokens in any
        style = {"color": _display.FILL} | style
        self.bars_: list[BarContainer] = []
        for k, panel in enumerate(axes):
            rows = np.arange(len(self.words[k]))
            self.bars_.append(panel.barh(rows, self.probabilities[k], **style))
            _display.write_title(panel, self.topic_names[k])
            panel.set(xlim=(0, limit), ylim=(rows.size - 0.4, -0.6))
            panel.locator_params(axis="x", nbins=3)
            # A number at the right edge would meet the first one of the next panel.
            panel.set_xticks([x for x in panel.get_xticks() if x < 0.9 * limit])
            # On top of their bars, so that long words leave space for bars.
            texts = [_display.plain(word, _display.SHORT) for word in self.words[k]]
            panel.set_yticks(rows, texts, ha="left", fontsize="small", **_display.PLAIN)
            panel.tick_params(axis="y", length=0, pad=-_WORD_PAD)
            for label in panel.get_yticklabels():  # wide letters, or a narrow panel
                label.set(clip_on=True, clip_box=panel.bbox)

    def _new_axes(self, n_panels: int) -> np.ndarray:
        panel_height = _WORD_HEIGHT * self.probabilities.shape[1]
        # All sizes are known: a layout engine would take half a minute for 100 panels.
        panels = _display.new_panels(
            n_panels,
            _MAX_COLUMNS,
            (_WIDTH + _SIDES, panel_height + _TOP),
            (_SIDES, _BOTTOM),
            layout="none",
        )
        figure = panels[0].figure
        width, height = figure.get_size_inches()
        figure.subplots_adjust(
            left=_SIDES / width,
            right=1 - _SIDES / width,
            bottom=_BOTTOM / height,
            top=1 - _TOP / height,
            wspace=_SIDES / _WIDTH,
            hspace=_TOP / panel_height,
        )
        # Shared axes would do it, but take a minute for 400 panels.
        for panel in panels[:-_MAX_COLUMNS]:
            panel.tick_params(labelbottom=False)
        label = "probability of the word in the topic"
        figure.supxlabel(label, y=0.1 / height, fontsize="medium")
        return panels


# --- the map of topics ------------------------------------------------------------


@dataclass(eq=False, repr=False, kw_only=True)
class TopicMapDisplay(_display.Display):
    """Plot topics as circles on a map where similar topics are close to each other.

    The area of a circle is proportional to the frequency of its topic. Create a display
    with `from_estimator`.

    Attributes
    ----------
    positions : ndarray of shape (n_topics, 2)
        Centres of the circles.
    frequencies : ndarray of shape (n_topics,)
        Proportion of all tokens in each topic.
    labels : list of str
        Number of each topic, and its name or words, which a list beside the map shows.
    explained_ratio : ndarray of shape (2,)
        Proportion of the sum of squared distances that each axis explains.
    ax_, figure_ : Axes and Figure
        Axes and figure of the map.
    circles_ : PathCollection
        Circles of the topics.
    texts_ : list of Text
        Number on each circle. Numbers of topics that are alike may overlap.

    Notes
    -----
    The distance between two topics is the Jensen-Shannon distance of their words, see
    `sklda.metrics.align_topics`. It can be embedded in a Euclidean space [1]_, from
    which classical scaling [2]_ projects onto the two directions of largest variance.
    The label below the map shows the explained share of the variance. It is small with
    many topics: topics that are far apart on the map differ, but close topics need not
    be similar.

    References
    ----------
    .. [1] B. Fuglede, F. Topsøe, "Jensen-Shannon divergence and Hilbert space
       embedding", ISIT (2004), https://doi.org/10.1109/ISIT.2004.1365067
    .. [2] W. S. Torgerson, "Multidimensional scaling: I. Theory and method",
       Psychometrika 17 (1952), https://doi.org/10.1007/BF02288916

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> from sklda.inspection import TopicMapDisplay
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> lda = CollapsedGibbsLDA(n_components=10, random_state=0).fit(X)
    >>> TopicMapDisplay.from_estimator(lda).positions.shape
    (10, 2)
    """

    positions: np.ndarray
    frequencies: np.ndarray
    labels: list[str]
    explained_ratio: np.ndarray

    @classmethod
    @validates(n_words=NUMBER_OF_WORDS)
    def from_estimator(
        cls,
        estimator: Any,
        feature_names: NameList | None = None,
        n_words: int | None = None,
        *,
        X: MatrixLike | None = None,
        ax: Axes | None = None,
        **style: Any,
    ) -> Self:
        """Plot the map of the topics of a fitted estimator.

        Cost: O(K) per word and topic, with K topics; with X, also that of `transform`.

        Parameters
        ----------
        estimator : estimator
            Fitted topic model with non-negative `components_`.
        feature_names : array-like of str of shape (n_features_in_,), default=None
            Words in the order of the columns of X. By default, `feature_names_in_` or,
            without it, the column numbers, with a warning.
        n_words : int, default=None
            Number of most relevant words, see `top_words`, of each topic that has no
            name (see `name_topics`). The default is 2, or 0 if words have no names or
            there are more than 30 topics.
        X : {array-like, sparse matrix} of shape (n_documents, n_words), default=None
            Documents in which `transform` computes topic frequencies. By default,
            frequencies in the training documents come from `components_` minus the
            prior. Pass X for a matrix factorisation (NMF), whose components have no
            scale.
        ax : Axes, default=None
            Axes to plot on. By default a new figure is created.
        **style : dict
            Keyword arguments for ``Axes.scatter``.

        Returns
        -------
        TopicMapDisplay
            The plotted display.

        Raises
        ------
        NotFittedError, ImportError, TypeError, ValueError
            Before fit; without matplotlib; if `components_` is missing or negative,
            `transform` rejects X, or a parameter has a wrong type, length or value.
        """
        estimator = fitted_topics.snapshot(estimator)
        components = fitted_topics.fitted_components(estimator)
        default_n_words = 2 if len(components) <= _MAX_LABELLED else 0
        words = (feature_names, n_words, default_n_words, "relevance")
        labels = topic_labels(estimator, *words)
        topics = fitted_topics.normalise(components)
        positions, explained_ratio = topic_positions(topics)
        return cls(
            positions=positions,
            frequencies=fitted_topics.topic_frequencies(estimator, X),
            labels=labels,
            explained_ratio=explained_ratio,
        ).plot(ax, **style)

    def _figure_size(self) -> tuple[float, float]:
        return 10, max(6.0, _ROW * len(self._with_text()))

    def _with_text(self) -> list[str]:
        """Return the labels that are more than a number."""
        return [label for label in self.labels if not label.isdigit()]

    def _draw(self, axes: Any, style: dict[str, Any]) -> None:
        style = {
            "facecolor": _display.FILL,
            "edgecolor": _display.EDGE,
            "alpha": 0.6,
        } | style
        sizes = _TOTAL_SIZE * self.frequencies
        self.circles_ = axes.scatter(*self.positions.T, s=sizes, **style)
        axes.margins(0.2)
        axes.set_aspect("equal", adjustable="datalim")
        axes.set(xticks=[], yticks=[])  # only distances have a meaning
        explained = f"{self.explained_ratio.sum():.0%} of all squared distances"
        axes.set_xlabel(f"similar topics are close: the map shows {explained}")
        options = {"ha": "center", "va": "center", "fontsize": "small"}
        self.texts_: list[Text] = [
            axes.text(*place, str(k), **options)
            for k, place in enumerate(self.positions)
        ]
        beside = {"transform": axes.transAxes, "va": "top", "fontsize": "small"}
        axes.text(1.02, 1, "\n".join(self._with_text()), **beside | _display.PLAIN)


def topic_positions(topics: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of topics on a map, (n_topics, 2), from their words.

    Also return the proportion of the sum of squared distances that each axis explains.
    """
    return classical_scaling(jensen_shannon_distances(topics, topics))


def classical_scaling(distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Embed n points with given Euclidean distances, (n, n), in two dimensions.

    Return the centred points, (n, 2), and the proportion of the sum of squared
    distances that each axis accounts for, (2,). The sign of an axis is arbitrary, so
    the coordinate of largest magnitude is made positive.
    """
    squares = distances**2
    n_axes = min(len(squares), 2)
    scaling = KernelPCA(n_axes, kernel="precomputed", eigen_solver="dense")
    points = scaling.fit_transform(-squares / 2)
    total = max(squares.sum() / (2 * len(squares)), np.finfo(float).tiny)
    ratio = scaling.eigenvalues_ / total  # 0 if all points coincide
    missing = (0, 2 - n_axes)
    return np.pad(points, [(0, 0), missing]), np.pad(ratio, missing)
