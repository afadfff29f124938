"""sklda: Latent Dirichlet Allocation with the interface of scikit-learn."""

from sklda import datasets, inspection, metrics
from sklda._cvb import CVBLDA
from sklda._ecgs import ECGSLDA
from sklda._gibbs import CollapsedGibbsLDA, UncollapsedGibbsLDA

__version__ = "0.1.0.dev0"

__all__ = [
    "CVBLDA",
    "CollapsedGibbsLDA",
    "ECGSLDA",
    "UncollapsedGibbsLDA",
    "datasets",
    "inspection",
    "metrics",
]
