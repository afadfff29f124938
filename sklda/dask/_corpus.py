"""X as a user passes it, cut into parts of about equal tokens on the workers."""

from __future__ import annotations

from copy import copy
from itertools import pairwise
from typing import Any, NamedTuple
from zlib import crc32

import dask.array as da
import joblib
import numpy as np
from dask.delayed import Delayed
from distributed import Future
from scipy import sparse

from sklda._data.checks import column_names, n_dimensions
from sklda._data.corpus import MAX_32_BITS, Corpus, check_corpus, cutting_marks, starts
from sklda._engine.sharded import MOST_SHARDS
from sklda.dask._cluster import Cluster
from sklda.dask._tasks import PartDocuments


class Partitions(NamedTuple):
    """All documents, on the workers; and numbers of each part."""

    futures: list[Future]
    places: list[str]  # the addresses of their workers
    shards: list[list[int]]  # of each part: the first document of each, and the end
    n_partitions: int  # wanted: there are fewer if X has few documents
    n_documents: list[int]
    n_tokens: list[int]
    n_words: int
    names: list[str]  # of the words, if the blocks are frames
    digests: list[str]  # of the documents


def partition(
    cluster: Cluster, X: Any, estimator: Any, n: int, n_shards: int | None
) -> Partitions:
    """Check X, and cut its documents into n parts of about equal tokens.

    There are fewer parts if X has few documents, and more if a part could have too many
    tokens. A part has neighbouring shards, which contain the same documents as on one
    machine; if `n_shards` is None, each part is one shard.
    """
    blocks, sizes, names = _check_blocks(cluster, X, estimator)
    n_words = int(sizes[0, 1])
    n = max(n, -(-int(sizes[:, 2].sum()) // (MAX_32_BITS // 2)))
    cut = _cuts if n_shards is None else _shard_bounds
    shards = _grouped(cut(cluster, blocks, sizes, n_shards or n), n)
    cuts, before = [bounds[0] for bounds in shards], starts(sizes[:, 0]).tolist()
    cuts.append(before[-1])
    tasks, places = [], cluster.places(len(shards))
    for i, (first, last) in enumerate(pairwise(cuts)):
        pieces = [
            (block, max(first, begin) - begin, min(last, end) - begin)
            for block, (begin, end) in zip(blocks, pairwise(before), strict=True)
            if first < end and last > begin and begin < end
        ]
        arguments = first, *map(list, zip(*pieces, strict=True))
        name, place = f"documents-{i}", places[i]
        tasks.append(cluster.task(part_documents, name, *arguments, place=place))
    documents = cluster.submit(tasks)
    checks = [
        cluster.task(_size_and_digest, f"tokens-{i}", part, n_words)
        for i, part in enumerate(documents)
    ]
    n_tokens, digests = map(list, zip(*cluster.results(checks), strict=True))
    if max(n_tokens) > MAX_32_BITS:
        raise ValueError(
            f"A part of X has {max(n_tokens):,} tokens, above the limit of "
            f"{MAX_32_BITS:,}: divide X into more parts (n_shards or n_partitions; now "
            f"{len(tasks)})."
        )
    numbers = np.diff(cuts).tolist(), n_tokens, n_words
    return Partitions(documents, places, shards, n, *numbers, names, digests)


def blocks_of(X: Any) -> list[Any]:
    """Return the blocks of documents, one delayed matrix each."""
    if isinstance(X, list | tuple) and all(isinstance(x, Delayed | Future) for x in X):
        if not X:
            raise ValueError("X is an empty list: it must contain delayed matrices.")
        return list(X)
    if not isinstance(X, da.Array):
        raise TypeError(
            "X must be a Dask array (documents x words), or a list of delayed matrices "
            f"or futures, but it is of type {type(X).__name__}. Of a Dask bag or data "
            "frame, pass [delayed(count)(part) for part in X.to_delayed()], where "
            "count(part) returns a matrix. For a matrix in memory, use the estimator "
            "of the same name in sklda."
        )
    if X.ndim != 2 or X.numblocks[1] > 1:
        raise ValueError(
            "X must have 2 dimensions (documents x words), and each block all words, "
            f"as in X.rechunk({{1: -1}}); got blocks of the sizes {X.chunks}."
        )
    return X.to_delayed().ravel().tolist()


def check_block(
    block: Any, number: int, estimator: Any, *, reset: bool = True
) -> sparse.csr_array:
    """Return the counts of a block; errors name its number, counted from 0.

    With `reset`, any number of words will do.
    """
    estimator = copy(estimator)  # threads share it
    try:
        if n_dimensions(block) == 2 and block.shape[0] == 0:
            return sparse.csr_array((0, block.shape[1]))
        doc_ptr, word, token_ptr = check_corpus(estimator, block, reset=reset)
    except (TypeError, ValueError) as error:
        raise ValueError(f"Block {number} of X: {error}") from error
    shape = doc_ptr.size - 1, estimator.n_features_in_
    return sparse.csr_array((np.diff(token_ptr), word, doc_ptr), shape=shape)


def transform_block(block: Any, number: int, model: Any) -> np.ndarray:
    """Return theta of a block, (n_documents, n_topics)."""
    counts = check_block(block, number, model, reset=False)
    if counts.shape[0] == 0:
        return np.empty((0, model.components_.shape[0]))
    return model.transform(counts)


def score_block(block: Any, number: int, model: Any) -> tuple[float, float]:
    """Return the sum of the log probabilities of the tokens, and their number."""
    counts = check_block(block, number, model, reset=False)
    n_tokens = float(counts.sum())
    return (model.score(counts) * n_tokens if n_tokens > 0 else 0.0), n_tokens


def block_sizes(counts: sparse.csr_array, block: Any) -> tuple[int, int, int, int]:
    """Return the numbers of documents, words and tokens, and a checksum of names."""
    return *counts.shape, int(counts.sum()), crc32(repr(column_names(block)).encode())


def find_cuts(block: sparse.csr_array, before: int, marks: np.ndarray) -> list[int]:
    """Return for each mark the first document with as many tokens before it."""
    # The last may be the first of the next block.
    return np.searchsorted(starts(block.sum(axis=1)) + before, marks).tolist()


def part_documents(
    first: int, blocks: list[sparse.csr_array], begins: list[int], ends: list[int]
) -> PartDocuments:
    """Return the documents of slices of blocks; `first` is the number of the first."""
    slices = zip(blocks, begins, ends, strict=True)
    rows = [block[begin:end] for block, begin, end in slices]
    counts = sparse.vstack(rows, format="csr")
    doc_ptr = np.array(counts.indptr, np.int64)
    word = np.array(counts.indices, np.int32)
    return PartDocuments(Corpus(doc_ptr, word, starts(counts.data)), first)


def _check_blocks(cluster, X, estimator) -> tuple[list[Future], np.ndarray, list[str]]:
    """Check the blocks on the workers; return them, their sizes, and names of words."""
    tasks, sizes, blocks = [], [], blocks_of(X)
    for i, block in enumerate(blocks):
        tasks.append(cluster.task(check_block, f"check-block-{i}", block, i, estimator))
        sizes.append(cluster.task(block_sizes, f"describe-block-{i}", tasks[-1], block))
    names = cluster.task(column_names, "names", blocks[0])
    futures = cluster.submit([*tasks, *sizes, names])
    *sizes, names = cluster.gather(futures[len(tasks) :])
    sizes = np.array(sizes, dtype=np.int64)
    columns = sizes[:, [1, 3]]
    differing = np.flatnonzero((columns != columns[0]).any(axis=1))
    if differing.size > 0:
        raise ValueError(
            f"Block {differing[0]} of X has {sizes[differing[0], 1]:,} words, but "
            f"block 0 has {sizes[0, 1]:,}, or the names of their columns differ: all "
            "blocks need the same columns in the same order. Use one vocabulary, or "
            "HashingVectorizer, for all of them."
        )
    if sizes[:, 0].sum() == 0:
        raise ValueError("X has no documents: all of its blocks are empty.")
    return futures[: len(tasks)], sizes, names


def _size_and_digest(documents: PartDocuments, n_words: int) -> tuple[int, str]:
    """Return the number of tokens, and a digest of all words and counts."""
    # Equal counts in any form make equal arrays of a Corpus.
    corpus = documents.corpus
    return int(corpus.token_ptr[-1]), joblib.hash([n_words, *corpus])


def _cuts(cluster, blocks, sizes, n) -> list[int]:
    """Return the first document of each part, and the number of all."""
    n_documents, n_tokens = (starts(sizes[:, i]).tolist() for i in (0, 2))
    marks = cutting_marks(n_tokens[-1], n_documents[-1], n)
    # The block in which each mark falls; -1 is before all.
    block = np.searchsorted(n_tokens, marks) - 1
    where = np.unique(block[block >= 0]).tolist()
    tasks = [
        cluster.task(find_cuts, f"find-cuts-{n}-{b}", blocks[b], n_tokens[b], inside)
        for b, inside in ((b, marks[block == b]) for b in where)
    ]
    cuts = {0, n_documents[-1]}
    for b, inside in zip(where, cluster.results(tasks), strict=True):
        cuts.update(n_documents[b] + document for document in inside)
    return sorted(cuts)


def _shard_bounds(cluster, blocks, sizes, n_shards) -> list[int]:
    """Return the bounds of the shards as on one machine; the last may be empty."""
    n = len(_cuts(cluster, blocks, sizes, min(n_shards, MOST_SHARDS))) - 1
    bounds = _cuts(cluster, blocks, sizes, n)
    return bounds + bounds[-1:] * (n + 1 - len(bounds))


def _grouped(bounds, n) -> list[list[int]]:
    """Return the bounds of neighbouring shards as those of n groups, or of fewer.

    Shards without documents join the last group with any.
    """
    n_shards = bounds.index(bounds[-1])
    n = min(n, n_shards)
    firsts = [n_shards * i // n for i in range(n)] + [len(bounds) - 1]
    return [bounds[first : last + 1] for first, last in pairwise(firsts)]
