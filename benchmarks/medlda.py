"""The experiments of Zheng, Yu and Xing on supervised topics."""

import json
import resource
import time
from argparse import Namespace
from functools import partial, reduce
from itertools import product
from operator import getitem, itemgetter
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from benchmarks import PAPER, PLAIN, corpora, figures, harness, options_of
from benchmarks.internals import Supervised
from benchmarks.synthetic import labelled_corpus
from sklda import CollapsedGibbsLDA, MedLDAClassifier
from sklda.metrics import topic_coherence

FIXED = {"alpha": "6.4 / K", "beta": 0.01}  # in reports
N_WARM = 60  # documents of the fit that compiles
OF_WORDS = ("naive Bayes", "tf-idf, SVM", "tf-idf, logistic")
PARAMETERS = ("C", "prior_precision", "n_mh_steps", "n_weight_steps", "max_iter")
STYLES = list(figures.styles("medlda").values())
IDENTITY = ("method", "n_topics", "documents", "seed")  # of a row
CLASSES = (0, 19)  # alt.atheism, talk.religion.misc
SWEEPS = (1, 5)
FLAT = 0.01  # of F1
FEW_STEPS = 20  # of predictions on the way
N_TOP_WORDS = 10  # of a topic, whose coherence is measured
N_LABELS = 90  # of Reuters, the largest
MANY_LABELS = {"n_components": 400, "prior_precision": 30.0, "doc_topic_prior": 0.05}


def settings_of(options) -> dict[str, dict]:
    """Return the parameters of each method by its name."""
    defaults = options_of(options.question)
    chosen = {name: getattr(options, name) for name in PARAMETERS if name in defaults}
    changed = {n: v for n, v in chosen.items() if v != defaults[n]["default"]}
    texts, found = [f"{name} = {value}" for name, value in changed.items()], {}
    if "max_iter" in chosen:
        chosen["burn_in"] = chosen["max_iter"] - 1
    for strategy, sampler in product(options.strategies, options.samplers):
        both = {"sampler": sampler, "multi_class": strategy}
        found[", ".join([strategy, sampler, *texts])] = both | chosen
    return found


def fixed(n_topics: int, seed: int) -> dict:
    priors = {"doc_topic_prior": 6.4 / n_topics, "topic_word_prior": FIXED["beta"]}
    return priors | PLAIN | {"n_jobs": 1, "random_state": seed}


def medlda(n_topics: int, seed: int, **settings) -> MedLDAClassifier:
    return MedLDAClassifier(n_topics, **fixed(n_topics, seed) | settings)


def baseline(name: str, y, n_topics=None, seed=0):
    """Return a classifier of one label, or of each column if y has columns."""
    svm, first = LinearSVC(), [TfidfTransformer()]
    if name == "naive Bayes":
        svm, first = MultinomialNB(alpha=0.01), []
    elif name == "tf-idf, logistic":
        svm = LogisticRegression(max_iter=1000)
    elif name not in OF_WORDS:
        kept = {"max_iter": 100, "thin": 10}
        lda = CollapsedGibbsLDA(n_topics, **fixed(n_topics, seed), **kept)
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
    lda = first_step(estimator)
    if hasattr(lda, "burn_in"):
        warm(lda, X, y)
    _, seconds = timed(estimator.fit, X, y)
    predicted, predict_seconds = timed(estimator.predict, X_test)
    row = {"seconds": round(seconds, 3), "predict_seconds": round(predict_seconds, 3)}
    row["test"] = scores(y_test, predicted)
    return row | {"train": scores(y, estimator.predict(X))}


def first_step(estimator):
    return estimator[0] if hasattr(estimator, "steps") else estimator


def timed(do, *data) -> tuple:
    """Return what a function returns, and its processor time."""
    with threadpool_limits(1):
        start = time.process_time()
        return do(*data), time.process_time() - start


def scores(y, predicted) -> dict[str, float]:
    """Return the accuracy, or both kinds of F1 if y has columns."""
    found = {"accuracy": accuracy_score(y, predicted)}
    if y.ndim == 2:
        both, f1 = ("micro", "macro"), partial(f1_score, y, predicted, zero_division=0)
        found = {f"{mean} F1": f1(average=mean) for mean in both}
    return {name: round(float(value), 5) for name, value in found.items()}


