"""A callback of scikit-learn 1.9 and later that keeps what it is given."""

from collections.abc import Callable


class Recorder:
    """Keep what the hooks are called with, and act at the end of one sweep."""

    max_propagation_depth = None

    def __init__(self, at: int | None = None, act: Callable = lambda: True):
        self.at, self.act = at, act
        self.events, self.models, self.metadata = [], [], []

    def setup(self, estimator, context):
        self.events.append("setup")

    def teardown(self, estimator, context):
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None):
        self.events.append(f"begin {context.task_name}")

    def on_fit_task_end(
        self, estimator, context, *, X=None, metadata=None, fitted_estimator=None
    ):
        self.events.append(f"end {context.task_name}")
        self.models.append(fitted_estimator)
        self.metadata.append(metadata)
        if context.task_name == f"sweep {self.at}":
            return self.act()
        return False
