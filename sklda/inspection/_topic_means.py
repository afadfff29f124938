"""Mean topic proportions of groups of documents, or over time, and their plot.

`check_groups` divides the documents into groups: categories, or bins of numbers or
dates in their order. `topic_means` averages a sample of the proportions from each draw
over the groups, pools the means (`sklda.inspection._estimates`) and returns
`TopicMeans`, which `TopicMeansDisplay` plots.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from scipy import sparse

from sklda._covariates.design import as_column
from sklda._data.checks import check_result, label_list
from sklda._fitted.fitted_topics import keys_of_topics
from sklda._fitted.posterior_draws import check_draws
from sklda._sampling.parameters import LEVEL, POSITIVE_INTEGER, validates
from sklda.inspection import _display, _estimates

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_GROUPS = 200  # more categories would not be legible
# Bins of dates: units of NumPy, how many of them, and the number of one that begins a
# bin. Weeks begin on Mondays, such as January 5, 1970.
_SPANS = ("D", 1, 0), ("D", 7, 4), ("M", 1, 0), ("M", 3, 0), ("Y", 1, 0)
_DAYS = 365.2425  # of a year
_TINY, _ROUNDING = 1e-300, 1e-12  # least width of bins, and relative to the numbers
_MOST_TOPICS = 3  # in the printed table
_COLUMNS = ("mean", "standard_error", "low", "high")
_PANELS = 3  # in a row
_WIDTH, _HEIGHT = 2.8, 2.0  # inches of a panel with a line
_ROW = 0.26  # inches of a group
_NAMES = 1.4  # inches of their names
_BELOW_YEAR = 16  # points from the dates, below which their year may stand


# --- groups -----------------------------------------------------------------------


class Groups(NamedTuple):
    """The groups of a corpus."""

    names: list[str]
    members: np.ndarray  # (n_documents,) the group of each document; -1 for no date
    # (n_groups,) on the axis, for dates days since 1970; None for categories
    places: np.ndarray | None
    dates: np.ndarray | None = None  # of documents, str or None, if bins are of dates

    def sizes(self) -> np.ndarray:
        """Return the number of documents of each group."""
        return np.bincount(self.members[self.members >= 0], minlength=len(self.names))


def check_groups(groups: Any, n_documents: int, max_bins: int = 60) -> Groups:
    """Return the groups: numbers and dates in increasing order, or categories.

    Dates become bins of equal width, the finest of which there are at most `max_bins`,
    and so do integers on at most that many equal steps. Other numbers have a group for
    each value or, if there are more than `max_bins` values, bins of equal width. A bin
    between others may be empty. Documents whose date is missing belong to no group, -1.
    Raise TypeError or ValueError for anything else.
    """
    label_list(groups, "groups", "documents", n_documents)
    values, names = as_column(groups, "groups", may_miss_dates=True)
    if values.dtype.kind == "M":
        is_dated = ~np.isnat(values)
        dated = _of_dates(values[is_dated], max_bins)
        members = np.full(values.size, -1)
        members[is_dated] = dated.members
        dates = np.where(is_dated, values.astype(str), None)
        return dated._replace(members=members, dates=dates)
    if names is None and values.dtype.kind != "b":
        return _of_numbers(values.astype(np.float64), max_bins)
    if names is None:
        distinct, values = np.unique(values, return_inverse=True)
        names = [str(value) for value in distinct]
    if len(names) > MAX_GROUPS:
        raise ValueError(
            f"groups has {len(names):,} different values; at most {MAX_GROUPS} can be "
            "shown. Merge rare groups; convert strings that are dates, for example "
            "with pandas.to_datetime."
        )
    return Groups(names, values, None)


def _of_dates(days: np.ndarray, max_bins: int) -> Groups:
    """Group dates by days, weeks from Monday, months, quarters, years or more years."""
    for unit, step, zero in _SPANS:
        number = (days.astype(f"M8[{unit}]").astype(np.int64) - zero) // step
        if np.ptp(number) < max_bins:
            break
    else:
        groups = _of_intervals(number + 1970.0, True, max_bins)
        middles = (np.asarray(groups.places) - 1969.5) * _DAYS
        return groups._replace(places=middles, dates=days)
    bins = np.arange(number.min(), number.max() + 2) * step + zero
    starts = bins.astype(f"M8[{unit}]")
    names = [
        str(first) if step == 1 else f"{first} to {last}"
        for first, last in zip(starts[:-1], starts[1:] - 1, strict=True)
    ]
    edges = starts.astype("M8[D]").astype(np.int64)
    middles = (edges[:-1] + edges[1:] - 1) / 2
    return Groups(names, number - number.min(), middles, days)


def _of_numbers(numbers: np.ndarray, max_bins: int) -> Groups:
    """Group numbers by value or, if there are many, by bins of equal width."""
    distinct, members = np.unique(numbers, return_inverse=True)
    whole = not (distinct % 1).any() and np.abs(distinct).max() < 2**53
    if whole:
        width = distinct[-1] - distinct[0]
        step = 1.0
        if width >= max_bins:  # every fifth year, for instance
            step = float(np.gcd.reduce(np.diff(distinct).astype(np.int64)))
        if width < step * max_bins:
            members = np.rint((numbers - distinct[0]) / step).astype(np.int64)
            distinct = distinct[0] + step * np.arange(members.max() + 1)
    if members.max() >= max_bins:
        return _of_intervals(numbers, whole, max_bins)
    return Groups([f"{value:.16g}" for value in distinct], members, distinct)


def _of_intervals(numbers: np.ndarray, whole: bool, max_bins: int) -> Groups:
    """Group numbers by bins as wide as 1, 2 or 5 times a power of ten."""
    low, high = float(numbers.min()), float(numbers.max())
    least, largest = high / max_bins - low / max_bins, max(abs(low), abs(high))
    if least < max(_TINY, _ROUNDING * largest) or largest > 1 / _TINY:
        raise ValueError(
            f"groups has numbers from {low!r} to {high!r}, which cannot be divided "
            "into bins: subtract their mean and multiply them by a constant."
        )
    # Bins end at 0, so a single one could not contain numbers of both signs.
    zero = low if max_bins == 1 else 0.0
    powers = count(math.floor(math.log10(least)))
    for width in (10.0**power * factor for power in powers for factor in (1, 2, 5)):
        steps = np.floor((numbers - zero) / width)
        if np.ptp(steps) < max_bins and (width >= 1 or not whole):
            break
    first = zero + np.arange(steps.min(), steps.max() + 1) * width
    last = first + (width - whole)
    names = [f"{a:.12g} to {b:.12g}" for a, b in zip(first, last, strict=True)]
    return Groups(names, (steps - steps.min()).astype(np.int64), (first + last) / 2)


# --- means ------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class TopicMeans(_estimates.SeriesOfEstimates):
    """Mean topic proportions of groups of documents, with intervals.

    `topic_means` returns them, and `TopicMeansDisplay` plots them.

    Attributes
    ----------
    groups : list of str
        Names of the groups, or of the bins of numbers or dates, in order.
    places : ndarray of shape (n_groups,) or None
        Midpoints of the bins (for dates, in days since 1970); None for categories.
    are_dates : bool
        Whether the bins contain dates.
    n_documents : ndarray of shape (n_groups,)
        Number of documents in each group; 0 in a gap between bins.
    n_undated : int
        Number of documents without a date, which are left out.
    topics : ndarray of shape (n_topics,)
        Numbers of the topics.
    topic_names : ndarray of shape (n_topics,) of str
        Their names, see `name_topics`, or "topic 3" for a topic without a name.
    mean : ndarray of shape (n_groups, n_topics)
        Mean proportion of each topic.
    standard_error : ndarray of shape (n_groups, n_topics)
        Square root of the pooled variance of the mean.
    low, high : ndarray of shape (n_groups, n_topics)
        Ends of the intervals; NaN for a single document, which has no variance. In a
        group without documents, all values are NaN.
    confidence_level : float
        Probability of each interval.
    n_draws : int
        Number of draws that were pooled.
    """

    groups: list[str]
    places: np.ndarray | None
    are_dates: bool
    n_documents: np.ndarray
    n_undated: int
    mean: np.ndarray
    standard_error: np.ndarray
    n_draws: int
    _pooled: _estimates.Pooled

    def _series(self) -> tuple[str, list[str]]:
        return "group", self.groups

    def _difference(self, i: int, j: int) -> tuple[np.ndarray, ...]:
        return self._pooled.difference(i, j)

    @validates(as_frame=["boolean"])
    def summary(self, *, as_frame: bool = False) -> Any:
        """Return a table with a row for each topic, by name or number, and group.

        Parameters
        ----------
        as_frame : bool, default=False
            Whether to return a pandas DataFrame.

        Returns
        -------
        dict of (int or str, str) to dict of str to float, or DataFrame
            n_documents, mean, standard_error, low and high.

        Raises
        ------
        ValueError, ImportError
            If `as_frame` is not a bool, or True and pandas is not installed.
        """
        keys = keys_of_topics(self.topic_names, self.topics)
        index = {"topic": keys, "group": self.groups}
        n_documents = np.broadcast_to(self.n_documents, self.mean.T.shape)
        columns = {"n_documents": n_documents}
        columns |= {name: getattr(self, name).T for name in _COLUMNS}
        return _estimates.table_by_keys(index, columns, as_frame)

    def _notes(self) -> list[str]:
        """Return what the table and the picture say of missing documents and dates."""
        n_empty, notes = int((self.n_documents == 0).sum()), []
        if n_empty > 0:
            notes.append(f"{n_empty} of {len(self.groups)} bins are empty")
        if self.n_undated > 0:
            notes.append(f"{self.n_undated:,} documents have no date")
        return notes

    def __repr__(self) -> str:
        shown = self.topic_names[:_MOST_TOPICS]
        rows = [["group", "documents", *shown]]
        for i, group in enumerate(self.groups):
            cells = _estimates.means_with_intervals(self, i)
            rows.append([group, f"{self.n_documents[i]:,}", *cells[:_MOST_TOPICS]])
        title = (
            f"Mean topic proportions: {self.n_draws} draws, "
            f"{self.confidence_level:.0%} intervals"
        )
        others = _estimates.line_of_others(self.topics.size, _MOST_TOPICS)
        return "\n".join(
            [title, *_estimates.table_lines(rows), *self._notes(), *others]
        )


@validates(
    max_bins=POSITIVE_INTEGER, confidence_level=LEVEL, random_state=["random_state"]
)
def topic_means(
    draws: Any,
    groups: ArrayLike,
    *,
    topics: ArrayLike | None = None,
    max_bins: int = 24,
    confidence_level: float = 0.95,
    random_state: int | RandomState | None = None,
) -> TopicMeans:
    """Estimate the mean topic proportions of groups of documents, or over time.

    A mean of estimated proportions would ignore their uncertainty. Instead, each draw
    provides a posterior sample of the proportions and the means over its groups. These
    are pooled as in `estimate_effect`, without a regression: the intervals include both
    the uncertainty of the proportions and the sampling error of the mean.

    Parameters
    ----------
    draws : PosteriorDraws
        ``draws_`` of an estimator that was fitted with `keep_draws`: at least 25 draws,
        of a chain long enough (`max_iter`) that they differ.
    groups : array-like of shape (n_documents,)
        Group of each training document, in the same order. Strings are categories in
        alphabetical order; a categorical dtype of pandas or polars keeps its order.
        Numbers and dates become ordered bins of equal width, such as weeks or months.
        Empty bins between other bins are gaps. Documents whose date is missing are left
        out and counted. Convert strings that are dates with pandas.to_datetime.
    topics : array-like of int or str, default=None
        Topics whose proportions are averaged, by number or name. By default all.
    max_bins : int, default=24
        Maximum number of bins of numbers and dates, at least 1. The finest bins that
        satisfy it are used.
    confidence_level : float, default=0.95
        Probability of the intervals, between 0 and 1.
    random_state : int, RandomState instance or None, default=None
        Seed. Pass an int for reproducible results.

    Returns
    -------
    TopicMeans
        Means, standard errors, intervals and a table.

    Raises
    ------
    TypeError
        If `draws` is not PosteriorDraws, or groups are not a list or an array.
    ValueError
        If there are fewer than 2 draws or topics, a parameter is out of range, a
        document has no group (only dates may be missing), groups are not all strings,
        all numbers or all dates, or there are more than 200 categories.

    Warns
    -----
    UserWarning
        If the chain had not converged, alpha wandered, or documents are short, see
        `estimate_effect`.

    See Also
    --------
    TopicMeansDisplay : The means as a picture.
    estimate_effect : Differences between groups, with other covariates held fixed.

    Notes
    -----
    Every document has the same weight, regardless of its length. The documents are
    treated as a sample from a larger population, for whose mean the intervals hold.
    With m draws, n documents, W the mean over draws of the variance of their
    proportions, and B the variance of the mean between draws, the pooled variance is W
    / n + (1 + 1/m) B. Intervals come from a t distribution, cut off at 0 and 1.

    LDA does not know the groups: it shrinks each document of N tokens towards the prior
    mean, and thus differences between groups by about A / (N + A), where A is the sum
    of alpha.

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_lda_corpus
    >>> from sklda.inspection import topic_means
    >>> X, theta, _ = make_lda_corpus(50, 30, 3, random_state=0)
    >>> lda = CollapsedGibbsLDA(3, keep_draws=25, random_state=0).fit(X)
    >>> years = [2000 + i % 3 for i in range(50)]
    >>> means = topic_means(lda.draws_, years, random_state=0)
    >>> means.groups, means.n_documents.tolist(), means.low.shape
    (['2000', '2001', '2002'], [17, 17, 16], (3, 3))
    """
    draws, shown = _estimates.check_several(draws, topics)
    bins = check_groups(groups, draws.n_documents, max_bins)
    sizes = bins.sizes()
    estimator = _means_of_groups(bins.members, sizes)
    pooled = _estimates.pool(draws, shown, estimator, confidence_level, random_state)
    return TopicMeans(
        groups=bins.names,
        places=bins.places,
        are_dates=bins.dates is not None,
        n_documents=sizes,
        n_undated=draws.n_documents - int(sizes.sum()),
        topics=shown,
        topic_names=draws.topic_names[shown],
        mean=pooled.mean,
        standard_error=pooled.standard_error,
        low=pooled.low.clip(0, 1),
        high=pooled.high.clip(0, 1),
        confidence_level=confidence_level,
        n_draws=draws.n_draws,
        _pooled=pooled,
    )


def _means_of_groups(members: np.ndarray, sizes: np.ndarray) -> _estimates.Linear:
    """Return the estimator of the means of groups, (n_groups, n_topics)."""
    n = np.where(sizes > 0, sizes, np.nan)[:, np.newaxis]
    (rows,) = np.nonzero(members >= 0)
    groups = members[rows]
    cells = np.ones(rows.size), (groups, np.arange(rows.size))
    member = sparse.csr_array(cells, shape=(sizes.size, rows.size))

    def fit(theta):
        theta = theta[rows]
        means = (member @ theta) / n
        squares = member @ (theta - means[groups]) ** 2
        return means, squares / (n * np.where(n > 1, n - 1, np.nan))

    return _estimates.Linear("means", fit, n - 1, np.eye(sizes.size), are_means=True)


# --- the plot ---------------------------------------------------------------------


class TopicMeansDisplay(_display.PanelDisplay):
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
        draws = check_draws(draws)
        if topics is None:
            samples = (draws.doc_topic(i) for i in range(draws.n_draws))
            topics = _display.largest_topics(sum(samples, np.zeros((1, 1))), n_topics)
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

    def _new_axes(self, n_panels: int) -> np.ndarray:
        has_rows = self.means.places is None
        height = _ROW * len(self.means.groups) + 0.8 if has_rows else _HEIGHT
        margin = (_NAMES if has_rows else 0.0, 0.0)  # for the names of groups
        size = _WIDTH, height
        panels = _display.new_panels(n_panels, _PANELS, size, margin, sharey=has_rows)
        if has_rows:
            panels[0].figure.supxlabel("mean proportion", fontsize="medium")
        return panels

    def _draw(self, axes: np.ndarray, style: dict[str, Any]) -> None:
        draw = self._draw_rows if self.means.places is None else self._draw_line
        style = {"color": _display.EDGE, "marker": "o", "markersize": 4} | style
        names = self.means.topic_names
        for j in range(names.size):
            draw(axes[j], j, style)
            _display.write_title(axes[j], names[j])
        if self.means.places is not None:
            self._draw_counts(axes[names.size])
            for panel in axes[: names.size : _PANELS]:  # the first of each row
                panel.set_ylabel("mean proportion")

    def _draw_rows(self, panel: Any, j: int, style: dict[str, Any]) -> None:
        """Draw the groups of a topic from top to bottom."""
        means, rows = self.means, np.arange(len(self.means.groups))
        panel.hlines(
            rows, means.low[:, j], means.high[:, j], color=_display.FILL, linewidth=4
        )
        panel.plot(means.mean[:, j], rows, **{"linestyle": "none"} | style)
        sizes = zip(means.groups, means.n_documents, strict=True)
        _display.write_rows(
            panel,
            [f"{_display.plain(name, _display.SHORT)} ({n:,})" for name, n in sizes],
        )
        panel.set_xlim(left=0)
        panel.locator_params(axis="x", nbins=4)

    def _draw_line(self, panel: Any, j: int, style: dict[str, Any]) -> None:
        """Draw a topic over the bins; NaN cuts the line."""
        means, places = self.means, self.means.places
        band = {"color": _display.FILL, "alpha": 0.6, "linewidth": 0}
        panel.fill_between(places, means.low[:, j], means.high[:, j], **band)
        # A bin between gaps has no width, so its interval is drawn as a bar as well.
        panel.vlines(places, means.low[:, j], means.high[:, j], color=_display.FILL)
        panel.plot(places, means.mean[:, j], **style)
        panel.set_ylim(bottom=0)
        if self.means.are_dates:
            _display.write_dates(panel)

    def _draw_counts(self, panel: Any) -> None:
        places = self.means.places
        gap = np.diff(places).min() if places.size > 1 else 1
        panel.bar(places, self.means.n_documents, color="0.7", width=0.8 * gap)
        _display.write_title(panel, "number of documents")
        style = {"fontsize": "small", "labelpad": _BELOW_YEAR}
        panel.set_xlabel("\n".join(self.means._notes()), **style)
        if self.means.are_dates:
            _display.write_dates(panel)
