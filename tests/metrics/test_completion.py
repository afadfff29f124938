"""One score for the models of sklda, of scikit-learn, and matrix factorisations."""

import numpy as np
import pytest
from sklearn.decomposition import NMF, LatentDirichletAllocation
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from sklda import CVBLDA, CollapsedGibbsLDA
from sklda.datasets import make_lda_corpus
from sklda.metrics import document_completion_score
from tests.helpers.corpora import dense_halves

X, _, _ = make_lda_corpus(120, 30, 3, document_length=40, random_state=0)
TRAIN, TEST = X[:80], X[80:]


@pytest.mark.filterwarnings("ignore:After max_iter=")
@pytest.mark.parametrize("cls", [CollapsedGibbsLDA, CVBLDA])
def test_own_estimators_get_their_own_score(cls):
    lda = cls(3, max_iter=10, random_state=0).fit(TRAIN)
    expected = pytest.approx(lda.score(TEST), rel=1e-12)
    assert document_completion_score(lda, TEST) == expected
    lda.n_features_in_ = 5  # of a fit that began in another thread
    assert document_completion_score(lda, TEST) == expected


def by_hand(topics, theta_of, counts):
    """Predict each token of a half with the proportions of the other half."""
    total = 0.0
    halves = dense_halves(counts)
    for seen, held_out in zip(
        np.concatenate(halves), np.concatenate(halves[::-1]), strict=True
    ):
        total += held_out @ np.log(theta_of(seen[None]) @ topics)
    return total / counts.sum()


def test_lda_of_scikit_learn_by_hand():
    lda = LatentDirichletAllocation(3, random_state=0).fit(TRAIN)
    topics = lda.components_ / lda.components_.sum(axis=1, keepdims=True)
    expected = by_hand(topics, lambda half: lda.transform(half)[0], TEST.toarray())
    assert document_completion_score(lda, TEST) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("smoothing", [None, 0.05, 0.3, 1])
def test_matrix_factorisation_by_hand(smoothing):
    nmf = NMF(3, solver="mu", beta_loss=1, init="random", random_state=0).fit(TRAIN)
    nmf.components_ = np.vstack([nmf.components_[:2], np.zeros(30)])
    sums = nmf.components_.sum(axis=1, keepdims=True)
    s = 0.05 if smoothing is None else smoothing
    topics = (1 - s) * nmf.components_ / np.where(sums > 0, sums, 1) + s / 30

    def theta_of(half):
        weights = nmf.transform(half)[0] * sums[:, 0]
        return weights / weights.sum()

    expected = by_hand(topics, theta_of, TEST.toarray())
    found = document_completion_score(nmf, TEST, smoothing=smoothing)
    assert found == pytest.approx(expected, rel=1e-5)


def test_a_word_without_topics_makes_the_score_infinite():
    nmf = NMF(3, random_state=0, max_iter=1000).fit(TRAIN)
    nmf.components_[:, 3] = 0
    assert TEST[:, 3].sum() > 0
    assert document_completion_score(nmf, TEST, smoothing=0) == -np.inf
    assert np.isfinite(document_completion_score(nmf, TEST))


@pytest.mark.filterwarnings("ignore:Maximum number of iterations")
def test_scorer_of_scikit_learn_ranks_models():
    scorer = {"scoring": document_completion_score, "cv": 3}
    ours, theirs, one = (
        cross_val_score(model, X, **scorer).mean()
        for model in (
            CollapsedGibbsLDA(3, max_iter=30, random_state=0),
            LatentDirichletAllocation(3, random_state=0),
            LatentDirichletAllocation(1),
        )
    )
    assert ours > theirs > one
    search = GridSearchCV(NMF(random_state=0), {"n_components": [1, 3]}, **scorer)
    assert search.fit(X).best_params_ == {"n_components": 3}
    assert search.best_score_ > one > -np.log(30)


def test_pipeline_scores_texts():
    texts = ["a cat, a dog and a cat", "dog and cat", "moon and sun", "a sun, a moon"]
    lda = CollapsedGibbsLDA(2, max_iter=5, random_state=0)
    pipe = make_pipeline(CountVectorizer(), "passthrough", lda).fit(texts)
    expected = document_completion_score(lda, pipe[0].transform(texts))
    assert document_completion_score(pipe, texts) == expected
    assert document_completion_score(pipe, ["another cat"]) < 0
    with pytest.raises(ValueError, match=r"texts: build X with .*CountVectorizer"):
        document_completion_score(lda, texts)


def test_documents_without_tokens():
    lda = LatentDirichletAllocation(2).fit(TRAIN)
    with pytest.warns(UndefinedMetricWarning, match="no tokens"):
        assert document_completion_score(lda, np.zeros((2, 30))) == 0.0


def test_what_has_no_score():
    search = GridSearchCV(LatentDirichletAllocation(), {"n_components": [2]})
    search.fit(TRAIN)
    with pytest.raises(TypeError, match=r"has no components_.*best_estimator_"):
        document_completion_score(search, TEST)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
def test_what_is_no_proportion_is_refused(bad):
    class Diverged(NMF):
        def transform(self, X):
            theta = super().transform(X)
            theta[3] *= bad
            return theta

    nmf = Diverged(3, max_iter=999, random_state=0).fit(TRAIN)
    with pytest.raises(ValueError, match=r"transform\(X\) of Diverged"):
        document_completion_score(nmf, TEST)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
@pytest.mark.parametrize("name", ["components_", "doc_topic_prior_"])
def test_what_is_assigned_must_be_weights(name, bad):
    lda = CollapsedGibbsLDA(3, max_iter=4, random_state=0).fit(TRAIN)
    values = getattr(lda, name).copy()
    values.flat[1] = bad
    setattr(lda, name, values)
    for read in (lda.transform, lda.score):
        with pytest.raises(ValueError, match=f"{name} .*(contains|must be finite)"):
            read(TEST)
