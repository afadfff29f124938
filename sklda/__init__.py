"""sklda: Latent Dirichlet Allocation with the interface of scikit-learn."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from sklda._data.version import __version__ as __version__

if sys.byteorder != "little" or sys.maxsize < 2**63 - 1:
    raise ImportError(
        "sklda requires a 64-bit little-endian Python, as for x86-64 and arm64, but "
        f"this Python is {sys.maxsize.bit_length() + 1}-bit and {sys.byteorder}-endian"
    )

if TYPE_CHECKING:
    from sklda import datasets, diagnostics, inspection, metrics, model_selection
    from sklda._cvb.estimator import CVBLDA, lda_from_components
    from sklda._dmr.estimator import DMRLDA
    from sklda._ecgs.estimator import ECGSLDA
    from sklda._estimators.seed_words import seed_word_prior
    from sklda._estimators.show_versions import show_versions
    from sklda._gibbs.collapsed import CollapsedGibbsLDA
    from sklda._gibbs.partially_collapsed import PartiallyCollapsedGibbsLDA
    from sklda._gibbs.uncollapsed import UncollapsedGibbsLDA
    from sklda._medlda.classifier import MedLDAClassifier
    from sklda._medlda.regressor import MedLDARegressor

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

# A program uses one or two of these, and each is imported when it is first asked for:
# all together, they take as long as a small fit.
_MODULES = {
    "CVBLDA": "_cvb.estimator",
    "CollapsedGibbsLDA": "_gibbs.collapsed",
    "DMRLDA": "_dmr.estimator",
    "ECGSLDA": "_ecgs.estimator",
    "MedLDAClassifier": "_medlda.classifier",
    "MedLDARegressor": "_medlda.regressor",
    "PartiallyCollapsedGibbsLDA": "_gibbs.partially_collapsed",
    "UncollapsedGibbsLDA": "_gibbs.uncollapsed",
    "lda_from_components": "_cvb.estimator",
    "seed_word_prior": "_estimators.seed_words",
    "show_versions": "_estimators.show_versions",
}

if not TYPE_CHECKING:  # or type checkers would accept every name

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'sklda' has no attribute {name!r}")
        if name in _MODULES:
            value = getattr(import_module(f"sklda.{_MODULES[name]}"), name)
        else:
            value = import_module(f"sklda.{name}")
        globals()[name] = value  # so that the next time is an ordinary look-up
        return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
