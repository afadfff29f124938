"""The benchmarks of dynamic sampling and of shards.

Commands run on a corpus of a few documents; what they print of time is not looked at.
"""

import json
from contextlib import contextmanager

import numpy as np
import pytest
from scipy import sparse

from benchmarks import common, corpora, ecgs
from benchmarks import ecgs_runs as runs
from sklda import ECGSLDA, CollapsedGibbsLDA


@pytest.fixture
def counts():
    """Return a small corpus with cells of many tokens."""
    rng = np.random.default_rng(1)
    return sparse.csr_array(rng.poisson(1.5, size=(40, 25)))


@pytest.fixture
def small_corpus(monkeypatch, counts):
    """Let the commands find the small corpus under the name of a real one."""
    monkeypatch.setattr(corpora, "load", lambda name, data_home: counts)


def run_command(tmp_path, command, *options):
    """Run a command and return what it wrote, after a look at its figures."""
    pytest.importorskip("matplotlib")
    ecgs.main([command, *options, "--output", str(tmp_path)])
    (report,) = tmp_path.glob("*.json")
    figures = list(tmp_path.glob("*.png"))
    assert len(figures) == (2 if command == "chains" else 1)
    assert all(f.read_bytes().startswith(b"\x89PNG") for f in figures)
    text = report.read_text()
    assert str(tmp_path) not in text
    return json.loads(text)


def fitted(estimator, X, n_topics, sweeps, **parameters):
    """Return an estimator that keeps nothing but its last sweep."""
    options = {"max_iter": sweeps, "burn_in": sweeps - 1, "random_state": 3}
    priors = {"doc_topic_prior": 50 / n_topics, "topic_word_prior": 0.02}
    return estimator(n_topics, **priors, **options, **parameters).fit(X)


def test_documents_are_parted_into_three_quarters_and_one(counts):
    train, test = corpora.split_documents(counts)
    assert (train.shape, test.shape) == ((30, 25), (10, 25))
    parts = np.vstack([train.toarray(), test.toarray()])
    whole = counts.toarray()
    assert np.array_equal(np.unique(parts, axis=0), np.unique(whole, axis=0))
    assert not np.array_equal(test.toarray(), whole[-10:])
    assert (corpora.split_documents(counts)[1] != test).nnz == 0


def test_dynamic_sampling_is_run_once_a_damping():
    assert runs.strategies(["standard", "dynamic"], [1, 100]) == {
        "standard": {"strategy": "standard"},
        "dynamic-1": {"strategy": "dynamic", "damping": 1},
        "dynamic-100": {"strategy": "dynamic", "damping": 100},
    }


@pytest.mark.parametrize("name", ["standard", "shortcut", "dynamic-2"])
def test_chain_is_the_one_of_the_estimator(counts, name):
    train, test = corpora.split_documents(counts)
    parameters = runs.strategies([name.partition("-")[0]], [2])[name]
    chain = runs.run_chain(name, parameters, train, test, 3, 3, 12, 4)
    lda = fitted(ECGSLDA, train, 3, 12, **parameters)
    assert (chain["sampler"], chain["seed"]) == (name, 3)
    assert len(chain["perplexity"]) == 3
    assert chain["perplexity"][-1] == pytest.approx(lda.perplexity(test), abs=6e-4)
    np.testing.assert_allclose(chain["sampling_rate"], lda.sampling_rate_, atol=6e-6)


def test_sampling_rates_lie_within_their_limits(counts):
    limits = runs.rate_limits(counts)
    cells = counts.data
    assert limits["shortcut"] == pytest.approx((cells > 0).sum() / cells.sum())
    draws = np.where(cells <= 2, cells, 1)
    assert limits["dynamic"] == pytest.approx(draws.sum() / cells.sum())
    rates = {}
    for strategy in ecgs.STRATEGIES:
        chain = runs.new_chain(ECGSLDA, counts, 3, 0, strategy=strategy)
        for _ in range(6):
            chain.sweep()
        rates[strategy] = runs.sampling_rate(chain)
    assert rates["standard"] == [1.0] * 6
    assert rates["shortcut"] == [round(limits["shortcut"], 5)] * 6
    assert rates["dynamic"][0] == 1
    assert limits["dynamic"] < rates["dynamic"][-1] < 1


