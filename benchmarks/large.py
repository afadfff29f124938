"""Corpora of any size in files, drawn from the topics of a real corpus.

A new document draws its topics from the tokens of a real one, and its words from the
tokens of a topic: this needs neither tables of probabilities nor searches.

Topics: a document takes a real one at random. Its topics are from a Dirichlet
distribution around those of the real one, drawn by Polya's urn; `CONCENTRATION` is the
sum of the parameters. So documents are a mixture of Dirichlet distributions.

Words: each token has the word of a random token of its topic. Of the tokens whose topic
is that of an earlier one, the share `REPEATED` has the word of that one, too: documents
repeat themselves.

Vocabulary: a real word has n forms, which are the words of the new corpus. The form of
rank r = 0, ..., n - 1 has the share log((r + 2) / (r + 1)) / log(n + 1), nearly Zipf's
law. For the share `REORDERED` of the tokens, a topic ranks the forms in an order of its
own, so that rare words belong to fewer topics. If there are to be fewer words than real
ones, the most frequent are kept.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit
from scipy import sparse

from benchmarks.programs.large import ARRAYS, SHAPE

BLOCK = 1_000_000  # tokens
DOCUMENT_LENGTH = 200  # mean tokens
SPREAD = 0.6  # standard deviation of the logarithm of document lengths
CONCENTRATION, REPEATED, REORDERED = 100.0, 0.25, 0.25
# A token is drawn as a key: document and word in 24 bits each, topic in 16.
WORD_BITS, TOPIC_BITS = np.uint64(24), np.uint64(16)
WORD, TOPIC = np.uint64(0xFFFFFF), np.uint64(0xFFFF)


class Planted(NamedTuple):
    """The tokens of a real corpus with their topics."""

    doc_ptr: np.ndarray  # first token of each document
    topic: np.ndarray  # of the tokens, document by document
    topic_ptr: np.ndarray  # first token of each topic
    word: np.ndarray  # of the tokens, topic by topic


def draw_corpus(X, z, n_tokens: int, n_words: int) -> Iterator[tuple]:
    """Yield blocks of a million tokens: their counts, and topics cell by cell.

    X is a real corpus without duplicate cells, and z has the topics of its tokens. Each
    block has a seed of its own, so it does not depend on the size of the corpus.
    """
    if n_words > WORD + 1:
        raise ValueError(f"n_words must be at most {WORD + 1:,}")
    if n_words < X.shape[1]:
        X, z = most_frequent(X, z, n_words)
    planted = plant(X, z)
    first_form = np.arange(X.shape[1] + 1) * n_words // X.shape[1]
    for i in range(-(-n_tokens // BLOCK)):
        rng = np.random.default_rng([0, i])
        size = min(BLOCK, n_tokens - i * BLOCK)
        n_documents = -(-size // DOCUMENT_LENGTH)
        weights = rng.lognormal(0, SPREAD, n_documents)
        lengths = rng.multinomial(size, weights / weights.sum())
        keys = np.empty(size, np.uint64)
        _draw(keys, lengths, planted, first_form, rng)
        keys.sort()
        yield _block(keys, n_documents, n_words)


def plant(X, z) -> Planted:
    lengths = np.asarray(X.sum(axis=1), np.int64)
    return Planted(
        doc_ptr=_before(lengths[lengths > 0]),
        topic=z,
        topic_ptr=_before(np.bincount(z)),
        word=np.repeat(X.indices, X.data)[np.argsort(z, kind="stable")],
    )


def _before(sizes) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes)])


def most_frequent(X, z, n_words: int) -> tuple[sparse.csr_array, np.ndarray]:
    """Return the tokens of the most frequent words, and their topics."""
    kept = np.zeros(X.shape[1], bool)
    kept[np.argsort(-X.sum(axis=0, dtype=np.int64), kind="stable")[:n_words]] = True
    return X[:, np.flatnonzero(kept)], z[np.repeat(kept[X.indices], X.data)]


def _block(keys, n_documents, n_words) -> tuple[sparse.csr_array, np.ndarray]:
    """Return the documents and topics of sorted keys."""
    z = (keys & TOPIC).astype(np.uint16)
    cell, count = np.unique(keys >> TOPIC_BITS, return_counts=True)
    documents = np.arange(n_documents + 1, dtype=np.uint64) << WORD_BITS
    indptr = np.searchsorted(cell, documents).astype(np.int32)
    arrays = count.astype(np.int16), (cell & WORD).astype(np.int32), indptr
    return sparse.csr_array(arrays, shape=(n_documents, n_words)), z


@njit(cache=True)
def _draw(keys, lengths, planted, first_form, rng):
    """Draw the tokens of the documents, as keys."""
    token = 0
    for document in range(lengths.size):
        real = int(rng.random() * (planted.doc_ptr.size - 1))
        first = planted.doc_ptr[real]
        length = planted.doc_ptr[real + 1] - first
        begin = token
        for i in range(lengths[document]):
            mark = rng.random() * (CONCENTRATION + i)
            if mark < CONCENTRATION:
                topic = planted.topic[first + int(rng.random() * length)]
            else:
                earlier = keys[begin + int(mark - CONCENTRATION)]
                if rng.random() < REPEATED:
                    keys[token] = earlier
                    token += 1
                    continue
                topic = np.uint16(earlier & TOPIC)
            form = _word(planted, first_form, topic, rng)
            key = (np.uint64(document) << WORD_BITS) | np.uint64(form)
            keys[token] = (key << TOPIC_BITS) | np.uint64(topic)
            token += 1


@njit(cache=True)
def _word(planted, first_form, topic, rng):
    """Draw a word of a topic, and one of its forms."""
    first, end = planted.topic_ptr[topic], planted.topic_ptr[topic + 1]
    word = planted.word[first + int(rng.random() * (end - first))]
    n_forms = first_form[word + 1] - first_form[word]
    form = int(np.exp(rng.random() * np.log(n_forms + 1.0))) - 1
    form = min(form, n_forms - 1)  # should the logarithm be rounded up
    if rng.random() < REORDERED:
        form = (form + shift(topic, word, n_forms)) % n_forms
    return first_form[word] + form


@njit(cache=True)
def shift(topic, word, n_forms):
    """Return by how many places a topic turns the order of the forms of a word."""
    mixed = (np.uint64(topic) << np.uint64(32)) + np.uint64(word) + np.uint64(1)
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.int64((mixed >> np.uint64(33)) % np.uint64(n_forms))


def write(blocks, n_words: int, folder: Path) -> None:
    """Write blocks of documents as the arrays of one CSR matrix, each in a raw file."""
    folder.mkdir(parents=True)
    with ExitStack() as files:
        data, indices, indptr, z = (
            files.enter_context((folder / name).open("wb")) for name in ARRAYS
        )
        n_documents = n_cells = 0
        np.array([0]).tofile(indptr)
        for X, topics in blocks:
            X.data.astype(np.int16).tofile(data)
            X.indices.astype(np.int32).tofile(indices)
            (n_cells + X.indptr[1:].astype(np.int64)).tofile(indptr)
            topics.astype(np.uint16).tofile(z)
            n_documents, n_cells = n_documents + X.shape[0], n_cells + X.nnz
    np.save(folder / SHAPE, [n_documents, n_words])
