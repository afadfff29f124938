"""The benchmarks of collapsed variational Bayes.

Commands run on a corpus of a few documents; what they print of time is not looked at.
"""

import json
from contextlib import nullcontext
from importlib.util import find_spec

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import LatentDirichletAllocation

from benchmarks import common, corpora, cvb
from benchmarks import cvb_runs as runs
from benchmarks.compare import variational
from sklda import CVBLDA, CollapsedGibbsLDA

PRIORS = {"doc_topic_prior": 0.1, "topic_word_prior": 0.1}


@pytest.fixture
def counts():
    """Return a small corpus with an empty document and cells of many tokens."""
    X = np.random.default_rng(1).poisson(1.5, size=(40, 25))
    X[7] = 0
    return sparse.csr_array(X)


@pytest.fixture
def small_corpus(monkeypatch, counts):
    """Let the commands find the small corpus under the name of a real one."""
    monkeypatch.setattr(corpora, "load", lambda name, data_home: counts)


def run_command(tmp_path, command, *options):
    """Run a command and return what it wrote, after a look at its figure."""
    pytest.importorskip("matplotlib")
    cvb.main([command, *options, "--output", str(tmp_path)])
    (figure,) = tmp_path.glob("*.png")
    assert figure.name == f"{command}.png"
    assert figure.read_bytes().startswith(b"\x89PNG")
    reports = [path.read_text() for path in sorted(tmp_path.glob("*.json"))]
    assert not any(str(tmp_path) in text for text in reports)
    return [json.loads(text) for text in reports]


def sweep_and_observe(program, sweeps):
    """Return theta and phi after so many sweeps."""
    for _ in range(sweeps):
        program.sweep()
        program.observe()
    return program.estimates()


def assert_same(estimates, theta, phi, **tolerance):
    np.testing.assert_allclose(estimates[0], theta, **tolerance)
    np.testing.assert_allclose(estimates[1], phi, **tolerance)


def normalised(rows):
    return rows / rows.sum(axis=1, keepdims=True)


def test_a_tenth_of_the_tokens_of_each_document_is_held_out(counts):
    train, held_out = corpora.hold_out_tokens(counts)
    assert np.array_equal((train + held_out).toarray(), counts.toarray())
    assert min(train.data.min(), held_out.data.min()) >= 1  # no zeros are stored
    lengths = counts.sum(axis=1)
    assert np.array_equal(held_out.sum(axis=1), np.round(0.1 * lengths))
    assert (corpora.hold_out_tokens(counts)[1] != held_out).nnz == 0


def test_each_token_is_as_likely_to_be_held_out():
    X = sparse.csr_array(np.tile([[30, 10]], (3000, 1)))
    _, held_out = corpora.hold_out_tokens(X)
    means = held_out.toarray().mean(axis=0)
    np.testing.assert_allclose(means, [3, 1], atol=0.07)  # 4 standard errors


def test_log_probability_is_that_of_a_plain_loop(counts):
    rng = np.random.default_rng(0)
    theta = rng.dirichlet(np.ones(3), size=40)
    phi = rng.dirichlet(np.ones(25), size=3)
    _, held_out = corpora.hold_out_tokens(counts)
    total, tokens = 0.0, 0
    for d, row in enumerate(held_out.toarray()):
        for w, count in enumerate(row):
            for _ in range(count):
                total += np.log(sum(theta[d, k] * phi[k, w] for k in range(3)))
                tokens += 1
    value = corpora.log_probability(theta, phi, held_out)
    assert value == pytest.approx(total / tokens)


def test_sweeps_asked_for_are_about_geometric():
    assert common.geometric(100) == [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100]
    assert common.geometric(12) == [1, 2, 3, 5, 7, 10, 12]
    assert common.geometric(1) == runs.fine(1) == [1]
    steps = np.array(runs.fine(500))
    assert (steps[0], steps[-1]) == (1, 500)
    assert np.all(np.diff(steps) >= 1)
    assert np.all(np.diff(steps) <= np.maximum(1, 0.1 * steps[:-1]))


