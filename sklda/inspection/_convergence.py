"""A plot of the traces of fits, or of chains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklda._base.fitted_topics import snapshot
from sklda.inspection._plotting import (
    PLAIN,
    Display,
    legend_beside,
    legend_label,
    plain,
    shades,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

# Attributes with the values and the sweeps of a trace, and the quantity it records.
_TRACES = (
    ("log_joint_", "log_joint_iter_", "log joint (nats)"),
    ("bound_", "bound_iter_", "bound (nats per token)"),
)
_MAX_MARKERS = 30  # longer traces are drawn without markers
_MAX_QUANTITY = 60  # characters of the label of the axis
_LEGEND_ROWS = 14  # of each column of the legend


@dataclass(eq=False, repr=False, kw_only=True)
class ConvergenceDisplay(Display):
    """Plot the log joint probability or the bound of fits against their sweeps.

    Create a display with `from_estimator` or `from_chains`, or from traces of your own.

    Attributes
    ----------
    sweeps : list of ndarray
        Sweeps after which each fit was evaluated.
    values : list of ndarray
        Value after each of these sweeps.
    names : list of str
        Names of the fits, for the legend.
    quantity : str
        Quantity of the values with its unit, for the vertical axis.
    burn_in : int, default=0
        Number of burn-in sweeps, which the plot shades.
    r_hat : float, default=None
        R-hat of the values after burn-in, for the title; None omits it.
    ax_, figure_ : Axes and Figure
        Axes and figure of the plot.
    lines_ : list of Line2D
        Curve of each fit.

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> from sklda.inspection import ConvergenceDisplay
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> fits = {f"seed {i}": CollapsedGibbsLDA(random_state=i).fit(X) for i in range(3)}
    >>> ConvergenceDisplay.from_estimator(fits).names
    ['seed 0', 'seed 1', 'seed 2']
    """

    sweeps: list[np.ndarray]
    values: list[np.ndarray]
    names: list[str]
    quantity: str
    burn_in: int = 0
    r_hat: float | None = None

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, ax: Axes | None = None, **style: Any
    ) -> Self:
        """Plot the trace of one or several fitted estimators.

        Parameters
        ----------
        estimator : estimator, list of estimators, or dict of str to estimator
            Fitted, with `log_joint_` or `bound_`; several estimators must record the
            same quantity. The keys of a dict name the fits.
        ax : Axes, default=None
            Axes to plot on. By default a new figure is created.
        **style : dict
            Keyword arguments for ``Axes.plot``.

        Returns
        -------
        ConvergenceDisplay
            The plotted display.

        Raises
        ------
        NotFittedError, ImportError, TypeError, ValueError
            Before fit; without matplotlib; if there is no estimator, a trace is missing
            or empty, traces record different quantities, or `ax` is not an Axes.
        """
        named = _named_fits(estimator)
        if not named:
            raise ValueError("There is no fit to plot: estimator is empty.")
        traces = [_trace(fit, name) for name, fit in named]
        sweeps, values, recorded = map(list, zip(*traces, strict=True))
        quantities = sorted(set(recorded))
        if len(quantities) > 1:
            raise ValueError(
                f"All fits must record the same quantity, but these record "
                f"{' and '.join(quantities)}."
            )
        return cls(
            sweeps=sweeps,
            values=values,
            names=[name for name, _ in named],
            quantity=quantities[0],
        ).plot(ax, **style)

    @classmethod
    def from_chains(cls, chains: Any, *, ax: Axes | None = None, **style: Any) -> Self:
        """Plot the traces of several chains with shaded burn-in and their R-hat.

        Parameters
        ----------
        chains : SampledChains
            Chains from `sklda.diagnostics.sample_chains`. If the estimator records no
            trace, the display plots the draws after burn-in.
        ax : Axes, default=None
            Axes to plot on. By default a new figure is created.
        **style : dict
            Keyword arguments for ``Axes.plot``.

        Returns
        -------
        ConvergenceDisplay
            The plotted display.

        Raises
        ------
        ImportError, TypeError
            Without matplotlib; if `chains` is not SampledChains, or `ax` is not an
            Axes.
        """
        if not hasattr(chains, "_traces"):
            raise TypeError(f"chains must be SampledChains, got {chains!r}.")
        return cls(**chains._traces()).plot(ax, **style)

    def _draw(self, axes: Any, style: dict[str, Any]) -> None:
        self.lines_: list[Line2D] = []
        # Adjacent colours are similar, so adjacent curves also differ in their dashes.
        dashes = cycle(["-", "--", "-.", ":"])
        for i, colour in enumerate(shades(len(self.names), 0.75)):
            options = {"color": colour, "linestyle": next(dashes)}
            if self.sweeps[i].size <= _MAX_MARKERS:
                options["marker"] = "."
            options |= style | {"label": legend_label(self.names[i], 30)}
            self.lines_ += axes.plot(self.sweeps[i], self.values[i], **options)
        if self.burn_in > 0:
            axes.axvspan(0, self.burn_in, color="0.9", zorder=0, label="burn-in")
        if self.r_hat is not None:
            axes.set_title(f"R-hat {self.r_hat:.3f}")
        axes.set_xlabel("sweep")
        axes.set_ylabel(plain(self.quantity, _MAX_QUANTITY), **PLAIN)
        axes.xaxis.get_major_locator().set_params(integer=True)
        # In full, such as -6,340,000, not as multiples of a power above the axis.
        axes.yaxis.set_major_formatter("{x:,.12g}")
        legend_beside(axes, ncols=-(-len(self.names) // _LEGEND_ROWS))


def _named_fits(estimator: Any) -> list[tuple[str, Any]]:
    """Return the name and the estimator of each fit."""
    if isinstance(estimator, Mapping):
        return [(str(name), fit) for name, fit in estimator.items()]
    if not isinstance(estimator, list | tuple):
        return [(type(estimator).__name__, estimator)]
    return [(f"{i}: {type(fit).__name__}", fit) for i, fit in enumerate(estimator)]


def _trace(estimator: Any, name: str) -> tuple[np.ndarray, np.ndarray, str]:
    """Return the sweeps and the values of the trace of a fit, and its quantity."""
    estimator = snapshot(estimator)
    for values, sweeps, quantity in _TRACES:
        if hasattr(estimator, sweeps):
            recorded = np.asarray(getattr(estimator, sweeps))
            if recorded.size == 0:
                raise ValueError(
                    f"{name} was fitted without a trace: set evaluate_every to a "
                    f"number of sweeps from 1 to max_iter, and fit again."
                )
            return recorded, np.asarray(getattr(estimator, values)), quantity
    raise TypeError(
        f"{name} records no trace: it has neither log_joint_iter_ nor bound_iter_."
    )
