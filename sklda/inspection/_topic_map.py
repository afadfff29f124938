"""A map on which similar topics lie close to each other."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from sklda._base.fitted_topics import (
    check_counts,
    distributions,
    doc_topic,
    document_lengths,
    fitted_components,
    token_shares,
)

from ._drawing import EDGE, FILL, one_axes
from ._labels import place_labels
from ._words import label_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ALL_CIRCLES = 12_000  # area of all circles together, in square points
_MOST_LABELLED = 30  # topics that there is room to write words for


class TopicMapDisplay:
    """Topics as circles: close where their words are alike, as large as their shares.

    Make it with `from_estimator`; everything passed to it is kept as an attribute.

    Parameters
    ----------
    positions : ndarray of shape (n_topics, 2)
        Where the topics lie.
    shares : ndarray of shape (n_topics,)
        Their shares of all tokens.
    labels : list of str
        What is written at them.
    shown : ndarray of shape (2,)
        Share of the sum of all squared distances that each axis shows.

    Attributes
    ----------
    ax_ : Axes
        Axes of the map.
    circles_ : PathCollection
        Circles, the area proportional to the share.
    figure_ : Figure
        Figure that holds them.
    texts_ : list of Annotation
        Label of each topic.

    See Also
    --------
    pyldavis_data : The input of a map that answers to the mouse.

    Notes
    -----
    The distance is that of Jensen and Shannon, the square root of the divergence in
    bits: 0 for equal distributions of words, 1 for those without a common word. It can
    be embedded in a Euclidean space [1]_; classical scaling [2]_ shows the two
    directions in which the topics spread most. With many topics these are a small part
    of all directions, as the axes say: topics that are far apart on the map are
    different, but those that are close need not be alike.

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

    def __init__(
        self,
        *,
        positions: np.ndarray,
        shares: np.ndarray,
        labels: list[str],
        shown: np.ndarray,
    ) -> None:
        self.positions = positions
        self.shares = shares
        self.labels = labels
        self.shown = shown

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        feature_names: ArrayLike | None = None,
        n_words: int | None = None,
        metric: str = "relevance",
        *,
        weight: float | None = None,
        X: ArrayLike | None = None,
        ax: "Axes | None" = None,
        **scatter_kw: Any,
    ) -> Self:
        """Compute the map of a fitted estimator and draw it.

        Parameters
        ----------
        estimator : estimator
            Fitted, with `components_` that hold no negative values.
        feature_names : array-like of str of shape (n_features_in_,), default=None
            Words in the order of the columns of X. None takes `feature_names_in_` of
            the estimator and, where it has none, the numbers of the columns.
        n_words : int, default=None
            Words to write below the number of each topic. None is 2, but 0 if there are
            no names, or more than 30 topics.
        metric : {"probability", "relevance", "lift", "frex"}, default="relevance"
            What the words are chosen by, see `top_words`.
        weight : float, default=None
            Of "relevance" and "frex", see `top_words`.
        X : {array-like, sparse matrix} of shape (n_documents, n_words), default=None
            Documents whose tokens the shares are taken of. None takes those of the fit,
            as `components_` less the prior tell; for a factorisation (NMF), whose
            components have no scale, pass X.
        ax : Axes, default=None
            Where to draw. None makes a figure.
        **scatter_kw : dict
            For ``Axes.scatter``.

        Returns
        -------
        TopicMapDisplay
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
            If there is not a name for each word, X is not what `transform` takes, or a
            parameter is out of its range.

        Notes
        -----
        Cost: O(K) per word-topic pair.
        """
        components = fitted_components(estimator)
        few = len(components) <= _MOST_LABELLED
        words = label_words(
            estimator, feature_names, n_words, 2 if few else 0, metric, weight
        )
        distances = jensen_shannon_distances(distributions(components))
        positions, shown = classical_scaling(distances)
        shares = token_shares(estimator) if X is None else _shares_in(estimator, X)
        labels = ["\n".join([str(k), *topic]) for k, topic in enumerate(words)]
        display = cls(positions=positions, shares=shares, labels=labels, shown=shown)
        return display.plot(ax, **scatter_kw)

    def plot(self, ax: "Axes | None" = None, **scatter_kw: Any) -> Self:
        """Draw the map.

        Parameters
        ----------
        ax : Axes, default=None
            Where to draw. None makes a figure.
        **scatter_kw : dict
            For ``Axes.scatter``.

        Returns
        -------
        TopicMapDisplay
            Itself.

        Raises
        ------
        ImportError
            Without matplotlib.
        """
        ax = one_axes("TopicMapDisplay", ax, figsize=(8, 7))
        style = {"facecolor": FILL, "edgecolor": EDGE, "alpha": 0.6} | scatter_kw
        areas = _ALL_CIRCLES * self.shares
        self.circles_ = ax.scatter(*self.positions.T, s=areas, **style)
        ax.margins(0.2)
        ax.set_aspect("equal", adjustable="datalim")
        ax.set(
            xlabel=f"first axis ({self.shown[0]:.0%} of the squared distances)",
            ylabel=f"second axis ({self.shown[1]:.0%})",
        )
        self.texts_ = place_labels(ax, self.positions, self.labels, areas)
        self.ax_ = ax
        self.figure_ = ax.figure
        return self


def jensen_shannon_distances(rows: np.ndarray) -> np.ndarray:
    """Return the square roots of the divergences of distributions, in bits."""
    negative_entropy = xlogy(rows, rows).sum(axis=1)
    divergences = np.zeros((len(rows), len(rows)))
    for k, row in enumerate(rows[:-1]):
        means = (row + rows[k + 1 :]) / 2
        gain = (negative_entropy[k] + negative_entropy[k + 1 :]) / 2
        divergences[k, k + 1 :] = gain - xlogy(means, means).sum(axis=1)
    divergences = (divergences + divergences.T) / np.log(2)
    return np.sqrt(divergences.clip(0, 1))  # rounding can leave that range


def classical_scaling(distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return points in two dimensions, and the share of the spread along each.

    The points have their mean in the origin; the largest coordinate of an axis is
    positive, which would be open otherwise.
    """
    n_points = len(distances)
    centring = np.eye(n_points) - 1 / n_points
    products = -centring @ distances**2 @ centring / 2
    spread, directions = np.linalg.eigh(products)
    spread, directions = spread[::-1].clip(0), directions[:, ::-1]
    points = np.zeros((n_points, 2))
    kept = min(n_points, 2)
    points[:, :kept] = directions[:, :kept] * np.sqrt(spread[:kept])
    points *= np.where(points[np.abs(points).argmax(axis=0), [0, 1]] < 0, -1, 1)
    shown = np.zeros(2)
    shown[:kept] = spread[:kept] / max(spread.sum(), np.finfo(float).tiny)
    return points, shown


def _shares_in(estimator, X) -> np.ndarray:
    """Return the shares of the topics in the tokens of X."""
    theta = doc_topic(estimator, X)
    lengths = document_lengths(check_counts(X))
    return distributions((lengths @ theta)[np.newaxis])[0]
