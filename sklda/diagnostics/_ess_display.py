"""Plot of the effective sample size against the sweeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklda._base.drawing import axes_or_new, check_labels, legend_beside, shades
from sklda._core.checks import check_integer, check_numbers
from sklda.diagnostics import _statistics as statistics
from sklda.diagnostics._result import check_chains
from sklda.diagnostics._verdict import ENOUGH_ESS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

_POINTS = 20
_FEWEST_DRAWS = 4  # of which arviz-stats computes an effective sample size


class EssDisplay:
    """Plot the effective sample size of each scalar against the sweeps.

    Where the chains mix, the curves are straight lines through the origin; one that
    stays flat belongs to chains that do not meet. Create a display with `from_chains`.
    Its parameters are kept as attributes.

    Parameters
    ----------
    sweeps : ndarray of shape (n_points,)
        Sweeps at which the effective sample sizes were computed.
    ess : ndarray of shape (n_scalars, n_points)
        Bulk effective sample size of all draws up to each of these sweeps.
    names : list of str
        Names of the scalars, for the legend.
    enough : int
        Effective sample size that is enough, a dashed line.

    Attributes
    ----------
    ax_ : Axes
        Axes of the plot.
    figure_ : Figure
        Figure of the plot.
    lines_ : list of Line2D
        Curve of each scalar.

    Raises
    ------
    TypeError
        If `names` is not a list.
    ValueError
        If `sweeps` or `ess` are not arrays of finite numbers of these shapes, `names`
        has another length, or `enough` is no positive integer.

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> from sklda.diagnostics import EssDisplay, sample_chains
    >>> X, _, _ = make_bars(n_samples=50, random_state=0)
    >>> lda = CollapsedGibbsLDA(10, max_iter=60, thin=1)
    >>> chains = sample_chains(lda, X, random_state=0)
    >>> display = EssDisplay.from_chains(chains)
    >>> display.names
    ['log_joint', 'n_effective_topics']
    """

    ax_: Axes
    figure_: Figure
    lines_: list[Line2D]

    def __init__(
        self, *, sweeps: np.ndarray, ess: np.ndarray, names: list[str], enough: int
    ) -> None:
        self.sweeps = check_numbers(sweeps, "sweeps", ("n_points",))
        self.ess = check_numbers(ess, "ess", ("n_scalars", self.sweeps.size))
        self.names = check_labels(names, "names", "scalars", len(self.ess))
        self.enough = check_integer(enough, "enough", 1)

    @classmethod
    def from_chains(
        cls, chains: Any, *, ax: Axes | None = None, **line_kw: Any
    ) -> Self:
        """Plot the effective sample size of the first draws, of more, and of all.

        Parameters
        ----------
        chains : SampledChains
            Chains of `sample_chains`, with at least 4 draws each.
        ax : Axes, default=None
            Axes to plot on. By default a new figure is created.
        **line_kw : dict
            Keyword arguments for ``Axes.plot``.

        Returns
        -------
        EssDisplay
            The display, plotted.

        Raises
        ------
        ImportError
            If matplotlib or arviz-stats is not installed.
        TypeError
            If `chains` are no chains, or `ax` is not an Axes.
        ValueError
            If there are too few draws.
        """
        scalars, sweeps = check_chains(chains).scalars_, chains.sweeps_
        if sweeps.size < _FEWEST_DRAWS:
            raise ValueError(
                f"chains hold {sweeps.size} draws each; effective sample sizes need "
                f"{_FEWEST_DRAWS}."
            )
        points = np.unique(np.linspace(_FEWEST_DRAWS, sweeps.size, _POINTS).astype(int))
        ess = [[statistics.ess(v[:, :n]) for n in points] for v in scalars.values()]
        display = cls(
            sweeps=sweeps[points - 1],
            ess=np.array(ess, dtype=np.float64),
            names=list(scalars),
            enough=ENOUGH_ESS * len(chains.estimators_),
        )
        return display.plot(ax, **line_kw)

    def plot(self, ax: Axes | None = None, **line_kw: Any) -> Self:
        """Plot the curves.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to plot on. By default a new figure is created.
        **line_kw : dict
            Keyword arguments for ``Axes.plot``.

        Returns
        -------
        EssDisplay
            The display itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If `ax` is not an Axes.
        """
        axes = axes_or_new("EssDisplay", ax, figsize=(8, 4))
        self.lines_ = []
        colours = shades(len(self.names), 0.75)
        for name, values, colour in zip(self.names, self.ess, colours, strict=True):
            style = {"color": colour, "marker": ".", "label": name} | line_kw
            self.lines_ += axes.plot(self.sweeps, values, **style)
        axes.axhline(self.enough, color="black", linestyle="--", label="enough")
        axes.set(xlabel="sweep", ylabel="effective sample size", ylim=(0, None))
        axes.xaxis.get_major_locator().set_params(integer=True)
        legend_beside(axes)
        self.ax_, self.figure_ = axes, axes.figure
        return self
