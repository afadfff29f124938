"""The draws from the posterior that a chain has kept, and their intervals.

The intervals come first, then warnings that intervals are unreliable, then the draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.special import betainc, betaincinv, betaln
from scipy.stats import chi2, norm
from sklearn.utils import check_random_state

from sklda._data.checks import check_indices, check_numbers
from sklda._data.notices import warn_user
from sklda._fitted.fitted_topics import default_names
from sklda._sampling.minka import describe_drift
from sklda._sampling.parameters import LEVEL, NATURAL_NUMBER, validates

_ROUNDING = 1e-9  # of a number of draws
_TOLERANCE = 1e-6  # relative error of the probability in the tail
_NARROW = 1e-15  # relative distance of two floats
_MOST_STEPS = 100
_LOWEST = 1e-10  # in place of 0: Beta(a, 0) has all its mass at 1, but SciPy refuses it
_SMALLEST = 1e-300  # smaller quantiles become 0; those of SciPy end at 2e-308

_LEVEL, _LEAST = 0.95, 0.93  # nominal coverage of intervals, and the lowest accepted
FEWEST_DOCUMENTS = 50  # from which shrinkage can be estimated
_FEWEST_IN_THIRD = 6  # draws
_CHANCE = 1e-3  # probability of a false alarm


# --- intervals --------------------------------------------------------------------


def draws_interval(draws: np.ndarray, confidence_level: float) -> np.ndarray:
    """Return both ends of the equal-tailed intervals of draws, (n_draws, ...).

    With n independent draws, intervals have the stated probability; those from the
    default quantiles of NumPy would have (n - 1) / (n + 1) of it.
    """
    tail = (1 - confidence_level) / 2
    return np.quantile(draws, [tail, 1 - tail], axis=0, method="weibull")


def warn_of_few_draws(n_draws: int, confidence_level: float, way_out: str) -> None:
    """Warn if no draw can be expected beyond the ends of `draws_interval`."""
    fewest = int(np.ceil(2 / (1 - confidence_level) - 1 - _ROUNDING))
    if n_draws < fewest:
        warn_user(
            f"{n_draws} draws are too few for {confidence_level:.3g} intervals, which "
            f"need at least {fewest}: they end at the lowest and the highest draw, and "
            f"hold less than they say. {way_out}"
        )


def mixture_quantile(a: np.ndarray, b: np.ndarray, p: float) -> np.ndarray:
    """Return the p-quantiles of n mixtures; `a` and `b` are (n_components, n).

    Components are Beta(a, b) with equal weights. Quantiles below 1e-300 become 0; next
    to 1, where floats are coarse, they are rounded down for p < 0.5, else up.
    """
    # Newton's method between the quantiles of the components, for logarithms: with a
    # small `a` a quantile may be 1e-100, and p is about a power of it.
    a, b = a.clip(_LOWEST), b.clip(_LOWEST)
    component_quantiles = betaincinv(a, b, p).clip(_SMALLEST)
    low, high = component_quantiles.min(axis=0), component_quantiles.max(axis=0)
    quantile = np.sqrt(low) * np.sqrt(high)
    left = np.arange(quantile.size)
    for _ in range(_MOST_STEPS):
        narrow = high[left] <= low[left] * (1 + _NARROW)
        ends = left[narrow]
        quantile[ends] = low[ends] if p < 0.5 else high[ends]
        left = left[~narrow]
        if left.size == 0:
            break
        x, a_left, b_left = quantile[left], a[:, left], b[:, left]
        below = betainc(a_left, b_left, x).mean(axis=0)
        low[left] = np.where(below < p, x, low[left])
        high[left] = np.where(below < p, high[left], x)
        open_ = np.abs(below - p) > _TOLERANCE * min(p, 1 - p)
        middle = np.sqrt(low[left]) * np.sqrt(high[left])
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            logs = a_left * np.log(x) + (b_left - 1) * np.log1p(-x)
            slope = np.exp(logs - betaln(a_left, b_left)).mean(axis=0) / below
            better = x * np.exp(np.log(p / below) / slope)
        inside = (low[left] < better) & (better < high[left])
        quantile[left] = np.where(open_, np.where(inside, better, middle), x)
        left = left[open_]
    return np.where(quantile > _SMALLEST, quantile, 0.0)


def mixture_interval(
    a: np.ndarray, b: np.ndarray, confidence_level: float
) -> list[np.ndarray]:
    """Return both ends of the equal-tailed intervals of mixtures.

    `a` and `b` are (n_components, ...); the ends have the shape of the other axes.
    """
    tail, shape = (1 - confidence_level) / 2, a.shape[1:]
    a, b = (parameters.reshape(len(a), -1) for parameters in (a, b))
    # Most topics occur in few documents, so many mixtures are equal: compute the
    # different ones. The order of components does not matter.
    order = np.argsort(a, axis=0)
    parts = [np.take_along_axis(parameters, order, axis=0) for parameters in (a, b)]
    different, where = np.unique(np.concatenate(parts), axis=1, return_inverse=True)
    a, b = np.split(different, 2)
    ends = [mixture_quantile(a, b, p)[where.ravel()] for p in (tail, 1 - tail)]
    return [end.reshape(shape) for end in ends]


# --- warnings ---------------------------------------------------------------------


class Bias(NamedTuple):
    """Squared amounts by which estimates may be off, in parallel arrays."""

    squared: np.ndarray
    by_chance: np.ndarray  # their expectation without a bias
    claimed: np.ndarray  # variance from which intervals are made
    variance: np.ndarray  # of the estimates, apart from the bias

    @classmethod
    def of_drift(cls, estimates: np.ndarray, variance: np.ndarray) -> Self:
        """Return half the changes from the first third of the draws to the last."""
        third = len(estimates) // 3
        if third < _FEWEST_IN_THIRD:
            estimates, third = np.zeros((2, *variance.shape)), 1
        change = estimates[-third:].mean(axis=0) - estimates[:third].mean(axis=0)
        # From differences of successive draws, to which a drift hardly adds.
        by_chance = (np.diff(estimates, axis=0) ** 2).mean(axis=0) / third
        return cls(*map(np.ravel, (change**2 / 4, by_chance / 4, variance, variance)))

    @classmethod
    def of_betas(cls, a: np.ndarray, total: np.ndarray) -> Self:
        """Return the drift of the means of Beta(a, total - a), (n_draws, ...)."""
        mean = a / total
        within = (mean * (1 - mean) / (total + 1)).mean(axis=0)
        return cls.of_drift(mean, within + mean.var(axis=0))

    @classmethod
    def of_learned_alpha(cls, proportions: np.ndarray, variance: np.ndarray) -> Self:
        """Return by how much estimates, (..., n_topics), moved with alpha.

        `proportions`, (n_updates, n_topics), are their values under alpha after each
        update. All draws are made under the last alpha, although others fit as well.
        """
        last = proportions[len(proportions) // 2 :]
        if len(last) < 2:
            last = np.zeros((2, variance.shape[-1]))
        # Each update follows the topics of a single sweep. Only changes that last from
        # one update to the next move estimates.
        by_chance = (np.diff(last, axis=0) ** 2).mean(axis=0) / 2
        amounts = last.var(axis=0, ddof=1), by_chance, variance, variance
        return cls(*map(np.ravel, np.broadcast_arrays(*amounts)))

    def coverage(self) -> float:
        """Return the mean coverage of 95 % intervals; 0.95 if biases may be chance."""
        known = (self.by_chance > 0) & (self.claimed > 0)  # and not NaN
        squared, by_chance, claimed, variance = (values[known] for values in self)
        if (squared / by_chance).sum() <= chi2.isf(_CHANCE, max(squared.size, 1)):
            return _LEVEL
        bias = np.sqrt((squared - by_chance).clip(0))
        half, error = norm.isf((1 - _LEVEL) / 2) * np.sqrt(claimed), np.sqrt(variance)
        held = norm.cdf((half - bias) / error) - norm.cdf((-half - bias) / error)
        return float(held.mean())


def warn_of_bias(bias: Bias, cause: str, way_out: str) -> None:
    """Warn if intervals hold less than they should."""
    coverage = bias.coverage()
    if coverage < _LEAST:
        warn_user(
            f"{cause}: {_LEVEL:.0%} intervals may hold the true values in only "
            f"{coverage:.0%} of cases, or fewer. {way_out}"
        )


def warn_unless_converged(
    draws: Any, estimates: str, drift: Bias, alpha: Bias | None = None
) -> None:
    """Warn if a learned alpha or the estimates were still moving.

    `alpha` is the result of `Bias.of_learned_alpha` for estimates that move with alpha.
    """
    if change := describe_drift(draws.learned_alpha.sum(axis=1)):
        warn_user(
            "Alpha was learned, but had not arrived at the end of the burn-in: its sum "
            f"{change}. Fit with several times the burn_in and max_iter. The "
            f"{estimates} may be far off, and intervals may miss the true values."
        )
        return
    warn_of_drift(estimates, drift)
    if alpha is not None:
        warn_of_bias(
            alpha,
            f"Alpha wandered before it was held fixed, and the {estimates} with it",
            "Fit with learn_priors='hierarchical', which samples alpha, and several "
            "times the max_iter.",
        )


def warn_of_drift(estimates: str, drift: Bias) -> None:
    """Warn if estimates drift from the first third of the draws to the last."""
    warn_of_bias(
        drift,
        f"The {estimates} drift from the first third of the draws to the last",
        "Fit with several times the max_iter.",
    )


# --- draws ------------------------------------------------------------------------

_MOST_NUMBERS = 2**21  # in an array; more documents take several steps


@dataclass(frozen=True, eq=False, kw_only=True)
class PosteriorDraws:
    """Samples of a chain: the topics of all tokens, as counts.

    An estimator fitted with `keep_draws` stores them in ``draws_``, evenly spaced after
    burn-in. They describe only the training documents. They come from one chain, in
    which topics rarely change their numbers.

    Attributes
    ----------
    n_draws, n_documents, n_topics, n_words : int
        Numbers of draws, documents, topics and words.
    sweeps : ndarray of shape (n_draws,)
        Sweeps after which the draws were made.
    doc_topic_prior : ndarray of shape (n_topics,), (n_draws, n_topics) or \
