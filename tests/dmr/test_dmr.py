"""DMRLDA: effects are found, in the units of the covariates; scikit-learn's routing."""

import pickle

import numpy as np
import pytest
import sklearn
from scipy import sparse, stats
from scipy.optimize import linear_sum_assignment
from scipy.special import gammaln
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklda import DMRLDA
from sklda._engine.chain import log_word_likelihood
from sklda.diagnostics import sample_chains
from sklda.inspection import estimate_effect, predicted_proportions

K = 3


@pytest.fixture(scope="module")
def planted():
    """Return counts, covariates, weights of standardised covariates, and topics."""
    rng = np.random.default_rng(5)
    phi = rng.dirichlet(np.full(120, 0.05), K)
    covariates = np.column_stack([rng.integers(0, 2, 400), 2000 + 10 * rng.random(400)])
    standard = (covariates - covariates.mean(0)) / covariates.std(0)
    weights = np.array([[0.8, 0.0], [-0.6, 0.7], [0.0, -0.5]])
    theta = np.array([rng.dirichlet(a) for a in 0.4 * np.exp(standard @ weights.T)])
    X = np.array([rng.multinomial(60, t @ phi) for t in theta])
    return X, covariates, weights, phi


@pytest.mark.slow
def test_planted_weights_are_found(planted):
    X, covariates, weights, phi = planted
    fitted = DMRLDA(K, max_iter=400, random_state=0).fit(X, covariates=covariates)
    likeness = np.sqrt(phi) @ np.sqrt(fitted.topic_word_).T
    _, found = linear_sum_assignment(-likeness)
    drawn = fitted.coef_draws_[:, found] * covariates.std(0)
    # 6 weights within 4 posterior standard deviations: missed once in 3,000 corpora.
    assert (abs(weights - drawn.mean(0)) < 4 * drawn.std(0)).all()
    assert drawn.std(0).max() < 0.15  # or nothing was tested
    np.testing.assert_allclose(fitted.coef_, fitted.coef_draws_.mean(0), rtol=1e-12)
    assert fitted.intercept_.shape == (K,)
    assert fitted.intercept_draws_.shape == (40, K)


def small(planted):
    X, covariates, _, _ = planted
    return X[:60], covariates[:60].copy()


def fit(X, covariates, **params):
    params = {"max_iter": 12, "thin": 2, "random_state": 1} | params
    return DMRLDA(K, **params).fit(X, covariates=covariates)


def test_units_of_covariates_do_not_matter(planted):
    X, covariates = small(planted)
    first = fit(X, covariates)
    for factor, shift in ((1024.0, 0.0), (1.0, 4096.0), (2.0**160, 0), (2.0**-160, 0)):
        other = fit(X, covariates * factor + shift)
        np.testing.assert_array_equal(
            other.topic_assignments_, first.topic_assignments_
        )
        np.testing.assert_allclose(other.coef_ * factor, first.coef_, rtol=1e-6)
        found = other.transform(X, covariates=covariates * factor + shift)
        expected = first.transform(X, covariates=covariates)
        np.testing.assert_allclose(found, expected, atol=1e-4)


def test_a_rounding_error_is_constant(planted):
    X, covariates = small(planted)
    covariates[:, 1] = 1e20 + 2**20 * covariates[:, 0]
    with pytest.warns(UserWarning, match=r"\['x1'\] are constant"):
        found = fit(X, covariates)
    assert found.coef_draws_[..., 1].max() < 1e-18  # per magnitude, not per unit


@pytest.mark.parametrize("names", [["a", "b"], ["x0", "x1"], [0, 1]])
def test_names_of_columns_are_compared(planted, names):
    pandas = pytest.importorskip("pandas")
    X, covariates = small(planted)
    frame = pandas.DataFrame(covariates, columns=names)
    model, plain = pickle.loads(pickle.dumps(fit(X, frame))), fit(X, covariates)
    assert model.covariate_names_.tolist() == list(map(str, names))
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    expected = model.transform(X, covariates=frame)
    np.testing.assert_array_equal(model.transform(X, covariates=covariates), expected)
    swapped = frame[[frame.columns[1], frame.columns[0]]]
    for call in (model.transform, model.score, model.perplexity):
        with pytest.raises(ValueError, match="same columns in the same order"):
            call(X, covariates=swapped)
    with pytest.raises(ValueError, match="same columns in the same order"):
        predicted_proportions(model, {"all": swapped})
    found = plain.transform(X, covariates=swapped)  # its fit had no names
    assert found.shape == (60, K)
    with pytest.raises(ValueError, match=r"\['[b1x]+'\], but fit had"):
        model.transform(X, covariates=frame[frame.columns[1]])


