"""A picture of the topics of some documents."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sklda._base.fitted_topics import check_number, doc_topic

from ._drawing import (
    check_indices,
    legend_beside,
    one_axes,
    shades,
    shorten,
    text_colour,
)
from ._words import label_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FIRST_DOCUMENTS = 10
_ROOM_FOR_A_NUMBER = 0.05  # share of a document whose stretch is wide enough for it
_MOST_CHARACTERS = 26


class DocumentTopicsDisplay:
    """Stacked bars: the topic proportions of some documents.

    Make it with `from_estimator`; everything passed to it is kept as an attribute.

    Parameters
    ----------
    shares : ndarray of shape (n_documents, n_topics)
        Topic proportions of the documents; what rows lack to 1 are other topics.
    topics : ndarray of shape (n_topics,)
        Numbers of the topics shown.
    document_names : list of str
        What is written at the documents.
    topic_names : list of str
        What the legend says.

    Attributes
    ----------
    ax_ : Axes
        Axes of the bars.
    bars_ : list of BarContainer
        Stretches of each topic, and of the others.
    figure_ : Figure
        Figure that holds them.

    See Also
    --------
    top_documents : The documents with most of a topic.

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> from sklda.inspection import DocumentTopicsDisplay
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> lda = CollapsedGibbsLDA(n_components=10, random_state=0).fit(X)
    >>> display = DocumentTopicsDisplay.from_estimator(lda, X, documents=[3, 14, 15])
    >>> display.shares.shape
    (3, 8)
    """

    def __init__(
        self,
        *,
        shares: np.ndarray,
        topics: np.ndarray,
        document_names: list[str],
        topic_names: list[str],
    ) -> None:
        self.shares = shares
        self.topics = topics
        self.document_names = document_names
        self.topic_names = topic_names

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        feature_names: ArrayLike | None = None,
        n_words: int | None = None,
        metric: str = "probability",
        *,
        weight: float | None = None,
        documents: ArrayLike | None = None,
        document_names: ArrayLike | None = None,
        n_topics: int = 8,
        ax: "Axes | None" = None,
        **bar_kw: Any,
    ) -> Self:
        """Compute the topics of some documents and draw them.

        Parameters
        ----------
        estimator : estimator
            Fitted, with `components_` and `transform`.
        X : {array-like, sparse matrix} of shape (n_documents, n_features_in_)
            Word counts.
        feature_names : array-like of str of shape (n_features_in_,), default=None
            Words in the order of the columns of X. None takes `feature_names_in_` of
            the estimator and, where it has none, the numbers of the columns.
        n_words : int, default=None
            Words of each topic in the legend. None is 3, but 0 if there are no names.
        metric : {"probability", "relevance", "lift", "frex"}, default="probability"
            What the words are chosen by, see `top_words`.
        weight : float, default=None
            Of "relevance" and "frex", see `top_words`.
        documents : array-like of int, default=None
            Rows of X to show, from the top. None shows the first ten.
        document_names : array-like of str, default=None
            Names of these documents. None takes the numbers of the rows.
        n_topics : int, default=8
            Topics to tell apart, at most: those with the largest shares in these
            documents, in the order of their numbers. All others go together.
        ax : Axes, default=None
            Where to draw. None makes a figure that grows with the documents.
        **bar_kw : dict
            For ``Axes.barh``, but not its color.

        Returns
        -------
        DocumentTopicsDisplay
            With what was drawn in its attributes.

        Raises
        ------
        NotFittedError
            Before fit.
        ImportError
            Without matplotlib.
        TypeError
            If the estimator has no `components_`, or feature_names have no order.
        ValueError
            If there is not a name for each word or document, X is not what `transform`
            takes, or a parameter is out of its range.
        """
        words = label_words(estimator, feature_names, n_words, 3, metric, weight)
        theta = doc_topic(estimator, X)
        if documents is None:
            documents = np.arange(min(len(theta), _FIRST_DOCUMENTS))
        documents = check_indices(documents, "documents", len(theta), "documents")
        labels = documents if document_names is None else document_names
        if len(labels) != documents.size:
            raise ValueError(
                f"document_names holds {len(labels)} names for {documents.size} "
                f"documents."
            )
        check_number(n_topics, "n_topics")
        theta = theta[documents]
        topics = np.sort(np.argsort(-theta.sum(axis=0), kind="stable")[:n_topics])
        display = cls(
            shares=theta[:, topics],
            topics=topics,
            document_names=[str(label) for label in labels],
            topic_names=[
                f"{k}: {', '.join(words[k])}" if words[k] else str(k) for k in topics
            ],
        )
        return display.plot(ax, **bar_kw)

    def plot(self, ax: "Axes | None" = None, **bar_kw: Any) -> Self:
        """Draw the documents.

        Parameters
        ----------
        ax : Axes, default=None
            Where to draw. None makes a figure that grows with the documents.
        **bar_kw : dict
            For ``Axes.barh``, but not its color.

        Returns
        -------
        DocumentTopicsDisplay
            Itself.

        Raises
        ------
        ImportError
            Without matplotlib.
        """
        n_documents, n_topics = self.shares.shape
        height = 0.3 * max(n_documents, n_topics + 1) + 0.8
        ax = one_axes("DocumentTopicsDisplay", ax, figsize=(10, height))
        rows = np.arange(n_documents)
        style = {"edgecolor": "white", "linewidth": 1} | bar_kw
        self.bars_ = []
        begin = np.zeros(n_documents)
        for shares, topic, name, colour in zip(
            self.shares.T, self.topics, self.topic_names, shades(n_topics), strict=True
        ):
            bars = ax.barh(rows, shares, left=begin, label=name, color=colour, **style)
            self.bars_.append(bars)
            for row in np.flatnonzero(shares >= _ROOM_FOR_A_NUMBER):
                place = begin[row] + shares[row] / 2
                middle = {"ha": "center", "va": "center", "fontsize": "small"}
                ax.text(place, row, topic, color=text_colour(colour), **middle)
            begin = begin + shares
        rest = (1 - begin).clip(0)
        if rest.max() > 1e-6:
            style = style | {"color": "white", "edgecolor": "grey", "hatch": "////"}
            self.bars_.append(ax.barh(rows, rest, left=begin, label="others", **style))
        names = [shorten(name, _MOST_CHARACTERS) for name in self.document_names]
        ax.set_yticks(rows, names, parse_math=False)
        ax.set(xlim=(0, 1), ylim=(n_documents - 0.5, -0.5), xlabel="share of the topic")
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
        legend_beside(ax, title="Topics")
        self.ax_ = ax
        self.figure_ = ax.figure
        return self
