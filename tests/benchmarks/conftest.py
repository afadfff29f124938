"""Corpora of a few documents, which the questions take for real ones.

All tests of benchmarks are slow, because they do not test the package.
"""

import gzip
import json
import os
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from benchmarks import compare, corpora, size, worker
from benchmarks.worker import Session


@pytest.hookimpl(tryfirst=True)  # before pytest looks at the marks
def pytest_collection_modifyitems(items):
    folder = Path(__file__).parent
    for item in items:
        if folder in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.fixture
def counts(monkeypatch):
    """Return a small corpus, also under the names of real ones; 10 test documents."""
    for name in ("kos", "nips"):
        monkeypatch.setitem(corpora.N_TEST_DOCUMENTS, name, 10)
    X = sparse.csr_array(np.random.default_rng(1).poisson(1.5, size=(40, 25)))
    load = corpora.load

    def load_few(name, options):
        return X if name in ("kos", "nips") else load(name, options)[:300]

    monkeypatch.setattr(corpora, "load", load_few)
    return X


class LocalWorker(Session):
    """A worker without a process of its own, which would take seconds to start."""

    def __init__(self, name):
        super().__init__(name)
        self.name = name

    def do(self, command, *arguments, look=None):
        found = getattr(self, command)(*arguments)
        if look:
            look()
        return found


@pytest.fixture
def local_workers(monkeypatch):
    """Let programs take turns in this process, with the kernels of the tests."""
    monkeypatch.setattr(worker, "KERNELS", os.environ["NUMBA_CACHE_DIR"])
    memory = count(10_000_000, 1_000_000)  # that of the tests hardly changes
    monkeypatch.setattr(size, "private_bytes", lambda process: next(memory))
    for module in (compare, size):
        monkeypatch.setattr(module, "Worker", LocalWorker)


@pytest.fixture
def newsgroups(tmp_path):
    """Return a folder of the processed 20 Newsgroups, in miniature."""
    folder = tmp_path / "newsgroups"
    folder.mkdir()
    X = sparse.csr_array(np.random.default_rng(1).poisson(1.5, size=(60, 12)))
    y = np.tile([0, 19, 5], 20)
    words = [f"word{w}" for w in range(10)] + ["the", "x"]
    (folder / "vocabulary.txt").write_text("\n".join(words) + "\n")
    for kind, rows in (("train", slice(0, 45)), ("test", slice(45, 60))):
        cells = X[rows].tocoo()
        table = np.column_stack([cells.row + 1, cells.col + 1, cells.data])
        np.savetxt(folder / f"{kind}.data.gz", table, fmt="%d")
        np.savetxt(folder / f"{kind}.label", y[rows] + 1, fmt="%d")
    return folder


@pytest.fixture
def stories(tmp_path):
    """Return a folder of stories, in miniature."""
    folder = tmp_path / "reuters"
    folder.mkdir()
    rng = np.random.default_rng(0)
    lines = []
    for i in range(80):
        topics = [topic for topic in ("grain", "ship", "earn") if rng.random() < 0.5]
        body = " ".join(word for topic in topics for word in [topic, f"{topic}y"] * 3)
        kind = "test" if i % 4 == 0 else "train"
        story = {"title": "news", "body": body, "topics": topics, "modapte": kind}
        lines.append(json.dumps(story))
    path = folder / "reuters21578.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    return folder


@pytest.fixture
def posts(tmp_path):
    """Return a folder of posts, in miniature."""
    folder = tmp_path / "posts"
    folder.mkdir()
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.poisson(3, size=(150, 12)))
    np.savez(
        folder / "poliblog5k.npz",
        indptr=X.indptr,
        indices=X.indices.astype(np.int16),
        counts=X.data.astype(np.int16),
        words=np.array([f"word{w}" for w in range(12)]),
        rating=np.tile(["Liberal", "Conservative"], 75),
        day=rng.integers(1, 367, 150).astype(np.int16),
    )
    return folder