def test_tokens_apart_are_cells_of_the_same_chain(counts):
    chains = [runs.new_chain_of(name, counts, 3, 0) for name in ("standard", "apart")]
    for chain in chains:
        for _ in range(3):
            chain.sweep()
    first, second = (chain.evaluate() for chain in chains)
    assert first == pytest.approx(second, rel=0.05)
    assert chains[1].shards[0].sweep.args[0].word.size == counts.sum()


@pytest.mark.parametrize("sampler", list(runs.SAMPLERS))
def test_shards_are_those_of_the_estimator_on_any_number_of_threads(counts, sampler):
    train, test = corpora.split_documents(counts)
    result = runs.run_shards(sampler, train, test, 3, [1, 4], 2, 3, 6)
    again = runs.run_shards(sampler, train, test, 3, [1, 4], 1, 3, 6)
    assert result["perplexity"] == again["perplexity"]
    assert [len(seconds) for seconds in result["seconds"].values()] == [6, 6]
    for n_shards, perplexity in result["perplexity"].items():
        lda = fitted(runs.SAMPLERS[sampler], train, 3, 6, n_shards=n_shards)
        assert perplexity == pytest.approx(lda.perplexity(test))
    assert result["perplexity"][1] != result["perplexity"][4]


def test_standard_strategy_is_the_single_site_kernel(counts):
    for n_topics in (3, 100):
        standard = runs.new_chain(ECGSLDA, counts, n_topics, 0, strategy="standard")
        single_site = runs.new_chain(CollapsedGibbsLDA, counts, n_topics, 0)
        assert standard.kernel is single_site.kernel


class FakeChain:
    """A chain that notes whether it sweeps with its threads."""

    def __init__(self, log, name):
        self.log, self.name, self.inside = log, name, False

    @contextmanager
    def threads(self):
        self.inside = True
        yield
        self.inside = False

    def sweep(self):
        self.log.append((self.name, self.inside))


def test_chains_are_timed_in_turns_and_with_their_threads():
    log = []
    chains = {name: FakeChain(log, name) for name in "ab"}
    seconds = common.seconds_per_sweep(chains, 1, 3)
    assert log == [("a", True), ("b", True)] * 3
    assert [len(seconds[name]) for name in "ab"] == [2, 2]
    assert not chains["a"].inside


def test_speed_of_a_strategy_is_that_of_means_and_of_medians():
    row = ecgs.speed_row({"standard": [9.0, 2.0, 1.0], "dynamic": [1.0, 4.0, 1.0]})
    assert row["mean"] == {"standard": 4, "dynamic": 2}
    assert row["speed_up"] == {"standard": 1, "dynamic": 2}
    assert row["median"] == {"standard": 2, "dynamic": 1}
    assert row["speed_up_of_median"]["dynamic"] == 2


def test_chains_summary_takes_the_mean_of_the_end_and_the_median_of_starts():
    def chain(*perplexity, rate):
        return {"perplexity": perplexity, "sampling_rate": [1.0, rate]}

    sweeps = [25, 50, 75, 100]  # the last 50 are those after 50
    chains = {
        "standard": [
            chain(900, 900, 110, 90, rate=1.0),
            chain(900, 900, 100, 80, rate=1.0),
            chain(900, 900, 310, 290, rate=1.0),
        ],
        "shortcut": [chain(900, 900, 120, 130, rate=0.4)],
    }
    summary = ecgs.chains_summary(sweeps, chains)
    assert summary["standard"]["perplexity"] == 100
    assert summary["standard"]["range"] == [90, 300]
    assert summary["standard"]["relative"] == 1
    assert summary["shortcut"]["relative"] == 1.25
    assert summary["shortcut"]["sampling_rate"] == 0.4


def test_shards_are_compared_with_the_first_number_of_them():
    starts = [
        {"seconds": {1: [4.0, 4.0], 2: [2.0, 2.0]}, "perplexity": {1: 90, 2: 101}},
        {"seconds": {1: [4.0, 9.0], 2: [2.0, 1.0]}, "perplexity": {1: 110, 2: 103}},
    ]
    one, two = ecgs.shards_rows(starts)
    assert (one["n_shards"], one["seconds"], one["speed_up"]) == (1, 4, 1)
    assert (two["n_shards"], two["seconds"], two["speed_up"]) == (2, 2, 2)
    # The fastest tenth of [4, 4, 4, 9] is 4; that of [1, 2, 2, 2], 1 + 0.3.
    assert two["speed_up_of_fastest"] == pytest.approx(4 / 1.3)
    assert (one["perplexity"], one["relative"]) == (100, 1)
    assert (two["perplexity"], two["relative"]) == (102, 1.02)
    assert two["relative_of_starts"] == [1.01, 1.03]


