"""A map of topics in two dimensions, by the similarity of their words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklda._base.fitted_topics import (
    fitted_components,
    normalise,
    snapshot,
    topic_frequencies,
)
from sklda._base.parameters import validates
from sklda._core.types import MatrixLike, NameList
from sklda._topics.topic_distances import jensen_shannon_distances
from sklda.inspection._plotting import EDGE, FILL, PLAIN, Display
from sklda.inspection._topic_names import NUMBER_OF_WORDS, topic_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

_TOTAL_SIZE = 12_000  # sum of the squared diameters of all circles, in square points
_MAX_LABELLED = 30  # with more topics, the words would need too much room
_ROW = 0.19  # inches of a label


@dataclass(eq=False, repr=False, kw_only=True)
class TopicMapDisplay(Display):
    """Plot topics as circles on a map where similar topics are close to each other.

    The area of a circle is proportional to the frequency of its topic. Create a display
    with `from_estimator`.

    Attributes
    ----------
    positions : ndarray of shape (n_topics, 2)
        Centres of the circles.
    frequencies : ndarray of shape (n_topics,)
        Proportion of all tokens in each topic. With one-vs-rest, the topics of each
        class cover all tokens, so each class has an equal share.
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

        Cost: O(K) per word-topic pair, with K topics; with X, also that of `transform`.

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
        estimator = snapshot(estimator)
        components = fitted_components(estimator)
        default_n_words = 2 if len(components) <= _MAX_LABELLED else 0
        words = (feature_names, n_words, default_n_words, "relevance")
        labels = topic_labels(estimator, *words)
        topics = normalise(components)
        distances = jensen_shannon_distances(topics, topics)
        positions, explained_ratio = classical_scaling(distances)
        return cls(
            positions=positions,
            frequencies=topic_frequencies(estimator, X),
            labels=labels,
            explained_ratio=explained_ratio,
        ).plot(ax, **style)

    def _figure_size(self) -> tuple[float, float]:
        return 10, max(6.0, _ROW * len(self._with_text()))

    def _with_text(self) -> list[str]:
        """Return the labels that are more than a number."""
        return [label for label in self.labels if not label.isdigit()]

    def _draw(self, axes: Any, style: dict[str, Any]) -> None:
        style = {"facecolor": FILL, "edgecolor": EDGE, "alpha": 0.6} | style
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
        axes.text(1.02, 1, "\n".join(self._with_text()), **beside | PLAIN)


def classical_scaling(distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Embed n points with given Euclidean distances, (n, n), in two dimensions.

    Return the centred points, (n, 2), and the proportion of the sum of squared
    distances that each axis accounts for, (2,). The sign of an axis is arbitrary, so
    the coordinate of largest magnitude is made positive.
    """
    n_points = len(distances)
    centring = np.eye(n_points) - 1 / n_points
    inner_products = -centring @ distances**2 @ centring / 2
    eigenvalues, eigenvectors = np.linalg.eigh(inner_products)
    eigenvalues, eigenvectors = eigenvalues[::-1].clip(0), eigenvectors[:, ::-1]
    n_axes = min(n_points, 2)
    points = np.zeros((n_points, 2))
    points[:, :n_axes] = eigenvectors[:, :n_axes] * np.sqrt(eigenvalues[:n_axes])
    points *= np.where(points[np.abs(points).argmax(axis=0), [0, 1]] < 0, -1, 1)
    explained_ratio = np.zeros(2)
    total = max(eigenvalues.sum(), np.finfo(float).tiny)  # 0 if all points coincide
    explained_ratio[:n_axes] = eigenvalues[:n_axes] / total
    return points, explained_ratio
