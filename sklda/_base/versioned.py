"""The version of sklda in stored models."""

import warnings
from typing import Any

from sklearn.exceptions import InconsistentVersionWarning

from sklda._core.version import __version__

_KEY = "_sklda_version"


class VersionedMixin:
    """Stores the version with an estimator, and warns if another version loads it.

    scikit-learn does so for its own classes only.
    """

    def __getstate__(self) -> dict[str, Any]:
        """Return the parameters, the fitted attributes and the version."""
        return {**super().__getstate__(), _KEY: __version__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the parameters and the fitted attributes of a stored estimator."""
        attributes = dict(state)
        stored_by = attributes.pop(_KEY, "unknown")
        if stored_by != __version__:
            warnings.warn(
                InconsistentVersionWarning(
                    estimator_name=type(self).__name__,
                    current_sklearn_version=__version__,
                    original_sklearn_version=stored_by,
                ),
                stacklevel=2,  # what loads it: pickle.loads is no frame of Python
            )
        # Parameters that came later have their defaults.
        super().__setstate__(type(self)().get_params(deep=False) | attributes)
