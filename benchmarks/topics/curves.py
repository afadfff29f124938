from functools import partial

from benchmarks import corpora, figures, harness, topics
from sklda.model_selection._recommendation import behind_best

MEASURES = {
    "score": "score relative to the best, nats per token",
    "stability": "stability",
    "npmi": "coherence (NPMI)",
    "exclusivity": "exclusivity",
}


def of_corpus(measure: str, row: dict) -> dict:
    mean, error = row[measure]["mean"], row[measure]["error"]
    return {row["corpus"]: {"median": mean, "range": [mean - error, mean + error]}}


draw = partial(
    figures.draw_rows,
    looks=figures.styles("topics"),
    kinds={label: partial(of_corpus, name) for name, label in MEASURES.items()},
    linear=tuple(MEASURES.values()),
)


def run(options) -> None:
    rows, found = [], {}
    for corpus in options.corpora:
        X = corpora.load(corpus, options)
        X = X[X.sum(axis=1).nonzero()[0]]
        curve = topics.curve(X, options.topics, options, list(MEASURES))
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
