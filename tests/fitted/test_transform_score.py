"""Documents under fitted topics: transform, score, perplexity."""

from copy import copy

import numpy as np
import pytest
from scipy import sparse

from sklda import CollapsedGibbsLDA, lda_from_components
from sklda.datasets import make_lda_corpus
from tests.helpers.corpora import dense_halves

X, THETA, _ = make_lda_corpus(
    200, 40, 5, document_length=60, doc_topic_prior=0.3, random_state=0
)
# Documents of all lengths, also without tokens and with one.
LENGTHS = np.arange(37) ** 2 // 10
NEW, _, _ = make_lda_corpus(37, 40, 5, document_length=LENGTHS, random_state=1)


@pytest.fixture(scope="module", params=[2, 5, 16, 40], ids="K={}".format)
def model(request):
    # Fewer and more than the 16 topics that fill a register.
    params = {"max_iter": 30, "learn_priors": None, "random_state": 0}
    return CollapsedGibbsLDA(request.param, **params).fit(X)


def test_transform_is_deterministic(model):
    theta = model.transform(NEW)
    assert theta.dtype == np.float64
    assert (theta > 0).all()
    assert len(np.unique(theta, axis=0)) == np.unique(NEW.toarray(), axis=0).shape[0]
    np.testing.assert_array_equal(model.transform(NEW), theta)
    for n_jobs in (2, 3, -1):
        threaded = copy(model).set_params(n_jobs=n_jobs)
        np.testing.assert_array_equal(threaded.transform(NEW), theta)
        assert threaded.score(NEW) == model.score(NEW)


def plain_score(model, X):
    """Compute what the docstring of score says, document by document."""
    total = 0.0
    halves = dense_halves(X.toarray())
    for seen, held_out in (halves, halves[::-1]):
        probability = model.transform(seen) @ model.topic_word_
        total += (held_out * np.log(probability)).sum()
    return total / X.sum()


def test_score_is_document_completion(model):
    # Topics are rounded to float32 (1e-7) inside.
    assert model.score(NEW) == pytest.approx(plain_score(model, NEW), rel=1e-6)
    assert model.score(X) == pytest.approx(plain_score(model, X), rel=1e-6)
    assert isinstance(model.score(X), float)


def test_score_is_per_token(model):
    score = model.score(NEW)
    assert model.score(NEW, y=np.arange(37)) == score
    twice = sparse.vstack([NEW, NEW], format="csr")
    assert model.score(twice) == pytest.approx(score, rel=1e-12)
    empty = sparse.vstack([NEW, sparse.csr_array((50, 40), dtype=int)])
    assert model.score(empty) == pytest.approx(score, rel=1e-12)
    assert model.score(NEW[::-1]) == pytest.approx(score, rel=1e-12)


def test_perplexity_is_the_exponential(model):
    assert model.perplexity(NEW) == np.exp(-model.score(NEW))
    assert 1 < model.perplexity(X) < 40  # the size of the vocabulary


@pytest.mark.parametrize("length", [4, 8, 16, 24])
def test_the_true_alpha_has_the_best_score(length):
    rng = np.random.default_rng(3)
    phi = rng.dirichlet(np.full(60, 0.3), size=20)
    theta = rng.dirichlet(np.full(20, 0.05), size=4000)
    documents = np.array([rng.multinomial(length, t) for t in theta @ phi])
    true, double, half = (
        lda_from_components(phi, doc_topic_prior=alpha).score(documents)
        for alpha in (0.05, 0.1, 0.025)
    )
    assert true > max(double, half)
