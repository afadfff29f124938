"""A plot of expected topic proportions against a continuous covariate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sklda._base.columns import as_column
from sklda._base.parameters import POSITIVE_INTEGER, validates
from sklda._core.checks import check_numbers, check_result
from sklda._topics.plotting import (
    PLAIN,
    Display,
    largest_topics,
    legend_beside,
    legend_label,
    plain,
    shades,
    write_dates,
)
from sklda._topics.topic_names import numbers_of_topics
from sklda.inspection._predicted_proportions import PredictedProportions

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

_MAX_NAME_LENGTH = 40  # characters of the name of a topic


@dataclass(eq=False, repr=False, kw_only=True)
class PredictedProportionsDisplay(Display):
    """Plot expected topic proportions against a covariate, with bands.

    Create a display with `from_predictions`.

    Attributes
    ----------
    values : ndarray of shape (n_settings,)
        Values of the covariate; dates are stored as days since 1970.
    are_dates : bool
        Whether the values are dates.
    estimates, low, high : ndarray of shape (n_settings, n_topics)
        Proportions and the ends of their intervals.
    topic_names : list of str
        Name of each topic, for the legend.
    covariate_name : str
        Name of the covariate, for the horizontal axis.
    ax_, figure_ : Axes and Figure
        Axes and figure of the plot.
    lines_ : list of Line2D
        Proportions of each topic.
    bands_ : list of PolyCollection
        Intervals of each topic.

    Examples
    --------
    >>> import numpy as np
    >>> from sklda import DMRLDA
    >>> from sklda.datasets import make_lda_corpus
    >>> from sklda.inspection import PredictedProportionsDisplay, predicted_proportions
    >>> X, theta, _ = make_lda_corpus(50, 30, 3, random_state=0)
    >>> year = 2000 + 20 * theta[:, 0]
    >>> dmr = DMRLDA(3, max_iter=1000, random_state=0).fit(X, covariates=year)
    >>> grid = np.linspace(2000, 2020, 5)
    >>> predicted = predicted_proportions(dmr, grid)
    >>> PredictedProportionsDisplay.from_predictions(predicted, grid).low.shape
    (5, 3)
    """

    values: np.ndarray
    are_dates: bool
    estimates: np.ndarray
    low: np.ndarray
    high: np.ndarray
    topic_names: list[str]
    covariate_name: str

    @classmethod
    @validates(n_topics=POSITIVE_INTEGER)
    def from_predictions(
        cls,
        predicted: Any,
        values: ArrayLike,
        *,
        topics: ArrayLike | None = None,
        n_topics: int = 5,
        covariate_name: str = "covariate",
        ax: Axes | None = None,
        **style: Any,
    ) -> Self:
        """Plot the proportions of some topics.

        Parameters
        ----------
        predicted : PredictedProportions
            Result of `predicted_proportions` for settings along a covariate.
        values : array-like of shape (n_settings,)
            Value of the covariate in each setting, numbers or dates.
        topics : array-like of int or str, default=None
            Topics to plot, by number or name. By default the largest `n_topics`.
        n_topics : int, default=5
            Maximum number of topics to plot, at least 1, if `topics` is None.
        covariate_name : str, default="covariate"
            Name of the covariate.
        ax : Axes, default=None
            Axes to plot on. By default a new figure of suitable size is created.
        **style : dict
            Keyword arguments for ``Axes.plot``.

        Returns
        -------
        PredictedProportionsDisplay
            The plotted display.

        Raises
        ------
        ImportError, TypeError, ValueError
            Without matplotlib; if a parameter has a wrong type, length or value.
        """
        source = "predicted_proportions"
        check_result(predicted, "predicted", PredictedProportions, source)
        if topics is None:
            shown = largest_topics(predicted.mean, n_topics)
        else:
            shown = numbers_of_topics(topics, predicted.topic_names)
        values = np.asarray(values)
        are_dates = values.dtype.kind == "M"
        if are_dates:
            values = as_column(values, "values").values.astype(np.int64)
        return cls(
            values=check_numbers(values, "values", predicted.mean.shape[:1]),
            are_dates=are_dates,
            estimates=predicted.mean[:, shown],
            low=predicted.low[:, shown],
            high=predicted.high[:, shown],
            topic_names=predicted.topic_names[shown].tolist(),
            covariate_name=covariate_name,
        ).plot(ax, **style)

    def _draw(self, axes: Any, style: dict[str, Any]) -> None:
        order = np.argsort(self.values, kind="stable")
        x = self.values[order]
        self.lines_: list[Line2D] = []
        self.bands_: list[PolyCollection] = []
        for k, colour in enumerate(shades(len(self.topic_names), 0.85)):
            line = {"color": colour, "linewidth": 1.5}
            line["label"] = legend_label(self.topic_names[k], _MAX_NAME_LENGTH)
            line |= style
            band = {"color": line["color"], "alpha": 0.2, "linewidth": 0}
            ends = self.low[order, k], self.high[order, k]
            self.bands_.append(axes.fill_between(x, *ends, **band))
            self.lines_ += axes.plot(x, self.estimates[order, k], **line)
        axes.set_ylim(bottom=0, auto=None)  # a second display may be higher
        if self.are_dates:
            write_dates(axes)
        axes.set_xlabel(plain(self.covariate_name, _MAX_NAME_LENGTH), **PLAIN)
        axes.set_ylabel("expected proportion")
        axes.spines[["top", "right"]].set_visible(False)
        legend_beside(axes)
