"""Collapsed variational Bayes: CVBLDA, with `fit` and minibatches.

`lda_from_components` makes a fitted one from topics that were stored as a matrix.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from sklda._cvb.engine import (
    START_SWEEPS,
    Approximation,
    Engine,
    estimated_histograms,
    exact_histograms,
)
from sklda._cvb.kernels import exact, gaussian, zero_order
from sklda._cvb.stochastic import learn, random_counts
from sklda._data.checks import check_matrix
from sklda._data.corpus import WeightedCorpus, split_weights
from sklda._data.notices import check_memory, warn_user
from sklda._data.sklearn_private import Interval, StrOptions, fit_context
from sklda._data.types import MatrixLike
from sklda._estimators.base import BaseLDA, Progress, fit_callbacks, fitting
from sklda._fitted.fitted_topics import normalisable_weights
from sklda._sampling.minka import warn_unless_arrived
from sklda._sampling.parameters import (
    CONSTRAINTS,
    LOWEST_PRIOR,
    POSITIVE_INTEGER,
    PRIOR_RANGE,
    SHARD_CONSTRAINTS,
    TRACE_CONSTRAINTS,
    check_doc_topic_prior,
    check_topic_word_prior,
    make_problem,
    make_schedule,
    make_threads,
    random_streams,
    validates,
)
from sklda._sampling.problem import Problem, padded, word_prior
from sklda._sampling.schedule import Annealing
from sklda._sampling.threads import Threads

MAX_EXACT_TOKENS = 1000  # 16 MB and a tenth of a second for each topic and sweep


ApproximationName = Literal["gaussian", "zero-order", "exact"]
APPROXIMATIONS: dict[ApproximationName, Approximation] = {
    "gaussian": Approximation(gaussian, START_SWEEPS, estimated_histograms),
    "zero-order": Approximation(zero_order, 0, estimated_histograms),
    "exact": Approximation(exact, START_SWEEPS, exact_histograms),
}
# Up to a quarter of the sweeps are annealed, from a lower temperature than in samplers:
# without their noise, topics form at once.
_ANNEALED_PART, _HEAT = 4, 4
# Attributes that are wrong after a minibatch.
_OF_FIT = ("doc_topic_", "bound_", "bound_iter_", "n_iter_", "prior_trace_")
_LEARNING_INTERVAL = 10  # sweeps, since expected counts take long to compute


@dataclass(repr=False, eq=False)
class CVBLDA(BaseLDA):
    """Latent Dirichlet Allocation by collapsed variational Bayes.

    A document is a mixture of topics, theta_d ~ Dirichlet(alpha); a topic is a
    distribution over words, phi_k ~ Dirichlet(beta). Both are integrated out, and
    independent distributions, the responsibilities, approximate the posterior of the
    topics of all tokens [1]_. A sweep updates those of each document-word pair given
    the means (and variances) of all counts, excluding one token of the pair. Only the
    start is random. CVB needs fewer sweeps than a Gibbs sampler. Its bound is tighter
    than that of variational Bayes, which also assumes that theta and phi are
    independent of the topics.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics K, 1 to 65,535.
    approximation : {"gaussian", "zero-order", "exact"}, default="gaussian"
        How expected logarithms of counts are computed. "gaussian" expands them to
        second order, from means and variances [1]_. "zero-order", or CVB0, uses only
        means [2]_ and is two to three times as fast. "exact" takes O(K) per pair of
        tokens and accepts corpora of up to 1,000 tokens. "gaussian" and "exact" start
        with ten sweeps of "zero-order", which count as part of the first sweep.
    doc_topic_prior : float or array-like of shape (n_components,), default=None
        Dirichlet parameter alpha of the topic proportions, from 1e-10 to 1e10. Small
        values give each document few topics. None means 1 / K or, with `learn_priors`,
        that it is learned, starting there.
    topic_word_prior : float or array-like, default=None
        Dirichlet parameter beta of the words in topics, from 1e-10 to 1e10: one number,
        or an array of shape (n_words,) or (n_components, n_words), such as the result
        of `seed_word_prior`. Small values give each topic few words. None means 1 / K
        or, with `learn_priors`, that it is learned, starting there.
    learn_priors : "auto", "symmetric", "asymmetric" or None, default="auto"
        "auto" fits the priors that are None to the expected counts: one alpha per
        topic, and beta. "symmetric" and "asymmetric" fit both, with one alpha for all
        topics or one per topic. They use Minka's fixed point, every 10 sweeps. Both
        priors remain between 0.0001 and 1000, and an array for beta does not change.
        With short documents, alpha may be 0.2 times the true value, see the user guide.
        None leaves both priors as they are, and so does partial_fit.
    max_iter : int, default=100
        Maximum number of sweeps.
    init : "annealed" or "random", default="annealed"
        Start of the sweeps. "random" draws the responsibilities at random. "annealed"
        also lets beta, if it is one number, fall from a large value to its own in the
        first quarter of `max_iter` sweeps, 250 at most: better topics in more sweeps.
    tol : float, default=0.01
        Fit stops after the first sweep in which the responsibilities change by less
        than this: the sum of absolute changes over the topics, from 0 to 2, averaged
        over the tokens. With 0, fit always runs `max_iter` sweeps.
    evaluate_every : int, default=0
        Number of sweeps between two entries of the trace; 0 means no trace.
    n_shards : int, default=1
        Number of shards of the documents that sweep in parallel on `n_jobs` threads,
        each on its own copy of the tables; the changes are added up after the sweep.
        Several shards approximate the algorithm of the paper. "exact" requires 1.
    n_jobs : int, default=None
        Number of threads. None means 1, -1 all processors. The result is bit-identical
        for any number.
    batch_size : int, default=16
        Used by partial_fit: documents in a minibatch, after which the topics move.
    learning_decay : float, default=0.9
        Used by partial_fit; above 0.5 and at most 1. After t minibatches, the topics
        move by a step of ``(learning_offset + 1 + t) ** -learning_decay``. Smaller
        values forget documents sooner, and suit short documents less.
    learning_offset : float, default=1.0
        Used by partial_fit; at least 0. Larger values make the first steps smaller.
    total_samples : float, default=None
        Used by partial_fit: number of documents in the whole corpus, from 1 to 1e12.
        Topics weigh as the documents seen so far, but not as more than this number.
        None sets no limit.
    random_state : int, RandomState instance or None, default=None
        Seed. Pass an int for reproducible results.
    verbose : int, default=0
        If 1, print the progress of fit and the compilation of kernels.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features_in_)
        Expected number of tokens of each word in each topic, plus beta.
    topic_word_ : ndarray of shape (n_components, n_features_in_)
        Probability of each word in each topic: the rows of `components_` normalised.
    doc_topic_ : ndarray of shape (n_documents, n_components)
        Expected topic proportions of the training documents.
    prior_trace_ : dict of str to ndarray of shape (n_updates,)
        The priors after each update: "sweep", "doc_concentration" (the sum of alpha)
        and "topic_word_prior" (beta).
    bound_ : ndarray of shape (n_evaluations,)
        Trace of the variational bound of log p(w | alpha, beta), equation 12 of [1]_,
        in nats per token. For "exact", it is a true bound, otherwise an estimate from
        the mean, variance and probability of zero of each count.
    bound_iter_ : ndarray of shape (n_evaluations,)
        Sweeps after which the entries of `bound_` were recorded.
    doc_topic_prior_ : ndarray of shape (n_components,)
        Alpha after the last sweep.
    topic_word_prior_ : float or ndarray of shape (n_components, n_features_in_)
        Beta after the last sweep; an array if the parameter is an array.
    n_iter_ : int
        Number of sweeps performed.
    n_samples_seen_ : int
        Number of documents that fit and partial_fit have seen since the start.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The words, if the columns of X have names.

    See Also
    --------
    CollapsedGibbsLDA : Samples from the exact posterior.
    sklearn.decomposition.LatentDirichletAllocation : Variational Bayes.

    Notes
    -----
    X may contain any non-negative numbers (whole numbers for "exact"). A weight c
    counts as c tokens, so small weights such as tf-idf make the priors stronger.

    The Taylor series of "gaussian", equation 18 of [1]_, is inaccurate if alpha is far
    below 1 and documents are short. In this case, "zero-order" often predicts better.

    Cost of a sweep: O(K) per document-word pair; an evaluation takes as long as several
    sweeps. Memory: 4 K bytes per pair and 4 K per word (8 K for "gaussian", 12 K more
    for an evaluation, and as much again for each shard), K rounded up to a multiple of
    16. partial_fit stores nothing per pair.

    References
    ----------
    .. [1] Y. W. Teh, D. Newman, M. Welling, "A collapsed variational Bayesian inference
       algorithm for latent Dirichlet allocation", NIPS 19 (2006).
    .. [2] A. Asuncion, M. Welling, P. Smyth, Y. W. Teh, "On smoothing and inference for
       topic models", UAI (2009), https://arxiv.org/abs/1205.2662
    .. [3] J. Foulds, L. Boyles, C. DuBois, P. Smyth, M. Welling, "Stochastic collapsed
       variational Bayesian inference for latent Dirichlet allocation", KDD (2013),
       https://arxiv.org/abs/1305.2452
    .. [4] T. P. Minka, "Estimating a Dirichlet distribution" (2000).

    Examples
    --------
    >>> from sklda import CVBLDA
    >>> from sklda.datasets import make_bars
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> lda = CVBLDA(n_components=10, random_state=0).fit(X)
    >>> lda.transform(X[:3]).shape
    (3, 10)
    """

    n_components: int = 10
    _: KW_ONLY
    approximation: ApproximationName = "gaussian"
    doc_topic_prior: float | ArrayLike | None = None
    topic_word_prior: float | ArrayLike | None = None
    learn_priors: Literal["auto", "symmetric", "asymmetric"] | None = "auto"
    max_iter: int = 100
    init: Literal["annealed", "random"] = "annealed"
    tol: float = 0.01
    evaluate_every: int = 0
    n_shards: int = 1
    n_jobs: int | None = None
    batch_size: int = 16
    learning_decay: float = 0.9
    learning_offset: float = 1.0
    total_samples: float | None = None
    random_state: int | RandomState | None = None
    verbose: int = 0

    bound_: np.ndarray = field(init=False)
    bound_iter_: np.ndarray = field(init=False)
    prior_trace_: dict[str, np.ndarray] = field(init=False)
    n_samples_seen_: int = field(init=False)

    _parameter_constraints: ClassVar[dict] = {
        **BaseLDA._parameter_constraints,
        **TRACE_CONSTRAINTS,
        **SHARD_CONSTRAINTS,
        "approximation": [StrOptions(set(APPROXIMATIONS))],
        "init": [StrOptions({"annealed", "random"})],
        "tol": [Interval(Real, 0, None, closed="left")],
        "batch_size": POSITIVE_INTEGER,
        "learning_decay": [Interval(Real, 0.5, 1, closed="right")],
        "learning_offset": [Interval(Real, 0, None, closed="left")],
        "total_samples": [Interval(Real, 1, 1e12, closed="both"), None],
    }

    @property
    def _whole_counts(self) -> bool:
        return self.approximation == "exact"

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: Any = None) -> Self:
        """Sweep until the responsibilities converge.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words), blocks or path
            Word counts, or other non-negative weights. Not modified.
        y : None
            Ignored.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If X contains anything else, or a parameter is out of range.
        MemoryError
            If the fit would need more than half of the free memory (on Linux).

        Warns
        -----
        ConvergenceWarning
            If `tol` is not reached in `max_iter` sweeps.

        Notes
        -----
        Ctrl-C takes effect within about a second or, with several threads, after the
        current sweep. An interrupted fit leaves the estimator unchanged.
        """
        parameters = self._parameters
        max_iter, tol = parameters.max_iter, parameters.tol
        schedule = make_schedule(
            parameters,
            max_iter,
            1,
            parameters.evaluate_every,
            learning_interval=_LEARNING_INTERVAL,
        )
        with fitting(self), make_threads(parameters) as threads:
            corpus = self._check_weights(X, reset=True)
            engine = self._started(corpus, threads)
            interval, describe = parameters.evaluate_every, engine.describe
            progress = Progress(self, engine.n_tokens, interval, max_iter, describe)
            with fit_callbacks(self, {"X": X, "y": y}, engine.attributes) as notify:
                for sweep in range(1, max_iter + 1):
                    engine.sweep()
                    if schedule.learned is not None and schedule.learns(sweep):
                        engine.learn_priors(schedule.learned)
                    if schedule.evaluates(sweep):
                        engine.evaluate()
                    progress.report(sweep)
                    # Where priors are learned, the first sweep with new ones tells.
                    last_update = [update.sweep for update in engine.prior_updates[-1:]]
                    may_end = schedule.learned is None or last_update == [sweep - 1]
                    ended = notify(sweep) or (may_end and engine.change < tol)
                    if ended:
                        break
            engine.end()
            if not ended and engine.change >= tol > 0:
                warn_user(
                    f"After max_iter={max_iter} sweeps, the last one still changed the "
                    f"responsibilities of a token by {engine.change:.2g}, and "
                    f"tol={tol:.2g}: increase max_iter or tol.",
                    ConvergenceWarning,
                )
            else:
                warn_unless_arrived(engine.prior_updates)
            vars(self).update(engine.attributes())
        return self

    def _started(self, corpus: WeightedCorpus, threads: Threads) -> Engine:
        """Return an engine for a corpus, if it is not too large."""
        parameters = self._parameters
        n_tokens, n_bytes = corpus.count.sum(dtype=np.float64), 0
        if self.approximation == "exact":
            if n_tokens > MAX_EXACT_TOKENS:
                raise ValueError(
                    f"approximation='exact' accepts up to {MAX_EXACT_TOKENS:,} tokens, "
                    "because its cost grows with the square of their number. X has "
                    f"{int(n_tokens):,}: use approximation='gaussian'."
                )
            if parameters.n_shards > 1:
                raise ValueError(
                    "approximation='exact' is for small corpora and does not support "
                    "shards: set n_shards=1 instead of "
                    f"n_shards={parameters.n_shards}."
                )
            corpus = split_weights(corpus)
            n_bytes = 16 * corpus.word.size**2 * parameters.n_components
        n_cells, n_topics = corpus.word.size, parameters.n_components
        check_memory(
            n_bytes + 4 * n_cells * padded(n_topics),
            f"fit, with {n_topics} responsibilities for each of {n_cells:,} "
            "document-word pairs,",
            "use partial_fit, which stores no responsibilities",
        )
        problem, rng = make_problem(self, corpus), random_streams(self.random_state)
        n_annealed = parameters.max_iter // _ANNEALED_PART
        annealing = Annealing.of(
            problem, self.init, n_annealed, n_tokens, _HEAT, np.float32
        )
        approximation = APPROXIMATIONS[self.approximation]
        return Engine(
            approximation, problem, rng, parameters.n_shards, threads, annealing
        )

    def partial_fit(self, X: MatrixLike, y: Any = None) -> Self:
        """Move the topics towards those of minibatches of documents.

        This is stochastic CVB0 (Foulds et al., 2013), regardless of `approximation`,
        but each token is left out of the counts of its document that weigh it, as in
        CVB0. The first call starts from random topics, or from those of fit, which
        weigh as its documents. Topics of short texts depend on this start: see "Memory
        and speed" in the user guide. The first call removes the other attributes of
        fit, such as `doc_topic_`, because it stores no documents. Use transform for
        their proportions.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words), blocks or path
            Word counts, or other non-negative weights. Not modified. `batch_size`
            documents at a time move the topics, in the order of X.
        y : None
            Ignored.

        Returns
        -------
        self
            The estimator, ready for transform, score and more documents.

        Raises
        ------
        ValueError
            If X contains anything else, a parameter is out of range, or `n_components`
            differs from that of earlier calls.

        Notes
        -----
        Cost: O(K) per document-word pair, and per word of the vocabulary in each call.
        A minibatch passes through its documents twice while topics are new, and up to
        ten times when they have 8,000 tokens each. Memory: 24 K bytes per word.
        Documents without words leave the topics unchanged.
        """
        self._validate_params()  # scikit-learn's own context checks the first call only
        first, parameters = not hasattr(self, "components_"), self._parameters
        with fitting(self):
            corpus = self._check_weights(X, reset=first)
            if first:
                problem, n_seen = make_problem(self, corpus), 0
                counts = random_counts(problem, random_streams(self.random_state))
            else:
                problem = self._fitted_problem(corpus)
                if not corpus.count.any():
                    return self
                # Rounding, and a weight below the default beta, make a difference < 0.
                counts = np.maximum(self.components_ - problem.beta, 0)
                n_seen = vars(self).get("n_samples_seen_")
            counts, n_seen = learn(problem, counts, n_seen, parameters)
            vars(self).update(
                components_=counts + problem.beta,
                doc_topic_prior_=problem.doc_topic_prior,
                topic_word_prior_=problem.beta,
                n_samples_seen_=n_seen,
            )
            for name in _OF_FIT:
                vars(self).pop(name, None)
        return self

    def _fitted_problem(self, corpus: WeightedCorpus) -> Problem[WeightedCorpus]:
        """Return a minibatch with the priors of the topics that it updates."""
        alpha, n_topics = self.doc_topic_prior_, self._parameters.n_components
        if n_topics != alpha.size:
            raise ValueError(
                f"n_components={n_topics}, but partial_fit continues {alpha.size} "
                "topics: reset n_components, or start again with a clone of this "
                "estimator."
            )
        beta = word_prior(self.topic_word_prior_)
        return Problem(corpus, self.n_features_in_, alpha, beta)


_ROUNDING = 1e-6  # of a stored weight, relative to beta


@validates(
    doc_topic_prior=CONSTRAINTS["doc_topic_prior"],
    topic_word_prior=[PRIOR_RANGE, "array-like"],
)
def lda_from_components(
    components: ArrayLike,
    *,
    doc_topic_prior: float | ArrayLike | None = None,
    topic_word_prior: float | ArrayLike = LOWEST_PRIOR,
) -> CVBLDA:
    """Return a fitted estimator with the topics of a matrix, from any program.

    It transforms and scores documents as the model from which the matrix comes, has no
    training documents, and can learn from further ones with `CVBLDA.partial_fit`.
    There, counts weigh as their tokens, and probabilities as `total_samples` documents:
    set it to the number that the topics came from. If it is None, they weigh as 10,000.

    Parameters
    ----------
    components : array-like of shape (n_components, n_words)
        Weight of each word in each topic, at least 0: ``components_`` of a fitted
        estimator, counts plus beta, or probabilities.
    doc_topic_prior : float or array-like of shape (n_components,), default=None
        Alpha, from 1e-10 to 1e10: ``doc_topic_prior_`` of a fitted estimator. None
        means 1 / K.
    topic_word_prior : float or array-like, default=1e-10
        The beta that `components` contain, from 1e-10 to 1e10: ``topic_word_prior_``
        of a fitted estimator, a number or an array of shape (n_words,) or
        (n_components, n_words). The sizes of topics in displays leave it out. The
        default suits probabilities, and then all topics have the same size: pass X to
        displays.

    Returns
    -------
    CVBLDA
        Fitted estimator, as after `CVBLDA.partial_fit`.

    Raises
    ------
    ValueError
        If `components` is not such a matrix, if a topic or a word has only zeros, if
        weights are smaller than `topic_word_prior`, or a prior is out of range.

    See Also
    --------
    CollapsedGibbsLDA : Its parameter `init` starts a chain from such a matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from sklda import lda_from_components
    >>> lda = lda_from_components([[0.9, 0.1], [0.2, 0.8]], doc_topic_prior=0.1)
    >>> lda.transform([[5, 0], [0, 5]]).argmax(axis=1)
    array([0, 1])
    """
    weights = check_matrix(components, "components", dtype=np.float64)
    # Word after word, as in fitted estimators: so sums round in the same way.
    weights = np.asfortranarray(weights)
    normalisable_weights(weights, "components")  # refuses what cannot be normalised
    unseen = np.flatnonzero(weights.max(axis=0) == 0)
    if unseen.size > 0:
        raise ValueError(
            f"components has only zeros for word {unseen[0]} ({unseen.size} of "
            f"{weights.shape[1]} words), so no topic could contain it. Add beta, as in "
            "components + 0.01, or remove these columns here and from X."
        )
    n_topics, n_words = weights.shape
    alpha = check_doc_topic_prior(doc_topic_prior, n_topics)
    beta = check_topic_word_prior(topic_word_prior, n_topics, n_words)
    least = np.multiply(beta, np.greater(beta, LOWEST_PRIOR) * (1 - _ROUNDING))
    if (weights < least).any():
        raise ValueError(
            "components has weights below topic_word_prior, which they must contain. "
            "Add it to counts; leave it out for probabilities."
        )
    lda = CVBLDA(
        n_topics, doc_topic_prior=doc_topic_prior, topic_word_prior=topic_word_prior
    )
    lda.components_, lda.n_features_in_ = weights, n_words
    lda.doc_topic_prior_, lda.topic_word_prior_ = alpha, beta
    return lda
