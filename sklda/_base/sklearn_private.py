"""Everything that comes from scikit-learn's private side, in one place."""

from sklearn.base import _fit_context as fit_context
from sklearn.utils._param_validation import Interval, StrOptions

try:  # scikit-learn 1.9 and later
    from sklearn.callback import CallbackSupportMixin
except ImportError:

    class _SilentTask:
        """Stands where scikit-learn would tell callbacks how far a fit has come."""

        def subcontext(self, **_):
            return self

        def call_on_fit_task_begin(self, **_):
            return self

        def call_on_fit_task_end(self, **_):
            return False

    class CallbackSupportMixin:
        """Take the place of scikit-learn's mixin where there is none yet."""

        def _init_callback_context(self, **_):
            return _SilentTask()


__all__ = ["CallbackSupportMixin", "Interval", "StrOptions", "fit_context"]
