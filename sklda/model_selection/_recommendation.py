"""Rules that choose a number of topics from a curve, each with its reason."""

from __future__ import annotations

import numpy as np

from sklda.model_selection._result import Recommendation


def fold_means(values: np.ndarray) -> np.ndarray:
    """Return the mean over seeds, (n_values, n_folds)."""
    return np.asarray(values.mean(axis=2))


def standard_error(values: np.ndarray) -> np.ndarray:
    """Return the standard error of the mean over folds, along the last axis."""
    spread = values.std(axis=-1, ddof=1)
    return np.asarray(spread / np.sqrt(values.shape[-1]))


def behind_best(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how far each number is behind the best, and the standard error of that."""
    # Folds differ more than numbers do, so differences are taken fold by fold.
    means = fold_means(values)
    behind = means[means.mean(axis=1).argmax()] - means
    return behind.mean(axis=1), standard_error(behind)


def by_score(n_components: list[int], values: np.ndarray) -> Recommendation:
    """Choose the smallest number within one standard error of the best score."""
    behind, error = behind_best(values)
    score = fold_means(values).mean(axis=1)
    best, chosen = int(score.argmax()), int((behind <= error).argmax())
    reason = f"the held-out score is best, {score[best]:.4f}"
    if chosen != best:
        reason = (
            f"the smallest number whose held-out score, {score[chosen]:.4f}, is within "
            f"one standard error of the best, {score[best]:.4f} with "
            f"{n_components[best]} topics"
        )
    if best == len(n_components) - 1:
        reason += "; that is the largest number, so try more"
    return Recommendation(n_components[chosen], reason)


def by_stability(n_components: list[int], values: np.ndarray) -> Recommendation:
    """Choose the highest stability among numbers more stable than the one before.

    A few general topics may be stable for any documents, hence the condition. Many
    topics are also stable if most of them are empty, so the rule does not choose the
    last such number. It ignores 1, because a single topic is stable by definition.
    """
    has_one = n_components[0] == 1
    if has_one:
        n_components, values = n_components[1:], values[1:]
    means = fold_means(values)
    rises = np.diff(means, axis=0)
    peaks = np.flatnonzero(rises.mean(axis=1) > standard_error(rises)) + 1
    stability = means.mean(axis=1)
    if peaks.size == 0:
        reason = (
            f"stability only falls, from {stability[0]:.2f} for the smallest number"
            f"{' above 1' * has_one}, so no larger number is recommended"
        )
        if stability.size == 1:
            reason = "it is the only number above 1, so try more"
        return Recommendation(n_components[0], reason)
    chosen = int(peaks[stability[peaks].argmax()])
    reason = (
        f"stability rises to {stability[chosen]:.2f} for this number, from "
        f"{stability[chosen - 1]:.2f} with {n_components[chosen - 1]} topics"
    )
    if chosen == len(n_components) - 1:
        reason += "; that is the largest number, so try more"
    else:
        reason += (
            f", and then falls, to {stability[chosen + 1]:.2f} with "
            f"{n_components[chosen + 1]}"
        )
    return Recommendation(n_components[chosen], reason)


RULES = {"score": by_score, "stability": by_stability}
