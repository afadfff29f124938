"""fetch_uci_bow, against a server on this machine in place of the repository."""

import gzip
import http.server
import sys
import threading

import numpy as np
import pytest

from sklda.datasets import _files, fetch_uci_bow
from tests.helpers.full_disk import no_file_beyond

DOCWORD = "docword.enron.txt.gz"
VOCAB = "vocab.enron.txt"
TEXT = b"3\n4\n4\n1 1 2\n1 4 1\n3 2 5\n3 3 12\n"
COUNTS = [[2, 0, 0, 1], [0, 0, 0, 0], [0, 5, 12, 0]]
WORDS = b"bar\nbaz\nfoo\nqux\n"


class Repository(http.server.ThreadingHTTPServer):
    """Serves `files`; breaks off the first `n_cut` answers, refuses `n_busy`."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = {DOCWORD: gzip.compress(TEXT), VOCAB: WORDS}
        self.requests = []
        self.n_cut = self.n_busy = 0


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server, name = self.server, self.path.rpartition("/")[2]
        server.requests.append(name)
        if server.n_busy > 0:
            server.n_busy -= 1
            self.send_error(503)
            return
        if name not in server.files:
            self.send_error(404)
            return
        body = server.files[name]
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if server.n_cut > 0:
            server.n_cut -= 1
            body = body[: len(body) // 2]
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def repository(monkeypatch):
    pooch = pytest.importorskip("pooch")
    monkeypatch.setattr(pooch.core.time, "sleep", lambda _: None)  # between attempts
    server = Repository()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}/bag-of-words/"
    monkeypatch.setattr(_files, "_BASE_URL", address)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


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
    assert listing(home) == repository.files


def test_only_what_is_missing_is_downloaded(repository, home):
    home.mkdir()
    (home / DOCWORD).write_bytes(repository.files[DOCWORD])
    fetch_uci_bow("enron", data_home=home)
    assert repository.requests == [VOCAB]
    corpus = fetch_uci_bow("enron", data_home=home)
    assert corpus.data.toarray().tolist() == COUNTS
    assert repository.requests == [VOCAB]


def test_files_in_place_are_read(repository, home, monkeypatch):
    home.mkdir()
    for name, body in repository.files.items():
        (home / name).write_bytes(body)
    monkeypatch.setitem(sys.modules, "pooch", None)
    corpus = fetch_uci_bow("enron", data_home=str(home), download_if_missing=False)
    assert corpus.data.toarray().tolist() == COUNTS
    assert listing(home) == repository.files


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
    assert listing(tmp_path / folder) == repository.files


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
    "truncated": (gzip.compress(TEXT)[:-9], "cut short"),
    "not gzip": (b"<html>Moved</html>", "line 1: expected the number of documents"),
    "fewer rows": (gzip.compress(TEXT[:-7]), "ends after 3 rows"),
}


@pytest.mark.parametrize(("body", "problem"), BROKEN.values(), ids=BROKEN)
def test_broken_file_is_refused(repository, home, body, problem):
    sound, repository.files[DOCWORD] = repository.files[DOCWORD], body
    for _ in range(2):  # downloaded, and in place
        with pytest.raises(OSError, match=rf"{problem}.* Delete this file, and "):
            fetch_uci_bow("enron", data_home=home)
    assert repository.requests == [DOCWORD, VOCAB]
    # The way out that the message names.
    (home / DOCWORD).unlink()
    repository.files[DOCWORD] = sound
    assert fetch_uci_bow("enron", data_home=home).data.toarray().tolist() == COUNTS


def test_connection_that_breaks_off(repository, home):
    repository.n_cut = 2
    with pytest.raises(OSError, match=f"{DOCWORD} could not be downloaded"):
        fetch_uci_bow("enron", data_home=home, n_retries=1)
    assert repository.requests == [DOCWORD] * 2
    assert listing(home) == {}


def test_retry_succeeds(repository, home):
    repository.n_cut = repository.n_busy = 1
    corpus = fetch_uci_bow("enron", data_home=home, n_retries=2)
    assert corpus.data.toarray().tolist() == COUNTS
    assert repository.requests == [DOCWORD] * 3 + [VOCAB]


def test_absent_from_the_repository(repository, home):
    del repository.files[DOCWORD]
    with pytest.raises(OSError, match=r"404.* in a different way"):
        fetch_uci_bow("enron", data_home=home, n_retries=0)
    assert listing(home) == {}
