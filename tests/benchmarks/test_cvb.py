"""The experiments on collapsed variational Bayes."""

import numpy as np
import pytest
from sklearn.decomposition import LatentDirichletAllocation

from benchmarks import corpora, cvb, harness
from sklda import CVBLDA


def test_curve_of_a_program_is_of_its_checkpoints(counts):
    train, held_out = corpora.hold_out_tokens(counts)
    chain = cvb.run_chain("CVB0", 4, train, held_out, 3, [2, 5])
    program, values = cvb.new_program("CVB0", train, 3, 4), []
    for sweeps in (2, 3):
        program.sweep(sweeps)
        values.append(corpora.log_probability(*program.estimates(), held_out))
    assert chain["log_probability"] == pytest.approx(values, abs=6e-6)
    assert chain["documents"] == 40


def test_convergence_is_summed_up_by_the_end_and_the_way_there():
    def chains(*curves):
        return [{"log_probability": curve} for curve in curves]

    programs = {
        "VB": chains([-9, -8, -7], [-9, -8, -7.5], [-9, -8, -6]),
        "CVB": chains([-9, -6.5, -6], [-9, -6, -5]),
        "CVB0": chains([-9, -9, -8]),
    }
    rows = harness.summary([1, 5, 10], programs, "log_probability")
    end = {"median": -7, "range": [-7.5, -6], "reached": 10, "relative": 1}
    assert rows["VB"] == end
    assert (rows["CVB"]["median"], rows["CVB"]["reached"]) == (-5.5, 5)
    assert rows["CVB0"]["reached"] is None


def test_minibatches_hold_each_document_once_a_pass():
    batches = cvb.minibatches(10, 4, 2, seed=0)
    assert [batch.size for batch in batches] == [4, 4, 2] * 2
    first, second = np.concatenate(batches[:3]), np.concatenate(batches[3:])
    assert np.array_equal(np.sort(first), np.arange(10))
    assert np.array_equal(np.sort(second), np.arange(10))
    assert not np.array_equal(first, second)


def test_streams_are_fitted_and_scored_alike(counts):
    train, test = corpora.split_documents(counts)
    batches = cvb.minibatches(30, 8, 2, seed=0)
    curves = cvb.follow_stream(train, test, 3, 5, batches)
    assert list(curves) == ["SCVB0", "online VB"]
    priors = {"doc_topic_prior": 0.1, "topic_word_prior": 0.1, "random_state": 5}
    ldas = [
        e(3, **priors, total_samples=30) for e in (CVBLDA, LatentDirichletAllocation)
    ]
    for lda, curve in zip(ldas, curves.values(), strict=True):
        for batch in batches:
            lda.partial_fit(train[batch])
        assert curve["sweeps"] == [1, 2, 3, 5, 7, 8]
        assert curve["documents"] == [8, 16, 24, 38, 54, 60]
        assert len(curve["seconds"]) == 6
        value = cvb.completion_score(test, lda.components_, 0.1)
        assert curve["score"][-1] == pytest.approx(value, abs=6e-6)
    assert curves["SCVB0"]["score"][-1] == pytest.approx(ldas[0].score(test), abs=6e-6)
