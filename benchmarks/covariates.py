"""Covariates: coverage of intervals, held-out scores, and other programs."""

from functools import partial
from itertools import product
from time import perf_counter

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.preprocessing import SplineTransformer
from threadpoolctl import threadpool_limits

from benchmarks import RANDOM, corpora, harness
from benchmarks.programs import available
from benchmarks.programs.others import texts_of, with_unseen
from sklda import DMRLDA, CollapsedGibbsLDA
from sklda.inspection import estimate_effect, predicted_proportions

LEVELS = (0.8, 0.95)
THIN = 5  # sweeps between kept samples
# Planted weights are normal: medians of alpha, and standard deviations.
ALPHA, BETA, INTERCEPT_SCALE = 0.3, 0.05, 0.5
REGRESSIONS = 25  # kept draws for estimate_effect
SAME = 0.8  # affinity of the words of topics that are compared

# --- planted weights ------------------------------------------------------------------


def run_coverage(options) -> None:
    """Measure how often intervals hold planted values."""
    corpora_of = product(options.effects, range(options.corpora))
    found = Parallel(options.jobs)(
        delayed(measure)(effect, seed, options) for effect, seed in corpora_of
    )
    rows: dict[str, list] = {}
    for new in found:
        for name, row in new.items():
            rows.setdefault(name, []).append(row)
    chains = {name: harness.columns(of) for name, of in rows.items()}
    summary = {name: mean_of(columns) for name, columns in chains.items()}
    facts = {"alpha": ALPHA, "beta": BETA, "intercept_scale": INTERCEPT_SCALE}
    report = {"summary": summary, "chains": chains}
    harness.write(options, "coverage", report, **facts)


def measure(effect: float, seed: int, options) -> dict[str, dict]:
    """Return what the intervals of each method hold of the weights of one corpus."""
    X, covariates, weights, topics = plant(effect, seed, options)
    as_if = [covariates.copy(), covariates.copy()]
    for value, setting in enumerate(as_if):
        setting[:, 0] = value
    mean, scale = covariates.mean(axis=0), covariates.std(axis=0)
    centred, coef = weights[:, 0], weights[:, 1:] / scale
    truth = {
        "intercepts": centred,
        "weights": weights[:, 1:],
        "differences": difference(as_if, centred - coef @ mean, coef),
    }
    schedule = {"topic_word_prior": BETA, "random_state": seed, "evaluate_every": 0}
    schedule |= RANDOM | {"n_components": options.topics, "burn_in": options.burn_in}
    found = {}
    for name, prior in priors_of(effect, options).items():
        sweeps = options.burn_in + THIN * max(options.draws)
        dmr = DMRLDA(max_iter=sweeps, thin=THIN, **prior, **schedule)
        dmr.fit(X, covariates=covariates)
        order = same_topics(topics, dmr.topic_word_)[0]
        coef, intercept = dmr.coef_draws_[:, order], dmr.intercept_draws_[:, order]
        drawn = {
            "intercepts": intercept + coef @ mean,
            "weights": coef * scale,
            "differences": difference(as_if, intercept, coef),
        }
        for n_draws in options.draws:
            for key, draws in drawn.items():
                intervals = [interval(draws[:n_draws], level) for level in LEVELS]
                found[f"{name}; {n_draws}; {key}"] = held(truth[key], intervals)
    if "default" in options.priors:
        intervals = regression(X, covariates, topics, options, schedule)
        found["regression; differences"] = held(truth["differences"], intervals)
    kind = "planted" if effect else "none"
    return {f"{kind}; {name}": {"seed": seed, **row} for name, row in found.items()}


def priors_of(effect: float, options) -> dict[str, dict]:
    """Return the default priors, and those of the planted weights if there are any."""
    planted = {"doc_topic_prior": ALPHA, "intercept_scale": INTERCEPT_SCALE}
    known = {"default": {}}
    if effect:
        known["planted"] = planted | {"weight_scale": effect}
    return {f"{n} priors": of for n, of in known.items() if n in options.priors}