(n_draws, n_rows, n_topics)
        Alpha; one per draw if it is sampled, and one per distinct row of covariates.
    topic_word_prior : float or ndarray of shape (n_topics, n_words) or (n_draws,)
        Beta; one per draw if it is sampled.
    learned_alpha : ndarray of shape (n_updates, n_topics)
        Alpha after each update by `learn_priors`.
    topic_names : ndarray of shape (n_topics,) of str
        Names of the topics, see `name_topics`; "topic 3" stands for no name.
    nbytes : int
        Memory that the counts take.

    Notes
    -----
    Given the topics of all tokens, the proportions of document d follow Dirichlet(n_d +
    alpha), where n_d counts its tokens in each topic, and the words of topic k follow
    Dirichlet(n_k + beta). Only counts above 0 are stored, with about 4 bytes each: 0.3
    MB per draw for KOS (467,714 tokens) with 100 topics.

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> X, _, _ = make_bars(n_samples=50, random_state=0)
    >>> priors = {"doc_topic_prior": 1.0, "topic_word_prior": 0.01}
    >>> lda = CollapsedGibbsLDA(10, keep_draws=25, random_state=0, **priors).fit(X)
    >>> lda.draws_.n_draws
    25
    >>> low, high = lda.draws_.doc_topic_interval(documents=[3, 14])
    >>> low.shape
    (2, 10)
    """

    sweeps: np.ndarray
    doc_topic_prior: np.ndarray
    topic_word_prior: float | np.ndarray
    learned_alpha: np.ndarray
    # Numbers of tokens up to the end of each document, and of each word.
    _doc_ends: np.ndarray
    _word_ends: np.ndarray
    # For each draw: the topics of all counts above 0, row after row, and the counts.
    _doc_topic: list[tuple[np.ndarray, np.ndarray]]
    _word_topic: list[tuple[np.ndarray, np.ndarray]]
    # Row of alpha of each document, if alpha has rows.
    _prior_row: np.ndarray | None = None
    _topic_names: np.ndarray | None = None

    @property
    def topic_names(self) -> np.ndarray:
        """Names of the topics."""
        if self._topic_names is None:
            return default_names(self.n_topics)
        return self._topic_names

    @property
    def n_draws(self) -> int:
        """Number of draws."""
        return self.sweeps.size

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return self._doc_ends.size

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return self.doc_topic_prior.shape[-1]

    @property
    def n_words(self) -> int:
        """Number of words."""
        return self._word_ends.size

    @property
    def nbytes(self) -> int:
        """Memory that the counts take."""
        stored = [*self._doc_topic, *self._word_topic]
        return sum(topic.nbytes + count.nbytes for topic, count in stored)

    def __repr__(self) -> str:
        return (
            f"<PosteriorDraws: {self.n_draws} draws of {self.n_documents} documents, "
            f"{self.n_words} words and {self.n_topics} topics, {self.nbytes:,} bytes>"
        )

    @validates(draw=NATURAL_NUMBER)
    def doc_topic_counts(self, draw: int) -> sparse.csr_array:
        """Return the number of tokens of each document in each topic.

        Parameters
        ----------
        draw : int
            Number of the draw, from 0 to ``n_draws - 1``; other numbers raise
            ValueError.

        Returns
        -------
        csr_array of shape (n_documents, n_topics) of int64
            The counts.
        """
        return self._counts(self._doc_topic, draw, self._doc_ends)

    @validates(draw=NATURAL_NUMBER)
    def topic_word_counts(self, draw: int) -> sparse.csc_array:
        """Return the number of tokens of each word in each topic.

        Parameters
        ----------
        draw : int
            Number of the draw, from 0 to ``n_draws - 1``; other numbers raise
            ValueError.

        Returns
        -------
        csc_array of shape (n_topics, n_words) of int64
            The counts.
        """
        return self._counts(self._word_topic, draw, self._word_ends).T

    def _counts(self, stored, draw, ends):
        if draw >= self.n_draws:
            last = self.n_draws - 1
            raise ValueError(f"draw={draw} exceeds {last}, the number of the last one.")
        topic, count = stored[draw]
        total = np.cumsum(count, dtype=np.int64)
        row_ptr = np.append(0, np.searchsorted(total, ends, side="right"))
        cells = count.astype(np.int64), topic.astype(np.int32), row_ptr
        counts = sparse.csr_array(cells, shape=(ends.size, self.n_topics))
        counts.sort_indices()
        return counts

    @validates(draw=NATURAL_NUMBER)
    def doc_topic(self, draw: int) -> np.ndarray:
        """Return the expected topic proportions, given the topics of one draw.

        Their mean over all kept samples is ``doc_topic_`` of the estimator.

        Parameters
        ----------
        draw : int
            Number of the draw, from 0 to ``n_draws - 1``; other numbers raise
            ValueError.

        Returns
        -------
        ndarray of shape (n_documents, n_topics)
            Rows sum to 1.
        """
        parameters = self._dirichlet(draw)
        return parameters / parameters.sum(axis=1, keepdims=True)

    @validates(draw=NATURAL_NUMBER, random_state=["random_state"])
    def sample_doc_topic(
        self, draw: int, random_state: int | RandomState | None = None
    ) -> np.ndarray:
        """Draw topic proportions, given the topics of one draw.

        Such samples from all draws are samples from the posterior. The means that
        `doc_topic` returns vary less.

        Parameters
        ----------
        draw : int
            Number of the draw, from 0 to ``n_draws - 1``; other numbers raise
            ValueError.
        random_state : int, RandomState instance or None, default=None
            Seed. Pass an int for reproducible results.

        Returns
        -------
        ndarray of shape (n_documents, n_topics)
            Rows sum to 1.
        """
        parameters = self._dirichlet(draw)
        rng = check_random_state(random_state)
        # Logarithms, because gammas with small parameters underflow.
        logs = np.log(rng.standard_gamma(parameters + 1))
        logs -= rng.standard_exponential(parameters.shape) / parameters
        logs -= logs.max(axis=1, keepdims=True)
        theta = np.exp(logs)
        theta /= theta.sum(axis=1, keepdims=True)
        return theta

    def _dirichlet(self, draw) -> np.ndarray:
        alpha = np.atleast_2d(self.doc_topic_prior)
        prior = alpha[min(draw, len(alpha) - 1)]
        prior = prior if self._prior_row is None else prior[self._prior_row]
        return self.doc_topic_counts(draw).toarray() + prior

    @validates(confidence_level=LEVEL)
    def doc_topic_interval(
        self, confidence_level: float = 0.95, *, documents: ArrayLike | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return marginal credible intervals of topic proportions.

        The ends of the equal-tailed intervals are quantiles of the posterior, a mixture
        of Beta distributions, one per draw; values below 1e-300 become 0. Cost: 4 ms
        per document of KOS with 25 draws of 100 topics.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Posterior probability of each interval, between 0 and 1.
        documents : array-like of int, default=None
            Row numbers of the documents. By default all.

        Returns
        -------
        low, high : ndarray of shape (n_documents, n_topics)
            Ends of the intervals.

        Raises
        ------
        ValueError
            If `confidence_level` is not between 0 and 1, or a document does not exist.

        Warns
        -----
        UserWarning
            If the chain had not converged, see `sklda.inspection.estimate_effect`.
        """
        rows = check_indices(documents, "documents", self.n_documents, "documents")
        draws = [self.doc_topic_counts(i) for i in range(self.n_draws)]
        drifts = []
        low, high = np.empty((2, rows.size, self.n_topics))
        step = max(_MOST_NUMBERS // (self.n_draws * self.n_topics), 1)
        for first in range(0, rows.size, step):
            slab = slice(first, first + step)
            counts = np.array([matrix[rows[slab]].toarray() for matrix in draws])
            if self._prior_row is None:
                alpha = np.atleast_2d(self.doc_topic_prior)[:, np.newaxis]
            else:
                alpha = self.doc_topic_prior[:, self._prior_row[rows[slab]]]
            a = counts + alpha
            total = a.sum(axis=2, keepdims=True)
            drifts.append(Bias.of_betas(a, total))
            low[slab], high[slab] = mixture_interval(a, total - a, confidence_level)
        drift = Bias(*map(np.concatenate, zip(*drifts, strict=True)))
        warn_unless_converged(self, "proportions", drift)
        return low, high

    @validates(confidence_level=LEVEL)
    def topic_word_interval(
        self, words: ArrayLike, confidence_level: float = 0.95
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return credible intervals of the probabilities of some words in each topic.

        They are computed as in `doc_topic_interval`.

        Parameters
        ----------
        words : array-like of int of shape (n_topics, n)
            Columns of X: the words of each topic.
        confidence_level : float, default=0.95
            Posterior probability of each interval, between 0 and 1.

        Returns
        -------
        low, high : ndarray of shape (n_topics, n)
            Ends of the intervals.

        Raises
        ------
        ValueError
            If `words` does not contain columns for each topic, or the level is out of
            range.

        Warns
        -----
        UserWarning
            If the chain had not converged, see `sklda.inspection.estimate_effect`.
        """
        columns = check_numbers(words, "words", (self.n_topics, "n"))
        check_indices(columns.ravel(), "words", self.n_words, "words")
        topics = np.broadcast_to(np.arange(self.n_topics)[:, None], columns.shape)
        counts = np.empty((self.n_draws, *columns.shape))
        totals = np.empty((self.n_draws, self.n_topics, 1))
        for i in range(self.n_draws):
            topic_word = self.topic_word_counts(i)
            counts[i] = topic_word[topics, columns].toarray()
            totals[i, :, 0] = topic_word.sum(axis=1)
        if np.ndim(self.topic_word_prior) == 1:  # of each draw
            beta = self.topic_word_prior[:, np.newaxis, np.newaxis]
            column_prior, prior_sum = beta, self.n_words * beta
        else:
            beta = np.broadcast_to(self.topic_word_prior, (self.n_topics, self.n_words))
            column_prior = beta[topics, columns]
            prior_sum = beta.sum(axis=1, keepdims=True)
        a = counts + column_prior
        b = totals + prior_sum - a
        drift = Bias.of_betas(a, a + b)
        warn_unless_converged(self, "probabilities of words", drift)
        low, high = mixture_interval(a, b, confidence_level)
        return low, high


def check_draws(draws: Any) -> PosteriorDraws:
    """Return draws as they are, or raise a TypeError that names the way out."""
    if not isinstance(draws, PosteriorDraws):
        raise TypeError(
            "draws must be draws_ of an estimator fitted with keep_draws, got "
            f"{draws!r}."
        )
    return draws
