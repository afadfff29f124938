"""Flows between the topics of models: what they carry, and where they are drawn."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from sklda.inspection import TopicFlowDisplay, TopicMapDisplay
from sklda.inspection._topic_flow import bar_tops, transport
from tests.helpers.known_topics import KnownTopics
from tests.helpers.pictures import LONG, boxes, overlaps

SIZES = (4, 8, 16, 32)


@pytest.fixture(scope="module")
def models():
    """Return models in which each topic of one is split in two in the next."""
    rng = np.random.default_rng(0)
    rows = rng.gamma(0.3, 50, (32, 30))
    found = []
    for _ in SIZES:
        order = rng.permutation(len(rows))
        found.insert(0, KnownTopics(rows[order], topic_word_prior_=0.0, order=order))
        rows = rows[0::2] + rows[1::2]
    return found


def test_transport_carries_all_at_the_smallest_cost():
    rng = np.random.default_rng(0)
    costs = rng.random((6, 6))
    uniform = np.full(6, 1 / 6)
    flows = transport(uniform, uniform, costs)
    rows, columns = linear_sum_assignment(costs)  # the answer for equal masses
    expected = np.zeros((6, 6))
    expected[rows, columns] = 1 / 6
    np.testing.assert_allclose(flows, expected, atol=1e-9)
    sources, sinks = rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(7))
    flows = transport(sources, sinks, rng.random((3, 7)))
    np.testing.assert_allclose(flows.sum(axis=1), sources, atol=1e-9)
    np.testing.assert_allclose(flows.sum(axis=0), sinks, atol=1e-9)
    assert flows.min() >= 0
    assert (flows > 1e-9).sum() <= 3 + 7 - 1


def test_topics_flow_into_their_parts(pyplot, models):
    display = TopicFlowDisplay.from_estimators(models)
    for flows, (model, following) in zip(display.flows, pairwise(models), strict=True):
        # The part in row j of a model is one half of row order[j] // 2 of its parent.
        parents = np.argsort(model.order)[following.order // 2]
        assert (flows.argmax(axis=0) == parents).mean() > 0.9
        assert flows[parents, np.arange(parents.size)].sum() > 0.7
        sums = model.components_.sum(axis=1)
        np.testing.assert_allclose(flows.sum(axis=1), sums / sums.sum(), atol=1e-8)


def test_frequencies_may_be_those_of_documents(pyplot):
    X = np.array([[4, 0, 0], [0, 1, 1]])
    theta = [[1, 0], [0, 1]]
    components = [[1, 0, 0], [0, 1, 1]]
    models = [KnownTopics(components, theta), KnownTopics(components[::-1], theta)]
    display = TopicFlowDisplay.from_estimators(models, X=X)
    expected = [[1 / 3, 1 / 3], [1 / 3, 0]]
    np.testing.assert_allclose(display.flows[0], expected, atol=1e-9)


def test_bars_and_ribbons_are_as_high_as_the_flows(pyplot, models):
    display = TopicFlowDisplay.from_estimators(models[:2])
    (flows,) = display.flows
    for bars, sizes in zip(display.bars_, (flows.sum(1), flows.sum(0)), strict=True):
        np.testing.assert_allclose([bar.get_height() for bar in bars], sizes)
    drawn = np.argwhere(flows >= 1e-4)
    assert len(display.ribbons_) == len(drawn)
    left, right = display.bars_
    for ribbon, (k, j) in zip(display.ribbons_, drawn, strict=True):
        x, y = ribbon.get_paths()[0].vertices.T
        for end, bar in ((x.min(), left[k]), (x.max(), right[j])):
            heights = y[x == end]
            np.testing.assert_allclose(np.ptp(heights), flows[k, j], atol=1e-9)
            assert heights.min() > bar.get_y() - 1e-9
            assert heights.max() < bar.get_y() + bar.get_height() + 1e-9
        np.testing.assert_allclose(
            ribbon.get_facecolor()[0, :3], left[k].get_facecolor()[:3]
        )


def test_ribbons_of_a_bar_do_not_overlap(pyplot, models):
    display = TopicFlowDisplay.from_estimators(models[1:3])
    ends = {}
    for ribbon, (k, j) in zip(
        display.ribbons_, np.argwhere(display.flows[0] >= 1e-4), strict=True
    ):
        x, y = ribbon.get_paths()[0].vertices.T
        ends.setdefault(("left", k), []).append(y[x == x.min()])
        ends.setdefault(("right", j), []).append(y[x == x.max()])
    for ribbon_ends in ends.values():
        spans = sorted((y.min(), y.max()) for y in ribbon_ends)
        for (_, upper), (lower, _) in pairwise(spans):
            assert lower > upper - 1e-9


def test_labels_name_the_topics_and_do_not_overlap(pyplot, models):
    display = TopicFlowDisplay.from_estimators(models, LONG)
    display.figure_.draw_without_rendering()
    by_map = TopicMapDisplay.from_estimator(models[0], LONG, n_words=3)
    words = [label.split("\n") for label in by_map.labels]
    assert display.labels[0] == [" ".join(each) for each in words]
    frame = display.figure_.bbox.extents
    for column, texts in enumerate(display.texts_):
        assert [text.get_text() for text in texts] == display.labels[column]
        extents = boxes(texts)
        assert overlaps(extents) == 0
        assert (extents[:, [1, 3]] >= frame[1]).all()
        assert (extents[:, [1, 3]] <= frame[3]).all()
    ticks = [tick.get_text() for tick in display.ax_.get_xticklabels()]
    assert ticks == [f"{size} topics" for size in SIZES]


def test_a_topic_has_the_colour_of_what_it_comes_from(pyplot, models):
    display = TopicFlowDisplay.from_estimators(models)
    colours = [[bar.get_facecolor() for bar in bars] for bars in display.bars_]
    assert len(set(colours[0])) == 4
    for flows, (before, after) in zip(display.flows, pairwise(colours), strict=True):
        assert after == [before[k] for k in flows.argmax(axis=0)]


def test_order_of_topics_saves_crossings(models):
    rng = np.random.default_rng(0)
    nested = np.kron(np.eye(5), [[1, 1, 1]]) * rng.random((1, 15))
    flows = nested[:, rng.permutation(15)] / nested.sum()
    (left, right), total = bar_tops([flows], [flows.sum(1), flows.sum(0)], 1 / 15)
    places_of_parents = left[flows.argmax(axis=0)][np.argsort(right)]
    assert (np.diff(places_of_parents) >= 0).all()
    assert min(left.min(), right.min()) >= 0
    assert (left + flows.sum(1)).max() <= total + 1e-9


def test_one_column_per_model(pyplot, models):
    axes = pyplot.subplots()[1]
    display = TopicFlowDisplay.from_estimators(models[1::-1], ax=axes, alpha=0.1)
    assert display.ax_ is axes
    assert [flows.shape for flows in display.flows] == [(8, 4)]
    assert display.ribbons_[0].get_alpha() == 0.1
    with pytest.raises(
        ValueError, match="labels must contain a list for each of the 2"
    ):
        TopicFlowDisplay(flows=display.flows, labels=display.labels[:1])
    with pytest.raises(
        ValueError, match=r"flows must contain .* \(4, n_topics_of_next\)"
    ):
        TopicFlowDisplay(flows=[*display.flows, np.ones((3, 2))], labels=[])
