"""Samplers that draw phi first: the same bits whatever the number of threads."""

import _thread

import numpy as np
import pytest

from sklda import CollapsedGibbsLDA, PartiallyCollapsedGibbsLDA, UncollapsedGibbsLDA
from sklda.datasets import make_lda_corpus
from tests.helpers.comparison import assert_same_fit

X = make_lda_corpus(40, 30, 4, document_length=30, random_state=0)[0]
CLASSES = [PartiallyCollapsedGibbsLDA, UncollapsedGibbsLDA]
# Cut small corpora into many slices, and slices into many blocks.
CUTS = {
    "sklda._gibbs.partially_collapsed_sampler": {"BLOCK": 4},
    "sklda._gibbs.uncollapsed_sampler": {"_WORDS": 4, "_TOKENS": 50, "_GAMMAS": 8},
}


@pytest.fixture
def many_slices(monkeypatch):
    for module, sizes in CUTS.items():
        for name, size in sizes.items():
            monkeypatch.setattr(f"{module}.{name}", size)


@pytest.fixture(params=CLASSES)
def fit(request):
    """Return a function that fits one of the classes."""

    def fit(X=X, **params):
        params = {"n_components": 4, "max_iter": 10, "random_state": 0, **params}
        return request.param(**params).fit(X)

    return fit


@pytest.mark.usefixtures("many_slices")
@pytest.mark.parametrize("n_topics", [1, 4, 21])
def test_the_fit_does_not_depend_on_the_number_of_threads(fit, n_topics):
    params = {"n_components": n_topics, "learn_priors": "asymmetric", "max_iter": 25}
    model = fit(**params)
    for n_jobs in (1, 2, 3, -1):
        assert_same_fit(fit(**params, n_jobs=n_jobs), model)
    assert n_topics == 1 or model.topic_assignments_.any()


def test_the_fit_of_a_larger_corpus_does_not_depend_on_it_either(fit):
    # With the sizes of slices that users have: several of words, 13 of documents.
    X = make_lda_corpus(500, 600, 4, random_state=0)[0]
    model = fit(X)
    for n_jobs in (2, 3):
        assert_same_fit(fit(X, n_jobs=n_jobs), model)


def test_one_job_needs_no_threads(fit, monkeypatch):
    monkeypatch.setattr(_thread, "start_new_thread", None)
    fit()
    fit(n_jobs=1)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(
    "X",
    [
        np.array([[3]]),
        np.array([[1, 0, 2]]),
        np.array([[0, 0], [1, 2], [0, 0]]),
        np.zeros((3, 2), int),
    ],
    ids=["1 word", "1 document", "empty documents", "no tokens"],
)
@pytest.mark.usefixtures("many_slices")
def test_small_corpora(fit, X, n_jobs):
    for n_topics in (1, 3, 17):
        model = fit(X, n_components=n_topics, n_jobs=n_jobs, evaluate_every=1)
        words = model.components_.sum(axis=0) - n_topics * model.topic_word_prior_
        np.testing.assert_allclose(words, X.sum(axis=0), atol=1e-12)
        np.testing.assert_allclose(model.doc_topic_.sum(axis=1), 1)
        assert np.isfinite(model.log_joint_).all()


@pytest.mark.slow
def test_they_come_where_the_collapsed_sampler_is():
    params = {"n_components": 5, "doc_topic_prior": 0.2, "topic_word_prior": 0.1}
    params |= {"max_iter": 300, "evaluate_every": 1}
    X = make_lda_corpus(300, 100, 5, document_length=50, random_state=1)[0]

    def end(cls):
        fits = [cls(**params, random_state=seed).fit(X) for seed in range(3)]
        return np.mean([one.log_joint_[150:] for one in fits]) / X.sum()

    # In nats per token. Chains of one sampler differ by 0.01 from seed to seed, and
    # the log joint rises by 0.6 from its first sweep.
    ends = [end(cls) for cls in CLASSES]
    np.testing.assert_allclose(ends, end(CollapsedGibbsLDA), rtol=0, atol=0.02)


@pytest.mark.parametrize("cls", CLASSES)
def test_parameters_are_those_of_the_collapsed_sampler(cls):
    others, mine = CollapsedGibbsLDA().get_params(), cls().get_params()
    assert mine == {name: others[name] for name in mine}
