"""Mean topic proportions of groups of documents, or over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils import check_random_state

from sklda._base.parameters import LEVEL, POSITIVE_INTEGER, validates
from sklda._topics.posterior_draws import check_draws
from sklda._topics.text_table import line_of_others, table_by_keys, table_lines
from sklda._topics.topic_names import keys_of_topics, numbers_of_topics
from sklda.inspection._contrasts import TopicContrasts, contrast_of, pair_of
from sklda.inspection._groups import check_groups
from sklda.inspection._pooling import DrawnEstimates, Linear, check_several, pool

_MOST_TOPICS = 3  # in the printed table
_COLUMNS = ("mean", "standard_error", "low", "high")


@dataclass(frozen=True, eq=False, kw_only=True)
class TopicMeans:
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
        Their names, see `name_topics`; "topic 3" stands for no name.
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
    topics: np.ndarray
    topic_names: np.ndarray
    mean: np.ndarray
    standard_error: np.ndarray
    low: np.ndarray
    high: np.ndarray
    confidence_level: float
    n_draws: int
    _drawn: DrawnEstimates

    def contrast(self, first: int | str, second: int | str) -> TopicContrasts:
        """Return the differences between two groups.

        Parameters
        ----------
        first, second : int or str
            Names of the groups; 2010 is short for "2010".

        Returns
        -------
        TopicContrasts
            The first group minus the second.

        Raises
        ------
        ValueError
            If there is no such group, or both are the same.
        """
        pair = pair_of(first, second, self.groups, "group")
        scales = np.ones(len(self.groups))
        return contrast_of(self, self._drawn, self.groups, pair, scales)

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
        columns = {name: getattr(self, name).T for name in _COLUMNS}
        return table_by_keys(index, {"n_documents": n_documents} | columns, as_frame)

    def _notes(self) -> list[str]:
        """Return what the table and the picture say of missing documents and dates."""
        n_empty, notes = int((self.n_documents == 0).sum()), []
        if n_empty > 0:
            notes.append(f"{n_empty} of {len(self.groups)} bins are empty")
        if self.n_undated > 0:
            notes.append(f"{self.n_undated:,} documents have no date")
        return notes

    def _cell(self, i: int, j: int) -> str:
        """Return the mean of a group, with its interval if it has several documents."""
        if self.n_documents[i] == 0:
            return "-"
        mean = f"{self.mean[i, j]:.3f}"
        if self.n_documents[i] == 1:
            return mean
        return f"{mean} [{self.low[i, j]:.3f}, {self.high[i, j]:.3f}]"

    def __repr__(self) -> str:
        shown = self.topic_names[:_MOST_TOPICS]
        rows = [["group", "documents", *shown]]
        for i, group in enumerate(self.groups):
            cells = (self._cell(i, j) for j in range(len(shown)))
            rows.append([group, f"{self.n_documents[i]:,}", *cells])
        title = (
            f"Mean topic proportions: {self.n_draws} draws, "
            f"{self.confidence_level:.0%} intervals"
        )
        others = line_of_others(self.topics.size, _MOST_TOPICS)
        return "\n".join([title, *table_lines(rows), *self._notes(), *others])


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
        If the chain had not converged, alpha does not suit the documents or wandered,
        or documents are short, see `estimate_effect`.

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
    draws = check_draws(draws)
    shown = numbers_of_topics(topics, draws.topic_names)
    check_several(draws)
    bins = check_groups(groups, draws.n_documents, max_bins, may_miss_dates=True)
    sizes = bins.sizes()
    estimator = _means_of_groups(bins.members, sizes)
    rng = check_random_state(random_state)
    pooled, drawn = pool(draws, shown, estimator, confidence_level, rng)
    return TopicMeans(
        groups=bins.names,
        places=bins.places,
        are_dates=bins.are_dates,
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
        _drawn=drawn,
    )


def _means_of_groups(members: np.ndarray, sizes: np.ndarray) -> Linear:
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

    return Linear("means", fit, n - 1, np.eye(sizes.size), are_means=True)
