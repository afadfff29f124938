"""The experiments of Zheng, Yu and Xing on supervised topics."""

import json
import time
from argparse import Namespace
from functools import partial
from itertools import cycle, groupby, product
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
PARAMETERS = ("C", "prior_precision", "n_mh_steps", "n_weight_steps")
STYLES = list(figures.styles("medlda").values())
IDENTITY = ("method", "n_topics", "documents", "seed")  # of a row


def settings_of(options) -> dict[str, dict]:
    """Return the parameters of each method by its name."""
    defaults = options_of(options.question)
    names = [n for n in (*PARAMETERS, "max_iter", "burn_in") if n in defaults]
    chosen = {name: getattr(options, name) for name in names}
    changed = [n for n in names if chosen[n] != defaults[n]["default"]]
    if chosen.get("burn_in") == chosen.get("max_iter", 0) - 1:  # as by default
        changed = [name for name in changed if name != "burn_in"]
    texts, found = [f"{name} = {chosen[name]}" for name in changed], {}
    for strategy, sampler in product(options.strategies, options.samplers):
        both = {"sampler": sampler, "multi_class": strategy}
        found[", ".join([strategy, sampler, *texts])] = both | chosen
    return found


def fixed(n_topics: int, seed: int) -> dict:
    priors = {"doc_topic_prior": 6.4 / n_topics, "topic_word_prior": FIXED["beta"]}
    return priors | {"n_jobs": 1, "random_state": seed}


def medlda(n_topics: int, seed: int, **settings) -> MedLDAClassifier:
    return MedLDAClassifier(n_topics, **fixed(n_topics, seed), **settings)


def baseline(name: str, y, n_topics=None, seed=0):
    """Return a classifier of one label, or of each column if y has columns."""
    svm, first = LinearSVC(), [TfidfTransformer()]
    if name == "naive Bayes":
        svm, first = MultinomialNB(alpha=0.01), []
    elif name == "tf-idf, logistic":
        svm = LogisticRegression(max_iter=1000)
    elif name not in OF_WORDS:
        lda = CollapsedGibbsLDA(n_topics, **fixed(n_topics, seed), max_iter=100)
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
    (X, y), (X_test, y_test) = train, test
    lda = estimator[0] if hasattr(estimator, "steps") else estimator
    if hasattr(lda, "burn_in"):
        warm(lda, X, y)
    with threadpool_limits(1):
        start = time.process_time()
        estimator.fit(X, y)
        fitted = time.process_time()
        predicted = estimator.predict(X_test)
        row = {"seconds": round(fitted - start, 3)}
        row["predict_seconds"] = round(time.process_time() - fitted, 3)
        of_train = estimator.predict(X)
    return row | {"test": scores(y_test, predicted), "train": scores(y, of_train)}


def scores(y, predicted) -> dict[str, float]:
    """Return the accuracy, or both kinds of F1 if y has columns."""
    found = {"accuracy": accuracy_score(y, predicted)}
    if y.ndim == 2:
        both, f1 = ("micro", "macro"), partial(f1_score, y, predicted, zero_division=0)
        found = {f"{mean} F1": f1(average=mean) for mean in both}
    return {name: round(float(value), 5) for name, value in found.items()}


def score(options, name, train, test, note="", **facts) -> None:
    """Score all methods that are chosen, and add their rows to the report."""
    of_words = [m for m in options.baselines if m in OF_WORDS]
    cases = [(method, baseline(method, train[1]), {"seed": 0}) for method in of_words]
    for seed, n_topics in product(range(options.starts), options.topics):
        place = {"n_topics": n_topics, "seed": seed}
        for method, settings in settings_of(options).items():
            estimator = medlda(**place, **settings)
            cases.append((method, estimator, place | {"settings": settings}))
        for method in (m for m in options.baselines if m not in OF_WORDS):
            cases.append((method, baseline(method, train[1], **place), place))
    rows = []
    for method, estimator, place in cases:
        row = {"method": method, **place, **fit_and_score(estimator, train, test)}
        if "settings" in row:
            per_sweep = row["seconds"] / row["settings"]["max_iter"]
            row["seconds_per_sweep"] = round(per_sweep, 5)
        harness.print_rows([row])
        rows.append(row)
    for kind, (X, _) in (("train", train), ("test", test)):
        facts[kind] = {"documents": X.shape[0], "tokens": int(X.sum())}
    others = json.loads(Path(__file__).with_name("others.json").read_text())
    facts |= {"words": train[0].shape[1], "others": others.get(name, {}), "note": note}
    harness.print_rows(summary(save(options.folder, name, rows, **facts)))


