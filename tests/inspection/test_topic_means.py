"""Mean topic proportions of groups and over time, and their picture."""

import datetime

import numpy as np
import pytest
from scipy.stats import t as student_t

from sklda.inspection import TopicMeansDisplay, estimate_effect, topic_means
from sklda.inspection._topic_means import check_groups
from tests.helpers.draws import assert_covers, draws_of, named, pooled_by_hand

RNG = np.random.default_rng(0)
ALPHA = np.array([0.2, 1.5, 0.7])
PARTY = np.array(["left", "right", "centre"])[np.arange(30) % 3]
DAYS = np.datetime64("2008-01-01") + np.arange(0, 360, 12).astype("m8[D]")
YEARS = np.array([2001, 2002, 2005])[np.arange(30) % 3]


def make_draws(n_draws=5, n_documents=30, n_topics=3, n_tokens=40):
    """Return draws whose documents have as many tokens in each draw."""
    theta = RNG.dirichlet(np.ones(n_topics), n_documents)
    shape = n_draws, n_documents
    return draws_of(RNG.multinomial(n_tokens, theta, shape), np.ones(n_topics) / 2)


# --- groups ------------------------------------------------------------------

CENTURY = np.datetime64("1999-12-31") + np.arange(9000).astype("m8[D]")
MONDAYS = np.datetime64("1999-12-27") + np.arange(11).astype("m8[W]")
WEEKS = [f"{day} to {day + np.timedelta64(6, 'D')}" for day in MONDAYS]
MONTHS = [f"{year}-{month:02}" for year in range(1999, 2009) for month in range(1, 13)]
QUARTERS = [f"{MONTHS[i]} to {MONTHS[i + 2]}" for i in range(9, 111, 3)]


@pytest.mark.parametrize(
    ("groups", "max_bins", "names", "place"),  # the first one
    [
        ([4, 7, 3, 4], 60, ["3", "4", "5", "6", "7"], 3),
        (np.array([0.5, -1.0]), 60, ["-1", "0.5"], -1),
        ([True, False], 60, ["False", "True"], None),
        (CENTURY[[0, 3]], 60, [str(day) for day in CENTURY[:4]], 10956),
        (np.arange(1000) / 7, 60, [f"{i} to {i + 5}" for i in range(0, 145, 5)], 2.5),
        (CENTURY[:70], 60, WEEKS, 10955),
        (CENTURY[:3000], 110, MONTHS[11:111], 10941),
        (CENTURY[:3000], 60, QUARTERS, 10910.5),
        (CENTURY, 60, [str(y) for y in range(1999, 2025)], 10774),
        (
            [datetime.datetime(1011, 1, 1, 5), datetime.date(2020, 5, 17)],
            60,
            [f"{y} to {y + 19}" for y in range(1000, 2040, 20)],
            -350632.8,
        ),
        # A bin may contain both signs only if there are no others.
        ([-3, 40], 1, ["-3 to 46"], 21.5),
        (np.array(["-0009", "2001"], "M8[Y]"), 1, ["-9 to 4990"], 190291.3425),
    ],
)
def test_groups_in_order(groups, max_bins, names, place):
    found = check_groups(groups, len(groups), max_bins)
    assert found.names == names
    assert len(found.members) == len(groups)
    assert (found.members.min(), found.members.max()) == (0, len(names) - 1)
    if place is None:
        assert found.places is None
    else:
        assert found.places[0] == pytest.approx(place)
        assert (np.diff(found.places) > 0).all()


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ([f"a{i}" for i in range(201)], "201 different values; at most 200"),
        (5e-324 * np.arange(30), "numbers from .* subtract their"),
        (1e16 + 2 * np.arange(30), "numbers from .* subtract their"),
    ],
)
def test_groups_that_no_bins_divide(groups, words):
    with pytest.raises(ValueError, match=words):
        check_groups(groups, len(groups), 5)


# --- means -------------------------------------------------------------------


def samples(draws, topics, seed):
    """Return the proportions that `topic_means` draws, (n_draws, n_docs, n_topics)."""
    rng = np.random.RandomState(seed)
    return np.array([draws.sample_doc_topic(i, rng)[:, topics] for i in range(5)])


