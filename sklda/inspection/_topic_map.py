"""A map of topics in two dimensions, by the similarity of their words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklda._base.fitted_topics import (
    fitted_components,
    normalise,
    snapshot,
    topic_frequencies,
)
from sklda._base.parameters import validates
from sklda._core.checks import check_numbers, label_list
from sklda._core.types import MatrixLike, NameList
from sklda._topics.plotting import EDGE, FILL, PLAIN, Display
from sklda._topics.topic_distances import jensen_shannon_distances
from sklda.inspection._topic_names import NUMBER_OF_WORDS, topic_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

_TOTAL_SIZE = 12_000  # sum of the squared diameters of all circles, in square points
_MAX_LABELLED = 30  # with more topics, words in the labels would overlap
# Candidate offsets of a label are rings around the centre of its circle, in points.
_DIRECTIONS = 24
_RING_DISTANCE = 4.0
_RINGS = 22
# Gap between a label and circles, in points: a text grows slightly if the figure is
# saved with a different resolution than that of its layout.
_CLEARANCE = 3.0
_LINE_POINTS = 12  # on a line from a circle to its label, which other labels avoid


class TopicMapDisplay(Display):
    """Plot topics as circles on a map where similar topics are close to each other.

    The area of a circle is proportional to the frequency of its topic. Create a display
    with `from_estimator`. Its parameters are stored as attributes; a wrong type or
    shape raises TypeError or ValueError.

    Parameters
    ----------
    positions : ndarray of shape (n_topics, 2)
        Centres of the circles.
    frequencies : ndarray of shape (n_topics,)
        Proportion of all tokens in each topic. With one-vs-rest, the topics of each
        class cover all tokens, so each class has an equal share.
    labels : list of str
        Text on each circle.
    explained_ratio : ndarray of shape (2,)
        Proportion of the sum of squared distances that each axis explains.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure
        Axes and figure of the map.
    circles_ : PathCollection
        Circles of the topics.
    texts_ : list of Annotation
        Label of each topic. A label is cut to its first line, or hidden, if it does not
        fit between circles and other labels.

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
        self.labels = label_list(labels, "labels", "topics", n_topics)
        self.explained_ratio = check_numbers(explained_ratio, "explained_ratio", (2,))

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
            Number of most relevant words, see `top_words`, below the number of each
            topic that has no name (see `name_topics`). The default is 2, or 0 if words
            have no names or there are more than 30 topics.
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
        labels = topic_labels(estimator, *words, in_lines=True)
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
        return 8, 7

    def _draw(self, axes: Any, style: dict[str, Any]) -> None:
        style = {"facecolor": FILL, "edgecolor": EDGE, "alpha": 0.6} | style
        sizes = _TOTAL_SIZE * self.frequencies
        self.circles_ = axes.scatter(*self.positions.T, s=sizes, **style)
        axes.margins(0.2)
        axes.set_aspect("equal", adjustable="datalim")
        axes.set(xticks=[], yticks=[])  # only distances have a meaning
        explained = f"{self.explained_ratio.sum():.0%} of all squared distances"
        axes.set_xlabel(f"similar topics are close: the map shows {explained}")
        self.texts_ = _place_labels(axes, self.positions, self.labels, sizes)


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


