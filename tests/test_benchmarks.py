"""The split and the perplexity that the benchmarks compare programs by, and blocking.

Commands run on corpora of a few documents, with the one sampler that draws tokens
singly; what they print of time is not looked at.
"""

import json

import numpy as np
import pytest
from scipy import sparse

from benchmarks import blocking, common, corpora
from benchmarks import blocking_runs as runs
from sklda.datasets import make_bars


@pytest.fixture
def counts(monkeypatch):
    """Return a small corpus of which the last 20 documents are test documents."""
    monkeypatch.setitem(corpora.N_TEST_DOCUMENTS, "small", 20)
    rng = np.random.default_rng(1)
    return sparse.csr_array(rng.poisson(0.7, size=(60, 30)))


def test_split_holds_out_half_of_the_last_documents(counts):
    train, held_out = corpora.split(counts, "small")
    assert (train[:40] != counts[:40]).nnz == 0
    assert (train[40:] + held_out != counts[40:]).nnz == 0
    tokens = counts[40:].sum()
    # Binomial with p = 1/2: four standard deviations are 2 sqrt(n).
    assert abs(held_out.sum() - tokens / 2) < 2 * np.sqrt(tokens)


def test_perplexity_is_that_of_the_definition(counts):
    rng = np.random.default_rng(2)
    theta = rng.dirichlet(np.ones(4), size=60)
    phi = rng.dirichlet(np.ones(30), size=4)
    probability = theta @ phi
    dense = counts.toarray()
    expected = np.exp(-(dense * np.log(probability)).sum() / dense.sum())
    assert corpora.perplexity(theta, phi, counts) == pytest.approx(expected, rel=1e-12)


def test_perplexity_of_knowing_nothing_is_the_size_of_the_vocabulary(counts):
    theta = np.ones((60, 1))
    phi = np.full((1, 30), 1 / 30)
    assert corpora.perplexity(theta, phi, counts) == pytest.approx(30)


@pytest.fixture
def small_corpus(monkeypatch, counts):
    """Let the commands find the small corpus under the name of a real one."""
    monkeypatch.setitem(corpora.N_TEST_DOCUMENTS, "kos", 20)
    monkeypatch.setattr(corpora, "load", lambda name, data_home: counts)


def run_command(tmp_path, *options):
    """Run a command with the single-site sampler, and return what it wrote."""
    pytest.importorskip("matplotlib")
    blocking.main([*options, "--samplers", "single-site", "--output", str(tmp_path)])
    (report,) = tmp_path.glob("*.json")
    figure = report.with_suffix(".png").read_bytes()
    assert figure.startswith(b"\x89PNG")
    text = report.read_text()
    assert str(tmp_path) not in text
    return json.loads(text)


def test_sweeps_to_reach_is_the_first_recorded_sweep_that_is_as_good():
    sweeps = [5, 10, 15, 20]
    curve = [-9.0, -7.0, -8.0, -6.0]
    assert runs.sweeps_to_reach(sweeps, curve, -7.0, rising=True) == 10
    assert runs.sweeps_to_reach(sweeps, curve, -5.0, rising=True) is None
    falling = [9.0, 7.0, 8.0, 6.0]
    assert runs.sweeps_to_reach(sweeps, falling, 6.5, rising=False) == 20
    assert runs.sweeps_to_reach(sweeps, falling, 9.0, rising=False) == 5


def test_medians_and_ratios_are_those_of_the_first_sampler():
    seconds = common.medians(
        {"single-site": [1.0, 9.0, 2.0], "nested": [3.0, 0.0, 1.0]}
    )
    assert seconds == {"single-site": 2.0, "nested": 1.0}
    assert common.ratios(seconds) == {"single-site": 1.0, "nested": 0.5}
    assert common.median_curve([[1, 5], [2, 4], [9, 0]]).tolist() == [2, 4]


def test_gap_is_taken_between_the_ends_of_chains():
    sweeps = np.arange(5, 101, 5)
    best = np.where(sweeps > 50, -10.0, -1000.0)
    worse = np.where(sweeps > 50, -13.0, 1000.0)
    assert runs.gaps_to_best(sweeps, [worse, best]).tolist() == [3, 0]


