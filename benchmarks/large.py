"""Corpora of any size, drawn block by block from the topics of a real corpus."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import njit
from scipy import sparse

from benchmarks.internals import Sklda
from benchmarks.synthetic import SPREAD
from sklda import CollapsedGibbsLDA

BLOCK = 1_000_000  # tokens
SWEEPS = 200  # of the fit to the real corpus
MOST_IN_CELL = np.iinfo(np.int16).max
# A token is drawn as a key: document and word in 24 bits each, topic in 16.
MOST_WORDS = 1 << 24
WORD_BITS, TOPIC_BITS = np.uint64(24), np.uint64(16)
WORD, TOPIC = np.uint64(0xFFFFFF), np.uint64(0xFFFF)


class Planted(NamedTuple):
    """The tokens of a real corpus with their topics.

    A new document draws its topics from the tokens of a real one, and its words from
    the tokens of a topic: this needs neither tables of probabilities nor searches.
    """

    doc_ptr: np.ndarray  # first token of each document
    topic: np.ndarray  # of the tokens, document by document
    topic_ptr: np.ndarray  # first token of each topic
    word: np.ndarray  # of the tokens, topic by topic


class Style(NamedTuple):
    """How documents are written; `LargeCorpus` explains it."""

    concentration: float = 100.0
    repeated: float = 0.25
    reordered: float = 0.25


class Block(NamedTuple):
    """Some documents, and the planted topics of their tokens, cell by cell."""

    X: sparse.csr_array
    z: np.ndarray


class LargeCorpus:
    """A corpus of as many tokens and words as wanted, an iterable of blocks.

    X is a real corpus without duplicate cells, and z has the topics of its tokens.

    Topics: a document takes a real one at random. Its topics are from a Dirichlet
    distribution around those of the real one, drawn by Polya's urn; `concentration` is
    the sum of the parameters. So documents are a mixture of Dirichlet distributions.

    Words: each token has the word of a random token of its topic. Of the tokens whose
    topic is that of an earlier one, the share `repeated` is the word of that one, too:
    documents repeat themselves.

    Vocabulary: a real word has n forms, which are the words of the new corpus. The form
    of rank r = 0, ..., n - 1 has the share log((r + 2) / (r + 1)) / log(n + 1), nearly
    Zipf's law. For the share `reordered` of the tokens, a topic ranks the forms in an
    order of its own, so that rare words belong to fewer topics. If there are to be
    fewer words than real ones, the most frequent are kept.

    Each block of a million tokens has a seed of its own. It does not depend on the size
    of the corpus, or on which blocks were drawn before.
    """

    def __init__(
        self,
        X: sparse.csr_array,
        z: np.ndarray,
        n_tokens: int,
        n_words: int,
        document_length: int = 200,
        seed: int = 0,
        style: Style | None = None,
    ):
        if not 0 < n_words <= MOST_WORDS:
            raise ValueError(f"n_words must be from 1 to {MOST_WORDS:,}")
        if n_words < X.shape[1]:
            X, z = most_frequent(X, z, n_words)
        self.planted = plant(X, z)
        self.first_form = np.arange(X.shape[1] + 1) * n_words // X.shape[1]
        self.n_tokens, self.n_words, self.seed = n_tokens, n_words, seed
        self.document_length, self.style = document_length, style or Style()

    @property
    def n_blocks(self) -> int:
        return -(-self.n_tokens // BLOCK)

    @property
    def shape(self) -> tuple[int, int]:
        n_documents = sum(self._size(i)[0] for i in range(self.n_blocks))
        return n_documents, self.n_words

    def _size(self, i: int) -> tuple[int, int]:
        """Return the numbers of documents and tokens of a block."""
        n_tokens = min(BLOCK, self.n_tokens - i * BLOCK)
        return -(-n_tokens // self.document_length), n_tokens

    def __iter__(self) -> Iterator[Block]:
        return map(self.block, range(self.n_blocks))

    def block(self, i: int) -> Block:
        """Return the documents of one block."""
        rng = np.random.default_rng([self.seed, i])
        n_documents, n_tokens = self._size(i)
        weights = rng.lognormal(0, SPREAD, n_documents)
        lengths = rng.multinomial(n_tokens, weights / weights.sum())
        if lengths.max() > MOST_IN_CELL:
            raise ValueError(
                f"a document has {lengths.max():,} tokens: make it shorter"
            )
        keys = np.empty(n_tokens, np.uint64)
        _draw(keys, lengths, self.planted, self.first_form, self.style, rng)
        keys.sort()
        return _block(keys, n_documents, self.n_words)

    def whole(self) -> Block:
        """Return all blocks as one, in memory."""
        blocks = list(self)
        X = sparse.vstack([block.X for block in blocks], format="csr")
        return Block(X, np.concatenate([block.z for block in blocks]))


def fit_topics(X: sparse.csr_array, n_topics: int, sweeps=SWEEPS) -> np.ndarray:
    """Return topics of the tokens of a real corpus, the same in each call."""
    chain = Sklda(CollapsedGibbsLDA, X, n_topics, seed=0)
    chain.sweep(sweeps)
    return chain.z


def plant(X: sparse.csr_array, z: np.ndarray) -> Planted:
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


def _block(keys, n_documents, n_words) -> Block:
    """Return the documents and topics of sorted keys."""
    z = (keys & TOPIC).astype(np.uint16)
    cell = keys >> TOPIC_BITS
    first = np.flatnonzero(np.concatenate([[True], cell[1:] != cell[:-1]]))
    count = np.diff(first, append=keys.size).astype(np.int16)
    cell = cell[first]
    documents = np.arange(n_documents + 1, dtype=np.uint64) << WORD_BITS
    indptr = np.searchsorted(cell, documents).astype(np.int32)
    arrays = count, (cell & WORD).astype(np.int32), indptr
    return Block(sparse.csr_array(arrays, shape=(n_documents, n_words)), z)


@njit(cache=True)
def _draw(keys, lengths, planted, first_form, style, rng):
    """Draw the tokens of the documents, as keys."""
    token = 0
    for document in range(lengths.size):
        real = int(rng.random() * (planted.doc_ptr.size - 1))
        first = planted.doc_ptr[real]
        length = planted.doc_ptr[real + 1] - first
        begin = token
        for i in range(lengths[document]):
            mark = rng.random() * (style.concentration + i)
            if mark < style.concentration:
                topic = planted.topic[first + int(rng.random() * length)]
            else:
                earlier = keys[begin + int(mark - style.concentration)]
                if rng.random() < style.repeated:
                    keys[token] = earlier
                    token += 1
                    continue
                topic = np.uint16(earlier & TOPIC)
            form = _word(planted, first_form, topic, style.reordered, rng)
            key = (np.uint64(document) << WORD_BITS) | np.uint64(form)
            keys[token] = (key << TOPIC_BITS) | np.uint64(topic)
            token += 1


@njit(cache=True)
def _word(planted, first_form, topic, reordered, rng):
    """Draw a word of a topic, and one of its forms."""
    first, end = planted.topic_ptr[topic], planted.topic_ptr[topic + 1]
    word = planted.word[first + int(rng.random() * (end - first))]
    n_forms = first_form[word + 1] - first_form[word]
    form = int(np.exp(rng.random() * np.log(n_forms + 1.0))) - 1
    form = min(form, n_forms - 1)  # should the logarithm be rounded up
    if rng.random() < reordered:
        form = (form + shift(topic, word, n_forms)) % n_forms
    return first_form[word] + form


@njit(cache=True)
def shift(topic, word, n_forms):
    """Return by how many places a topic turns the order of the forms of a word."""
    mixed = (np.uint64(topic) << np.uint64(32)) + np.uint64(word) + np.uint64(1)
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.int64((mixed >> np.uint64(33)) % np.uint64(n_forms))
