"""Corpora of the benchmarks, and their splits into training and test data."""

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.datasets import fetch_20newsgroups
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

from sklda.datasets import fetch_uci_bow, load_state_of_the_union, make_lda_corpus

SHAPE = ("documents", "words", "cells", "tokens")
N_TEST_DOCUMENTS = {"kos": 430, "nips": 250, "newsgroups": 2000, "titles": 4000}
N_TEST_DOCUMENTS |= {"counts": 20, "bars": 250, "reuters": 2000, "blogs": 500}
SUBJECT = re.compile(r"^Subject:(?: *re:)* *(.*)", re.IGNORECASE | re.MULTILINE)


class Story(NamedTuple):
    kind: str  # train, test or unused
    topics: list[str]
    text: str


def load(name: str, options) -> sparse.csr_array:
    """Return a corpus by its name; the options say where its files are."""
    if name == "counts":
        return make_counts()
    if name in ("kos", "nips"):
        X = fetch_uci_bow(name, data_home=options.data_home or None).data
        return sparse.csr_array(X)
    if name == "blogs":
        return read_blogs(options.covariates_home)[0]
    if name == "reuters":
        return with_words(
            count_words(s.text for s in read_stories(options.reuters_home))
        )
    home = {"data_home": options.newsgroups_home or None, "subset": "all"}
    if name == "titles":
        return with_words(CountVectorizer().fit_transform(read_titles(home)))
    if name == "addresses":
        return count_words(load_state_of_the_union().data)
    return count_words(fetch_20newsgroups(**home).data)


def with_words(X) -> sparse.csr_array:
    """Return the documents that have words: some programs drop the others."""
    return sparse.csr_array(X[np.diff(X.indptr) > 0])


def count_words(texts: Iterable[str]) -> sparse.csr_array:
    """Return the counts of words that are neither rare nor in most texts."""
    vectorizer = CountVectorizer(stop_words="english", min_df=5, max_df=0.5)
    return sparse.csr_array(vectorizer.fit_transform(texts))


def read_blogs(folder) -> tuple[sparse.csr_array, np.ndarray, np.ndarray]:
    """Return the counts of 5,000 posts on politics, their ratings and their days."""
    with np.load(Path(folder, "poliblog5k.npz")) as file:
        cells = file["counts"].astype(np.int64), file["indices"], file["indptr"]
        X = sparse.csr_array(cells, shape=(file["day"].size, file["words"].size))
        return X, file["rating"], file["day"]


def read_titles(home: dict) -> list[str]:
    """Return subjects and first lines of posts and first sentences, shuffled."""
    bare = {"remove": ("headers", "footers", "quotes")}
    posts, bodies = (fetch_20newsgroups(**home, **how).data for how in ({}, bare))
    texts = [SUBJECT.search(post)[1] for post in posts]
    texts += [text.strip().partition("\n")[0] for text in bodies]
    texts += [text.partition(". ")[0] for text in load_state_of_the_union().data]
    return np.random.default_rng(0).permutation(np.array(texts, object)).tolist()


def make_counts() -> sparse.csr_array:
    """Return counts like those of genes in cells: few words, many tokens of each."""
    shape, priors = (140, 500, 20), {"doc_topic_prior": 0.1, "topic_word_prior": 0.1}
    X, _, _ = make_lda_corpus(*shape, document_length=5000, **priors, random_state=0)
    return sparse.csr_array(X)


def read_newsgroups(options) -> list[tuple[sparse.csr_array, np.ndarray]]:
    """Return counts and classes, from 0, of shuffled training and test documents.

    The files, which medlda-corpora names, are plain or .gz. Words of one letter are
    dropped with stop words.
    """

    def read(name, **options_of_numpy):
        path = Path(folder, name)
        path = path if path.exists() else f"{path}.gz"
        return np.loadtxt(path, comments=None, **options_of_numpy)

    folder = options.newsgroups_home
    words = read("vocabulary.txt", dtype=str)
    content = [len(w) > 1 and w not in ENGLISH_STOP_WORDS for w in words]
    kept = np.flatnonzero(content) if options.drop_stop_words else np.arange(words.size)
    found = []
    for seed, kind in enumerate(("train", "test")):
        y = read(f"{kind}.label", dtype=np.int64) - 1
        documents, word, count = read(f"{kind}.data", dtype=np.int32).T
        shape = y.size, words.size
        X = sparse.csr_array((count, (documents - 1, word - 1)), shape=shape)
        order = np.random.default_rng(seed).permutation(y.size)
        found.append((X[order][:, kept], y[order]))
    return found


