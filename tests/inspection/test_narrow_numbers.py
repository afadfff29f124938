"""Counts and weights near the ends of their types: no sum of them overflows."""

import numpy as np
import pytest

from sklda import CollapsedGibbsLDA
from sklda._fitted.fitted_topics import axis_sums, check_counts
from sklda.inspection import (
    TopicMapDisplay,
    pyldavis_data,
    save_explorer,
    top_documents,
    top_words,
)
from tests.helpers.explorer_page import stored
from tests.helpers.known_topics import KnownTopics, columns_are_shown

pytestmark = columns_are_shown

# Each sum of a row or a column is above 65,504, the largest float16.
WIDE = 2048.0 * np.random.default_rng(0).integers(5, 20, (12, 7))
NARROW = WIDE.astype(np.float16)
LDA = CollapsedGibbsLDA(3, max_iter=4, random_state=0).fit(WIDE // 2048)


def test_float32_loses_no_tokens():
    X = np.array([[2**24, 1.0, 1.0]], np.float32)  # of which it holds no next number
    assert axis_sums(check_counts(X), axis=1).tolist() == [2**24 + 2]


THETA = np.random.default_rng(1).dirichlet(np.ones(3), 12)


@pytest.mark.parametrize("model", [LDA, KnownTopics(LDA.components_, THETA)])
@pytest.mark.usefixtures("pyplot")
def test_functions_of_documents(model, tmp_path):
    def results(X):
        path = save_explorer(tmp_path / "page.html", model, X, feature_names=None)
        yield from (pyldavis_data(model, X), top_documents(model, X, 3), stored(path))
        yield TopicMapDisplay.from_estimator(model, X=X).frequencies

    for found, expected in zip(results(NARROW), results(WIDE), strict=True):
        np.testing.assert_equal(found, expected)


@pytest.mark.parametrize("metric", ["probability", "relevance", "lift", "frex"])
def test_the_largest_weights(metric):
    weights = np.array([[5.0, 3, 1, 0.5], [0.5, 1, 4, 5]])
    large = KnownTopics(3e307 * weights)
    names = list("abcd")
    expected = top_words(KnownTopics(weights), names, 3, metric)
    assert top_words(large, names, 3, metric) == expected
    display = TopicMapDisplay.from_estimator(large)
    np.testing.assert_allclose(display.frequencies, [9.5 / 20, 10.5 / 20])
