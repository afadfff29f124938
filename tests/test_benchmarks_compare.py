"""The comparison with other programs.

Commands run on a corpus of a few documents with programs that are always installed;
what they print of time is not looked at.
"""

import json
import os

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import LatentDirichletAllocation

from benchmarks import corpora
from benchmarks.compare import __main__ as commands
from benchmarks.compare import mallet, measures, peers
from benchmarks.compare.peers import PEERS, available
from benchmarks.compare.synthetic import zipf_corpus
from benchmarks.compare.worker import Failed, Worker, save, workplace
from sklda import CVBLDA, ECGSLDA, CollapsedGibbsLDA

ALWAYS = [name for name in PEERS if PEERS[name].package in ("sklda", "scikit-learn")]
OTHERS = [name for name in PEERS if name not in ALWAYS]
PRIORS = {"doc_topic_prior": 0.1, "topic_word_prior": 0.01}


@pytest.fixture
def counts(monkeypatch):
    """Return a small corpus of which the last 10 documents are test documents."""
    for name in ("kos", "nips"):
        monkeypatch.setitem(corpora.N_TEST_DOCUMENTS, name, 10)
    X = sparse.csr_array(np.random.default_rng(1).poisson(1.5, size=(40, 25)))
    monkeypatch.setattr(corpora, "load", lambda name, data_home: X)
    return X


@pytest.fixture
def kernels(monkeypatch):
    """Let workers find the kernels that the tests have compiled."""
    cache = os.environ["NUMBA_CACHE_DIR"]
    for module in (commands, measures):
        monkeypatch.setattr(module, "workplace", lambda folder: workplace(cache))
    with workplace(cache):
        yield


@pytest.fixture
def task(tmp_path, counts, kernels):
    """Return the small corpus as workers find it."""
    path = save(counts, tmp_path / "corpus.npz")
    return measures.Task(path, n_topics=3, threads=1, limit=60.0)


def test_workers_have_one_thread_and_a_cache_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    before = dict(os.environ)
    with workplace(tmp_path):
        assert os.environ["OMP_NUM_THREADS"] == os.environ["MKL_NUM_THREADS"] == "1"
        assert os.environ["NUMBA_CACHE_DIR"] == str(tmp_path)
    assert dict(os.environ) == before


def new_program(name, X, asked=(8,), **options):
    """Return a program with 3 topics at its start."""
    if PEERS[name].takes_means:
        options["asked"] = asked
    return PEERS[name].program()(X, 3, 5, **options)


def normalised(rows):
    return rows / rows.sum(axis=1, keepdims=True)


def test_perplexity_is_that_of_a_plain_loop(counts):
    train, held_out = corpora.split(counts, "kos")
    program = new_program("sklda", train)
    program.sweep(3)
    lda = program.chain
    word_topic = lda.kernel.read_counts(lda.state).word_topic[:, :3]
    documents = np.repeat(
        np.arange(40), np.diff(lda.corpus.token_ptr[lda.corpus.doc_ptr])
    )
    total = 0.0
    for d, w in zip(*held_out.nonzero(), strict=True):
        of_document = lda.state.z[documents == 30 + d]
        probability = 0.0
        for k in range(3):
            theta = ((of_document == k).sum() + 0.1) / (of_document.size + 3 * 0.1)
            phi = (word_topic[w, k] + 0.01) / (word_topic[:, k].sum() + 25 * 0.01)
            probability += theta * phi
        total += held_out[d, w] * np.log(probability)
    value = corpora.perplexity(*program.estimates(10), held_out)
    assert value == pytest.approx(np.exp(-total / held_out.sum()))


def test_split_is_that_of_whole_rows(counts):
    train, held_out = corpora.split(counts, "kos")
    test = counts[30:].toarray()
    drawn = np.random.default_rng(0).binomial(test[test > 0], 0.5)
    expected = np.zeros_like(test)
    expected[test > 0] = drawn
    assert np.array_equal(held_out.toarray(), expected)
    assert np.array_equal(train[30:].toarray(), test - expected)
    assert np.array_equal(train[:30].toarray(), counts[:30].toarray())


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("name", "estimator"),
    [("sklda", CollapsedGibbsLDA), ("sklda-ecgs", ECGSLDA), ("sklda-cvb0", CVBLDA)],
)
def test_sklda_by_sweeps_is_that_of_the_estimator(counts, name, estimator, threads):
    program = new_program(name, counts, threads=threads)
    with program.threads():
        assert program.seconds(2) > 0
        program.sweep(2)
    given = {**PRIORS, "n_shards": threads, "max_iter": 4, "random_state": 5}
    if estimator is CVBLDA:
        given |= {"approximation": "zero-order", "tol": 0}
    else:
        given |= {"thin": 4}
    lda = estimator(3, **given).fit(counts)
    theta, phi = program.estimates(7)
    np.testing.assert_allclose(theta, lda.doc_topic_[-7:])
    np.testing.assert_allclose(phi, lda.topic_word_)


