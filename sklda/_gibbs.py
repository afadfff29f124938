"""Gibbs samplers for LDA."""

from types import ModuleType
from typing import ClassVar

from numpy.random import RandomState
from numpy.typing import ArrayLike

from sklda._base import BaseGibbsLDA
from sklda._kernels import single_site_dense, single_site_sparse
from sklda._sklearn import StrOptions

_DENSE_TOPICS = 160  # up to so many topics whole rows are faster than lists


class CollapsedGibbsLDA(BaseGibbsLDA):
    """Latent Dirichlet Allocation by collapsed Gibbs sampling.

    A document is a mixture of topics, theta_d ~ Dirichlet(alpha); a topic is a
    distribution over words, phi_k ~ Dirichlet(beta). Both are integrated out, and a
    sweep draws the topic of each token given those of all other tokens [1]_. The
    chain converges to the exact posterior.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics K, 1 to 65,535.
    blocking : None, "backward" or "nested", default=None
        Tokens drawn at a time: None is one. The others draw all tokens of one word in
        one document jointly; they are not there yet.
    doc_topic_prior : float or array-like of shape (n_components,), default=None
        Alpha, from 1e-10 to 1e10: small values give documents few topics. None is
        1 / K.
    topic_word_prior : float, default=None
        Beta, from 1e-10 to 1e10: small values give topics few words. None is 1 / K.
    learn_priors : None, "symmetric" or "asymmetric", default=None
        Whether alpha (one value, or one per topic) and beta are fitted to the data, by
        Minka's fixed point [2]_: every 10 sweeps during burn-in. Then they are frozen,
        so all kept samples come from one posterior. Both stay within 0.0001 and 1000.
    max_iter : int, default=200
        Sweeps.
    burn_in : int, default=None
        Sweeps at the start of which no sample is kept, less than `max_iter`. None is
        half of `max_iter`.
    thin : int, default=10
        Sweeps between two samples that are kept; the last sweep always is one.
    evaluate_every : int, default=10
        Sweeps between two entries of the trace `log_joint_`; 0 is never.
    n_shards : int, default=1
        Parts of the corpus that sweep side by side. 1 is the exact chain; more are
        not there yet.
    n_jobs : int, default=None
        Threads of transform and score; None is 1, -1 all processors. The result
        never depends on it.
    random_state : int, RandomState instance or None, default=None
        Seed; an int makes the fit repeatable.
    verbose : int, default=0
        1 prints a line per entry of the trace: sweep, log joint per token in nats,
        tokens per second.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features_in_)
        Expected tokens of each word on each topic, plus beta.
    topic_word_ : ndarray of shape (n_components, n_features_in_)
        Rows of `components_` normalised: the probability of each word in each topic.
    doc_topic_ : ndarray of shape (n_documents, n_components)
        Topic proportions of the training documents, mean over the kept samples.
    topic_assignments_ : ndarray of shape (n_tokens,)
        Topic of each training token in the last sweep; tokens in the order of
        documents, and of words within a document.
    log_joint_ : ndarray of shape (n_evaluations,)
        Trace of log p(w, z | alpha, beta), in nats, with all its constants.
    log_joint_iter_ : ndarray of shape (n_evaluations,)
        Sweeps after which the entries of `log_joint_` were taken.
    doc_topic_prior_ : ndarray of shape (n_components,)
        Alpha at the end.
    topic_word_prior_ : float
        Beta at the end.
    n_iter_ : int
        Sweeps done.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Words, where X named its columns.

    See Also
    --------
    sklearn.decomposition.LatentDirichletAllocation : Variational Bayes.

    Notes
    -----
    Cost of a sweep: at most O(K) per document-word pair, and O(K) per document; far
    less for many topics, for only those count that a word has. Memory: 2 bytes per
    token, 12 per document-word pair, 4 per word-topic pair that can occur, 8 K per
    document and 24 K per word.

    References
    ----------
    .. [1] T. L. Griffiths, M. Steyvers, "Finding scientific topics", PNAS 101 (2004),
       https://doi.org/10.1073/pnas.0307752101
    .. [2] T. P. Minka, "Estimating a Dirichlet distribution" (2000).

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> lda = CollapsedGibbsLDA(n_components=10, random_state=0).fit(X)
    >>> lda.transform(X[:3]).shape
    (3, 10)
    """

    _parameter_constraints: ClassVar[dict] = {
        **BaseGibbsLDA._parameter_constraints,
        "blocking": [None, StrOptions({"backward", "nested"})],
    }

    def __init__(
        self,
        n_components: int = 10,
        *,
        blocking: str | None = None,
        doc_topic_prior: float | ArrayLike | None = None,
        topic_word_prior: float | None = None,
        learn_priors: str | None = None,
        max_iter: int = 200,
        burn_in: int | None = None,
        thin: int = 10,
        evaluate_every: int = 10,
        n_shards: int = 1,
        n_jobs: int | None = None,
        random_state: int | RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.blocking = blocking
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.learn_priors = learn_priors
        self.max_iter = max_iter
        self.burn_in = burn_in
        self.thin = thin
        self.evaluate_every = evaluate_every
        self.n_shards = n_shards
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _kernel(self) -> ModuleType:
        if self.blocking is not None:
            raise NotImplementedError(
                f"blocking={self.blocking!r} is not there yet: take blocking=None, "
                f"which draws from the same posterior."
            )
        if self.n_shards > 1:
            raise NotImplementedError(
                f"n_shards={self.n_shards} is not there yet: take n_shards=1."
            )
        if self.n_components <= _DENSE_TOPICS:
            return single_site_dense
        return single_site_sparse
