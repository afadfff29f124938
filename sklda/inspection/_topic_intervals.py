"""A plot of proportions of topics, or of effects on them, with intervals."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sklda._base.parameters import LEVEL, POSITIVE_INTEGER, validates
from sklda._core.checks import (
    check_indices,
    check_names,
    check_result,
    label_list,
)
from sklda._core.types import NameList
from sklda._topics.posterior_draws import check_draws
from sklda.inspection._effects import TopicEffects
from sklda.inspection._estimates import TopicContrasts
from sklda.inspection._plotting import (
    PLAIN,
    Display,
    largest_topics,
    legend_beside,
    legend_label,
    plain,
    shades,
    write_rows,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D

_DEFAULT_N_DOCUMENTS = 3
_MAX_NAME_LENGTH = 40  # characters of the name of a topic
_MAX_SERIES_LENGTH = 30  # of a document or a covariate
_MAX_QUANTITY_LENGTH = 90  # of the label of the axis
_MARKS = "osD^v"
_BAND = 0.7  # height of the intervals of a topic; topics have a distance of 1


@dataclass(eq=False, repr=False, kw_only=True)
class TopicIntervalsDisplay(Display):
    """Plot proportions of topics, or effects on them, with their intervals.

    Create a display with `from_draws`, `from_effects` or `from_contrasts`.

    Attributes
    ----------
    estimates : ndarray of shape (n_series, n_topics)
        Points. A series is a document or a covariate.
    low, high : ndarray of shape (n_series, n_topics)
        Lower and upper ends of the intervals.
    topic_names : list of str
        Name of each topic, for the vertical axis.
    series_names : list of str
        Name of each series, for the legend.
    quantity : str
        Name of the plotted quantity, for the horizontal axis.
    ax_, figure_ : Axes and Figure
        Axes and figure of the plot.
    intervals_ : list of LineCollection
        Intervals of each series.
    points_ : list of Line2D
        Points of each series.

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> from sklda.inspection import TopicIntervalsDisplay
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> lda = CollapsedGibbsLDA(
    ...     10, doc_topic_prior=1.0, keep_draws=25, random_state=0
    ... ).fit(X)
    >>> TopicIntervalsDisplay.from_draws(lda.draws_, documents=[3, 14]).low.shape
    (2, 8)
    """

    estimates: np.ndarray
    low: np.ndarray
    high: np.ndarray
    topic_names: list[str]
    series_names: list[str]
    quantity: str

    @classmethod
    @validates(n_topics=POSITIVE_INTEGER, confidence_level=LEVEL)
    def from_draws(
        cls,
        draws: Any,
        *,
        documents: ArrayLike | None = None,
        document_names: NameList | None = None,
        n_topics: int = 8,
        confidence_level: float = 0.95,
        ax: Axes | None = None,
        **style: Any,
    ) -> Self:
        """Plot topic proportions of documents with their credible intervals.

        Parameters
        ----------
        draws : PosteriorDraws
            ``draws_`` of an estimator that was fitted with `keep_draws`.
        documents : array-like of int, default=None
            Row numbers of the documents. By default the first three.
        document_names : array-like of str, default=None
            Names of these documents. By default their row numbers.
        n_topics : int, default=8
            Maximum number of topics to plot, at least 1: those with the largest mean
            proportions in these documents, in the order of their indices.
        confidence_level : float, default=0.95
            Posterior probability of each interval, between 0 and 1.
        ax : Axes, default=None
            Axes to plot on. By default a new figure of suitable size is created.
        **style : dict
            Keyword arguments for ``Axes.hlines``.

        Returns
        -------
        TopicIntervalsDisplay
            The plotted display.

        Raises
        ------
        ImportError, TypeError, ValueError
            Without matplotlib; if a parameter has a wrong type, length or value.
        """
        draws = check_draws(draws)
        if documents is None:
            documents = np.arange(min(draws.n_documents, _DEFAULT_N_DOCUMENTS))
        rows = check_indices(documents, "documents", draws.n_documents, "documents")
        if document_names is None:
            document_names = [f"document {row}" for row in rows]
        series = label_list(document_names, "document_names", "documents", rows.size)
        low, high = draws.doc_topic_interval(confidence_level, documents=rows)
        samples = (draws.doc_topic(i)[rows] for i in range(draws.n_draws))
        mean = sum(samples, np.zeros(low.shape)) / draws.n_draws
        shown = largest_topics(mean, n_topics)
        return cls(
            estimates=mean[:, shown],
            low=low[:, shown],
            high=high[:, shown],
            topic_names=draws.topic_names[shown].tolist(),
            series_names=series,
            quantity="proportion of the topic",
        ).plot(ax, **style)

    @classmethod
    @validates(n_topics=POSITIVE_INTEGER)
    def from_effects(
        cls,
        effects: Any,
        *,
        terms: NameList | None = None,
        n_topics: int = 12,
        ax: Axes | None = None,
        **style: Any,
    ) -> Self:
        """Plot the coefficients of covariates with their intervals.

        Parameters
        ----------
        effects : TopicEffects
            Result of `estimate_effect`.
        terms : array-like of str, default=None
            Covariates to plot, including "intercept". By default, all except the
            intercept.
        n_topics : int, default=12
            Maximum number of topics to plot, at least 1: those with the largest
            magnitudes of t of any of the terms, in the order of their indices.
        ax : Axes, default=None
            Axes to plot on. By default a new figure of suitable size is created.
        **style : dict
            Keyword arguments for ``Axes.hlines``.

        Returns
        -------
        TopicIntervalsDisplay
            The plotted display.

        Raises
        ------
        ImportError, TypeError, ValueError
            Without matplotlib; if there is no such term, or a parameter has a wrong
            type, length or value.
        """
        check_result(effects, "effects", TopicEffects, "estimate_effect")
        chosen = effects.terms[1:] if terms is None else terms
        chosen = check_names(chosen, "terms", "the names of covariates")
        unknown = [term for term in chosen if term not in effects.terms]
        if unknown or not chosen:
            raise ValueError(f"terms must be among {effects.terms}, got {terms!r}.")
        columns = [effects.terms.index(term) for term in chosen]
        strength = np.abs(effects.t[:, columns]).max(axis=1)
        shown = largest_topics(strength[np.newaxis], n_topics)
        cells = np.ix_(shown, columns)
        return cls(
            estimates=effects.coefficient[cells].T,
            low=effects.low[cells].T,
            high=effects.high[cells].T,
            topic_names=effects.topic_names[shown].tolist(),
            series_names=_levels_or_terms(chosen, effects.references),
            quantity=f"change of the proportion per unit{effects._against()}",
        ).plot(ax, **style)

    @classmethod
    def from_contrasts(
        cls,
        contrasts: Any,
        *,
        ax: Axes | None = None,
        **style: Any,
    ) -> Self:
        """Plot differences of topic proportions between two groups or settings.

        Parameters
        ----------
        contrasts : TopicContrasts
            Result of the method `contrast` of means, effects or predictions.
        ax : Axes, default=None
            Axes to plot on. By default a new figure of suitable size is created.
        **style : dict
            Keyword arguments for ``Axes.hlines``.

        Returns
        -------
        TopicIntervalsDisplay
            The plotted display; topics with the largest differences are at the top.

        Raises
        ------
        ImportError, TypeError, ValueError
            Without matplotlib; if a parameter has a wrong type, length or value.
        """
        check_result(contrasts, "contrasts", TopicContrasts, "contrast")
        order = np.argsort(-contrasts.difference, kind="stable")
        return cls(
            estimates=contrasts.difference[np.newaxis, order],
            low=contrasts.low[np.newaxis, order],
            high=contrasts.high[np.newaxis, order],
            topic_names=contrasts.topic_names[order].tolist(),
            series_names=[f"{contrasts.first} minus {contrasts.second}"],
            quantity="difference of the proportions",
        ).plot(ax, **style)

    def _figure_size(self) -> tuple[float, float]:
        n_series, n_topics = self.estimates.shape
        return 8, max(0.3, 0.14 * n_series) * n_topics + 0.8

    def _draw(self, axes: Any, style: dict[str, Any]) -> None:
        n_series, n_topics = self.estimates.shape
        places = np.arange(n_topics)
        for place in places[1::2]:
            axes.axhspan(place - 0.5, place + 0.5, color="0.95", zorder=0)
        self.intervals_: list[LineCollection] = []
        self.points_: list[Line2D] = []
        for i, colour in enumerate(shades(n_series, 0.75)):
            line = {"color": colour, "linewidth": 1.5} | style
            heights = places + _BAND * ((i + 0.5) / n_series - 0.5)
            bars = axes.hlines(heights, self.low[i], self.high[i], **line)
            self.intervals_.append(bars)
            # Not Axes.errorbar: a mean may lie outside its interval. Neighbours have
            # similar colours, so they also differ in their marks.
            dots = {"color": line["color"], "markersize": 4, "linestyle": "none"}
            dots["marker"] = _MARKS[i % len(_MARKS)]
            dots["label"] = legend_label(self.series_names[i], _MAX_SERIES_LENGTH)
            self.points_ += axes.plot(self.estimates[i], heights, **dots)
        if (self.low < 0).any():
            axes.axvline(0, color="black", linewidth=0.8, zorder=1)
        write_rows(axes, self.topic_names, _MAX_NAME_LENGTH)
        axes.set_xlabel(plain(self.quantity, _MAX_QUANTITY_LENGTH), **PLAIN)
        legend_beside(axes)


def _levels_or_terms(terms: list[str], references: Iterable[str]) -> list[str]:
    """Return "right" for "side[right]", unless two terms would have the same name.

    Formulas write "side[T.right]"; a level such as "T. Roosevelt" has a space.
    """
    name = "|".join(map(re.escape, references))
    found = [
        re.fullmatch(rf"(?:{name})\[(?:T\.(?! ))?([^]]+)]", term) for term in terms
    ]
    levels = [m[1] if m else term for m, term in zip(found, terms, strict=True)]
    return levels if len({*levels}) == len(levels) else terms