def score(options, name, train, test, note="", **facts) -> None:
    """Score all methods that are chosen, and add their rows to the report."""
    settings, rows = settings_of(options), []
    for seed, n_topics in [(0, 0), *product(range(options.starts), options.topics)]:
        place = {"n_topics": n_topics, "seed": seed}
        chosen = [m for m in options.baselines if (m in OF_WORDS) == (not n_topics)]
        cases = {method: baseline(method, train[1], **place) for method in chosen}
        if n_topics:
            cases |= {m: medlda(**place, **more) for m, more in settings.items()}
        for method, estimator in cases.items():
            row = {"method": method, **place, **fit_and_score(estimator, train, test)}
            rows.append(row | {"settings": settings.get(method)})
            harness.print_rows([row])
    for kind, (X, _) in (("train", train), ("test", test)):
        facts[kind] = {"documents": X.shape[0], "tokens": int(X.sum())}
    others = json.loads(Path(__file__).with_name("medlda.json").read_text())
    facts |= {"words": train[0].shape[1], "others": others.get(name, {}), "note": note}
    save(options.folder, name, rows, **facts)


def save(folder, name: str, rows: list[dict], **facts) -> None:
    """Write rows, after those of earlier runs."""
    new = [[row.get(key) for key in IDENTITY] for row in rows]
    earlier = harness.read(folder, name).get(name, {"rows": []})["rows"]
    kept = [row for row in earlier if [row.get(key) for key in IDENTITY] not in new]
    report = {**facts, "rows": kept + rows}
    harness.write(Namespace(folder=folder), name, report, **FIXED)


def points(rows, *keys) -> dict[str, dict[int, dict]]:
    """Return median and range over starts of each method, by topics (0: of none)."""
    found: dict[str, dict[int, list]] = {}
    for row in sorted(rows, key=itemgetter("n_topics")):
        by_topics = found.setdefault(row["method"], {})
        value = reduce(getitem, keys, row)
        by_topics.setdefault(row["n_topics"], []).append(value)
    return {
        method: {n: harness.range_of(values) for n, values in by_topics.items()}
        for method, by_topics in found.items()
    }


def draw_scores(reports, folder) -> None:
    """Draw scores and seconds against topics: other programs with hollow markers."""
    first, *_ = (report["rows"][0]["test"] for report in reports.values())
    kinds = {f"{name} of the test documents": ("test", name) for name in first}
    kinds["seconds of training"] = ("seconds",)
    draw_one = partial(draw_panels, kinds=kinds)
    figures.per_report(reports, folder, len(kinds), draw_one)


def draw_panels(panels, report, kinds) -> None:
    hollow = figures.styles("medlda-others").values()
    hollow = dict(zip(report["others"], hollow, strict=False))
    for axes, (label, keys) in zip(panels, kinds.items(), strict=True):
        found, place = points(report["rows"], *keys), int(keys != ("seconds",))
        across = {method: rows.pop(0) for method, rows in found.items() if 0 in rows}
        for method, dashes in zip(across, ("-", "--", ":"), strict=False):
            look = {"label": method, "color": "#888888", "ls": dashes, "lw": 1}
            axes.axhline(across[method]["median"], **look)
        found = {method: rows for method, rows in found.items() if rows}
        looks = hollow | dict(zip(found, STYLES, strict=False))
        for method, others in report["others"].items():
            found[method] = {int(n): pair[place] for n, pair in others.items()}
        figures.lines(axes, found, looks, "topics", label, log=not place)


draw_newsgroups = draw_binary = draw_reuters = draw_scores


def run_newsgroups(options) -> None:
    train, test = corpora.read_newsgroups(options)
    words = "no-stop-words" if options.drop_stop_words else "all-words"
    score(options, f"newsgroups-{words}", train, test)


def run_binary(options) -> None:
    documents = read_pair(options)
    score(options, "binary", *documents, PAPER["medlda-binary"])


def read_pair(options) -> list[tuple]:
    """Return the documents of two classes of 20 Newsgroups."""
    documents = corpora.read_newsgroups(options)
    return [(X[np.isin(y, CLASSES)], y[np.isin(y, CLASSES)]) for X, y in documents]


