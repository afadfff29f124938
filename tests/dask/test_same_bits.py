"""A fit on a cluster is one on one machine, bit for bit; its shards are AD-LDA."""

import numpy as np
import pytest

pytest.importorskip("distributed", reason='sklda.dask needs the extra "dask"')

from sklda.dask import _chain
from tests.dask import corpora

pytestmark = pytest.mark.usefixtures("client")


@pytest.mark.parametrize(
    ("name", "params", "sizes"),
    [
        ("partially collapsed", {"n_partitions": 1}, [60]),
        ("partially collapsed", {"n_partitions": 5}, [60]),
        ("partially collapsed", {"n_partitions": 2}, [7, 23, 0, 30, 0]),
        ("partially collapsed", {"n_partitions": 3}, [5] * 12),
        ("rows", {"n_shards": 8}, [60]),
        ("rows", {"n_shards": 8}, [7, 23, 30]),
        ("rows", {"n_shards": 8}, [5] * 12),
        ("rows", {"n_shards": 1}, [7, 23, 30]),
        ("rows", {"n_shards": 5}, [7, 23, 30]),
        ("lists", corpora.PRIORS, [7, 23, 30]),
        ("lists", {"n_components": 130, "sampler": "auto"}, [7, 23, 30]),
        ("lists", {"blocking": "nested", "max_block_size": None}, [7, 23, 30]),
    ],
    ids=str,
)
def test_a_fit_is_the_same_for_any_chunks(name, params, sizes, monkeypatch):
    monkeypatch.setattr(_chain, "LEAST_BLOCK", 64)  # else one block has all words
    model = corpora.make(name, **params).fit(corpora.delayed_blocks(sizes))
    corpora.assert_same_as_local(model, corpora.fit_local(model))


@pytest.mark.parametrize("n_documents", [1, 2, 5])
def test_more_shards_than_documents(n_documents):
    some = corpora.X[:n_documents]
    model = corpora.make("rows", n_shards=99)
    model.fit(corpora.delayed_blocks([n_documents], some))
    corpora.assert_same_as_local(model, corpora.fit_local(model, some))


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
