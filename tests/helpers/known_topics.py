"""An estimator whose topics are set by hand, and where texts of its pictures stand."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin

# For tests that show words as the numbers of their columns.
columns_are_shown = pytest.mark.filterwarnings(
    "ignore:Words are shown as column numbers"
)


class KnownTopics(TransformerMixin, BaseEstimator):
    """Fitted from the start, to `components`; transform returns `theta`."""

    def __init__(self, components, theta=None, **fitted):
        self.components_ = np.asarray(components)
        self.theta = theta
        vars(self).update(fitted)

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.asarray(self.theta, dtype=float)


X = np.random.default_rng(0).poisson(1.0, (12, 30))
LONG = [f"{w} donaudampfschifffahrtsgesellschaft" for w in range(30)]


def model_of(n_topics):
    rng = np.random.default_rng(n_topics)
    components = rng.gamma(0.2, 50, (n_topics, 30))
    theta = rng.dirichlet(np.full(n_topics, 0.5), len(X))
    return KnownTopics(components, theta)


def boxes(texts):
    """Return left, bottom, right and top of texts, in pixels."""
    return np.array([text.get_window_extent().extents for text in texts])


def overlaps(extents):
    """Return the number of pairs of boxes that share more than their rims."""
    low, high = extents[:, None, :2], extents[:, None, 2:]
    shared = np.minimum(high, high.swapaxes(0, 1)) - np.maximum(low, low.swapaxes(0, 1))
    return int(np.triu((shared > 0.5).all(axis=2), 1).sum())