def test_covariates_in_the_place_of_y_are_not_used(planted):
    X, covariates = small(planted)
    with pytest.warns(UserWarning, match=r"pass them by name, fit\(X, covariates"):
        model = DMRLDA(K, max_iter=2).fit(X, covariates)
    assert model.coef_.shape == (K, 0)


def log_density_of_topics(alpha, counts):
    """Return the log probability of document-topic counts if alpha is that of all."""
    lengths = gammaln(alpha.sum()) - gammaln(alpha.sum() + counts.sum(axis=1))
    return lengths.sum() + (gammaln(alpha + counts) - gammaln(alpha)).sum()


def test_without_covariates_alpha_is_what_explains_all_documents_best(planted):
    X, covariates = small(planted)
    covariates[0] = 1e3, 1e5  # alpha of this document is that of no other
    model = fit(X, covariates, max_iter=40)
    counts = np.zeros((60, K))
    documents = np.repeat(np.arange(60), X.sum(axis=1))
    np.add.at(counts, (documents, model.topic_assignments_), 1)
    alpha = model.doc_topic_prior_
    highest = log_density_of_topics(alpha, counts)
    for change in np.vstack([np.eye(K), np.ones(K)]):
        for factor in (0.95, 1.05):
            assert log_density_of_topics(alpha * factor**change, counts) < highest


def test_chains_predict_documents_as_score_does(planted):
    pytest.importorskip("arviz_stats")
    X, covariates = small(planted)
    model = DMRLDA(K, max_iter=12, burn_in=11, random_state=0)
    options = {"covariates": covariates, "X_test": X[:20], "n_chains": 2}
    chains = sample_chains(model, X, **options)
    found = chains.scalars_["test_log_probability"][:, 0]
    scores = [estimator.score(X[:20]) for estimator in chains.estimators_]
    np.testing.assert_allclose(found, scores, rtol=1e-6)


def test_documents_without_covariates(planted):
    X, covariates = small(planted)
    model = fit(X, covariates)
    means = np.array([model._mean_alpha(row[np.newaxis])[0] for row in covariates])
    empty = np.zeros((60, X.shape[1]), int)
    found = model.transform(empty)
    expected = model.doc_topic_prior_ / model.doc_topic_prior_.sum()
    np.testing.assert_allclose(found, np.tile(expected, (60, 1)), rtol=1e-5)
    found = model.transform(empty, covariates=covariates)
    expected = means / means.sum(1, keepdims=True)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert model.score(X, covariates=covariates) != model.score(X)


def test_proportions_of_training_documents_are_means_over_the_samples(planted):
    X, covariates = small(planted)
    model = fit(X, covariates, keep_draws=3)
    assert model.draws_.n_draws == len(model.coef_draws_) == 3
    expected = 0.0
    for i in range(3):
        logs = covariates @ model.coef_draws_[i].T + model.intercept_draws_[i]
        counts = model.draws_.doc_topic_counts(i).toarray() + np.exp(logs)
        expected = expected + counts / counts.sum(1, keepdims=True) / 3
        np.testing.assert_allclose(model.draws_._dirichlet(i), counts, rtol=1e-9)
    np.testing.assert_allclose(model.doc_topic_, expected, rtol=1e-9)
    low, high = model.draws_.doc_topic_interval(0.9, documents=[0, 7])
    assert ((low <= expected[[0, 7]]) & (expected[[0, 7]] <= high)).mean() > 0.8
    assert np.isfinite(estimate_effect(model.draws_, covariates).low).all()


