"""A plot of the topic proportions of documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sklda._base.fitted_topics import count_models, snapshot, topic_proportions
from sklda._base.parameters import POSITIVE_INTEGER, validates
from sklda._core.checks import check_indices, label_list
from sklda._core.types import MatrixLike, NameList
from sklda.inspection._plotting import (
    Display,
    largest_topics,
    legend_beside,
    legend_label,
    shades,
    write_rows,
)
from sklda.inspection._topic_names import NUMBER_OF_WORDS, topic_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer

_DEFAULT_N_DOCUMENTS = 10
_MIN_NUMBERED = 0.05  # of a bar: smaller segments have no room for a number
_MAX_NAME_LENGTH = 26  # characters of the name of a document
_MAX_LABEL_LENGTH = 80  # of a topic with its words


@dataclass(eq=False, repr=False, kw_only=True)
class DocumentTopicsDisplay(Display):
    """Plot the topic proportions of documents as stacked bars.

    Create a display with `from_estimator`.

    Attributes
    ----------
    proportions : ndarray of shape (n_documents, n_topics)
        Proportions of the plotted topics in each document. If a row sums to less than
        `n_models`, a segment for other topics shows the rest.
    topics : ndarray of shape (n_topics,)
        Indices of the plotted topics.
    document_names : list of str
        Name of each document, for the vertical axis.
    topic_names : list of str
        Name of each plotted topic, for the legend.
    n_models : int, default=1
        Sum of the proportions of a document: with one-vs-rest, the number of classes,
        each of which has its own topics; otherwise 1.
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
    n_models: int = 1

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
        estimator = snapshot(estimator)
        words = (feature_names, n_words, 3, "probability")
        labels = topic_labels(estimator, *words)
        proportions = topic_proportions(estimator, X)
        if documents is None:
            documents = np.arange(min(len(proportions), _DEFAULT_N_DOCUMENTS))
        rows = check_indices(documents, "documents", len(proportions), "documents")
        proportions = proportions[rows]
        topics = largest_topics(proportions, n_topics)
        if document_names is None:
            document_names = rows
        names = label_list(document_names, "document_names", "documents", rows.size)
        return cls(
            proportions=proportions[:, topics],
            topics=topics,
            document_names=names,
            topic_names=[labels[k] for k in topics],
            n_models=count_models(estimator),
        ).plot(ax, **style)

    def _figure_size(self) -> tuple[float, float]:
        n_documents, n_topics = self.proportions.shape
        return 10, 0.3 * max(n_documents, n_topics + 1) + 0.8

    def _draw(self, axes: Any, style: dict[str, Any]) -> None:
        style = {"edgecolor": "white", "linewidth": 1} | style
        rows = np.arange(len(self.proportions))
        starts = np.zeros(rows.size)
        colours = shades(self.topics.size)
        self.bars_: list[BarContainer] = []
        for k, widths in enumerate(self.proportions.T):
            label = legend_label(self.topic_names[k], _MAX_LABEL_LENGTH)
            options = {"label": label, "color": colours[k]} | style
            self.bars_.append(axes.barh(rows, widths, left=starts, **options))
            luminance = np.dot(colours[k, :3], [0.299, 0.587, 0.114])
            text = {"color": "black" if luminance > 0.5 else "white"}
            text |= {"ha": "center", "va": "center", "fontsize": "small"}
            for row in np.flatnonzero(widths >= _MIN_NUMBERED * self.n_models):
                axes.text(starts[row] + widths[row] / 2, row, self.topics[k], **text)
            starts = starts + widths
        rest = (self.n_models - starts).clip(0)
        if rest.max() > 1e-6:
            style = style | {"color": "white", "edgecolor": "grey", "hatch": "////"}
            bars = axes.barh(rows, rest, left=starts, label="others", **style)
            self.bars_.append(bars)
        write_rows(axes, self.document_names, _MAX_NAME_LENGTH)
        axes.set(xlim=(0, self.n_models), xlabel="proportion of the topic")
        legend_beside(axes, title="Topics")
