"""What is kept of the samples of a chain: sums, estimates made of these, and draws.

A document has a few of the topics, and so has a word. Sums of counts have little more,
so their entries above 0 (`SparseRows`) take far less memory than a matrix does. With
n_wk and n_dk summed over S kept samples, and alpha and beta the same in all,

    components_kw = n_wk / S + beta,    theta_dk = (n_dk / S + alpha_k) / (N_d + A),

where N_d is the length of document d and A the sum of alpha. If alpha is sampled, the
sums are those of n_dk / (N_d + A), and theta adds the mean of alpha_k / (N_d + A).

A draw is a single sample, as counts without zeros.

While samples are added, sums of up to `_SMALL_TABLE` numbers are in a table, because
adding to it takes a fraction of the time: a few percent of a sweep.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy import sparse

from sklda._data.corpus import (
    Corpus,
    document_lengths,
    numbers_of_ranges,
    ranges,
    starts,
    tokens_before,
)
from sklda._data.notices import check_memory
from sklda._engine.kernels.kept_sums import (
    add_document_counts,
    add_entries,
    add_samples,
)
from sklda._estimators.base import BaseTopicModel
from sklda._fitted.fitted_topics import snapshot
from sklda._fitted.posterior_draws import PosteriorDraws
from sklda._sampling.doc_topic_counts import word_topic_entries
from sklda._sampling.problem import Counts, Problem, count_type, padded, word_tokens
from sklda._sampling.sampler import SampledPrior
from sklda._sampling.schedule import Schedule

_CHUNK_ENTRIES = 2**18  # of a matrix, with its zeros, at a time


class SparseRows(NamedTuple):
    """Rows of a matrix without its zeros, in the narrowest types that hold them."""

    size: np.ndarray  # (n_rows,), entries of each row
    topic: np.ndarray  # (n_entries,)
    value: np.ndarray  # (n_entries,), float64 unless all are whole numbers

    def matrix(self, n_topics: int) -> sparse.csr_array:
        """Return the rows as a matrix of float64, topics in the order of the rows."""
        cells = self.value.astype(np.float64), self.topic.astype(np.int32)
        shape = self.size.size, n_topics
        return sparse.csr_array((*cells, starts(self.size)), shape=shape)

    def take(self, rows: np.ndarray) -> Self:
        """Return some rows."""
        size, start = self.size[rows], starts(self.size)
        entries = numbers_of_ranges(start[rows], size.astype(np.int64))
        return type(self)(size, self.topic[entries], self.value[entries])

    def dense(self, n_topics: int) -> np.ndarray:
        """Return all rows as an array of float64, (n_rows, n_topics)."""
        return self.matrix(n_topics).toarray()


def row_chunks(
    n_rows: int, n_topics: int, n_entries: int = _CHUNK_ENTRIES
) -> Iterator[tuple[int, int]]:
    """Yield the first and the end of chunks of rows that take little memory."""
    step = max(1, n_entries // n_topics)
    return ((first, min(first + step, n_rows)) for first in range(0, n_rows, step))


def narrow(numbers: np.ndarray) -> np.ndarray:
    """Return whole numbers in the type that takes least memory; others in theirs."""
    if np.issubdtype(numbers.dtype, np.floating):
        return numbers.copy()
    return numbers.astype(np.min_scalar_type(numbers.max(initial=0)))


def narrow_rows(start: np.ndarray, *entries: np.ndarray) -> SparseRows:
    """Return rows of topics and values, which begin where `start` says."""
    chosen = slice(start[0], start[-1])
    return SparseRows(narrow(np.diff(start)), *(narrow(a[chosen]) for a in entries))


def add_to_rows(
    sums: list[SparseRows],
    i: int,
    samples: tuple[np.ndarray, np.ndarray, np.ndarray | int],
    n_topics: int,
    scale: np.ndarray | int = 1,
) -> None:
    """Add counts, times the scale of their row, to chunk i of sums; see `add_samples`.

    The list changes, but none of its arrays. A chunk that is not there yet is 0.
    """
    first = np.atleast_2d(samples[0])
    n_rows, kind = first.shape[1] - 1, np.result_type(np.int64, scale)
    nothing = np.zeros(n_rows, np.uint8), *np.zeros((2, 0), np.uint8)
    size, topic, value = sums[i] if i < len(sums) else nothing
    most = topic.size + int((first[:, -1] - first[:, 0]).sum())
    most = min(most, n_rows * n_topics)
    entries = np.empty(most, np.uint16), np.empty(most, kind)
    new = np.zeros(n_rows + 1, np.int64), *entries
    old = starts(size), topic.astype(np.uint16), value.astype(kind)
    add_samples(old, first, *samples[1:], scale, padded(n_topics), new)
    sums[i : i + 1] = [narrow_rows(*new)]


def joined(chunks: Iterable[SparseRows]) -> SparseRows:
    """Return rows in one piece."""
    return SparseRows(*map(np.concatenate, zip(*chunks, strict=True)))


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
        for first, last in row_chunks(sums.n_words, n_topics):
            words = np.arange(first, last)
            rows = sums._with_beta(counts.take(words).dense(n_topics), words)
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
        if name not in place and place is known:
            kind = type(estimator).__name__
            raise AttributeError(f"{kind!r} object has no attribute {name!r}")
        if name not in place:
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


class BaseMeans(BaseTopicModel):
    """Estimators whose topics and proportions are means over kept samples."""

    _add_priors: ClassVar[AddPriors]  # to theta
    # "sums", as plain tuples, which can be stored without any type of this package; and
    # the array, if it was read.
    _topic_sums: dict[str, Any]
    _document_sums: dict[str, Any]
    _made_of: ClassVar[dict[str, str]] = BaseTopicModel._made_of | _SOURCES

    components_ = made_when_read("components_")
    doc_topic_ = made_when_read("doc_topic_")

    def _made(self, name: str) -> np.ndarray:
        """Return an estimate, made of the sums."""
        if name == "components_":
            return self._sums_of_topics().components()
        return self._sums_of_documents().theta(type(self)._add_priors)

    def _sums_of_topics(self) -> TopicSums:
        counts, *more = self._topic_sums["sums"]
        return TopicSums(SparseRows(*counts), *more)

    def _sums_of_documents(self) -> DocumentSums:
        counts, *more = self._document_sums["sums"]
        return DocumentSums(SparseRows(*counts), *more)

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
    def _topic_shape(self) -> tuple[int, int]:
        if not self._reads_sums("components_"):
            return super()._topic_shape
        sums = self._sums_of_topics()
        return sums.n_topics, sums.n_words

    def _phi(self, words: np.ndarray) -> np.ndarray:
        if not self._reads_sums("components_"):
            return super()._phi(words)
        return self._sums_of_topics().phi(words)

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
        return fitted._sums_of_topics().means(), fitted._sums_of_documents().shares()


def _plain(sums: TopicSums | DocumentSums) -> tuple:
    return tuple(sums.counts), *sums[1:]


_CHUNK_TOKENS = 2**18  # of documents whose counts are added at a time
_CHUNK_SUMS = 2**20  # of words, with the zeros, whose counts are added at a time
_SMALL_TABLE = 2**22  # sums, with the zeros: 16 MB

# Rows in chunks; or a table, if it is small, to which samples are added in less time.
Sums = list[SparseRows] | np.ndarray


class KeptSums:
    """The sums of the kept samples: word-topic and document-topic counts."""

    def __init__(self) -> None:
        self.word_topic: Sums = []
        self.doc_topic: Sums = []
        self.n_kept = 0

    def add(
        self,
        problem: Problem[Corpus],
        z: np.ndarray,
        counts: Counts,
        alpha_sum: float | np.ndarray | None,
    ) -> None:
        """Add one sample; n_dk / (n_d + alpha_sum) for n_dk where alpha is sampled."""
        self.n_kept += 1
        n_docs, n_topics = problem.corpus.doc_ptr.size - 1, problem.n_topics
        kind = count_type(self.n_kept * z.size)
        self.word_topic = _open(self.word_topic, (problem.n_words, n_topics), kind)
        add_word_sample(self.word_topic, counts.word_topic, n_topics)
        kind = kind if alpha_sum is None else np.float64
        self.doc_topic = _open(self.doc_topic, (n_docs, n_topics), kind)
        add_document_sample(self.doc_topic, problem, z, alpha_sum)

    def close(self) -> None:
        """Turn tables into rows, which never change."""
        self.word_topic = _closed(self.word_topic)
        self.doc_topic = _closed(self.doc_topic)

    def attributes(
        self, problem: Problem[Corpus], prior: SampledPrior | None
    ) -> dict[str, Any]:
        """Return the attributes of which estimates are made.

        The problem has the means of the priors that are sampled.
        """
        self.close()
        counts, n_topics = joined(self.word_topic), problem.n_topics
        topics = TopicSums.of(counts, self.n_kept, n_topics, problem.beta)
        lengths = document_lengths(problem.corpus)
        documents = DocumentSums(
            counts=joined(self.doc_topic),
            n_kept=self.n_kept,
            n_topics=n_topics,
            lengths=narrow(lengths),
            alpha=problem.doc_topic_prior if prior is None else None,
            kept_priors=None if prior is None else prior.kept_values(),
        )
        return {
            "_topic_sums": {"sums": _plain(topics)},
            "_document_sums": {"sums": _plain(documents)},
        }


def _open(sums: Sums, shape: tuple[int, int], kind: type) -> Sums:
    """Return sums as a table if it is small."""
    if shape[0] * shape[1] > _SMALL_TABLE:
        return sums
    if isinstance(sums, list):
        sums = joined(sums).dense(shape[1]) if sums else np.zeros(shape, kind)
    return sums.astype(kind, copy=False)


def _closed(sums: Sums) -> list[SparseRows]:
    """Return sums as rows."""
    if isinstance(sums, list):
        return sums
    chunks = (sparse.csr_array(sums[slice(*rows)]) for rows in row_chunks(*sums.shape))
    return [narrow_rows(rows.indptr, rows.indices, rows.data) for rows in chunks]


def add_word_sample(sums: Sums, word_topic: Any, n_topics: int) -> None:
    """Add the word-topic counts of a sample, in place."""
    if isinstance(sums, np.ndarray) and isinstance(word_topic, np.ndarray):
        sums += word_topic[:, :n_topics]
    elif isinstance(sums, np.ndarray):
        add_entries(*word_topic_entries(word_topic), sums)
    else:
        chunks = row_chunks(len(word_topic), n_topics, _CHUNK_SUMS)
        for i, words in enumerate(chunks):
            entries = word_topic_entries(word_topic, slice(*words))
            add_to_rows(sums, i, entries, n_topics)


def add_document_sample(
    sums: Sums,
    problem: Problem[Corpus],
    z: np.ndarray,
    alpha_sum: float | np.ndarray | None,
) -> None:
    """Add the document-topic counts of a sample, scaled if there is `alpha_sum`."""
    before = tokens_before(problem.corpus)
    scale = 1 if alpha_sum is None else 1 / (np.diff(before) + alpha_sum)
    if isinstance(sums, np.ndarray):
        counts = sums if alpha_sum is None else np.zeros(sums.shape, np.int32)
        add_document_counts(before, z, problem.n_lanes, counts)
        if alpha_sum is not None:
            sums += counts * scale[:, np.newaxis]
        return
    n_chunks = 1 + int(before[-1]) // _CHUNK_TOKENS
    for i, (first, last) in enumerate(ranges(before, n_chunks)):
        tokens = before[first : last + 1], z, 1
        factor = scale if alpha_sum is None else scale[first:last]
        add_to_rows(sums, i, tokens, problem.n_topics, factor)


class Draw(NamedTuple):
    """One sample: topic and count of every count above 0, row after row.

    The counts of a row add up to its tokens, so the rows need no pointers.
    """

    sweep: int
    doc_topic_prior: np.ndarray
    topic_word_prior: float | np.ndarray
    doc_topic: tuple[np.ndarray, np.ndarray]
    word_topic: tuple[np.ndarray, np.ndarray]


def draw_of(
    problem: Problem[Corpus], z: np.ndarray, counts: Counts, sweep: int
) -> Draw:
    """Return the present sample of a chain."""
    words: list[SparseRows] = []
    documents: list[SparseRows] = []
    add_word_sample(words, counts.word_topic, problem.n_topics)
    add_document_sample(documents, problem, z, None)
    cells = (joined(rows)[1:] for rows in (documents, words))
    return Draw(sweep, problem.doc_topic_prior, problem.beta, *cells)


def posterior_draws(chain: Any) -> PosteriorDraws | None:
    """Return the draws of a chain as users get them; None if it kept no draws."""
    problem, draws, prior = chain.problem, list(chain.draws), chain.prior
    if not draws:
        return None
    alpha, beta = problem.doc_topic_prior, problem.beta
    if prior is not None:
        alpha = np.array([draw.doc_topic_prior for draw in draws])
        if "topic_word_prior" in prior.scalars():
            beta = np.array([draw.topic_word_prior for draw in draws])
    return PosteriorDraws(
        sweeps=np.array([draw.sweep for draw in draws], dtype=np.int64),
        doc_topic_prior=alpha,
        topic_word_prior=beta,
        learned_alpha=np.reshape(
            [update.alpha for update in chain.prior_updates], (-1, problem.n_topics)
        ),
        _prior_row=problem.prior_row,
        _doc_ends=tokens_before(problem.corpus)[1:],
        _word_ends=np.cumsum(word_tokens(problem).astype(np.int64)),
        _doc_topic=[draw.doc_topic for draw in draws],
        _word_topic=[draw.word_topic for draw in draws],
    )


def most_bytes(problem: Problem[Corpus]) -> int:
    """Return the memory that one draw can take, whatever the topics of the tokens."""
    total = 0
    frequencies = word_tokens(problem).astype(np.int64)
    for tokens in (document_lengths(problem.corpus), frequencies):
        width = np.min_scalar_type(tokens.max(initial=0)).itemsize
        cells = int(np.minimum(tokens, problem.n_topics).sum())
        total += cells * (np.dtype(np.uint16).itemsize + width)
    return total


def check_keep_draws(
    keep_draws: int,
    schedule: Schedule,
    problem: Problem[Corpus],
    n_before: int = 0,
    n_chains: int = 1,
) -> int:
    """Return how many kept samples there are from one draw to the next.

    Draws should be far apart, since neighbours say nearly the same. The fits before
    have left `n_before` samples, unless a burn-in ends them.

    Raises
    ------
    ValueError, MemoryError
        If a fit has fewer samples than `keep_draws`, or memory does not hold as many.
    """
    if keep_draws == 0:
        return 1
    n_before = n_before if schedule.burn_in == 0 else 0
    if keep_draws > schedule.n_kept + n_before:
        before = f", and {n_before} of earlier fits" if n_before > 0 else ""
        max_iter, burn_in, thin = schedule[:3]
        longer = burn_in + (keep_draws - n_before) * thin
        raise ValueError(
            f"keep_draws={keep_draws} exceeds the number of kept samples, "
            f"{schedule.n_kept}: every thin={thin}-th of the sweeps between burn_in="
            f"{burn_in} and max_iter={max_iter}{before}. Set a smaller thin, or "
            f"burn_in={burn_in} with max_iter={longer}."
        )
    chains = f" of {n_chains} chains" if n_chains > 1 else ""
    check_memory(
        n_chains * keep_draws * most_bytes(problem),
        f"The draws that keep_draws={keep_draws}{chains} keeps",
        "keep fewer draws",
    )
    return max(1, schedule.n_kept // keep_draws)
