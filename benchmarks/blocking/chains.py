from functools import partial

from benchmarks import blocking, corpora, figures, harness

TOPICS = {"kos": 32, "nips": 40}
TIMED = (20, 40)  # sweeps


def run(options) -> None:
    corpus, names = options.corpus, options.samplers
    n_topics = options.topics or TOPICS[corpus]
    data = corpora.split(corpora.load(corpus, options.data_home), corpus)
    data = *data, n_topics, options
    chains = harness.run_chains(blocking.run_chain, names, options, *data)
    for chain in (chain for some in chains.values() for chain in some):
        del chain["topic_word"]
    rules = {"n_topics": n_topics, "max_block_size": options.max_block_size}
    new = partial(blocking.new_program, **rules)
    seconds, _ = harness.seconds_per_sweep(new, names, data[0], *TIMED)
    sweeps = harness.recorded_sweeps(options)
    report = {"n_topics": n_topics, "tokens": int(data[0].sum())}
    report["summary"] = summary(sweeps, chains, harness.times(seconds)["median"])
    harness.print_rows({"": name, **row} for name, row in report["summary"].items())
    report |= {"seconds": seconds, "sweeps": sweeps, "chains": chains}
    harness.write(options, f"chains-{corpus}", report, **blocking.FACTS)


def summary(sweeps, chains, seconds) -> dict:
    """Return when each sampler is where the first is at the end, in the median."""
    rows, targets = {}, {}
    for name, some in chains.items():
        rows[name] = {"seconds_per_sweep": seconds[name]}
        for key, sign in (("log_posterior", 1), ("perplexity", -1)):
            curve = sign * harness.median_curve([chain[key] for chain in some])
            is_there = curve >= targets.setdefault(key, curve[-1])
            reached = int(sweeps[is_there.argmax()]) if is_there.any() else None
            taken = None if reached is None else reached * seconds[name]
            last = float(sign * curve[-1])
            rows[name][key] = {"last": last, "sweeps": reached, "seconds": taken}
    return rows


def draw(reports, folder) -> None:
    for name, report in reports.items():
        blocking.draw_curves(folder / f"{name}.png", figures.title(report), report)
