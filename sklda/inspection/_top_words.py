"""A picture of the top words of each topic."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sklda._base.fitted_topics import distributions, fitted_components, word_names

from ._drawing import FILL, check_indices, import_pyplot, shorten
from ._words import top_columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLUMNS = 5
# In inches:
_WIDTH = 2.2  # of a panel
_ROW = 0.2  # height of a word
_BESIDE, _ABOVE, _BELOW = 0.25, 0.4, 0.55  # room around the panels, and between them
_MOST_CHARACTERS = 26  # of a word that a panel has room for


class TopWordsDisplay:
    """Bars for the top words of each topic, one panel for each.

    Make it with `from_estimator`; everything passed to it is kept as an attribute.

    Parameters
    ----------
    words : list of list of str
        Top words of each topic.
    probabilities : ndarray of shape (n_topics, n_words)
        Their probabilities in the topic.
    topics : ndarray of shape (n_topics,)
        Numbers of the topics, for the titles.

    Attributes
    ----------
    axes_ : ndarray of shape (n_topics,) of Axes
        Panels.
    bars_ : list of BarContainer
        Bars of each panel.
    figure_ : Figure
        Figure that holds them.

    See Also
    --------
    top_words : The words without a picture.

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> from sklda.inspection import TopWordsDisplay
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> lda = CollapsedGibbsLDA(n_components=10, random_state=0).fit(X)
    >>> display = TopWordsDisplay.from_estimator(lda, n_words=5)
    >>> display.axes_.shape
    (10,)
    """

    def __init__(
        self, *, words: list[list[str]], probabilities: np.ndarray, topics: np.ndarray
    ) -> None:
        self.words = words
        self.probabilities = probabilities
        self.topics = topics

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        feature_names: ArrayLike | None = None,
        n_words: int = 10,
        metric: str = "probability",
        *,
        weight: float | None = None,
        topics: ArrayLike | None = None,
        ax: "Axes | ArrayLike | None" = None,
        **bar_kw: Any,
    ) -> Self:
        """Choose the words of a fitted estimator and draw them.

        Parameters
        ----------
        estimator : estimator
            Fitted, with `components_` that hold no negative values.
        feature_names : array-like of str of shape (n_features_in_,), default=None
            Words in the order of the columns of X. None takes `feature_names_in_` of
            the estimator and, where it has none, the numbers of the columns.
        n_words : int, default=10
            Words of each topic.
        metric : {"probability", "relevance", "lift", "frex"}, default="probability"
            What the words are chosen and ordered by, see `top_words`. The bars are
            probabilities all the same.
        weight : float, default=None
            Of "relevance" and "frex", see `top_words`.
        topics : array-like of int, default=None
            Numbers of the topics to show, in this order. None shows all.
        ax : Axes or array-like of Axes, default=None
            One for each topic. None makes a figure that grows with their number.
        **bar_kw : dict
            For ``Axes.barh``.

        Returns
        -------
        TopWordsDisplay
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
            If there is not a name for each word, not an Axes for each topic, or a
            parameter is out of its range.
        """
        components = fitted_components(estimator)
        names = word_names(estimator, feature_names, components.shape[1])
        topics = check_indices(topics, "topics", components.shape[0], "topics")
        # The scores compare a topic with all the others, shown or not.
        columns = top_columns(components, n_words, metric, weight)[topics]
        topic_word = distributions(components[topics])
        display = cls(
            words=[[names[column] for column in topic] for topic in columns],
            probabilities=np.take_along_axis(topic_word, columns, axis=1),
            topics=topics,
        )
        return display.plot(ax, **bar_kw)

    def plot(self, ax: "Axes | ArrayLike | None" = None, **bar_kw: Any) -> Self:
        """Draw the words.

        Parameters
        ----------
        ax : Axes or array-like of Axes, default=None
            One for each topic. None makes a figure that grows with their number.
        **bar_kw : dict
            For ``Axes.barh``.

        Returns
        -------
        TopWordsDisplay
            Itself.

        Raises
        ------
        ImportError
            Without matplotlib.
        ValueError
            If there is not an Axes for each topic.
        """
        import_pyplot("TopWordsDisplay")
        axes = self._new_axes() if ax is None else self._given_axes(ax)
        longest = self.probabilities.max() * 1.05
        bar_kw = {"color": FILL} | bar_kw
        self.bars_ = []
        for k, panel in enumerate(axes):
            rows = np.arange(len(self.words[k]))
            self.bars_.append(panel.barh(rows, self.probabilities[k], **bar_kw))
            panel.set_title(f"Topic {self.topics[k]}", fontsize="medium")
            panel.set_xlim(0, longest)
            panel.set_ylim(rows.size - 0.4, -0.6)
            panel.spines[["top", "right"]].set_visible(False)
            panel.locator_params(axis="x", nbins=3)
            self._write_words(panel, rows, self.words[k])
        self.axes_ = axes
        self.figure_ = axes[0].figure
        return self

    def _new_axes(self) -> np.ndarray:
        pyplot = import_pyplot("TopWordsDisplay")
        n_topics, n_words = self.probabilities.shape
        n_columns = min(n_topics, _COLUMNS)
        n_rows = -(-n_topics // n_columns)
        height = _ROW * n_words
        all_width = (_WIDTH + _BESIDE) * n_columns + _BESIDE
        all_height = (height + _ABOVE) * n_rows + _BELOW
        # The sizes are known, and a layout that looks for them takes half a minute
        # for a hundred panels.
        figure, grid = pyplot.subplots(
            n_rows,
            n_columns,
            figsize=(all_width, all_height),
            sharex=True,
            squeeze=False,
            layout="none",
            gridspec_kw={
                "left": _BESIDE / all_width,
                "right": 1 - _BESIDE / all_width,
                "bottom": _BELOW / all_height,
                "top": 1 - _ABOVE / all_height,
                "wspace": _BESIDE / _WIDTH,
                "hspace": _ABOVE / height,
            },
        )
        panels = grid.ravel()
        for panel in panels[n_topics:]:
            panel.remove()
        for panel in panels[max(0, n_topics - n_columns) : n_topics]:
            panel.tick_params(labelbottom=True)  # the lowest of its column
        figure.supxlabel(
            "probability of the word in the topic",
            y=0.1 / all_height,
            fontsize="medium",
        )
        return panels[:n_topics]

    def _given_axes(self, ax) -> np.ndarray:
        axes = np.asarray(ax, dtype=object).ravel()
        if axes.size != len(self.words):
            raise ValueError(
                f"ax holds {axes.size} Axes, and there are {len(self.words)} topics to "
                f"show; choose some with the parameter topics."
            )
        return axes

    @staticmethod
    def _write_words(panel, rows, words) -> None:
        """Write words on their bars: so long ones take no room from the bars."""
        panel.set_yticks(
            rows,
            [shorten(word, _MOST_CHARACTERS) for word in words],
            ha="left",
            fontsize="small",
            parse_math=False,
        )
        panel.tick_params(axis="y", length=0, pad=-3)
        for label in panel.get_yticklabels():
            label.set(clip_on=True, clip_box=panel.bbox)  # not into the next panel
