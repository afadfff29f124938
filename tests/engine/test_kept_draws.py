"""The samples that a chain keeps: which they are, what they hold, what they cost."""

import numpy as np
import pytest
from sklearn.base import clone

from sklda import ECGSLDA, CollapsedGibbsLDA
from sklda._data import notices
from sklda._data.corpus import check_corpus
from sklda._engine import estimator, kept_samples
from sklda._engine.chain import Chain
from sklda._sampling.parameters import make_problem
from sklda.datasets import make_lda_corpus
from sklda.diagnostics import sample_chains
from tests.helpers.comparison import assert_same_fit
from tests.helpers.ways_to_fit import GIBBS

X = make_lda_corpus(40, 30, 4, document_length=30, random_state=0)[0].toarray()
X[7] = 0
X[:, 11] = 0
X[3, 2] = 300  # more than a byte holds
PARAMS = {"max_iter": 29, "burn_in": 11, "thin": 3, "random_state": 0}
MODELS = GIBBS | {
    "many topics": CollapsedGibbsLDA(300, learn_priors="symmetric"),  # beyond a byte
    "dynamic in shards": ECGSLDA(n_shards=2),
}
each = pytest.mark.parametrize("name", MODELS)


def model(name, keep_draws):
    model = clone(MODELS[name]).set_params(**PARAMS, keep_draws=keep_draws)
    if name != "many topics":
        model.n_components = 4
    return model


@each
def test_the_last_samples_are_kept(name, monkeypatch):
    samples, keep = {}, Chain.keep

    def noting(self):
        samples[self.n_sweeps] = self.z.copy()
        keep(self)

    monkeypatch.setattr(Chain, "keep", noting)
    lda = model(name, 4).fit(X)
    draws, K = lda.draws_, lda.n_components
    assert draws.sweeps.tolist() == [20, 23, 26, 29]
    assert (draws.n_documents, draws.n_words, draws.n_topics) == (*X.shape, K)
    np.testing.assert_array_equal(draws.doc_topic_prior, lda.doc_topic_prior_)
    assert draws.topic_word_prior == lda.topic_word_prior_
    documents, words = np.nonzero(X)
    tokens = X[documents, words]
    for i, sweep in enumerate(draws.sweeps):
        z = samples[sweep]
        doc_topic, word_topic = np.zeros((len(X), K)), np.zeros((X.shape[1], K))
        np.add.at(doc_topic, (np.repeat(documents, tokens), z), 1)
        np.add.at(word_topic, (np.repeat(words, tokens), z), 1)
        np.testing.assert_array_equal(draws.doc_topic_counts(i).toarray(), doc_topic)
        found = draws.topic_word_counts(i).toarray()
        np.testing.assert_array_equal(found, word_topic.T)


@each
def test_means_of_all_draws_are_the_estimates(name):
    lda = model(name, 6).fit(X)
    draws = lda.draws_
    theta = [draws.doc_topic(i) for i in range(draws.n_draws)]
    np.testing.assert_allclose(np.mean(theta, axis=0), lda.doc_topic_, rtol=1e-12)
    counts = [draws.topic_word_counts(i).toarray() for i in range(draws.n_draws)]
    components = np.mean(counts, axis=0) + lda.topic_word_prior_
    np.testing.assert_allclose(components, lda.components_, rtol=1e-12)


@each
def test_keeping_draws_does_not_change_samples(name):
    without = model(name, 0).fit(X)
    assert without.draws_ is None
    assert_same_fit(model(name, 4).fit(X), without, but=["draws_"])


def test_a_snapshot_keeps_the_last_sample_too():
    lda = model("registers", 3)
    problem, threads = make_problem(lda, check_corpus(lda, X, reset=True)), None
    sampler = lda._make_sampler(problem, threads)
    chain = Chain(sampler, problem, estimator.random_streams(0), 3)
    for _ in range(4):
        chain.sweep()
        chain.keep()
    chain.sweep()
    assert [draw.sweep for draw in chain.snapshot().draws] == [3, 4, 5]
    assert [draw.sweep for draw in chain.draws] == [2, 3, 4]


@pytest.mark.parametrize("name", ["registers", "uncollapsed", "dynamic"])
def test_more_draws_than_kept_samples_are_refused(name):
    assert model(name, 6).fit(X).draws_.n_draws == 6
    words = r"keep_draws=7 exceeds .* 6: .*thin=3.*burn_in=11.*max_iter=29"
    words = rf"{words}.*smaller thin, or burn_in=11 with max_iter=32\.$"
    with pytest.raises(ValueError, match=words):
        model(name, 7).fit(X)
    for params in ({"thin": 2}, {"burn_in": 11, "max_iter": 32}):
        assert model(name, 7).set_params(**params).fit(X).draws_.n_draws >= 7


@pytest.mark.parametrize(
    ("keep_draws", "sweeps"),
    [(1, [20]), (2, [14, 20]), (3, [12, 16, 20]), (4, [14, 16, 18, 20])],
)
def test_draws_are_evenly_spaced_kept_samples(keep_draws, sweeps):
    lda = CollapsedGibbsLDA(2, max_iter=20, burn_in=8, keep_draws=keep_draws)
    assert lda.fit(X).draws_.sweeps.tolist() == sweeps  # of 10, 12, ..., 20


def most_bytes(lda):
    """Return what a draw of a fit to X takes at most."""
    return kept_samples.most_bytes(make_problem(lda, check_corpus(lda, X, reset=True)))


@pytest.mark.parametrize("n_topics", [2, 50])
def test_draws_take_at_most_what_is_checked(n_topics):
    lda = CollapsedGibbsLDA(
        n_topics, doc_topic_prior=9.0, topic_word_prior=9.0, keep_draws=5, thin=1
    ).fit(X)
    most = 5 * most_bytes(lda)
    assert most / 2 <= lda.draws_.nbytes <= most  # topics are spread here


def test_too_much_memory_is_refused_before_sampling(monkeypatch):
    lda = model("registers", 5)
    needed = 5 * most_bytes(lda)
    monkeypatch.setattr(notices, "free_memory", lambda: 2 * needed)
    expected = lda.fit(X).components_
    monkeypatch.setattr(notices, "free_memory", lambda: 2 * needed - 2)
    monkeypatch.setattr(estimator, "Chain", None)
    words = f"keep_draws=5 .*{needed:,} bytes.*{2 * needed - 2:,} .*fewer draws\\.$"
    with pytest.raises(MemoryError, match=words):
        lda.fit(X[::-1])
    np.testing.assert_array_equal(lda.components_, expected)


def test_chains_need_memory_for_all_of_them(monkeypatch):
    pytest.importorskip("arviz_stats")
    lda = model("registers", 5)
    n_bytes = 5 * most_bytes(lda)
    monkeypatch.setattr(notices, "free_memory", lambda: 4 * n_bytes)
    sample_chains(lda, X, n_chains=2)
    with pytest.raises(MemoryError, match=f"of 3 chains .* {3 * n_bytes:,} bytes"):
        sample_chains(lda, X, n_chains=3)
