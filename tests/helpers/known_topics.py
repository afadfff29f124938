"""An estimator whose topics and documents are set by hand."""

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
