"""Top words, documents, plots and regressions of fitted topics.

The functions accept any fitted estimator with ``components_`` and ``transform``,
including those of scikit-learn, or the ``draws_`` of an estimator fitted with
``keep_draws``. The displays need matplotlib: ``pip install "sklda[plot]"``.
"""

from sklda._fitted.posterior_draws import PosteriorDraws
from sklda.inspection._contents import (
    name_topics,
    pyldavis_data,
    save_explorer,
    top_documents,
    top_words,
)
from sklda.inspection._display import PredictedProportionsDisplay, TopicIntervalsDisplay
from sklda.inspection._effects import TopicEffects, estimate_effect
from sklda.inspection._estimates import (
    PredictedProportions,
    TopicContrasts,
    predicted_proportions,
)
from sklda.inspection._figures import (
    ConvergenceDisplay,
    DocumentTopicsDisplay,
    TopicMapDisplay,
    TopWordsDisplay,
)
from sklda.inspection._topic_means import TopicMeans, TopicMeansDisplay, topic_means

__all__ = [
    "ConvergenceDisplay",
    "DocumentTopicsDisplay",
    "PosteriorDraws",
    "PredictedProportions",
    "PredictedProportionsDisplay",
    "TopWordsDisplay",
    "TopicContrasts",
    "TopicEffects",
    "TopicIntervalsDisplay",
    "TopicMapDisplay",
    "TopicMeans",
    "TopicMeansDisplay",
    "estimate_effect",
    "name_topics",
    "predicted_proportions",
    "pyldavis_data",
    "save_explorer",
    "top_documents",
    "top_words",
    "topic_means",
]
