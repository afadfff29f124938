import numpy as np
from sklearn.decomposition import LatentDirichletAllocation
from threadpoolctl import threadpool_limits

from benchmarks import corpora, cvb, figures, harness
from benchmarks.internals import completion_score
from benchmarks.programs import Program
from sklda import CVBLDA


def run(options) -> None:
    X = corpora.load_texts(options.corpus, options.newsgroups_home)
    train, test = corpora.split_documents(X)
    report = {"documents": train.shape[0], "words": X.shape[1]}
    report |= {"tokens": int(train.sum()), "test_tokens": int(test.sum()), "starts": []}
    with threadpool_limits(1):
        for seed in range(options.starts):
            batches = minibatches(train.shape[0], options.batch, options.passes, seed)
            curves = run_streams(train, test, options.topics, seed, batches)
            report["starts"].append(curves)
            ends = {name: curve["score"][-1] for name, curve in curves.items()}
            harness.print_rows([{"start": seed, **ends}])
    harness.write(options, f"stream-{options.corpus}", report, **cvb.PRIORS)


def minibatches(n_docs: int, size: int, passes: int, seed: int) -> list[np.ndarray]:
    """Return the documents of each minibatch, in a new order each pass."""
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(n_docs) for _ in range(passes)]
    firsts = range(0, n_docs, size)
    return [order[first : first + size] for order in orders for first in firsts]


class Stream(Program):
    """A model that takes a minibatch a sweep."""

    def __init__(self, lda, X, batches):
        self.lda, self.X, self.batches = lda, X, iter(batches)

    def seconds(self, n):
        self.batch = self.X[next(self.batches)]
        return super().seconds(1)

    def sweep(self, n=1):
        self.lda.partial_fit(self.batch)


def follow(X, test, n_topics, seed, batches, checkpoints) -> dict[str, dict]:
    """Return the score of unseen documents and the seconds after some minibatches."""
    alpha, beta = cvb.PRIORS.values()
    given = {"doc_topic_prior": alpha, "topic_word_prior": beta, "random_state": seed}
    given["total_samples"] = n_docs = X.shape[0]
    online = {"batch_size": n_docs, "n_jobs": 1}  # takes a minibatch as it comes
    ldas = {
        "SCVB0": CVBLDA(n_topics, approximation="zero-order", **given),
        "online VB": LatentDirichletAllocation(n_topics, **given, **online),
    }

    def evaluate(runner):
        components = ldas[runner.name].components_
        return {"score": round(completion_score(test, components, alpha), 5)}

    streams = {name: Stream(lda, X, batches) for name, lda in ldas.items()}
    team = [harness.Runner(name, stream.seconds) for name, stream in streams.items()]
    return harness.follow(team, checkpoints, evaluate)


def run_streams(train, test, n_topics, seed, batches) -> dict[str, dict]:
    """Return the curve of each stream: minibatches, documents, seconds and score."""
    few = np.arange(min(10, train.shape[0]))
    follow(train[few], test, n_topics, seed, [few], [1])  # compiles
    seen = np.cumsum([batch.size for batch in batches])
    checkpoints = harness.geometric(len(batches))
    curves = follow(train, test, n_topics, seed, batches, checkpoints)
    for name, curve in curves.items():
        numbers = curve.pop("sweeps")
        documents = [int(seen[n - 1]) for n in numbers]
        curves[name] = {"minibatches": numbers, "documents": documents, **curve}
    return curves


def draw(reports, folder) -> None:
    def draw_one(axes, report):
        starts, passes = report["starts"], report["options"]["passes"]
        for name in starts[0]:
            seconds = [start[name]["seconds"] for start in starts]
            scores = [start[name]["score"] for start in starts]
            figures.chains(axes, seconds, scores, name, cvb.STYLES[name])
        axes.set(xscale="log", xlabel=f"seconds of partial_fit; passes: {passes}")
        axes.set(ylabel="score of unseen documents", title=figures.title(report))
        figures.plain_numbers(axes.xaxis)
        axes.grid(alpha=0.3)

    figures.per_report(folder / "stream.png", reports, draw_one)
