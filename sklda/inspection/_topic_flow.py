"""A plot of how topics split from one model to the next."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from sklda._base.fitted_topics import snapshot, topic_frequencies
from sklda._base.parameters import validates
from sklda._core.checks import check_numbers, label_list
from sklda._core.types import MatrixLike, NameList
from sklda._topics.plotting import Display, shades
from sklda._topics.several_models import check_models, distributions_of_all
from sklda._topics.topic_distances import jensen_shannon_distances
from sklda.inspection._words import NUMBER_OF_WORDS, topic_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.container import BarContainer
    from matplotlib.text import Text

_BAR_WIDTH = 0.03  # of the distance between columns
_SMALLEST_FLOW = 1e-4  # proportion of the tokens below which no flow is drawn
_N_PASSES = 8  # over the columns, to order their topics
# Sizes in inches.
_COLUMN_WIDTH = 3.2
_LABEL_HEIGHT = 0.17
_MARGIN = 0.8


class TopicFlowDisplay(Display):
    """Plot how topics split from one fit to the next, as flows between columns.

    Each column is a model, usually with more topics than the one on its left. The
    height of a bar is the frequency of its topic, the width of a flow the proportion of
    tokens that move between two topics. A topic has the colour of the topic that
    contributes most of it. Create a display with `from_estimators`. Its parameters are
    stored as attributes; a wrong type or shape raises TypeError or ValueError.

    Parameters
    ----------
    flows : list of ndarray of shape (n_topics, n_topics_of_next)
        Proportion of all tokens that move between two topics, for each pair of
        successive models. Each array sums to 1.
    labels : list of list of str
        Text next to each topic of each model.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure
        Axes and figure of the plot.
    bars_ : list of BarContainer
        Bars of each model, in the order of its topics.
    ribbons_ : list of PolyCollection
        The drawn flows, which have at least 0.0001 of the tokens.
    texts_ : list of list of Text
        Labels of each model, in the order of its topics.

    Notes
    -----
    Flows are an optimal transport, as in the R package alto [1]_: they turn the
    frequencies of the topics on the left into those on the right with the smallest mean
    Jensen-Shannon divergence between the words at both ends. At most ``n_topics +
    n_topics_of_next - 1`` flows are not 0.

    Topics are ordered so that few flows cross.

    References
    ----------
    .. [1] J. Fukuyama, K. Sankaran, L. Symul, "Multiscale analysis of count data
       through topic alignment", Biostatistics 24 (2023),
       https://doi.org/10.1093/biostatistics/kxac018

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> from sklda.inspection import TopicFlowDisplay
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> fits = [CollapsedGibbsLDA(k, random_state=0).fit(X) for k in (2, 5, 10)]
    >>> [flows.shape for flows in TopicFlowDisplay.from_estimators(fits).flows]
    [(2, 5), (5, 10)]
    """

    def __init__(self, *, flows: list[np.ndarray], labels: list[list[str]]) -> None:
        self.flows = _check_flows(flows)
        sizes = [len(self.flows[0]), *(flow.shape[1] for flow in self.flows)]
        if not isinstance(labels, list | tuple) or len(labels) != len(sizes):
            raise ValueError(
                f"labels must contain a list for each of the {len(sizes)} models that "
                f"flows connect, got {labels!r}."
            )
        self.labels = [
            label_list(texts, "labels", "topics", size)
            for texts, size in zip(labels, sizes, strict=True)
        ]

    @classmethod
    @validates(n_words=NUMBER_OF_WORDS)
    def from_estimators(
        cls,
        estimators: Sequence[Any],
        feature_names: NameList | None = None,
        n_words: int | None = None,
        *,
        X: MatrixLike | None = None,
        ax: Axes | None = None,
        **style: Any,
    ) -> Self:
        """Plot the flows between the topics of several fitted estimators.

        Cost: one logarithm per word for each pair of topics of successive models, and a
        linear program with one variable per pair.

        Parameters
        ----------
        estimators : list of estimator
            At least two fitted topic models of the same words, in the order of the
            columns, with non-negative `components_`.
        feature_names : array-like of str of shape (n_features_in_,), default=None
            Words in the order of the columns of X. By default, `feature_names_in_` or,
            without it, the column numbers, with a warning.
        n_words : int, default=None
            Number of most relevant words, see `top_words`, next to the number of each
            topic. The default is 3, or 0 if words have no names.
        X : {array-like, sparse matrix} of shape (n_documents, n_words), default=None
            Documents in which `transform` computes topic frequencies. By default,
            frequencies in the training documents come from `components_` minus the
            prior. Pass X for a matrix factorisation (NMF), whose components have no
            scale.
        ax : Axes, default=None
            Axes to plot on. By default a new figure of suitable size is created.
        **style : dict
            Keyword arguments for ``Axes.fill_between``, which draws the flows, except
            color.

        Returns
        -------
        TopicFlowDisplay
            The plotted display.

        Raises
        ------
        NotFittedError, ImportError, TypeError, ValueError
            Before fit; without matplotlib; if there are fewer than two estimators, they
            have different words, a `components_` is missing, negative or 0 for a topic,
            `transform` rejects X, or a parameter has a wrong type, length or value.
        """
        models = check_models(estimators, "estimators", minimum=2)
        models = [snapshot(model) for model in models]
        names = [f"estimators[{i}]" for i in range(len(models))]
        topics = distributions_of_all(models, names)
        words = (feature_names, n_words, 3, "relevance")
        labels = [topic_labels(model, *words) for model in models]
        frequencies = [topic_frequencies(model, X) for model in models]
        pairs = zip(pairwise(frequencies), pairwise(topics), strict=True)
        flows = [
            transport(*masses, jensen_shannon_distances(*rows) ** 2)
            for masses, rows in pairs
        ]
        return cls(flows=flows, labels=labels).plot(ax, **style)

    def _layout(self) -> tuple[list[np.ndarray], list[np.ndarray], float]:
        """Return the frequencies, the tops of the bars in each column, and the height.

        The unit of the height is a label, which needs the room of a bar of mean size.
        """
        frequencies = [flow.sum(axis=1) for flow in self.flows]
        frequencies.append(self.flows[-1].sum(axis=0))
        room = 1 / max(sizes.size for sizes in frequencies)
        tops, total = bar_tops(self.flows, frequencies, room)
        return frequencies, tops, total / room

    def _figure_size(self) -> tuple[float, float]:
        frequencies, _, n_labels = self._layout()
        height = n_labels * _LABEL_HEIGHT + _MARGIN
        return _COLUMN_WIDTH * len(frequencies) + _MARGIN, max(height, 3)

    def _draw(self, axes: Any, style: dict[str, Any]) -> None:
        frequencies, tops, n_labels = self._layout()
        colours = [shades(len(self.flows[0]))]
        for flows in self.flows:
            colours.append(colours[-1][flows.argmax(axis=0)])
        self.bars_: list[BarContainer] = []
        self.ribbons_: list[PolyCollection] = []
        self.texts_: list[list[Text]] = []
        options = {"align": "edge", "edgecolor": "white", "linewidth": 0.8}
        for column, (top, sizes) in enumerate(zip(tops, frequencies, strict=True)):
            x = np.full(sizes.size, column)
            options["color"] = colours[column]
            self.bars_.append(axes.bar(x, sizes, _BAR_WIDTH, top, **options))
            self._write_labels(axes, column, top + sizes / 2)
        style = {"alpha": 0.35, "linewidth": 0} | style
        for column, ends in enumerate(pairwise(tops)):
            self._draw_ribbons(axes, column, *ends, colours[column], style)
        height = n_labels / max(map(len, tops))
        axes.set(xlim=(-0.02, len(tops)), ylim=(height, 0), yticks=[])
        names = [f"{top.size} topics" for top in tops]
        axes.set_xticks(np.arange(len(tops)), names, ha="left")
        axes.tick_params(axis="x", length=0)
        axes.spines[:].set_visible(False)

    def _write_labels(self, axes: Any, column: int, places: np.ndarray) -> None:
        x = column + 1.5 * _BAR_WIDTH
        options = {"va": "center", "fontsize": "small", "parse_math": False}
        pairs = zip(places, self.labels[column], strict=True)
        self.texts_.append([axes.text(x, *pair, **options) for pair in pairs])

    def _draw_ribbons(
        self,
        axes: Any,
        column: int,
        left: np.ndarray,
        right: np.ndarray,
        colours: np.ndarray,
        style: dict[str, Any],
    ) -> None:
        """Draw the flows from one column to the next, stacked at both ends."""
        flows = self.flows[column]
        starts = left[:, np.newaxis] + _stacked(flows, np.argsort(right))
        ends = right + _stacked(flows.T, np.argsort(left)).T
        along = np.linspace(0, 1, 40)
        bend = (1 - np.cos(np.pi * along)) / 2
        x = column + _BAR_WIDTH + (1 - _BAR_WIDTH) * along
        for k, j in np.argwhere(flows >= _SMALLEST_FLOW):
            upper = starts[k, j] + (ends[k, j] - starts[k, j]) * bend
            lower = upper + flows[k, j]
            ribbon = axes.fill_between(x, upper, lower, **style, color=colours[k])
            self.ribbons_.append(ribbon)


def _check_flows(flows: Any) -> list[np.ndarray]:
    """Return flows as arrays that connect one model to the next."""
    if not isinstance(flows, list | tuple) or len(flows) == 0:
        raise ValueError(f"flows must be a list of arrays, got {flows!r}.")
    checked: list[np.ndarray] = []
    for flow in flows:
        n_topics = checked[-1].shape[1] if checked else "n_topics"
        checked.append(check_numbers(flow, "flows", (n_topics, "n_topics_of_next")))
    return checked


def transport(sources: np.ndarray, sinks: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Return the flows, (n, m), that move masses at the smallest cost.

    The masses `sources`, (n,), leave, and `sinks`, (m,), arrive; both have the same
    sum. `costs`, (n, m), are per unit of mass.
    """
    n, m = costs.shape
    leaves = sparse.kron(sparse.eye_array(n), np.ones((1, m)))
    arrives = sparse.kron(np.ones((1, n)), sparse.eye_array(m))
    # Without the last equation: it follows from the others, but rounding may differ.
    solution = linprog(
        costs.ravel(),
        A_eq=sparse.vstack([leaves, arrives]).tocsr()[:-1],
        b_eq=np.concatenate([sources, sinks])[:-1],
    )
    flows: np.ndarray = solution.x.reshape(n, m).clip(0)
    return flows / flows.sum()