def test_batch_vb_by_steps_is_that_of_scikit_learn(counts):
    estimates = sweep_and_observe(runs.new_program("VB", counts, 3, 5), 4)
    lda = LatentDirichletAllocation(3, **PRIORS, max_iter=4, random_state=5)
    lda.fit(counts)
    assert_same(estimates, lda.transform(counts), normalised(lda.components_))


def test_online_vb_by_passes_is_that_of_scikit_learn(counts, monkeypatch):
    monkeypatch.setattr(variational, "ONLINE_BATCH", 16)
    estimates = sweep_and_observe(runs.new_program("online VB", counts, 3, 5), 4)
    options = {"learning_method": "online", "batch_size": 16, "random_state": 5}
    lda = LatentDirichletAllocation(3, **PRIORS, **options, max_iter=4).fit(counts)
    assert_same(estimates, lda.transform(counts), normalised(lda.components_))


@pytest.mark.parametrize("name", list(runs.COLLAPSED))
def test_collapsed_by_sweeps_is_that_of_the_estimator(counts, name):
    estimates = sweep_and_observe(runs.new_program(name, counts, 3, 5), 4)
    options = {"max_iter": 4, "tol": 0, "random_state": 5}
    approximation = runs.COLLAPSED[name].approximation
    lda = CVBLDA(3, approximation=approximation, **PRIORS, **options).fit(counts)
    assert_same(estimates, lda.doc_topic_, lda.topic_word_)


