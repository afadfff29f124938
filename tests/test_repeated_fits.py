"""Every estimator x every way to fit: the seed alone decides, and hardly anything fits.

Neither threads nor the form of X change a fit. Where fits need small slices or tables
to show it, the tests are with the sampler. `test_properties` draws more small corpora.
"""

import _thread
from itertools import product

import numpy as np
import pytest
from sklearn.base import clone

from sklda import (
    CVBLDA,
    DMRLDA,
    ECGSLDA,
    CollapsedGibbsLDA,
    MedLDAClassifier,
    MedLDARegressor,
)
from tests.helpers.comparison import assert_same_fit
from tests.helpers.public_names import estimators
from tests.helpers.supervised import INDICATORS, MAIN, THETA
from tests.helpers.supervised import X as LABELLED
from tests.helpers.ways_to_fit import GIBBS, SAMPLED, SUPERVISED, InLists, given_for

X = LABELLED[:60]
CLASSES, LABELS, NUMBERS = MAIN[:60], INDICATORS[:60], THETA[:60, 0]
LEARNED = {"learn_priors": "asymmetric"}
GRID = list(product(("light", "gibbs"), (2, None), (1, 3)))  # of MedLDA

FITS = {
    name: (clone(model).set_params(**LEARNED), None) for name, model in GIBBS.items()
}
for blocking, most, learn_priors in product(
    ("nested", "backward"), (3, None), (None, "symmetric", "asymmetric")
):
    params = {"max_block_size": most, "learn_priors": learn_priors}
    model = CollapsedGibbsLDA(blocking=blocking, **params)
    FITS[f"{blocking}, {most}, {learn_priors}"] = model, None
for approximation, n_shards in product(("gaussian", "zero-order"), (1, 3)):
    model = CVBLDA(approximation=approximation, n_shards=n_shards, tol=0)
    FITS[f"{approximation}, {n_shards}"] = model, None
for sampler, n_weight_steps, n_shards in GRID:
    params = {"sampler": sampler, "n_weight_steps": n_weight_steps}
    params |= {"n_shards": n_shards, **LEARNED}
    name = f"{sampler}, {n_weight_steps}, {n_shards}"
    FITS[f"classes, {name}"] = MedLDAClassifier(**params), CLASSES
    FITS[f"labels, {name}"] = MedLDAClassifier(**params), LABELS
    FITS[f"numbers, {name}"] = MedLDARegressor(**params), NUMBERS
FITS |= {
    "exact": (CVBLDA(approximation="exact", tol=0), None),
    "covariates": (DMRLDA(), None),
    "covariates, shards": (DMRLDA(n_shards=3), None),
    "lists, shards": (InLists(n_shards=3), None),
    "blocks, shards": (CollapsedGibbsLDA(blocking="nested", n_shards=3), None),
    "shortcut": (ECGSLDA(strategy="shortcut", **LEARNED), None),
    "shortcut, shards": (ECGSLDA(strategy="shortcut", n_shards=3), None),
    "dynamic, shards": (ECGSLDA(n_shards=3, **LEARNED), None),
}
for name, model in (GIBBS | SUPERVISED).items():
    y = {MedLDAClassifier: CLASSES, MedLDARegressor: NUMBERS}.get(type(model))
    FITS[f"sampled, {name}"] = clone(model).set_params(**SAMPLED), y
# With threads that have nothing to do before there are several shards.
IN_TURN = ("registers", "lists", "blocks", "dynamic", "shortcut")
IN_SHARDS = [n for n, (fit, _) in FITS.items() if getattr(fit, "n_shards", 1) == 3]
BEGUN = [*GIBBS, "covariates", "numbers, light, 2, 1"]
BEGUN += [f"{kind}, light, 2, 1" for kind in ("classes", "labels")]
BEGUN += ["classes, light, 2, 3"]


CORPORA = [
    np.zeros((3, 4), int),
    *map(np.array, ([[0, 0]], [[1]], [[7]], [[0, 0], [0, 5]], [[1], [3]])),
    *map(np.array, ([[6, 0, 1], [0, 0, 0]], [[3], [0], [2]], [[2, 0, 1]])),
    np.diag([0, 2, 0]),
]


def test_no_estimator_is_missing():
    assert {type(model) for model, _ in FITS.values()} >= set(estimators().values())


def fit(name, form=np.asarray, **params):
    model, y = FITS[name]
    schedule = {"n_components": 4, "max_iter": 22, "random_state": 0}
    documents = X[:15] if name == "exact" else X
    model = clone(model).set_params(**schedule | params)
    return model.fit(form(documents), y)


@pytest.mark.parametrize("name", FITS)
def test_the_seed_alone_decides(name, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(_thread, "start_new_thread", None)  # one job needs no threads
        first = fit(name, n_jobs=None)
        for n_jobs in (1, 3) if name in IN_TURN else ():
            fit(name, n_jobs=n_jobs)
    for n_jobs in (2, 3, -1):
        assert_same_fit(fit(name, n_jobs=n_jobs), first)
    assert_same_fit(fit(name, np.asfortranarray), first)
    if hasattr(first, "evaluate_every"):
        looked = fit(name, evaluate_every=1)
        np.testing.assert_array_equal(looked.components_, first.components_)
    other = fit(name, random_state=1)
    assert abs(other.components_ - first.components_).max() > 1e-3
    model, y = FITS[name]
    if getattr(model, "learn_priors", "") is None and y is None:
        assert first.topic_word_prior_ == 1 / 4
    documents = X[:15] if name == "exact" else X
    assert_same_fit(other.set_params(random_state=0).fit(documents, y), first)


@pytest.mark.parametrize("name", IN_SHARDS)
def test_the_number_of_shards_matters(name):
    fits = {n: fit(name, n_shards=n).components_.tobytes() for n in (1, 2, 3, 7)}
    assert len(set(fits.values())) == 4


@pytest.mark.filterwarnings("ignore:covariates .* are constant")
@pytest.mark.filterwarnings("ignore:The topic proportions of")  # of similar topics
@pytest.mark.parametrize("n_topics", [1, 17])
@pytest.mark.parametrize("name", FITS)
def test_corpora_of_almost_nothing(name, n_topics):
    model = clone(FITS[name][0]).set_params(n_components=n_topics, max_iter=12)
    model.set_params(random_state=0, doc_topic_prior=0.4, topic_word_prior=0.3)
    if "learn_priors" in model.get_params():
        model.learn_priors = None
    for counts in CORPORA:
        n_docs = len(counts)
        if n_docs == 1 and isinstance(model, MedLDAClassifier):
            continue  # it needs two classes
        model.fit(counts, **given_for(model, n_docs))
        tokens = (model.components_ - 0.3).sum(axis=0)
        np.testing.assert_allclose(tokens, counts.sum(axis=0), atol=1e-4)
        for theta in (model.doc_topic_, model.transform(counts)):
            assert theta.shape == (n_docs, n_topics)
            np.testing.assert_allclose(theta.sum(axis=1), 1)
            if not isinstance(model, DMRLDA):  # which samples its prior
                empty = counts.sum(axis=1) == 0
                np.testing.assert_allclose(theta[empty], 1 / n_topics, rtol=1e-5)
        for values in ("log_joint_", "bound_", "loss_", "sampling_rate_", "coef_"):
            assert np.isfinite(getattr(model, values, 0)).all()
        if counts.any() and not hasattr(model, "predict"):
            assert np.isfinite(model.score(counts))
