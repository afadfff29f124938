"""Recommended numbers of topics, for real documents and planted topics."""

from functools import partial
from itertools import product

import numpy as np

from benchmarks import corpora, figures, harness
from sklda import CollapsedGibbsLDA
from sklda.datasets import make_lda_corpus
from sklda.model_selection import topic_number_curve
from sklda.model_selection._recommendation import behind_best

MEASURES = {
    "score": "score relative to the best, nats per token",
    "stability": "stability",
    "npmi": "coherence (NPMI)",
    "exclusivity": "exclusivity",
}
PLANTED = {"doc_topic_prior": 0.1, "topic_word_prior": 0.05}
PRIORS = {"1/K": {}, "planted": PLANTED}  # of the estimator
RULES = ("score", "stability")


def measure(X, grid, options, measures, seed=0, **priors):
    lda = CollapsedGibbsLDA(max_iter=options.sweeps, **priors)
    given = {"cv": options.folds, "n_repeats": options.repeats, "n_jobs": options.jobs}
    return topic_number_curve(
        lda, X, grid, measures=measures, random_state=seed, **given
    )


def of_corpus(measure: str, row: dict) -> dict:
    mean, error = row[measure]["mean"], row[measure]["error"]
    return {row["corpus"]: {"median": mean, "range": [mean - error, mean + error]}}


draw_curves = partial(
    figures.draw_rows,
    looks=figures.styles("topics"),
    kinds={label: partial(of_corpus, name) for name, label in MEASURES.items()},
    linear=tuple(MEASURES.values()),
)


def run_curves(options) -> None:
    rows, found = [], {}
    for corpus in options.corpora:
        X = corpora.load(corpus, options)
        X = X[X.sum(axis=1).nonzero()[0]]
        curve = measure(X, options.topics, options, list(MEASURES))
        found[corpus] = corpora.shape_of(X) | {
            "best_score": float(curve.mean["score"].max()),
            "recommended": {
                rule: {"topics": int(one.n_components), "reason": one.reason}
                for rule, one in curve.recommended.items()
            },
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
    steps = {"exact": 0, "within a step": 1}
    summary = {
        rule: {name: share(rows, rule, options.grid, n) for name, n in steps.items()}
        for rule in RULES
    }
    report = {"rows": rows, "summary": summary}
    alpha, beta = PLANTED.values()
    harness.write(options, "planted", report, alpha=alpha, beta=beta)


def find(options, shape: str, n_topics: int, priors: dict) -> dict[str, list[int]]:
    """Return the numbers that each rule recommends for corpora of one kind."""
    found: dict[str, list[int]] = {rule: [] for rule in RULES}
    for seed in range(options.starts):
        sizes = options.documents, options.words, n_topics
        length = lengths(shape, options.documents, seed)
        given = {"document_length": length, "random_state": seed, **PLANTED}
        X, _, _ = make_lda_corpus(*sizes, **given)
        curve = measure(X, options.grid, options, RULES, seed, **priors)
        for rule in RULES:
            found[rule].append(int(curve.recommended[rule].n_components))
    return found


def lengths(shape: str, n_docs: int, seed: int) -> np.ndarray:
    """Return the tokens of each document: few, many, or a long tail."""
    if shape == "skewed":
        rng = np.random.default_rng(seed)
        return np.ceil(rng.lognormal(np.log(60), 0.9, n_docs)).astype(int)
    return np.full(n_docs, {"short": 40, "long": 160}[shape])


def share(rows: list[dict], rule: str, grid: list[int], steps: int) -> float:
    """Return how often a rule is no more than so many steps of the grid off."""
    off = [
        abs(grid.index(number) - grid.index(row["n_topics"]))
        for row in rows
        for number in row[rule]
    ]
    return round(float(np.mean(np.array(off) <= steps)), 3)
