"""The experiments on blocked sampling."""

from argparse import Namespace

import numpy as np
import pytest

from benchmarks import blocking, corpora
from benchmarks.blocking import bars, chains
from benchmarks.programs import ours
from sklda import CollapsedGibbsLDA
from sklda.datasets import make_bars

_, _, PLANTED = make_bars(10, random_state=0)
# Two bars in one topic, and a twin of a third.
MERGED = np.vstack([PLANTED[:2].mean(axis=0), PLANTED[2:], PLANTED[3:4]])


def test_distances_are_zero_for_the_planted_topics_in_any_order():
    shuffled = PLANTED[np.random.default_rng(3).permutation(10)]
    # The square root of a rounding error of 1e-16 is 1e-8.
    assert bars.distances_to_planted(shuffled, PLANTED).max() < 1e-7


@pytest.mark.parametrize(("beside", "missed"), [(0.15, 0), (0.2, 1)])
def test_a_topic_is_missed_if_more_than_17_percent_lie_beside_it(beside, missed):
    found = PLANTED.copy()
    found[0] = (1 - beside) * PLANTED[0] + beside * PLANTED[1]
    far = bars.distances_to_planted(found, PLANTED) > bars.FARTHEST
    assert far.sum() == missed


def test_two_bars_in_one_topic_miss_a_planted_topic():
    far = bars.distances_to_planted(MERGED, PLANTED) > bars.FARTHEST
    assert np.flatnonzero(far).tolist() == [0, 1]


def test_summary_of_bars_separates_a_mode_from_chance():
    def chain(end, topic_word):
        curve = [1000.0, end]  # the gap is taken between the ends of chains
        return {"log_posterior": curve, "perplexity": [9.0], "topic_word": topic_word}

    found = {
        "single-site": [chain(-250.0, PLANTED), chain(-255.0, MERGED)],
        "nested": [chain(-251.0, PLANTED)],
    }
    rows = bars.summary({"sweeps": [1, 100], "tokens": 100}, found, PLANTED)
    counted = ("chains", "below_best", "missing_topics", "paper_of_30")
    assert [rows["single-site"][key] for key in counted] == [2, 1, 1, 5]
    assert [rows["nested"][key] for key in counted] == [1, 0, 0, None]
    assert [c["gap"] for some in found.values() for c in some] == [0, 0.05, 0.01]


def test_curves_are_those_of_the_estimator_and_of_kept_samples(counts):
    train, held_out = corpora.split(counts, "kos")
    options = Namespace(sweeps=12, every=4, max_block_size=None)
    chain = blocking.run_chain("single-site", 0, train, held_out, 3, options)
    priors = {"doc_topic_prior": 0.1, "topic_word_prior": 0.01, "random_state": 0}
    given = {"max_iter": 12, "burn_in": 11, "evaluate_every": 4}
    lda = CollapsedGibbsLDA(3, **priors, **given).fit(train)
    np.testing.assert_allclose(chain["log_posterior"], lda.log_joint_, atol=0.051)
    np.testing.assert_allclose(chain["topic_word"], lda.topic_word_, rtol=1e-12)
    program = ours.gibbs(train, 3, 0)  # of sweep 10, which is kept, and of the last
    (theta, phi), (theta_12, phi_12) = (
        (program.sweep(n), program.estimates(10))[1] for n in (10, 2)
    )
    mean = (theta + theta_12) / 2, (phi + phi_12) / 2
    expected = corpora.perplexity(*mean, held_out)
    assert chain["perplexity"][-1] == pytest.approx(expected, abs=6e-4)


def test_max_block_size_goes_to_blocked_samplers_only(monkeypatch):
    monkeypatch.setattr(ours, "gibbs", lambda X, k, seed, **parameters: parameters)
    new = blocking.new_program
    assert new("single-site", None, 3, max_block_size=8) == {}
    assert new("nested", None, 3) == {"blocking": "nested"}
    both = {"blocking": "backward", "max_block_size": 8}
    assert new("backward", None, 3, max_block_size=8) == both


def test_summary_of_chains_multiplies_sweeps_and_seconds():
    found = {
        "single-site": [{"log_posterior": [-9, -8, -7], "perplexity": [30, 25, 20]}],
        "nested": [{"log_posterior": [-8, -7, -6], "perplexity": [30, 28, 26]}],
    }
    seconds = {"single-site": 0.5, "nested": 2.0}
    rows = chains.summary([10, 20, 30], found, seconds)
    row = rows["nested"]["log_posterior"]
    assert (row["median"], row["reached"], row["seconds"]) == (-6, 20, 40)
    assert rows["nested"]["perplexity"]["seconds"] is None
    assert rows["single-site"]["perplexity"]["seconds"] == 15
