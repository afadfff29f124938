"""Numbers of topics, recommended or sampled, for real documents and planted topics."""

from functools import partial
from itertools import product

import numpy as np

from benchmarks import PLAIN, corpora, figures, harness
from benchmarks.programs.ours import behind_best
from sklda import CollapsedGibbsLDA
from sklda.datasets import make_lda_corpus
from sklda.model_selection import topic_number_curve

MEASURES = {
    "score": "score relative to the best, nats per token",
    "stability": "stability",
    "npmi": "coherence (NPMI)",
    "exclusivity": "exclusivity",
}
PLANTED = {"doc_topic_prior": 0.1, "topic_word_prior": 0.05}
PRIORS = {"1/K": {}, "planted": PLANTED}  # of the estimator
RULES = ("score", "stability")
BETA = 0.01  # where chains begin that sample it, and a guess that is too small
OF_WORDS = {
    "sampled": {
        "topic_word_prior": BETA,
        "hyperpriors": {"topic_word_prior": (1.0, 1.0)},
    },
    "planted": {"topic_word_prior": PLANTED["topic_word_prior"]},
    "too small": {"topic_word_prior": BETA},
}


def measure(X, grid, options, measures, seed=0, **priors):
    lda = CollapsedGibbsLDA(max_iter=options.sweeps, thin=10, **PLAIN, **priors)
    settings = {"cv": options.folds, "n_repeats": options.repeats}
    settings |= {"n_jobs": options.jobs, "measures": measures, "random_state": seed}
    return topic_number_curve(lda, X, grid, **settings)


def scores_of_corpus(measure: str, row: dict) -> dict:
    mean, error = row[measure]["mean"], row[measure]["error"]
    return {row["corpus"]: {"median": mean, "range": [mean - error, mean + error]}}


draw_curves = partial(
    figures.draw_rows,
    looks=figures.styles("topics"),
    kinds={label: partial(scores_of_corpus, name) for name, label in MEASURES.items()},
    linear=tuple(MEASURES.values()),
)


def run_curves(options) -> None:
    rows, found = [], {}
    for corpus in options.corpora:
        X = corpora.load(corpus, options)
        X = X[X.sum(axis=1).nonzero()[0]]
        curve = measure(X, options.topics, options, list(MEASURES))
        found[corpus] = corpora.shape_of(X) | {
            "best_score": float(curve.mean["score"].max())
        }
        harness.print_rows([{"corpus": corpus, **found[corpus]}])
        rows += [
            {"corpus": corpus, "n_topics": int(n_topics), **measured(curve, i)}
            for i, n_topics in enumerate(curve.n_components)
        ]
    report = {"rows": rows, "found": found}
    harness.write(options, "curves", report, alpha="1/K", beta="1/K")


def measured(curve, i: int) -> dict[str, dict]:
    """Return means and standard errors; of the score, of the difference to the best."""
    columns = {
        name: (curve.mean[name], curve.standard_error[name]) for name in MEASURES
    }
    behind, error = behind_best(curve.fits["score"])
    columns["score"] = 0.0 - behind, error
    return {
        name: {"mean": float(mean[i]), "error": float(errors[i])}
        for name, (mean, errors) in columns.items()
    }


def run_planted(options) -> None:
    rows = []
    for shape, n_topics, priors in product(options.shapes, options.topics, PRIORS):
        row = {"n_topics": n_topics, "shape": shape, "priors": priors}
        rows.append(row | find(options, shape, n_topics, PRIORS[priors]))
        harness.print_rows(rows[-1:])
    alpha, beta = PLANTED.values()
    harness.write(options, "planted", {"rows": rows}, alpha=alpha, beta=beta)


def find(options, shape: str, n_topics: int, priors: dict) -> dict[str, list[int]]:
    """Return the numbers that each rule recommends for corpora of one kind."""
    found: dict[str, list[int]] = {rule: [] for rule in RULES}
    for seed in range(options.starts):
        X = plant(options, shape, n_topics, seed)
        curve = measure(X, options.grid, options, RULES, seed, **priors)
        for rule in RULES:
            found[rule].append(curve.recommended[rule].n_components)
    return found


def plant(options, shape: str, n_topics: int, seed: int):
    """Return a corpus of one kind."""
    sizes = options.documents, options.words, n_topics
    length = lengths(shape, options.documents, seed)
    options = {"document_length": length, "random_state": seed, **PLANTED}
    return make_lda_corpus(*sizes, **options)[0]


def lengths(shape: str, n_docs: int, seed: int) -> np.ndarray:
    """Return the tokens of each document: few, many, or a long tail."""
    if shape == "skewed":
        rng = np.random.default_rng(seed)
        return np.ceil(rng.lognormal(np.log(60), 0.9, n_docs)).astype(int)
    return np.full(n_docs, {"short": 40, "long": 160}[shape])


def run_hierarchical(options) -> None:
    chains, rows = {name: [] for name in OF_WORDS}, []
    sweeps = harness.geometric(options.sweeps)
    for shape, n_topics, name in product(options.shapes, options.topics, OF_WORDS):
        found = []
        for seed in range(options.starts):
            X = plant(options, shape, n_topics, seed)
            found.append(sample_number(X, options, sweeps, seed, OF_WORDS[name]))
            chain = {"shape": shape, "n_topics": n_topics, "seed": seed, **found[-1]}
            chains[name].append(chain)
        row = {"n_topics": n_topics, "shape": shape, "beta of the chain": name}
        rows.append(row | {"found": [chain["found"] for chain in found]})
        harness.print_rows([row | {"found": str(rows[-1]["found"])}])
    report = {"sweeps": sweeps, "rows": rows, "chains": chains}
    alpha, beta = PLANTED.values()
    harness.write(options, "hierarchical", report, alpha=alpha, beta=beta)


def sample_number(X, options, sweeps: list[int], seed: int, priors: dict) -> dict:
    """Return the sampled numbers of topics of one fit: mean, and after some sweeps."""
    lda = CollapsedGibbsLDA(
        options.bound,
        learn_priors="hierarchical",
        max_iter=options.sweeps,
        thin=10,
        evaluate_every=0,
        random_state=seed,
        **priors,
    )
    lda.fit(X)
    after = lda.prior_trace_["n_topics"][np.array(sweeps) - 1]
    means = {name: round(float(of[0]), 1) for name, of in lda.n_topics_.items()}
    return {
        "found": means["n_topics"],
        "nonempty": means["n_nonempty"],
        "beta": round(float(lda.topic_word_prior_), 4),
        "after": after.tolist(),
    }


def draw_hierarchical(reports, folder) -> None:
    """Draw the number of topics against sweeps: medians and ranges of the corpora."""

    def draw(panels, report):
        for axes, (name, chains) in zip(panels, report["chains"].items(), strict=True):
            points = {}
            for n_topics in report["options"]["topics"]:
                after = [c["after"] for c in chains if c["n_topics"] == n_topics]
                ranges = map(harness.range_of, np.transpose(after).tolist())
                values = dict(zip(report["sweeps"], ranges, strict=True))
                points[f"{n_topics} planted"] = values
                axes.axhline(n_topics, color="#888888", lw=0.6)
            label = "topics that hold 99 % of the tokens"
            figures.lines(axes, points, figures.styles("planted"), "sweep", label)
            figures.plain_numbers(axes.xaxis)
            axes.set_title(f"beta {name}")

    figures.per_report(reports, folder, len(OF_WORDS), draw)
