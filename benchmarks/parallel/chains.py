from contextlib import ExitStack
from functools import partial

from threadpoolctl import threadpool_limits

from benchmarks import blocking, corpora, figures, harness
from benchmarks.blocking import chains as blocking_chains
from benchmarks.internals import Sklda
from benchmarks.programs.ours import KeptMean
from sklda import CollapsedGibbsLDA, PartiallyCollapsedGibbsLDA, UncollapsedGibbsLDA

ESTIMATORS = {
    "collapsed": {"estimator": CollapsedGibbsLDA},
    "sharded": {"estimator": CollapsedGibbsLDA, "n_shards": 2},
    "partially-collapsed": {"estimator": PartiallyCollapsedGibbsLDA},
    "uncollapsed": {"estimator": UncollapsedGibbsLDA},
}
draw_panels = partial(blocking_chains.draw_panels, styles=figures.styles("parallel"))


def run(options) -> None:
    for corpus in options.corpora:
        X = corpora.load(corpus, options.data_home)
        train, held_out = corpora.split(X, corpus)
        for n_topics in options.topics:
            chains: dict = {name: [] for name in options.samplers}
            for seed in range(options.starts):
                curves = run_start(seed, train, held_out, n_topics, options)
                for name, curve in curves.items():
                    chains[name].append({"seed": seed, **curve})
            report = corpora.shape_of(train)
            report["summary"] = blocking_chains.summary(chains)
            report["levels"] = blocking_chains.levels(chains)
            harness.print_rows(report["levels"])
            report |= blocking.thin(chains, options.sweeps, blocking.DIGITS)
            facts = {"corpus": corpus, "topics": n_topics, **blocking.FACTS}
            harness.write(options, f"chains-{corpus}-{n_topics}", report, **facts)


def new_program(name, X, n_topics, seed, checkpoints) -> KeptMean:
    """Return the program of a name such as uncollapsed-2, on two threads."""
    sampler, _, threads = name.rpartition("-")
    program = KeptMean(
        X,
        n_topics,
        seed,
        **ESTIMATORS[sampler],
        n_jobs=int(threads),
        checkpoints=checkpoints,
        times_keeping=False,
    )
    if sampler != "sharded":  # whose kernels are those of the collapsed one
        program.warm_up()
    return program


def run_start(seed, train, held_out, n_topics, options) -> dict[str, dict]:
    """Return the curves of all programs, which take turns of a sweep.

    Log posteriors are of each sweep, and perplexities of recorded ones.
    """
    recorded = blocking.recorded_sweeps(options.sweeps)
    given = train, n_topics, seed, recorded
    programs = {name: new_program(name, *given) for name in options.samplers}

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


def draw(reports, folder) -> None:
    figures.per_report(reports, folder, 3, draw_panels)
