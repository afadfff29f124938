"""Estimators without labels, in each way to fit that is a path of its own."""

import sklda

GIBBS = {
    "rows": sklda.CollapsedGibbsLDA(sampler="dense"),
    "lists": sklda.CollapsedGibbsLDA(sampler="sparse"),
    "blocks": sklda.CollapsedGibbsLDA(blocking="nested", max_block_size=None),
    "shards": sklda.CollapsedGibbsLDA(n_shards=3, n_jobs=2),
    "dynamic": sklda.ECGSLDA(),
    "partially collapsed": sklda.PartiallyCollapsedGibbsLDA(n_jobs=2),
    "uncollapsed": sklda.UncollapsedGibbsLDA(n_jobs=2),
}
