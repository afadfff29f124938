"""Collapsed variational Bayes for LDA."""

import warnings
from numbers import Real
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from sklda._base.estimator import BaseLDA, Progress
from sklda._base.fold_in import prepare
from sklda._base.sklearn_private import Interval, StrOptions, fit_context
from sklda._core.corpus import cut_weights
from sklda._core.problem import padded
from sklda._cvb.engine import START_SWEEPS, Fit, Schedule, run
from sklda._cvb.kernels import exact as cvb_exact
from sklda._cvb.kernels import gaussian as cvb_gaussian
from sklda._cvb.kernels import stochastic as cvb_stochastic
from sklda._cvb.kernels import zero_order as cvb_zero_order

_KERNELS = {
    "gaussian": cvb_gaussian,
    "zero-order": cvb_zero_order,
    "exact": cvb_exact,
}
_MOST_EXACT_TOKENS = 1000  # 16 MB and a tenth of a second for each topic and sweep


class CVBLDA(BaseLDA):
    """Latent Dirichlet Allocation by collapsed variational Bayes.

    A document is a mixture of topics, theta_d ~ Dirichlet(alpha); a topic is a
    distribution over words, phi_k ~ Dirichlet(beta). Both are integrated out, and the
    posterior of the topics of all tokens is approximated by independent ones [1]_.
    A sweep updates the topic probabilities of each document-word pair given the means
    (and variances) of all counts without one token of the pair. It is deterministic
    but for its start, converges in fewer sweeps than a Gibbs sampler, and gives a
    better bound than variational Bayes, which also takes theta and phi to be
    independent of the topics.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics K, 1 to 65,535.
    approximation : {"gaussian", "zero-order", "exact"}, default="gaussian"
        How expected logarithms of counts are computed: to second order from means and
        variances [1]_; from means alone, CVB0 [2]_, two to three times faster; or as
        they are, for corpora of up to 1,000 tokens, in O(K) per pair of tokens. All but
        CVB0 begin the first sweep with ten sweeps of it.
    doc_topic_prior : float or array-like of shape (n_components,), default=None
        Alpha, from 1e-10 to 1e10: small values give documents few topics. None is
        1 / K.
    topic_word_prior : float, default=None
        Beta, from 1e-10 to 1e10: small values give topics few words. None is 1 / K.
    learn_priors : None, "symmetric" or "asymmetric", default=None
        Whether alpha (one value, or one per topic) and beta are fitted to the data, by
        Minka's fixed point [4]_ on the expected counts: every 10 sweeps. Both stay
        within 0.0001 and 1000. Not by partial_fit.
    max_iter : int, default=100
        Sweeps, at most.
    tol : float, default=0.01
        A sweep that moves the topic probabilities of a token by less is the last: sum
        of absolute changes over the topics, mean over the tokens, 0 to 2. With 0 there
        are `max_iter` sweeps.
    evaluate_every : int, default=0
        Sweeps between two entries of the trace `bound_`, each as long as several; or 0.
    n_shards : int, default=1
        Parts of the documents that sweep side by side, each with its own copy of the
        tables; then their changes are added up. 1 is the algorithm of the paper; more
        come close to it, and use more threads. "exact" takes 1.
    n_jobs : int, default=None
        Threads of the shards, transform and score; None is 1, -1 all processors. The
        result never depends on it, bit for bit.
    learning_decay : float, default=0.7
        Of partial_fit, above 0.5 and up to 1: minibatch t moves the topics by a step of
        ``(learning_offset + t) ** -learning_decay``.
    learning_offset : float, default=10.0
        Of partial_fit, 0 or more: makes the first steps smaller.
    total_samples : float, default=1e6
        Of partial_fit: documents in the whole corpus.
    random_state : int, RandomState instance or None, default=None
        Seed of the start; an int makes the fit repeatable.
    verbose : int, default=0
        1 prints a line per entry of the trace: sweep, bound per token in nats, tokens
        per second.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features_in_)
        Expected tokens of each word on each topic, plus beta.
    topic_word_ : ndarray of shape (n_components, n_features_in_)
        Rows of `components_` normalised: the probability of each word in each topic.
    doc_topic_ : ndarray of shape (n_documents, n_components)
        Expected topic proportions of the training documents. Not after partial_fit.
    bound_ : ndarray of shape (n_evaluations,)
        Trace of the variational bound of log p(w | alpha, beta), equation 12 of [1]_,
        in nats per token. A bound for "exact"; else an estimate of it, from mean,
        variance and probability of zero of each count. Not after partial_fit.
    bound_iter_ : ndarray of shape (n_evaluations,)
        Sweeps after which the entries of `bound_` were taken. Not after partial_fit.
    doc_topic_prior_ : ndarray of shape (n_components,)
        Alpha at the end.
    topic_word_prior_ : float
        Beta at the end.
    n_iter_ : int
        Sweeps done. Not after partial_fit.
    n_batch_iter_ : int
        Minibatches seen by partial_fit. Not after fit.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Words, where X named its columns.

    See Also
    --------
    CollapsedGibbsLDA : Samples from the exact posterior.
    sklearn.decomposition.LatentDirichletAllocation : Variational Bayes.

    Notes
    -----
    X may hold any non-negative numbers, unless the approximation is "exact": a weight c
    counts like c tokens. Of a pair of weight 1 or more, one token is taken out for its
    update; of a smaller one, all of it. So tf-idf can be fitted, but its scale matters:
    the smaller the weights, the fewer the tokens, and the stronger the priors.

    Equation 18 of [1]_ is a Taylor series, and poor where alpha is far below 1 and
    documents are short, though it is kept within the bounds of what it stands for:
    there "zero-order" often predicts better.

    Cost of a sweep: O(K) per document-word pair. Memory: 4 K bytes per pair and 4 K per
    word (8 K for "gaussian", 12 K more for an evaluation, and as much again for each
    shard), K rounded up to a multiple of 16. partial_fit keeps nothing of the pairs.

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

    _parameter_constraints: ClassVar[dict] = {
        **BaseLDA._parameter_constraints,
        "approximation": [StrOptions(set(_KERNELS))],
        "tol": [Interval(Real, 0, None, closed="left")],
        "learning_decay": [Interval(Real, 0.5, 1, closed="right")],
        "learning_offset": [Interval(Real, 0, None, closed="left")],
        "total_samples": [Interval(Real, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_components: int = 10,
        *,
        approximation: str = "gaussian",
        doc_topic_prior: float | ArrayLike | None = None,
        topic_word_prior: float | None = None,
        learn_priors: str | None = None,
        max_iter: int = 100,
        tol: float = 0.01,
        evaluate_every: int = 0,
        n_shards: int = 1,
        n_jobs: int | None = None,
        learning_decay: float = 0.7,
        learning_offset: float = 10.0,
        total_samples: float = 1e6,
        random_state: int | RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.approximation = approximation
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.learn_priors = learn_priors
        self.max_iter = max_iter
        self.tol = tol
        self.evaluate_every = evaluate_every
        self.n_shards = n_shards
        self.n_jobs = n_jobs
        self.learning_decay = learning_decay
        self.learning_offset = learning_offset
        self.total_samples = total_samples
        self.random_state = random_state
        self.verbose = verbose

    @property
    def _whole_counts(self) -> bool:
        return self.approximation == "exact"

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Sweep until the topic probabilities stand still.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words)
            Word counts, or other non-negative weights; never changed.
        y : None
            Ignored.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If X holds anything else, or a parameter is out of its range.
        MemoryError
            If more than half of the free memory would be needed (where it is known).

        Warns
        -----
        ConvergenceWarning
            If `max_iter` sweeps are done and `tol` is not reached.

        Notes
        -----
        Ctrl-C takes effect between sweeps; an interrupted fit leaves the estimator
        as it was.
        """
        schedule = Schedule(
            self.max_iter, self.tol, self.evaluate_every, self.learn_priors
        )
        with self._unless_it_fails():
            fit = self._new_fit(X)
            n_tokens = fit.lengths.sum()
            progress = Progress(self, n_tokens)
            with self._callbacks(fit, self.max_iter, X, y) as tell:

                def after_sweep(fit):
                    if schedule.evaluates(fit.n_sweeps):
                        progress.report(fit.n_sweeps, "bound per token", fit.bound[-1])
                    return tell(fit)

                ended = run(fit, schedule, after_sweep)
            fitted = self._fitted(fit)
            if not ended and self.tol > 0:
                warnings.warn(
                    f"After max_iter={self.max_iter} sweeps the last one still moved "
                    f"the topic probabilities of a token by {fit.change:.2g}, and "
                    f"tol={self.tol:.2g}: raise max_iter, or tol.",
                    ConvergenceWarning,
                    stacklevel=2,
                )
        vars(self).update(fitted)
        vars(self).pop("n_batch_iter_", None)
        return self

    def _new_fit(self, X) -> Fit:
        weights = self._check_weights(X, reset=True)
        if self.approximation == "exact":
            weights = self._cut_exact(weights)
        self._check_memory(weights.word.size)
        return Fit(
            _KERNELS[self.approximation],
            weights,
            self.n_features_in_,
            self._check_doc_topic_prior(),
            self._check_topic_word_prior(),
            self._seed(),
            self.n_shards,
            self.n_jobs,
            0 if self.approximation == "zero-order" else START_SWEEPS,
        )

    def _seed(self) -> np.random.SeedSequence:
        entropy = check_random_state(self.random_state).randint(0, 2**31, size=4)
        return np.random.SeedSequence(entropy.tolist())

    def _cut_exact(self, weights):
        """Give each token a cell of its own, if there are not too many."""
        n_tokens = int(weights.count.sum(dtype=np.float64))
        if n_tokens > _MOST_EXACT_TOKENS:
            raise ValueError(
                f"approximation='exact' takes up to {_MOST_EXACT_TOKENS:,} tokens, for "
                f"its cost grows with their square, and X holds {n_tokens:,}: take "
                f"'gaussian'."
            )
        if self.n_shards > 1:
            raise ValueError(
                f"n_shards={self.n_shards} is of no use for the small corpora of "
                f"approximation='exact': take n_shards=1."
            )
        return cut_weights(weights)

    def _check_memory(self, n_cells):
        needed = 4 * n_cells * padded(self.n_components)
        if self.approximation == "exact":
            needed += 16 * n_cells**2 * self.n_components
        free = _free_memory()
        if free is not None and needed > free / 2:
            raise MemoryError(
                f"fit keeps {self.n_components} probabilities for each of "
                f"{n_cells:,} document-word pairs: {needed / 2**30:.3g} GiB, more than "
                f"half of the {free / 2**30:.3g} GiB that are free. partial_fit takes "
                f"the documents in portions and keeps none."
            )

    def _fitted(self, fit: Fit) -> dict[str, Any]:
        components, theta = fit.finish()
        return {
            "components_": components,
            "doc_topic_": theta,
            "doc_topic_prior_": fit.doc_topic_prior,
            "topic_word_prior_": fit.topic_word_prior,
            "bound_": np.array(fit.bound),
            "bound_iter_": np.array(fit.bound_sweeps, dtype=np.int64),
            "n_iter_": fit.n_sweeps,
        }

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Move the topics towards those of a minibatch of documents.

        Stochastic CVB0 (Foulds et al., 2013), whatever the approximation of fit. The
        first call starts from random topics, or from those of fit.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words)
            Word counts, or other non-negative weights; never changed.
        y : None
            Ignored.

        Returns
        -------
        self
            The estimator, ready for transform, score and more documents.

        Raises
        ------
        ValueError
            If X holds anything else, or a parameter is out of its range.

        Notes
        -----
        Cost: O(K) per document-word pair and per word. Memory: 40 K bytes per word.
        """
        first = not hasattr(self, "components_")
        with self._unless_it_fails():
            weights = self._check_weights(X, reset=first)
            fitted = self._moved(weights, first)
        for name in ("doc_topic_", "bound_", "bound_iter_", "n_iter_"):
            vars(self).pop(name, None)  # of fit, and no longer true
        vars(self).update(fitted)
        return self

    def _moved(self, weights, first) -> dict[str, Any]:
        """Return the fitted attributes after one more minibatch."""
        n_words, n_docs = self.n_features_in_, weights.doc_ptr.size - 1
        scale = self.total_samples / n_docs
        if first:
            alpha, beta = self._check_doc_topic_prior(), self._check_topic_word_prior()
            rng = np.random.default_rng(self._seed())
            counts = rng.standard_exponential((alpha.size, n_words))
            counts *= scale * weights.count.sum(dtype=np.float64) / counts.sum()
        else:
            alpha, beta = self.doc_topic_prior_, self.topic_word_prior_
            counts = self.components_ - beta
        seen = 0 if first else vars(self).get("n_batch_iter_", 0)
        part, topics = prepare(weights, counts + beta, alpha)
        total = np.zeros_like(topics.word_topic)
        cvb_stochastic.expect(*part, topics.word_topic, topics.doc_topic_prior, total)
        # [3]_: N <- (1 - r) N + r S, S of the minibatch, scaled to all documents.
        step = (self.learning_offset + seen + 1) ** -self.learning_decay
        counts *= 1 - step
        counts[:, np.unique(weights.word)] += step * scale * total.T[: alpha.size]
        return {
            "components_": counts + beta,
            "doc_topic_prior_": alpha,
            "topic_word_prior_": beta,
            "n_batch_iter_": seen + 1,
        }


def _free_memory() -> int | None:
    """Return the bytes that could be allocated, None where nobody tells."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        facts = dict(line.split(":", 1) for line in lines)
        return 1024 * int(facts["MemAvailable"].split()[0])
    except (OSError, KeyError, ValueError):
        return None
