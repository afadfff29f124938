"""X as a user passes it, cut into parts of about equal tokens on the workers."""

from __future__ import annotations

from copy import copy
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from dask import delayed, is_dask_collection
from dask.bag import Bag
from dask.delayed import Delayed
from distributed import Future
from scipy import sparse

from sklda._chain.sharded import MOST_SHARDS
from sklda._core.checks import check_structure
from sklda._core.corpus import check_corpus, cutting_marks, starts
from sklda._core.problem import MAX_32_BITS, Corpus
from sklda._core.refusals import check_is_matrix
from sklda.dask._cluster import Cluster
from sklda.dask._parts import PartDocuments
from sklda.dask._storage import digest

_COUNTS = "HashingVectorizer(alternate_sign=False, norm=None).transform"
_COUNT_BAG = f"Count them: X.map_partitions(lambda part: [{_COUNTS}(list(part))])."


class Partitions(NamedTuple):
    """All documents, on the workers; and numbers of each part."""

    futures: list[Future]
    places: list[str]  # the addresses of their workers
    shards: list[list[int]]  # of each part: the first document of each, and the end
    n_partitions: int  # wanted: there are fewer if X has few documents
    n_documents: list[int]
    n_tokens: list[int]
    n_words: int
    documents: list[str]  # digests

    @property
    def numbers(self) -> dict[str, Any]:
        """Return what is stored of the documents."""
        on_workers = {"futures", "places", "shards"}
        return {n: value for n, value in self._asdict().items() if n not in on_workers}