@pytest.mark.parametrize("sweeps", [1, 5, 10, 20, 30, 60])
def test_mean_is_that_of_a_fit_of_so_many_sweeps(counts, sweeps):
    asked = [1, 5, 10, 20, 30, 60]
    program = new_program("sklda-mean", counts, asked=asked)
    for sweep in asked[: asked.index(sweeps) + 1]:
        program.sweep(sweep - program.chain.n_sweeps)
        theta, phi = program.estimates()
    lda = CollapsedGibbsLDA(3, **PRIORS, max_iter=sweeps, random_state=5).fit(counts)
    if sweeps % 10 == 0:
        np.testing.assert_allclose(theta, lda.doc_topic_, rtol=1e-6)
        np.testing.assert_allclose(phi, lda.topic_word_, rtol=1e-6)
    assert theta.shape == (40, 3)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("sklearn-batch", {"learning_method": "batch"}),
        ("sklearn-online", {"learning_method": "online"}),
    ],
)
def test_variational_bayes_is_that_of_scikit_learn(counts, name, given):
    program = new_program(name, counts)
    program.sweep(3)
    lda = LatentDirichletAllocation(3, **PRIORS, **given, max_iter=3, random_state=5)
    lda.fit(counts)
    theta, phi = program.estimates(7)
    np.testing.assert_allclose(theta, lda.transform(counts[-7:]))
    np.testing.assert_allclose(phi, normalised(lda.components_))


