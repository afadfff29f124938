"""Plot of how topics split from one number of topics to the next."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklda._base.fitted_topics import (
    snapshot,
    topic_frequencies,
    topic_frequencies_in,
)
from sklda._base.parameters import validates
from sklda._core.checks import check_numbers
from sklda._core.types import MatrixLike, NameList, WordMetric
from sklda._topics.plotting import axes_or_new, check_labels, shades
from sklda._topics.several_models import check_models, distributions_of_all
from sklda._topics.topic_distances import jensen_shannon_distances
from sklda._topics.word_scores import LABEL_CONSTRAINTS
from sklda.inspection._flows import places, stacked, transport
from sklda.inspection._words import label_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure
    from matplotlib.text import Text

_BAR_WIDTH = 0.03  # of the distance between columns
_SMALLEST_FLOW = 1e-4  # proportion of the tokens below which no flow is drawn
# Sizes in inches.
_COLUMN_WIDTH = 3.2
_LABEL_HEIGHT = 0.17
_MARGIN = 0.8


class TopicFlowDisplay:
    """Plot how topics split from one fit to the next, as flows between columns.

    Each column is a model, usually with more topics than the one on its left. The
    height of a bar is the frequency of its topic, the width of a flow the proportion of
    the tokens that move from a topic on the left to one on the right. A topic has the
    colour of the topic that most of it comes from. Create a display with
    `from_estimators`. Its parameters are kept as attributes.

    Parameters
    ----------
    flows : list of ndarray of shape (n_topics, n_topics_of_next)
        Proportion of all tokens that move between two topics, for each two successive
        models. Each sums to 1.
    labels : list of list of str
        Text beside each topic of each model.

    Attributes
    ----------
    ax_ : Axes
        Axes of the plot.
    bars_ : list of BarContainer
        Bars of each model, in the order of its topics.
    figure_ : Figure
        Figure of the plot.
    ribbons_ : list of PolyCollection
        Flows that are drawn: those of at least 0.0001 of the tokens.
    texts_ : list of list of Text
        Labels of each model, in the order of its topics.

    Raises
    ------
    TypeError
        If `labels` does not hold lists.
    ValueError
        If `flows` does not hold numbers, or the shapes do not match.

    See Also
    --------
    sklda.metrics.align_topics : Which topics of two models are the same.
    TopicMapDisplay : Plot the similarities of the topics of one model.

    Notes
    -----
    Flows are an optimal transport: the frequencies of the topics on the left become
    those on the right so that the mean Jensen-Shannon divergence between the words of
    both ends is as small as possible, as in the R package alto [1]_. At most
    ``n_topics + n_topics_of_next - 1`` flows are not 0.

    Topics are ordered so that few flows cross: those of the first column by frequency,
    then each by the mean place of what flows in, and out.

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
    >>> display = TopicFlowDisplay.from_estimators(fits)
    >>> [flows.shape for flows in display.flows]
    [(2, 5), (5, 10)]
    """

    ax_: Axes
    bars_: list[BarContainer]
    figure_: Figure
    ribbons_: list[PolyCollection]
    texts_: list[list[Text]]

    def __init__(self, *, flows: list[np.ndarray], labels: list[list[str]]) -> None:
        self.flows = _check_flows(flows)
        sizes = [len(self.flows[0]), *(each.shape[1] for each in self.flows)]
        if not isinstance(labels, list | tuple) or len(labels) != len(sizes):
            raise ValueError(
                f"labels must hold a list for each of the {len(sizes)} models that "
                f"flows connect, got {labels!r}."
            )
        self.labels = [
            check_labels(texts, "labels", "topics", size)
            for texts, size in zip(labels, sizes, strict=True)
        ]

    @classmethod
    @validates(**LABEL_CONSTRAINTS)
    def from_estimators(
        cls,
        estimators: Sequence[Any],
        feature_names: NameList | None = None,
        n_words: int | None = None,
        metric: WordMetric = "relevance",
        *,
        weight: float | None = None,
        X: MatrixLike | None = None,
        ax: Axes | None = None,
        **fill_kw: Any,
    ) -> Self:
        """Plot the flows between the topics of several fitted estimators.

        Parameters
        ----------
        estimators : list of estimator
            At least two fitted topic models of the same words, in the order of the
            columns, with non-negative `components_`.
        feature_names : array-like of str of shape (n_features_in_,), default=None
            Words in the order of the columns of X. By default `feature_names_in_` of
            the estimators or, if they have none, the column numbers, with a warning.
        n_words : int, default=None
            Number of words beside the number of each topic. The default is 3, or 0 if
            words have no names.
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
            Axes to plot on. By default a new figure is created, high enough for all
            labels.
        **fill_kw : dict
            Keyword arguments for ``Axes.fill_between``, which draws the flows, except
            color.

        Returns
        -------
        TopicFlowDisplay
            The display, plotted.

        Raises
        ------
        NotFittedError
            Before fit.
        ImportError
            If matplotlib is not installed.
        TypeError
            If estimators is not a list, one has no `components_`, feature_names is not
            a list or an array of words, or `ax` is not an Axes.
        ValueError
            If there are fewer than two estimators, they have different words,
            `components_` contains negative values or a topic without weights,
            `transform` rejects X, or a parameter is out of its range.

        Notes
        -----
        Cost: O(n_words) for each pair of topics of successive models, with a logarithm
        each, and a linear program of as many variables as pairs.
        """
        found = check_models(estimators, "estimators", minimum=2)
        found = [snapshot(estimator) for estimator in found]
        names = [f"estimators[{i}]" for i in range(len(found))]
        topics = distributions_of_all(found, names)
        words = [
            label_words(estimator, feature_names, n_words, 3, metric, weight)
            for estimator in found
        ]
        frequencies = [
            topic_frequencies(one) if X is None else topic_frequencies_in(one, X)
            for one in found
        ]
        display = cls(
            flows=[
                transport(*masses, jensen_shannon_distances(*rows) ** 2)
                for masses, rows in zip(
                    pairwise(frequencies), pairwise(topics), strict=True
                )
            ],
            labels=[
                [" ".join([str(k), *topic]) for k, topic in enumerate(of_model)]
                for of_model in words
            ],
        )
        return display.plot(ax, **fill_kw)

    def plot(self, ax: Axes | None = None, **fill_kw: Any) -> Self:
        """Plot the flows.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to plot on. By default a new figure is created, high enough for all
            labels.
        **fill_kw : dict
            Keyword arguments for ``Axes.fill_between``, which draws the flows, except
            color.

        Returns
        -------
        TopicFlowDisplay
            The display itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If `ax` is not an Axes.
        """
        frequencies = [each.sum(axis=1) for each in self.flows]
        frequencies.append(self.flows[-1].sum(axis=0))
        # A label needs as much room as the bar of a topic of mean frequency.
        room = 1 / max(each.size for each in frequencies)
        tops, total = places(self.flows, frequencies, room)
        width = _COLUMN_WIDTH * len(frequencies) + _MARGIN
        height = total / room * _LABEL_HEIGHT + _MARGIN
        axes = axes_or_new("TopicFlowDisplay", ax, figsize=(width, max(height, 3)))
        colours = _colours(self.flows)
        self.bars_, self.ribbons_, self.texts_ = [], [], []
        for column, (top, sizes) in enumerate(zip(tops, frequencies, strict=True)):
            self.bars_.append(
                axes.bar(
                    np.full(sizes.size, column),
                    sizes,
                    _BAR_WIDTH,
                    top,
                    align="edge",
                    color=colours[column],
                    edgecolor="white",
                    linewidth=0.8,
                )
            )
            self._write_labels(axes, column, top + sizes / 2)
        for column, flows in enumerate(self.flows):
            self._draw_ribbons(
                axes, column, flows, tops, colours[column], {"alpha": 0.35} | fill_kw
            )
        axes.set(xlim=(-0.02, len(frequencies)), ylim=(total, 0), yticks=[])
        axes.set_xticks(
            np.arange(len(frequencies)),
            [f"{sizes.size} topics" for sizes in frequencies],
            ha="left",
        )
        axes.tick_params(axis="x", length=0)
        axes.spines[:].set_visible(False)
        self.ax_ = axes
        self.figure_ = axes.figure
        return self

    def _write_labels(self, axes: Any, column: int, places: np.ndarray) -> None:
        self.texts_.append(
            [
                axes.text(
                    column + 1.5 * _BAR_WIDTH,
                    place,
                    label,
                    va="center",
                    fontsize="small",
                    parse_math=False,
                )
                for place, label in zip(places, self.labels[column], strict=True)
            ]
        )

    def _draw_ribbons(
        self,
        axes: Any,
        column: int,
        flows: np.ndarray,
        tops: list[np.ndarray],
        colours: np.ndarray,
        style: dict[str, Any],
    ) -> None:
        """Draw the flows from one column to the next, stacked at both ends."""
        left, right = tops[column], tops[column + 1]
        starts = left[:, np.newaxis] + stacked(flows, np.argsort(right))
        ends = right + stacked(flows.T, np.argsort(left)).T
        along = np.linspace(0, 1, 40)
        bend = (1 - np.cos(np.pi * along)) / 2
        x = column + _BAR_WIDTH + (1 - _BAR_WIDTH) * along
        for k, j in np.argwhere(flows >= _SMALLEST_FLOW):
            upper = starts[k, j] + (ends[k, j] - starts[k, j]) * bend
            self.ribbons_.append(
                axes.fill_between(
                    x,
                    upper,
                    upper + flows[k, j],
                    **{"linewidth": 0} | style,
                    color=colours[k],
                )
            )


def _check_flows(flows: Any) -> list[np.ndarray]:
    """Return flows as arrays that connect one model to the next."""
    if not isinstance(flows, list | tuple) or len(flows) == 0:
        raise ValueError(f"flows must be a list of arrays, got {flows!r}.")
    checked: list[np.ndarray] = []
    for each in flows:
        n_topics = checked[-1].shape[1] if checked else "n_topics"
        checked.append(check_numbers(each, "flows", (n_topics, "n_topics_of_next")))
    return checked


def _colours(flows: list[np.ndarray]) -> list[np.ndarray]:
    """Return the colour of each topic, by column, (n_topics, 4) RGBA."""
    colours = [shades(len(flows[0]))]
    for each in flows:
        colours.append(colours[-1][each.argmax(axis=0)])
    return colours
