"""The result of a curve over numbers of topics, its plot, and the rules that choose."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import Bunch

from sklda._data.checks import check_result
from sklda.inspection._display import EDGE, FILL, PanelDisplay, new_panels
from sklda.inspection._estimates import table_lines

if TYPE_CHECKING:
    from matplotlib.lines import Line2D

_WIDTH = 80  # characters of the printed verdict
_COLUMNS = 3
_PANEL_SIZE = 3.2, 2.5  # inches
_TITLES = {
    "score": "held-out score (nats per token)",
    "npmi": "coherence (NPMI)",
    "c_v": "coherence (c_v)",
    "seconds": "seconds of a fit",
}


@dataclass(frozen=True)
class Recommendation:
    """Numbers of topics that a rule finds as good as the best, and why.

    `TopicNumberCurve.recommended` contains one for each rule.

    Attributes
    ----------
    n_components : int
        Recommended number of topics, the smallest of these.
    highest : int
        The largest of these. All measured numbers between the two are as good.
    reason : str
        Why the rule recommends these numbers.
    """

    n_components: int
    highest: int
    reason: str


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
    n_empty : int
        Number of empty documents, which are in no fold.
    recommended : dict of str to Recommendation
        Recommended numbers by "score" and by "stability", if they are measured and
        finite for all numbers.
    verdict : str
        A sentence that states which numbers to use, or to try, and why.
    choice : int or None
        Smallest of the numbers that predict best, to fit the model with; None if
        nothing is recommended.
    measures : list of str
        Names of the measures; "seconds", the time of a fit, comes last.
    """

    n_components: np.ndarray
    mean: Bunch
    standard_error: Bunch
    fits: Bunch
    n_empty: int = 0

    @cached_property
    def recommended(self) -> dict[str, Recommendation]:
        """What each rule recommends, if its measure is there and finite."""
        numbers = self.n_components.tolist()
        found = {
            name: rule(numbers, self.fits[name])
            for name, rule in RULES.items()
            if np.isfinite(self.mean.get(name, np.nan)).all()
        }
        return Bunch(**found)

    @property
    def verdict(self) -> str:
        """Sentence that states which numbers to use, or to try, and why."""
        reasons = [found.reason for found in self.recommended.values()] + [
            f"the {name} of {k} topics is {mean}"
            for name in RULES
            for k, mean in zip(self.n_components, self.mean.get(name, ()), strict=False)
            if not np.isfinite(mean)
        ]
        if not reasons:
            return 'Measure "score" or "stability" to get a recommendation.'
        return f"{self._headline()[1]}: {'; '.join(reasons)}."

    @property
    def choice(self) -> int | None:
        """Smallest of the numbers that predict best."""
        return self._headline()[0]

    def _headline(self) -> tuple[int | None, str]:
        """Return the number to use, and the range of numbers in words."""
        found = [*self.recommended.values()]  # the score comes first
        if not found:
            return None, "No recommendation"
        first, last = self.n_components[[0, -1]].tolist()
        least = self.n_components[self.n_components > 1][0]
        # A range of all numbers, perhaps without 1, speaks against none.
        ranges = [r for r in found if r.n_components > least or r.highest < last]
        ranges = ranges or found[:1]
        low = max(r.n_components for r in ranges)
        high = min(r.highest for r in ranges)
        choice = low if low <= high else found[0].n_components
        if choice == last:
            return choice, f"Try more than {last} topics"
        if (low, high) == (first, last) and "score" in self.recommended:
            return choice, f"Any number from {first} to {last} topics"
        if choice == first > 1:
            return choice, f"Try fewer than {first} topics"
        topics = f"{choice} topic{'s' * (choice > 1)}"
        if low > high:
            return choice, f"{topics} to predict, {found[1].n_components} to report"
        return choice, topics if low == high else f"{low} to {high} topics"

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
        if self.n_empty > 0:
            title += f", without the empty documents ({self.n_empty:,})"
        columns = {"topics": list(map(str, self.n_components))}
        for name in self.measures:
            columns[name] = [f"{x:.4f}" for x in self.mean[name]]
        columns["seconds"] = [f"{x:.2f}" for x in self.mean["seconds"]]
        if "score" in self.fits:
            title += "; ± is the standard error of the difference from the best score"
            cells = zip(columns["score"], behind_best(self.fits.score)[1], strict=True)
            columns["score"] = [f"{mean} ±{error:.4f}" for mean, error in cells]
        rows = [[*columns], *zip(*columns.values(), strict=True)]
        lines = [fill(title, _WIDTH), *table_lines(rows, ">")]
        return "\n".join([*lines, fill(self.verdict, _WIDTH)])


# --- the plot ---------------------------------------------------------------------