def test_distances_are_zero_for_the_planted_topics_in_any_order():
    _, _, planted = make_bars(10, random_state=0)
    shuffled = planted[np.random.default_rng(3).permutation(10)]
    # The square root of a rounding error of 1e-16 is 1e-8.
    assert runs.distances_to_planted(shuffled, planted).max() < 1e-7


@pytest.mark.parametrize(("beside", "missed"), [(0.15, 0), (0.2, 1)])
def test_a_topic_is_missed_if_more_than_17_percent_lie_beside_it(beside, missed):
    _, _, planted = make_bars(10, random_state=0)
    found = planted.copy()
    found[0] = (1 - beside) * planted[0] + beside * planted[1]
    far = runs.distances_to_planted(found, planted) > runs.FARTHEST
    assert far.sum() == missed


def test_two_bars_in_one_topic_miss_a_planted_topic():
    _, _, planted = make_bars(10, random_state=0)
    merged = np.vstack([planted[:2].mean(axis=0), planted[2:], planted[3:4]])
    far = runs.distances_to_planted(merged, planted) > runs.FARTHEST
    assert far.sum() == 2  # one has half a topic, the other the twin of a third
    assert far[:2].all()


def test_perplexity_takes_the_mean_of_kept_samples_and_the_present_one(counts):
    rng = np.random.default_rng(4)
    thetas = rng.dirichlet(np.ones(4), size=(3, 60))
    phis = rng.dirichlet(np.ones(30), size=(3, 4))
    held_out = counts[40:]
    mean = runs.SampleMean(held_out)
    mean.perplexity(thetas[0], phis[0], keep=True)
    mean.perplexity(thetas[1], phis[1], keep=False)
    value = mean.perplexity(thetas[2], phis[2], keep=True)
    theta, phi = thetas[[0, 2]].mean(axis=0)[40:], phis[[0, 2]].mean(axis=0)
    assert value == pytest.approx(corpora.perplexity(theta, phi, held_out))


def test_chain_is_the_one_of_the_estimator(counts):
    train, held_out = corpora.split(counts, "small")
    chain = runs.run_chain("single-site", train, held_out, 3, 0, 12, 4)
    assert len(chain["log_posterior"]) == len(chain["perplexity"]) == 3
    lda = runs.SAMPLERS["single-site"](
        3,
        doc_topic_prior=0.1,
        topic_word_prior=0.01,
        max_iter=12,
        burn_in=11,
        evaluate_every=4,
        random_state=0,
    ).fit(train)
    np.testing.assert_allclose(chain["log_posterior"], lda.log_joint_, atol=0.051)
    np.testing.assert_allclose(chain["topic_word"], lda.topic_word_, rtol=1e-12)


def test_max_block_size_goes_to_blocked_samplers_only(monkeypatch):
    monkeypatch.setattr(runs, "CollapsedGibbsLDA", lambda k, **options: (k, options))
    make = runs.SAMPLERS
    assert make["single-site"](3, max_block_size=8) == (3, {})
    assert make["nested"](3) == (3, {"blocking": "nested"})
    assert make["backward"](3, max_block_size=8) == (
        3,
        {"blocking": "backward", "max_block_size": 8},
    )


@pytest.mark.parametrize(
    "options",
    [
        ["bars", "--documents", "250"],
        ["chains", "--sweeps", "3", "--every", "4"],
        ["speed", "--first", "60"],
    ],
)
def test_options_that_leave_nothing_to_run_are_refused(options, capsys):
    with pytest.raises(SystemExit):
        blocking.parse([*options, "--output", "."])
    assert "must be at least" in capsys.readouterr().err


def test_timing_leaves_out_the_first_sweeps_and_stops_at_the_limit(counts):
    seconds = runs.seconds_per_sweep(counts, 3, ["single-site"], 2, 9)
    assert len(seconds["single-site"]) == 7
    seconds = runs.seconds_per_sweep(counts, 3, ["single-site"], 2, 9, limit=0)
    assert len(seconds["single-site"]) == common.FEWEST_TIMED


