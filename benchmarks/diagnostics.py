"""Diagnostics of several chains, and the calibration of samplers."""

import time
from functools import partial

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse, stats
from sklearn.base import clone

from benchmarks import RANDOM, blocking, corpora, figures, harness
from benchmarks.programs.ours import recorded
from sklda.diagnostics import sample_chains

KINDS = {"log_joint": "log joint per token, nats"}
draw_chains = partial(figures.draw_curves, kinds=KINDS, looks=blocking.STYLES)
# Topics of different sizes, so that a mistake in alpha shows.
ALPHA, BETA = (0.3, 0.6, 1.2), 0.8
N_WORDS = 6  # few, so that documents repeat them
MEAN_LENGTH = 15  # of documents
N_TEST = 5  # documents that are predicted
N_DRAWS = 39  # of a chain: the rank of the true value is 0 to 39
N_BINS = 20


def run_chains(options) -> None:
    X = corpora.load(options.corpus, options)
    n_train = X.shape[0] - corpora.N_TEST_DOCUMENTS[options.corpus]
    train, test = X[:n_train], X[n_train:]
    report = corpora.shape_of(train) | {"summary": {}, "tables": {}, "chains": {}}
    schedule = {"doc_topic_prior": blocking.ALPHA, "topic_word_prior": blocking.BETA}
    schedule |= {"max_iter": options.sweeps, "burn_in": options.burn_in}
    schedule |= RANDOM | {"thin": options.thin, "evaluate_every": 10}
    for name in options.samplers:
        settings = blocking.settings_of(name)
        lda = settings.pop("estimator")(options.topics, **settings, **schedule)
        sample_chains(clone(lda).set_params(burn_in=1, max_iter=3), train[:50])
        start = time.process_time()  # compiled by now
        seeded = {"n_chains": options.starts, "random_state": 0}
        chains = sample_chains(lda, train, X_test=test, **seeded)
        seconds = time.process_time() - start
        table = in_processor_time(chains, seconds)
        report["tables"][name] = table
        report["chains"][name] = [
            {"log_joint": [round(v / report["tokens"], 5) for v in model.log_joint_]}
            for model in chains.estimators_
        ]
        report["summary"][name] = {
            "seconds": round(seconds, 2),
            "effective_per_second": table["log_joint"]["ess_per_second"],
            "verdict": chains.verdict_,
        }
        harness.print_rows([{"": name, **report["summary"][name]}])
    report["sweeps"] = chains.estimators_[0].log_joint_iter_.tolist()
    harness.write(options, f"chains-{options.corpus}", report, **blocking.FACTS)


def in_processor_time(chains, seconds: float) -> dict[str, dict]:
    """Return the table of diagnostics, per second of the processor; None for NaN."""
    table = chains.summary()
    for row in table.values():
        row["ess_per_second"] = row["ess_bulk"] / seconds
    return {
        name: {key: None if value != value else value for key, value in row.items()}
        for name, row in table.items()
    }


def run_calibration(options) -> None:
    ranks, effective = {}, {}
    for name in options.samplers:
        found = Parallel(options.jobs)(
            delayed(ranks_of)(new_estimator(name, options), seed, options.documents)
            for seed in range(options.replications)
        )
        ranks[name], sizes = map(harness.columns, zip(*found, strict=True))
        effective[name] = {key: float(np.median(v)) for key, v in sizes.items()}
        harness.print_rows([{"": name, **p_values(ranks[name])}])
    report = {"summary": {name: p_values(found) for name, found in ranks.items()}}
    report |= {"effective": effective, "ranks": ranks, "draws": N_DRAWS, "bins": N_BINS}
    facts = {"alpha": ALPHA, "beta": BETA, "words": N_WORDS, "length": MEAN_LENGTH}
    harness.write(options, "calibration", report, **facts)


