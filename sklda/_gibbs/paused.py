"""The state that a fit with `warm_start` leaves for the next one, and its checks."""

from __future__ import annotations

from collections import deque
from copy import deepcopy
from typing import Any, NamedTuple, Self

import numpy as np

from sklda._base.estimator import BaseTopicModel
from sklda._core.corpus import n_documents_in_common
from sklda._core.problem import Corpus
from sklda._gibbs.chain import Runnable

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
    "or start anew with warm_start=False (with init=model, from the topics of a "
    "fitted model)"
)


class Paused(NamedTuple):
    """A chain between two fits, and the parameters that it depends on."""

    chain: Runnable
    parameters: dict[str, Any]

    @classmethod
    def of(cls, estimator: BaseTopicModel, chain: Runnable) -> Self:
        """Return the chain of an estimator."""
        return cls(chain, deepcopy(_fixed(estimator)))

    def resumed(self, estimator: BaseTopicModel) -> Runnable:
        """Return a copy of the chain, so that a failure leaves this one as it was.

        Raises
        ------
        ValueError
            If a parameter that the chain depends on has changed.
        """
        for name, value in _fixed(estimator).items():
            before = self.parameters[name]
            if not np.array_equal(before, value):
                raise ValueError(
                    f"With warm_start=True fit goes on with the chain of the last fit, "
                    f"which had {name}={before!r}; now it is {value!r}. Set it back, "
                    f"{_ANEW}."
                )
        chain = deepcopy(self.chain)
        parameters = estimator._parameters
        chain.threads.resize(parameters.n_jobs)
        for one in chain.chains:
            one.draws = deque(one.draws, getattr(parameters, "keep_draws", 0))
        return chain


def _fixed(estimator: BaseTopicModel) -> dict[str, Any]:
    parameters = estimator.get_params(deep=False)
    return {name: value for name, value in parameters.items() if name not in FREE}


def check_documents(corpus: Corpus, before: Corpus, *, may_add: bool) -> None:
    """Raise ValueError unless a corpus begins with the documents of the last fit.

    With `may_add`, others may follow.
    """
    n_before, n_now = before.doc_ptr.size - 1, corpus.doc_ptr.size - 1
    n_same = n_documents_in_common(corpus, before)
    if n_same == n_before and (may_add or n_now == n_before):
        return
    what = f"document {n_same} of X is another one"
    if n_same == min(n_before, n_now):
        what = f"X has {n_now} documents instead of {n_before}"
    more = ", and more may follow" if may_add else ""
    raise ValueError(
        f"With warm_start=True fit goes on with the topics of the tokens of the last "
        f"fit, so X must hold the same documents{more}; but {what}. Pass the same, "
        f"{_ANEW}."
    )
