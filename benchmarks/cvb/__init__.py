"""The experiments of Teh, Newman and Welling, and variational Bayes of others."""

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import corpora, figures, harness
from benchmarks.programs import Program, ours
from benchmarks.programs.others import BatchVB, Gensim, OnlineVB

PRIORS = {"alpha": 0.1, "beta": 0.1}
TOPICS = {"kos": 8, "nips": 40}  # of the paper
PROGRAMS = {
    "VB": BatchVB,
    "online VB": OnlineVB,
    "gensim": Gensim,
    "CVB": ours.gaussian,
    "CVB0": ours.zero_order,
    "Gibbs": ours.gibbs,
}
STYLES = figures.styles("cvb")
HELD_OUT = "log probability of a held-out token"


def new_program(name, X, n_topics, seed=0, checkpoints=()) -> Program:
    """Return a program at its start; with checkpoints, Gibbs takes means there."""
    if name == "Gibbs" and checkpoints:
        means = {"checkpoints": checkpoints, "thin": 1, "times_keeping": False}
        return ours.KeptMean(X, n_topics, seed, **means, **PRIORS)
    return PROGRAMS[name](X, n_topics, seed, **PRIORS)


def follow(program, held_out, checkpoints, target=np.inf) -> dict[str, list]:
    """Return the curve to the first checkpoint that reaches the target."""

    def evaluate(runner):
        value = corpora.log_probability(*program.estimates(), held_out)
        return {"log_probability": round(value, 5)}

    with program.threads(), threadpool_limits(1):
        team = [harness.Runner("", program.seconds)]
        rules = {"reached": lambda point: point["log_probability"] >= target}
        return harness.follow(team, checkpoints, evaluate, **rules)[""]


def run_chain(name, seed, train, held_out, n_topics, checkpoints) -> dict:
    program = new_program(name, train, n_topics, seed, checkpoints)
    curve = follow(program, held_out, checkpoints)["log_probability"]
    return {"documents": train.shape[0], "log_probability": curve}
