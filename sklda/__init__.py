"""sklda: Latent Dirichlet Allocation with the interface of scikit-learn."""

import typing as _typing

from sklda import datasets, diagnostics, inspection, metrics, model_selection
from sklda._base.seed_words import seed_word_prior
from sklda._core.version import __version__ as __version__
from sklda._cvb.estimator import CVBLDA
from sklda._ecgs.estimator import ECGSLDA
from sklda._gibbs.collapsed import CollapsedGibbsLDA
from sklda._gibbs.partially_collapsed import PartiallyCollapsedGibbsLDA
from sklda._gibbs.uncollapsed import UncollapsedGibbsLDA
from sklda._medlda.classifier import MedLDAClassifier
from sklda._medlda.regressor import MedLDARegressor

__all__ = [
    "CVBLDA",
    "CollapsedGibbsLDA",
    "ECGSLDA",
    "MedLDAClassifier",
    "MedLDARegressor",
    "PartiallyCollapsedGibbsLDA",
    "UncollapsedGibbsLDA",
    "datasets",
    "diagnostics",
    "inspection",
    "metrics",
    "model_selection",
    "seed_word_prior",
]

if not _typing.TYPE_CHECKING:  # type checkers would take any name for one of sklda
    from sklda._base.other_classes import missing_class as __getattr__  # noqa: F401
