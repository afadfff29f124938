"""Map of topics in two dimensions, by the similarity of their words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklda._base.fitted_topics import (
    fitted_components,
    normalise,
    snapshot,
    topic_frequencies,
    topic_frequencies_in,
)
from sklda._base.parameters import validates
from sklda._core.checks import check_numbers
from sklda._core.types import MatrixLike, NameList, WordMetric
from sklda._topics.plotting import EDGE, FILL, axes_or_new, check_labels
from sklda._topics.topic_distances import jensen_shannon_distances
from sklda._topics.word_scores import LABEL_CONSTRAINTS
from sklda.inspection._labels import place_labels
from sklda.inspection._words import label_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation

_TOTAL_SIZE = 12_000  # sum of the squared diameters of all circles, in square points
_MAX_LABELLED = 30  # with more topics, words in the labels would overlap


class TopicMapDisplay:
    """Plot topics as circles on a map where similar topics are close to each other.

    The area of a circle is proportional to the frequency of its topic. Create a display
    with `from_estimator`. Its parameters are kept as attributes.

    Parameters
    ----------
    positions : ndarray of shape (n_topics, 2)
        Centres of the circles.
    frequencies : ndarray of shape (n_topics,)
        Proportion of all tokens in each topic. With one-vs-rest the topics of each
        class hold all tokens, and have an equal share.
    labels : list of str
        Text on each circle.
    explained_ratio : ndarray of shape (2,)
        Proportion of the sum of all squared distances that each axis accounts for.

    Attributes
    ----------
    ax_ : Axes
        Axes of the map.
    circles_ : PathCollection
        Circles of the topics.
    figure_ : Figure
        Figure of the map.
    texts_ : list of Annotation
        Label of each topic.

    Raises
    ------
    TypeError
        If `labels` is not a list.
    ValueError
        If another parameter does not hold numbers, or the shapes do not match.

    See Also
    --------
    pyldavis_data : Input of pyLDAvis, which draws an interactive map.

    Notes
    -----
    The distance between two topics is the Jensen-Shannon distance of their word
    distributions, the square root of the divergence in bits: 0 for equal distributions,
    1 for distributions without a common word. It can be embedded in a Euclidean space
    [1]_; classical scaling [2]_ projects onto the two directions in which the topics
    vary most. With many topics these account for little of the total, as the labels of
    the axes state: topics that are far apart on the map are different, but topics that
    are close on the map need not be similar.

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

    ax_: Axes
    circles_: PathCollection
    figure_: Figure
    texts_: list[Annotation]

    def __init__(
        self,
        *,
        positions: np.ndarray,
        frequencies: np.ndarray,
        labels: list[str],
        explained_ratio: np.ndarray,
    ) -> None:
        self.positions = check_numbers(positions, "positions", ("n_topics", 2))
        n_topics = len(self.positions)
        self.frequencies = check_numbers(frequencies, "frequencies", (n_topics,))
        self.labels = check_labels(labels, "labels", "topics", n_topics)
        self.explained_ratio = check_numbers(explained_ratio, "explained_ratio", (2,))

    @classmethod
    @validates(**LABEL_CONSTRAINTS)
    def from_estimator(
        cls,
        estimator: Any,
        feature_names: NameList | None = None,
        n_words: int | None = None,
        metric: WordMetric = "relevance",
        *,
        weight: float | None = None,
        X: MatrixLike | None = None,
        ax: Axes | None = None,
        **scatter_kw: Any,
    ) -> Self:
        """Plot the map of the topics of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            Fitted topic model with non-negative `components_`.
        feature_names : array-like of str of shape (n_features_in_,), default=None
            Words in the order of the columns of X. By default `feature_names_in_` of
            the estimator or, if it has none, the column numbers, with a warning.
        n_words : int, default=None
            Number of words below the number of each topic. The default is 2, or 0 if
            words have no names or there are more than 30 topics.
        metric : {"probability", "relevance", "lift", "frex"}, default="relevance"
            Score by which the words are ranked, see `top_words`.
        weight : float, default=None
            Weight in "relevance" and "frex", see `top_words`.
        X : {array-like, sparse matrix} of shape (n_documents, n_words), default=None
            Documents in which topic frequencies are computed, with `transform`. By
            default they are the frequencies in the training documents, computed from
            `components_` minus the prior. For a matrix factorisation (NMF) pass X,
            because the scale of its components is arbitrary.
        ax : Axes, default=None
            Axes to plot on. By default a new figure is created.
        **scatter_kw : dict
            Keyword arguments for ``Axes.scatter``.

        Returns
        -------
        TopicMapDisplay
            The display, plotted.

        Raises
        ------
        NotFittedError
            Before fit.
        ImportError
            If matplotlib is not installed.
        TypeError
            If the estimator has no `components_`, feature_names is not a list or an
            array of words, or `ax` is not an Axes.
        ValueError
            If the number of feature_names is not `n_features_in_`, `transform` rejects
            X, `components_` contains negative values, or a parameter is out of its
            range.

        Notes
        -----
        Cost: O(K) per word-topic pair, with K topics; with X, also that of `transform`.
        """
        estimator = snapshot(estimator)
        components = fitted_components(estimator)
        default_n_words = 2 if len(components) <= _MAX_LABELLED else 0
        words = label_words(
            estimator, feature_names, n_words, default_n_words, metric, weight
        )
        topics = normalise(components)
        distances = jensen_shannon_distances(topics, topics)
        positions, explained_ratio = classical_scaling(distances)
        if X is None:
            frequencies = topic_frequencies(estimator)
        else:
            frequencies = topic_frequencies_in(estimator, X)
        display = cls(
            positions=positions,
            frequencies=frequencies,
            labels=["\n".join([str(k), *topic]) for k, topic in enumerate(words)],
            explained_ratio=explained_ratio,
        )
        return display.plot(ax, **scatter_kw)

    def plot(self, ax: Axes | None = None, **scatter_kw: Any) -> Self:
        """Plot the map.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to plot on. By default a new figure is created.
        **scatter_kw : dict
            Keyword arguments for ``Axes.scatter``.

        Returns
        -------
        TopicMapDisplay
            The display itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If `ax` is not an Axes.
        """
        axes = axes_or_new("TopicMapDisplay", ax, figsize=(8, 7))
        style = {"facecolor": FILL, "edgecolor": EDGE, "alpha": 0.6} | scatter_kw
        sizes = _TOTAL_SIZE * self.frequencies
        self.circles_ = axes.scatter(*self.positions.T, s=sizes, **style)
        axes.margins(0.2)
        axes.set_aspect("equal", adjustable="datalim")
        first, second = self.explained_ratio
        axes.set(
            xlabel=f"first axis ({first:.0%} of the squared distances)",
            ylabel=f"second axis ({second:.0%})",
        )
        self.texts_ = place_labels(axes, self.positions, self.labels, sizes)
        self.ax_ = axes
        self.figure_ = axes.figure
        return self


def classical_scaling(distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Embed points with given distances in two dimensions.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        Euclidean distances between n points.

    Returns
    -------
    points : ndarray of shape (n, 2)
        Coordinates, centred. The coordinate of largest magnitude on each axis is
        positive, because the sign of an axis is otherwise arbitrary.
    explained_ratio : ndarray of shape (2,)
        Proportion of the sum of squared distances that each axis accounts for.
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
