"""Numbers of topics that are recommended."""

from sklda import CollapsedGibbsLDA
from sklda.model_selection import topic_number_curve


def curve(X, grid, options, measures, seed=0, **priors):
    lda = CollapsedGibbsLDA(max_iter=options.sweeps, **priors)
    given = {"cv": options.folds, "n_repeats": options.repeats, "n_jobs": options.jobs}
    return topic_number_curve(
        lda, X, grid, measures=measures, random_state=seed, **given
    )
