"""From what a user passes as X to partitions of about equal tokens on the workers."""

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

from sklda._core.corpus import (
    check_corpus,
    cutting_marks,
    slice_documents,
    tokens_before,
)
from sklda._core.problem import MAX_TOKENS, Corpus
from sklda.dask._cluster import Cluster
from sklda.dask._parts import Documents
from sklda.dask._storage import digest

_EXPECTED = (
    "a dask array of documents x words whose blocks are CSR matrices or arrays, a list "
    "of delayed matrices (or futures), or a dask bag of matrices"
)


class Checked(NamedTuple):
    """The documents of a block of X."""

    corpus: Corpus
    n_words: int


class Partitions(NamedTuple):
    """All documents, on the workers; and their numbers."""

    documents: list[Future]
    n_documents: list[int]
    n_tokens: list[int]
    digests: list[str]
    n_words: int


def blocks_of(X: Any) -> list[Any]:
    """Return the blocks of documents, one delayed matrix each.

    Raises
    ------
    TypeError
        If X is something else.
    ValueError
        If X is an array of another number of dimensions, or has no blocks.
    """
    if isinstance(X, Bag):
        return [delayed(stack)(rows) for rows in X.to_delayed()]
    if isinstance(X, list | tuple) and all(isinstance(x, Delayed | Future) for x in X):
        if not X:
            raise ValueError("X is an empty list: it must hold delayed matrices.")
        return list(X)
    if not is_dask_collection(X) or not hasattr(X, "chunks"):
        kind = type(X).__name__
        way = f"X must be {_EXPECTED}; got {kind}."
        if hasattr(X, "to_dask_array"):
            way += " Pass X.to_dask_array()."
        elif not is_dask_collection(X):
            way += " A matrix in memory is for the estimator of this name in sklda."
        raise TypeError(way)
    if X.ndim != 2:
        raise ValueError(f"X must have 2 dimensions, documents x words; got {X.ndim}.")
    return [
        row[0] if len(row) == 1 else delayed(join_columns)(list(row))
        for row in X.to_delayed()
    ]


def join_columns(blocks: list) -> Any:
    """Return blocks of the same documents side by side."""
    if any(map(sparse.issparse, blocks)):
        return sparse.hstack(blocks, format="csr")
    return np.hstack(blocks)


def stack(rows: Any) -> Any:
    """Return the matrices of a partition of a bag as one."""
    rows = list(rows)
    widths = {row.shape[-1] for row in rows}
    if len(widths) > 1:
        raise ValueError(f"a partition of the bag holds rows of widths {widths}")
    if not rows:
        return None  # it says nothing about the number of words
    if any(map(sparse.issparse, rows)):
        return sparse.vstack(rows, format="csr")
    return np.vstack(rows)


def check_block(block: Any, number: int, estimator: Any) -> Checked:
    """Return the documents of a block; errors name its number, counted from 0."""
    if block is None:
        return Checked(_no_documents(), -1)
    if getattr(block, "ndim", 2) == 2 and getattr(block, "shape", (1,))[0] == 0:
        return Checked(_no_documents(), block.shape[1])  # scikit-learn refuses it
    estimator = copy(estimator)  # the threads of a worker share what they are sent
    try:
        corpus = check_corpus(estimator, block, reset=True)
    except (TypeError, ValueError) as error:
        raise type(error)(f"Block {number} of X: {error}") from error
    return Checked(corpus, estimator.n_features_in_)


def _no_documents() -> Corpus:
    return Corpus(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(1, np.int64))


def describe(checked: Checked) -> tuple[int, int, int]:
    """Return the numbers of documents, of tokens and of words."""
    corpus = checked.corpus
    return corpus.doc_ptr.size - 1, int(corpus.token_ptr[-1]), checked.n_words


def find_cuts(checked: Checked, before: int, marks: np.ndarray) -> list[int]:
    """Return the first documents of a block that have so many tokens before them."""
    # The last may be the first of the next block.
    return np.searchsorted(tokens_before(checked.corpus) + before, marks).tolist()


def join(blocks: list[Checked], slices: list[tuple[int, int]], first: int) -> Documents:
    """Return the documents of slices of blocks; `first` is the number of the first."""
    corpora = [
        slice_documents(block.corpus, *documents)
        for block, documents in zip(blocks, slices, strict=True)
    ]
    corpus = Corpus(
        doc_ptr=_joined([c.doc_ptr for c in corpora]),
        word=np.concatenate([c.word for c in corpora]),
        token_ptr=_joined([c.token_ptr for c in corpora]),
    )
    return Documents(corpus, first)


