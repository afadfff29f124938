from functools import partial

from benchmarks import blocking, figures
from benchmarks.blocking import chains
from benchmarks.programs.ours import KeptMean
from sklda import CollapsedGibbsLDA

ESTIMATORS = blocking.ESTIMATORS | {
    "collapsed": CollapsedGibbsLDA,
    "sharded": partial(CollapsedGibbsLDA, n_shards=2),
}
draw_panels = partial(chains.draw_panels, styles=figures.styles("parallel"))
draw = partial(figures.per_report, n_panels=3, draw=draw_panels)


def run(options) -> None:
    for corpus in options.corpora:
        run_start = partial(blocking.run_start, new=new_program)
        chains.measure(corpus, options.topics, options, run_start)


def new_program(name, X, n_topics, seed, checkpoints) -> KeptMean:
    """Return the program of a name such as uncollapsed-2, on two threads."""
    sampler, _, threads = name.rpartition("-")
    given = {"estimator": ESTIMATORS[sampler], "n_jobs": int(threads)}
    means = {"checkpoints": checkpoints, "times_keeping": False}
    program = KeptMean(X, n_topics, seed, **given, **means)
    if sampler != "sharded":  # whose kernels are those of the collapsed one
        program.warm_up()
    return program
