"""The result of a curve over numbers of topics, and the rules that choose a number."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import fill

import numpy as np
from sklearn.utils import Bunch

from sklda._topics.text_table import table_lines

_WIDTH = 80  # characters of the printed reasons
_FORMATS = {"seconds": ".2f"}  # all others have four decimals


@dataclass(frozen=True)
class Recommendation:
    """Number of topics that a rule recommends.

    `TopicNumberCurve.recommended` contains one for each rule.

    Attributes
    ----------
    n_components : int
        Recommended number of topics.
    reason : str
        Why the rule recommends this number.
    """

    n_components: int
    reason: str


@dataclass(frozen=True, eq=False, kw_only=True)
class TopicNumberCurve:
    """Measures of models with different numbers of topics, and recommended numbers.

    `topic_number_curve` returns it, and `TopicNumberDisplay` plots it. It prints as a
    table. Dicts also have their keys as attributes.

    Attributes
    ----------
    n_components : ndarray of shape (n_values,)
        Numbers of topics in ascending order.
    mean : dict of str to ndarray of shape (n_values,)
        Mean of each measure over folds and seeds.
    standard_error : dict of str to ndarray of shape (n_values,)
        Standard error of that mean over folds.
    fits : dict of str to ndarray of shape (n_values, n_folds, n_repeats)
        Each measure of each fit; for "stability" the last axis has length 1.
    recommended : dict of str to Recommendation
        Recommended numbers by "score" and by "stability", if they are measured.
    agreed : int or None
        Number that all entries of `recommended` share, or None if they disagree.
    measures : list of str
        Names of the measures; "seconds", the time of a fit, comes last.
    """

    n_components: np.ndarray
    mean: Bunch
    standard_error: Bunch
    fits: Bunch
    recommended: dict[str, Recommendation]

    @property
    def agreed(self) -> int | None:
        """Number that all rules recommend, or None if they disagree."""
        numbers = {choice.n_components for choice in self.recommended.values()}
        return numbers.pop() if len(numbers) == 1 else None

    @property
    def measures(self) -> list[str]:
        """Names of the measures; "seconds", the time of a fit, comes last."""
        return [name for name in self.mean if name != "seconds"] + ["seconds"]

    def __repr__(self) -> str:
        _, n_folds, n_repeats = self.fits["seconds"].shape
        title = (
            f"Curve over numbers of topics: means of {n_folds} folds, each with "
            f"{n_repeats} seed{'s' * (n_repeats > 1)}"
        )
        columns = [
            [format(x, _FORMATS.get(name, ".4f")) for x in self.mean[name]]
            for name in self.measures
        ]
        numbers = [str(k) for k in self.n_components]
        rows = [["n_components", *self.measures], *zip(numbers, *columns, strict=True)]
        reasons = [
            f"recommended by {name}: {choice.n_components}, because {choice.reason}"
            for name, choice in self.recommended.items()
        ]
        reasons = [fill(text, _WIDTH, subsequent_indent="    ") for text in reasons]
        agreed = [f"agreed: {self.agreed}"] if len(reasons) > 1 else []
        return "\n".join([title, *table_lines(rows, ">"), *reasons, *agreed])


# --- rules ----------------------------------------------------------------------------


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
