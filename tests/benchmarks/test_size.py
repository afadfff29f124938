"""Speed and memory against size: what is measured, kept and shown."""

import subprocess
import sys
import time

import numpy as np
import pytest

from benchmarks import mapped, size
from benchmarks.large import LargeCorpus
from benchmarks.programs import available
from benchmarks.programs.large import KEPT, Sklda, Topica


@pytest.fixture
def folder(counts, tmp_path):
    """Return the files of a corpus of 3,000 tokens with three planted topics."""
    n_tokens = int(counts.sum())
    z = np.random.default_rng(0).integers(3, size=n_tokens).astype(np.uint16)
    mapped.write_mapped(LargeCorpus(counts, z, 3000, 40), 40, tmp_path / "corpus")
    return tmp_path / "corpus"


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
    assert program.model.fitted[0].n_kept == KEPT
    assert program.model.n_sweeps == 5 + KEPT + 1
    assert len(program.steady(5, 5, 0.0)[0]) == 1
    assert program.model.n_sweeps == 5 + KEPT + 2


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
