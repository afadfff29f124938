"""The experiments of Teh, Newman and Welling, and variational Bayes of others."""

from functools import partial
from itertools import islice

import numpy as np
from sklearn.decomposition import LatentDirichletAllocation

from benchmarks import corpora, figures, harness
from benchmarks.programs import Program, available, ours
from benchmarks.programs.others import BatchVB, Gensim, OnlineVB
from benchmarks.programs.ours import completion_score
from sklda import CVBLDA

PRIORS = {"alpha": 0.1, "beta": 0.1}
PROGRAMS = {
    "VB": BatchVB,
    "online VB": OnlineVB,
    "gensim": Gensim,
    "CVB": ours.gaussian,
    "CVB0": ours.zero_order,
    "Gibbs": ours.gibbs,
}
STYLES = figures.styles("cvb")
CURVES = {"log_probability": "log probability of a held-out token"}
draw_convergence = partial(figures.draw_curves, kinds=CURVES, looks=STYLES)
SCORES = {"score": "score of unseen documents"}
draw_stream = partial(figures.draw_curves, kinds=SCORES, looks=STYLES)


def new_program(name, X, n_topics, seed=0, checkpoints=()) -> Program:
    """Return a program at its start; with checkpoints, Gibbs takes means there."""
    if name == "Gibbs" and checkpoints:
        means = {"checkpoints": checkpoints, "thin": 1}
        return ours.KeptMean(X, n_topics, seed, **means, **PRIORS)
    return PROGRAMS[name](X, n_topics, seed, **PRIORS)


def run_convergence(options) -> None:
    X = corpora.load(options.corpus, options)
    train, held_out = corpora.hold_out_tokens(X)
    sweeps = harness.geometric(options.sweeps)
    data = options.programs, train, held_out, options.topics, sweeps
    chains = harness.run_starts(follow_programs, options, *data)
    report = {"tokens": int(train.sum()), "test_tokens": int(held_out.sum())}
    report["summary"] = harness.summary(sweeps, chains, "log_probability")
    report |= {"sweeps": sweeps, "chains": chains}
    harness.write(options, f"convergence-{options.corpus}", report, **PRIORS)


def follow_programs(seed, names, train, held_out, n_topics, sweeps) -> dict:
    """Return the curve of each program against sweeps."""

    def evaluate(program):
        value = corpora.log_probability(*program.estimates(), held_out)
        return {"log_probability": round(value, 5)}

    task = train, n_topics, seed, sweeps
    programs = {name: new_program(name, *task) for name in names}
    return harness.follow_programs(programs, sweeps, evaluate)


def run_speed(options) -> None:
    gensim = available({"gensim"} & set(options.programs))
    names = [name for name in options.programs if name != "gensim" or gensim]
    harness.measure_speed(
        new_program, names, options.corpus, options, **PRIORS, **gensim
    )


draw_speed = partial(figures.draw_rows, looks=STYLES)


def run_stream(options) -> None:
    X = corpora.load(options.corpus, options)
    train, test = corpora.split_documents(X)
    report = {"documents": train.shape[0], "words": X.shape[1]}
    report |= {"tokens": int(train.sum()), "test_tokens": int(test.sum())}
    few = np.arange(min(10, train.shape[0]))
    follow_stream(train[few], test, options.topics, 0, [few])  # compiles
    report["chains"] = harness.run_starts(run_start, options, train, test, options)
    harness.write(options, f"stream-{options.corpus}", report, **PRIORS)


def run_start(seed, train, test, options) -> dict[str, dict]:
    batches = minibatches(train.shape[0], options.batch, options.passes, seed)
    return follow_stream(train, test, options.topics, seed, batches)


def minibatches(n_docs: int, size: int, passes: int, seed: int) -> list[np.ndarray]:
    """Return the documents of each minibatch, in a new order each pass."""
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(n_docs) for _ in range(passes)]
    firsts = range(0, n_docs, size)
    return [order[first : first + size] for order in orders for first in firsts]


class Stream(Program):
    """Minibatches that an estimator fits; a sweep is one of them."""

    def __init__(self, lda, X, batches):
        self.lda, self.n_documents = lda, 0
        self.parts = (X[batch] for batch in batches)

    def sweep(self, n=1):
        for part in islice(self.parts, n):
            self.lda.partial_fit(part)
            self.n_documents += part.shape[0]


def follow_stream(X, test, n_topics, seed, batches) -> dict[str, dict]:
    """Return the score of unseen documents and the seconds after some minibatches."""
    alpha, beta = PRIORS.values()
    settings = {"doc_topic_prior": alpha, "topic_word_prior": beta}
    settings |= {"random_state": seed, "total_samples": X.shape[0]}
    online = {"batch_size": X.shape[0], "n_jobs": 1}  # a minibatch in one piece
    ldas = {
        "SCVB0": CVBLDA(n_topics, approximation="zero-order", **settings),
        "online VB": LatentDirichletAllocation(n_topics, **settings, **online),
    }

    def evaluate(program):
        score = completion_score(test, program.lda.components_, alpha)
        return {"documents": program.n_documents, "score": round(score, 5)}

    programs = {name: Stream(lda, X, batches) for name, lda in ldas.items()}
    sweeps = harness.geometric(len(batches))
    return harness.follow_programs(programs, sweeps, evaluate)
