"""The draws from the posterior that a chain has kept."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils import check_random_state

from sklda._base.parameters import LEVEL, validates
from sklda._base.sklearn_private import Interval
from sklda._core.checks import check_indices, check_numbers
from sklda._topics.intervals import (
    Bias,
    mixture_interval,
    warn_unless_converged,
)
from sklda._topics.topic_names import default_names

_MOST_NUMBERS = 2**21  # in an array; more documents take several steps
_DRAW = [Interval(Integral, 0, None, closed="left")]


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
        pairs = [*self._doc_topic, *self._word_topic]
        return sum(topic.nbytes + count.nbytes for topic, count in pairs)

    def __repr__(self) -> str:
        return (
            f"<PosteriorDraws: {self.n_draws} draws of {self.n_documents} documents, "
            f"{self.n_words} words and {self.n_topics} topics, {self.nbytes:,} bytes>"
        )

    @validates(draw=_DRAW)
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

    @validates(draw=_DRAW)
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

    @validates(draw=_DRAW)
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

    @validates(draw=_DRAW, random_state=["random_state"])
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
            if self._prior_row is None:
                ends = self._interval_of(counts, confidence_level)
            else:
                ends = mixture_interval(a, total - a, confidence_level)
            low[slab], high[slab] = ends
        drift = Bias(*map(np.concatenate, zip(*drifts, strict=True)))
        warn_unless_converged(self, "proportions", drift)
        return low, high

    def _interval_of(self, counts, level):
        """Return the ends for counts, (n_draws, n_documents, n_topics)."""
        shape = counts.shape[1:]
        alpha = np.atleast_2d(self.doc_topic_prior)  # of all draws, or of each
        # Most topics occur in few documents, so many mixtures are equal: compute the
        # different ones. One alpha for all draws: their order does not matter.
        alphas, topics = np.unique(alpha, axis=1, return_inverse=True)
        tokens = counts.sum(axis=2, keepdims=True)[:1]
        counts = np.sort(counts, axis=0) if len(alpha) == 1 else counts
        keys = [np.broadcast_to(key, (1, *shape)) for key in (tokens, topics.ravel())]
        keys = np.concatenate([counts, *keys]).reshape(len(counts) + 2, -1)
        keys, where = np.unique(keys, axis=1, return_inverse=True)
        *draw_counts, tokens, topics = keys
        a = np.array(draw_counts) + alphas[:, topics]
        b = tokens + alpha.sum(axis=1, keepdims=True) - a
        ends = mixture_interval(a, b, level)
        return [end[where].reshape(shape) for end in ends]

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
