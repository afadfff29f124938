"""Recorded scalars, compared with their definitions."""

import numpy as np
import pytest
from scipy.special import entr
from scipy.stats import chi2

from sklda import CollapsedGibbsLDA, MedLDAClassifier
from sklda._data.corpus import check_corpus, check_weights
from sklda.datasets import make_lda_corpus
from sklda.diagnostics._chains import (
    N_PAIRS,
    HeldOut,
    Recorder,
    Stop,
    Stopped,
    draw_pairs,
)
from tests.helpers.ways_to_fit import InLists

X = make_lda_corpus(40, 30, 4, document_length=30, random_state=0)[0]
X_TEST = make_lda_corpus(5, 30, 4, document_length=30, random_state=1)[0]
Y = np.arange(40) % 3


def recorder_for(model):
    corpus = check_corpus(model, X, reset=True)
    weights = check_weights(model, X_TEST, reset=False, whole=True)
    pairs = draw_pairs(corpus, np.random.default_rng(0))
    return Recorder(pairs, HeldOut.of(weights), Stop())


@pytest.mark.parametrize("cls", [CollapsedGibbsLDA, InLists])
def test_scalars_are_those_of_the_sample(cls):
    params = {"max_iter": 6, "burn_in": 5, "random_state": 0, "topic_word_prior": 0.1}
    params |= {"evaluate_every": 1}
    model = cls(4, **params)
    recorder = recorder_for(model)
    model._fit_chain(X, None, recorder)
    same = cls(4, **params).fit(X)
    z = same.topic_assignments_
    np.testing.assert_array_equal(model.topic_assignments_, z)
    n_k = np.bincount(z, minlength=4)
    expected = {
        "log_joint": same.log_joint_[-1] / z.size,
        "test_log_probability": same.score(X_TEST),
        "n_effective_topics": np.exp(entr(n_k / z.size).sum()),
    }
    assert recorder.values.keys() == expected.keys()
    for name, values in recorder.values.items():
        np.testing.assert_allclose(values, [expected[name]], rtol=1e-6, err_msg=name)
    first, second = recorder.pairs.T
    (together,) = recorder.together
    np.testing.assert_array_equal(together, z[first] == z[second])


def test_alpha_is_that_of_the_sample():
    params = {"max_iter": 8, "random_state": 0, "learn_priors": "hierarchical"}
    model = CollapsedGibbsLDA(4, burn_in=4, thin=1, **params)
    recorder = recorder_for(model)
    model._fit_chain(X, None, recorder)
    last = CollapsedGibbsLDA(4, burn_in=7, **params).fit(X)
    found = recorder.values["test_log_probability"]
    assert len(found) == 4
    assert found[-1] == pytest.approx(last.score(X_TEST), rel=1e-6)


SAMPLED = {
    "learn_priors": "hierarchical",
    "hyperpriors": {"topic_word_prior": (1.0, 1.0)},
}


def test_what_labels_and_sampled_priors_add():
    model = MedLDAClassifier(3, max_iter=6, burn_in=2, thin=2, **SAMPLED)
    recorder = recorder_for(model)
    model._fit_chain(X, Y, recorder)
    traces = "doc_concentration", "weight_concentration", "n_topics", "topic_word_prior"
    assert {*list(recorder.values)[3:]} == {"loss", *traces}
    for name in traces:  # after sweeps 4 and 6
        assert recorder.values[name] == model.prior_trace_[name][[3, 5]].tolist()
    assert recorder.values["loss"][-1] == model.loss_[-1]
    assert recorder.together[0].shape == (N_PAIRS,)


def test_a_chain_stops_when_told():
    model = CollapsedGibbsLDA(4, max_iter=20, random_state=0)
    recorder = recorder_for(model)
    before = dict(vars(model))
    recorder.stop.is_set = True
    with pytest.raises(Stopped):
        model._fit_chain(X, None, recorder)
    assert vars(model) == before


def test_half_of_the_pairs_lie_within_documents():
    model = CollapsedGibbsLDA(4)
    # Lengths 0 to 6; documents of one token can only pair it with itself.
    counts = np.arange(7)[:, np.newaxis]
    corpus = check_corpus(model, counts, reset=True)
    pairs = draw_pairs(corpus, np.random.default_rng(0))
    document = np.repeat(np.arange(7), counts[:, 0])
    assert pairs.shape == (N_PAIRS, 2)
    assert pairs.min() >= 0
    within, anywhere = np.split(pairs, 2)
    first_document, second_document = document[within].T
    np.testing.assert_array_equal(first_document, second_document)
    alone = within[:, 0] == within[:, 1]
    np.testing.assert_array_equal(alone, first_document == 1)
    assert 0.5 < (document[anywhere[:, 0]] != document[anywhere[:, 1]]).mean() < 1
    # All tokens are equally likely to come first and second.
    for tokens in (within[:, 0], within[:, 1], anywhere[:, 0], anywhere[:, 1]):
        found = np.bincount(tokens, minlength=21)
        statistic = ((found - found.mean()) ** 2 / found.mean()).sum()
        assert chi2(20).sf(statistic) > 1e-4
