"""Estimates of topics and documents, made from the sums of the kept samples.

With n_wk and n_dk summed over S kept samples, and alpha and beta the same in all,

    components_kw = n_wk / S + beta,    theta_dk = (n_dk / S + alpha_k) / (N_d + A),

where N_d is the length of document d and A the sum of alpha. If alpha is sampled, the
sums are those of n_dk / (N_d + A), and theta adds the mean of alpha_k / (N_d + A).
"""

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy import sparse

from sklda._base.estimator import BaseTopicModel
from sklda._base.fitted_topics import snapshot
from sklda._core.sparse_sums import SparseRows

# Adds the mean of alpha / (length + sum of alpha) over the kept samples to theta, in
# place, given theta, what is kept of the prior, and the lengths of the documents.
AddPriors = Callable[[np.ndarray, Any, np.ndarray], None]


class TopicSums(NamedTuple):
    """The word-topic counts of one chain, summed over its kept samples."""

    counts: SparseRows  # of n_words rows
    n_kept: int
    n_topics: int
    beta: float | np.ndarray
    totals: np.ndarray  # (n_topics,), of `components` over the words

    @classmethod
    def of(
        cls, counts: SparseRows, n_kept: int, n_topics: int, beta: float | np.ndarray
    ) -> Self:
        """Return the sums with their totals."""
        sums = cls(counts, n_kept, n_topics, beta, np.zeros(n_topics))
        totals = sums.totals
        for words, table in counts.chunks(n_topics):
            rows = sums._with_beta(table, words)
            rows[0] += totals
            totals = rows.sum(axis=0)
        return sums._replace(totals=totals)

    @property
    def n_words(self) -> int:
        """Return V."""
        return self.counts.size.size

    def components(self) -> np.ndarray:
        """Return the mean counts plus beta, (n_topics, n_words)."""
        table = self.counts.dense(self.n_topics)
        return self._with_beta(table, slice(None)).T

    def phi(self, words: np.ndarray) -> np.ndarray:
        """Return the probabilities of some words in the topics, (n, n_topics).

        Memory: the result, and little more.
        """
        table = self.counts.take(words).dense(self.n_topics)
        phi = self._with_beta(table, words)
        phi /= self.totals
        return phi

    def _with_beta(self, table: np.ndarray, words: np.ndarray | slice) -> np.ndarray:
        """Turn the sums of some words, in place, into mean counts plus beta."""
        table /= self.n_kept
        table += np.transpose(self.beta)[words] if np.ndim(self.beta) else self.beta
        return table

    def means(self) -> sparse.csr_array:
        """Return the mean counts, (n_topics, n_words)."""
        return (self.counts.matrix(self.n_topics) / self.n_kept).T.tocsr()


class DocumentSums(NamedTuple):
    """The document-topic counts of one chain, summed over its kept samples."""

    counts: SparseRows  # n_dk; or n_dk / (N_d + A), if alpha is sampled
    n_kept: int
    n_topics: int
    lengths: np.ndarray  # (n_docs,), tokens
    alpha: np.ndarray | None  # (n_topics,), unless it is sampled
    kept_priors: Any  # of sampled alpha: what tells it in each sample

    def theta(self, add_priors: AddPriors) -> np.ndarray:
        """Return the mean topic proportions, (n_docs, n_topics)."""
        theta = self.counts.dense(self.n_topics)
        theta /= self.n_kept
        if self.alpha is None:
            add_priors(theta, self.kept_priors, self.lengths)
            return theta
        theta += self.alpha
        theta /= (self.lengths + self.alpha.sum())[:, np.newaxis]
        return theta

    def shares(self) -> sparse.csr_array:
        """Return theta without the share of alpha, (n_docs, n_topics)."""
        shares = self.counts.matrix(self.n_topics) / self.n_kept
        if self.alpha is not None:
            mass = self.lengths + self.alpha.sum()
            shares.data /= np.repeat(mass, self.counts.size)
        shares.sort_indices()
        return shares


# The attributes with the sums of a fit, of which estimates are made.
_SOURCES = {"components_": "_topic_sums", "doc_topic_": "_document_sums"}


def made_when_read(name: str) -> Any:
    """Return a property: an array that is made of sums when it is first read.

    The array is kept beside the sums, so it goes with the fit, and takes their place,
    because users may edit it. What they assign is in ``__dict__``, as without property.
    """
    source = _SOURCES[name]

    def read(estimator: Any) -> Any:
        known = vars(estimator)
        place = known.get(source, known)
        if name not in place:
            if place is known:
                raise AttributeError(
                    f"{type(estimator).__name__!r} object has no attribute {name!r}"
                )
            place.setdefault(name, estimator._made(name))  # unless a thread was first
        return place[name]

    def assign(estimator: Any, value: Any) -> None:
        vars(estimator)[name] = value
        vars(estimator).pop(source, None)

    def delete(estimator: Any) -> None:
        known = vars(estimator)
        if not [known.pop(key) for key in (name, source) if key in known]:
            raise AttributeError(name)

    return property(read, assign, delete)


