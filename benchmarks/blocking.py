"""Blocked sampling: the experiments of Zhang and Sisson, and whether blocks pay.

The same curves compare exact samplers on several threads: parallel-chains.
"""

import time
from functools import partial

import numpy as np
from scipy import sparse

from benchmarks import corpora, figures, harness
from benchmarks.programs import ALPHA, BETA, ours
from sklda import CollapsedGibbsLDA, PartiallyCollapsedGibbsLDA, UncollapsedGibbsLDA
from sklda.datasets import make_bars

FACTS = {"alpha": ALPHA, "beta": BETA}  # in reports
STYLES = figures.styles("blocking")
STEPS = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)  # recorded sweeps of each decade
DIGITS = {"log_posterior": None, "perplexity": 2, "seconds": 6}  # in reports
KINDS = {
    "log_posterior": "log posterior, nats",
    "perplexity": "perplexity of the held-out words",
}
ESTIMATORS = {
    "single-site": CollapsedGibbsLDA,
    "single-site-lists": ours.SingleSiteLists,
    "partially-collapsed": PartiallyCollapsedGibbsLDA,
    "uncollapsed": UncollapsedGibbsLDA,
    "collapsed": CollapsedGibbsLDA,
    "sharded": partial(CollapsedGibbsLDA, n_shards=2),
}
# Nats per token that a chain may end below the best. Settled chains differ by about
# 0.001, and local modes are 0.04 or more below the best.
WIDEST_GAP = 0.02
draw_bars = partial(figures.draw_curves, kinds=KINDS, looks=STYLES)
LEVELS = (20, 50, 100, 200)  # sweeps of the first sampler, and all
RISING = {"log_posterior": 1, "perplexity": -1}


def settings_of(name: str) -> dict:
    """Return estimator and parameters of a sampler.

    A number is that of threads, as in uncollapsed-2, or of the tokens of a block, as in
    nested-4.
    """
    if name in ESTIMATORS:
        return {"estimator": ESTIMATORS[name]}
    sampler, _, number = name.rpartition("-")
    if sampler in ESTIMATORS:
        return {"estimator": ESTIMATORS[sampler], "n_jobs": int(number)}
    blocks = {"blocking": sampler or name, "max_block_size": None}
    if sampler:
        blocks["max_block_size"] = int(number)
    return {"estimator": CollapsedGibbsLDA, **blocks}


def new_program(name, X, n_topics, seed=0, checkpoints=(), **means) -> ours.Sklda:
    """Return a compiled sampler; with checkpoints, estimates are means of samples."""
    settings = {"X": X, "n_topics": n_topics, "seed": seed, **settings_of(name)}
    if checkpoints:
        program = ours.KeptMean(**settings, checkpoints=checkpoints, **means)
    else:
        program = ours.Sklda(**settings)
    program.warm_up()
    return program


def recorded_sweeps(last: int) -> list[int]:
    """Return the recorded sweeps, from a fiftieth of the last on."""
    return [s for s in harness.geometric(last, STEPS) if 50 * s >= last]


def run_start(seed, train, held_out, n_topics, options) -> dict[str, dict]:
    """Return the curves of all samplers from one start."""
    recorded = recorded_sweeps(options.sweeps)
    task = train, n_topics, seed, recorded
    programs = {name: new_program(name, *task) for name in options.samplers}
    if hasattr(options, "jobs"):  # starts run side by side
        for program in programs.values():
            program.clock = time.process_time

    def evaluate(program):
        value = None
        if program.n_sweeps in recorded:
            estimates = program.estimates(held_out.shape[0])
            value = corpora.perplexity(*estimates, held_out)
        return {"log_posterior": program.log_joint(), "perplexity": value}

    sweeps = range(1, options.sweeps + 1)
    return harness.follow_programs(programs, sweeps, evaluate)


