"""What other libraries call an estimator: an error that names the class of sklda."""

import sys
from typing import NoReturn

_COLLAPSED = "CollapsedGibbsLDA, or CVBLDA for variational inference"
_MAX_MARGIN = "MedLDAClassifier or MedLDARegressor"

OTHER_CLASSES = {
    "GibbsLDA": "CollapsedGibbsLDA",
    "GuidedLDA": "CollapsedGibbsLDA with seed_word_prior",
    "LDA": _COLLAPSED,
    "LDAModel": _COLLAPSED,
    "LatentDirichletAllocation": "CVBLDA, or CollapsedGibbsLDA for Gibbs sampling",
    "LdaMallet": "CollapsedGibbsLDA",
    "LdaModel": "CVBLDA, or CollapsedGibbsLDA for Gibbs sampling",
    "LdaMulticore": "CVBLDA, or CollapsedGibbsLDA for Gibbs sampling",
    "MedLDA": _MAX_MARGIN,
    "SLDA": _MAX_MARGIN,
    "SLDAModel": _MAX_MARGIN,
}


def missing_class(name: str) -> NoReturn:
    """Raise an error that names the class to use; the `__getattr__` of sklda.

    ``from sklda import LDA`` asks from within importlib, which drops an AttributeError
    for one that cannot say what to import instead, and passes an ImportError on.
    """
    if name not in OTHER_CLASSES:
        raise AttributeError(f"module 'sklda' has no attribute {name!r}")
    message = f"sklda has no {name}: use {OTHER_CLASSES[name]}."
    if sys._getframe(1).f_code.co_name == "_handle_fromlist":
        raise ImportError(message, name="sklda")
    raise AttributeError(message)
