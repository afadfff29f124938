"""CVBLDA as users meet it: convergence, weights, shards, memory, interruptions."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from sklda import CVBLDA
from sklda._data import notices
from sklda.datasets import make_lda_corpus
from tests.helpers.comparison import assert_same_fit, fitted
from tests.helpers.corpora import dense_halves

X, THETA, TOPICS = make_lda_corpus(
    80, 30, 4, document_length=40, doc_topic_prior=0.2, random_state=0
)
APPROXIMATIONS = ["gaussian", "zero-order", "exact"]
REAL = APPROXIMATIONS[:2]
each = pytest.mark.parametrize("name", APPROXIMATIONS)
each_real = pytest.mark.parametrize("name", REAL)


def make(name="zero-order", **params):
    plain = {"init": "random", "learn_priors": None}
    params = {"tol": 0, "max_iter": 15, "random_state": 0, **plain, **params}
    return CVBLDA(params.pop("n_components", 4), approximation=name, **params)


def part_of_x(name):
    """Return the corpus, or as much of it as the approximation takes."""
    return X[:20] if name == "exact" else X


def test_one_topic_is_the_bound_itself():
    # There is one assignment, so the bound is the log evidence; and no change.
    counts = X[:20].toarray()
    values = [
        make(name, n_components=1, evaluate_every=1).fit(counts).bound_[0]
        for name in APPROXIMATIONS
    ]
    np.testing.assert_allclose(values, values[-1], rtol=1e-4)
    assert make(n_components=1, tol=1e-5).fit(counts).n_iter_ <= 2


# Convergence


@each
def test_it_stops_where_nothing_moves(name):
    model = make(name, tol=0.01, max_iter=500).fit(part_of_x(name))
    assert 1 < model.n_iter_ < 500
    looser = make(name, tol=0.1, max_iter=500).fit(part_of_x(name))
    assert looser.n_iter_ < model.n_iter_
    same = make(name, max_iter=model.n_iter_, evaluate_every=4).fit(part_of_x(name))
    np.testing.assert_array_equal(model.components_, same.components_)
    assert same.bound_iter_.tolist() == list(range(4, model.n_iter_ + 1, 4))


@each
def test_warning_if_it_has_not_converged(name):
    match = r"max_iter=3 sweeps.*changed.*tol=1e-05.*increase max_iter"
    with pytest.warns(ConvergenceWarning, match=match):
        model = make(name, tol=1e-5, max_iter=3).fit(part_of_x(name))
    assert model.n_iter_ == 3


@pytest.mark.parametrize("how", ["symmetric", "asymmetric"])
@each_real
def test_learned_priors(name, how):
    model = make(name, learn_priors=how, max_iter=60, evaluate_every=10).fit(X)
    alpha = model.doc_topic_prior_
    assert (np.unique(alpha).size == 1) == (how == "symmetric")
    # Drawn with 0.2; of the default, 0.25 and 0.25, neither is left as it was.
    assert (alpha != 0.25).all()
    assert model.topic_word_prior_ != 0.25
    fixed = make(name, max_iter=60, evaluate_every=10).fit(X)
    assert model.bound_[-1] > fixed.bound_[-1]


def test_learned_priors_are_met_before_it_stops():
    model = make(learn_priors="symmetric", tol=1, max_iter=50).fit(X)
    assert model.n_iter_ == 11
    assert model.doc_topic_prior_[0] != 0.25


# Real weights


@pytest.mark.parametrize("prior", [0.2, 1e10])
@pytest.mark.parametrize("weight", [1e-7, 1e-9])
@each_real
def test_priors_learned_from_little(name, weight, prior):
    params = {"learn_priors": "symmetric", "max_iter": 25, "tol": 0}
    params |= {"doc_topic_prior": prior, "topic_word_prior": prior}
    little = make(name, **params).fit(weight * X)
    more = make(name, **params).fit(1e-5 * X)
    for learned in ("doc_topic_prior_", "topic_word_prior_"):
        np.testing.assert_allclose(
            getattr(little, learned), getattr(more, learned), rtol=0.05
        )


def test_score_of_fractions_is_that_of_their_halves():
    model = make().fit(X)
    new = np.random.default_rng(0).gamma(0.2, 2, (20, 30))
    first, second = dense_halves(new)
    assert (np.minimum(first, second) > 0).any()  # tokens of a weight above 1
    expected = sum(
        (b * np.log(model.transform(a) @ model.topic_word_)).sum()
        for a, b in ((first, second), (second, first))
    )
    assert model.score(new) == pytest.approx(expected / new.sum(), rel=1e-5)


# Shards


@each_real
def test_shards_come_near_the_serial_fit(name):
    sharded, serial = (make(name, n_shards=n, max_iter=25).fit(X) for n in (3, 1))
    assert abs(serial.components_ - sharded.components_).max() > 1e-3
    assert sharded.score(X) == pytest.approx(serial.score(X), abs=0.05)


# Memory and interruptions


def test_more_memory_than_is_free(monkeypatch):
    needed = 4 * 16 * X.nnz
    monkeypatch.setattr(notices, "free_memory", lambda: 2 * needed - 1)
    model = make()
    match = r"4 responsibilities.*half.*free memory: use partial_fit"
    with pytest.raises(MemoryError, match=match):
        model.fit(X)
    assert not fitted(model)
    model.partial_fit(X)
    monkeypatch.setattr(notices, "free_memory", lambda: None)
    make().fit(X)


@each_real
@pytest.mark.parametrize("n_shards", [1, 3])
def test_ctrl_c_is_heard_between_documents(name, n_shards, monkeypatch):
    params = {"max_iter": 5, "tol": 0, "n_shards": n_shards}
    expected = make(name, **params).fit(X)
    monkeypatch.setattr("sklda._data.corpus.MOST_STEPS", 1)
    assert_same_fit(make(name, **params).fit(X), expected)