def within_groups(theta):
    """Return the mean variance of the mean over documents."""
    return theta.var(axis=1, ddof=1).mean(axis=0) / theta.shape[1]


def test_means_and_intervals_by_hand():
    draws = make_draws()
    found = topic_means(
        draws, PARTY, topics=[2, 0], confidence_level=0.9, random_state=3
    )
    assert found.groups == ["centre", "left", "right"]
    assert found.places is None
    assert found.n_documents.tolist() == [10, 10, 10]
    for i, group in enumerate(found.groups):
        theta = samples(draws, [2, 0], 3)[:, group == PARTY]
        pooled = pooled_by_hand(theta.mean(axis=1), within_groups(theta), 9, 0.9)
        seen = found.mean[i], found.standard_error[i], found.low[i], found.high[i]
        expected = [pooled[0], pooled[1], *pooled[3:]]
        np.testing.assert_allclose(seen, expected, rtol=1e-9)


def test_bins_without_documents_are_gaps():
    groups = np.where(np.arange(30) == 7, 2010, YEARS)
    found = topic_means(make_draws(), groups, random_state=0)
    assert found.groups == [str(year) for year in range(2001, 2011)]
    assert found.n_documents.tolist() == [10, 9, 0, 0, 10, 0, 0, 0, 0, 1]
    empty, alone = found.n_documents == 0, found.n_documents < 2
    np.testing.assert_array_equal(np.isnan(found.mean).all(axis=1), empty)
    np.testing.assert_allclose(found.mean[~empty].sum(axis=1), 1)
    np.testing.assert_array_equal(np.isnan(found.low).any(axis=1), alone)
    assert (found.low[~alone] >= 0).all()
    line = repr(found).splitlines()[-2]  # without an interval
    assert line.split() == ["2010", "1", *(f"{x:.3f}" for x in found.mean[-1])]


@pytest.mark.filterwarnings("ignore:The alpha of these draws")
def test_topics_without_tokens():
    group = np.arange(30) % 2
    counts = 9 * np.eye(2, 4, dtype=int)[group]
    draws = draws_of(np.array([counts] * 5), np.full(4, 1e-300))
    found = topic_means(draws, group, random_state=0)
    for values in (found.mean, found.low, found.high):
        np.testing.assert_array_equal(values, np.eye(2, 4))
    contrast = found.contrast("0", "1")
    assert contrast.low.tolist() == contrast.high.tolist() == [1, -1, 0, 0]
    assert contrast.probability.tolist() == [1, 0, 0.5, 0.5]
    effects = estimate_effect(draws, group, random_state=0)
    np.testing.assert_array_equal(effects.coefficient[2:], 0)
    np.testing.assert_array_equal(effects.p_value[2:], 1)


def test_tables():
    pytest.importorskip("pandas")
    found = topic_means(make_draws(n_topics=7), YEARS, random_state=0)
    rows, table = found.summary(), found.summary(as_frame=True)
    assert list(table.index) == list(rows)
    assert list(rows)[:2] == [(0, "2001"), (0, "2002")]
    assert rows[4, "2005"]["n_documents"] == 10
    assert rows[4, "2005"]["high"] == found.high[4, 4]
    lines = repr(found).splitlines()
    assert lines[0] == "Mean topic proportions: 5 draws, 95% intervals"
    assert lines[-2:] == ["2 of 5 bins are empty", "and 4 more topics: see summary()"]
    mean, low, high = (getattr(found, x)[0, 0] for x in ("mean", "low", "high"))
    assert f"{mean:.3f} [{low:.3f}, {high:.3f}]" in lines[2]


def test_documents_without_a_date_are_left_out_and_counted(pyplot):
    draws, present = make_draws(), np.arange(30) % 10 != 3
    dates = np.where(present, DAYS, np.datetime64("NaT", "D"))
    found = topic_means(draws, dates, random_state=3)
    assert found.n_undated == 3
    assert found.n_documents.sum() == 27
    first = present & (DAYS < np.datetime64("2008-02"))
    expected = samples(draws, range(3), 3)[:, first].mean(axis=(0, 1))
    np.testing.assert_allclose(found.mean[0], expected)
    panel = TopicMeansDisplay(means=found).plot().axes_[-1]
    assert panel.get_xlabel() == "3 documents have no date"
    with pytest.raises(ValueError, match="missing values"):
        topic_means(draws, np.full(30, np.datetime64("NaT", "D")))