def _joined(pointers: list[np.ndarray]) -> np.ndarray:
    """Return pointers into arrays as those into the arrays one after the other."""
    steps = np.concatenate([np.diff(pointer) for pointer in pointers])
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(steps)])


def _before(sizes: np.ndarray) -> list[int]:
    return [0, *np.cumsum(sizes).tolist()]


def check_blocks(
    cluster: Cluster, X: Any, estimator: Any
) -> tuple[list[Future], np.ndarray]:
    """Check the blocks on the workers; return them, and what `describe` says of each.

    Raises
    ------
    TypeError, ValueError
        As `blocks_of`; if a block holds values other than counts; if blocks differ in
        their numbers of words; or if X has no documents.
    """
    blocks = blocks_of(X)
    tasks = [
        cluster.task(check_block, f"check-block-{i}", block, i, estimator)
        for i, block in enumerate(blocks)
    ]
    told = [
        cluster.task(describe, f"describe-block-{i}", task)
        for i, task in enumerate(tasks)
    ]
    futures = cluster.submit([*tasks, *told])
    sizes = np.array(cluster.gather(futures[len(tasks) :]), dtype=np.int64)
    widths = sizes[:, 2]
    first = np.flatnonzero(widths >= 0)
    other = np.flatnonzero((widths >= 0) & (widths != widths[first[:1]].max(initial=0)))
    if other.size > 0:
        raise ValueError(
            f"Block {other[0]} of X has {widths[other[0]]:,} words, but block "
            f"{first[0]} has {widths[first[0]]:,}: all blocks need the same columns. "
            f"Use one vocabulary, or HashingVectorizer, for all of them."
        )
    if sizes[:, 0].sum() == 0:
        raise ValueError("X has no documents: all of its blocks are empty.")
    return futures[: len(tasks)], sizes


def partition(
    cluster: Cluster, checked: list[Future], sizes: np.ndarray, n: int
) -> Partitions:
    """Cut the documents into n partitions of about equal tokens; fewer if few.

    The cuts are those of `sklda._core.corpus.ranges`, so that a shard has the same
    documents as on one machine.
    """
    cuts = _cuts(cluster, checked, sizes, n)
    before, tasks = _before(sizes[:, 0]), []
    for i, (first, last) in enumerate(pairwise(cuts)):
        pieces = [
            (block, (max(first, begin) - begin, min(last, end) - begin))
            for block, (begin, end) in zip(checked, pairwise(before), strict=True)
            if first < end and last > begin
        ]
        blocks, slices = map(list, zip(*pieces, strict=True))
        tasks.append(cluster.task(join, f"documents-{i}", blocks, slices, first))
    documents = cluster.spread(tasks)
    told = [cluster.task(_tell, f"tokens-{i}", one) for i, one in enumerate(documents)]
    n_tokens, digests = map(
        list, zip(*cluster.gather(cluster.submit(told)), strict=True)
    )
    if max(n_tokens) > MAX_TOKENS:
        raise ValueError(
            f"A partition has {max(n_tokens):,} tokens, above the limit of "
            f"{MAX_TOKENS:,}: cut X into more partitions (n_shards or n_partitions; "
            f"now {len(tasks)})."
        )
    n_words = int(sizes[:, 2].max())
    return Partitions(documents, np.diff(cuts).tolist(), n_tokens, digests, n_words)


def _tell(documents: Documents) -> tuple[int, str]:
    """Return the number of tokens, and a digest of all words and counts."""
    # A Corpus is the same for all forms of the same counts.
    return int(documents.corpus.token_ptr[-1]), digest(*documents.corpus)


def _cuts(cluster, checked, sizes, n) -> list[int]:
    """Return the first document of each partition, and the number of all."""
    n_documents, n_tokens = _before(sizes[:, 0]), _before(sizes[:, 1])
    marks = cutting_marks(n_tokens[-1], n_documents[-1], n)
    # The block in which as many tokens are reached first.
    block = np.searchsorted(n_tokens, marks) - 1
    found: dict[int, Any] = {}
    for b in np.unique(block[block >= 0]).tolist():
        name = f"find-cuts-{b}"
        found[b] = cluster.task(
            find_cuts, name, checked[b], n_tokens[b], marks[block == b]
        )
    futures = dict(zip(found, cluster.submit(list(found.values())), strict=True))
    cuts = [0] * int((block < 0).sum())
    for b, future in futures.items():
        (inside,) = cluster.gather([future])
        cuts += [n_documents[b] + document for document in inside]
    return sorted({0, *cuts, n_documents[-1]})
