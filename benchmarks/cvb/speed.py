from functools import partial

from benchmarks import corpora, cvb, figures, harness
from benchmarks.programs import available


def run(options) -> None:
    X = corpora.load(options.corpus, options)
    gensim = available({"gensim"} & set(options.programs))
    names = [name for name in options.programs if name != "gensim" or gensim]
    report = {"tokens": int(X.sum()), "cells": int(X.nnz), **gensim}
    report["rows"] = harness.time_topics(cvb.new_program, names, X, options)
    for row in report["rows"] if options.vb_iterations else ():
        row |= reach(names, *corpora.hold_out_tokens(X), row["n_topics"], options)
        harness.print_rows([row["reach"]])
    harness.write(options, f"speed-{options.corpus}", report, **cvb.PRIORS)


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


def reached(row) -> dict:
    return {name: to["seconds"] for name, to in row.get("reach", {}).items()}


KINDS = {**figures.SECONDS, "seconds until as good as VB at its end": reached}
draw = partial(figures.draw_rows, looks=cvb.STYLES, kinds=KINDS)
