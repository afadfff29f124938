"""Experiments follow the chains that the estimators run, and sum them up."""

from argparse import Namespace

import numpy as np
import pytest

from benchmarks import blocking, corpora, ecgs
from sklda import CollapsedGibbsLDA


def test_levels_are_those_of_the_first_sampler():
    def chain(pace, posterior, perplexity):
        sweeps = np.arange(1, 5)
        curves = {"log_posterior": posterior, "perplexity": perplexity}
        return {"sweeps": sweeps, "seconds": pace * sweeps, **curves}

    single = [chain(1, [-9, -8, -7, end], [None, 30, None, 20]) for end in (-7, -6, -5)]
    nested = [chain(2, [-9, -6, -5, end], [None, 31, None, 21]) for end in (-5, -4, -3)]
    rows = blocking.levels({"single-site": single, "nested": nested})
    found = [(row["of"], row["after"], row["level"]) for row in rows]
    assert found == [("log_posterior", 4, -6), ("perplexity", 4, 20)]
    assert rows[0]["sweeps"] == pytest.approx({"single-site": 4, "nested": 2})
    assert rows[0]["seconds"] == pytest.approx({"single-site": 4, "nested": 4})
    assert rows[1]["seconds"] == {"single-site": pytest.approx(4), "nested": None}


def test_shards_are_those_of_the_estimator_on_any_number_of_threads(counts):
    data = train, test = corpora.split_documents(counts)
    options = [Namespace(shards=[1, 4], threads=n, sweeps=6) for n in (2, 1)]
    result, again = (ecgs.time_shards(*data, 3, 3, o) for o in options)
    assert result["perplexity"] == again["perplexity"]
    assert [len(seconds) for seconds in result["seconds"].values()] == [6, 6]
    schedule = {"max_iter": 6, "burn_in": 5, "random_state": 3, "init": "random"}
    priors = {"doc_topic_prior": 50 / 3, "topic_word_prior": 0.02}
    for n_shards, perplexity in result["perplexity"].items():
        lda = CollapsedGibbsLDA(3, n_shards=n_shards, **schedule, **priors).fit(train)
        assert perplexity == pytest.approx(lda.perplexity(test))
