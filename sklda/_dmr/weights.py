"""The weights of covariates: their prior, and draws given the topics of the tokens."""

from typing import NamedTuple

import numpy as np

from sklda._core.corpus import document_lengths, tokens_before
from sklda._core.problem import Corpus, padded
from sklda._dmr.kernels.terms import count_terms, fill_cells, fill_terms
from sklda._dmr.kernels.weights import Room, Rows, Terms, draw_weights, set_alpha


class Design(NamedTuple):
    """The distinct rows of covariates, standardised, and the row of each document."""

    x: np.ndarray  # (n_rows, n_weights), a column of 1 first
    row: np.ndarray  # (n_docs,) int32


class NormalPrior(NamedTuple):
    """The normal prior of the weights of a topic; they are independent."""

    centre: np.ndarray  # (n_weights,), 0 but for the intercept
    scale: np.ndarray  # (n_weights,), standard deviations


class WeightSampler:
    """Draws of the weights of all topics given the topics of the tokens."""

    def __init__(
        self, design: Design, corpus: Corpus, prior: NormalPrior, n_topics: int
    ) -> None:
        self.before = tokens_before(corpus)
        lengths = document_lengths(corpus)
        self.order = np.argsort(design.row, kind="stable")
        self.ordered_rows = design.row[self.order]
        most = np.minimum(lengths, n_topics).sum()
        self.cells = np.empty(most, np.uint16), np.empty(most, np.int32)
        n_rows, n_weights = design.x.shape
        shape = n_topics, n_rows
        alpha = np.empty(shape), np.empty(shape), np.empty(n_rows)
        self.rows = Rows(design.x, prior.centre, prior.scale, *alpha)
        self.of_documents = _terms_of_documents(design.row, lengths)

    def draw(self, weights: np.ndarray, z: np.ndarray, rng: np.ndarray) -> np.ndarray:
        """Draw the weights of each topic, (n_topics, n_weights), in place.

        Return the evaluations of the likelihood, (n_topics,).
        """
        start, terms = self._terms_of_topics(z, len(weights))
        n_rows, n_weights = self.rows.x.shape
        most = max(self.of_documents.row.size, np.diff(start).max())
        sizes = n_weights, n_rows, n_rows, n_rows, most
        room = Room(*(np.empty(size) for size in sizes))
        set_alpha(weights, self.rows)
        n_evaluations = np.zeros(len(weights), np.int64)
        for k in range(len(weights)):
            own = Terms(*(values[start[k] : start[k + 1]] for values in terms))
            n_evaluations[k] = draw_weights(
                k, weights, self.rows, self.of_documents, own, room, rng
            )
        return n_evaluations

    def _terms_of_topics(self, z, n_topics) -> tuple[np.ndarray, Terms]:
        """Return the terms of all topics, and where those of each topic start."""
        doc_ptr = np.empty(self.order.size + 1, np.int64)
        fill_cells(self.order, self.before, z, doc_ptr, *self.cells)
        start = np.empty(n_topics + 1, np.int64)
        count_terms(self.ordered_rows, doc_ptr, self.cells[0], start)
        terms = _no_terms(start[-1])
        fill_terms(self.ordered_rows, doc_ptr, *self.cells, start, terms)
        return start, terms


def _no_terms(n: int) -> Terms:
    """Return terms that add up to 0."""
    return Terms(np.zeros(n, np.int32), np.ones(n), np.zeros(n))


def _terms_of_documents(row: np.ndarray, lengths: np.ndarray) -> Terms:
    """Return the terms of Gamma(A_d) / Gamma(A_d + N_d), those that are equal as one.

    Empty documents have none.
    """
    pairs = np.column_stack([row, lengths])[lengths > 0]
    pairs, n_docs = np.unique(pairs, axis=0, return_counts=True)
    rows, of_row = np.unique(pairs[:, 0], return_inverse=True)
    per_row = np.bincount(of_row, n_docs, rows.size)
    n = rows.size + len(pairs)
    terms = _no_terms(padded(n))
    terms.row[:n] = np.concatenate([rows, pairs[:, 0]])
    terms.n[:n] = np.concatenate([np.zeros(rows.size), pairs[:, 1]])
    terms.factor[:n] = np.concatenate([per_row, -n_docs])
    return terms
