"""Base classes of all estimators: parameters, callbacks, transform and score."""
