"""Exact samplers on several threads."""

from functools import partial

from benchmarks import blocking, figures
from benchmarks.programs.ours import KeptMean
from sklda import CollapsedGibbsLDA

ESTIMATORS = blocking.ESTIMATORS | {
    "collapsed": CollapsedGibbsLDA,
    "sharded": partial(CollapsedGibbsLDA, n_shards=2),
}
draw_panels = partial(blocking.draw_panels, styles=figures.styles("parallel"))
draw_chains = partial(figures.per_report, n_panels=3, draw=draw_panels)


def run_chains(options) -> None:
    for corpus in options.corpora:
        run_start = partial(blocking.run_start, new=new_program)
        blocking.measure(corpus, options.topics, options, run_start)


def new_program(name, X, n_topics, seed, checkpoints) -> KeptMean:
    """Return the program of a name such as uncollapsed-2, on two threads."""
    sampler, _, threads = name.rpartition("-")
    settings = {"estimator": ESTIMATORS[sampler], "n_jobs": int(threads)}
    means = {"checkpoints": checkpoints, "times_keeping": False}
    program = KeptMean(X, n_topics, seed, **settings, **means)
    if sampler != "sharded":  # which shares the kernels of collapsed
        program.warm_up()
    return program
