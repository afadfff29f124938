"""`warm_start`: fits that go on with the chain of the last one."""

import pickle
import re

import numpy as np
import pytest
from sklearn.base import clone

from sklda import DMRLDA, ECGSLDA, CollapsedGibbsLDA, MedLDAClassifier
from sklda._data.corpus import n_documents_in_common
from sklda._engine.chain import Chain
from sklda.datasets import make_lda_corpus
from sklda.diagnostics import sample_chains
from tests.helpers.callbacks import Recorder
from tests.helpers.comparison import assert_same_fit
from tests.helpers.corpora import corpus_of
from tests.helpers.ways_to_fit import GIBBS, SAMPLED, SUPERVISED, InLists, given_for

X = make_lda_corpus(40, 30, 4, document_length=30, random_state=0)[0].toarray()
LABELS, NUMBERS = np.arange(40) % 3, np.linspace(0, 1, 40)
MODELS = (
    GIBBS
    | SUPERVISED
    | {
        "many topics": CollapsedGibbsLDA(130),
        "lists in shards": InLists(n_shards=3),
        "learned priors": CollapsedGibbsLDA(learn_priors="asymmetric"),
        "draws": CollapsedGibbsLDA(keep_draws=4),
        "dynamic in shards": ECGSLDA(n_shards=3),
    }
)
MODELS |= {
    f"{name}, sampled": clone(model).set_params(**SAMPLED)
    for name, model in MODELS.items()
    if name in (*GIBBS, *SUPERVISED, "many topics")
}
MODELS |= {"covariates": DMRLDA(), "light in shards": MedLDAClassifier(n_shards=3)}
each = pytest.mark.parametrize("name", MODELS)


def make(name, **params):
    model = clone(MODELS[name]).set_params(random_state=0, thin=4, burn_in=10)
    if "many topics" not in name:
        model.n_components = 4
    if hasattr(model, "evaluate_every"):
        model.evaluate_every = 3
    if getattr(model, "learn_priors", None) == "auto":
        model.learn_priors = None
    return model.set_params(**params)


def fit(model):
    return model.fit(X, **given_for(model, len(X)))


# --- one long chain --------------------------------------------------------------


@each
def test_two_fits_are_one_long_chain(name):
    expected = fit(make(name, max_iter=34))
    model = fit(make(name, max_iter=26, warm_start=True))
    model = pickle.loads(pickle.dumps(model))
    model.set_params(max_iter=8, burn_in=0, n_jobs=2)
    assert_same_fit(fit(model), expected)


@pytest.mark.parametrize("name", sorted(MODELS.keys() - {"learned priors", "draws"}))
def test_burn_in_counts_from_where_the_last_fit_stopped(name):
    params = {"init": "random"}  # or the longer burn-in would be annealed for longer
    model = fit(make(name, max_iter=26, warm_start=True, **params))
    fit(model.set_params(max_iter=8, burn_in=7))
    expected = fit(make(name, max_iter=34, burn_in=33, **params))
    assert_same_fit(model, expected)


def test_priors_are_learned_in_each_burn_in():
    model = fit(make("learned priors", max_iter=26, warm_start=True))
    learned = model.doc_topic_prior_
    fit(model.set_params(max_iter=8, burn_in=0))
    np.testing.assert_array_equal(model.doc_topic_prior_, learned)
    fit(model.set_params(max_iter=8, burn_in=7))  # to sweep 41
    assert (model.doc_topic_prior_ != learned).any()


def test_more_draws_than_one_fit_keeps():
    model = fit(make("draws", max_iter=26, warm_start=True))
    model.set_params(max_iter=8, burn_in=0)
    expected = fit(make("draws", max_iter=34))
    np.testing.assert_array_equal(fit(model).draws_.sweeps, expected.draws_.sweeps)
    with pytest.raises(
        ValueError, match=r"keep_draws=9 exceeds .* 2: .*and 4 of earlier"
    ):
        fit(model.set_params(keep_draws=9))


def test_progress_goes_on(capsys):
    model = fit(make("registers", max_iter=12, warm_start=True, verbose=1))
    fit(model.set_params(max_iter=6, burn_in=0))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[2] for line in lines] == [
        *(f"{sweep}/12," for sweep in (3, 6, 9, 12)),
        *(f"{sweep}/18," for sweep in (15, 18)),
    ]


def test_a_stopped_fit_goes_on():
    pytest.importorskip("sklearn.callback")

    params = {"init": "random"}
    model = make("lists in shards", max_iter=26, warm_start=True, **params)
    model.set_callbacks(Recorder(at=17))
    assert fit(model).n_iter_ == 17
    fit(model.set_params(max_iter=17, burn_in=16))
    expected = fit(make("lists in shards", max_iter=34, burn_in=33, **params))
    assert_same_fit(model, expected)


@pytest.mark.parametrize("name", ["registers", "light"])
def test_a_failure_leaves_the_chain_as_it_was(name, monkeypatch):
    model = fit(make(name, max_iter=26, warm_start=True))
    model.set_params(max_iter=8, burn_in=0)
    before = vars(model).copy()
    evaluate = Chain.keep

    def fail(self):
        if self.n_sweeps == 34:
            raise KeyboardInterrupt
        evaluate(self)

    with monkeypatch.context() as patch:
        patch.setattr(Chain, "keep", fail)
        with pytest.raises(KeyboardInterrupt):
            fit(model)
    assert vars(model) == before
    assert_same_fit(fit(model), fit(make(name, max_iter=34)))


# --- documents -------------------------------------------------------------------


ADDED = ["registers", "shards", "dynamic", "uncollapsed", "registers, sampled"]


