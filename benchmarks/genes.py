"""Counts of single cells: which sampler predicts held-out counts, and in what time."""

from functools import partial

import numpy as np
from scipy import sparse

from benchmarks import blocking, corpora, figures, harness
from benchmarks.programs import ALPHA, BETA, Program, ours

# --- synthetic counts -----------------------------------------------------------------

# Counts of genes: some have hundreds of molecules in a cell, most none or one, and vary
# more than Poisson counts. Regions of open chromatin are seen once, or not at all.
# Spread, fold and dispersion, see `cell_counts`.
CELLS = {"genes": (2.3, 1.5, 2.0), "regions": (0.7, 2.0, None)}
SPREAD = 0.6  # standard deviation of the logarithm of the sizes of cells
CHANGED = 0.1  # of the columns, in each topic
TOPICS_PER_CELL = 2.0  # sum of the Dirichlet parameters
CELLS_AT_A_TIME = 250


def cell_counts(
    kind: str, n_cells: int, n_columns: int, n_tokens: int, n_topics: int, seed: int = 0
) -> tuple[sparse.csr_array, np.ndarray]:
    """Return counts of cells, about `n_tokens` each, and the topics of the columns.

    Columns have log-normal means, with the standard deviation `spread` of the
    logarithm. In each topic a tenth of them are multiplied by a log-normal number, with
    that of `fold`. Counts are negative binomial, with the variance
    m + m^2 / `dispersion` at the mean m, or Poisson.
    """
    rng, (spread, fold, dispersion) = np.random.default_rng(seed), CELLS[kind]
    changed = rng.random((n_topics, n_columns)) < CHANGED
    topics = np.exp(changed * rng.normal(0, fold, changed.shape))
    topics *= rng.lognormal(0, spread, n_columns)
    topics /= topics.sum(axis=1, keepdims=True)
    shares = rng.dirichlet(np.full(n_topics, TOPICS_PER_CELL / n_topics), n_cells)
    sizes = n_tokens * rng.lognormal(-(SPREAD**2) / 2, SPREAD, (n_cells, 1))
    parts = []
    for first in range(0, n_cells, CELLS_AT_A_TIME):
        cells = slice(first, first + CELLS_AT_A_TIME)
        mean = sizes[cells] * (shares[cells] @ topics)
        if dispersion:
            mean *= rng.standard_gamma(dispersion, mean.shape) / dispersion
        parts.append(sparse.csr_array(rng.poisson(mean).astype(np.int32)))
    return sparse.vstack(parts, format="csr"), topics


# --- samplers ------------------------------------------------------------------------

THIN = 5  # sweeps between the samples whose mean is evaluated
STEPS = (1, 2, 3, 5)  # evaluated sweeps of each decade
NEAR = 0.01  # nats below the best end, which count as there
N_COMPILING = 10  # cells on which kernels are compiled
THREADS = {"two shards": "sharded-2", "partially-collapsed": "partially-collapsed-2"}
KINDS = {"log_probability": "log probability of a held-out count, nats"}
draw_chains = partial(figures.draw_curves, kinds=KINDS, looks=figures.styles("genes"))


def run_chains(options) -> None:
    for corpus in options.corpora:
        shape = options.cells, options.columns, getattr(options, f"tokens_of_{corpus}")
        X, _ = cell_counts(corpus, *shape, options.planted)
        train, held_out = corpora.hold_out_tokens(X)
        report = corpora.shape_of(train) | {"cells_of_one": float((X.data == 1).mean())}
        report["largest"] = int(X.data.max())
        report["in_cells_of_ten"] = float(X.data[X.data >= 10].sum() / X.sum())
        curves = follow(train, held_out, options)
        report["summary"] = summary(curves)
        report["chains"] = {name: [curve] for name, curve in curves.items()}
        facts = {"corpus": corpus, "alpha": ALPHA, "beta": BETA, "near": NEAR}
        harness.write(options, f"chains-{corpus}", report, **facts)


def new_program(name: str, X, n_topics: int, checkpoints) -> Program:
    """Return a compiled program."""
    if name == "CVB0":
        ours.zero_order(X[:N_COMPILING], n_topics, 0).sweep()
        return ours.zero_order(X, n_topics, 0)
    task = X, n_topics, 0, checkpoints
    return blocking.new_program(THREADS.get(name, name), *task, thin=THIN)


def follow(train, held_out, options) -> dict[str, dict]:
    """Return the curve of each program, which take turns of one sweep."""
    checkpoints = harness.geometric(options.sweeps, STEPS)
    task = options.topics, checkpoints

    def evaluate(program):
        value = corpora.log_probability(*program.estimates(), held_out)
        return {"log_probability": round(value, 5)}

    programs = {name: new_program(name, train, *task) for name in options.samplers}
    return harness.follow_programs(programs, checkpoints, evaluate, options.limit)


def summary(curves: dict[str, dict]) -> dict[str, dict]:
    """Return the pace and the end of each curve, and the seconds to near the best."""
    best = max(curve["log_probability"][-1] for curve in curves.values())
    rows = {}
    for name, curve in curves.items():
        seconds, rising = curve["seconds"], curve["log_probability"]
        there = harness.reached(np.array(seconds), np.array(rising), best - NEAR)
        rows[name] = {
            "sweeps": curve["sweeps"][-1],
            "seconds_per_sweep": seconds[-1] / curve["sweeps"][-1],
            "seconds_to_near": there if np.isfinite(there) else None,
            "log_probability": rising[-1],
        }
    return rows
