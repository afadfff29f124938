"""Plot of the topic proportions of documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sklda._base.fitted_topics import (
    count_models,
    snapshot,
    topic_proportions,
)
from sklda._base.parameters import POSITIVE_INTEGER, validates
from sklda._core.checks import check_numbers
from sklda._core.types import MatrixLike, NameList, WordMetric
from sklda._topics.plotting import (
    axes_or_new,
    check_indices,
    check_labels,
    legend_beside,
    shades,
    shorten,
    text_colour,
)
from sklda._topics.word_scores import LABEL_CONSTRAINTS
from sklda.inspection._words import label_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure

_DEFAULT_N_DOCUMENTS = 10
_MIN_NUMBERED = 0.05  # part of a bar that has room for the topic's number
_MAX_NAME_LENGTH = 26  # characters of the name of a document


class DocumentTopicsDisplay:
    """Plot the topic proportions of documents as stacked bars.

    Create a display with `from_estimator`. Its parameters are kept as attributes.

    Parameters
    ----------
    proportions : ndarray of shape (n_documents, n_topics)
        Proportions of the plotted topics in each document. If a row sums to less than
        `n_models`, the rest is plotted as a segment of other topics.
    topics : ndarray of shape (n_topics,)
        Indices of the plotted topics.
    document_names : list of str
        Name of each document, for the vertical axis.
    topic_names : list of str
        Name of each plotted topic, for the legend.
    n_models : int, default=1
        Sum of the proportions of all topics in a document: the number of classes of a
        one-vs-rest model, which has separate topics for each class, otherwise 1.

    Attributes
    ----------
    ax_ : Axes
        Axes of the bars.
    bars_ : list of BarContainer
        Segments of each plotted topic and, if there are any, of the other topics.
    figure_ : Figure
        Figure of the plot.

    Raises
    ------
    TypeError
        If names are not a list.
    ValueError
        If another parameter does not hold numbers, or the shapes do not match.

    See Also
    --------
    top_documents : The documents with the largest proportions of each topic.

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> from sklda.inspection import DocumentTopicsDisplay
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> lda = CollapsedGibbsLDA(n_components=10, random_state=0).fit(X)
    >>> display = DocumentTopicsDisplay.from_estimator(lda, X, documents=[3, 14, 15])
    >>> display.proportions.shape
    (3, 8)
    """

    ax_: Axes
    bars_: list[BarContainer]
    figure_: Figure

    @validates(n_models=POSITIVE_INTEGER)
    def __init__(
        self,
        *,
        proportions: np.ndarray,
        topics: np.ndarray,
        document_names: NameList,
        topic_names: list[str],
        n_models: int = 1,
    ) -> None:
        self.proportions = check_numbers(
            proportions, "proportions", ("n_documents", "n_topics")
        )
        n_documents, n_topics = self.proportions.shape
        self.topics = check_numbers(topics, "topics", (n_topics,))
        self.document_names = check_labels(
            document_names, "document_names", "documents", n_documents
        )
        self.topic_names = check_labels(topic_names, "topic_names", "topics", n_topics)
        self.n_models = n_models

    @classmethod
    @validates(**LABEL_CONSTRAINTS, n_topics=POSITIVE_INTEGER)
    def from_estimator(
        cls,
        estimator: Any,
        X: MatrixLike,
        feature_names: NameList | None = None,
        n_words: int | None = None,
        metric: WordMetric = "probability",
        *,
        weight: float | None = None,
        documents: ArrayLike | None = None,
        document_names: NameList | None = None,
        n_topics: int = 8,
        ax: Axes | None = None,
        **bar_kw: Any,
    ) -> Self:
        """Compute the topic proportions of documents and plot them.

        Parameters
        ----------
        estimator : estimator
            Fitted topic model with `components_` and `transform`.
        X : {array-like, sparse matrix} of shape (n_documents, n_features_in_)
            Word counts.
        feature_names : array-like of str of shape (n_features_in_,), default=None
            Words in the order of the columns of X. By default `feature_names_in_` of
            the estimator or, if it has none, the column numbers, with a warning.
        n_words : int, default=None
            Number of words for each topic in the legend. The default is 3, or 0 if
            words have no names.
        metric : {"probability", "relevance", "lift", "frex"}, default="probability"
            Score by which the words are ranked, see `top_words`.
        weight : float, default=None
            Weight in "relevance" and "frex", see `top_words`.
        documents : array-like of int, default=None
            Row numbers in X of the documents to plot, from top to bottom. By default
            the first ten.
        document_names : array-like of str, default=None
            Names of these documents. By default their row numbers.
        n_topics : int, default=8
            Maximum number of topics to plot, at least 1. These are the topics with the
            largest mean proportions in these documents, in the order of their indices;
            the others are plotted as one segment.
        ax : Axes, default=None
            Axes to plot on. By default a new figure of suitable height is created.
        **bar_kw : dict
            Keyword arguments for ``Axes.barh``, except color.

        Returns
        -------
        DocumentTopicsDisplay
            The display, plotted.

        Raises
        ------
        NotFittedError
            Before fit.
        ImportError
            If matplotlib is not installed.
        TypeError
            If the estimator has no `components_`, feature_names or document_names is
            not a list or an array of names, or `ax` is not an Axes.
        ValueError
            If the number of feature_names is not `n_features_in_`, the number of
            document_names is not that of the documents, `transform` rejects X, or a
            parameter is out of its range.

        Notes
        -----
        Cost: that of `transform` for all rows of X.
        """
        estimator = snapshot(estimator)
        words = label_words(estimator, feature_names, n_words, 3, metric, weight)
        proportions = topic_proportions(estimator, X)
        if documents is None:
            documents = np.arange(min(len(proportions), _DEFAULT_N_DOCUMENTS))
        rows = check_indices(documents, "documents", len(proportions), "documents")
        proportions = proportions[rows]
        order = np.argsort(-proportions.sum(axis=0), kind="stable")
        topics = np.sort(order[:n_topics])
        display = cls(
            proportions=proportions[:, topics],
            topics=topics,
            document_names=rows if document_names is None else document_names,
            topic_names=[
                f"{k}: {', '.join(words[k])}" if words[k] else str(k) for k in topics
            ],
            n_models=count_models(estimator),
        )
        return display.plot(ax, **bar_kw)

    def plot(self, ax: Axes | None = None, **bar_kw: Any) -> Self:
        """Plot the documents.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to plot on. By default a new figure of suitable height is created.
        **bar_kw : dict
            Keyword arguments for ``Axes.barh``, except color.

        Returns
        -------
        DocumentTopicsDisplay
            The display itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If `ax` is not an Axes.
        """
        n_documents, n_topics = self.proportions.shape
        height = 0.3 * max(n_documents, n_topics + 1) + 0.8
        axes = axes_or_new("DocumentTopicsDisplay", ax, figsize=(10, height))
        self._plot_bars(axes, {"edgecolor": "white", "linewidth": 1} | bar_kw)
        names = [shorten(name, _MAX_NAME_LENGTH) for name in self.document_names]
        axes.set_yticks(np.arange(n_documents), names, parse_math=False)
        axes.set(xlim=(0, self.n_models), ylim=(n_documents - 0.5, -0.5))
        axes.set_xlabel("proportion of the topic")
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(axis="y", length=0)
        legend_beside(axes, title="Topics")
        self.ax_ = axes
        self.figure_ = axes.figure
        return self

    def _plot_bars(self, axes: Any, style: dict[str, Any]) -> None:
        """Plot the segments of each topic, their numbers, and the rest."""
        n_documents, n_topics = self.proportions.shape
        rows = np.arange(n_documents)
        starts = np.zeros(n_documents)
        self.bars_ = []
        for widths, topic, name, colour in zip(
            self.proportions.T,
            self.topics,
            self.topic_names,
            shades(n_topics),
            strict=True,
        ):
            self.bars_.append(
                axes.barh(rows, widths, left=starts, label=name, color=colour, **style)
            )
            for row in np.flatnonzero(widths >= _MIN_NUMBERED * self.n_models):
                axes.text(
                    starts[row] + widths[row] / 2,
                    row,
                    topic,
                    color=text_colour(colour),
                    ha="center",
                    va="center",
                    fontsize="small",
                )
            starts = starts + widths
        rest = (self.n_models - starts).clip(0)
        if rest.max() > 1e-6:
            style = style | {"color": "white", "edgecolor": "grey", "hatch": "////"}
            bars = axes.barh(rows, rest, left=starts, label="others", **style)
            self.bars_.append(bars)
