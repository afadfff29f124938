"""A plot of mean topic proportions by group or over time, a panel for each topic."""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike

from sklda._base.parameters import LEVEL, POSITIVE_INTEGER, validates
from sklda._core.checks import check_result
from sklda._topics.plotting import (
    EDGE,
    FILL,
    PanelDisplay,
    import_pyplot,
    largest_topics,
    new_panels,
    plain,
    write_dates,
    write_rows,
    write_title,
)
from sklda._topics.posterior_draws import check_draws
from sklda.inspection._topic_means import TopicMeans, topic_means

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLUMNS = 3
_WIDTH, _HEIGHT = 2.8, 2.0  # inches of a panel with a line
_ROW = 0.26  # inches of a group
_NAMES = 1.4  # inches of their names
_BELOW_YEAR = 16  # points from the dates, below which their year may stand
_MAX_NAME = 24  # characters of the name of a group


class TopicMeansDisplay(PanelDisplay):
    """Plot mean topic proportions by group or over time, with intervals.

    Each topic has a panel. For bins of numbers or dates, the panel has a line with gaps
    where there are no documents, and an additional panel counts the documents, with a
    note on empty bins and missing dates. For other groups, it has one row per group.
    Create a display with `from_draws`, or from the result of `topic_means`.

    Parameters
    ----------
    means : TopicMeans
        Result of `topic_means`.

    Attributes
    ----------
    axes_ : ndarray of Axes
        Panels of the topics and, for bins, the panel with the numbers of documents.
    figure_ : Figure
        The figure.

    See Also
    --------
    topic_means : The numbers themselves.

    Examples
    --------
    >>> import numpy as np
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_lda_corpus
    >>> from sklda.inspection import TopicMeansDisplay
    >>> X, _, _ = make_lda_corpus(50, 30, 3, random_state=0)
    >>> lda = CollapsedGibbsLDA(3, keep_draws=25, random_state=0).fit(X)
    >>> months = np.array(["2008-01", "2008-03"] * 25, dtype="datetime64[M]")
    >>> TopicMeansDisplay.from_draws(lda.draws_, months, random_state=0).axes_.shape
    (4,)
    """

    def __init__(self, *, means: Any) -> None:
        check_result(means, "means", TopicMeans, "topic_means")
        self.means = means

    @classmethod
    @validates(
        n_topics=POSITIVE_INTEGER,
        max_bins=POSITIVE_INTEGER,
        confidence_level=LEVEL,
        random_state=["random_state"],
    )
    def from_draws(
        cls,
        draws: Any,
        groups: ArrayLike,
        *,
        topics: ArrayLike | None = None,
        n_topics: int = 6,
        max_bins: int = 24,
        confidence_level: float = 0.95,
        random_state: int | RandomState | None = None,
        ax: Axes | Iterable[Axes] | None = None,
        **style: Any,
    ) -> Self:
        """Estimate the means of groups and plot them.

        Parameters
        ----------
        draws : PosteriorDraws
            ``draws_`` of an estimator that was fitted with `keep_draws`.
        groups : array-like of shape (n_documents,)
            Group of each document, see `topic_means`.
        topics : array-like of int or str, default=None
            Topics to plot, by number or name. By default the most frequent ones.
        n_topics : int, default=6
            Number of topics to plot, most frequent first, if `topics` is None; at least
            1.
        max_bins : int, default=24
            Maximum number of bins of numbers and dates, at least 1.
        confidence_level : float, default=0.95
            Probability of the intervals, between 0 and 1.
        random_state : int, RandomState instance or None, default=None
            Seed. Pass an int for reproducible results.
        ax : Axes or array-like of Axes, default=None
            One Axes per topic, and one more for bins. By default, a new figure is
            created.
        **style : dict
            Keyword arguments for ``Axes.plot``, which draws the means.

        Returns
        -------
        TopicMeansDisplay
            The plotted display.

        Raises
        ------
        ImportError, TypeError, ValueError
            Without matplotlib; as `topic_means` and `plot`; if a parameter has a wrong
            type, length or value.
        """
        import_pyplot(cls.__name__)
        draws = check_draws(draws)
        if topics is None:
            samples = (draws.doc_topic(i) for i in range(draws.n_draws))
            topics = largest_topics(sum(samples, np.zeros((1, 1))), n_topics)
        means = topic_means(
            draws,
            groups,
            topics=topics,
            max_bins=max_bins,
            confidence_level=confidence_level,
            random_state=random_state,
        )
        return cls(means=means).plot(ax, **style)

    def _panels(self) -> tuple[int, str]:
        return len(self.means.topic_names) + (self.means.places is not None), "panels"

    def _new_axes(self, pyplot: ModuleType, n_panels: int) -> np.ndarray:
        has_rows = self.means.places is None
        height = _ROW * len(self.means.groups) + 0.8 if has_rows else _HEIGHT
        margin = (_NAMES if has_rows else 0.0, 0.0)  # for the names of groups
        panels = new_panels(
            pyplot, n_panels, _COLUMNS, (_WIDTH, height), margin, sharey=has_rows
        )
        if has_rows:
            panels[0].figure.supxlabel("mean proportion", fontsize="medium")
        return panels

    def _draw(self, axes: np.ndarray, style: dict[str, Any]) -> None:
        draw = self._draw_rows if self.means.places is None else self._draw_line
        style = {"color": EDGE, "marker": "o", "markersize": 4} | style
        names = self.means.topic_names
        for j in range(names.size):
            draw(axes[j], j, style)
            write_title(axes[j], names[j])
        if self.means.places is not None:
            self._draw_counts(axes[names.size])
            for panel in axes[: names.size : _COLUMNS]:  # the first of each row
                panel.set_ylabel("mean proportion")

    def _draw_rows(self, panel: Any, j: int, style: dict[str, Any]) -> None:
        """Draw the groups of a topic from top to bottom."""
        means, rows = self.means, np.arange(len(self.means.groups))
        panel.hlines(rows, means.low[:, j], means.high[:, j], color=FILL, linewidth=4)
        panel.plot(means.mean[:, j], rows, **{"linestyle": "none"} | style)
        counts = (f"{n:,}" for n in means.n_documents)
        names = (plain(name, _MAX_NAME) for name in means.groups)
        texts = [f"{name} ({n})" for name, n in zip(names, counts, strict=True)]
        write_rows(panel, texts, _MAX_NAME + 12)
        panel.set_xlim(left=0)
        panel.locator_params(axis="x", nbins=4)

    def _draw_line(self, panel: Any, j: int, style: dict[str, Any]) -> None:
        """Draw a topic over the bins; NaN cuts the line."""
        means, places = self.means, self.means.places
        band = {"color": FILL, "alpha": 0.6, "linewidth": 0}
        panel.fill_between(places, means.low[:, j], means.high[:, j], **band)
        # A bin between gaps has no width, so its interval is drawn as a bar as well.
        panel.vlines(places, means.low[:, j], means.high[:, j], color=FILL)
        panel.plot(places, means.mean[:, j], **style)
        panel.set_ylim(bottom=0)
        if self.means.are_dates:
            write_dates(panel)

    def _draw_counts(self, panel: Any) -> None:
        places = self.means.places
        gap = np.diff(places).min() if places.size > 1 else 1
        panel.bar(places, self.means.n_documents, color="0.7", width=0.8 * gap)
        write_title(panel, "number of documents")
        style = {"fontsize": "small", "labelpad": _BELOW_YEAR}
        panel.set_xlabel("\n".join(self.means._notes()), **style)
        if self.means.are_dates:
            write_dates(panel)