def partition(
    cluster: Cluster, X: Any, estimator: Any, n: int, n_shards: int | None
) -> Partitions:
    """Check X, and cut its documents into n parts of about equal tokens.

    There are fewer parts if X has few documents, and more if a part could have too many
    tokens. A part has neighbouring shards, which contain the same documents as on one
    machine; if `n_shards` is None, each part is one shard.
    """
    blocks, sizes = _check_blocks(cluster, X, estimator)
    n = max(n, -(-int(sizes[:, 2].sum()) // (MAX_32_BITS // 2)))
    cut = _cuts if n_shards is None else _shard_bounds
    shards = _grouped(cut(cluster, blocks, sizes, n_shards or n), n)
    cuts, before = [bounds[0] for bounds in shards], starts(sizes[:, 0]).tolist()
    cuts.append(before[-1])
    tasks = []
    for i, (first, last) in enumerate(pairwise(cuts)):
        pieces = [
            (block, max(first, begin) - begin, min(last, end) - begin)
            for block, (begin, end) in zip(blocks, pairwise(before), strict=True)
            if first < end and last > begin and begin < end
        ]
        columns = map(list, zip(*pieces, strict=True))
        tasks.append(cluster.task(part_documents, f"documents-{i}", first, *columns))
    places = cluster.places(len(tasks))
    documents = cluster.submit_to(places, tasks)
    checks = [
        cluster.task(_size_and_digest, f"tokens-{i}", part)
        for i, part in enumerate(documents)
    ]
    n_tokens, digests = map(list, zip(*cluster.results(checks), strict=True))
    if max(n_tokens) > MAX_32_BITS:
        raise ValueError(
            f"A part of X has {max(n_tokens):,} tokens, above the limit of "
            f"{MAX_32_BITS:,}: divide X into more parts (n_shards or n_partitions; now "
            f"{len(tasks)})."
        )
    n_documents, n_words = np.diff(cuts).tolist(), int(sizes[:, 1].max())
    numbers = n_documents, n_tokens, n_words
    return Partitions(documents, places, shards, n, *numbers, digests)


def blocks_of(X: Any) -> list[Any]:
    """Return the blocks of documents, one delayed matrix each."""
    if isinstance(X, Bag):
        return [delayed(stack_rows)(rows) for rows in X.to_delayed()]
    if isinstance(X, list | tuple) and all(isinstance(x, Delayed | Future) for x in X):
        if not X:
            raise ValueError("X is an empty list: it must contain delayed matrices.")
        return list(X)
    if not is_dask_collection(X) or not hasattr(X, "chunks"):
        message = (
            "X must be a Dask array (documents x words) whose blocks are CSR matrices "
            "or arrays, a list of delayed matrices (or futures), or a Dask bag of "
            f"matrices; got {type(X).__name__}."
        )
        if hasattr(X, "map_partitions"):  # of dask.dataframe
            texts = "X" if getattr(X, "ndim", 2) == 1 else "X['text']"
            message += (
                " Count the words of texts, a matrix for each partition: "
                f"[delayed({_COUNTS})(part) for part in {texts}.to_delayed()]. For a "
                "table of counts, pass X.to_dask_array()."
            )
        elif not is_dask_collection(X):
            message += (
                " For a matrix in memory, use the estimator of the same name in sklda, "
                "which to_local() returns after the fit."
            )
        raise TypeError(message)
    if X.ndim != 2:
        raise ValueError(f"X must have 2 dimensions, documents x words; got {X.ndim}.")
    return [
        row[0] if len(row) == 1 else delayed(join_columns)(list(row))
        for row in X.to_delayed()
    ]


def join_columns(blocks: list) -> Any:
    """Return blocks of the same documents side by side."""
    for i, block in enumerate(blocks):  # SciPy would take None for zeros
        check_is_matrix(block, f"a block with some columns of X (number {i})")
    blocks = [check_structure(block, "a block of X") for block in blocks]
    if any(map(sparse.issparse, blocks)):
        return sparse.hstack(blocks, format="csr")
    return np.hstack(blocks)


def stack_rows(rows: Any) -> Any:
    """Return the matrices of a partition of a bag as one."""
    rows = [rows] if rows is None else list(rows)
    if any(isinstance(row, str) for row in rows):
        raise ValueError(f"a partition of the bag contains texts. {_COUNT_BAG}")
    for row in rows:
        if len(getattr(row, "shape", ())) not in (1, 2):
            raise ValueError(
                f"a partition of the bag contains a {type(row).__name__}, but its "
                "items must be matrices of counts (documents x words), or rows of them."
            )
    rows = [check_structure(row, "an item of the bag") for row in rows]
    widths = {row.shape[-1] for row in rows}
    if len(widths) > 1:
        raise ValueError(f"a partition of the bag contains rows of widths {widths}")
    if not rows:
        return np.empty((0, 0))  # it says nothing about the number of words
    if any(map(sparse.issparse, rows)):
        return sparse.vstack(rows, format="csr")
    return np.vstack(rows)


def has_no_rows(block: Any, number: int) -> bool:
    """Return whether a block has no documents, which scikit-learn would refuse.

    Raises ValueError if it is no matrix, as None, which functions return by mistake.
    """
    if isinstance(block, list):
        return False
    check_is_matrix(block, f"Block {number} of X")
    return block.shape[0] == 0


def check_block(block: Any, number: int, estimator: Any) -> sparse.csr_array:
    """Return the counts of a block; errors name its number, counted from 0."""
    if has_no_rows(block, number):
        return sparse.csr_array((0, block.shape[1]))
    estimator = copy(estimator)  # which the threads of a worker share
    try:
        doc_ptr, word, token_ptr = check_corpus(estimator, block, reset=True)
    except (TypeError, ValueError) as error:
        # The message may recommend CVBLDA, which has no version for clusters.
        reason = str(error).partition("; or use CVBLDA")[0].removesuffix(".")
        raise type(error)(f"Block {number} of X: {reason}.") from error
    shape = doc_ptr.size - 1, estimator.n_features_in_
    return sparse.csr_array((np.diff(token_ptr), word, doc_ptr), shape=shape)


def block_sizes(block: sparse.csr_array) -> tuple[int, int, int]:
    """Return the numbers of documents, of words and of tokens."""
    return *block.shape, int(block.sum())


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


def _check_blocks(cluster, X, estimator) -> tuple[list[Future], np.ndarray]:
    """Check the blocks on the workers; return them, and `block_sizes` of each."""
    tasks, sizes = [], []
    for i, block in enumerate(blocks_of(X)):
        tasks.append(cluster.task(check_block, f"check-block-{i}", block, i, estimator))
        sizes.append(cluster.task(block_sizes, f"describe-block-{i}", tasks[-1]))
    futures = cluster.submit([*tasks, *sizes])
    sizes = np.array(cluster.gather(futures[len(tasks) :]), dtype=np.int64)
    widths = sizes[:, 1]
    known = np.flatnonzero(widths)
    deviating = known[widths[known] != widths[known[:1]]]
    if deviating.size > 0:
        raise ValueError(
            f"Block {deviating[0]} of X has {widths[deviating[0]]:,} words, but block "
            f"{known[0]} has {widths[known[0]]:,}: all blocks need the same columns. "
            f"Use one vocabulary, or HashingVectorizer, for all of them."
        )
    if sizes[:, 0].sum() == 0:
        raise ValueError("X has no documents: all of its blocks are empty.")
    return futures[: len(tasks)], sizes


def _size_and_digest(documents: PartDocuments) -> tuple[int, str]:
    """Return the number of tokens, and a digest of all words and counts."""
    # Equal counts in any form make equal arrays of a Corpus.
    return int(documents.corpus.token_ptr[-1]), digest(*documents.corpus)


def _cuts(cluster, blocks, sizes, n) -> list[int]:
    """Return the first document of each part, and the number of all."""
    n_documents, n_tokens = (starts(sizes[:, i]).tolist() for i in (0, 2))
    marks = cutting_marks(n_tokens[-1], n_documents[-1], n)
    # The block in which each mark falls; -1 is before all.
    block = np.searchsorted(n_tokens, marks) - 1
    where, tasks = np.unique(block[block >= 0]).tolist(), []
    for b in where:
        task = cluster.task(
            find_cuts,
            f"find-cuts-{n}-{b}",
            blocks[b],
            n_tokens[b],
            marks[block == b],
        )
        tasks.append(task)
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
