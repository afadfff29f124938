"""The experiments on blocked sampling."""

from argparse import Namespace

import numpy as np
import pytest

from benchmarks import blocking, corpora
from sklda import CollapsedGibbsLDA, UncollapsedGibbsLDA
from sklda.datasets import make_bars

_, _, PLANTED = make_bars(10, random_state=0)
# Two bars in one topic, and a twin of a third.
MERGED = np.vstack([PLANTED[:2].mean(axis=0), PLANTED[2:], PLANTED[3:4]])


@pytest.mark.parametrize(("beside", "missed"), [(0.15, 0), (0.2, 1)])
def test_a_topic_is_missed_if_more_than_17_percent_lie_beside_it(beside, missed):
    found = PLANTED.copy()
    found[0] = (1 - beside) * PLANTED[0] + beside * PLANTED[1]
    found = found[np.random.default_rng(3).permutation(10)]
    far = blocking.distances_to_planted(found, PLANTED) > blocking.FARTHEST
    assert far.sum() == missed


def test_summary_of_bars_separates_a_mode_from_chance():
    def chain(end, topic_word):
        # The gap is taken between the ends of chains.
        curve = {"sweeps": [1, 100], "log_posterior": [1000.0, end]}
        return curve | {"perplexity": [None, 9.0], "topic_word": topic_word}

    found = {
        "single-site": [chain(-250.0, PLANTED), chain(-255.0, MERGED)],
        "nested": [chain(-251.0, PLANTED)],
    }
    rows = blocking.count_modes(found, 100, PLANTED)
    counted = ("chains", "below_best", "missing_topics")
    assert [rows["single-site"][key] for key in counted] == [2, 1, 1]
    assert [rows["nested"][key] for key in counted] == [1, 0, 0]
    assert [c["gap"] for chains in found.values() for c in chains] == [0, 0.05, 0.01]


def test_curves_are_those_of_the_estimators(counts):
    train, held_out = corpora.split(counts, "kos")
    options = {"samplers": ["single-site", "uncollapsed"], "sweeps": 40}
    curves = blocking.run_start(0, train, held_out, 3, Namespace(**options))
    estimators = CollapsedGibbsLDA, UncollapsedGibbsLDA
    for curve, estimator in zip(curves.values(), estimators, strict=True):
        assert curve["sweeps"] == list(range(1, 41))
        assert all(np.diff(curve["seconds"]) > 0)
        priors = {"doc_topic_prior": 0.1, "topic_word_prior": 0.01, "random_state": 0}
        schedule = {"max_iter": 40, "burn_in": 20, "thin": 10, "evaluate_every": 1}
        schedule["init"] = "random"
        lda = estimator(3, **priors, **schedule).fit(train)
        np.testing.assert_allclose(curve["log_posterior"], lda.log_joint_)
        sweeps, _, perplexity = blocking.known(curve, "perplexity")
        assert sweeps.tolist() == blocking.recorded_sweeps(40)
        mean = lda.doc_topic_[-10:], lda.topic_word_
        expected = corpora.perplexity(*mean, held_out)
        assert perplexity[-1] == pytest.approx(expected, rel=1e-6)


def test_levels_are_those_of_the_first_sampler():
    def chain(pace, posterior, perplexity):
        sweeps = np.arange(1, 5)
        curves = {"log_posterior": posterior, "perplexity": perplexity}
        return {"sweeps": sweeps, "seconds": pace * sweeps, **curves}

    single = [chain(1, [-9, -8, -7, end], [None, 30, None, 20]) for end in (-7, -6, -5)]
    nested = [chain(2, [-9, -6, -5, end], [None, 31, None, 21]) for end in (-5, -4, -3)]
    rows = blocking.levels({"single-site": single, "nested": nested})
    found = [(row["of"], row["after"]) for row in rows]
    assert found == [("log_posterior", 4), ("perplexity", 4)]
    assert [row["level"] for row in rows] == [-6, 20]
    assert rows[0]["sweeps"] == pytest.approx({"single-site": 4, "nested": 2})
    assert rows[0]["seconds"] == pytest.approx({"single-site": 4, "nested": 4})
    assert rows[1]["seconds"] == {"single-site": pytest.approx(4), "nested": None}


def test_effective_samples_are_those_of_the_second_half():
    rng = np.random.default_rng(0)
    trace = np.r_[np.arange(1000.0), rng.normal(size=1000)]
    sweeps = np.arange(1, 2001)
    chain = {"sweeps": sweeps, "seconds": sweeps / 4, "log_posterior": trace}
    chains = {"nested": [chain | {"perplexity": trace}]}
    (row,) = blocking.summary_of_chains(chains).values()
    assert row["effective_per_sweep"]["median"] == pytest.approx(1, rel=0.1)
    assert row["effective_per_second"]["median"] == pytest.approx(4, rel=0.1)
    assert row["seconds_per_sweep"] == 0.25
