"""Chains that estimators hold from one fit to the next."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np

from sklda._base.estimator import BaseTopicModel
from sklda._core.corpus import n_documents_in_common
from sklda._core.problem import Corpus
from sklda._core.warn import warn_user

# A fit that goes on may change these. All other parameters must match the previous fit.
FREE = {
    "burn_in",
    "evaluate_every",
    "init",
    "keep_draws",
    "learn_priors",
    "max_iter",
    "n_jobs",
    "random_state",
    "thin",
    "verbose",
    "warm_start",
}
_ANEW = (
    "or start again with warm_start=False (and init=model to start from the topics of "
    "a fitted model)"
)


class StoredChain(NamedTuple):
    """A chain between two fits, and the parameters that it depends on."""

    chain: Any  # or several, of a one-vs-rest model
    parameters: dict[str, Any]


def store_chain(estimator: BaseTopicModel, chain: Any) -> None:
    """Let the next fit with `warm_start` go on with this chain."""
    estimator._stored = StoredChain(chain, deepcopy(_fixed(estimator)))


def take_up(estimator: BaseTopicModel) -> Any:
    """Return a copy of the chain that a fit goes on with; None if it starts anew.

    If the fit fails, the stored chain is as it was.

    Raises
    ------
    ValueError
        If a parameter that the chain depends on has changed.
    """
    if not estimator.warm_start:
        return None
    stored: StoredChain | None = estimator._stored
    if stored is None:
        if hasattr(estimator, "n_iter_"):
            warn_user(
                "warm_start=True, but the last fit kept no chain, because it had "
                "warm_start=False or has not ended: this fit starts again."
            )
        return None
    for name, value in _fixed(estimator).items():
        before = stored.parameters[name]
        if not _equal(before, value):
            raise ValueError(
                "With warm_start=True, fit continues the chain of the last fit, which "
                f"had {name}={before!r}; now it is {value!r}. Reset it, {_ANEW}."
            )
    return deepcopy(stored.chain)


def _fixed(estimator: BaseTopicModel) -> dict[str, Any]:
    parameters = estimator.get_params(deep=False)
    return {name: value for name, value in parameters.items() if name not in FREE}


def _equal(before: Any, value: Any) -> bool:
    if isinstance(before, dict) and isinstance(value, dict):
        names = before.keys()
        return names == value.keys() and all(_equal(before[n], value[n]) for n in names)
    return np.array_equal(before, value)


def check_documents(corpus: Corpus, before: Corpus, *, may_add: bool) -> None:
    """Raise ValueError unless a corpus begins with the documents of the last fit.

    With `may_add`, others may follow.
    """
    n_before, n_now = before.doc_ptr.size - 1, corpus.doc_ptr.size - 1
    n_same = n_documents_in_common(corpus, before)
    if n_same == n_before and (may_add or n_now == n_before):
        return
    what = f"document {n_same} of X differs"
    if n_same == min(n_before, n_now):
        what = f"X has {n_now} documents instead of {n_before}"
    more = ", possibly followed by new ones" if may_add else ""
    raise ValueError(
        "With warm_start=True, fit continues with the topics of the tokens of the last "
        f"fit, so X must contain the same documents{more}; but {what}. Pass the same "
        f"documents, {_ANEW}."
    )
