"""Readers of corpus files: load_uci_bow and load_ldac."""

import codecs
import contextlib
import gzip
import re
import tracemalloc

import numpy as np
import pytest

from sklda.datasets import _files, load_ldac, load_uci_bow

UCI = "3\n4\n4\n1 1 2\n1 4 1\n3 2 5\n3 3 12\n"
LDAC = "2 0:2 3:1\n0\n2 1:5 2:12\n"
WORDS = "bar\nbaz\nfoo\nqux\n"
COUNTS = [[2, 0, 0, 1], [0, 0, 0, 0], [0, 5, 12, 0]]


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a file and returns its path."""

    def write_file(contents, name="corpus.txt"):
        path = tmp_path / name
        if isinstance(contents, str):
            contents = contents.encode()
        path.write_bytes(contents)
        return path

    return write_file


def assert_refused(load, path, message):
    """Check the message, and that the user's file still exists."""
    before = path.read_bytes()
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        load(path)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == before


def check_counts(corpus):
    X = corpus.data
    assert X.format == "csr"
    assert X.dtype == np.int64
    assert type(X)((X.data, X.indices, X.indptr), shape=X.shape).has_canonical_format
    assert X.toarray().tolist() == COUNTS


@pytest.mark.parametrize(
    "contents",
    [
        UCI,
        UCI.replace("\n", "\r\n"),
        UCI.replace(" ", "\t "),
        gzip.compress(UCI.encode()),
        "3\n4\n6\n1 1 1\n1 1 1\n1 4 1\n3 3 6\n3 2 5\n3 3 6\n",
    ],
    ids="plain CRLF tabs gzip repeated".split(),
)
@pytest.mark.parametrize("block_bytes", [1, 10, 1 << 22])
def test_uci_counts(write, monkeypatch, contents, block_bytes):
    monkeypatch.setattr(_files, "_BLOCK_BYTES", block_bytes)
    corpus = load_uci_bow(write(contents))
    check_counts(corpus)
    assert corpus.feature_names is None


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        ("", "line 1: expected the number of documents, of words or of rows, found ''"),
        ("3\n2147483648\n0\n", "line 2: 2147483648 is not between 1 and 2147483647"),
        ("1000001\n1\n0\n", "line 1: 1000001 is not between 1 and 1000000 (there"),
        (
            UCI.replace("3 2 5", "3 2 " + "9" * 19),
            "line 6: expected 'document word count'",
        ),
        (UCI.replace("3 2 5", "4 2 5"), "line 6: document, word and count [4, 2, 5]"),
        (UCI.replace("3 2 5", "3 5 0"), "ids run from 1 to 3 and 4"),
        (UCI.replace("2 5", "2 2147483648"), "counts to 2147483647"),
        (UCI + "3 4 1\n", "line 8: the header states only 4 rows"),
        (UCI[: UCI.index("3 3")], "ends after 3 rows but its header states 4"),
    ],
)
@pytest.mark.parametrize("block_bytes", [10, 1 << 22])
def test_uci_malformed(write, monkeypatch, contents, message, block_bytes):
    monkeypatch.setattr(_files, "_BLOCK_BYTES", block_bytes)
    assert_refused(load_uci_bow, write(contents), message)


def damage(data):
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 0xFF]) + data[middle + 1 :]


@pytest.mark.parametrize(("load", "text"), [(load_uci_bow, UCI), (load_ldac, LDAC)])
@pytest.mark.parametrize(
    "corrupt", [lambda data: data[:-12], damage, lambda data: data + b"trailing"]
)
def test_damaged_gzip(write, load, text, corrupt):
    path = write(corrupt(gzip.compress(text.encode())))
    assert_refused(load, path, "must be a whole file")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("bar\nbaz\nfoo\n", "contains 3 words, one per line, but the corpus has"),
        ("bar\n\nfoo\nqux\n", "line 2: expected a word, found a blank line"),
        (b"bar\nbaz\nna\xefve\nqux\n", "must be a whole file in UTF-8"),
    ],
)
def test_malformed_vocabulary(write, words, message):
    docword = write(UCI)
    vocabulary = write(words, "vocab.txt")
    assert_refused(lambda path: load_uci_bow(docword, path), vocabulary, message)


