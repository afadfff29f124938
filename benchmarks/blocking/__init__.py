"""Blocked sampling: the experiments of Zhang and Sisson, and whether blocks pay."""

import time

import numpy as np
from joblib import Parallel, delayed

from benchmarks import corpora, figures, harness
from benchmarks.internals import Sklda
from benchmarks.programs import ALPHA, BETA, ours
from sklda import (
    CollapsedGibbsLDA,
    PartiallyCollapsedGibbsLDA,
    UncollapsedGibbsLDA,
)

FACTS = {"alpha": ALPHA, "beta": BETA}  # in reports
STYLES = figures.styles("blocking")
STEPS = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)  # recorded sweeps of each decade
DIGITS = {"log_posterior": None, "perplexity": 2, "seconds": 6}  # in reports
KINDS = {
    "log_posterior": "log posterior, nats",
    "perplexity": "perplexity of the held-out words",
}


def settings_of(name: str) -> dict:
    """Return estimator and parameters: blocks of nested-4 have up to four tokens.

    Those of nested, without a number, are whole cells.
    """
    if name == "uncollapsed":
        return {"estimator": UncollapsedGibbsLDA}
    if name == "partially-collapsed":
        return {"estimator": PartiallyCollapsedGibbsLDA}
    if name == "single-site":
        return {"estimator": CollapsedGibbsLDA}
    blocking, _, most = name.partition("-")
    blocks = {"blocking": blocking, "max_block_size": int(most) if most else None}
    return {"estimator": CollapsedGibbsLDA, **blocks}


def new_program(name, X, n_topics, seed=0, checkpoints=()) -> Sklda:
    """Return a sampler, compiled; with checkpoints, estimates are means of samples."""
    settings = {"X": X, "n_topics": n_topics, "seed": seed, **settings_of(name)}
    if checkpoints:
        means = {"checkpoints": checkpoints, "times_keeping": False}
        program = ours.KeptMean(**settings, **means)
        program.clock = time.process_time  # starts run side by side
    else:
        program = Sklda(**settings)
    program.warm_up()
    return program


def recorded_sweeps(last: int) -> list[int]:
    """Return some sweeps; what comes before a fiftieth of them would fill a figure."""
    return [s for s in harness.geometric(last, STEPS) if 50 * s >= last]


def run_start(seed, train, held_out, n_topics, options) -> dict[str, dict]:
    """Return the curves of all samplers from one start, which take turns of a sweep.

    They have log p(z, w) and seconds after each sweep, and the perplexity of recorded
    ones; and there is the last sample of the topics.
    """
    recorded = recorded_sweeps(options.sweeps)
    given = train, n_topics, seed, recorded
    programs = {name: new_program(name, *given) for name in options.samplers}

    def evaluate(runner):
        program, value = programs[runner.name], None
        if runner.n_sweeps in recorded:
            estimates = program.estimates(held_out.shape[0])
            value = corpora.perplexity(*estimates, held_out)
        return {"log_posterior": program.log_joint(), "perplexity": value}

    team = [harness.Runner(name, p.seconds) for name, p in programs.items()]
    curves = harness.follow(team, range(1, options.sweeps + 1), evaluate)
    for name, program in programs.items():
        curves[name]["topic_word"] = Sklda.estimates(program)[1]
    return curves


def run_starts(train, held_out, n_topics, options) -> dict[str, list[dict]]:
    """Return the chains of each sampler from several starts, which run side by side."""
    chains: dict[str, list[dict]] = {name: [] for name in options.samplers}
    data = train, held_out, n_topics, options
    work = (delayed(run_start)(seed, *data) for seed in range(options.starts))
    found = Parallel(options.jobs, return_as="generator")(work)
    for seed, curves in enumerate(found):
        for name, curve in curves.items():
            chains[name].append({"seed": seed, **curve})
            ends = {key: curve[key][-1] for key in DIGITS}
            harness.print_rows([{"start": seed, "": name, **ends}])
    return chains


def known(chain: dict, key: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the sweeps, seconds and values of a curve where it has values."""
    values = np.array(chain[key], dtype=float)
    there = np.isfinite(values)
    return (
        np.array(chain["sweeps"])[there],
        np.array(chain["seconds"])[there],
        values[there],
    )


def thin(chains: dict, last: int, keys) -> dict:
    """Return the sweeps that are reported, and chains with these alone."""
    recorded = recorded_sweeps(last)
    for chain in (chain for some in chains.values() for chain in some):
        del chain["sweeps"], chain["topic_word"]
        for key, digits in DIGITS.items():
            values = chain.pop(key)
            if key in keys:
                chain[key] = [round(values[s - 1], digits) for s in recorded]
    return {"sweeps": recorded, "chains": chains}
