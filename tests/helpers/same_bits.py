"""Fits of which each bit is known, whatever the processor.

    python -m tests.helpers.same_bits     # stores what this version gives

Digests of topics, tables, proportions and priors are in one file. Sums of log joints
and of bounds, whose last digits are SciPy's, are in another. The documents come from
integers alone, and arrays of beta from one division: no library has a say in them.
"""

import hashlib
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sklda import (
    CVBLDA,
    DMRLDA,
    ECGSLDA,
    CollapsedGibbsLDA,
    MedLDAClassifier,
    MedLDARegressor,
    PartiallyCollapsedGibbsLDA,
    UncollapsedGibbsLDA,
)
from tests.helpers.ways_to_fit import InLists

PATH = Path(__file__).resolve().parents[1] / "data" / "bits.json"
PATH_OF_TRACES = PATH.with_name("traces.json")
N_DOCS, N_WORDS = 80, 300
# Up to 56 topics single-site sampling has a kernel of its own. At 32 and 33 a table
# takes two registers and three, and 5 leave most of a register empty.
N_TOPICS = (5, 20, 32, 33, 100)
FOUR = {"blocking": "nested", "max_block_size": 4}
GIBBS = {"sampler": "gibbs"}
JOINT = {"sampler": "gibbs", "n_weight_steps": None}
SAMPLERS: dict[str, tuple[type, dict[str, Any]]] = {
    "single-site": (CollapsedGibbsLDA, {}),
    "single-site, lists": (InLists, {}),
    "sharded": (CollapsedGibbsLDA, {"n_shards": 3}),
    "nested": (CollapsedGibbsLDA, {"blocking": "nested"}),
    "nested, four tokens": (CollapsedGibbsLDA, FOUR),
    "backward": (CollapsedGibbsLDA, {"blocking": "backward", "max_block_size": None}),
    "dynamic": (ECGSLDA, {}),
    "shortcut": (ECGSLDA, {"strategy": "shortcut"}),
    "partially collapsed": (PartiallyCollapsedGibbsLDA, {}),
    "uncollapsed": (UncollapsedGibbsLDA, {}),
    "covariates": (DMRLDA, {}),
    "covariates, sharded": (DMRLDA, {"n_shards": 3}),
    "max-margin, light": (MedLDAClassifier, {}),
    "max-margin, gibbs": (MedLDAClassifier, GIBBS),
    "max-margin, joint weights": (MedLDAClassifier, JOINT),
    "max-margin, sharded": (MedLDAClassifier, GIBBS | {"n_shards": 3}),
    "max-margin, numbers": (MedLDARegressor, {}),
    "max-margin, numbers, joint weights": (MedLDARegressor, JOINT),
    "variational, gaussian": (CVBLDA, {"approximation": "gaussian"}),
    "variational, zero-order": (CVBLDA, {"approximation": "zero-order"}),
    "variational, exact": (CVBLDA, {"approximation": "exact"}),
}
# Chains that start at random, with priors that stay and fewer samples than usual.
PLAIN = {"init": "random", "learn_priors": None}
THIN = 10
FITTED = ("topic_assignments_", "components_", "doc_topic_")
OF_LABELS = ("coef_", "loss_")
PRIORS = ("doc_topic_prior_", "topic_word_prior_")
TRACES = ("log_joint_", "bound_")


def documents() -> np.ndarray:
    """Return counts, (80, 300): few topics in a document, documents of 0 to 119."""
    rng = np.random.default_rng(0)
    X = np.zeros((N_DOCS, N_WORDS), np.int64)
    for row in X:
        topics = rng.integers(12, size=3)[rng.integers(3, size=rng.integers(120))]
        words = 25 * topics + rng.integers(40, size=topics.size)
        np.add.at(row, words % N_WORDS, 1)
    return X


def covariates() -> np.ndarray:
    """Return covariates of the documents, (80, 2): two groups, and a number of each."""
    numbers = np.arange(N_DOCS)
    return np.column_stack([numbers % 2, numbers // 2])


def labels(cls: type) -> np.ndarray | None:
    """Return a class or a number of each document, (80,), for estimators of labels."""
    many = {MedLDAClassifier: 11, MedLDARegressor: 31}  # more tasks than a register
    return np.arange(N_DOCS) * 7 % many[cls] if cls in many else None


def variants(n_topics: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield how fits differ: each a name, and parameters."""
    each = np.random.default_rng(n_topics).integers(2, 100, (n_topics, N_WORDS))
    yield "plain", {}
    yield "beta of each word and topic", {"topic_word_prior": 1 / each}
    yield "learned priors", {"learn_priors": "asymmetric", "max_iter": 40}
    yield "annealed", {"init": "annealed"}
    priors = {"topic_word_prior": (1.0, 2.0)}
    yield "hierarchical", {"learn_priors": "hierarchical", "hyperpriors": priors}


def digests(sampler: str, n_topics: int) -> tuple[dict[str, str], list[float]]:
    """Fit one sampler in all its variants; return digests of what the fits leave.

    Each variant has one. The sum of each trace is returned beside them.
    """
    cls, options = SAMPLERS[sampler]
    X, known, found, traces = documents(), cls().get_params(), {}, []
    params = {name: value for name, value in PLAIN.items() if name in known}
    params |= {"n_components": n_topics, "max_iter": 20, "random_state": 0}
    params |= {"evaluate_every": 5} if "evaluate_every" in known else {}
    if known.get("thin") == CollapsedGibbsLDA().thin:
        params["thin"] = THIN
    if options.get("approximation") == "exact":  # takes memory by the square of tokens
        X = X[:5]
    for name, extra in variants(n_topics):
        if set(extra) <= set(known):
            more = {"covariates": covariates()} if cls is DMRLDA else {}
            y = labels(cls)
            with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
                model = cls(**params | options | extra).fit(X, y, **more)
            values = [getattr(model, attribute, 0) for attribute in FITTED + PRIORS]
            values += [model.transform(X[:20])]
            if y is None:
                values += [model.score(X[:20])]
            else:
                values += [getattr(model, attribute) for attribute in OF_LABELS]
                scores = getattr(model, "decision_function", model.predict)
                values += [scores(X[:20])]
            if more:
                values += [model.coef_draws_, model.transform(X, **more)]
            found[name] = _digest(values)
            for trace in TRACES:
                if hasattr(model, trace):
                    traces.append(float(getattr(model, trace).sum()))
    return found, traces


def _digest(values: list[Any]) -> str:
    whole = hashlib.sha256()
    for value in values:
        whole.update(np.ascontiguousarray(value).tobytes())
    return whole.hexdigest()[:16]


def stored() -> list[dict]:
    """Return digests, and sums of traces, both by sampler and topics."""
    return [json.loads(path.read_text()) for path in (PATH, PATH_OF_TRACES)]


if __name__ == "__main__":
    found = {name: {str(k): digests(name, k) for k in N_TOPICS} for name in SAMPLERS}
    for i, path in enumerate((PATH, PATH_OF_TRACES)):
        part = {n: {k: both[i] for k, both in of.items()} for n, of in found.items()}
        path.write_text(json.dumps(part, indent=1) + "\n")