def run_reuters(options) -> None:
    labels, train, test = corpora.read_reuters(options.reuters_home)
    score(options, "reuters", train, test, labels=labels)


def run_corpora(options) -> None:
    """Compare classifiers on corpora of several kinds, with default parameters."""
    for corpus in options.corpora:
        train, test = read_labelled(corpus, options)
        topics = getattr(options, f"topics_of_{corpus}", options.topics)
        rows = []
        for method, estimator in classifiers(train[1], topics):
            lda = first_step(estimator)
            row = {"method": method, "n_topics": getattr(lda, "n_components", 0)}
            row |= fit_and_score(estimator, train, test)
            rows.append(row | {"coherence": coherence(lda, train[0])})
            harness.print_rows(rows[-1:])
        report = {"documents": train[0].shape[0], "rows": rows}
        harness.write(options, f"corpora-{corpus}", report, alpha=None, beta=None)


def read_labelled(corpus: str, options) -> list[tuple]:
    """Return counts and labels of training and test documents."""
    if corpus == "reuters":
        return list(corpora.read_reuters(options.reuters_home, N_LABELS)[1:])
    if corpus == "blogs":
        X, rating, _ = corpora.read_blogs(options.covariates_home)
        *X, y, y_test = train_test_split(X, rating, test_size=0.2, random_state=0)
        return list(zip(X, (y, y_test), strict=True))
    home, is_plain = options.newsgroups_home, corpus == "newsgroups"
    place = Namespace(newsgroups_home=home, drop_stop_words=not is_plain)
    return read_pair(place) if corpus == "pair" else corpora.read_newsgroups(place)


def classifiers(y, topics: list[int]) -> list[tuple]:
    """Return classifiers with their names: of words, and of topics with and without y.

    With several labels per document, they include topics that suit these.
    """
    logistic, root = LogisticRegression(max_iter=1000), FunctionTransformer(np.sqrt)
    found = [("tf-idf, SVM", baseline("tf-idf, SVM", y))]
    if y.ndim == 2:
        logistic, svm = OneVsRestClassifier(logistic), OneVsRestClassifier(LinearSVC())
        many = MedLDAClassifier(**MANY_LABELS, random_state=0)
        found.append(("MedLDA, many labels", many))
        found.append(("MedLDA, many labels, SVM", make_pipeline(many, root, svm)))
    for n_topics in topics:
        lda = CollapsedGibbsLDA(n_topics, random_state=0)
        found.append(("MedLDA", MedLDAClassifier(n_topics, random_state=0)))
        found.append(("LDA, logistic", make_pipeline(lda, root, logistic)))
    return found


def coherence(lda, X) -> float | None:
    """Return the mean coherence (NPMI) of topics, or None of words."""
    if not hasattr(lda, "components_"):
        return None
    found = topic_coherence(lda, X, "npmi", min(N_TOP_WORDS, X.shape[1]))
    return float(np.nanmean(found))


def run_growth(options) -> None:
    (X, y), _ = corpora.read_newsgroups(options)
    cases = [(n_topics, y.size) for n_topics in options.topics]
    cases += [(options.fixed_topics, min(n, y.size)) for n in options.documents]
    rows = []
    for method, settings in settings_of(options).items():
        for n_topics, size in dict.fromkeys(cases):
            part = first_documents(X, y, size)
            row = {"method": method, "n_topics": n_topics, "documents": size}
            row["tokens"] = int(part[0].sum())
            row["seconds_per_sweep"] = seconds_per_sweep(*part, n_topics, settings)
            harness.print_rows([row])
            rows.append(row | {"settings": settings})
    fixed = {"fixed_topics": options.fixed_topics, "all_documents": y.size}
    save(options.folder, "growth", rows, **fixed)


def first_documents(X, y, size: int) -> tuple:
    return X[:size][:, np.unique(X[:size].indices)], y[:size]


def seconds_per_sweep(X, y, n_topics, settings) -> float:
    fits = [{"max_iter": sweeps, "burn_in": sweeps - 1} for sweeps in SWEEPS]
    estimators = [medlda(n_topics, 0, **settings, **fit) for fit in fits]
    warm(estimators[0], X, y)
    seconds = [timed(estimator.fit, X, y)[1] for estimator in estimators]
    return (seconds[1] - seconds[0]) / (SWEEPS[1] - SWEEPS[0])


