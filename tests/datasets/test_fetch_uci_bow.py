"""fetch_uci_bow, against a server on this machine in place of the repository."""

import gzip
import http.server
import sys
import threading
from functools import partial
from shutil import copy, copytree

import numpy as np
import pytest

from sklda.datasets import _files, fetch_uci_bow
from tests.helpers.processes import no_file_beyond

DOCWORD = "docword.enron.txt.gz"
VOCAB = "vocab.enron.txt"
TEXT = b"3\n4\n4\n1 1 2\n1 4 1\n3 2 5\n3 3 12\n"
COUNTS = [[2, 0, 0, 1], [0, 0, 0, 0], [0, 5, 12, 0]]
WORDS = b"bar\nbaz\nfoo\nqux\n"


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def log_request(self, code="-", size="-"):
        self.server.requests.append(self.path.removeprefix("/"))


@pytest.fixture
def repository(monkeypatch, tmp_path_factory):
    """Serve the files in `folder`, and list the `requests`."""
    pooch = pytest.importorskip("pooch")
    monkeypatch.setattr(pooch.core.time, "sleep", lambda _: None)  # between attempts
    folder = tmp_path_factory.mktemp("repository")
    (folder / DOCWORD).write_bytes(gzip.compress(TEXT))
    (folder / VOCAB).write_bytes(WORDS)
    handler = partial(Handler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.requests, server.folder = [], folder
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}/"
        monkeypatch.setattr(_files, "_BASE_URL", address)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def home(tmp_path):
    return tmp_path / "corpora"


def listing(folder):
    """Return the contents of each file below a folder by its relative path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_download(repository, home):
    corpus = fetch_uci_bow("enron", data_home=home)
    assert corpus.data.toarray().tolist() == COUNTS
    assert corpus.data.dtype == np.int64
    assert corpus.feature_names.tolist() == ["bar", "baz", "foo", "qux"]
    assert corpus.DESCR.startswith("Enron e-mails\n----")
    assert repository.requests == [DOCWORD, VOCAB]
    # What came over the wire, under the names of the repository and nothing else.
    assert listing(home) == listing(repository.folder)


def test_only_what_is_missing_is_downloaded(repository, home):
    home.mkdir()
    copy(repository.folder / DOCWORD, home)
    for _ in range(2):
        corpus = fetch_uci_bow("enron", data_home=home)
        assert corpus.data.toarray().tolist() == COUNTS
    assert repository.requests == [VOCAB]


def test_files_in_place_are_read(repository, home, monkeypatch):
    copytree(repository.folder, home)
    monkeypatch.setitem(sys.modules, "pooch", None)
    corpus = fetch_uci_bow("enron", data_home=str(home), download_if_missing=False)
    assert corpus.data.toarray().tolist() == COUNTS
    assert listing(home) == listing(repository.folder)


def test_a_full_disk_is_said(repository, home):
    with no_file_beyond(10):
        message = rf"{DOCWORD} could not be downloaded to .* free some space.*data_home"
        with pytest.raises(OSError, match=message):
            fetch_uci_bow("enron", data_home=home)
    assert listing(home) == {}


@pytest.mark.parametrize(
    ("variable", "data_home", "folder"),
    [("SCIKIT_LEARN_DATA", None, "uci_bow"), ("HOME", "~/texts", "texts")],
)
def test_data_home(repository, tmp_path, monkeypatch, variable, data_home, folder):
    for name in (variable, "USERPROFILE"):  # which is HOME on Windows
        monkeypatch.setenv(name, str(tmp_path))
    fetch_uci_bow("enron", data_home=data_home)
    assert listing(tmp_path / folder) == listing(repository.folder)


def test_missing_and_no_download(repository, home):
    with pytest.raises(OSError, match=f"{DOCWORD} not found.* its address is http"):
        fetch_uci_bow("enron", data_home=home, download_if_missing=False)
    assert not home.exists()
    assert repository.requests == []


def test_missing_and_no_pooch(home, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(
        ImportError, match=rf"{DOCWORD}, fetch_uci_bow needs pooch: pip"
    ):
        fetch_uci_bow("enron", data_home=home)
    assert not home.exists()


BROKEN = {
    "truncated": (gzip.compress(TEXT)[:-9], "must be a whole file"),
    "not gzip": (b"<html>Moved</html>", "line 1: expected the number of documents"),
    "fewer rows": (gzip.compress(TEXT[:-7]), "ends after 3 rows"),
}


@pytest.mark.parametrize(("body", "problem"), BROKEN.values(), ids=BROKEN)
def test_broken_file_is_refused(repository, home, body, problem):
    sound = (repository.folder / DOCWORD).read_bytes()
    (repository.folder / DOCWORD).write_bytes(body)
    for _ in range(2):  # downloaded, and in place
        with pytest.raises(OSError, match=rf"{problem}.* Delete this file, and "):
            fetch_uci_bow("enron", data_home=home)
    assert repository.requests == [DOCWORD, VOCAB]
    # The way out that the message names.
    (home / DOCWORD).unlink()
    (repository.folder / DOCWORD).write_bytes(sound)
    assert fetch_uci_bow("enron", data_home=home).data.toarray().tolist() == COUNTS


def test_absent_from_the_repository(repository, home):
    (repository.folder / DOCWORD).unlink()
    with pytest.raises(OSError, match=r"404.* in a different way"):
        fetch_uci_bow("enron", data_home=home, n_retries=2)
    assert repository.requests == [DOCWORD] * 3
    assert listing(home) == {}