def new_estimator(name: str, options):
    """Return the estimator of a sampler such as nested-2."""
    settings = blocking.settings_of(name)
    schedule = {"doc_topic_prior": ALPHA, "topic_word_prior": BETA, "evaluate_every": 0}
    schedule |= {"burn_in": options.burn_in, "thin": options.thin}
    schedule["max_iter"] = options.burn_in + N_DRAWS * options.thin
    return settings.pop("estimator")(len(ALPHA), **schedule, **settings)


def ranks_of(lda, seed: int, n_documents: int) -> tuple[dict, dict]:
    """Return the ranks of true values among draws, and effective numbers of draws.

    If the sampler is right, the true topics are one more draw from the posterior.
    """
    rng = np.random.default_rng(seed)
    X, z = draw_corpus(rng, n_documents)
    # Topics of their own: those of X would tell about z what the chain does not know.
    X_test, _ = draw_corpus(rng, N_TEST)
    true, drawn = recorded(lda.set_params(random_state=seed), X, X_test, z)
    ranks, effective = {}, {}
    for name, draws in drawn.items():
        ties = (draws == true[name]).sum()  # whose order is drawn
        below = (draws < true[name]).sum() + rng.integers(ties + 1)
        ranks[name] = int(below)
        effective[name] = harness.effective_sample_size(draws)
    return ranks, effective


def draw_corpus(rng, n_documents: int) -> tuple[sparse.csr_array, np.ndarray]:
    """Return counts of words and the topics of the tokens, drawn from the model."""
    phi = rng.dirichlet(np.full(N_WORDS, BETA), len(ALPHA))
    theta = rng.dirichlet(ALPHA, n_documents)
    lengths = rng.poisson(MEAN_LENGTH, n_documents)
    document = np.repeat(np.arange(n_documents), lengths)
    z = draw_each(theta[document], rng)
    word = draw_each(phi[z], rng)
    X = np.zeros((n_documents, N_WORDS), int)
    np.add.at(X, (document, word), 1)
    by_word = np.lexsort((word, document))  # as sklda orders tokens
    return sparse.csr_array(X), z[by_word].astype(np.uint16)


def draw_each(probabilities, rng) -> np.ndarray:
    """Return a number drawn from each row."""
    below = probabilities.cumsum(axis=1) < rng.random((len(probabilities), 1))
    return np.minimum(below.sum(axis=1), probabilities.shape[1] - 1)


def p_values(ranks: dict[str, list[int]]) -> dict[str, float]:
    """Return the p-value of the chi-square test that ranks are uniform."""
    found = {}
    for name, values in ranks.items():
        counts, _ = np.histogram(values, N_BINS, (0, N_DRAWS + 1))
        found[name] = float(stats.chisquare(counts).pvalue)
    return found


def draw_calibration(reports, folder) -> None:
    for name, report in reports.items():
        found = report["ranks"]
        scalars = list(next(iter(found.values())))
        figure, axes = figures.panels(len(scalars))
        for panel, scalar in zip(axes, scalars, strict=True):
            draw_panel(panel, {name: r[scalar] for name, r in found.items()}, report)
            panel.set_title(scalar)
        axes[0].set_ylabel("difference from the uniform distribution function")
        figures.finish(figure, folder / f"{name}.png")


def draw_panel(axes, ranks: dict[str, list[int]], report) -> None:
    """Draw how far ranks are from uniform, and the band of 95 % of those that are."""
    n, n_ranks = report["options"]["replications"], report["draws"] + 1
    x = np.arange(1, n_ranks + 1) / n_ranks
    low, high = (stats.binom.ppf(q, n, x) / n - x for q in (0.025, 0.975))
    axes.fill_between(x, low, high, color="#dddddd", label="95 % of uniform ranks")
    for name, values in ranks.items():
        below = np.bincount(values, minlength=n_ranks).cumsum() / n
        look = blocking.STYLES[name] | {"marker": None}
        axes.plot(x, below - x, **look, lw=1, label=name)
    axes.set_xlabel(f"rank / {n_ranks}")
    axes.grid(alpha=0.3)
