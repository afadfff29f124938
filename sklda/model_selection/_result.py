"""The result of a curve over numbers of topics, and the rules that choose a number."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from textwrap import fill

import numpy as np
from sklearn.utils import Bunch

from sklda._topics.text_table import table_lines

_WIDTH = 80  # characters of the printed verdict
_FORMATS = {"seconds": ".2f"}  # all others have four decimals


@dataclass(frozen=True)
class Recommendation:
    """Numbers of topics that a rule finds as good as the best, and why.

    `TopicNumberCurve.recommended` contains one for each rule.

    Attributes
    ----------
    n_components : int
        Recommended number of topics, the smallest of these.
    highest : int
        The largest of these.
    reason : str
        Why the rule recommends these numbers.
    excludes : bool
        Whether the rule speaks against any number.
    """

    n_components: int
    highest: int
    reason: str
    excludes: bool = True


@dataclass(frozen=True, eq=False, kw_only=True)
class TopicNumberCurve:
    """Measures of models with different numbers of topics, and a verdict.

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
    verdict : str
        A sentence that states which numbers to use, and why.
    choice : int or None
        Smallest number that the verdict names for prediction, to fit the model with;
        None without "score" and "stability".
    measures : list of str
        Names of the measures; "seconds", the time of a fit, comes last.
    """

    n_components: np.ndarray
    mean: Bunch
    standard_error: Bunch
    fits: Bunch

    @cached_property
    def recommended(self) -> dict[str, Recommendation]:
        """What each rule recommends, if its measure is there."""
        numbers = self.n_components.tolist()
        found = {
            name: rule(numbers, self.fits[name])
            for name, rule in RULES.items()
            if name in self.fits
        }
        return Bunch(**found)

    @property
    def verdict(self) -> str:
        """Sentence that states which numbers to use, and why."""
        if not self.recommended:
            return 'Measure "score" or "stability" to get a recommendation.'
        reasons = "; ".join(found.reason for found in self.recommended.values())
        return f"{self._headline()[1]}: {reasons}."

    @property
    def choice(self) -> int | None:
        """Smallest number that the verdict names for prediction."""
        return self._headline()[0] if self.recommended else None

    def _headline(self) -> tuple[int, str]:
        """Return the number to use, and the range of numbers in words."""
        first, last = int(self.n_components[0]), int(self.n_components[-1])
        ranges = [found for found in self.recommended.values() if found.excludes]
        ranges = ranges or [*self.recommended.values()][:1]
        low = max(found.n_components for found in ranges)
        high = min(found.highest for found in ranges)
        if low > high:
            predict, report = (self.recommended[name].n_components for name in RULES)
            return predict, f"{predict} topics to predict, {report} to report"
        if low == last:
            return low, f"Try more than {last} topics"
        if (low, high) == (first, last):
            return low, f"Any number from {first} to {last} topics"
        return low, f"{low} topics" if low == high else f"{low} to {high} topics"

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
        if "score" in self.fits:
            title += "; ± is the standard error of the difference from the best score"
            errors = behind_best(self.fits.score)[1]
            place = self.measures.index("score")
            columns[place] = [
                f"{mean} ±{error:.4f}"
                for mean, error in zip(columns[place], errors, strict=True)
            ]
        numbers = [str(k) for k in self.n_components]
        rows = [["topics", *self.measures], *zip(numbers, *columns, strict=True)]
        lines = [fill(title, _WIDTH), *table_lines(rows, ">")]
        return "\n".join([*lines, fill(self.verdict, _WIDTH)])


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
    good = np.flatnonzero(behind <= error)
    low, high = n_components[good[0]], n_components[good[-1]]
    first, last = n_components[0], n_components[-1]
    if low == last:
        reason = f"the held-out score still rises at {last}, the largest number"
    elif (low, high) == (first, last):
        reason = "the held-out score is the same for all, within one standard error"
    else:
        gain, loss = f"{behind[0]:.2g} nats", f"{behind[-1]:.2g} nats"
        changes = [f"rises until {low}, by {gain},"] if low > first else []
        changes += [f"falls after {high}, by {loss}"] if high < last else ["then stays"]
        reason = f"the held-out score {' and '.join(changes)}"
    return Recommendation(low, high, reason, excludes=(low, high) != (first, last))


def by_stability(n_components: list[int], values: np.ndarray) -> Recommendation:
    """Choose the highest stability among numbers more stable than the one before.

    A few general topics may be stable for any documents, hence the condition. Many
    topics are also stable if most of them are empty, so the rule does not choose the
    last such number. It ignores 1, because a single topic is stable by definition.
    """
    if n_components[0] == 1:
        n_components, values = n_components[1:], values[1:]
    means = fold_means(values)
    rises = np.diff(means, axis=0)
    peaks = np.flatnonzero(rises.mean(axis=1) > standard_error(rises)) + 1
    stability = means.mean(axis=1)
    if peaks.size == 0:
        first, last = n_components[0], n_components[-1]
        reason = f"stability only falls, from {stability[0]:.2f} with {first} topics"
        if first == last:
            reason = f"stability has no number above 1 to compare {first} with"
        return Recommendation(first, last, reason, excludes=False)
    chosen = int(peaks[stability[peaks].argmax()])
    falls = means[chosen] - means[chosen:]
    lower = np.flatnonzero(falls.mean(axis=1) > standard_error(falls))
    low = n_components[chosen]
    if lower.size == 0:
        high, last = n_components[-1], n_components[-1]
        reason = f"stability rises until {low}, and does not fall up to {last}"
        if low == last:
            reason = f"stability still rises at {last}, the largest number"
        return Recommendation(low, high, reason)
    high = n_components[chosen + int(lower[0]) - 1]
    reason = f"stability rises until {low} and falls after {high}"
    return Recommendation(low, high, reason)


RULES = {"score": by_score, "stability": by_stability}