def _place_labels(
    ax: Any, positions: np.ndarray, labels: list[str], sizes: np.ndarray
) -> list[Annotation]:
    """Write a label on or beside each circle, largest first; sizes are square points.

    A label stands inside its circle if it fits, or else at the nearest offset where it
    touches no circle and no other label, and a line connects it to its circle. If there
    is no such place, the first line of the label is tried, and otherwise none is drawn.
    Offsets are in points, so labels stay apart when the whole figure is scaled.
    """
    ax.figure.figure.draw_without_rendering()  # the layout moves the circles
    line = {"arrowstyle": "-", "linewidth": 0.6, "shrinkA": 0}
    options = {"textcoords": "offset points"} | PLAIN
    options |= {"ha": "center", "va": "center", "fontsize": "small"}
    annotations = [
        ax.annotate(
            labels[k],
            positions[k],
            (0, 0),
            arrowprops={**line, "shrinkB": np.sqrt(sizes[k]) / 2},  # ends at the circle
            **options,
        )
        for k in range(len(labels))
    ]
    space = _FreeSpace(ax, positions, sizes)
    for k in np.argsort(-sizes, kind="stable"):
        for text in labels[k], labels[k].partition("\n")[0]:
            annotations[k].set_text(text)
            extent = annotations[k].get_window_extent()
            half = np.array([extent.width, extent.height]) / 2 + 1
            offset = space.take(k, half)
            if offset is not None:
                annotations[k].set_position(offset)
                annotations[k].arrow_patch.set_visible(bool(offset.any()))
                break
        annotations[k].set_visible(offset is not None)
    return annotations


class _FreeSpace:
    """Space that labels may cover: all but circles, other labels and their lines."""

    def __init__(self, ax: Any, positions: np.ndarray, sizes: np.ndarray) -> None:
        self.pixels_per_point = ax.figure.dpi / 72
        self.centres = ax.transData.transform(positions)
        self.radii = np.sqrt(sizes) / 2 * self.pixels_per_point
        self.kept_off = self.radii + _CLEARANCE * self.pixels_per_point
        self.frame = ax.get_window_extent().extents
        angles = np.arange(_DIRECTIONS) * 2 * np.pi / _DIRECTIONS
        ring = np.column_stack([np.cos(angles), np.sin(angles)])
        rings = [_RING_DISTANCE * r * ring for r in range(1, _RINGS)]
        self.offsets = np.vstack([np.zeros((1, 2)), *rings])  # nearest first
        self.labels = np.empty((0, 4))
        self.lines = np.empty((0, 4))  # points on them, as boxes without area

    def take(self, k: int, half: np.ndarray) -> np.ndarray | None:
        """Take the nearest place of a label of half this size; return its offset."""
        middles = self.centres[k] + self.offsets * self.pixels_per_point
        boxes = np.hstack([middles - half, middles + half])
        outside = (boxes[:, :2] < self.frame[:2]) | (boxes[:, 2:] > self.frame[2:])
        free = ~(outside.any(axis=1) | _overlap(boxes, self.labels))
        free &= ~_overlap(boxes, self.lines)
        covered = self._covered(boxes)
        fits = np.hypot(*half) <= self.radii[k]
        free[0] &= fits and not np.delete(covered[0], k).any()
        free[1:] &= ~covered[1:].any(axis=1)
        for place in np.flatnonzero(free):
            steps = np.linspace(0, 1, _LINE_POINTS)[:, np.newaxis]
            points = self.centres[k] + steps * (middles[place] - self.centres[k])
            points = np.hstack([points, points])
            if not _overlap(points, self.labels).any():
                self.labels = np.vstack([self.labels, boxes[place]])
                self.lines = np.vstack(
                    [self.lines, points[: _LINE_POINTS * (place > 0)]]
                )
                offset: np.ndarray = self.offsets[place]
                return offset
        return None

    def _covered(self, boxes: np.ndarray) -> np.ndarray:
        """Return which boxes come close to which circles, (n_boxes, n_circles)."""
        low, high = boxes[:, np.newaxis, :2], boxes[:, np.newaxis, 2:]
        nearest = np.clip(self.centres, low, high)
        meets: np.ndarray = np.hypot(*(nearest - self.centres).T).T < self.kept_off
        return meets


def _overlap(boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return which boxes (left, bottom, right, top) overlap any of the others."""
    around = np.hstack([boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)])
    near = _overlaps(around[np.newaxis], others)[0]  # few of the boxes on a large map
    return _overlaps(boxes, others[near]).any(axis=1)


def _overlaps(boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return which boxes overlap which others, (n_boxes, n_others)."""
    low = boxes[:, np.newaxis, :2] < others[:, 2:]
    high = boxes[:, np.newaxis, 2:] > others[:, :2]
    return np.asarray(np.all(low & high, axis=2))
