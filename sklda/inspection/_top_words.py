"""A plot of the top words of each topic."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sklda._base.fitted_topics import (
    empty_topics,
    fitted_components,
    normalise,
    snapshot,
    word_names,
)
from sklda._base.parameters import validates
from sklda._core.types import NameList, WordMetric
from sklda._topics.topic_names import names_of_topics, numbers_of_topics
from sklda._topics.word_scores import RANKING_CONSTRAINTS, top_columns
from sklda.inspection._plotting import (
    FILL,
    PLAIN,
    PanelDisplay,
    new_panels,
    plain,
    write_title,
)
from sklda.inspection._topic_names import NO_TOKENS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer

_MAX_COLUMNS = 5
_MAX_WORD_LENGTH = 26  # characters of a word that fit into a panel
_WORD_PAD = 3  # points between the left edge and the words
# Sizes in inches.
_PANEL_WIDTH = 2.2
_WORD_HEIGHT = 0.2
_SIDE_MARGIN = 0.25  # left and right of each panel
_TOP_MARGIN = 0.4  # above each panel, for its title
_BOTTOM_MARGIN = 0.55  # below the lowest panels, for the axis


@dataclass(eq=False, repr=False, kw_only=True)
class TopWordsDisplay(PanelDisplay):
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
        estimator = snapshot(estimator)
        components = fitted_components(estimator)
        names = word_names(estimator, feature_names, components.shape[1])
        topic_names = names_of_topics(estimator, len(components))
        shown = numbers_of_topics(topics, topic_names)
        # Scores compare a topic with all others, so they are computed for all topics.
        columns = top_columns(components, n_words, metric, weight)[shown]
        topic_word = normalise(components[shown])
        words = np.array(names, dtype=object)[columns]
        probabilities = np.take_along_axis(topic_word, columns, axis=1)
        empty = empty_topics(estimator, components)[shown]
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
        limit = 1.05 * self.probabilities.max()
        style = {"color": FILL} | style
        self.bars_: list[BarContainer] = []
        for k, panel in enumerate(axes):
            rows = np.arange(len(self.words[k]))
            self.bars_.append(panel.barh(rows, self.probabilities[k], **style))
            write_title(panel, self.topic_names[k])
            panel.set(xlim=(0, limit), ylim=(rows.size - 0.4, -0.6))
            panel.locator_params(axis="x", nbins=3)
            # On top of their bars, so that long words leave room for bars.
            texts = [plain(word, _MAX_WORD_LENGTH) for word in self.words[k]]
            panel.set_yticks(rows, texts, ha="left", fontsize="small", **PLAIN)
            panel.tick_params(axis="y", length=0, pad=-_WORD_PAD)
            for label in panel.get_yticklabels():  # wide letters, or a narrow panel
                label.set(clip_on=True, clip_box=panel.bbox)

    def _new_axes(self, pyplot: ModuleType, n_panels: int) -> np.ndarray:
        panel_height = _WORD_HEIGHT * self.probabilities.shape[1]
        # All sizes are known: a layout engine would take half a minute for 100 panels.
        panels = new_panels(
            pyplot,
            n_panels,
            _MAX_COLUMNS,
            (_PANEL_WIDTH + _SIDE_MARGIN, panel_height + _TOP_MARGIN),
            (_SIDE_MARGIN, _BOTTOM_MARGIN),
            layout="none",
        )
        figure = panels[0].figure
        width, height = figure.get_size_inches()
        figure.subplots_adjust(
            left=_SIDE_MARGIN / width,
            right=1 - _SIDE_MARGIN / width,
            bottom=_BOTTOM_MARGIN / height,
            top=1 - _TOP_MARGIN / height,
            wspace=_SIDE_MARGIN / _PANEL_WIDTH,
            hspace=_TOP_MARGIN / panel_height,
        )
        # Shared axes would do it, but take a minute for 400 panels.
        for panel in panels[:-_MAX_COLUMNS]:
            panel.tick_params(labelbottom=False)
        label = "probability of the word in the topic"
        figure.supxlabel(label, y=0.1 / height, fontsize="medium")
        return panels
