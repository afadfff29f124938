"""The single-site chain that goes from rows of counts to lists of them."""

import numpy as np
import pytest

from sklda import CollapsedGibbsLDA
from sklda._gibbs.adaptive import AdaptiveChain
from sklda._core.corpus import check_corpus
from sklda._gibbs.kernels import single_site_rows as single_site_dense
from sklda._gibbs.kernels import single_site_lists as single_site_sparse
from sklda._gibbs.chain import Chain
from sklda.datasets import make_lda_corpus
from tests.helpers.comparison import assert_same_fit
from tests.helpers.corpora import words_of

MANY = 200
X = make_lda_corpus(60, 200, 3, document_length=150, random_state=0)[0]


def start_of(X, n_topics):
    """Return what chains take."""
    corpus = check_corpus(CollapsedGibbsLDA(), X, reset=True)
    seed = np.random.SeedSequence(0)
    return corpus, X.shape[1], np.full(n_topics, 0.01), 0.01, seed


@pytest.fixture
def start():
    """Return the start of chains with more topics than the corpus needs."""
    return start_of(X, MANY)


def recounted(chain):
    """Return both tables, from the topics of the tokens alone."""
    word_topic = np.zeros((chain.n_words, chain.n_topics), int)
    np.add.at(word_topic, (words_of(chain.corpus), chain.state.z), 1)
    return word_topic, word_topic.sum(axis=0)


def assert_counted(chain):
    counts = chain.kernel.read_counts(chain.state)
    word_topic, topic = recounted(chain)
    np.testing.assert_array_equal(counts.word_topic[:, : chain.n_topics], word_topic)
    np.testing.assert_array_equal(counts.topic[: chain.n_topics], topic)


def test_it_goes_over_to_lists_and_stays_the_same_chain(start):
    chain, plain = AdaptiveChain(*start), Chain(single_site_dense, *start)
    kernels = [chain.kernel]
    for _ in range(40):
        chain.sweep()
        plain.sweep()
        np.testing.assert_array_equal(chain.state.z, plain.state.z)
        if kernels[-1] is not chain.kernel:
            plain.change_kernel(single_site_sparse)
        kernels.append(chain.kernel)
        assert_counted(chain)
    assert kernels[0] is single_site_dense
    assert kernels[-1] is single_site_sparse
    assert plain.kernel is single_site_sparse


@pytest.mark.parametrize("n_shards", [1, 3])
@pytest.mark.parametrize("kernel", [single_site_dense, single_site_sparse])
def test_nothing_is_lost_by_a_change(start, kernel, n_shards):
    chain = Chain(single_site_dense, *start, n_shards)
    with chain.threads():
        for _ in range(3):
            chain.sweep()
        z = chain.state.z.copy()
        chain.change_kernel(kernel)
        np.testing.assert_array_equal(chain.state.z, z)
        assert_counted(chain)
        for _ in range(3):
            chain.sweep()
            assert_counted(chain)
    assert (chain.state.z != z).any()


def test_a_change_goes_on_with_the_random_numbers(start):
    changed, plain = (Chain(single_site_dense, *start) for _ in range(2))
    for _ in range(6):
        changed.sweep()
        plain.sweep()
        changed.change_kernel(single_site_dense)
        np.testing.assert_array_equal(changed.state.z, plain.state.z)


def test_a_table_far_larger_than_the_lists_is_never_made():
    chain = AdaptiveChain(*start_of(X, 20_000))
    assert chain.kernel is single_site_sparse
    assert chain.state.list_topic.nbytes < 4 * X.shape[1] * 20_000 / 4


@pytest.mark.parametrize("n_documents", [1, 60])
def test_few_topics_stay_in_rows(n_documents):
    chain = AdaptiveChain(*start_of(X[:n_documents], 20))
    for _ in range(20):
        chain.sweep()
    assert chain.kernel is single_site_dense


def fit(**params):
    params = {"max_iter": 30, "random_state": 0, **params}
    return CollapsedGibbsLDA(MANY, topic_word_prior=0.01, **params).fit(X)


def test_threads_do_not_change_it():
    assert_same_fit(fit(n_shards=3), fit(n_shards=3, n_jobs=2))


def test_all_samplers_explain_the_corpus_as_well():
    ends = [
        np.mean([fit(sampler=sampler, random_state=s).log_joint_[-1] for s in range(3)])
        for sampler in ("auto", "dense", "sparse")
    ]
    assert np.ptp(ends) < 0.01 * abs(np.mean(ends))


def test_sampler_is_of_the_single_site_chain():
    with pytest.raises(ValueError, match="set sampler='auto' or blocking=None"):
        fit(sampler="dense", blocking="nested")
    with pytest.raises(ValueError, match="The 'sampler' parameter"):
        fit(sampler="lists")
    assert fit(sampler="auto", blocking="nested", max_iter=2).n_iter_ == 2