def regression(X, covariates, topics, options, schedule: dict) -> list[np.ndarray]:
    """Return intervals of estimate_effect after a fit without covariates."""
    sweeps = THIN * min(options.draws)
    lda = CollapsedGibbsLDA(
        max_iter=options.burn_in + sweeps,
        thin=max(1, sweeps // REGRESSIONS),
        keep_draws=min(REGRESSIONS, sweeps),
        learn_priors="asymmetric",
        **schedule,
    ).fit(X)
    order = same_topics(topics, lda.topic_word_)[0]
    seeded, found = {"random_state": schedule["random_state"]}, []
    for level in LEVELS:
        effects = estimate_effect(
            lda.draws_, covariates, confidence_level=level, **seeded
        )
        columns = effects.coefficient, effects.low, effects.high
        found.append(np.array([column[order, 1] for column in columns]))
    return found


def plant(effect: float, seed: int, options) -> tuple:
    """Return counts, covariates, weights of standardised covariates, and topics.

    One covariate is binary and one normal.
    """
    rng, n_documents = np.random.default_rng(seed), options.documents
    topics = rng.dirichlet(np.full(options.words, BETA), options.topics)
    binary, normal = rng.integers(0, 2, n_documents), rng.normal(size=n_documents)
    covariates = np.column_stack([binary, normal]).astype(float)
    weights = rng.normal(size=(options.topics, 3)) * [INTERCEPT_SCALE, effect, effect]
    weights[:, 0] += np.log(ALPHA)
    standardised = (covariates - covariates.mean(axis=0)) / covariates.std(axis=0)
    alpha = np.exp(weights[:, 0] + standardised @ weights[:, 1:].T)
    theta = np.array([rng.dirichlet(row) for row in alpha])
    lengths = np.maximum(rng.poisson(options.length, n_documents), 1)
    rows = zip(lengths, theta @ topics, strict=True)
    X = np.array([rng.multinomial(length, words) for length, words in rows])
    return sparse.csr_array(X), covariates, weights, topics


def difference(settings, intercept, coef) -> np.ndarray:
    """Return the mean proportions of the second setting less those of the first.

    They are expected proportions, the mean over documents, of one or more draws.
    """
    means = []
    for rows in settings:
        alpha = np.exp(intercept[..., np.newaxis, :] + rows @ np.swapaxes(coef, -1, -2))
        means.append((alpha / alpha.sum(axis=-1, keepdims=True)).mean(axis=-2))
    return means[1] - means[0]


def same_topics(topics, topic_word) -> tuple[np.ndarray, np.ndarray]:
    """Return the fitted topic of each topic, and the affinity of their words."""
    affinity = np.sqrt(topics) @ np.sqrt(topic_word).T
    row, column = linear_sum_assignment(affinity, maximize=True)
    return column, affinity[row, column]


def interval(draws, level: float) -> np.ndarray:
    """Return the mean of draws, and the ends of their interval."""
    ends = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return np.array([draws.mean(axis=0), *ends])


def held(truth, intervals) -> dict[str, float]:
    """Return the share of true values in intervals, and the mean width and error."""
    found = {}
    for level, (estimate, low, high) in zip(LEVELS, intervals, strict=True):
        is_inside = (low <= truth) & (truth <= high)
        found[f"{level:.0%}"] = round(float(is_inside.mean()), 4)
        found["width"] = round(float((high - low).mean()), 5)  # of the last level
        found["error"] = round(float(abs(estimate - truth).mean()), 5)
    return found


def mean_of(columns: dict[str, list]) -> dict[str, float]:
    """Return means over the corpora, and the standard errors of the shares."""
    found = {"corpora": len(columns["seed"])}
    for key in ("80%", "95%", "width", "error"):
        found[key] = round(float(np.mean(columns[key])), 4)
    for key in ("80%", "95%"):
        error = np.std(columns[key]) / np.sqrt(found["corpora"])
        found[f"{key}, standard error"] = round(float(error), 4)
    return found


# --- political blogs ------------------------------------------------------------------


def load_posts(
    home: str,
) -> tuple[sparse.csr_array, np.ndarray, np.ndarray, np.ndarray]:
    """Return counts, rating and curves of the posts, and which are for the test."""
    X, rating, day = corpora.read_blogs(home)
    rating, day = (rating == "Liberal").astype(float), day.astype(float)
    curve = SplineTransformer(5, include_bias=False).fit_transform(day[:, np.newaxis])
    curves = np.column_stack([rating, curve, rating[:, np.newaxis] * curve])
    is_test = np.random.default_rng(0).random(day.size) < 0.2
    X = X[:, X[~is_test].sum(axis=0).nonzero()[0]]
    return X, rating[:, np.newaxis], curves, is_test


def run_heldout(options) -> None:
    """Score held-out posts under models with and without covariates."""
    X, rating, curves, is_test = load_posts(options.covariates_home)
    schedule = {"max_iter": options.sweeps, "evaluate_every": 0} | RANDOM
    schedule["topic_word_prior"] = BETA
    lda = partial(CollapsedGibbsLDA, thin=10)
    asymmetric = partial(lda, learn_priors="asymmetric")
    models = {
        "1/K": (partial(lda, learn_priors=None), {}),
        "asymmetric": (asymmetric, {}),
        "intercepts": (DMRLDA, {}),
        "rating": (DMRLDA, {"covariates": rating}),
        "rating x day": (DMRLDA, {"covariates": curves}),
    }
    rows = []
    for n_topics in options.topics:
        scores: dict[str, list[float]] = {name: [] for name in models}
        for seed in range(options.starts):
            for name, (estimator, more) in models.items():
                lda = estimator(n_topics, random_state=seed, **schedule)
                train, test = (
                    {key: rows[part] for key, rows in more.items()}
                    for part in (~is_test, is_test)
                )
                lda.fit(X[~is_test], **train)
                scores[name].append(round(lda.score(X[is_test], **test), 5))
                harness.print_rows([{"K": n_topics, "": name, "is": scores[name][-1]}])
        rows.append({"n_topics": n_topics, "score": scores})
    report = {**corpora.shape_of(X), "test": int(is_test.sum()), "rows": rows}
    harness.write(options, "heldout", report, alpha="1/K, or learnt", beta=BETA)


# --- other programs -------------------------------------------------------------------


def run_peers(options) -> None:
    """Compare scores, effects and seconds of programs on the ratings of the posts."""
    X, rating, _, is_test = load_posts(options.covariates_home)
    train, test = (X[~is_test], rating[~is_test]), (X[is_test], rating[is_test])
    halves = corpora.hold_out_tokens(test[0], 0.5)
    fit_sklda((train[0][:50], train[1][:50]), 0, options, sweeps=3)  # compiles
    reference = fit_sklda(train, options.starts, options)
    rows = []
    with threadpool_limits(1):
        for seed in range(options.starts):
            for name, fit in FITS.items():
                start = perf_counter()
                fitted = fit(train, seed, options)
                seconds = perf_counter() - start
                row = {"program": name, "seed": seed, "seconds": round(seconds, 2)}
                row["score"] = score(fitted, halves, test[1])
                rows.append(row | agreement(reference, fitted))
                harness.print_rows(rows[-1:])
    keys = ("seconds", "score", "matched", "correlation", "same_sign", "slope")
    summary = {
        name: {
            key: harness.range_of([r[key] for r in rows if r["program"] == name])
            for key in keys
        }
        for name in FITS
    }
    clear = {"clear": int(is_clear(reference["contrast"]).sum())}
    report = {**corpora.shape_of(X), **clear, "summary": summary, "rows": rows}
    peer = f"topica {available(['topica'])['topica']}"
    harness.write(options, "peers", report, alpha="learnt", beta=BETA, peer=peer)


def fit_sklda(train, seed: int, options, sweeps=None) -> dict:
    """Return the topics, the differences, and proportions of documents."""
    X, rating = train
    dmr = DMRLDA(
        options.topics,
        max_iter=sweeps or options.sweeps,
        topic_word_prior=BETA,
        evaluate_every=0,
        random_state=seed,
        **RANDOM,
    ).fit(X, covariates=rating)
    contrast = predicted_proportions(dmr, [[0.0], [1.0]]).contrast(1, 0)
    return {
        "topic_word": dmr.topic_word_,
        "difference": contrast.difference,
        "contrast": contrast,
        "doc_topic": lambda X, rating: dmr.transform(X, covariates=rating),
    }


def fit_topica(kind: str, train, seed: int, options) -> dict:
    """Return the same of topica's DMR or STM."""
    import topica

    X, rating = train
    documents = texts_of(X)
    if kind == "DMR":
        model = topica.DMR(options.topics, beta=BETA, seed=seed, num_threads=1)
        model.fit(documents, rating, iters=options.sweeps)
        effects = np.asarray(model.feature_effects).reshape(options.topics, 2)
        alpha = np.exp(effects @ [[1.0, 1.0], [0.0, 1.0]])  # of both ratings
        low, high = (alpha / alpha.sum(axis=0)).T
        infer = model.transform
    else:
        model = topica.STM(options.topics, seed=seed)
        model = model.fit(documents, rating, num_threads=1) or model
        theta = np.asarray(model.doc_topic)
        low, high = (theta[rating[:, 0] == value].mean(axis=0) for value in (0, 1))

        def infer(documents, rating):
            return topica.stm.transform(model, documents, prevalence=rating)

    seen = np.array(model.vocabulary, dtype=int)
    topics = with_unseen(np.asarray(model.topic_word), seen, X.shape[1])
    return {
        "topic_word": topics,
        "difference": high - low,
        "doc_topic": lambda X, rating: np.asarray(infer(texts_of(X), rating)),
    }


FITS = {
    "sklda": fit_sklda,
    "topica, DMR": partial(fit_topica, "DMR"),
    "topica, STM": partial(fit_topica, "STM"),
}


def score(fitted: dict, halves, rating) -> float:
    """Return the log probability of a token of one half, given the other half."""
    total = 0.0
    for known, held_out in (halves, halves[::-1]):
        theta = fitted["doc_topic"](known, rating)
        mean = corpora.log_probability(theta, fitted["topic_word"], held_out)
        total += mean * held_out.sum()
    return round(float(total / (halves[0].sum() + halves[1].sum())), 5)


def agreement(reference: dict, fitted: dict) -> dict:
    """Return how the differences of a fit resemble those of another one."""
    order, affinity = same_topics(reference["topic_word"], fitted["topic_word"])
    ours, theirs = reference["difference"], fitted["difference"][order]
    is_same = affinity > SAME
    clear = is_same & is_clear(reference["contrast"])
    ours, theirs, sure = ours[is_same], theirs[is_same], clear[is_same]
    return {
        "matched": int(is_same.sum()),
        "correlation": round(float(np.corrcoef(ours, theirs)[0, 1]), 3),
        "slope": round(float(ours @ theirs / (ours @ ours)), 3),
        "same_sign": round(float((ours * theirs > 0)[sure].mean()), 3),
    }


def is_clear(contrast) -> np.ndarray:
    """Return which intervals exclude 0."""
    return (contrast.low > 0) | (contrast.high < 0)