def test_bars_command_counts_chains_in_local_modes(tmp_path, capsys):
    options = ["--documents", "300", "--starts", "2", "--sweeps", "12", "--every", "4"]
    report = run_command(tmp_path, "bars", *options, "--jobs", "1")
    assert report["sweeps"] == [4, 8, 12]
    chains = report["chains"]["single-site"]
    assert [chain["seed"] for chain in chains] == [0, 1]
    row = report["summary"]["samplers"]["single-site"]
    assert row["missing_topics"] == sum(chain["missed_topics"] > 0 for chain in chains)
    assert row["paper_of_30"] == 5
    assert min(chain["gap"] for chain in chains) == 0
    assert "5 of 30" in capsys.readouterr().out


def test_bars_summary_separates_a_mode_from_chance():
    _, _, planted = make_bars(10, random_state=0)
    merged = np.vstack([planted[:2].mean(axis=0), planted[2:], planted[3:4]])
    chains = {
        "single-site": [
            {"log_posterior": [-250.0], "perplexity": [9.0], "topic_word": planted},
            {"log_posterior": [-255.0], "perplexity": [9.5], "topic_word": merged},
        ],
        "nested": [
            {"log_posterior": [-251.0], "perplexity": [9.1], "topic_word": planted}
        ],
    }
    rows = blocking.bars_summary([1], chains, planted, n_tokens=100)["samplers"]
    assert (rows["single-site"]["below_best"], rows["nested"]["below_best"]) == (1, 0)
    assert rows["single-site"]["missing_topics"] == 1
    assert rows["nested"]["missing_topics"] == 0


def test_chains_summary_multiplies_sweeps_and_seconds():
    chains = {
        "single-site": [{"log_posterior": [-9, -8, -7], "perplexity": [30, 25, 20]}],
        "nested": [{"log_posterior": [-8, -7, -6], "perplexity": [30, 28, 26]}],
    }
    seconds = {"single-site": 0.5, "nested": 2.0}
    summary = blocking.chains_summary([10, 20, 30], chains, seconds)
    assert summary["nested"]["log_posterior"] == {
        "last": -6,
        "sweeps": 20,
        "seconds": 40,
    }
    assert summary["nested"]["perplexity"]["seconds"] is None
    assert summary["single-site"]["perplexity"]["seconds"] == 15
    blocking.print_chains(summary, 1)


@pytest.mark.usefixtures("small_corpus")
def test_chains_command_reports_both_curves(tmp_path):
    options = ["--corpus", "kos", "--topics", "3", "--starts", "2", "--sweeps", "10"]
    report = run_command(tmp_path, "chains", *options, "--jobs", "1")
    row = report["summary"]["single-site"]
    assert row["log_posterior"]["sweeps"] <= 10
    assert row["perplexity"]["sweeps"] <= 10
    assert len(report["seconds"]["single-site"]) == 20
    assert set(report["machine"]) == {"cpu", "simd", "cores", "system", "versions"}


@pytest.mark.usefixtures("small_corpus")
def test_speed_command_times_each_number_of_topics(tmp_path, capsys):
    options = ["--corpus", "kos", "--topics", "2", "4", "--first", "1", "--sweeps", "4"]
    report = run_command(tmp_path, "speed", *options)
    assert [row["n_topics"] for row in report["rows"]] == [2, 4]
    assert report["rows"][0]["ratio"] == {"single-site": 1}
    assert len(report["rows"][1]["seconds"]["single-site"]) == 3
    assert "14.4 % (kos) and 36.5 % (nips)" in capsys.readouterr().out


@pytest.mark.slow
def test_chains_command_on_the_real_corpus(tmp_path, shared_data):
    folder = str(shared_data / "uci_bow")
    options = ["--corpus", "kos", "--data-home", folder, "--starts", "1"]
    report = run_command(tmp_path, "chains", *options, "--sweeps", "2", "--jobs", "1")
    assert report["n_topics"] == 32
    # All of the 467,714 tokens but half of those of the last 430 documents.
    assert 0.9 * 467_714 < report["tokens"] < 467_714
    assert folder not in json.dumps(report)