@pytest.mark.parametrize("name", ADDED)
def test_documents_may_be_added(name):
    model = make(name, max_iter=26, warm_start=True).fit(X[:30])
    before = model.topic_assignments_
    fit(model.set_params(max_iter=1, burn_in=0))
    assert model.n_iter_ == 1
    assert model.doc_topic_.shape == (40, 4)
    prior = 4 * 30 * model.topic_word_prior_
    assert model.components_.sum() == pytest.approx(X.sum() + prior)
    # Most tokens keep their topic in a sweep; random ones would have three others.
    assert (model.topic_assignments_[: before.size] == before).mean() > 0.5
    again = make(name, max_iter=26, warm_start=True).fit(X[:30])
    assert_same_fit(fit(again.set_params(max_iter=1, burn_in=0, n_jobs=2)), model)


def test_added_documents_get_the_topics_of_the_others():
    blocks = np.kron(np.eye(2, dtype=int), np.full((20, 5), 8))
    model = CollapsedGibbsLDA(2, max_iter=40, random_state=0, warm_start=True)
    model.set_params(doc_topic_prior=0.1, topic_word_prior=0.1).fit(blocks[1:-1])
    topics = model.doc_topic_[[0, -1]].argmax(axis=1)
    X = np.vstack([blocks[1:-1], blocks[[0, -1]]])
    model.set_params(max_iter=1).fit(X)
    np.testing.assert_array_equal(model.doc_topic_[-2:].argmax(axis=1), topics)


OTHER_DOCUMENTS = [
    (X[::-1], "document 0 of X differs"),
    (np.vstack([X[:7], X[8:], X[:9]]), "document 7 of X differs"),
    (X[:-1], "X has 39 documents instead of 40"),
    (X[:, :-1], "29 features.*expecting 30"),
]


@pytest.mark.parametrize(
    ("name", "documents", "y", "words"),
    [
        *(
            ("registers", documents, None, words)
            for documents, words in OTHER_DOCUMENTS
        ),
        ("light", X[::-1], LABELS, "document 0 of X differs"),
        ("light", np.vstack([X, X[:1]]), np.append(LABELS, 0), "X has 41 documents"),
        ("light", X, LABELS + 1, "y must be the same"),
        ("gibbs", X, NUMBERS + 1, "y must be the same"),
    ],
)
def test_other_documents_and_labels_are_refused(name, documents, y, words):
    model = fit(make(name, max_iter=26, warm_start=True))
    before = vars(model).copy()
    with pytest.raises(ValueError, match=words):
        model.fit(documents, y)
    assert vars(model) == before


@each
def test_the_caller_may_change_attributes_between_the_fits(name):
    params = {"topic_word_prior": 0.2, "max_iter": 26, "warm_start": True}
    model, expected = (fit(make(name, **params)) for _ in range(2))
    for attribute, value in vars(model).items():
        is_of_fit = attribute.endswith("_") and attribute != "classes_"
        if is_of_fit and isinstance(value, np.ndarray):
            value[...] = np.roll(value, 1)
    for fitted_model in (model, expected):
        fit(fitted_model.set_params(max_iter=8, burn_in=0))
    assert_same_fit(model, expected)


def test_documents_in_common():
    counts = np.array([[1, 0, 2], [0, 0, 0], [0, 3, 1], [0, 0, 0]])
    corpus = corpus_of(counts)
    assert n_documents_in_common(corpus, corpus) == 4
    for n in range(5):
        assert n_documents_in_common(corpus, corpus_of(counts[:n])) == n
        assert n_documents_in_common(corpus_of(counts[:n]), corpus) == n
    for i, j, first in ((0, 0, 0), (0, 1, 0), (1, 0, 1), (2, 2, 2), (3, 1, 3)):
        other = counts.copy()
        other[i, j] += 1
        assert n_documents_in_common(corpus, corpus_of(other)) == first


# --- parameters ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("registers", {"n_components": 5}),
        ("registers", {"doc_topic_prior": [0.1, 0.2, 0.3, 0.4]}),
        ("registers", {"n_shards": 2}),
        ("blocks", {"blocking": "backward"}),
        ("dynamic", {"strategy": "shortcut"}),
        ("light", {"C": 3.0}),
        ("registers, sampled", {"hyperpriors": {"topic_word_prior": (1.0, 2.0)}}),
    ],
)
def test_what_the_chain_depends_on_must_not_change(name, change):
    ((parameter, _),) = change.items()
    model = fit(make(name, max_iter=26, warm_start=True))
    old = model.get_params()[parameter]
    model.set_params(**change)
    with pytest.raises(
        ValueError,
        match=rf"{parameter} must be .*: it was {re.escape(repr(old))}, and now it is",
    ):
        fit(model)
    expected = fit(make(name, max_iter=26, **change))
    assert_same_fit(fit(model.set_params(warm_start=False)), expected)


def test_what_a_fit_anew_leaves():
    model = fit(make("registers", max_iter=26, warm_start=True))
    assert clone(model)._stored is None
    fit(model.set_params(warm_start=False))
    assert model._stored is None
    with pytest.warns(UserWarning, match="kept no chain.*starts again") as caught:
        model.set_params(warm_start=True).fit(X)
    assert caught[0].filename == __file__
    assert_same_fit(model, fit(make("registers", max_iter=26)))


def test_chains_side_by_side_do_not_go_on_by_fit():
    pytest.importorskip("arviz_stats")
    model = fit(make("registers", max_iter=26, warm_start=True))
    chains = sample_chains(model, X, n_chains=2, random_state=0).more(4)
    assert not any(estimator.warm_start for estimator in chains.estimators_)
    assert_same_fit(chains.estimators_[0], clone(chains.estimators_[0]).fit(X))
