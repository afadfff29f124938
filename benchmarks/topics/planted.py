import numpy as np

from benchmarks import harness
from sklda import CollapsedGibbsLDA
from sklda.datasets import make_lda_corpus
from sklda.model_selection import topic_number_curve

PLANTED = {"doc_topic_prior": 0.1, "topic_word_prior": 0.05}
PRIORS = {"1/K": {}, "planted": PLANTED}  # of the estimator
RULES = ("score", "stability")


def run(options) -> None:
    rows = []
    for shape in options.shapes:
        for n_topics in options.topics:
            for priors in PRIORS:
                row = {"n_topics": n_topics, "shape": shape, "priors": priors}
                row |= find(options, shape, n_topics, PRIORS[priors])
                rows.append(row)
                harness.print_rows([row])
    summary = {
        rule: {
            "exact": share(rows, rule, options.grid, 0),
            "within a step": share(rows, rule, options.grid, 1),
        }
        for rule in RULES
    }
    report = {"rows": rows, "summary": summary}
    alpha, beta = PLANTED.values()
    harness.write(options, "planted", report, alpha=alpha, beta=beta)


def find(options, shape: str, n_topics: int, priors: dict) -> dict[str, list[int]]:
    """Return the numbers that each rule recommends for corpora of one kind."""
    found: dict[str, list[int]] = {rule: [] for rule in RULES}
    for seed in range(options.starts):
        X, _, _ = make_lda_corpus(
            options.documents,
            options.words,
            n_topics,
            document_length=lengths(shape, options.documents, seed),
            random_state=seed,
            **PLANTED,
        )
        curve = topic_number_curve(
            CollapsedGibbsLDA(max_iter=options.sweeps, **priors),
            X,
            options.grid,
            cv=options.folds,
            n_repeats=options.repeats,
            measures=RULES,
            n_jobs=options.jobs,
            random_state=seed,
        )
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
