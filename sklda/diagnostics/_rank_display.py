"""Plot of the ranks that the draws of each chain have among those of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.stats import rankdata

from sklda._base.drawing import axes_or_new, check_labels, legend_beside, shades
from sklda._core.checks import check_choice, check_numbers
from sklda.diagnostics._result import check_chains

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import StepPatch

_BINS = 20
_FEWEST_PER_BIN = 5


class RankDisplay:
    """Plot histograms of the ranks of the draws of each chain among those of all.

    Where the chains agree, each has as many draws in every bin, up to chance: the
    histograms stay close to the dashed line. Create a display with `from_chains`. Its
    parameters are kept as attributes.

    Parameters
    ----------
    draws : ndarray of shape (n_chains, n_draws)
        Draws of one scalar.
    names : list of str
        Names of the chains, for the legend.
    scalar : str
        Name of the scalar, for the horizontal axis.

    Attributes
    ----------
    ax_ : Axes
        Axes of the plot.
    figure_ : Figure
        Figure of the plot.
    steps_ : list of StepPatch
        Histogram of each chain.

    Raises
    ------
    TypeError
        If `names` is not a list.
    ValueError
        If `draws` does not hold finite numbers in a matrix, or `names` not a name for
        each of its rows.

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> from sklda.diagnostics import RankDisplay, sample_chains
    >>> X, _, _ = make_bars(n_samples=50, random_state=0)
    >>> lda = CollapsedGibbsLDA(10, max_iter=60, thin=1)
    >>> chains = sample_chains(lda, X, random_state=0)
    >>> display = RankDisplay.from_chains(chains)
    >>> display.draws.shape
    (4, 30)
    """

    ax_: Axes
    figure_: Figure
    steps_: list[StepPatch]

    def __init__(self, *, draws: np.ndarray, names: list[str], scalar: str) -> None:
        self.draws = check_numbers(draws, "draws", ("n_chains", "n_draws"))
        self.names = check_labels(names, "names", "chains", len(self.draws))
        self.scalar = scalar

    @classmethod
    def from_chains(
        cls,
        chains: Any,
        *,
        scalar: str = "log_joint",
        ax: Axes | None = None,
        **line_kw: Any,
    ) -> Self:
        """Plot the ranks of one scalar.

        Parameters
        ----------
        chains : SampledChains
            Chains of `sample_chains`.
        scalar : str, default="log_joint"
            Name of the scalar, one of those in `scalars_`.
        ax : Axes, default=None
            Axes to plot on. By default a new figure is created.
        **line_kw : dict
            Keyword arguments for ``Axes.stairs``.

        Returns
        -------
        RankDisplay
            The display, plotted.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If `chains` are no chains, or `ax` is not an Axes.
        ValueError
            If there is no such scalar.
        """
        scalars = check_chains(chains).scalars_
        check_choice(scalar, "scalar", list(scalars))
        draws = scalars[scalar]
        names = [f"chain {i}" for i in range(len(draws))]
        return cls(draws=draws, names=names, scalar=scalar).plot(ax, **line_kw)

    def plot(self, ax: Axes | None = None, **line_kw: Any) -> Self:
        """Plot the histograms.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to plot on. By default a new figure is created.
        **line_kw : dict
            Keyword arguments for ``Axes.stairs``.

        Returns
        -------
        RankDisplay
            The display itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If `ax` is not an Axes.
        """
        axes = axes_or_new("RankDisplay", ax, figsize=(8, 4))
        n_chains, n_draws = self.draws.shape
        n_bins = int(np.clip(n_draws // _FEWEST_PER_BIN, 1, _BINS))
        edges = np.linspace(0.5, self.draws.size + 0.5, n_bins + 1)
        ranks = rankdata(self.draws).reshape(self.draws.shape)
        self.steps_ = []
        for i, colour in enumerate(shades(n_chains, 0.75)):
            counts, _ = np.histogram(ranks[i], edges)
            style = {"color": colour, "label": self.names[i]} | line_kw
            self.steps_.append(axes.stairs(counts, edges, **style))
        axes.axhline(n_draws / n_bins, color="black", linestyle="--", label="agreement")
        axes.set(xlabel=f"rank of {self.scalar}", ylabel="draws", ylim=(0, None))
        legend_beside(axes)
        self.ax_, self.figure_ = axes, axes.figure
        return self
