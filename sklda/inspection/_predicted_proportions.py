"""Expected topic proportions of documents with given covariates, and their plot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sklda._covariates.columns import as_column
from sklda._covariates.design import design_of
from sklda._data.checks import check_numbers, check_result
from sklda._fitted.fitted_topics import names_of_topics, numbers_of_topics, snapshot
from sklda._fitted.posterior_draws import (
    Bias,
    draws_interval,
    warn_of_drift,
    warn_of_few_draws,
)
from sklda._sampling.parameters import LEVEL, POSITIVE_INTEGER, validates
from sklda.inspection._display import (
    PLAIN,
    Display,
    largest_topics,
    legend_beside,
    legend_label,
    plain,
    shades,
    table_lines,
    write_dates,
)
from sklda.inspection._estimates import SeriesOfEstimates, means_with_intervals

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

_MOST_TOPICS = 2  # of a setting, those with the largest proportions
_MAX_NAME_LENGTH = 40  # characters of the name of a topic


@dataclass(frozen=True, eq=False, kw_only=True)
class PredictedProportions(SeriesOfEstimates):
    """Expected topic proportions in several settings of the covariates.

    `predicted_proportions` returns them, and `PredictedProportionsDisplay` plots them.

    Attributes
    ----------
    settings : list of str
        Names of the settings, or row numbers if they have no names.
    topic_names : ndarray of shape (n_topics,) of str
        Names of the topics, see `name_topics`; "topic 3" stands for no name.
    mean : ndarray of shape (n_settings, n_topics)
        Posterior means.
    low, high : ndarray of shape (n_settings, n_topics)
        Ends of the intervals.
    draws : ndarray of shape (n_kept, n_settings, n_topics)
        The proportions under the weights of each kept sample.
    confidence_level : float
        Posterior probability of each interval.
    """

    settings: list[str]
    mean: np.ndarray
    draws: np.ndarray

    def _series(self) -> tuple[str, list[str]]:
        return "setting", self.settings

    def _difference(self, i: int, j: int) -> tuple[np.ndarray, ...]:
        difference = self.draws[:, i] - self.draws[:, j]
        low, high = _interval(difference, self.confidence_level, "differences")
        return difference.mean(axis=0), low, high, (difference > 0).mean(axis=0)

    def __repr__(self) -> str:
        n_settings, n_topics = self.mean.shape
        title = (
            f"Expected proportions of {n_topics} topics in {n_settings} settings, "
            f"{self.confidence_level:.0%} intervals"
        )
        rows = []
        for i, name in enumerate(self.settings):
            cells = means_with_intervals(self.mean[i], self.low[i], self.high[i])
            top = np.argsort(-self.mean[i])[:_MOST_TOPICS]
            rows.append([name, *(f"{self.topic_names[k]} {cells[k]}" for k in top)])
        return "\n".join([title, *table_lines(rows)])


@validates(confidence_level=LEVEL)
def predicted_proportions(
    model: Any,
    covariates: ArrayLike | Mapping[str, ArrayLike],
    *,
    confidence_level: float = 0.95,
) -> PredictedProportions:
    """Return expected topic proportions of documents with given covariates.

    A document with covariates c has the expected proportions alpha / sum(alpha), with
    alpha = exp(b + c . w). These are computed for the weights of each kept sample, so
    intervals include the uncertainty of topics and weights.

    Parameters
    ----------
    model : estimator
        A fitted DMRLDA.
    covariates : array-like or DataFrame of shape (n_settings, n_covariates), or dict
        Each row is a setting. In a dict, each name has the covariates of several
        documents, (n, n_covariates), over which proportions are averaged. For example,
        ``{"control": C0, "treated": C1}``, where C0 and C1 differ only in the
        treatment, averages over the other covariates of all documents.
    confidence_level : float, default=0.95
        Posterior probability of each interval, between 0 and 1.

    Returns
    -------
    PredictedProportions
        Means, intervals and draws; its method `contrast` compares two settings.

    Raises
    ------
    TypeError
        If the model has no weights for covariates.
    ValueError
        If the covariates are not finite numbers with as many columns as in fit, or so
        far from those of fit that alpha overflows.

    Warns
    -----
    UserWarning
        If there are too few kept samples for the intervals (fewer than 39 for 95 %), or
        the proportions drift over them, see `estimate_effect`. `contrast` warns, too.

    See Also
    --------
    estimate_effect : Regressions after a fit without covariates.

    Examples
    --------
    >>> from sklda import DMRLDA
    >>> from sklda.datasets import make_lda_corpus
    >>> from sklda.inspection import predicted_proportions
    >>> X, theta, _ = make_lda_corpus(50, 30, 3, random_state=0)
    >>> year = 2000 + 20 * theta[:, 0]
    >>> dmr = DMRLDA(3, max_iter=1000, random_state=0).fit(X, covariates=year)
    >>> predicted = predicted_proportions(dmr, [[2000], [2010], [2020]])
    >>> predicted.mean.shape, predicted.contrast(0, 2).low.shape
    ((3, 3), (3,))
    """
    if not hasattr(model, "coef_draws_"):
        raise TypeError(
            f"model must be a fitted DMRLDA, got {model!r}, which has no weights for "
            "covariates."
        )
    fitted = snapshot(model)
    settings, draws = _draws_of_settings(fitted, covariates)
    low, high = _interval(draws, confidence_level, "proportions")
    return PredictedProportions(
        settings=settings,
        topic_names=names_of_topics(fitted, draws.shape[-1]),
        mean=draws.mean(axis=0),
        low=low,
        high=high,
        draws=draws,
        confidence_level=confidence_level,
    )


def _draws_of_settings(fitted: Any, covariates: Any) -> tuple[list[str], np.ndarray]:
    """Return the names of the settings, and their proportions for each kept sample."""
    design = design_of(fitted)
    if not isinstance(covariates, Mapping):
        matrix = design.numbers(covariates, None)
        names = [str(i) for i in range(len(matrix))]
        return names, np.array([*_proportions(fitted, matrix)])
    if not covariates:
        raise ValueError("covariates contain no settings.")
    matrices = [design.numbers(rows, None) for rows in covariates.values()]
    means = [
        [proportions.mean(axis=0) for proportions in _proportions(fitted, matrix)]
        for matrix in matrices
    ]
    return [str(name) for name in covariates], np.stack(means, axis=1)


def _proportions(fitted: Any, matrix: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the proportions under each kept sample, (n_rows, n_topics)."""
    pairs = zip(fitted.intercept_draws_, fitted.coef_draws_, strict=True)
    for intercept, coef in pairs:
        with np.errstate(over="ignore", invalid="ignore"):
            logs = matrix @ coef.T + intercept
        if not np.isfinite(logs).all():
            raise ValueError(
                "covariates are too far from those of fit: the weights times the "
                "covariates overflow. Check the units of the settings."
            )
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        yield weights / weights.sum(axis=1, keepdims=True)


def _interval(draws: np.ndarray, level: float, quantity: str) -> np.ndarray:
    """Return low and high; warn if the draws are too few, or drift."""
    warn_of_few_draws(len(draws), level, "Fit with a larger max_iter.")
    warn_of_drift(quantity, Bias.of_drift(draws, draws.var(axis=0)))
    return draws_interval(draws, level)


# --- the plot ---------------------------------------------------------------------


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
