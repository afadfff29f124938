"""Estimators in each way to fit that is a path of its own, and what a fit is given."""

from typing import Any

import numpy as np

import sklda
from sklda._engine.sharded import sharded
from sklda._gibbs.kernels import single_site_lists


class InLists(sklda.CollapsedGibbsLDA):
    """Single-site sampling over lists, also of few topics."""

    def _make_sampler(self, problem: Any, threads: Any) -> Any:
        n_shards = self._parameters.n_shards
        return sharded(single_site_lists, problem, n_shards, threads)


GIBBS = {
    "registers": sklda.CollapsedGibbsLDA(),
    "lists": InLists(),
    "blocks": sklda.CollapsedGibbsLDA(blocking="nested", max_block_size=None),
    "shards": sklda.CollapsedGibbsLDA(n_shards=3, n_jobs=2),
    "dynamic": sklda.ECGSLDA(),
    "partially collapsed": sklda.PartiallyCollapsedGibbsLDA(n_jobs=2),
    "uncollapsed": sklda.UncollapsedGibbsLDA(n_jobs=2),
}
SUPERVISED = {
    "light": sklda.MedLDAClassifier(),
    "gibbs": sklda.MedLDARegressor(sampler="gibbs", n_weight_steps=None),
}
SAMPLED = {
    "learn_priors": "hierarchical",
    "hyperpriors": {"topic_word_prior": (1.0, 1.0)},
}


def given_for(model: Any, n_docs: int) -> dict[str, Any]:
    """Return what a fit takes beside X: labels, numbers or covariates of documents."""
    numbers = np.linspace(0, 1, n_docs)
    if isinstance(model, sklda.MedLDAClassifier):
        return {"y": np.arange(n_docs) % 3}
    if isinstance(model, sklda.MedLDARegressor):
        return {"y": numbers}
    return {"covariates": numbers} if isinstance(model, sklda.DMRLDA) else {}
