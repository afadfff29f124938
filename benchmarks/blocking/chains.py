import numpy as np

from benchmarks import blocking, corpora, figures, harness

TOPICS = {
    "nips": (40, 100, 400),
    "kos": (32, 100),
    "newsgroups": (100,),
    "counts": (20,),  # as planted
}
LEVELS = (20, 50, 100, 200)  # sweeps of the first sampler, beside all
RISING = {"log_posterior": 1, "perplexity": -1}


def run(options) -> None:
    for corpus in options.corpora:
        topics = [options.topics] if options.topics else TOPICS[corpus]
        measure(corpus, topics, options, blocking.run_start)


def measure(corpus, topics, options, run_start) -> None:
    """Write a report for each number of topics."""
    train, held_out = corpora.split(corpora.load(corpus, options), corpus)
    for n_topics in topics:
        data = train, held_out, n_topics, options
        chains = harness.run_starts(run_start, options, *data)
        report = corpora.shape_of(train)
        report["mean_cell"] = report["tokens"] / report["cells"]
        report["cells_of_one"] = float((train.data == 1).mean())
        report |= {"summary": summary(chains), "levels": levels(chains)}
        harness.print_rows(report["levels"])
        report |= blocking.thin(chains, options.sweeps, blocking.DIGITS)
        facts = {"corpus": corpus, "topics": n_topics, **blocking.FACTS}
        harness.write(options, f"chains-{corpus}-{n_topics}", report, **facts)


def summary(chains) -> dict[str, dict]:
    """Return the pace of each sampler, where it ends, and what its samples are worth.

    The effective samples are those of the log posterior in the second half.
    """
    rows = {}
    for name, some in chains.items():
        per_sweep, per_second = np.transpose([efficiency(chain) for chain in some])
        paces = [np.median(np.diff(chain["seconds"], prepend=0)) for chain in some]
        ends = {key: [chain[key][-1] for chain in some] for key in RISING}
        rows[name] = {
            "seconds_per_sweep": float(np.median(paces)),
            **{key: harness.range_of(values) for key, values in ends.items()},
            "effective_per_sweep": harness.range_of(per_sweep.tolist()),
            "effective_per_second": harness.range_of(per_second.tolist()),
        }
    return rows


def efficiency(chain) -> np.ndarray:
    """Return the effective samples per sweep and per second."""
    first = len(chain["sweeps"]) // 2
    n = harness.effective_sample_size(chain["log_posterior"][first:])
    both = (chain["sweeps"], chain["seconds"])
    return n / np.array([of[-1] - of[first - 1] for of in both])


def levels(chains) -> list[dict]:
    """Return when samplers reach what the first reaches after some sweeps: medians.

    None is not reached, by half of the starts.
    """
    rows = []
    for key, sign in RISING.items():
        curves = {n: [blocking.known(c, key) for c in s] for n, s in chains.items()}
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
                        for curve in some
                    )
                    for name, some in curves.items()
                }
            rows.append(row)
    return rows


def draw(reports, folder) -> None:
    figures.per_report(reports, folder, 3, draw_panels)


def draw_panels(panels, report, styles=blocking.STYLES) -> None:
    """Draw log posteriors and perplexities, from where the first sampler begins."""
    sweeps, tokens, edges = report["sweeps"], report["tokens"], []
    for name, chains in report["chains"].items():
        posterior = [np.array(chain["log_posterior"]) / tokens for chain in chains]
        perplexity = [chain["perplexity"] for chain in chains]
        seconds = [chain["seconds"] for chain in chains]
        of_sweeps = [sweeps] * len(chains), posterior
        lines = of_sweeps, (seconds, posterior), (seconds, perplexity)
        for axes, line in zip(panels, lines, strict=True):
            figures.plot_chains(axes, *line, styles[name], name)
        edges = edges or [axes.get_ylim() for axes in panels]
    for axes, x in zip(panels, ("sweeps", "seconds", "seconds"), strict=True):
        axes.set(xlabel=x, ylabel="log posterior per token, nats")
    for axes, (bottom, _) in zip(panels[:2], edges[:2], strict=True):
        axes.set_ylim(bottom=bottom)
    panels[2].set(ylabel=blocking.KINDS["perplexity"], ylim=(None, edges[2][1]))