def read_stories(folder) -> Iterator[Story]:
    """Yield all stories of Reuters-21578, of which each line is one in JSON."""
    path = Path(folder, "reuters21578.jsonl.gz")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for story in map(json.loads, lines):
            text = f"{story['title']}\n{story['body']}"
            yield Story(story["modapte"], story["topics"], text)


def read_reuters(folder, n_labels=10) -> tuple[list[str], tuple, tuple]:
    """Return the largest topics, and counts and indicators of training and test.

    Stories with none of these topics stay, with a row of zeros.
    """
    stories = list(read_stories(folder))
    train, test = ([s for s in stories if s.kind == k] for k in ("train", "test"))
    sizes = Counter(topic for story in train for topic in set(story.topics))
    labels = [topic for topic, _ in sizes.most_common(n_labels)]
    words = CountVectorizer(stop_words="english", token_pattern="[a-z]{2,}", min_df=3)
    words.fit(story.text for story in train)

    def labelled(stories):
        X = sparse.csr_array(words.transform(story.text for story in stories))
        Y = [[int(label in story.topics) for label in labels] for story in stories]
        return X, np.array(Y)

    return labels, labelled(train), labelled(test)


def shape_of(X) -> dict[str, int]:
    return dict(zip(SHAPE, (*X.shape, int(X.nnz), int(X.sum())), strict=True))


def split(X: sparse.csr_array, name: str) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Hold out half of the words of the last documents; return the rest and these."""
    n_train = X.shape[0] - N_TEST_DOCUMENTS[name]
    test = X[n_train:].copy()
    test.sort_indices()
    held_out = test.copy()
    held_out.data = np.random.default_rng(0).binomial(test.data, 0.5)
    # A document that would be left without words keeps all: some programs drop it.
    is_empty = held_out.sum(axis=1) == test.sum(axis=1)
    held_out.data[np.repeat(is_empty, np.diff(test.indptr))] = 0
    train = sparse.vstack([X[:n_train], test - held_out], format="csr")
    train.eliminate_zeros()
    held_out.eliminate_zeros()
    return train, held_out


def split_documents(X: sparse.csr_array) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return three quarters of the documents, drawn at random, and the others."""
    order = np.random.default_rng(0).permutation(X.shape[0])
    n_test = X.shape[0] // 4
    return X[np.sort(order[n_test:])], X[np.sort(order[:n_test])]


def hold_out_tokens(X: sparse.csr_array, fraction=0.1) -> tuple:
    """Hold out a tenth of the tokens of each document; return the rest and these."""
    rng = np.random.default_rng(0)
    held_out = X.astype(np.int64)
    for cells in map(slice, X.indptr[:-1], X.indptr[1:]):
        counts = held_out.data[cells]
        n_held_out = round(fraction * int(counts.sum()))
        held_out.data[cells] = rng.multivariate_hypergeometric(counts, n_held_out)
    train = sparse.csr_array(X - held_out)
    train.eliminate_zeros()
    held_out.eliminate_zeros()
    return train, held_out


def log_probability(doc_topic, topic_word, held_out) -> float:
    """Return the mean log probability of held-out words, in documents of theta."""
    cells, total = held_out.tocoo(), 0.0
    n_parts = 1 + cells.nnz * topic_word.shape[0] // 10_000_000
    for part in np.array_split(np.arange(cells.nnz), n_parts):
        rows, columns = cells.row[part], cells.col[part]
        probability = np.einsum("ik,ki->i", doc_topic[rows], topic_word[:, columns])
        total += cells.data[part] @ np.log(probability)
    return float(total / cells.data.sum())


def perplexity(doc_topic, topic_word, held_out) -> float:
    return float(np.exp(-log_probability(doc_topic, topic_word, held_out)))
