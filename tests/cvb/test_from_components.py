"""lda_from_components: a fitted estimator from a matrix of topics."""

import numpy as np
import pytest
from sklearn.decomposition import LatentDirichletAllocation

from sklda import (
    CVBLDA,
    CollapsedGibbsLDA,
    MedLDARegressor,
    lda_from_components,
    seed_word_prior,
)
from sklda.inspection import top_words
from tests.cvb.test_cvb import X

WORDS = [f"w{i}" for i in range(X.shape[1])]
SEEDED = seed_word_prior(WORDS, {0: ["w1"]}, n_components=4, base=0.1)
MODELS = {
    "gibbs": CollapsedGibbsLDA(4, max_iter=20, random_state=0),
    "seeded": CollapsedGibbsLDA(4, max_iter=20, topic_word_prior=SEEDED),
    "cvb": CVBLDA(4, max_iter=200, random_state=0),
}


def restored(model):
    """Return the estimator that the arrays of a model make, as a file has them."""
    return lda_from_components(
        model.components_.tolist(),
        doc_topic_prior=model.doc_topic_prior_,
        topic_word_prior=model.topic_word_prior_,
    )


@pytest.mark.parametrize("name", MODELS)
def test_it_does_what_the_model_does_in_the_same_bits(name):
    model = MODELS[name].fit(X)
    lda = restored(model)
    assert np.array_equal(lda.transform(X), model.transform(X))
    assert lda.score(X) == model.score(X)
    assert top_words(lda, WORDS) == top_words(model, WORDS)


def test_topics_of_medlda():
    model = MedLDARegressor(4, max_iter=6, random_state=0).fit(X, np.arange(X.shape[0]))
    lda = restored(model)
    assert lda.topic_word_prior_ == model.topic_word_prior_
    assert lda.transform(X).shape == (X.shape[0], 4)
    CollapsedGibbsLDA(max_iter=2, topic_word_prior=[model.topic_word_prior_]).fit(X)


def test_topics_of_scikit_learn_score_as_well_as_there():
    model = LatentDirichletAllocation(4, random_state=0).fit(X)
    lda = lda_from_components(model.components_, doc_topic_prior=0.25)
    np.testing.assert_allclose(lda.transform(X), model.transform(X), atol=0.2)
    assert lda.score(X) > lda_from_components(np.ones_like(model.components_)).score(X)


def test_minibatches_go_on():
    lda = restored(MODELS["gibbs"].fit(X))
    before = lda.components_.copy()
    lda.set_params(total_samples=80).partial_fit(X)
    assert lda.n_samples_seen_ == 160
    assert (lda.components_ != before).any()
    assert lda.score(X) == pytest.approx(MODELS["gibbs"].score(X), abs=0.2)


def test_weights_contain_the_prior():
    with pytest.raises(ValueError, match=r"weights below topic_word_prior.*prob"):
        lda_from_components([[0.9, 0.1], [0.5, 0.5]], topic_word_prior=0.2)
