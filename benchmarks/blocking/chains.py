from functools import partial

from benchmarks import blocking, corpora, harness

TOPICS = {"kos": 32, "nips": 40}
TIMED = (20, 40)  # sweeps
draw = blocking.draw_curves


def run(options) -> None:
    corpus, names = options.corpus, options.samplers
    n_topics = options.topics or TOPICS[corpus]
    train, held_out = corpora.split(corpora.load(corpus, options.data_home), corpus)
    data = train, held_out, n_topics, options
    chains = harness.run_chains(blocking.run_chain, names, options, *data)
    for chain in (chain for some in chains.values() for chain in some):
        del chain["topic_word"]
    rules = {"n_topics": n_topics, "max_block_size": options.max_block_size}
    new = partial(blocking.new_program, **rules)
    seconds, _ = harness.seconds_per_sweep(new, names, train, *TIMED)
    sweeps = harness.recorded_sweeps(options)
    report = {"tokens": int(train.sum()), "seconds": seconds, "sweeps": sweeps}
    report["summary"] = summary(sweeps, chains, harness.times(seconds)["median"])
    report["chains"] = chains
    harness.write(
        options, f"chains-{corpus}", report, topics=n_topics, **blocking.FACTS
    )


def summary(sweeps, chains, seconds) -> dict:
    """Return where samplers end, and when each is where the first is at the end."""
    rows = {name: {"seconds_per_sweep": seconds[name]} for name in chains}
    for key, sign in (("log_posterior", 1), ("perplexity", -1)):
        for name, row in harness.summary(sweeps, chains, key, sign).items():
            taken = row["reached"] and row["reached"] * seconds[name]
            rows[name][key] = row | {"seconds": taken}
    return rows
