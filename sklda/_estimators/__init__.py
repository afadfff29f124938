"""The base classes of all estimators."""
