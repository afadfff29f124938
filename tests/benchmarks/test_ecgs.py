"""The experiments on dynamic sampling, and shards."""

from argparse import Namespace

import numpy as np
import pytest

from benchmarks import corpora, ecgs
from sklda import ECGSLDA


def fitted(estimator, X, sweeps, **parameters):
    """Return an estimator that keeps nothing but its last sweep."""
    schedule = {"max_iter": sweeps, "burn_in": sweeps - 1, "random_state": 3}
    priors = {"doc_topic_prior": 50 / 3, "topic_word_prior": 0.02}
    return estimator(3, init="random", **priors, **schedule, **parameters).fit(X)


@pytest.mark.parametrize("name", ["standard", "shortcut", "dynamic-2"])
def test_chain_is_the_one_of_the_estimator(counts, name):
    train, test = corpora.split_documents(counts)
    options = Namespace(topics=3, sweeps=12, every=4)
    chain = ecgs.run_chain(name, 3, train, test, options)
    strategy, _, damping = name.partition("-")
    parameters = {"damping": int(damping)} if damping else {}
    lda = fitted(ECGSLDA, train, 12, strategy=strategy, **parameters)
    assert len(chain["perplexity"]) == 3
    assert chain["perplexity"][-1] == pytest.approx(lda.perplexity(test), abs=6e-4)
    np.testing.assert_allclose(chain["sampling_rate"], lda.sampling_rate_, atol=6e-6)


def test_sampling_rates_lie_within_their_limits(counts):
    limits, cells = ecgs.rate_limits(counts), counts.data
    assert limits["shortcut"] == pytest.approx((cells > 0).sum() / cells.sum())
    draws = np.where(cells <= 2, cells, 1)
    assert limits["dynamic"] == pytest.approx(draws.sum() / cells.sum())
    options = Namespace(topics=3, sweeps=6, every=6)
    names = ("standard", "dynamic-10", "shortcut")
    found = [ecgs.run_chain(n, 0, counts, counts, options) for n in names]
    standard, dynamic, shortcut = (chain["sampling_rate"] for chain in found)
    assert standard == [1.0] * 6
    assert shortcut == [round(limits["shortcut"], 5)] * 6
    assert dynamic[0] == 1
    assert limits["dynamic"] < dynamic[-1] < 1


@pytest.mark.parametrize("sampler", list(ecgs.SAMPLERS))
def test_shards_are_those_of_the_estimator_on_any_number_of_threads(counts, sampler):
    data = train, test = corpora.split_documents(counts)
    options = [Namespace(shards=[1, 4], threads=n, sweeps=6) for n in (2, 1)]
    result, again = (ecgs.time_shards(*data, sampler, 3, 3, o) for o in options)
    assert result["perplexity"] == again["perplexity"]
    assert [len(seconds) for seconds in result["seconds"].values()] == [6, 6]
    assert result["perplexity"][1] != result["perplexity"][4]
    for n_shards, perplexity in result["perplexity"].items():
        lda = fitted(ecgs.SAMPLERS[sampler], train, 6, n_shards=n_shards)
        assert perplexity == pytest.approx(lda.perplexity(test))


def test_shards_are_compared_with_the_first_number_of_them():
    starts = [
        {"seconds": {1: [4.0, 4.0], 2: [2.0, 2.0]}, "perplexity": {1: 90, 2: 101}},
        {"seconds": {1: [4.0, 9.0], 2: [2.0, 1.0]}, "perplexity": {1: 110, 2: 103}},
    ]
    first, second = ecgs.rows_of(starts)
    assert (first["n_shards"], first["seconds"], first["speed_up"]) == (1, 4, 1)
    assert (second["n_shards"], second["seconds"], second["speed_up"]) == (2, 2, 2)
    assert (first["perplexity"], first["relative"]) == (100, 1)
    assert (second["perplexity"], second["relative"]) == (102, 1.02)
    assert second["relative_of_starts"] == [1.01, 1.03]
