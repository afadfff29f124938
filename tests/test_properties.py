"""Properties that hold for any corpus, in any form, and for any valid parameters.

    python -m pytest tests/test_properties.py --hypothesis-profile=long

tries 10,000 examples, others in each run; `tests/conftest.py` has the profiles.
"""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import UndefinedMetricWarning

from sklda import CVBLDA, DMRLDA
from tests.helpers.comparison import assert_same_fit
from tests.helpers.strategies import CLASSES, cases, corpora, estimators, forms

pytestmark = pytest.mark.filterwarnings(
    # Examples run few sweeps, and only frames name their words.
    "ignore:After max_iter=:sklearn.exceptions.ConvergenceWarning",
    "ignore:The topic proportions of:sklearn.exceptions.ConvergenceWarning",
    "ignore:X (has|does not have valid) feature names:UserWarning",
    "ignore:.getformat. is deprecated:DeprecationWarning",  # SciPy's own, in 1.11
)


def digest(model, X, y=None):
    """Return a digest of all that a caller passes; of frames, without their caches."""
    if isinstance(X, pd.DataFrame):
        X = [X.dtypes.astype(str).tolist(), X.to_dict("list")]
    return joblib.hash([model.get_params(), X, y])


def assert_proportions(model, theta, lengths, alpha):
    """Assert that rows sum to 1, and are the mean of the prior without tokens."""
    assert ((theta >= 0) & (theta <= 1 + 1e-12)).all()
    np.testing.assert_allclose(theta.sum(axis=1), 1, rtol=1e-12)
    mean = alpha / alpha.sum()
    for row in theta[lengths == 0]:  # weights that are sampled may be 0, but not alpha
        np.testing.assert_allclose(row, mean, rtol=1e-5, atol=1e-9)


def assert_totals(model, tokens, rtol):
    """Assert that the topics share the tokens of each word, and add prior mass."""
    components = model.components_.reshape(-1, model.n_components, tokens.size)
    beta = np.reshape(model.topic_word_prior_, (-1, 1))
    assert (components >= beta[..., np.newaxis]).all()
    expected = tokens + model.n_components * beta
    np.testing.assert_allclose(components.sum(axis=1), expected, rtol=rtol)


def assert_trace(model, n_tokens):
    """Assert what chains and engines record."""
    for name in ("log_joint_", "bound_"):
        if hasattr(model, name):
            trace = getattr(model, name)
            every = model.evaluate_every
            assert trace.size == (model.n_iter_ // every if every else 0)
            assert np.isfinite(trace).all()
    if hasattr(model, "topic_assignments_"):
        assert model.topic_assignments_.shape == (n_tokens,)
        assert (model.topic_assignments_ < model.n_components).all()
    if hasattr(model, "coef_"):
        assert np.isfinite(model.coef_).all()
    if hasattr(model, "loss_"):
        assert (model.loss_ >= 0).all()
        assert np.isfinite(model.loss_).all()


def assert_score(model, X, y, n_tokens):
    """Assert that the score is finite; a mean log probability is not above 0."""
    if hasattr(model, "predict"):
        assert model.predict(X).shape == np.shape(y)
        if len(model.doc_topic_) > 1:  # what R ** 2 needs
            assert model.score(X, y) <= 1
    elif n_tokens > 0:
        assert -np.inf < model.score(X) <= 1e-6
    else:
        with pytest.warns(UndefinedMetricWarning, match="no tokens"):
            assert model.score(X) == 0
        with pytest.warns(UndefinedMetricWarning, match="no tokens"):
            assert model.perplexity(X) == 1


def assert_transform(model, X, plain):
    """Assert that each row depends on its document alone; return the rows."""
    theta = model.transform(plain)
    np.testing.assert_array_equal(model.transform(X), theta)
    order = np.random.default_rng(0).permutation(plain.shape[0])
    np.testing.assert_array_equal(model.transform(plain[order]), theta[order])
    np.testing.assert_array_equal(model.transform(plain[order[:1]]), theta[order[:1]])
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.transform(X), theta)
    return theta


@pytest.mark.parametrize("cls", CLASSES)
@given(st.data())
def test_any_fit(cls, data):
    model, values, X, y = data.draw(cases(cls))
    before = digest(model, X, y)
    model.fit(X, y)
    # The same corpus again, in another form and by one thread.
    plain = sparse.csr_array(values)
    same = clone(model).set_params(n_jobs=None).fit(plain, y)
    assert_same_fit(model, same, but=["feature_names_in_"])
    theta = assert_transform(model, X, plain)
    np.testing.assert_array_equal(same.transform(plain), theta)
    np.testing.assert_array_equal(clone(model).fit_transform(X, y), theta)
    rtol = 1e-5 if cls is CVBLDA else 1e-12  # of float32, or float64
    lengths, alpha = values.sum(axis=1), model.doc_topic_prior_
    assert_proportions(model, theta, lengths, alpha)
    # The mean over samples of what alpha says, not what the mean of alpha says.
    if getattr(model, "topic_weights_", None) is not None:
        alpha = model.topic_weights_
    if cls is DMRLDA:  # whose samples of alpha only draws tell: tests/dmr
        lengths = np.maximum(lengths, 1)
    assert_proportions(model, model.doc_topic_, lengths, alpha)
    assert_totals(model, values.sum(axis=0), rtol)
    assert_trace(model, values.sum())
    assert_score(model, X, y, values.sum())
    assert digest(model, X, y) == before


@given(st.data())
def test_any_minibatches(data):
    model = data.draw(estimators(CVBLDA))
    n_words = data.draw(st.integers(1, 8))
    batches = data.draw(
        st.lists(corpora(model, n_words=n_words), min_size=1, max_size=3)
    )
    same = clone(model)
    n_seen = 0
    for values in batches:
        X, plain = data.draw(forms(values)), sparse.csr_array(values)
        before = digest(model, X)
        model.partial_fit(X)
        assert digest(model, X) == before
        same = pickle.loads(pickle.dumps(same)).partial_fit(plain)
        assert_same_fit(model, same, but=["feature_names_in_"])
        # Minibatches without tokens change nothing.
        for first in range(0, len(values), model.batch_size):
            part = values[first : first + model.batch_size]
            n_seen += len(part) if part.any() else 0
        assert model.n_samples_seen_ == n_seen
        assert np.isfinite(model.components_).all()
        assert (model.components_ >= model.topic_word_prior_).all()
        theta = assert_transform(model, X, plain)
        alpha = model.doc_topic_prior_
        assert_proportions(model, theta, values.sum(axis=1), alpha)
        assert_score(model, X, None, values.sum())
