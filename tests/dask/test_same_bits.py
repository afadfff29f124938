"""A fit on a cluster is the one on one machine, bit for bit."""

import numpy as np
import pytest
from scipy import sparse

from sklda.dask import _samplers
from sklda.dask._cluster import Cluster
from tests.dask import corpora
from tests.helpers.selection import fast_and_slow

pytestmark = [pytest.mark.usefixtures("client"), corpora.WITH_PRIORS]


@pytest.mark.parametrize(
    ("name", "params", "sizes"),
    fast_and_slow(
        [
            ("partially collapsed", {"n_partitions": 2}, [7, 23, 0, 30, 0]),
            ("partially collapsed", corpora.SAMPLED, [7, 23, 0, 30, 0]),
            ("registers", {"n_shards": 2}, [7, 23, 30]),
            ("registers", corpora.PRIORS, [5] * 12),
            ("lists", {"n_shards": 1}, [5] * 12),
            ("lists", corpora.PRIORS, [7, 23, 0, 30, 0]),
            ("lists", {"blocking": "backward"}, [7, 23, 30]),
        ],
        [
            ("partially collapsed", {"n_partitions": 1}, [60]),
            ("partially collapsed", {"n_partitions": 5}, [60]),
            ("registers", {"n_shards": 1}, [7, 23, 30]),
            ("lists", {"n_components": 50}, [60]),
            ("registers", {"n_shards": 8}, [7, 23, 30]),
            ("registers", corpora.ALL_SAMPLED, [7, 23, 30]),
            ("lists", {**corpora.ALL_SAMPLED, "n_shards": 1}, [7, 23, 0, 30, 0]),
            ("lists", {"n_components": 130}, [7, 23, 30]),
            ("lists", {"blocking": "nested", "max_block_size": None}, [7, 23, 30]),
        ],
    ),
    ids=str,
)
def test_a_fit_is_the_same_for_any_chunks(name, params, sizes, monkeypatch):
    monkeypatch.setattr(_samplers, "LEAST_BLOCK", 64)  # else one block has all words
    model, documents = corpora.make(name, **params), corpora.delayed_blocks(sizes)
    corpora.assert_fits_as_local(model, documents)


@pytest.mark.parametrize("n_documents", [1, 2, 5])
def test_more_shards_than_documents(n_documents):
    X = corpora.X[:n_documents]
    documents = corpora.delayed_blocks([n_documents], X)
    corpora.assert_fits_as_local(corpora.make("registers", n_shards=99), documents, X)


@pytest.mark.parametrize("n_words", [1, 3, 30])
def test_shards_without_documents_or_words(n_words):
    # Cut into six, the documents make five shards; cut into five, four.
    counts = np.zeros((7, n_words), int)
    counts[:, -1] = [25, 20, 10, 12, 1, 3, 0]
    counts[:4, 0] += [0, 1, 0, 0]
    counts[1, -1] -= 1
    X = sparse.csr_array(counts)
    documents = corpora.delayed_blocks([7], X)
    corpora.assert_fits_as_local(corpora.make("lists", n_shards=6), documents, X)


@pytest.mark.parametrize("n_threads", fast_and_slow([3], [1, 2, 4, 5, 9]))
@pytest.mark.parametrize("name", ["registers", "lists"])
def test_shards_are_the_same_in_any_number_of_parts(name, n_threads, monkeypatch):
    monkeypatch.setattr(Cluster, "n_threads", n_threads)
    model = corpora.make(name, n_shards=5, n_jobs=2)
    corpora.assert_fits_as_local(model)
    assert model.n_partitions_ == min(n_threads, 5)


MUTANTS = {
    "tokens of the other parts are lost": (
        "add_topics",
        lambda *topics: ADD_TOPICS(*topics[:1] * len(topics)),
    ),
    "tokens of a part are counted twice": (
        "add_topics",
        lambda *topics: ADD_TOPICS(*topics, topics[0]),
    ),
    "words are cut by their number": (
        "shard_bounds",
        lambda n, *totals: [totals[0].size * i // n for i in range(n + 1)],
    ),
    "tokens at the start are not in the totals": (
        "begin",
        lambda part, *inputs: (states := BEGIN(part, *inputs))._replace(
            topic=states.topic + 1
        ),
    ),
    "shards exchange their streams": (
        "begin",
        lambda part, stream, *inputs: BEGIN(part, stream[:, ::-1].copy(), *inputs),
    ),
}
BEGIN, ADD_TOPICS = _samplers.begin, _samplers.add_topics


@pytest.mark.slow
@pytest.mark.parametrize(("name", "mutant"), MUTANTS.values(), ids=MUTANTS)
def test_mutants_have_other_bits(name, mutant, monkeypatch):
    monkeypatch.setattr(Cluster, "n_threads", 3)
    model = corpora.make("lists", n_shards=3)
    corpora.assert_fits_as_local(model)
    monkeypatch.setattr(_samplers, name, mutant)
    with pytest.raises(AssertionError):
        corpora.assert_fits_as_local(model)


@pytest.mark.parametrize("form", corpora.INPUTS.values(), ids=corpora.INPUTS)
def test_everything_that_X_can_be(form):
    model = corpora.make(max_iter=6, n_partitions=None).fit(form())
    local = corpora.fit_local(model)
    corpora.assert_same_as_local(model, local)
    theta = model.transform(form())
    assert theta.shape[1] == 4
    np.testing.assert_array_equal(theta.compute(), local.transform(corpora.X))
    assert model.score(form()) == pytest.approx(local.score(corpora.X), rel=1e-12)
    expected = local.perplexity(corpora.X)
    assert model.perplexity(form()) == pytest.approx(expected, rel=1e-12)