@pytest.mark.parametrize(
    "contents",
    [
        LDAC,
        LDAC.replace("\n", " \r\n"),
        LDAC.replace(" ", "\t "),
        gzip.compress(LDAC.encode()),
        "2 3:1 0:2\n0\n3 2:6 1:5 2:6\n",
    ],
    ids=["plain", "CRLF", "tabs", "gzip", "any order, repeated"],
)
def test_ldac_counts(write, contents):
    corpus = load_ldac(write(contents))
    check_counts(corpus)
    assert corpus.feature_names is None
    assert re.search(r"Documents +3\n", corpus.DESCR)


def test_ldac_width(write):
    path, vocabulary = write(LDAC), write(WORDS + "last\n", "vocab.txt")
    assert load_ldac(path, n_features=9).data.shape == (3, 9)
    corpus = load_ldac(path, vocab_path=vocabulary)
    assert corpus.data.shape == (3, 5)
    assert corpus.feature_names[4] == "last"
    assert load_ldac(path, n_features=5, vocab_path=vocabulary).data.shape == (3, 5)
    with pytest.raises(ValueError, match=r"contains 5 words.* has n_features=6"):
        load_ldac(path, n_features=6, vocab_path=vocabulary)
    assert load_ldac(write("0\n0\n")).data.shape == (2, 0)


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        ("", "is empty: it contains no document"),
        ("0\n\n1 0:1\n", "line 2: expected 'M id:count id:count ...' (0 for an "),
        ("1 0:" + "9" * 19 + "\n", "line 1: expected 'M id:count"),
        ("1 0:1 1:1\n", "line 1: M is 1, but 2 pairs id:count follow"),
        (
            "1 0:1\n2 0:1 3:2147483648\n",
            "line 2: word id 3 or its count 2147483648 is out",
        ),
        ("1 0:1\n1 4:1\n", "line 2: word id 4 or its count 1 is out of range: ids run"),
    ],
)
def test_ldac_malformed(write, contents, message):
    assert_refused(lambda path: load_ldac(path, n_features=4), write(contents), message)


def test_largest_counts_add_up(write):
    limit = 2**31 - 1
    uci = write("1\n1\n9\n" + f"1 1 {limit}\n" * 9)
    ldac = write("9" + f" 0:{limit}" * 9, "corpus.ldac")
    for corpus in (load_uci_bow(uci), load_ldac(ldac)):
        assert corpus.data.toarray().tolist() == [[9 * limit]]
        assert f"{9 * limit:,}" in corpus.DESCR


def peak_memory(load, path):
    """Return the bytes at the peak of reading a file, whether it is refused or not."""
    tracemalloc.start()
    with contextlib.suppress(ValueError):
        load(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


# 4,000 rows of a million.
PROMISE = b"1\n1\n1000000\n" + b"".join(
    b"1 1 %d\n" % count for count in np.random.default_rng(0).integers(1, 10**6, 4000)
)


@pytest.mark.parametrize(
    ("load", "contents"),
    [
        (load_uci_bow, "2000000000\n1\n1\n1 1 1\n"),
        (load_uci_bow, gzip.compress(PROMISE)),
        (load_ldac, "0\n" * 4000),
    ],
    ids=["documents", "rows", "empty"],
)
def test_memory_follows_what_a_file_holds(write, monkeypatch, load, contents):
    monkeypatch.setattr(_files, "_BLOCK_BYTES", 1 << 12)
    path = write(contents)
    assert peak_memory(load, path) < min(100 * path.stat().st_size, 10**6) + 10**6


def test_a_vocabulary_is_read_as_far_as_the_corpus_has_words(write):
    path = write(gzip.compress(b"a\n" * 10**6))

    def read(path):
        return _files._read_words(path, n_features=4)

    assert_refused(read, path, "contains more than 4 words")
    assert peak_memory(read, path) < 10**6  # in full, the words take 8 MB


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_byte_order_mark_is_skipped(write, compress):
    marked = {
        name: write(compress(codecs.BOM_UTF8 + text.encode()), name)
        for name, text in (("uci", UCI), ("ldac", LDAC), ("vocab", WORDS))
    }
    for corpus in (
        load_uci_bow(marked["uci"], marked["vocab"]),
        load_ldac(marked["ldac"], vocab_path=marked["vocab"]),
    ):
        check_counts(corpus)
        assert corpus.feature_names.dtype == object
        assert corpus.feature_names.tolist() == ["bar", "baz", "foo", "qux"]
