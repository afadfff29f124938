"""sklda: Latent Dirichlet Allocation with the interface of scikit-learn."""

from sklda import datasets, inspection, metrics
from sklda._cvb import CVBLDA
from sklda._ecgs import ECGSLDA
from sklda._gibbs import CollapsedGibbsLDA, UncollapsedGibbsLDA
from sklda._medlda import MedLDAClassifier
from sklda._medlda_regression import MedLDARegressor

__version__ = "0.1.0.dev0"

__all__ = [
    "CVBLDA",
    "CollapsedGibbsLDA",
    "ECGSLDA",
    "MedLDAClassifier",
    "MedLDARegressor",
    "UncollapsedGibbsLDA",
    "datasets",
    "inspection",
    "metrics",
]