class TopicNumberDisplay(PanelDisplay):
    """Plot the measures for each number of topics and the recommended numbers.

    Each panel shows the mean of a measure and a band of one standard error. For the
    held-out score, this is the error of the difference from the best: a number whose
    band touches the dotted line is as good as the best. A dashed line marks the
    recommended number. The parameter is stored as an attribute.

    Parameters
    ----------
    curve : TopicNumberCurve
        Result of `topic_number_curve`.

    Attributes
    ----------
    axes_ : ndarray of Axes of shape (n_measures,)
        Panel of each measure.
    figure_ : Figure
        Figure of the panels.
    lines_ : list of Line2D
        Means, in the order of the panels.

    Raises
    ------
    TypeError
        If `curve` is not the result of `topic_number_curve`.

    See Also
    --------
    topic_number_curve : The numbers themselves, and reasons of the recommendations.

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> from sklda.model_selection import TopicNumberDisplay, topic_number_curve
    >>> X, _, _ = make_bars(n_samples=300, doc_topic_prior=0.1, random_state=0)
    >>> lda = CollapsedGibbsLDA(max_iter=50)
    >>> curve = topic_number_curve(lda, X, [5, 10, 20], cv=3, random_state=0)
    >>> TopicNumberDisplay(curve=curve).plot().axes_.shape
    (6,)
    """

    def __init__(self, *, curve: TopicNumberCurve) -> None:
        check_result(curve, "curve", TopicNumberCurve, "topic_number_curve")
        self.curve = curve

    def _panels(self) -> tuple[int, str]:
        names = self.curve.measures
        return len(names), f"measures to plot: {', '.join(names)}"

    def _new_axes(self, n_panels: int) -> np.ndarray:
        return new_panels(n_panels, _COLUMNS, _PANEL_SIZE)

    def _draw(self, axes: np.ndarray, style: dict[str, Any]) -> None:
        style = {"color": EDGE, "marker": "o", "markersize": 4} | style
        self.lines_: list[Line2D] = []
        for panel, name in zip(axes, self.curve.measures, strict=True):
            self._draw_panel(panel, name, style)

    def _draw_panel(self, panel: Any, name: str, style: dict[str, Any]) -> None:
        """Draw the means of a measure, with a band of their errors."""
        numbers = self.curve.n_components
        mean, error = self.curve.mean[name], self.curve.standard_error[name]
        if name == "score":  # as in its rule
            error = behind_best(self.curve.fits.score)[1]
            panel.axhline(mean.max(), color="grey", linestyle=":", linewidth=1)
        panel.fill_between(numbers, mean - error, mean + error, color=FILL, alpha=0.6)
        self.lines_ += panel.plot(numbers, mean, **style)
        title = _TITLES.get(name, name)
        if name in self.curve.recommended:
            chosen = self.curve.recommended[name].n_components
            panel.axvline(chosen, color="black", linestyle="--", linewidth=1)
            title = f"{title}\nrecommends {chosen}"
        panel.set_title(title, fontsize="medium")
        panel.set_xscale("log")
        panel.set_xticks(numbers, [str(number) for number in numbers])
        panel.minorticks_off()
        panel.set_xlabel("number of topics")


# --- rules ----------------------------------------------------------------------------


def fold_means(values: np.ndarray) -> np.ndarray:
    """Return the mean over seeds, (n_values, n_folds)."""
    return np.asarray(values.mean(axis=2))


@np.errstate(invalid="ignore")  # a score may be -inf
def standard_error(values: np.ndarray) -> np.ndarray:
    """Return the standard error of the mean over folds, along the last axis."""
    spread = values.std(axis=-1, ddof=1)
    return np.asarray(spread / np.sqrt(values.shape[-1]))


@np.errstate(invalid="ignore")
def behind_best(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how far each number is behind the best, and the standard error of that."""
    # Folds differ more than numbers do, so differences are taken fold by fold.
    means = np.nan_to_num(fold_means(values), nan=-np.inf, neginf=-np.inf)
    behind = means[means.mean(axis=1).argmax()] - means
    return behind.mean(axis=1), standard_error(behind)


def by_score(n_components: list[int], values: np.ndarray) -> Recommendation:
    """Choose the smallest number within one standard error of the best score."""
    behind, error = behind_best(values)
    good = np.flatnonzero(behind <= error)
    start, size = good[0], int((good - good[0] == np.arange(good.size)).sum())
    low, high = n_components[start], n_components[good[size - 1]]
    if low == n_components[-1]:
        reason = f"still rises at {low}, the largest number"
    elif size == behind.size:
        reason = "is the same for all, within one standard error"
    else:
        changes = [f"rises until {low}, by {behind[0]:.2g} nats,"] if start > 0 else []
        loss = behind[start + size :].max(initial=0)
        changes += [f"falls after {high}, by {loss:.2g} nats" if loss else "then stays"]
        reason = " and ".join(changes)
        if size < good.size:
            reason += f", and is as good again at {n_components[good[size]]}"
    return Recommendation(low, high, f"the held-out score {reason}")


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
        return Recommendation(first, last, reason)
    chosen = int(peaks[stability[peaks].argmax()])
    falls = means[chosen] - means[chosen:]
    is_lower = falls.mean(axis=1) > standard_error(falls)
    end = chosen + int(np.append(is_lower, True).argmax())
    low, high = n_components[chosen], n_components[end - 1]
    rise = f"stability rises from {n_components[chosen - 1]} to {low}"
    reason = f"{rise} and falls after {high}"
    if high == n_components[-1]:
        reason = f"{rise}, and does not fall up to {high}"
    if low == n_components[-1]:
        reason = f"stability still rises at {low}, the largest number"
    return Recommendation(low, high, reason)


RULES = {"score": by_score, "stability": by_stability}
