"""Predicted proportions and contrasts: their intervals, and what plots draw."""

import numpy as np
import pytest

from sklda import DMRLDA
from sklda.datasets import make_lda_corpus
from sklda.inspection import (
    PredictedProportionsDisplay,
    TopicIntervalsDisplay,
    predicted_proportions,
)
from sklda.inspection._estimates import PredictedProportions

VALUES = np.array([2010.0, 2000.0, 2020.0])


@pytest.fixture
def predicted():
    """Return predictions of three settings, with intervals from least to most."""
    draws = np.random.default_rng(0).dirichlet(np.ones(4), (5, 3))
    return PredictedProportions(
        settings=["a", "b", "c"],
        topics=np.arange(4),
        topic_names=np.array(["topic 0", "wheat", "topic 2", "gold"], dtype=object),
        mean=draws.mean(axis=0),
        low=draws.min(axis=0),
        high=draws.max(axis=0),
        draws=draws,
        confidence_level=0.5,
    )


def test_lines_and_bands_follow_the_covariate(pyplot, predicted):
    display = PredictedProportionsDisplay.from_predictions(
        predicted, VALUES, topics=[2, 1], covariate_name="year"
    )
    order = [1, 0, 2]  # 2000, 2010, 2020
    for line, band, k in zip(display.lines_, display.bands_, [2, 1], strict=True):
        np.testing.assert_array_equal(line.get_xdata(), [2000, 2010, 2020])
        np.testing.assert_array_equal(line.get_ydata(), predicted.mean[order, k])
        (path,) = band.get_paths()
        at_start = path.vertices[path.vertices[:, 0] == 2000, 1]
        assert at_start.min() == predicted.low[1, k]
        assert at_start.max() == predicted.high[1, k]
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["topic 2", "wheat"]
    assert display.ax_.get_xlabel() == "year"


def test_dates_are_on_the_axis(pyplot, predicted):
    days = np.array(["2020-07-01", "2020-01-01", "2021-01-01"], dtype="M8[s]")
    display = PredictedProportionsDisplay.from_predictions(predicted, days)
    np.testing.assert_array_equal(display.values, days.astype("M8[D]").astype(int))
    display.figure_.draw_without_rendering()
    labels = [label.get_text() for label in display.ax_.get_xticklabels()]
    assert {"2021", "Sep"} <= {*labels}


def test_contrasts_are_sorted_by_their_difference(pyplot, predicted):
    contrast = predicted.contrast("a", "c")
    display = TopicIntervalsDisplay.from_contrasts(contrast)
    order = np.argsort(-contrast.difference)
    assert display.topic_names == contrast.topic_names[order].tolist()
    shown = np.vstack([display.estimates, display.low, display.high])
    expected = np.array([contrast.difference, contrast.low, contrast.high])
    np.testing.assert_array_equal(shown, expected[:, order])
    assert display.series_names == ["a minus c"]


# --- intervals -------------------------------------------------------------------


@pytest.fixture(scope="module")
def dmr():
    X, theta, _ = make_lda_corpus(20, 10, 2, random_state=0)
    return DMRLDA(2, max_iter=4, random_state=0).fit(X, covariates=theta[:, 0])


def with_weights(dmr, weights):
    """Return the model with these draws of its weights, of topic 1 only."""
    dmr.intercept_draws_ = np.zeros((len(weights), 2))
    dmr.coef_draws_ = np.column_stack([np.zeros(len(weights)), weights])[..., None]
    return dmr


@pytest.mark.parametrize(("level", "n_draws"), [(0.95, 39), (0.8, 9), (0.5, 3)])
def test_intervals_hold_what_they_say(dmr, level, n_draws):
    # Below the lowest of n draws lies 1 / (n + 1) of the probability, on average.
    weights = np.random.default_rng(0).permutation(n_draws).astype(float)
    model = with_weights(dmr, weights)
    found = predicted_proportions(model, [[0.0], [1.0]], confidence_level=level)
    contrast = found.contrast(1, 0)
    lowest, highest = 1 / (1 + np.exp(-weights[[weights.argmin(), weights.argmax()]]))
    assert found.low[1, 1] == pytest.approx(lowest)
    assert found.high[1, 1] == pytest.approx(highest)
    assert contrast.low[1] == pytest.approx(lowest - 0.5)
    assert contrast.high[1] == pytest.approx(highest - 0.5)
    with pytest.warns(UserWarning, match=f"{n_draws - 1} draws .* at least {n_draws}"):
        predicted_proportions(
            with_weights(dmr, weights[1:]), [[1.0]], confidence_level=level
        )


def test_draws_that_agree_are_no_certainty(dmr):
    weights = 2 + np.random.default_rng(0).normal(size=60).clip(-1, 1)  # all positive
    contrast = predicted_proportions(with_weights(dmr, weights), [[1.0], [0.0]])
    contrast = contrast.contrast(0, 1)
    np.testing.assert_allclose(contrast.probability, [1 / 62, 61 / 62])
    assert "0.984" in repr(contrast)


def test_settings_are_chosen_by_name(dmr):
    model = with_weights(dmr, np.random.default_rng(0).normal(size=60))
    found = predicted_proportions(model, {1: [[1.0]], 0: [[0.0]], "2": [[2.0]]})
    for first in (1, "1", np.int64(1)):
        contrast = found.contrast(first, "0")
        assert (contrast.first, contrast.second) == ("1", "0")
        difference = found.mean[0] - found.mean[1]
        np.testing.assert_allclose(contrast.difference, difference)
    with pytest.raises(ValueError, match=r"no setting 3: pass one of \['1', '0', '2'"):
        found.contrast(1, 3)


def test_draws_that_drift_warn(dmr):
    weights = np.linspace(0, 1, 60) + np.random.default_rng(0).normal(0, 0.1, 60)
    with pytest.warns(UserWarning, match="The proportions drift"):
        found = predicted_proportions(with_weights(dmr, weights), [[0.0], [1.0]])
    with pytest.warns(UserWarning, match="The differences drift"):
        found.contrast(0, 1)


def test_settings_whose_proportions_overflow_are_refused(dmr):
    with pytest.raises(ValueError, match="too far from those of fit"):
        predicted_proportions(with_weights(dmr, np.full(39, 1e20)), [[0.0], [1e300]])
