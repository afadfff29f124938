"""The experiments of Zheng, Yu and Xing on supervised topics."""

import json
import time
from argparse import Namespace
from itertools import cycle, product
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from benchmarks import figures, harness, options_of
from sklda import CollapsedGibbsLDA, MedLDAClassifier

FIXED = {"alpha": "6.4 / K", "beta": 0.01}  # in reports
N_WARM = 60  # documents of the fit that compiles
OF_WORDS = ("naive Bayes", "tf-idf, SVM", "tf-idf, logistic")
PARAMETERS = {  # and their names on the command line
    "C": "cost",
    "prior_precision": "prior_precision",
    "n_mh_steps": "mh_steps",
    "n_weight_steps": "weight_steps",
    "max_iter": "sweeps",
    "burn_in": "burn_in",
}
STYLES = list(figures.styles("medlda").values())


def settings_of(options) -> dict[str, dict]:
    """Return the parameters of MedLDA by the name of the method."""
    defaults = options_of(options.question)
    names = {name: key for name, key in PARAMETERS.items() if key in defaults}
    chosen = {name: getattr(options, key) for name, key in names.items()}
    changed = {n for n, key in names.items() if chosen[n] != defaults[key]["default"]}
    if chosen.get("burn_in") == chosen.get("max_iter", 0) - 1:  # as by default
        changed.discard("burn_in")
    texts = [f"{name} = {chosen[name]}" for name in names if name in changed]
    pairs = product(options.strategies, options.samplers)
    return {
        ", ".join([*pair, *texts]): {
            "sampler": pair[1],
            "multi_class": pair[0],
            **chosen,
        }
        for pair in pairs
    }


def priors(n_topics: int) -> dict[str, float]:
    return {"doc_topic_prior": 6.4 / n_topics, "topic_word_prior": FIXED["beta"]}


def medlda(n_topics: int, seed: int, **settings) -> MedLDAClassifier:
    """Return the estimator of a row, on one thread."""
    settings |= {"n_jobs": 1, "random_state": seed}
    return MedLDAClassifier(n_topics, **priors(n_topics), **settings)


def baseline(name: str, y, n_topics=None, seed=0):
    """Return a classifier of one label, or of each column if y has columns."""
    svm, first = LinearSVC(), [TfidfTransformer()]
    if name == "naive Bayes":
        svm, first = MultinomialNB(alpha=0.01), []
    elif name == "tf-idf, logistic":
        svm = LogisticRegression(max_iter=1000)
    elif name not in OF_WORDS:
        fixed = {"max_iter": 100, "n_jobs": 1, "random_state": seed}
        lda = CollapsedGibbsLDA(n_topics, **priors(n_topics), **fixed)
        first = [lda, FunctionTransformer(np.sqrt)]
    return make_pipeline(*first, OneVsRestClassifier(svm) if y.ndim == 2 else svm)


def warm(lda, X, y) -> None:
    """Fit a copy to a few documents and let it transform them: that compiles."""
    few = np.arange(min(N_WARM, X.shape[0]))
    if y.ndim == 1:  # with all classes
        few = np.union1d(few, np.unique(y, return_index=True)[1])
    lda = clone(lda).set_params(max_iter=2, burn_in=None)
    lda.fit(X[few], y[few]).transform(X[few])


def fit_and_score(estimator, train, test) -> dict:
    """Return seconds of fit and of predict, and the scores of both parts."""
    (X, y), (X_test, y_test) = train, test
    lda = estimator[0] if hasattr(estimator, "steps") else estimator
    if hasattr(lda, "max_iter") and hasattr(lda, "burn_in"):
        warm(lda, X, y)
    with threadpool_limits(1):
        start = time.process_time()
        estimator.fit(X, y)
        fitted = time.process_time()
        predicted = estimator.predict(X_test)
        seconds = fitted - start, time.process_time() - fitted
        of_train = estimator.predict(X)
    return {
        "seconds": round(seconds[0], 3),
        "predict_seconds": round(seconds[1], 3),
        "test": scores(y_test, predicted),
        "train": scores(y, of_train),
    }


def scores(y, predicted) -> dict[str, float]:
    """Return the accuracy, or both kinds of F1 if y has columns."""
    if y.ndim == 1:
        return {"accuracy": round(float(accuracy_score(y, predicted)), 5)}
    return {
        f"{mean} F1": round(f1_score(y, predicted, average=mean, zero_division=0), 5)
        for mean in ("micro", "macro")
    }


