"""Held-out perplexity after equal sweeps, side by side with tomotopy.

alpha = 0.1, beta = 0.01, K = 100. Half of the words of the last documents is held out
(see benchmarks.corpora); "last" predicts it from the last sweep alone, "mean" from
the average of every tenth sweep of the second half of the chain, sklda only.

    python -m benchmarks.quality --corpora nips kos --sweeps 400 --seeds 0 1 2
"""

import argparse
import time

import numpy as np

from benchmarks import corpora
from benchmarks.programs import ALPHA, BETA, PROGRAMS
from sklda import CollapsedGibbsLDA


def last_sample(name, train, held_out, arguments, seed) -> tuple[float, float]:
    """Return the perplexity of the last sweep, and the seconds of all sweeps."""
    program = PROGRAMS[name](train, arguments.topics, seed)
    start = time.perf_counter()
    program.sweep(arguments.sweeps)
    seconds = time.perf_counter() - start
    theta, phi = program.estimates()
    test = theta[-held_out.shape[0] :]
    return corpora.perplexity(test, phi, held_out), seconds


def mean_of_samples(train, held_out, arguments, seed) -> tuple[float, float]:
    """Return the same for the average over the kept samples of a fit."""
    lda = CollapsedGibbsLDA(
        arguments.topics,
        doc_topic_prior=ALPHA,
        topic_word_prior=BETA,
        max_iter=arguments.sweeps,
        evaluate_every=0,
        random_state=seed,
    )
    start = time.perf_counter()
    lda.fit(train)
    seconds = time.perf_counter() - start
    test = lda.doc_topic_[-held_out.shape[0] :]
    return corpora.perplexity(test, lda.topic_word_, held_out), seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    corpora.add_arguments(parser)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--sweeps", type=int, default=400)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--programs", nargs="+", default=["sklda", "tomotopy"])
    arguments = parser.parse_args()
    for corpus in arguments.corpora:
        X = corpora.load(corpus, arguments.data_home)
        train, held_out = corpora.split(X, corpus)
        rows = {f"{name}, last": [] for name in arguments.programs}
        rows["sklda, mean"] = []
        for seed in arguments.seeds:
            for name in arguments.programs:
                result = last_sample(name, train, held_out, arguments, seed)
                rows[f"{name}, last"].append(result)
            rows["sklda, mean"].append(
                mean_of_samples(train, held_out, arguments, seed)
            )
        print(f"{corpus}, K = {arguments.topics}, {arguments.sweeps} sweeps")
        for label, results in rows.items():
            values, seconds = np.array(results).T
            each = " ".join(f"{value:.0f}" for value in values)
            print(
                f"  {label:16} perplexity {values.mean():7.1f} ({each}), "
                f"{np.median(seconds):6.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
