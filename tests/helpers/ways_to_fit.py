"""Estimators without labels, in each way to fit that is a path of its own."""

from sklda import (
    ECGSLDA,
    CollapsedGibbsLDA,
    PartiallyCollapsedGibbsLDA,
    UncollapsedGibbsLDA,
)

GIBBS = {
    "rows": CollapsedGibbsLDA(sampler="dense"),
    "lists": CollapsedGibbsLDA(sampler="sparse"),
    "blocks": CollapsedGibbsLDA(blocking="nested", max_block_size=None),
    "shards": CollapsedGibbsLDA(n_shards=3, n_jobs=2),
    "dynamic": ECGSLDA(),
    "partially collapsed": PartiallyCollapsedGibbsLDA(n_jobs=2),
    "uncollapsed": UncollapsedGibbsLDA(n_jobs=2),
}
