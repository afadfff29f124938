"""Every estimator x corpora of almost nothing; `test_properties` draws more of them."""

import numpy as np
import pytest
from sklearn.base import clone

from sklda import CVBLDA, DMRLDA, ECGSLDA, CollapsedGibbsLDA
from sklda import MedLDAClassifier as Classifier
from sklda import MedLDARegressor as Regressor
from tests.helpers.public_names import estimators
from tests.helpers.ways_to_fit import GIBBS, SUPERVISED, given_for

CORPORA = [
    np.zeros((3, 4), int),
    *map(np.array, ([[0, 0]], [[1]], [[7]], [[0, 0], [0, 5]], [[1], [3]])),
    *map(np.array, ([[6, 0, 1], [0, 0, 0]], [[3], [0], [2]], [[2, 0, 1]])),
    np.diag([0, 2, 0]),
]
APPROXIMATIONS = ("gaussian", "zero-order", "exact")
MODELS = (
    GIBBS
    | SUPERVISED
    | {
        "small nested blocks": CollapsedGibbsLDA(blocking="nested"),
        "small backward blocks": CollapsedGibbsLDA(
            blocking="backward", max_block_size=3
        ),
        "backward blocks": CollapsedGibbsLDA(blocking="backward", max_block_size=None),
        "standard": ECGSLDA(strategy="standard"),
        "shortcut": ECGSLDA(strategy="shortcut"),
        "covariates": DMRLDA(),
        **{name: CVBLDA(approximation=name, tol=0) for name in APPROXIMATIONS},
        "variational shards": CVBLDA(approximation="zero-order", n_shards=50, tol=0),
        "classes, gibbs": Classifier(sampler="gibbs", n_weight_steps=None),
        "numbers, light": Regressor(),
        "numbers, one by one": Regressor(sampler="gibbs"),
    }
)


def test_no_estimator_is_missing():
    assert {type(model) for model in MODELS.values()} == set(estimators().values())


@pytest.mark.filterwarnings("ignore:covariates .* are constant")
@pytest.mark.filterwarnings("ignore:The topic proportions of")  # of similar topics
@pytest.mark.parametrize("n_topics", [1, 3, 17])
@pytest.mark.parametrize("name", MODELS)
def test_corpora_of_almost_nothing(name, n_topics):
    model = clone(MODELS[name]).set_params(n_components=n_topics, max_iter=12)
    model.set_params(random_state=0, doc_topic_prior=0.4, topic_word_prior=0.3)
    for counts in CORPORA:
        n_docs, n_words = counts.shape
        if n_docs == 1 and isinstance(model, Classifier):
            continue  # it needs two classes
        assert_sound(model.fit(counts, **given_for(model, n_docs)), counts)
        if hasattr(model, "predict"):
            other = np.arange(n_words)[np.newaxis]
            assert np.isfinite(model.predict(other)).all()
            assert np.isfinite(model.coef_).all()


def assert_sound(model, counts):
    (n_docs, n_words), n_topics = counts.shape, model.n_components
    tokens = (model.components_ - 0.3).sum(axis=0)
    n_models = len(model.components_) // n_topics
    np.testing.assert_allclose(tokens, n_models * counts.sum(axis=0), atol=1e-4)
    assert model.components_.shape == (n_models * n_topics, n_words)
    for theta in (model.doc_topic_, model.transform(counts)):
        assert theta.shape == (n_docs, n_models * n_topics)
        np.testing.assert_allclose(theta.sum(axis=1), n_models)
        if not isinstance(model, DMRLDA):  # which samples its prior
            empty = counts.sum(axis=1) == 0
            np.testing.assert_allclose(theta[empty], 1 / n_topics, rtol=1e-5)
    if hasattr(model, "topic_assignments_"):
        assert model.topic_assignments_.size == counts.sum()
        assert (model.topic_assignments_ < n_topics).all()
    for trace in ("log_joint_", "bound_", "loss_", "sampling_rate_"):
        assert np.isfinite(getattr(model, trace, 0)).all()
    if counts.any() and not hasattr(model, "predict"):
        assert np.isfinite(model.score(counts))