def test_log_joint_has_the_prior_of_the_weights(planted):
    X, covariates = small(planted)
    model = fit(X, covariates, warm_start=True, evaluate_every=1)
    chain = model._stored.chain
    alpha = np.exp(chain.prior.rows.x @ chain.prior.weights.T)[chain.prior.rows.row]
    counts = np.zeros((60, K))
    chain_of = np.repeat(np.arange(60), X.sum(1))
    np.add.at(counts, (chain_of, model.topic_assignments_), 1)
    sums = alpha.sum(1)
    documents = (gammaln(alpha + counts) - gammaln(alpha)).sum()
    documents += (gammaln(sums) - gammaln(sums + counts.sum(1))).sum()
    words = log_word_likelihood(chain.problem, chain.counts)
    prior = stats.norm(*chain.prior.prior).logpdf(chain.prior.weights).sum()
    expected = documents + words + prior
    assert model.log_joint_[-1] == pytest.approx(expected, rel=1e-10)


def test_a_fit_goes_on_with_the_same_covariates_only(planted):
    X, covariates = small(planted)
    parts = fit(X, covariates, burn_in=0, max_iter=6, warm_start=True)
    with pytest.raises(ValueError, match="covariates must be the same"):
        parts.fit(X, covariates=covariates[::-1])
    with pytest.raises(ValueError, match="covariates must be the same"):
        parts.fit(X)


def test_what_documents_do_not_determine_follows_the_prior(planted):
    X, covariates = small(planted)
    constant = np.column_stack([covariates, np.ones(60)])
    with pytest.warns(UserWarning, match=r"\['x2'\] are constant"):
        fit(X, constant)
    twice = np.column_stack([covariates, covariates[:, 0]])
    with pytest.warns(UserWarning, match="only 2 are.* because of 'x0', 'x2'"):
        fit(X, twice)


@sklearn.config_context(enable_metadata_routing=True)
def test_covariates_are_routed(planted):
    X, covariates = small(planted)
    model = DMRLDA(K, max_iter=4, random_state=0)
    pipe = make_pipeline(FunctionTransformer(sparse.csr_array), model)
    pipe.fit(X, covariates=covariates)
    alone = DMRLDA(K, max_iter=4, random_state=0).fit(X, covariates=covariates)
    found = pipe.transform(X, covariates=covariates)
    np.testing.assert_array_equal(found, alone.transform(X, covariates=covariates))
    assert pipe.score(X, covariates=covariates) == alone.score(X, covariates=covariates)
    scores = cross_validate(pipe, X, params={"covariates": covariates}, cv=2)
    search = GridSearchCV(model, {"n_components": [2]}, cv=2)
    search.fit(X, covariates=covariates)
    assert search.best_estimator_.coef_.shape == (2, 2)
    expected = model.fit(X[30:], covariates=covariates[30:])
    # scikit-learn 1.7 passes none to the score of a pipeline.
    passed = None if sklearn.__version__.startswith("1.7.") else covariates[:30]
    assert scores["test_score"][0] == expected.score(X[:30], covariates=passed)


def test_predicted_proportions(planted):
    X, covariates = small(planted)
    model = fit(X, covariates)
    found = predicted_proportions(model, covariates[:4], confidence_level=0.5)
    logs = covariates[:4] @ np.swapaxes(model.coef_draws_, 1, 2)
    alpha = np.exp(logs + model.intercept_draws_[:, np.newaxis])
    shares = alpha / alpha.sum(2, keepdims=True)
    np.testing.assert_allclose(found.draws, shares, rtol=1e-9)
    np.testing.assert_allclose(found.mean, shares.mean(0), rtol=1e-9)
    two = {"a": covariates[:4], "b": covariates[4:]}
    averaged = predicted_proportions(model, two, confidence_level=0.5)
    np.testing.assert_allclose(averaged.draws[:, 0], shares.mean(1), rtol=1e-9)
    contrast = averaged.contrast("a", "b")
    difference = averaged.draws[:, 0] - averaged.draws[:, 1]
    np.testing.assert_allclose(contrast.difference, difference.mean(0), rtol=1e-12)
    expected = ((difference > 0).sum(0) + 1) / (len(difference) + 2)
    np.testing.assert_array_equal(contrast.probability, expected)
    assert "a minus those of b" in repr(contrast)
