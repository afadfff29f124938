"""Warnings that name the line of the user."""

import sys
import warnings

# Packages whose frames may stand between a user's line and ours.
_BETWEEN = {"joblib", "sklda", "sklearn"}


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn about the line outside of sklda that led here."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _package(frame) in _BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _package(frame) -> str:
    return frame.f_globals.get("__name__", "").split(".")[0]
