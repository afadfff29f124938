"""Blocked sampling: the experiments of Zhang and Sisson, and whether blocks pay."""

import time
from contextlib import ExitStack

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import corpora, figures, harness
from benchmarks.internals import Sklda
from benchmarks.programs import ALPHA, BETA, ours
from sklda import CollapsedGibbsLDA, PartiallyCollapsedGibbsLDA, UncollapsedGibbsLDA

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
    "partially-collapsed": PartiallyCollapsedGibbsLDA,
    "uncollapsed": UncollapsedGibbsLDA,
}


def settings_of(name: str) -> dict:
    """Return estimator and parameters: blocks of nested-4 have up to four tokens.

    Those of nested, without a number, are whole cells.
    """
    if name in ESTIMATORS:
        return {"estimator": ESTIMATORS[name]}
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
    """Return the recorded sweeps: those before a fiftieth would fill a figure."""
    return [s for s in harness.geometric(last, STEPS) if 50 * s >= last]


def run_start(seed, train, held_out, n_topics, options, new=new_program) -> dict:
    """Return the curves of all samplers from one start, which take turns of a sweep.

    They have log p(z, w) and seconds of each sweep, and the perplexity of recorded
    ones; and there is the last sample of the topics.
    """
    recorded = recorded_sweeps(options.sweeps)
    given = train, n_topics, seed, recorded
    programs = {name: new(name, *given) for name in options.samplers}

    def evaluate(runner):
        program, value = programs[runner.name], None
        if runner.n_sweeps in recorded:
            estimates = program.estimates(held_out.shape[0])
            value = corpora.perplexity(*estimates, held_out)
        return {"log_posterior": program.log_joint(), "perplexity": value}

    with ExitStack() as threads, threadpool_limits(1):
        for program in programs.values():
            threads.enter_context(program.threads())
        team = [harness.Runner(name, p.seconds) for name, p in programs.items()]
        curves = harness.follow(team, range(1, options.sweeps + 1), evaluate)
    for name, program in programs.items():
        curves[name]["topic_word"] = Sklda.estimates(program)[1]
    return curves


def known(chain: dict, key: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the sweeps, seconds and values of a curve where it has values."""
    columns = [np.array(chain[of], dtype=float) for of in ("sweeps", "seconds", key)]
    there = np.isfinite(columns[-1])
    return tuple(column[there] for column in columns)


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