@pytest.mark.parametrize("name", OTHERS)
def test_other_programs_predict_better_than_even_words(counts, task, name):
    if not available([name]):
        pytest.skip(f"needs {name}")
    rows = np.repeat(np.eye(3, 25) * 8, 14, axis=0)[:40]  # documents of one word each
    X = sparse.csr_array(rows.astype(int) + counts.toarray() // 3)
    save(X, task.path)
    with Worker(name) as worker:  # not here: there are warnings when they are imported
        task.start(worker, seed=5)
        assert worker.do("sweep", 10) > 0
        theta, phi = worker.do("estimates", 10)
        assert worker.do("peak") > 1e6
    assert (theta.shape, phi.shape) == ((10, 3), (3, 25))
    np.testing.assert_allclose(theta.sum(axis=1), 1, rtol=1e-4)
    np.testing.assert_allclose(phi.sum(axis=1), 1, rtol=1e-4)
    assert corpora.perplexity(theta, phi, X[-10:]) < 20


def test_state_of_mallet_is_counted_by_documents_and_words():
    row, column = np.array([0, 2, 2, 2]), np.array([1, 0, 3, 3])
    expected = [[0, 1, 0, 0], [0, 0, 0, 0], [1, 0, 0, 2]]
    assert mallet._table(row, column, 3, 4).tolist() == expected
    assert mallet.SWEPT.match("412ms ")
    assert mallet.SWEPT.match("3s ")
    assert not mallet.SWEPT.match("<10> LL/token: -8.1")


def test_what_is_absent_is_skipped_with_a_line(monkeypatch, capsys):
    monkeypatch.setattr(peers, "find_spec", lambda name: None)
    monkeypatch.setattr(peers, "which", lambda name: None)
    assert available(["lda", "mallet", "tomotopy"]) == {}
    assert capsys.readouterr().out == (
        "lda is not installed: skipped\n"
        "mallet is not on the PATH: skipped\n"
        "tomotopy is not installed: skipped\n"
    )


def test_what_has_one_thread_is_skipped_where_there_are_more(monkeypatch, capsys):
    monkeypatch.setattr(peers.Peer, "version", "1.0")
    assert available(["sklda", "lda"], threads=2) == {"sklda": "1.0"}
    assert capsys.readouterr().out == "lda has one thread only: skipped\n"


def test_failure_of_a_program_is_told_and_others_go_on(task, capsys):
    with Worker("sklda") as worker:
        assert not measures._succeeds(task._replace(n_topics=-1).prepare, worker)
        assert "sklda failed" in capsys.readouterr().out
    with Worker("sklearn-batch") as worker:
        worker.process.kill()
        with pytest.raises(Failed, match="the process of sklearn-batch has ended"):
            task.prepare(worker)


class FakeRunner:
    """A program whose sweeps take some seconds, and that fails after some."""

    def __init__(self, name, pace, fails_after=np.inf):
        self.name, self.pace, self.fails_after = name, pace, fails_after
        self.n_sweeps = 0
        self.seconds = 0.0

    def turn(self, last):
        self.n_sweeps += 1
        self.seconds += self.pace
        log.append(self.name)

    def tries(self, do, *arguments):
        do(*arguments)
        return self.n_sweeps < self.fails_after


log: list[str] = []


def test_programs_take_turns_until_the_last_sweep_or_their_limit():
    log.clear()
    team = [FakeRunner("a", 1), FakeRunner("b", 4), FakeRunner("c", 1, fails_after=2)]
    measures.take_turns(team, 4, lambda runner: runner.seconds < 6)
    assert "".join(log) == "abc" + "abc" + "a" + "a"


@pytest.mark.slow
def test_speed_times_the_sweeps_asked_for(task):
    programs = measures.speed(["sklda", "sklearn-batch"], task, [0, 1], 2, 9)
    assert list(programs) == ["sklda", "sklearn-batch"]
    for program in programs.values():
        assert len(program["runs"]) == 2
        for run in program["runs"]:
            assert run["sweeps"] == [2, 9]
            assert all(seconds > 0 for seconds in run["seconds_per_sweep"])
    short = measures.speed(["sklda"], task._replace(limit=0), [0], 2, 9)
    assert short["sklda"]["runs"][0]["sweeps"] == [0, 6]  # two turns


def test_corpus_has_the_shape_asked_for_and_zipf_words():
    X = zipf_corpus(500, 1000, 100_000, n_topics=5)
    assert X.shape == (500, 1000)
    assert X.sum() == 100_000
    assert X.has_canonical_format
    assert (zipf_corpus(500, 1000, 100_000, n_topics=5) != X).nnz == 0
    even = zipf_corpus(500, 1000, 100_000, n_topics=200).sum(axis=0)
    ranks = np.array([0, 10, 100, 900])
    parts = [even[rank : rank + max(1, rank // 10)].mean() for rank in ranks]
    slope = np.polyfit(np.log(ranks + 2.7), np.log(parts), 1)[0]
    assert slope == pytest.approx(-1.05, abs=0.15)


def run(tmp_path, *options):
    """Run a command and return its reports by the names of their files."""
    pytest.importorskip("matplotlib")
    folders = ["--output", str(tmp_path / "results"), "--doc", str(tmp_path / "doc")]
    commands.main([*options, *folders])
    found = (tmp_path / "results").glob("*.json")
    return {path.stem: json.loads(path.read_text()) for path in found}


@pytest.mark.slow
@pytest.mark.usefixtures("counts", "kernels")
def test_run_measures_and_writes_a_page(tmp_path, capsys):
    options = ["--corpora", "kos", "--topics", "3", "--peers", "sklda", "sklda-mean"]
    options += ["--repeats", "2", "--first", "2", "--last", "4", "--sweeps", "5"]
    reports = run(tmp_path, *options)
    assert set(reports) == {"speed-kos-3-1", "quality-kos-3-1", "process-kos-3-1"}
    quality = reports["quality-kos-3-1"]
    assert set(quality["machine"]) == {"cpu", "simd", "cores", "system", "versions"}
    assert quality["options"]["corpus"] == "kos"
    assert list(quality["programs"]) == list(quality["peers"])
    for program in quality["programs"].values():
        assert [run["sweeps"] for run in program["runs"]] == [[1, 2, 3, 5]] * 2
        assert all(1 < p < 50 for run in program["runs"] for p in run["perplexity"])
    cost = reports["process-kos-3-1"]["programs"]
    assert list(cost) == ["sklda"]
    assert 1e7 < cost["sklda"]["peak_bytes"] < 1e9
    text = (tmp_path / "doc" / "benchmarks.rst").read_text()
    assert "KOS, K = 3, one thread: seconds to a perplexity" in text
    assert str(tmp_path) not in text
    figure = tmp_path / "doc" / "images" / "benchmarks-perplexity.png"
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert "M tokens/s" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.usefixtures("kernels")
def test_scale_and_growth_time_synthetic_corpora(tmp_path):
    options = ["--documents", "50", "--words", "100", "--tokens", "4000"]
    options += ["--topics", "3", "--sweeps", "2"]
    rows = run(tmp_path, "scale", *options)["scale"]["rows"]
    assert [(row["topics"], row["threads"]) for row in rows] == [(3, 1), (3, 2)]
    options = ["--tokens", "1000", "4000", "--topics", "3", "20", "--words", "100"]
    options += ["--tokens-of-topics", "2000", "--first", "1", "--last", "3"]
    report = run(tmp_path, "growth", *options)["growth"]
    assert [point["tokens"] for point in report["tokens"]] == [1000, 4000]
    assert [point["topics"] for point in report["topics"]] == [3, 20]
    text = (tmp_path / "doc" / "benchmarks.rst").read_text()
    assert "50 documents" in text
    assert "to the power" in text
    assert (tmp_path / "doc" / "images" / "benchmarks-growth.png").exists()


@pytest.mark.parametrize(
    "options",
    [["--first", "9", "--last", "9"], ["--sweeps", "0"], ["growth", "--last", "5"]],
)
def test_options_that_leave_nothing_to_time_are_refused(options, capsys):
    with pytest.raises(SystemExit):
        commands.parse(options)
    assert "must be" in capsys.readouterr().err
