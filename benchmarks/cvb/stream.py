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
            for name, curve in curves.items():
                points = zip(*curve.values(), strict=True)
                rows = [dict(zip(curve, point, strict=True)) for point in points]
                harness.print_rows({"start": seed, "": name, **row} for row in rows)
    harness.write(options, f"stream-{options.corpus}", report, **cvb.PRIORS)


def minibatches(n_docs: int, size: int, passes: int, seed: int) -> list[np.ndarray]:
    """Return the documents of each minibatch, in a new order each pass."""
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(n_docs) for _ in range(passes)]
    firsts = range(0, n_docs, size)
    return [order[first : first + size] for order in orders for first in firsts]


class Stream(Program):
    def __init__(self, lda, X, batches):
        self.lda, self.X, self.batches = lda, X, iter(batches)

    def seconds(self, n):
        self.batch = self.X[next(self.batches)]
        return super().seconds(1)

    def sweep(self, n=1):
        self.lda.partial_fit(self.batch)

    def score(self, test) -> float:
        return completion_score(test, self.lda.components_, cvb.PRIORS["alpha"])


def new_streams(X, n_topics, seed, batches) -> dict[str, Stream]:
    options = {"doc_topic_prior": 0.1, "topic_word_prior": 0.1, "random_state": seed}
    options["total_samples"] = X.shape[0]
    size = {"batch_size": X.shape[0]}  # takes a minibatch as it comes
    ldas = {
        "SCVB0": CVBLDA(n_topics, approximation="zero-order", **options),
        "online VB": LatentDirichletAllocation(n_topics, **options, **size, n_jobs=1),
    }
    return {name: Stream(lda, X, batches) for name, lda in ldas.items()}


def run_streams(train, test, n_topics, seed, batches) -> dict[str, dict]:
    """Return the curve of each stream: minibatches, documents, seconds and score."""

    def follow(X, batches, checkpoints):
        streams = new_streams(X, n_topics, seed, batches)
        team = [harness.Runner(name, s.seconds) for name, s in streams.items()]
        evaluate = lambda r: {"score": round(streams[r.name].score(test), 5)}  # noqa: E731
        return harness.follow(team, checkpoints, evaluate)

    follow(train[:10], [np.arange(min(10, train.shape[0]))], [1])  # compiles
    seen = np.cumsum([batch.size for batch in batches])
    curves = follow(train, batches, harness.geometric(len(batches)))
    return {
        name: {
            "minibatches": curve["sweeps"],
            "documents": [int(seen[n - 1]) for n in curve["sweeps"]],
            "seconds": curve["seconds"],
            "score": curve["score"],
        }
        for name, curve in curves.items()
    }


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
