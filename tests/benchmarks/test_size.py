"""Speed and memory against size: what is measured, kept and shown."""

import subprocess
import sys
import time
from argparse import Namespace
from functools import partial

import numpy as np
import pytest

from benchmarks import mapped, size
from benchmarks.large import LargeCorpus
from benchmarks.programs import available
from benchmarks.programs.large import Sklda, Topica

OPTIONS = {"tokens": [3.0, 1.0], "words": 100, "vocabularies": [50, 100]}
OPTIONS |= {"tokens_of_words": 1.0, "topics": [4], "other_topics": [4, 9]}
OPTIONS |= {"tokens_of_topics": 3.0, "threads": 1, "init": ["planted", "random"]}


@pytest.fixture
def folder(counts, tmp_path):
    """Return the files of a corpus of 3,000 tokens with three planted topics."""
    n_tokens = int(counts.sum())
    z = np.random.default_rng(0).integers(3, size=n_tokens).astype(np.uint16)
    mapped.write_mapped(LargeCorpus(counts, z, 3000, 40), 40, tmp_path / "corpus")
    return tmp_path / "corpus"


def point(program="sklda", init="planted", tokens=1_000_000, words=100, **more):
    seconds = {"seconds_per_sweep": [0.5, 0.1, 0.2], "moved": None}
    memory = {"before_bytes": 2_000_000, "peak_bytes": 14_000_000, "start": 0.1}
    sizes = {"corpus": "large", "tokens": tokens, "words": words}
    return {"program": program, "init": init, **sizes, **memory, **seconds} | more


def test_each_size_is_measured_once():
    found = size.sizes_by_topics(Namespace(**OPTIONS))
    assert found == {
        4: [size.NIPS, (1.0, 100), (3.0, 100), (1.0, 50)],
        9: [(3.0, 100)],
    }


def test_a_series_ends_where_it_is_too_slow(tmp_path, monkeypatch):
    measured = []

    def measure(name, tiny, folder, task, options):
        measured.append((name, folder.name))
        is_slow = name == "topica" and folder.name == "2.0-100"
        return {"slow": 99.0} if is_slow else {"moved": 0.4}

    def make(tokens, words):
        path = tmp_path / f"{tokens}-{words}"
        path.mkdir()
        return path

    monkeypatch.setattr(size, "measure", measure)
    monkeypatch.setattr(size.corpora, "shape_of", lambda X: {})
    monkeypatch.setattr(size, "read_mapped", lambda folder: None)
    sizes = [(1.0, 100), (2.0, 100), (3.0, 100), (3.0, 50)]
    series = [("sklda", "planted"), ("topica", "random")]
    found = list(size.points(series, sizes, make, 4, Namespace(**OPTIONS)))
    of_topica = [folder for name, folder in measured if name == "topica"]
    assert of_topica == ["1.0-100", "2.0-100", "3.0-50"]
    assert len(found) == 4 + 3
    assert list(tmp_path.iterdir()) == []


def test_a_point_takes_the_place_of_the_same_one():
    old = [point(), point("topica", "random"), point(corpus="nips", words=12_419)]
    new = point(start=9.0)
    found = size.with_earlier(old, new)
    assert [p["corpus"] for p in found] == ["nips", "large", "large"]
    assert [p["start"] for p in found] == [0.1, 9.0, 0.1]
    assert len(size.with_earlier(old, point(init="random"))) == 4


def test_rows_say_what_points_say():
    slow = point("topica", "random", slow=4.0, tokens=2_000_000)
    points = [
        point(corpus="nips", words=12_419, tokens=2_000_000, moved=0.5),
        point(moved=0.414),
        point("sklda", "random", moved=0.3),
        point("topica", "random"),
        slow,
    ]
    rows = [size.row(p, points, threads=2) for p in points]
    assert rows == [
        ["sklda", "2 (NIPS)", "12,419", "5.00", "–", "50", "6.0", "14"],
        ["sklda", "1", "100", "2.50", "0.50", "41", "12.0", "14"],
        ["sklda, random start", "1", "100", "2.50", "–", "30", "12.0", "14"],
        ["topica", "1", "100", "2.50", "–", "30", "12.0", "14"],
        ["topica", "2", "100", "0.25 †", "–", "–", "–", "–"],
    ]