def run_size(options) -> None:
    """Follow the F1 of held-out documents, one chain after the other."""
    n, n_test = options.documents, options.test_documents
    shape = n + n_test, options.words, (n + n_test) * options.length
    X, y = labelled_corpus(*shape, options.labels, options.planted)
    train, test = (X[:n], y[:n]), (X[n:], y[n:])
    name = f"size-{n}"
    rows = harness.read(options.folder, name).get(name, {"rows": []})["rows"]
    for n_topics, init in product(options.topics, options.init):
        key = {"n_topics": n_topics, "init": init}
        row = key | follow_f1(key, options, train, test)
        harness.print_rows([row])
        rows = [other for other in rows if not key.items() <= other.items()] + [row]
        report = {"tokens": int(train[0].sum()), "rows": rows}
        harness.write(options, name, report, note=PAPER["medlda-size"], **FIXED)


def follow_f1(key, options, train, test) -> dict:
    """Return F1 by sweeps and seconds, of which the start of the chain is a part."""
    threads = {"n_shards": options.shards, "n_jobs": options.threads}
    lda = medlda(key["n_topics"], 0, init=key["init"], n_fold_in_steps=FEW_STEPS)
    lda.set_params(**threads)
    warm(lda, *train)
    curve = {key: [] for key in ("sweeps", "seconds", "micro F1", "macro F1")}
    start, done = time.perf_counter(), 0
    chain = Supervised(lda, *train)
    with chain.threads(), threadpool_limits(1):
        seconds = began = time.perf_counter() - start
        for sweeps in harness.geometric(options.sweeps):
            seconds += chain.seconds(sweeps - done)
            done = sweeps
            found = scores(test[1], chain.predict(test[0]))
            point = {"sweeps": sweeps, "seconds": round(seconds, 3), **found}
            harness.print_rows([key | point])
            for name in curve:
                curve[name].append(point[name])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    paces = np.diff(curve["seconds"]) / np.diff(curve["sweeps"])
    row = {"start": began, "seconds_per_sweep": float(paces[-1]), "peak_bytes": peak}
    return row | {"flat": flat(curve), **curve}


def flat(curve: dict[str, list]) -> dict:
    """Return sweeps and seconds from which on F1 stays within 0.01 of its end."""
    f1 = np.array(curve["micro F1"])
    is_far = np.flatnonzero(abs(f1 - f1[-1]) > FLAT)
    first = is_far[-1] + 1 if is_far.size else 0
    return {key: curve[key][first] for key in ("sweeps", "seconds")}


def draw_size(reports, folder) -> None:
    """Draw F1 against sweeps and against seconds."""

    def draw_one(panels, report):
        for axes, x in zip(panels, ("sweeps", "seconds"), strict=True):
            names = [f"K = {row['n_topics']}, {row['init']}" for row in report["rows"]]
            points = {
                name: dict(zip(row[x], row["micro F1"], strict=True))
                for name, row in zip(names, report["rows"], strict=True)
            }
            looks = dict(zip(names, STYLES, strict=False))
            figures.lines(axes, points, looks, x, "micro F1", log=False)
            figures.plain_numbers(axes.xaxis)
            axes.tick_params(axis="x", rotation=0)

    figures.per_report(reports, folder, 2, draw_one)


def draw_growth(reports, folder) -> None:
    """Draw seconds against topics and against documents."""

    def draw_one(panels, report):
        methods = dict.fromkeys(row["method"] for row in report["rows"])
        looks = dict(zip(methods, STYLES, strict=False))
        whole, fixed = report["all_documents"], report["fixed_topics"]
        kinds = ("n_topics", "documents", whole), ("documents", "n_topics", fixed)
        for axes, (of, key, value) in zip(panels, kinds, strict=True):
            points = {method: {} for method in methods}
            for row in sorted(report["rows"], key=lambda row: row[of]):
                if row[key] == value:
                    points[row["method"]][row[of]] = row["seconds_per_sweep"]
            labels = of.removeprefix("n_"), "seconds per sweep"
            figures.lines(axes, points, looks, *labels, slope=True)
            axes.set_title(f"{value:,} {key.removeprefix('n_')}")

    figures.per_report(reports, folder, 2, draw_one)
