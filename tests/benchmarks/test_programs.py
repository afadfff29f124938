"""A program by sweeps is that of its own fit; programs in processes of their own."""

import os

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import LatentDirichletAllocation

from benchmarks import corpora, programs
from benchmarks.compare import RemoteRunner
from benchmarks.programs import PEERS, Failed, available, others, ours
from benchmarks.worker import Worker, workplace
from sklda import CVBLDA, ECGSLDA, CollapsedGibbsLDA

OTHERS = [name for name, p in PEERS.items() if p.package not in ("sklda", "sklearn")]
PRIORS = {"doc_topic_prior": 0.1, "topic_word_prior": 0.01, "random_state": 5}
RANDOM = {**PRIORS, "init": "random"}


def assert_same(estimates, theta, phi, **tolerance):
    np.testing.assert_allclose(estimates[0], theta, **tolerance)
    np.testing.assert_allclose(estimates[1], phi, **tolerance)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("make", "estimator", "options"),
    [
        (ours.gibbs, CollapsedGibbsLDA, {"thin": 4}),
        (ours.ecgs, ECGSLDA, {"thin": 4}),
        (ours.zero_order, CVBLDA, {"approximation": "zero-order", "tol": 0}),
        (ours.gaussian, CVBLDA, {"approximation": "gaussian", "tol": 0}),
    ],
)
def test_sklda_by_sweeps_is_that_of_the_estimator(
    counts, make, estimator, options, threads
):
    program = make(counts, 3, 5, threads=threads)
    with program.threads():
        assert program.seconds(2) > 0
        program.sweep(2)
    lda = estimator(3, **RANDOM, **options, n_shards=threads, max_iter=4).fit(counts)
    assert_same(program.estimates(7), lda.doc_topic_[-7:], lda.topic_word_)


@pytest.mark.parametrize("thin", [1, 10])
def test_mean_is_that_of_a_fit_of_so_many_sweeps(counts, thin):
    checkpoints = [1, 5, 10, 20, 30, 60]
    program = ours.KeptMean(counts, 3, 5, checkpoints=checkpoints, thin=thin)
    for sweep in checkpoints:
        program.seconds(sweep - program.n_sweeps)
        estimates = program.estimates()
        if sweep % thin == 0:
            options = {"max_iter": sweep, "burn_in": sweep // 2, "thin": thin}
            lda = CollapsedGibbsLDA(3, **RANDOM, **options).fit(counts)
            assert_same(estimates, lda.doc_topic_, lda.topic_word_, rtol=1e-6)


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (others.BatchVB, {"learning_method": "batch"}),
        (others.OnlineVB, {"learning_method": "online", "batch_size": 16}),
    ],
)
def test_variational_bayes_is_that_of_scikit_learn(counts, make, options, monkeypatch):
    monkeypatch.setattr(others, "ONLINE_BATCH", 16)
    program = make(counts, 3, 5)
    program.sweep(3)
    lda = LatentDirichletAllocation(3, **PRIORS, **options, max_iter=3).fit(counts)
    phi = programs.normalised(lda.components_)
    assert_same(program.estimates(7), lda.transform(counts[-7:]), phi)


@pytest.mark.parametrize("name", OTHERS)
def test_other_programs_predict_better_than_even_words(counts, tmp_path, name):
    if not available([name]):
        pytest.skip(f"needs {name}")
    rows = np.repeat(np.eye(3, 25) * 8, 14, axis=0)[:40]  # documents of one word each
    X = sparse.csr_array(rows.astype(int) + counts.toarray() // 3)
    task = tmp_path / "corpus.npz", 3, 1
    sparse.save_npz(task[0], X)
    with Worker(name) as worker:  # not here: there are warnings when they are imported
        assert worker.do("prepare", task)["first"] > 0
        worker.do("start", task, 5)
        assert worker.do("seconds", 10) > 0
        theta, phi = worker.do("estimates", 10)
        assert worker.do("peak_bytes") > 1e6
    assert (theta.shape, phi.shape) == ((10, 3), (3, 25))
    np.testing.assert_allclose(theta.sum(axis=1), 1, rtol=1e-4)
    np.testing.assert_allclose(phi.sum(axis=1), 1, rtol=1e-4)
    assert corpora.perplexity(theta, phi, X[-10:]) < 20


class Fitted(others.Fits):
    """A program of 3 seconds before its sweeps, of 2 each, and none to return them."""

    def load(self, X, threads):
        self.now, self.clock = 0, lambda: self.now

    def fit(self, first, num_samples, sample_interval):
        self.now += 3 + 2 * (first + num_samples * sample_interval)
        self.samples = first, num_samples, sample_interval


def test_a_program_without_turns_is_timed_by_the_differences_of_fits(counts):
    program = Fitted(counts, 3, 5)
    assert [program.seconds(n) for n in (20, 40, 1)] == [40, 80, 2]
    assert program.samples == (61, 1, 0)
    assert program.given["alpha_sum"] == pytest.approx(0.3)
    assert program.given["optimize_interval"] == 0


def test_failures_of_a_process_are_printed(counts, tmp_path, capsys):
    task = tmp_path / "corpus.npz", -1, 1
    sparse.save_npz(task[0], counts)
    with Worker("sklearn-batch") as worker:
        runner = RemoteRunner(worker)
        assert not runner.attempt(runner.start, task)
        assert "sklearn-batch failed" in capsys.readouterr().out
        (process,) = worker.pool._processes.values()
        process.kill()
        with pytest.raises(Failed, match="sklearn-batch failed"):
            worker.do("prepare", task)


def test_workers_have_one_thread_and_a_cache_of_their_own(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    before = dict(os.environ)
    with workplace() as folder:
        assert os.environ["OMP_NUM_THREADS"] == os.environ["MKL_NUM_THREADS"] == "1"
        assert os.environ["NUMBA_CACHE_DIR"] == str(folder / "kernels")
    assert dict(os.environ) == before
