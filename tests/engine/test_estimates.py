"""Estimates that are made when they are read, and their sparse form."""

import pickle
from copy import copy, deepcopy

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.fixes import parse_version

from sklda import CVBLDA, DMRLDA, CollapsedGibbsLDA, MedLDAClassifier
from sklda._estimators.base import BaseTopicModel
from sklda.datasets import make_lda_corpus
from tests.helpers.ways_to_fit import given_for

K = 3
X = make_lda_corpus(40, 30, K, document_length=25, random_state=0)[0]
SWEEPS = {"n_components": K, "max_iter": 12, "thin": 2, "random_state": 0}
CASES = {
    "fixed": CollapsedGibbsLDA(**SWEEPS),
    "lists": CollapsedGibbsLDA(**SWEEPS | {"n_components": 70}),
    "sampled": CollapsedGibbsLDA(**SWEEPS, learn_priors="hierarchical"),
    "covariates": DMRLDA(**SWEEPS),
    "classes": MedLDAClassifier(**SWEEPS),
}
each = pytest.mark.parametrize("name", CASES)


@pytest.fixture(scope="module")
def fit():
    def fitted(name):
        return clone(CASES[name]).fit(X, **given_for(CASES[name], 40))

    return fitted


@each
def test_sparse_estimates_lack_the_priors(name, fit):
    model = fit(name)
    components, theta = (part.toarray() for part in model.sparse_estimates())
    beta = model.components_ - components
    np.testing.assert_allclose(beta, beta[:, :1].repeat(30, axis=1), atol=1e-12)
    np.testing.assert_allclose(components.sum(), X.sum())
    shares = model.doc_topic_ - theta
    assert shares.min() > 0
    np.testing.assert_allclose(model.doc_topic_.sum(axis=1), 1)
    assert model.sparse_estimates()[1].nnz < theta.size


@each
def test_arrays_are_made_once_and_left_out_of_pickles(name, fit):
    model = fit(name)
    size = len(pickle.dumps(model))
    for attribute in ("components_", "doc_topic_"):
        array = getattr(model, attribute)
        assert array is getattr(model, attribute)
        assert array is getattr(copy(model), attribute)
        assert array.flags.writeable
        copied = getattr(deepcopy(model), attribute)
        assert copied is not array
        np.testing.assert_array_equal(copied, array)
    assert len(pickle.dumps(model)) == size


@each
def test_edits_count_and_are_pickled(name, fit):
    model, words = fit(name), [3, 4]
    expected = copy(model)
    expected.components_ = model.components_.copy()
    for edited in (model, expected):
        edited.components_[:, words] *= 10
    model.doc_topic_[0] = 7
    for way in (copy, deepcopy, lambda model: pickle.loads(pickle.dumps(model))):
        found = way(model)
        np.testing.assert_array_equal(found.components_, expected.components_)
        assert (found.doc_topic_[0] == 7).all()
        np.testing.assert_array_equal(found.transform(X), expected.transform(X))


def delete(model):
    del model.doc_topic_


def assign(model):
    model.components_ = np.ones((4, 30))


def edit(model):
    model.doc_topic_[0] = 7


@pytest.mark.parametrize("change", [delete, assign, edit])
def test_sparse_estimates_of_changed_arrays_are_refused(change, fit):
    model = fit("fixed")
    change(model)
    with pytest.raises(ValueError, match="not that of fit"):
        model.sparse_estimates()
    model.fit(X).sparse_estimates()


def no_array(*_):
    raise AssertionError("an array was made")


def test_neither_dir_nor_a_display_makes_arrays(fit, monkeypatch):
    model, cvb = fit("fixed"), CVBLDA(K, max_iter=2, tol=0).fit(X)
    monkeypatch.setattr(CollapsedGibbsLDA, "_made", no_array)
    monkeypatch.setattr(BaseTopicModel, "topic_word_", property(no_array))
    names = {"components_", "doc_topic_", "topic_word_"}
    for fitted in (model, cvb):
        assert names < {*dir(fitted)}
        assert not names & {*dir(clone(fitted))}
        for shown in (fitted, make_pipeline(fitted)):
            html = shown._repr_mimebundle_()["text/html"]
            is_old = parse_version(sklearn.__version__) < parse_version("1.9")
            assert is_old or "topic_word_" in html
    del model.doc_topic_
    assert "doc_topic_" not in dir(model)


@each
def test_transform_reads_words_as_from_the_whole_array(name, fit):
    model, words = fit(name), np.array([0, 3, 29])
    of_words = X[:5].tolil()
    of_words[:, np.setdiff1d(np.arange(30), words)] = 0
    found = model.transform(of_words.tocsr())
    model.components_ = model.components_
    assert "components_" in vars(model)
    np.testing.assert_array_equal(model.transform(of_words.tocsr()), found)


def test_an_assigned_array_counts_until_the_next_fit(fit):
    model = fit("fixed")
    before = model.transform(X)
    model.components_ = model.components_[::-1].copy()
    assert not np.allclose(model.transform(X), before)
    loaded = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(loaded.components_, model.components_)
    loaded._topic_sums = fit("fixed")._topic_sums  # as scikit-learn for a callback
    np.testing.assert_array_equal(loaded.transform(X), before)
    model.fit(X)
    np.testing.assert_array_equal(model.transform(X), before)


def test_documents_can_be_deleted(fit):
    model = fit("fixed")
    size = len(pickle.dumps(model))
    del model.doc_topic_
    assert not hasattr(model, "doc_topic_")
    assert len(pickle.dumps(model)) < size
