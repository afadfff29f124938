from functools import partial

import numpy as np

from benchmarks import corpora, cvb, figures, harness


def run(options) -> None:
    X = corpora.load(options.corpus, options)
    whole = corpora.hold_out_tokens(X)
    n_topics = options.topics or cvb.TOPICS[options.corpus]
    order = np.random.default_rng(0).permutation(len(X.indptr) - 1)
    sizes = sorted({n for n in options.documents if n < order.size} | {order.size})
    rows, chains = [], {name: [] for name in options.programs}
    run_all = partial(harness.run_each, cvb.run_chain, options.programs)
    for n in sizes:
        data = *(part[np.sort(order[:n])] for part in whole), n_topics, [options.sweeps]
        some = harness.run_starts(run_all, options, *data)
        found = harness.summary(data[-1], some, "log_probability")
        rows.append({"documents": n, **found})
        for name in chains:
            chains[name] += some[name]
    facts = {"topics": n_topics, "documents": sizes, **cvb.PRIORS}
    report = {"rows": rows, "chains": chains}
    harness.write(options, f"size-{options.corpus}", report, **facts)


def ends(row) -> dict:
    return {name: end for name, end in row.items() if name != "documents"}


KINDS = {f"{cvb.HELD_OUT}; bars: range": ends}
draw = partial(
    figures.draw_rows, looks=cvb.STYLES, kinds=KINDS, x="documents", linear=KINDS
)
