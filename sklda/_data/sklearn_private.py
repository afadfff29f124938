"""Everything private that sklda imports from scikit-learn, in one file."""

import sys
from numbers import Integral

import numpy as np
from sklearn.base import _fit_context as fit_context
from sklearn.utils import _param_validation
from sklearn.utils._param_validation import (
    HasMethods,
    StrOptions,
    validate_parameter_constraints,
)

try:  # scikit-learn 1.9 and later
    from sklearn.callback import CallbackSupportMixin
except ImportError:

    class _SilentTask:
        """A task without callbacks, for versions of scikit-learn that have none."""

        def subcontext(self, **_):
            return self

        def call_on_fit_task_begin(self, **_):
            return self

        def call_on_fit_task_end(self, **_):
            return False

    class CallbackSupportMixin:
        """Stand in for scikit-learn's mixin."""

        def _init_callback_context(self, **_):
            return _SilentTask()


# What the mixin sets for the time of a fit, and scikit-learn removes after it.
CALLBACK_ATTRIBUTES = ("_callback_fit_ctx", "_skl_callbacks_to_teardown")


class Interval(_param_validation.Interval):
    """A range of numbers, without bool, which Python counts as an integer.

    An int that is too large for a float is not a real number.
    """

    def is_satisfied_by(self, val):
        if isinstance(val, bool | np.bool_) or not super().is_satisfied_by(val):
            return False
        huge = isinstance(val, int) and abs(val) > sys.float_info.max
        return self.type is Integral or not huge


__all__ = [
    "CALLBACK_ATTRIBUTES",
    "CallbackSupportMixin",
    "HasMethods",
    "Interval",
    "StrOptions",
    "fit_context",
    "validate_parameter_constraints",
]