def score(options, name, train, test, note="", **facts) -> None:
    """Score all methods that are chosen, and add their rows to the report."""
    rows = []

    def add(method, estimator, settings=None, **place):
        result = fit_and_score(estimator, train, test)
        if settings:
            per_sweep = round(result["seconds"] / settings["max_iter"], 5)
            result |= {"seconds_per_sweep": per_sweep, "settings": settings}
        rows.append({"method": method, "seed": 0, **place, **result})
        harness.print_rows([{k: v for k, v in rows[-1].items() if k != "settings"}])

    for method in (m for m in options.baselines if m in OF_WORDS):
        add(method, baseline(method, train[1]))
    for seed, n_topics in product(range(options.starts), options.topics):
        place = {"n_topics": n_topics, "seed": seed}
        for method, settings in settings_of(options).items():
            add(method, medlda(n_topics, seed, **settings), settings, **place)
        for method in (m for m in options.baselines if m not in OF_WORDS):
            add(method, baseline(method, train[1], **place), **place)
    for kind, (X, _) in (("train", train), ("test", test)):
        facts[kind] = {"documents": X.shape[0], "tokens": int(X.sum())}
    others = json.loads(Path(__file__).with_name("others.json").read_text())
    facts |= {"words": train[0].shape[1], "others": others.get(name, {}), "note": note}
    rows = save(options.folder, name, rows, **facts)
    harness.print_rows(summary(rows))


def save(folder, name: str, rows: list[dict], **facts) -> list[dict]:
    """Add rows to a report, and return all of its rows."""

    def identity(row):
        return [row.get(key) for key in ("method", "n_topics", "documents", "seed")]

    new = [identity(row) for row in rows]
    earlier = harness.read(folder, name).get(name, {"rows": []})["rows"]
    rows = [row for row in earlier if identity(row) not in new] + rows
    options = Namespace(folder=folder)
    harness.write(options, name, {**facts, "rows": rows}, **FIXED)
    return rows


def summary(rows) -> list[dict]:
    """Return the medians over starts of each method and number of topics, and ranges.

    Those of more topics follow those of fewer, and baselines of words come last.
    """
    groups: dict[tuple, list[dict]] = {}
    for row in rows:
        groups.setdefault((row["method"], row.get("n_topics")), []).append(row)
    methods = list(dict.fromkeys(method for method, _ in groups))
    table = []
    for (method, n_topics), some in sorted(
        groups.items(),
        key=lambda group: (
            group[0][1] is None,
            methods.index(group[0][0]),
            group[0][1] or 0,
        ),
    ):
        row = {"method": method, "n_topics": n_topics, "starts": len(some)}
        of_test = {name: [r["test"][name] for r in some] for name in some[0]["test"]}
        row["test"] = {name: harness.range_of(v) for name, v in of_test.items()}
        row["seconds"] = float(np.median([r["seconds"] for r in some]))
        table.append(row)
    return table


def draw_scores(reports, folder) -> None:
    """Draw scores of the test documents, and seconds of training, against topics.

    Lines are medians over starts, bars their range; methods that know no topics are
    lines across, and other programs are hollow, for they were measured elsewhere.
    """
    for stem, report in reports.items():
        table = summary(report["rows"])
        names = list(table[0]["test"])
        figure, (panels,) = figures.panels(len(names) + 1)
        of_seconds = panels[-1]
        lines: dict[str, list[dict]] = {}
        for row in table:
            if row["n_topics"]:
                lines.setdefault(row["method"], []).append(row)
        for (method, rows), style in zip(lines.items(), cycle(STYLES), strict=False):
            topics = [row["n_topics"] for row in rows]
            for axes, name in zip(panels, names, strict=False):
                values = [row["test"][name] for row in rows]
                figures.error_bars(axes, topics, values, method, style)
            of_seconds.plot(topics, [row["seconds"] for row in rows], **style)
        across = [row for row in table if not row["n_topics"]]
        for axes, name in zip(panels, names, strict=False):
            for row, dashes in zip(across, cycle(("-", "--", ":")), strict=False):
                look = {"color": "#888888", "ls": dashes, "lw": 1}
                axes.axhline(row["test"][name]["median"], label=row["method"], **look)
            axes.set(ylabel=f"{name} of the test documents")
        figures.log_seconds(of_seconds, "seconds of training")
        hollow = figures.styles("medlda-others").values()
        for (method, points), look in zip(
            report["others"].items(), hollow, strict=False
        ):
            look["ms"] = 8
            of_topics = np.array([int(n_topics) for n_topics in points])
            seconds, values = np.array(list(points.values()), float).T
            panels[0].plot(of_topics, values, label=method, **look)
            known = ~np.isnan(seconds)
            of_seconds.plot(of_topics[known], seconds[known], **look)
        topics = sorted({row["n_topics"] for row in table if row["n_topics"]})
        for axes in panels:
            figures.powers_axis(axes, "topics", topics)
        train, test = (report[kind]["documents"] for kind in ("train", "test"))
        size = f"{train:,} documents train, {test:,} test"
        figure.suptitle(f"{stem}: {size}; one thread")
        figures.finish(figure, folder / f"{stem}.png", panels[0], columns=3)