def bar_tops(
    flows: list[np.ndarray], frequencies: list[np.ndarray], room: float
) -> tuple[list[np.ndarray], float]:
    """Return the upper end of each bar, by column, and the height of the columns.

    Each topic gets the height of its bar, or `room` for its label if that is more, and
    an equal part of what is left in its column.
    """
    rooms = [np.maximum(sizes, room) for sizes in frequencies]
    total = max(heights.sum() for heights in rooms)
    tops = []
    orders = _orders(flows, frequencies)
    for order, heights, sizes in zip(orders, rooms, frequencies, strict=True):
        slots = heights + (total - heights.sum()) / heights.size
        middles = np.empty(heights.size)
        middles[order] = np.cumsum(slots[order]) - slots[order] / 2
        tops.append(middles - sizes / 2)
    return tops, float(total)


def _orders(flows: list[np.ndarray], frequencies: list[np.ndarray]) -> list[np.ndarray]:
    """Return an order of the topics of each column in which few flows cross.

    The first column is ordered by frequency, then each by the mean place of the topics
    on its left that flow into it. Passes in the other direction do the reverse.
    """
    orders = [np.argsort(-sizes, kind="stable") for sizes in frequencies]
    for step in range(_N_PASSES):
        forwards = step % 2 == 0
        columns = range(1, len(orders)) if forwards else range(len(orders) - 2, -1, -1)
        for column in columns:
            # Rows are the topics to be ordered, columns those of the next column.
            near = flows[column - 1].T if forwards else flows[column]
            fixed = orders[column - 1 if forwards else column + 1]
            middle = np.empty(fixed.size)
            sizes = near.sum(axis=0)[fixed]
            middle[fixed] = np.cumsum(sizes) - sizes / 2
            means = near @ middle / np.maximum(near.sum(axis=1), 1e-12)
            orders[column] = np.argsort(means, kind="stable")
    return orders


def _stacked(flows: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return where each flow begins in its row if the columns have this order."""
    starts = np.empty(flows.shape)
    ordered = flows[:, order]
    starts[:, order] = np.cumsum(ordered, axis=1) - ordered
    return starts