def save(folder, name: str, rows: list[dict], **facts) -> list[dict]:
    """Add rows to those of earlier runs, write them, and return all."""
    new = [[row.get(key) for key in IDENTITY] for row in rows]
    earlier = harness.read(folder, name).get(name, {"rows": []})["rows"]
    kept = [row for row in earlier if [row.get(key) for key in IDENTITY] not in new]
    report = {**facts, "rows": kept + rows}
    harness.write(Namespace(folder=folder), name, report, **FIXED)
    return report["rows"]


def summary(rows) -> list[dict]:
    """Return medians over starts, by method and topics; baselines of words last."""
    methods, table = list(dict.fromkeys(row["method"] for row in rows)), []

    def place(row):
        n_topics = row.get("n_topics", 0)
        return not n_topics, methods.index(row["method"]), n_topics

    for _, some in groupby(sorted(rows, key=place), place):
        first, *more = some = list(some)
        row = {"method": first["method"], "n_topics": first.get("n_topics")}
        names = {name: [row["test"][name] for row in some] for name in first["test"]}
        row["test"] = {name: harness.range_of(values) for name, values in names.items()}
        row["seconds"] = float(np.median([row["seconds"] for row in some]))
        table.append(row | {"starts": len(more) + 1})
    return table


def draw(reports, folder) -> None:
    """Draw scores of the test documents, and seconds of training, against topics.

    Lines are medians over starts, bars their range; methods that know no topics are
    lines across, and other programs are hollow, for they were measured elsewhere.
    """
    for stem, report in reports.items():
        table = summary(report["rows"])
        names = list(table[0]["test"])
        figure, (panels,) = figures.panels(len(names) + 1)
        *of_scores, of_seconds = panels
        lines = [row for row in table if row["n_topics"]]
        looks = cycle(STYLES)
        for method, some in groupby(lines, lambda row: row["method"]):
            rows, look = list(some), next(looks)
            topics = [row["n_topics"] for row in rows]
            of_seconds.plot(topics, [row["seconds"] for row in rows], **look)
            for axes, name in zip(of_scores, names, strict=True):
                values = [row["test"][name] for row in rows]
                figures.error_bars(axes, topics, values, method, look)
        across = [row for row in table if not row["n_topics"]]
        for axes, name in zip(of_scores, names, strict=True):
            for row, dashes in zip(across, cycle(("-", "--", ":")), strict=False):
                look = {"color": "#888888", "ls": dashes, "lw": 1}
                axes.axhline(row["test"][name]["median"], label=row["method"], **look)
            axes.set(ylabel=f"{name} of the test documents")
        figures.log_seconds(of_seconds, "seconds of training")
        hollow = figures.styles("medlda-others").values()
        for (method, points), look in zip(
            report["others"].items(), hollow, strict=False
        ):
            topics = np.array([int(n_topics) for n_topics in points])
            seconds, values = np.array(list(points.values()), float).T
            of_scores[0].plot(topics, values, label=method, ms=8, **look)
            known = ~np.isnan(seconds)
            of_seconds.plot(topics[known], seconds[known], ms=8, **look)
        for axes in panels:
            topics = sorted({row["n_topics"] for row in lines})
            figures.powers_axis(axes, "topics", topics)
        train, test = (report[kind]["documents"] for kind in ("train", "test"))
        title = f"{stem}: {train:,} documents train, {test:,} test; one thread"
        figure.suptitle(title)
        figures.finish(figure, folder / f"{stem}.png", columns=3)
