from functools import partial

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from benchmarks import PAPER, blocking, corpora, figures, harness
from sklda.datasets import make_bars

# A topic of which a fraction f of the mass lies beside its bar is at the Hellinger
# distance sqrt(1 - sqrt(1 - f)) from it, if not more: 0.3 is f = 0.17. Two bars in
# one topic are at 0.5, and what 18,000 tokens show of a bar is within 0.05.
FARTHEST = 0.3
# Nats per token that a chain may end below the best. On the bars the sweeps of chains
# that have settled differ by about 0.001; the steps below the best, by 0.04 and more.
WIDEST_GAP = 0.02
draw = partial(figures.draw_curves, kinds=blocking.KINDS, looks=blocking.STYLES)


def run(options) -> None:
    if options.documents <= corpora.N_TEST_DOCUMENTS["bars"]:
        raise SystemExit("--documents must be greater than 250")
    alpha = options.corpus_alpha
    X, _, planted = make_bars(options.documents, doc_topic_prior=alpha, random_state=0)
    data = corpora.split(sparse.csr_array(X), "bars")
    data = *data, len(planted), options
    chains = harness.run_starts(blocking.run_start, options, *data)
    tokens = int(data[0].sum())
    report = {"tokens": tokens, "widest_gap": WIDEST_GAP, "farthest": FARTHEST}
    report["summary"] = summary(chains, tokens, planted)
    report |= blocking.thin(chains, options.sweeps, blocking.KINDS)
    harness.write(options, "bars", report, **blocking.FACTS)


def summary(chains, tokens, planted) -> dict:
    """Return which chains end in a local mode, by log posterior and by topics."""
    everything = [chain for some in chains.values() for chain in some]
    for chain in everything:
        curve = chain["sweeps"], chain["log_posterior"]
        chain["gap"] = harness.end_of(*curve, harness.TAIL) / tokens
        far = distances_to_planted(chain["topic_word"], planted)
        chain["distances"] = far.round(3).tolist()
        chain["missed_topics"] = int((far > FARTHEST).sum())
    best = max(chain["gap"] for chain in everything)
    for chain in everything:
        chain["gap"] = round(best - chain["gap"], 5)
    return {
        name: {
            "chains": len(some),
            "below_best": sum(chain["gap"] > WIDEST_GAP for chain in some),
            "missing_topics": sum(chain["missed_topics"] > 0 for chain in some),
            "perplexity": float(np.median([c["perplexity"][-1] for c in some])),
            "paper_of_30": PAPER["blocking-bars"].get(name),
        }
        for name, some in chains.items()
    }


def distances_to_planted(topic_word, planted) -> np.ndarray:
    """Return the Hellinger distance of each planted topic to that matched with it."""
    affinity = np.sqrt(planted) @ np.sqrt(topic_word).T
    distance = np.sqrt(np.maximum(0, 1 - affinity))
    rows, columns = linear_sum_assignment(distance)
    return distance[rows, columns]
