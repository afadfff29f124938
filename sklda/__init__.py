"""sklda: Latent Dirichlet Allocation with the interface of scikit-learn."""

from sklda import datasets, diagnostics, inspection, metrics, model_selection
from sklda._cvb.estimator import CVBLDA, lda_from_components
from sklda._data.version import __version__ as __version__
from sklda._dmr.estimator import DMRLDA
from sklda._ecgs.estimator import ECGSLDA
from sklda._estimators.seed_words import seed_word_prior
from sklda._estimators.show_versions import show_versions
from sklda._gibbs.collapsed import CollapsedGibbsLDA
from sklda._gibbs.partially_collapsed import PartiallyCollapsedGibbsLDA
from sklda._gibbs.uncollapsed import UncollapsedGibbsLDA
from sklda._medlda.estimators import MedLDAClassifier, MedLDARegressor

__all__ = [
    "CVBLDA",
    "CollapsedGibbsLDA",
    "DMRLDA",
    "ECGSLDA",
    "MedLDAClassifier",
    "MedLDARegressor",
    "PartiallyCollapsedGibbsLDA",
    "UncollapsedGibbsLDA",
    "datasets",
    "diagnostics",
    "inspection",
    "lda_from_components",
    "metrics",
    "model_selection",
    "seed_word_prior",
    "show_versions",
]