def test_capacity_is_what_threads_do_without_anything_to_share():
    starts = [
        {"one": [4.0, 4.0], "side_by_side": [5.0, 5.0]},
        {"one": [4.0, 9.0], "side_by_side": [5.0, 9.0]},
    ]
    gain = ecgs.capacity(starts, 2)
    assert gain == {"of_median": 1.6, "of_fastest": 1.6}


@pytest.mark.parametrize(
    "options",
    [
        ["chains", "--sweeps", "3", "--every", "4"],
        ["speed", "--first", "500"],
        ["shards", "--sweeps", "0"],
    ],
)
def test_options_that_leave_nothing_to_run_are_refused(options, capsys):
    with pytest.raises(SystemExit):
        ecgs.parse([*options, "--output", "."])
    assert "must be at least" in capsys.readouterr().err


@pytest.mark.usefixtures("small_corpus")
def test_chains_command_reports_every_strategy(tmp_path, capsys):
    options = ["--corpus", "kos", "--topics", "3", "--starts", "2", "--jobs", "1"]
    options += ["--sweeps", "10", "--every", "5", "--damping", "1", "50"]
    report = run_command(tmp_path, "chains", *options)
    names = ["standard", "dynamic-1", "dynamic-50", "shortcut"]
    assert list(report["chains"]) == list(report["summary"]) == names
    assert report["sweeps"] == [5, 10]
    assert [chain["seed"] for chain in report["chains"]["shortcut"]] == [0, 1]
    rate = {name: row["sampling_rate"] for name, row in report["summary"].items()}
    assert rate["standard"] == 1
    assert rate["standard"] > rate["dynamic-50"] > rate["dynamic-1"]
    assert rate["shortcut"] == pytest.approx(report["least_rate"]["shortcut"], abs=1e-5)
    assert report["options"]["alpha"] == "50 / K"
    assert report["options"]["beta"] == 0.02
    assert set(report["machine"]) == {"cpu", "simd", "cores", "system", "versions"}
    assert "paper: 0.755" in capsys.readouterr().out


@pytest.mark.usefixtures("small_corpus")
def test_speed_command_stands_beside_the_paper(tmp_path, capsys):
    options = ["--topics", "2", "100", "--first", "1", "--sweeps", "4"]
    report = run_command(tmp_path, "speed", *options)
    assert [row["n_topics"] for row in report["rows"]] == [2, 100]
    for row in report["rows"]:
        assert list(row["seconds"]) == list(ecgs.TIMED)
        assert {len(seconds) for seconds in row["seconds"].values()} == {3}
        assert row["speed_up"]["standard"] == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert "paper 4.0 1.00 2.8 1.43 1.7 2.35" in printed
    assert "GibbsLDA++ took 16.0 s" in printed


@pytest.mark.usefixtures("small_corpus")
def test_shards_command_reports_samplers_topics_and_shards(tmp_path):
    options = ["--samplers", "collapsed", "ecgs", "--topics", "2", "3", "--starts", "2"]
    options += ["--shards", "1", "2", "--sweeps", "3"]
    report = run_command(tmp_path, "shards", *options)
    results = report["results"]
    assert [(result["sampler"], result["n_topics"]) for result in results] == [
        ("collapsed", 2),
        ("collapsed", 3),
        ("ecgs", 2),
        ("ecgs", 3),
    ]
    for result in results:
        assert [row["n_shards"] for row in result["rows"]] == [1, 2]
        assert result["rows"][0]["relative"] == result["rows"][0]["speed_up"] == 1
        assert len(result["starts"]) == 2
        assert set(result["capacity"]) == {"of_median", "of_fastest"}
        assert {len(start["side_by_side"]) for start in result["starts"]} == {3}


@pytest.mark.usefixtures("small_corpus")
def test_figures_command_draws_the_reports_of_both_corpora(tmp_path):
    pytest.importorskip("matplotlib")
    for corpus in common.CORPORA:
        options = ["--corpus", corpus, "--topics", "2", "--sweeps", "2"]
        ecgs.main(["speed", *options, "--output", str(tmp_path)])
    figure = tmp_path / "speed.png"
    drawn = figure.read_bytes()
    figure.unlink()
    ecgs.main(["figures", "--output", str(tmp_path)])
    assert figure.read_bytes() == drawn
    assert [path.name for path in tmp_path.glob("*.png")] == ["speed.png"]
