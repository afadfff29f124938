"""The sampler of MedLDA: auxiliary variables, topics and weights in turn.

Zhu, Chen, Perkins & Zhang, "Gibbs max-margin topic models with data augmentation",
JMLR 2014. A document d has the factor exp(-loss) for each task t. The loss is a sum of
hinges of the score s_dt = sum_k eta_kt zbar_dk, where zbar are topic proportions among
tokens and eta the weights of the topics. For any x and c > 0 (Polson & Scott, 2011)

    exp(-2 c max(0, x)) = integral over xi of exp(-c x - c^2 xi x^2 / 2) f(xi).

So given xi, a document has the Gaussian factor exp(a s - b s^2 / 2); given x, xi is
inverse Gaussian with mean 1 / (c |x|) and shape 1. A sweep of `MaxMargin` draws

1. xi of each document and task given its score (`Hinge`, `EpsilonInsensitive`),
2. the topics of all tokens given these factors, which tilt them (`LabelledTopics`),
3. the weights, which are Gaussian given the topics and the factors.

`SampledWeights` keeps the weights and the loss of a chain. Shards of the documents take
steps 1 and 2 side by side. Given the topics, the weights of a task depend on no other
task, so tasks go side by side, too. No sum depends on the number of threads.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from sklda._data.corpus import (
    Corpus,
    document_lengths,
    kernel_parts,
    ranges,
    some_documents,
)
from sklda._engine.sharded import Sharded, shards_of_documents
from sklda._medlda.kernels import gibbs, light
from sklda._medlda.kernels.labels import (
    ByTopic,
    LabelFactors,
    add_factors,
    draw_gaussian,
    fill_normal,
    fill_proportions,
    fill_scores,
    fill_xi,
    resample_one_by_one,
)
from sklda._sampling.problem import Counts, Problem, ProblemOfCells, word_tokens
from sklda._sampling.random_streams import WEIGHTS, RandomStreams
from sklda._sampling.sampler import SampledParameters, Sampler, SweepInfo
from sklda._sampling.threads import Threads
from sklda._tables import rows


class Hinge(NamedTuple):
    """Loss 2 C w max(0, 1 - y s) of targets w y, with y = -1 or 1 and w > 0."""

    C: float
    unit = 1.0  # of scores

    def augment(
        self, targets: np.ndarray, scores: np.ndarray, rng: RandomStreams
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw xi given 1 - y s; return a and b of exp(a s - b s^2 / 2)."""
        y, C = np.sign(targets), self.C * abs(targets)
        xi = draw_xi(C * abs(1 - y * scores), rng)
        return C * y * (1 + C * xi), C**2 * xi

    def __call__(self, targets: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Return w max(0, 1 - y s), without the factor 2 C."""
        return abs(targets) * np.maximum(0, 1 - np.sign(targets) * scores)


class EpsilonInsensitive(NamedTuple):
    """Loss 2 C max(0, |y - s| - epsilon): a hinge on either side of y."""

    C: float
    epsilon: float
    unit: float = 1.0  # of y and s, in that of the numbers to predict

    def augment(
        self, targets: np.ndarray, scores: np.ndarray, rng: RandomStreams
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw xi of both hinges, whose linear terms cancel; return a and b."""
        low, high = targets - self.epsilon, targets + self.epsilon
        xi_low = draw_xi(self.C * abs(low - scores), rng)
        xi_high = draw_xi(self.C * abs(scores - high), rng)
        slope = self.C**2 * (xi_low * low + xi_high * high)
        return slope, self.C**2 * (xi_low + xi_high)

    def __call__(self, targets: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Return max(0, |y - s| - epsilon), without the factor 2 C."""
        return np.maximum(0, abs(targets - scores) - self.epsilon)


Loss = Hinge | EpsilonInsensitive  # targets and scores are (n_docs, n_tasks)


class Tasks(NamedTuple):
    """What a fit makes of y."""

    loss: Loss
    targets: np.ndarray  # (n_docs, n_tasks) float64
    attributes: dict[str, Any]  # fitted attributes that depend on y alone


def draw_xi(c_x: np.ndarray, rng: RandomStreams) -> np.ndarray:
    """Draw from inverse Gaussians with means 1 / c_x and shape 1; c_x may be 0."""
    xi = np.empty(c_x.shape)
    fill_xi(np.ascontiguousarray(c_x), xi, rng.kernel)
    return xi


class SampledWeights(SampledParameters):
    """The weights, which `MaxMargin` draws after the topics of each sweep."""

    def __init__(self, tasks: Tasks, prior_precision: float, n_topics: int) -> None:
        self.tasks, self.prior_precision = tasks, prior_precision
        # Of the present sample.
        self.weights = np.zeros((n_topics, tasks.targets.shape[1]))
        # Of each sweep without the factor 2 C: sum over tasks, mean of documents.
        self.loss: list[float] = []
        self.forget()

    def resample(self, chain: Any) -> Problem:
        """Take the weights that the sweep has drawn, and record the loss."""
        state = chain.state
        self.weights = state.weights
        loss = self.tasks.loss(self.tasks.targets, state.scores)
        self.loss.append(float(loss.sum(axis=1).mean()))
        return chain.problem

    def keep(self, problem: Problem, sweep: int) -> None:
        """Add the present sample to the kept ones."""
        self._sum = self._sum + self.weights  # not in place: copies share the array
        self.n_kept += 1

    def forget(self, burn_in: int = 0) -> None:
        """Keep no sample so far."""
        self._sum, self.n_kept = np.zeros(self.weights.shape), 0

    def log_density(self) -> float:
        """Return the log density of weights and losses, up to a constant.

        The constant of the losses is unknown, but the same in all chains of a model.
        """
        loss = 2 * self.tasks.loss.C * self.tasks.targets.shape[0] * self.loss[-1]
        return -loss - self.prior_precision * float((self.weights**2).sum()) / 2

    def scalars(self) -> dict[str, float]:
        """Return what is diagnosed of the present sample."""
        return {"loss": self.loss[-1]}

    def attributes(self) -> dict[str, Any]:
        """Return the fitted attributes of y, of the kept weights and of the loss."""
        return {
            **self.tasks.attributes,
            "coef_": self._sum.T / self.n_kept * self.tasks.loss.unit,
            "loss_": np.array(self.loss),
        }

    def describe(self) -> str:
        """Return the loss of the present sample."""
        return f"loss per document {self.loss[-1]:.4f}"


# A phase brings the row of a word from memory once, which takes as long as some tokens.
TOKENS_PER_ROW = 4


def word_work(problem: Problem[Corpus]) -> np.ndarray:
    """Return the work that each word is, in tokens."""
    tokens = word_tokens(problem)
    return tokens + TOKENS_PER_ROW * (tokens > 0)


class Labels(NamedTuple):
    """The factors of all documents, which hold for a sweep, and what it counts."""

    factors: LabelFactors
    n_moves: np.ndarray  # (n_docs, 2) int64, proposed and accepted in each kernel call


class LabelledState(NamedTuple):
    """The counts and the labels of all documents; labels are set before each sweep."""

    z: np.ndarray  # (n_tokens,) uint16
    topic: np.ndarray  # (n_lanes,) int32
    counts: rows.RowCounts | light.LightCounts
    labels: Labels


class LabelledTopics(NamedTuple):
    """Draw the topic of each token given the others and the labels of its document."""

    n_mh_steps: int | None  # Metropolis-Hastings; None draws topics by Gibbs sampling
    n_tasks: int

    def from_topics(self, problem: Problem[Corpus], z: np.ndarray) -> LabelledState:
        """Return the state in which the tokens have the topics z."""
        return self.tables(problem, z)

    def tables(self, problem: Problem[Corpus], z: np.ndarray) -> LabelledState:
        """Return the counts of the topics z, and labels whose factors are 1."""
        kernel = rows if self.n_mh_steps is None else light
        counts, n_docs = kernel.from_topics(problem, z), problem.corpus.begin.size
        factors = LabelFactors(
            weights=np.zeros((self.n_tasks, problem.n_lanes), np.float32),
            slope=np.zeros((n_docs, self.n_tasks), np.float32),
            curvature=np.zeros((n_docs, self.n_tasks), np.float32),
        )
        labels = Labels(factors, np.zeros((n_docs, 2), np.int64))
        return LabelledState(z, counts.topic, counts, labels)

    def over(self, tables: LabelledState, problem: ProblemOfCells) -> LabelledState:
        """Return the state for some cells over counts of all documents."""
        return tables._replace(counts=tables.counts._replace(topic=tables.topic))

    def sweep(
        self, problem: ProblemOfCells, state: LabelledState, rng: RandomStreams
    ) -> None:
        """Resample every token once."""
        (weights, slope, curvature), n_moves = state.labels
        n_steps, priors = self.n_mh_steps, rows.kernel_priors(problem)
        n_weights = problem.n_lanes if n_steps is None else 4 * n_steps
        for part in kernel_parts(problem.corpus, n_weights * self.n_tasks):
            documents = slice(part.first, part.first + part.begin.size)
            factors = LabelFactors(weights, slope[documents], curvature[documents])
            arguments = part, state.counts, priors, factors
            if n_steps is None:
                gibbs.gibbs_sweep(*arguments, rng.kernel)
            else:
                light.light_sweep(*arguments, n_steps, n_moves[part.first], rng.kernel)

    def counts(self, problem: Problem[Corpus], state: LabelledState) -> Counts:
        """Return the count tables."""
        return rows.counts(problem, state.counts)

    def info(self, problem: Problem[Corpus], state: LabelledState) -> SweepInfo:
        """Return what has been done since labels were set.

        A token that proposes its present topic proposes no move.
        """
        n_moves = state.labels.n_moves.sum(axis=0)
        return SweepInfo(state.z.size, *n_moves.tolist())


class MaxMarginState(NamedTuple):
    """The topics with their counts, the weights of the topics, and the scores."""

    z: np.ndarray  # (n_tokens,) uint16
    topic: np.ndarray  # (n_lanes,) int32
    documents: list[slice]  # of each shard
    inner: Any  # of the sampler of topics
    labels: Labels  # of that state
    weights: np.ndarray  # (n_topics, n_tasks) float64, eta
    scores: np.ndarray  # (n_docs, n_tasks) float64, of these topics and weights


class MaxMargin(NamedTuple):
    """Draw the auxiliary variables, the topics and the weights, each given the others.

    One shard draws topics from ``rng``, several from ``rng.child(i)``. This child also
    draws the auxiliary variables of shard i and, for i = 0, the weights.
    """

    prior_precision: float  # nu
    n_weight_steps: int | None  # passes over the weights; None draws them jointly
    n_mh_steps: int | None  # Metropolis-Hastings; None draws topics by Gibbs sampling
    loss: Loss
    targets: np.ndarray  # (n_docs, n_tasks) float64
    n_shards: int = 1
    threads: Threads = Threads(1)

    def from_topics(self, problem: Problem[Corpus], z: np.ndarray) -> MaxMarginState:
        """Return the state in which the tokens have the topics z, and weights are 0."""
        shards = shards_of_documents(problem.corpus, self.n_shards)
        documents = [slice(*shard) for shard in shards]
        inner = self._of_topics(documents).from_topics(problem, z)
        weights = np.zeros((problem.n_topics, self.targets.shape[1]))
        scores = np.zeros(self.targets.shape)
        labels = inner.labels if len(documents) == 1 else inner.tables.labels
        return MaxMarginState(z, inner.topic, documents, inner, labels, weights, scores)

    def sweep(
        self, problem: Problem[Corpus], state: MaxMarginState, rng: RandomStreams
    ) -> None:
        """Resample the auxiliary variables, then every token, then the weights."""
        slope, curvature = self._augment(problem, state, rng)
        self._of_topics(state.documents).sweep(problem, state.inner, rng)
        self.resample_weights(problem, state, slope, curvature, rng.child(WEIGHTS))

    def counts(self, problem: Problem[Corpus], state: MaxMarginState) -> Counts:
        """Return the count tables."""
        return self._of_topics(state.documents).counts(problem, state.inner)

    def info(self, problem: Problem[Corpus], state: MaxMarginState) -> SweepInfo:
        """Return what the last sweep did."""
        return self._of_topics(state.documents).info(problem, state.inner)

    def _of_topics(self, documents: list[slice]) -> Sampler:
        """Return the sampler of topics given labels, over shards of the documents."""
        n, n_tasks = len(documents), self.targets.shape[1]
        sampler = LabelledTopics(self.n_mh_steps, n_tasks)
        return Sharded(sampler, n, self.threads, word_work) if n > 1 else sampler

    def _augment(self, problem, state, rng) -> tuple[np.ndarray, np.ndarray]:
        """Draw the auxiliary variables; return a and b of exp(a s - b s^2 / 2).

        Set the labels, which have these in terms of m_t = N s_t.
        """
        slope, curvature = both = np.empty((2, *self.targets.shape))
        lengths = document_lengths(problem.corpus)
        n_tokens = np.maximum(lengths, 1)[:, np.newaxis]
        factors, n_moves = state.labels
        factors.weights[:, : problem.n_topics] = state.weights.T
        n_moves[:] = 0

        def augment(shard, noise):
            drawn = self.loss.augment(self.targets[shard], state.scores[shard], noise)
            slope[shard], curvature[shard] = drawn
            factors.slope[shard] = slope[shard] / n_tokens[shard]
            factors.curvature[shard] = curvature[shard] / n_tokens[shard] ** 2

        documents = state.documents
        noise = [rng.child(i) for i in range(len(documents))]
        self.threads.map(augment, documents, noise)
        return both

    def resample_weights(
        self,
        problem: Problem[Corpus],
        state: MaxMarginState,
        slope: np.ndarray,
        curvature: np.ndarray,
        rng: RandomStreams,
    ) -> None:
        """Resample the weights given the topics, and update the scores, in place.

        Each score s has the factor exp(slope s - curvature s^2 / 2).
        """
        zbar = self._proportions(problem, state)
        if self.n_weight_steps is None:
            self._draw_jointly(problem, state, zbar, (slope, curvature), rng)
        self._score(state, zbar)
        if self.n_weight_steps is not None:
            self._draw_one_by_one(zbar, state, slope, curvature, rng)

    def _proportions(self, problem, state) -> list[sparse.csr_array]:
        """Return the proportions of topics of each shard."""
        proportions = partial(token_proportions, problem, state.z)
        return self.threads.map(proportions, state.documents)

    def _score(self, state, zbar) -> None:
        """Set the scores to those of the proportions and the weights."""

        def score(zbar, shard):
            by_doc = zbar.data, zbar.indices, zbar.indptr
            fill_scores(by_doc, state.weights, state.scores[shard])

        self.threads.map(score, zbar, state.documents)

    def _draw_one_by_one(self, zbar, state, slope, curvature, rng) -> None:
        """Draw one weight after the other, in passes; tasks go side by side."""
        by_topic = self._by_topic(zbar, state.documents)
        n_topics, n_tasks = state.weights.shape
        passes = []
        for _ in range(self.n_weight_steps):
            order = rng.generator.permutation(n_topics)
            passes.append((order, _normal((n_topics, n_tasks), rng)))

        def resample(first, last):
            # Two processors that write to one line of the cache wait for each other.
            columns = np.s_[:, first:last]
            factors = [np.ascontiguousarray(x[columns]) for x in (slope, curvature)]
            drawn = state.weights[columns].copy(), state.scores[columns].copy()
            for order, normal in passes:
                normal = np.ascontiguousarray(normal[columns])
                resample_one_by_one(
                    by_topic, *factors, self.prior_precision, order, normal, *drawn
                )
            state.weights[columns], state.scores[columns] = drawn

        tasks = ranges(np.arange(n_tasks + 1), len(state.documents))
        self.threads.map(resample, *zip(*tasks, strict=True))

    def _by_topic(self, zbar, documents) -> ByTopic:
        """Return the proportions of all shards in the order of topics."""
        shards = self.threads.map(lambda shard: shard.tocsc(), zbar)
        n_before = np.cumsum([0, *(shard.nnz for shard in shards)])
        pairs = list(zip(shards, documents, strict=True))
        return ByTopic(
            value=np.concatenate([shard.data for shard in shards]),
            doc=np.concatenate([shard.indices + rows.start for shard, rows in pairs]),
            ptr=np.array([shard.indptr for shard in shards])
            + n_before[:-1, np.newaxis],
        )

    def _draw_jointly(self, problem, state, zbar, factors, rng) -> None:
        """Draw all weights of each task from their Gaussian; tasks go side by side."""
        n_tasks, n_lanes = state.weights.shape[1], problem.n_lanes
        noise = _normal((n_tasks, n_lanes), rng)  # whole registers are faster

        def draw(t):
            precision = self.prior_precision * np.eye(n_lanes)
            linear = np.zeros(n_lanes)
            for shard, documents in zip(zbar, state.documents, strict=True):
                column = (np.ascontiguousarray(x[documents, t]) for x in factors)
                by_doc = shard.data, shard.indices, shard.indptr
                add_factors(by_doc, *column, linear, precision)
            if not draw_gaussian(linear, precision, noise[t]):
                raise ValueError(
                    f"prior_precision={self.prior_precision:g} is too small relative "
                    "to the loss, so rounding makes a joint draw of the weights "
                    "impossible. Increase it, or set n_weight_steps=2."
                )
            state.weights[:, t] = noise[t, : problem.n_topics]

        self.threads.map(draw, range(n_tasks))


def _normal(shape: tuple[int, int], rng: RandomStreams) -> np.ndarray:
    """Draw from the standard normal distribution."""
    values = np.empty(shape)
    fill_normal(values, rng.kernel)
    return values


def token_proportions(
    problem: Problem[Corpus], z: np.ndarray, documents: slice
) -> sparse.csr_array:
    """Return zbar, (n_docs, n_topics): the proportions of topics of some documents."""
    corpus = some_documents(problem.corpus, documents.start, documents.stop)
    n_tokens = document_lengths(corpus).sum()
    value, topic = np.empty(n_tokens), np.empty(n_tokens, np.int32)
    n_docs = corpus.doc_ptr.size - 1
    ptr = np.empty(n_docs + 1, np.int32)
    n = fill_proportions(corpus, z, problem.n_topics, value, topic, ptr)
    arrays = (value[:n], topic[:n], ptr)
    return sparse.csr_array(arrays, shape=(n_docs, problem.n_topics))