def test_contrast_of_two_groups_by_hand():
    draws = make_draws()
    groups = np.where(np.arange(30) < 8, "few", PARTY)
    means = topic_means(draws, groups, topics=[2, 0], random_state=3)
    found = means.contrast("left", "few")
    assert (found.first, found.second) == ("left", "few")
    theta = samples(draws, [2, 0], 3)
    left, few = theta[:, groups == "left"], theta[:, groups == "few"]
    parts = np.array([within_groups(left), within_groups(few)])
    within = parts.sum(axis=0)
    welch = within**2 / (parts[0] ** 2 / (left.shape[1] - 1) + parts[1] ** 2 / 7)
    differences = left.mean(axis=1) - few.mean(axis=1)
    mean, error, df, low, high = pooled_by_hand(differences, within, welch, 0.95)
    probability = student_t.cdf(mean / error, df)
    seen = found.difference, found.low, found.high, found.probability
    np.testing.assert_allclose(seen, [mean, low, high, probability])
    np.testing.assert_allclose(means.contrast("few", "left").low, -found.high)
    order = [2, 0] if abs(mean[0]) > abs(mean[1]) else [0, 2]
    assert list(found.summary()) == order
    rows = repr(found).splitlines()[2:]
    assert [int(row.split()[0]) for row in rows] == order


@pytest.mark.slow
def test_intervals_cover_planted_means():
    # Each topic has words of its own: the topics of the tokens are known.
    planted = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]])
    rng, group = np.random.default_rng(1), np.arange(40) % 2
    covered, covered_differences = [], []
    prior = 3 * planted.mean(axis=0)
    for seed in range(200):
        theta = np.array([rng.dirichlet(3 * planted[g]) for g in group])
        counts = np.array([rng.multinomial(300, row) for row in theta])
        draws = draws_of(np.tile(counts, (10, 1, 1)), prior)
        found = topic_means(draws, group, confidence_level=0.8, random_state=seed)
        covered.append((found.low < planted) & (planted < found.high))
        between, true = found.contrast(0, 1), planted[0] - planted[1]
        covered_differences.append((between.low < true) & (true < between.high))
    # Documents of 300 words are shrunk by 1 %, a tenth of a standard error.
    for rates in (covered, covered_differences):
        assert_covers(rates, 0.8)


# --- the picture -------------------------------------------------------------


def test_line_has_gaps_and_counts(pyplot):
    options = {"n_topics": 2, "random_state": 0}
    display = TopicMeansDisplay.from_draws(make_draws(), YEARS, **options)
    assert len(display.axes_) == 3
    for j in range(2):
        (line,) = display.axes_[j].lines
        np.testing.assert_array_equal(line.get_ydata(), display.means.mean[:, j])
        assert np.isnan(line.get_ydata()).tolist() == [False, False, True, True, False]
    heights = [bar.get_height() for bar in display.axes_[-1].patches]
    assert heights == [10, 10, 0, 0, 10]


def test_rows_name_groups_and_their_sizes(pyplot):
    display = TopicMeansDisplay.from_draws(
        named(make_draws(), ["x", "y", "z"]), PARTY, topics=[2, 0], random_state=0
    )
    assert [panel.get_title() for panel in display.axes_] == ["z", "x"]
    labels = [label.get_text() for label in display.axes_[0].get_yticklabels()]
    assert labels == ["centre (10)", "left (10)", "right (10)"]
    (points,) = display.axes_[1].lines
    np.testing.assert_array_equal(points.get_xdata(), display.means.mean[:, 1])
    (bars,) = display.axes_[1].collections
    ends = np.array([segment[:, 0] for segment in bars.get_segments()])
    np.testing.assert_array_equal(ends[:, 0], display.means.low[:, 1])
    np.testing.assert_array_equal(ends[:, 1], display.means.high[:, 1])