def known(chain: dict, key: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the sweeps, seconds and values of a curve where it has values."""
    columns = [np.array(chain[of], dtype=float) for of in ("sweeps", "seconds", key)]
    there = np.isfinite(columns[-1])
    return tuple(column[there] for column in columns)


def thin(chains: dict, last: int, keys) -> dict:
    """Return the recorded sweeps, and the chains with values at these only."""
    recorded = recorded_sweeps(last)
    for chain in (chain for runs in chains.values() for chain in runs):
        del chain["sweeps"]
        for key, digits in DIGITS.items():
            values = chain.pop(key)
            if key in keys:
                chain[key] = [round(values[s - 1], digits) for s in recorded]
    return {"sweeps": recorded, "chains": chains}


def run_bars(options) -> None:
    alpha = options.corpus_alpha
    X, _, planted = make_bars(options.documents, doc_topic_prior=alpha, random_state=0)
    data = corpora.split(sparse.csr_array(X), "bars")
    chains = harness.run_starts(run_start, options, *data, len(planted), options)
    report = {"tokens": int(data[0].sum()), "widest_gap": WIDEST_GAP}
    report["summary"] = count_modes(chains, report["tokens"])
    report |= thin(chains, options.sweeps, KINDS)
    harness.write(options, "bars", report, **FACTS)


def count_modes(chains, tokens: int) -> dict[str, dict]:
    """Return how many chains of each sampler end in a local mode."""
    everything = [chain for runs in chains.values() for chain in runs]
    for chain in everything:
        curve = chain["sweeps"], chain["log_posterior"]
        chain["gap"] = harness.end_of(*curve, harness.TAIL) / tokens
    best = max(chain["gap"] for chain in everything)
    for chain in everything:
        chain["gap"] = round(best - chain["gap"], 5)
    return {
        name: {
            "chains": len(runs),
            "below_best": sum(chain["gap"] > WIDEST_GAP for chain in runs),
        }
        for name, runs in chains.items()
    }


def run_chains(options) -> None:
    for corpus in options.corpora:
        train, held_out = corpora.split(corpora.load(corpus, options), corpus)
        shape = corpora.shape_of(train)
        shape["mean_cell"] = shape["tokens"] / shape["cells"]
        shape["cells_of_one"] = float((train.data == 1).mean())
        for n_topics in options.topics:
            data = train, held_out, n_topics, options
            chains = harness.run_starts(run_start, options, *data)
            report = shape | {"summary": summary_of_chains(chains)}
            report["levels"] = levels(chains)
            harness.print_rows(report["levels"])
            report |= thin(chains, options.sweeps, DIGITS)
            facts = {"corpus": corpus, "topics": n_topics, **FACTS}
            harness.write(options, f"chains-{corpus}-{n_topics}", report, **facts)


def summary_of_chains(chains) -> dict[str, dict]:
    """Return the seconds per sweep, the ends and the efficiency of each sampler."""
    rows = {}
    for name, runs in chains.items():
        rates = [effective_per_second(chain) for chain in runs]
        paces = [np.median(np.diff(chain["seconds"], prepend=0)) for chain in runs]
        ends = {key: [chain[key][-1] for chain in runs] for key in RISING}
        rows[name] = {
            "seconds_per_sweep": float(np.median(paces)),
            **{key: harness.range_of(values) for key, values in ends.items()},
            "effective_per_second": harness.range_of(rates),
        }
    return rows


def effective_per_second(chain) -> float:
    """Return the effective samples per second, in the second half of the sweeps."""
    first, seconds = len(chain["sweeps"]) // 2, chain["seconds"]
    n = harness.effective_sample_size(chain["log_posterior"][first:])
    return n / (seconds[-1] - seconds[first - 1])


def levels(chains) -> list[dict]:
    """Return when samplers reach what the first reaches after some sweeps: medians."""
    rows = []
    for key, sign in RISING.items():
        curves = {n: [known(c, key) for c in s] for n, s in chains.items()}
        first = next(iter(curves.values()))
        recorded = first[0][0]
        shown = recorded[np.isin(recorded, LEVELS) | (recorded == recorded[-1])]
        for after in shown:
            level = np.median([values[s == after] for s, _, values in first])
            row = {"of": key, "after": int(after), "level": float(level)}
            for i, of in enumerate(("sweeps", "seconds")):
                row[of] = {
                    name: harness.median_of(
                        harness.reached(curve[i], sign * curve[2], sign * level)
                        for curve in runs
                    )
                    for name, runs in curves.items()
                }
            rows.append(row)
    return rows


def draw_panels(panels, report) -> None:
    """Draw log posteriors and perplexities, in the range of the first sampler."""
    sweeps, tokens, edges = report["sweeps"], report["tokens"], []
    for name, chains in report["chains"].items():
        posterior = [np.array(chain["log_posterior"]) / tokens for chain in chains]
        perplexity = [chain["perplexity"] for chain in chains]
        seconds = [chain["seconds"] for chain in chains]
        by_sweeps = [sweeps] * len(chains), posterior
        lines = by_sweeps, (seconds, posterior), (seconds, perplexity)
        for axes, line in zip(panels, lines, strict=True):
            figures.plot_chains(axes, *line, STYLES[name], name)
        edges = edges or [axes.get_ylim() for axes in panels]
    for axes, x in zip(panels, ("sweeps", "seconds", "seconds"), strict=True):
        axes.set(xlabel=x, ylabel="log posterior per token, nats")
    for axes, (bottom, _) in zip(panels[:2], edges[:2], strict=True):
        axes.set_ylim(bottom=bottom)
    panels[2].set(ylabel=KINDS["perplexity"], ylim=(None, edges[2][1]))


draw_chains = partial(figures.per_report, n_panels=3, draw=draw_panels)


draw_speed = partial(figures.draw_rows, looks=STYLES)


def run_speed(options) -> None:
    for corpus in options.corpora:
        named = new_program, options.samplers, corpus
        harness.measure_speed(*named, options, **FACTS)
