from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import corpora, cvb, figures, harness
from benchmarks.programs import available


def run(options) -> None:
    X = corpora.load(options.corpus, options.data_home)
    gensim = available({"gensim"} & set(options.programs))
    names = [name for name in options.programs if name != "gensim" or gensim]
    timed = options.warm, options.warm + options.sweeps, options.limit
    for n_topics in options.topics:
        report = {"tokens": int(X.sum()), "cells": int(X.nnz), **gensim}
        with threadpool_limits(1):
            new = partial(cvb.new_program, n_topics=n_topics)
            times = harness.times(harness.seconds_per_sweep(new, names, X, *timed)[0])
            report["median"] = times["median"]
            report["times_as_fast"] = times["speed_up_of_median"]
            harness.print_rows([{"topics": n_topics, **report}])
            report["seconds"] = times["seconds"]
            if options.vb_iterations:
                report |= reach(names, *corpora.hold_out_tokens(X), n_topics, options)
                rows = report["reach"].items()
                harness.print_rows({"": name, **row} for name, row in rows)
        name = f"speed-{options.corpus}-{n_topics}"
        harness.write(options, name, report, topics=n_topics, **cvb.PRIORS)


def reach(names, train, held_out, n_topics, options) -> dict[str, dict]:
    """Return the curve of batch VB, and those of others until they are as good."""
    few = harness.geometric(options.vb_iterations)
    curves = {"VB": cvb.follow(cvb.new_program("VB", train, n_topics), held_out, few)}
    target = curves["VB"]["log_probability"][-1]
    for name in (name for name in ("CVB0", "CVB", "Gibbs") if name in names):
        small = cvb.new_program(name, train[:10], n_topics, 0, [1])
        cvb.follow(small, held_out[:10], [1])  # compiles
        checkpoints = fine(options.most_sweeps, 1.1 if name == "Gibbs" else 1.0)
        program = cvb.new_program(name, train, n_topics, 0, checkpoints)
        curves[name] = cvb.follow(program, held_out, checkpoints, target)
    return {"reach": reach_rows(curves), "curves": curves}


def fine(last: int, factor: float) -> list[int]:
    """Return 1, 2, 3, ..., each at most this factor above the one before (or 1)."""
    steps = [1]
    while steps[-1] < last:
        steps.append(min(last, max(steps[-1] + 1, int(factor * steps[-1]))))
    return steps


def reach_rows(curves) -> dict:
    """Return sweeps and seconds until each is as good as VB; None if it never is."""
    rows = {}
    for name, curve in curves.items():
        last = {key: values[-1] for key, values in curve.items()}
        vb = rows.setdefault("VB", last)
        is_good = last.pop("log_probability") >= curves["VB"]["log_probability"][-1]
        last["relative"] = last["seconds"] / vb["seconds"]
        rows[name] = last if is_good else dict.fromkeys(last)
    return rows


def draw(reports, folder) -> None:
    by_corpus = {}
    for report in reports.values():
        by_corpus.setdefault(report["options"]["corpus"], []).append(report)
    figure, panels = figures.panels(2, rows=len(by_corpus))
    for (left, right), some in zip(panels, by_corpus.values(), strict=True):
        topics = [report["options"]["topics"] for report in some]
        for name, look in cvb.STYLES.items():
            seconds = [report["median"].get(name) for report in some]
            rows = [report.get("reach", {}).get(name, {}) for report in some]
            reached = [row.get("seconds") for row in rows]
            if any(seconds):
                left.plot(topics, np.array(seconds, float), label=name, **look)
            if any(rows):
                right.plot(topics, np.array(reached, float), **look)
        left.set_title(figures.timed_title(some[0]))
        right.set_title("seconds until as good as VB at its end")
        for axes, label in zip((left, right), ("per sweep", "of sweeps"), strict=True):
            figures.powers_axis(axes, "topics", topics)
            figures.log_seconds(axes, f"seconds {label}")
    figures.finish(figure, folder / "speed.png", columns=6)