def test_curves_have_the_points_of_their_sizes():
    def report(n_topics, *points):
        return {"options": {"topics": n_topics}, "points": points}

    two = point(), point(tokens=3_000_000), point(words=50), point(corpus="nips")
    reports = [report(4, *two), report(9, point(), point("topica", "random"))]
    curves = partial(size.curves, reports, value=lambda p: p["tokens"])
    lines, looks = curves("tokens", {"words": 100})
    assert lines == {"sklda, K = 4": {1.0: 1_000_000, 3.0: 3_000_000}}
    assert looks["sklda, K = 4"]["ls"] == "-"
    assert curves("words", {"tokens": 1.0})[0].keys() == {"sklda, K = 4"}
    lines, _ = curves("topics", {"words": 100, "tokens": 1.0})
    assert lines == {"sklda": {4: 1_000_000, 9: 1_000_000}}


def test_memory_is_that_of_a_process_at_its_peak(monkeypatch):
    values, times = iter([10, 30, 20, 50]), iter([1.0, 2.0, 3.0])
    monkeypatch.setattr(size, "private_bytes", lambda process: next(values))
    monkeypatch.setattr(size.time, "time", lambda: next(times))
    memory = size.Memory(7)
    for _ in range(3):
        memory.look()
    assert [memory.peak(end) for end in (0.5, 1, 2.5, 3)] == [10, 30, 30, 50]


class Interpreter:
    """A process that runs lines: its memory is not that of the tests before."""

    CODE = (
        "import sys, numpy as np\nfor line in sys.stdin: exec(line); print(flush=True)"
    )

    def __enter__(self):
        command = [sys.executable, "-c", self.CODE]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, **pipes)
        self.run("")
        return self

    def __exit__(self, *error):
        self.process.communicate()

    def run(self, line):
        print(line, file=self.process.stdin, flush=True)
        assert self.process.stdout.readline() == "\n"


def test_mapped_files_are_not_private_memory(tmp_path):
    path = tmp_path / "file.npy"
    np.save(path, np.ones(5_000_000))
    with Interpreter() as interpreter:
        memory = size.Memory(interpreter.process.pid)
        interpreter.run(f"total = np.load({str(path)!r}, mmap_mode='r').sum()")
        memory.look()
        assert memory.peak(np.inf) - memory.before < 8_000_000
        interpreter.run("held = np.full(5_000_000, total)")
        memory.look()
        assert memory.peak(np.inf) - memory.before > 39_000_000


def test_sklda_begins_with_the_planted_topics(folder):
    program = Sklda(folder, 3, 1, "planted")
    assert np.array_equal(program.model.z, mapped.read_topics(folder))
    assert not np.array_equal(Sklda(folder, 3, 1, "random").model.z, program.model.z)
    seconds, end = program.steady(2, 3, np.inf)
    assert len(seconds) == 3
    assert end <= time.time()
    before = program.model.z.copy()
    share = program.moved()
    assert share == np.mean(before != program.model.z) > 0
    assert program.model.n_sweeps == 6
    assert len(program.steady(5, 5, 0.0)[0]) == 1
    assert program.model.n_sweeps == 7


def test_topica_is_timed_by_its_reports(folder):
    if not available(["topica"]):
        pytest.skip("needs topica")
    Topica.convert(folder)
    program = Topica(folder, 3, 1, "random")
    assert program.corpus.num_docs == mapped.read_mapped(folder).shape[0]
    assert program.corpus.total_tokens == 3000
    (pace,), end = program.steady(3, 2, np.inf)
    assert 0 < pace < 1
    assert end <= time.time()


class Reporting:
    """A model whose fit reports after some sweeps of a second each, then estimates."""

    def __init__(self, clock):
        self.clock, self.sweeps = clock, 0

    def fit(self, corpus, iters, progress, progress_interval, **options):
        for _ in range(iters // progress_interval):
            self.sweeps += progress_interval
            self.clock[0] += progress_interval
            try:
                progress(self.sweeps, iters, {})
            except KeyboardInterrupt:
                self.clock[0] += 100
                raise


@pytest.mark.parametrize(
    ("first", "limit", "sweeps"), [(0, 9, 2), (3, 9, 6), (4, 9, 6), (4, 0.5, 2)]
)
def test_a_fit_ends_with_its_timed_sweeps(monkeypatch, first, limit, sweeps):
    clock = [0.0]
    monkeypatch.setattr(
        "benchmarks.programs.large.time", Namespace(time=lambda: clock[0])
    )
    program = Topica.__new__(Topica)
    program.model, program.corpus = Reporting(clock), None
    assert program.steady(first, 2, limit) == ([1.0], sweeps)
    assert program.model.sweeps == sweeps
