"""Display of a curve over numbers of topics, with the numbers it recommends."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from sklda._core.checks import check_result
from sklda.inspection._plotting import EDGE, FILL, PanelDisplay, new_panels
from sklda.model_selection._result import TopicNumberCurve, behind_best

if TYPE_CHECKING:
    from matplotlib.lines import Line2D

_COLUMNS = 3
_PANEL_SIZE = 3.2, 2.5  # inches
_TITLES = {
    "score": "held-out score (nats per token)",
    "npmi": "coherence (NPMI)",
    "c_v": "coherence (c_v)",
    "seconds": "seconds of a fit",
}


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

    def _new_axes(self, pyplot: ModuleType, n_panels: int) -> np.ndarray:
        return new_panels(pyplot, n_panels, _COLUMNS, _PANEL_SIZE)

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