def concatenated(arrays: list[np.ndarray], axis: int) -> np.ndarray:
    """Return arrays one after the other; a single one as it is."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays, axis=axis)


class BaseMeans(BaseTopicModel):
    """Estimators whose topics and proportions are means over kept samples."""

    _add_priors: ClassVar[AddPriors]  # to theta
    # "chains": the sums of each chain, as plain tuples, which can be stored without any
    # type of this package; and the array, if it was read.
    _topic_sums: dict[str, Any]
    _document_sums: dict[str, Any]
    _made_of: ClassVar[dict[str, str]] = BaseTopicModel._made_of | _SOURCES

    components_ = made_when_read("components_")
    doc_topic_ = made_when_read("doc_topic_")

    def _made(self, name: str) -> np.ndarray:
        """Return an estimate, made of the sums."""
        if name == "components_":
            parts = [sums.components() for sums in self._sums_of_topics()]
            return concatenated(parts, axis=0)
        add_priors = type(self)._add_priors
        parts = [sums.theta(add_priors) for sums in self._sums_of_documents()]
        return concatenated(parts, axis=1)

    def _sums_of_topics(self) -> list[TopicSums]:
        chains = self._topic_sums["chains"]
        return [TopicSums(SparseRows(*counts), *more) for counts, *more in chains]

    def _sums_of_documents(self) -> list[DocumentSums]:
        chains = self._document_sums["chains"]
        return [DocumentSums(SparseRows(*counts), *more) for counts, *more in chains]

    def _reads_sums(self, name: str) -> bool:
        """Return whether the sums give an estimate, and no array takes their place."""
        is_own = getattr(type(self), name) is getattr(BaseMeans, name)
        return is_own and name not in vars(self).get(_SOURCES[name], {name})

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the arrays that were read, unless they were edited."""
        state = super().__getstate__()
        for name, source in _SOURCES.items():
            if source in state:  # another thread may read the array meanwhile
                sums = state[source] = dict(state[source])
                if name in sums and np.array_equal(sums[name], self._made(name)):
                    del sums[name]
        return state

    def __copy__(self) -> Self:
        """Return a copy with the same arrays, which keeps to itself what it makes."""
        other = type(self).__new__(type(self))
        vars(other).update(vars(self))
        for source in _SOURCES.values() & vars(other).keys():
            vars(other)[source] = dict(vars(other)[source])
        return other

    @property
    def _n_topics(self) -> int:
        if not self._reads_sums("components_"):
            return super()._n_topics
        return sum(sums.n_topics for sums in self._sums_of_topics())

    @property
    def _n_words(self) -> int:
        if not self._reads_sums("components_"):
            return super()._n_words
        return self._sums_of_topics()[0].n_words

    def _phi(self, words: np.ndarray, model: slice) -> np.ndarray:
        if not self._reads_sums("components_"):
            return super()._phi(words, model)
        models = self._sums_of_topics()
        first, last, _ = model.indices(self._n_topics)
        size = models[0].n_topics  # models are as large as each other
        phi = [sums.phi(words) for sums in models[first // size : -(-last // size)]]
        return concatenated(phi, axis=1)

    def sparse_estimates(self) -> tuple[sparse.csr_array, sparse.csr_array]:
        """Return `components_` and `doc_topic_` without the priors, as sparse matrices.

        A document has tokens in few topics, and so has a word. So this takes a fraction
        of the memory of the attributes, which are made when they are first read.

        Returns
        -------
        components : csr_array of shape (n_topics, n_features_in_)
            Expected number of tokens of each word in each topic: `components_` without
            beta.
        doc_topic : csr_array of shape (n_documents, n_topics)
            `doc_topic_` without the share of the prior. For a document of N tokens and
            A, the sum of alpha, this share is alpha / (N + A), and the row sums to
            N / (N + A).

        Raises
        ------
        NotFittedError
            Before fit.
        ValueError
            If one of the attributes is not that of fit, because it was assigned, edited
            or deleted.

        Notes
        -----
        Memory: 12 bytes per entry, and 4 per row. An attribute that was read is made
        again, to see whether it was edited.
        """
        fitted = snapshot(self)
        vars(fitted).update(fitted.__getstate__())
        if not all(map(fitted._reads_sums, _SOURCES)):
            raise ValueError(
                "components_ or doc_topic_ is not that of fit, but assigned, edited, "
                "overridden or deleted: fit again, or convert the arrays by "
                "scipy.sparse.csr_array."
            )
        components = [sums.means() for sums in fitted._sums_of_topics()]
        shares = [sums.shares() for sums in fitted._sums_of_documents()]
        return sparse.vstack(components, "csr"), sparse.hstack(shares, "csr")


def sum_attributes(topics: TopicSums, documents: DocumentSums) -> dict[str, Any]:
    """Return the attributes of which estimates are made, with the sums of one chain."""
    return {
        "_topic_sums": {"chains": (_plain(topics),)},
        "_document_sums": {"chains": (_plain(documents),)},
    }


def _plain(sums: TopicSums | DocumentSums) -> tuple:
    return tuple(sums.counts), *sums[1:]
