"""A fit on a cluster is one on one machine, bit for bit; its shards are AD-LDA."""

import numpy as np
import pytest

pytest.importorskip("distributed", reason='sklda.dask needs the extra "dask"')

from sklda.dask import CollapsedGibbsLDA, _chain
from tests.dask.corpora import (
    INPUTS,
    PARAMS,
    PRIORS,
    X,
    assert_same_as_local,
    both,
    delayed_blocks,
    fit_local,
)


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize(
    ("sizes", "n_partitions"),
    [([60], 1), ([60], 5), ([7, 23, 0, 30, 0], 2), ([5] * 12, 3)],
    ids=str,
)
def test_partially_collapsed_for_any_chunks(sizes, n_partitions, monkeypatch):
    monkeypatch.setattr(_chain, "LEAST_BLOCK", 64)  # else one block has all words
    model, local = both("PartiallyCollapsedGibbsLDA", {"n_partitions": n_partitions})
    assert_same_as_local(model.fit(delayed_blocks(sizes)), local.fit(X))


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize(
    "params",
    [
        {"n_shards": 1},
        {"n_shards": 5},
        {"n_shards": 3, "n_components": 130},  # lists
        {"n_shards": 2, "blocking": "nested", "max_block_size": None},
        {"n_shards": 3, "sampler": "sparse", **PRIORS},
    ],
    ids=str,
)
def test_shards(params, monkeypatch):
    monkeypatch.setattr(_chain, "LEAST_BLOCK", 64)
    model, local = both("CollapsedGibbsLDA", **params)
    assert_same_as_local(model.fit(delayed_blocks()), local.fit(X))


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize("sizes", [[60], [7, 23, 30], [5] * 12], ids=str)
def test_the_default_shards_do_not_depend_on_chunks(sizes):
    model, local = CollapsedGibbsLDA(**PARAMS), CollapsedGibbsLDA(**PARAMS, n_shards=8)
    assert_same_as_local(model.fit(delayed_blocks(sizes)), fit_local(local))
    assert model.n_partitions_ == 8


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize("n_documents", [1, 2, 5])
def test_more_shards_than_documents(n_documents):
    some = X[:n_documents]
    model, local = both("CollapsedGibbsLDA", n_shards=99)
    assert_same_as_local(
        model.fit(delayed_blocks([n_documents], some)), local.fit(some)
    )


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize("make", INPUTS.values(), ids=INPUTS)
def test_everything_that_X_can_be(make):
    model, local = both("PartiallyCollapsedGibbsLDA", max_iter=6)
    local.fit(X)
    assert_same_as_local(model.fit(make()), local)
    theta = model.transform(make())
    assert theta.shape[1] == 4
    np.testing.assert_array_equal(theta.compute(), local.transform(X))
    assert model.score(make()) == pytest.approx(local.score(X), rel=1e-12)
    assert model.perplexity(make()) == pytest.approx(local.perplexity(X), rel=1e-12)
