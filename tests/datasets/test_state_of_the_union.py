"""load_state_of_the_union: what each field holds, and known passages."""

import numpy as np
import pytest

from sklda.datasets import load_state_of_the_union

PASSAGES = 12  # of each address
YEARS = set(range(1790, 2020)) - {1933, 1973}


@pytest.fixture(scope="module")
def corpus():
    return load_state_of_the_union()


def test_each_address_has_as_many_passages(corpus):
    years, counts = np.unique(corpus.year, return_counts=True)
    assert set(years) == YEARS
    assert set(counts) == {PASSAGES, 2 * PASSAGES}
    assert (np.diff(corpus.year) >= 0).all()
    fields = corpus.data, corpus.year, corpus.president, corpus.target
    assert {len(field) for field in fields} == {239 * PASSAGES}


def test_passages_are_distinct_texts_of_one_line(corpus):
    assert len(set(corpus.data)) == len(corpus.data)
    assert min(map(len, corpus.data)) == 300
    assert max(map(len, corpus.data)) == 1500
    assert all(" ".join(text.split()) == text for text in corpus.data)


def test_each_president_has_a_party(corpus):
    assert corpus.year.dtype == corpus.target.dtype == np.int64
    assert corpus.target_names == sorted(corpus.target_names)
    parties = {corpus.target_names[i] for i in corpus.target}
    assert parties == set(corpus.target_names)
    pairs = set(zip(corpus.president, corpus.target.tolist(), strict=True))
    assert len(pairs) == len(set(corpus.president)) == 42


@pytest.mark.parametrize(
    ("words", "year", "president", "party"),
    [
        ("I embrace with great satisfaction", 1790, "George Washington", "Nonpartisan"),
        ("way free men govern themselves", 1952, "Harry S Truman", "Democratic"),
        ("built the transcontinental railroad", 2011, "Barack Obama", "Democratic"),
    ],
)
def test_known_passages(corpus, words, year, president, party):
    (i,) = (i for i, text in enumerate(corpus.data) if words in text)
    assert (corpus.year[i], corpus.president[i]) == (year, president)
    assert corpus.target_names[corpus.target[i]] == party
