"""The experiments of Zhang and Sisson on blocked sampling."""

from functools import partial

from benchmarks import corpora, figures, harness
from benchmarks.internals import Sklda
from benchmarks.programs import ALPHA, BETA, ours

FACTS = {"alpha": ALPHA, "beta": BETA}  # in reports
KEEP_EVERY = 10  # sweeps between two samples of the mean behind the perplexity
STYLES = figures.styles("blocking")
KINDS = {
    "log_posterior": "log posterior, nats",
    "perplexity": "perplexity of the held-out words",
}
draw_curves = partial(figures.draw_curves, kinds=KINDS, looks=STYLES)


def new_program(name, X, n_topics, seed=0, max_block_size=0) -> Sklda:
    if name == "uncollapsed":
        return ours.uncollapsed(X, n_topics, seed)
    given = {} if name == "single-site" else {"blocking": name}
    if given and max_block_size:
        given["max_block_size"] = max_block_size
    return ours.gibbs(X, n_topics, seed, **given)


def run_chain(name, seed, train, held_out, n_topics, options) -> dict:
    """Return log p(z, w) and the perplexity of recorded sweeps, and the last phi."""
    program = new_program(name, train, n_topics, seed, options.max_block_size)
    curves = {"log_posterior": [], "perplexity": []}
    sums, n_kept = (0.0, 0.0), 0
    recorded = harness.recorded_sweeps(options)
    kept = range(KEEP_EVERY, options.sweeps + 1, KEEP_EVERY)
    for sweep in sorted({*recorded, *kept, options.sweeps}):
        program.sweep(sweep - program.n_sweeps)
        theta, phi = program.estimates(held_out.shape[0])
        now = sums[0] + theta, sums[1] + phi
        if sweep in recorded:
            means = (total / (n_kept + 1) for total in now)
            value = corpora.perplexity(*means, held_out)
            curves["perplexity"].append(round(value, 3))
            curves["log_posterior"].append(round(program.log_joint(), 1))
        if sweep in kept:
            sums, n_kept = now, n_kept + 1
    return curves | {"topic_word": phi}
