from itertools import product

import numpy as np

from benchmarks import harness, topics
from sklda.datasets import make_lda_corpus

PLANTED = {"doc_topic_prior": 0.1, "topic_word_prior": 0.05}
PRIORS = {"1/K": {}, "planted": PLANTED}  # of the estimator
RULES = ("score", "stability")


def run(options) -> None:
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
        curve = topics.curve(X, options.grid, options, RULES, seed, **priors)
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
