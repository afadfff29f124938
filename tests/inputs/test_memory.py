"""Refusal of fits that need more memory than there is, where that is known."""

import numpy as np
import pytest

from sklda import CollapsedGibbsLDA
from sklda._data import notices


@pytest.fixture
def info(monkeypatch, tmp_path):
    path = tmp_path / "meminfo"
    monkeypatch.setattr(notices, "_MEMORY_INFO", path)
    return path


def test_half_of_the_free_memory_is_the_limit(info):
    info.write_text("MemTotal: 900 kB\nMemFree: 3 kB\nMemAvailable:    8 kB\n")
    assert notices.free_memory() == 8192
    notices.check_memory(4096, "a=5", "less")
    with pytest.raises(MemoryError, match=r"^a=5 .* 4,097 bytes.* 8,192 .*: less\.$"):
        notices.check_memory(4097, "a=5", "less")


@pytest.mark.parametrize(("n_topics", "kilobytes"), [(100, 10), (2, 3)])
def test_fit_that_exceeds_the_free_memory_is_refused(info, n_topics, kilobytes):
    # 1,024 tokens of two bytes, and four bytes for each topic of a document or word:
    # with 100 topics there are as many as tokens, with two there are 64.
    X = np.full((16, 16), 4)
    lda = CollapsedGibbsLDA(n_topics, init="random", max_iter=1, random_state=0)
    info.write_text(f"MemAvailable: {kilobytes} kB\n")
    lda.fit(X)
    info.write_text(f"MemAvailable: {kilobytes - 1} kB\n")
    size = "fit to 1,024 tokens, 16 documents and 16 words"
    with pytest.raises(MemoryError, match=f"^{size} .* use fewer documents, words or"):
        lda.fit(X)


@pytest.mark.parametrize("text", [None, "MemTotal: 9 kB\n"])
def test_nothing_is_refused_where_nobody_knows(info, text):
    if text is not None:
        info.write_text(text)
    assert notices.free_memory() is None
    notices.check_memory(10**18, "a=5", "less")