@pytest.mark.parametrize(("asked", "sweeps"), [([3, 8], 8), ([9], 9), ([1], 1)])
def test_gibbs_takes_the_mean_over_the_second_half(counts, asked, sweeps):
    program = runs.new_program("Gibbs", counts, 3, 5, asked)
    for sweep in asked:
        estimates = sweep_and_observe(program, sweep - program.chain.n_sweeps)
    options = {"max_iter": sweeps, "burn_in": sweeps // 2, "thin": 1, "random_state": 5}
    lda = CollapsedGibbsLDA(3, **PRIORS, **options).fit(counts)
    assert_same(estimates, lda.doc_topic_, lda.topic_word_, rtol=1e-6)


@pytest.mark.skipif(find_spec("gensim") is None, reason="needs gensim")
def test_gensim_predicts_better_with_each_pass(counts):
    train, held_out = corpora.hold_out_tokens(counts)
    program = runs.new_program("gensim", train, 3, 0)
    theta, phi = sweep_and_observe(program, 2)
    assert (theta.shape, phi.shape) == ((40, 3), (3, 25))
    np.testing.assert_allclose(phi.sum(axis=1), 1, rtol=1e-5)
    assert -5 < corpora.log_probability(theta, phi, held_out) < -2


def test_gensim_is_skipped_with_a_line_where_it_is_absent(monkeypatch, capsys):
    monkeypatch.setattr(runs, "find_spec", lambda name: None)
    assert runs.available(["VB", "gensim", "CVB"]) == ["VB", "CVB"]
    assert capsys.readouterr().out == "gensim is not installed: skipped\n"
    assert runs.available(["VB"]) == ["VB"]
    assert capsys.readouterr().out == ""


class FakeProgram:
    """A program that is as good as it has swept, and notes what is done with it."""

    def __init__(self):
        self.sweeps, self.log = 0, ""

    def threads(self):
        return nullcontext()

    def sweep(self):
        self.sweeps += 1
        self.log += "s"

    def observe(self):
        self.log += "o"

    def estimates(self):
        self.log += "e"
        return self.sweeps, None


@pytest.mark.parametrize(("target", "last"), [(np.inf, 6), (3, 4), (4, 4), (-1, 2)])
def test_curve_ends_at_the_first_sweep_asked_for_that_reaches_the_target(
    monkeypatch, target, last
):
    monkeypatch.setattr(corpora, "log_probability", lambda theta, phi, held_out: theta)
    program = FakeProgram()
    curve = runs.follow(program, None, [2, 4, 6], target)
    assert curve["sweeps"] == curve["log_probability"] == [2, 4, 6][: last // 2]
    assert program.log == "sosoe" * (last // 2)
    assert np.all(np.diff(curve["seconds"]) >= 0)


def test_run_of_a_program_is_its_curve(counts):
    train, held_out = corpora.hold_out_tokens(counts)
    chain = runs.run_chain("CVB0", train, held_out, 3, 4, [2, 5])
    program = runs.new_program("CVB0", train, 3, 4)
    values = [
        corpora.log_probability(*sweep_and_observe(program, sweeps), held_out)
        for sweeps in (2, 3)
    ]
    assert chain.pop("log_probability") == pytest.approx(values, abs=6e-6)
    assert chain == {"sampler": "CVB0", "seed": 4, "documents": 40}


def test_seconds_to_reach_are_set_beside_those_of_batch_vb():
    vb = {"sweeps": [1, 5], "seconds": [1.0, 8.0], "log_probability": [-9.0, -7.0]}
    good = {"sweeps": [1, 2], "seconds": [0.1, 0.2], "log_probability": [-8.0, -6.9]}
    bad = {"sweeps": [1, 2], "seconds": [0.1, 0.2], "log_probability": [-8.0, -7.1]}
    rows = cvb.reach_rows({"VB": vb, "CVB0": good, "CVB": bad})
    assert rows["VB"] == {"sweeps": 5, "seconds": 8, "relative": 1}
    assert rows["CVB0"] == {"sweeps": 2, "seconds": 0.2, "relative": 0.025}
    assert set(rows["CVB"].values()) == {None}


def test_convergence_is_summed_up_by_the_end_and_the_way_there():
    def chains(*curves):
        return [{"log_probability": curve} for curve in curves]

    programs = {
        "VB": chains([-9, -8, -7], [-9, -8, -7.5], [-9, -8, -6]),
        "CVB": chains([-9, -6.5, -6], [-9, -6, -5]),
        "CVB0": chains([-9, -9, -8]),
    }
    summary = cvb.convergence_summary([1, 5, 10], programs)
    assert summary["VB"] == {"median": -7, "range": [-7.5, -6], "reached": 10}
    assert summary["CVB"] == {"median": -5.5, "range": [-6, -5], "reached": 5}
    assert summary["CVB0"]["reached"] is None


def test_minibatches_hold_each_document_once_a_pass():
    batches = runs.minibatches(10, 4, 2, seed=0)
    assert [batch.size for batch in batches] == [4, 4, 2] * 2
    first, second = np.concatenate(batches[:3]), np.concatenate(batches[3:])
    assert np.array_equal(np.sort(first), np.arange(10))
    assert np.array_equal(np.sort(second), np.arange(10))
    assert not np.array_equal(first, second)


def test_streams_are_fitted_and_scored_alike(counts):
    train, test = corpora.split_documents(counts)
    batches = runs.minibatches(30, 8, 2, seed=0)
    curves = runs.run_streams(train, test, 3, 5, batches)
    assert list(curves) == ["SCVB0", "online VB"]
    options = {**PRIORS, "total_samples": 30, "random_state": 5}
    ldas = [CVBLDA(3, **options), LatentDirichletAllocation(3, **options)]
    for lda, curve in zip(ldas, curves.values(), strict=True):
        for batch in batches:
            lda.partial_fit(train[batch])
        assert curve["minibatches"] == [1, 2, 3, 5, 7, 8]
        assert curve["documents"] == [8, 16, 24, 38, 54, 60]
        assert len(curve["seconds"]) == 6
        value = runs.completion(lda, common.as_weights(test))
        assert curve["score"][-1] == pytest.approx(value, abs=6e-6)
    assert runs.completion(ldas[0], common.as_weights(test)) == pytest.approx(
        ldas[0].score(test)
    )


@pytest.mark.parametrize("command", ["convergence", "speed"])
def test_options_that_leave_nothing_to_run_are_refused(command, capsys):
    with pytest.raises(SystemExit):
        cvb.parse([command, "--sweeps", "0", "--output", "."])
    assert "must be at least" in capsys.readouterr().err


def test_each_command_has_its_own_corpus():
    def corpus(command):
        return cvb.parse([command, "--output", "."]).corpus

    names = [corpus(command) for command in cvb.COMMANDS]
    assert names == ["kos", "kos", "nips", "newsgroups"]


@pytest.mark.usefixtures("small_corpus")
def test_convergence_command_reports_every_program(tmp_path, capsys):
    options = ["--starts", "2", "--sweeps", "6", "--jobs", "1"]
    (report,) = run_command(tmp_path, "convergence", *options)
    assert list(report["chains"]) == list(report["summary"]) == list(cvb.COMPARED)
    assert report["sweeps"] == [1, 2, 3, 5, 6]
    for chains in report["chains"].values():
        assert [chain["seed"] for chain in chains] == [0, 1]
        assert {len(chain["log_probability"]) for chain in chains} == {5}
    options = report["options"]
    assert (options["topics"], options["alpha"], options["beta"]) == (8, 0.1, 0.1)
    assert set(report["machine"]) == {"cpu", "simd", "cores", "system", "versions"}
    assert "as good as VB" in capsys.readouterr().out


@pytest.mark.usefixtures("small_corpus")
def test_size_command_takes_nested_subsets_and_all_documents(tmp_path):
    options = ["--starts", "1", "--sweeps", "3", "--jobs", "1", "--topics", "2"]
    options += ["--documents", "10", "20", "4000"]
    (report,) = run_command(tmp_path, "size", *options)
    assert [row["documents"] for row in report["rows"]] == [10, 20, 40]
    assert report["options"]["documents"] == [10, 20, 40]
    last = report["rows"][-1]["CVB"]["median"]
    (chain,) = [c for c in report["chains"]["CVB"] if c["documents"] == 40]
    assert chain["log_probability"] == [last]


@pytest.mark.usefixtures("small_corpus")
def test_speed_command_writes_a_report_for_each_number_of_topics(tmp_path, capsys):
    options = ["--topics", "2", "3", "--warm", "1", "--sweeps", "2"]
    options += ["--vb-iterations", "3", "--most-sweeps", "4"]
    options += ["--programs", "VB", "online VB", "CVB", "CVB0", "Gibbs"]
    reports = run_command(tmp_path, "speed", *options)
    assert [report["options"]["topics"] for report in reports] == [2, 3]
    for report in reports:
        assert list(report["seconds"]) == options[-5:]
        assert {len(seconds) for seconds in report["seconds"].values()} == {2}
        assert report["times_as_fast"]["VB"] == 1
        assert list(report["reach"]) == ["VB", "CVB0", "CVB", "Gibbs"]
        assert report["curves"]["VB"]["sweeps"] == [1, 2, 3]
    assert "seconds per sweep; VB / this" in capsys.readouterr().out


@pytest.mark.usefixtures("small_corpus")
def test_speed_command_leaves_out_what_is_not_asked_for(tmp_path):
    options = ["--topics", "2", "--warm", "0", "--sweeps", "1"]
    options += ["--vb-iterations", "0", "--programs", "VB", "CVB0"]
    (report,) = run_command(tmp_path, "speed", *options)
    assert list(report["median"]) == ["VB", "CVB0"]
    assert "reach" not in report


def test_stream_command_runs_on_docstrings(tmp_path, monkeypatch, capsys):
    load = corpora.load_texts
    monkeypatch.setattr(corpora, "load_texts", lambda *which: load(*which)[:300])
    options = ["--corpus", "docstrings", "--newsgroups-home", str(tmp_path)]
    options += ["--topics", "3", "--batch", "50", "--passes", "1", "--starts", "2"]
    (report,) = run_command(tmp_path, "stream", *options)
    assert len(report["starts"]) == 2
    for curves in report["starts"]:
        for curve in curves.values():
            assert curve["documents"][-1] == report["documents"] == 225
            assert curve["score"][-1] > curve["score"][0]
    assert "start 1: seconds and score" in capsys.readouterr().out


@pytest.mark.usefixtures("small_corpus")
def test_figures_command_draws_the_reports_of_both_corpora(tmp_path):
    pytest.importorskip("matplotlib")
    options = ["--starts", "1", "--sweeps", "2", "--jobs", "1", "--programs", "VB"]
    for corpus in common.CORPORA:
        options = [*options, "--corpus", corpus, "--output", str(tmp_path)]
        cvb.main(["convergence", *options])
    figure = tmp_path / "convergence.png"
    drawn = figure.read_bytes()
    figure.unlink()
    cvb.main(["figures", "--output", str(tmp_path)])
    assert figure.read_bytes() == drawn
    assert [path.name for path in tmp_path.glob("*.png")] == ["convergence.png"]
