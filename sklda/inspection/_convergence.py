"""A picture of how fits have come along."""

from collections.abc import Mapping
from itertools import cycle
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._drawing import legend_beside, one_axes, shades, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# A trace, the sweeps of its entries, and what it is.
_TRACES = (
    ("log_joint_", "log_joint_iter_", "log joint (nats)"),
    ("bound_", "bound_iter_", "bound (nats per token)"),
)
_FEW_ENTRIES = 30  # that can be marked one by one
_ROWS = 14  # of a column of the legend


class ConvergenceDisplay:
    """Curves of the log joint probability, or the bound, against the sweeps of fits.

    Make it with `from_estimator`; everything passed to it is kept as an attribute.

    Parameters
    ----------
    sweeps : list of ndarray
        Sweeps after which each fit was evaluated.
    values : list of ndarray
        What was found then.
    names : list of str
        Names of the fits.
    quantity : str
        What the values are, with their unit.

    Attributes
    ----------
    ax_ : Axes
        Axes of the curves.
    figure_ : Figure
        Figure that holds them.
    lines_ : list of Line2D
        Curve of each fit.

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> from sklda.inspection import ConvergenceDisplay
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> fits = {f"seed {i}": CollapsedGibbsLDA(random_state=i).fit(X) for i in range(3)}
    >>> display = ConvergenceDisplay.from_estimator(fits)
    >>> display.names
    ['seed 0', 'seed 1', 'seed 2']
    """

    def __init__(
        self,
        *,
        sweeps: list[np.ndarray],
        values: list[np.ndarray],
        names: list[str],
        quantity: str,
    ) -> None:
        self.sweeps = sweeps
        self.values = values
        self.names = names
        self.quantity = quantity

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, ax: "Axes | None" = None, **line_kw: Any
    ) -> Self:
        """Draw the traces of one fitted estimator, or of several.

        Parameters
        ----------
        estimator : estimator, list of estimators, or dict of estimators by their names
            Fitted, with a trace: `log_joint_` and `log_joint_iter_`, or `bound_` and
            `bound_iter_`; all with the same one.
        ax : Axes, default=None
            Where to draw. None makes a figure.
        **line_kw : dict
            For ``Axes.plot``.

        Returns
        -------
        ConvergenceDisplay
            With what was drawn in its attributes.

        Raises
        ------
        NotFittedError
            Before fit.
        ImportError
            Without matplotlib.
        TypeError
            If an estimator keeps no trace.
        ValueError
            If a trace is empty, the traces are of different quantities, or there is no
            estimator.
        """
        named = _named(estimator)
        traces = [_trace(fit, name) for name, fit in named]
        quantities = sorted({quantity for *_, quantity in traces})
        if len(quantities) != 1:
            raise ValueError(
                f"One picture shows one quantity, and these fits have "
                f"{' and '.join(quantities) or 'none'}."
            )
        display = cls(
            sweeps=[sweeps for sweeps, *_ in traces],
            values=[values for _, values, _ in traces],
            names=[name for name, _ in named],
            quantity=quantities[0],
        )
        return display.plot(ax, **line_kw)

    def plot(self, ax: "Axes | None" = None, **line_kw: Any) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : Axes, default=None
            Where to draw. None makes a figure.
        **line_kw : dict
            For ``Axes.plot``.

        Returns
        -------
        ConvergenceDisplay
            Itself.

        Raises
        ------
        ImportError
            Without matplotlib.
        """
        ax = one_axes("ConvergenceDisplay", ax, figsize=(8, 4))
        n_fits = len(self.names)
        self.lines_ = []
        # Neighbours differ in their dashes, too.
        for i, (colour, dashes) in enumerate(
            zip(shades(n_fits, 0.75), cycle(["-", "--", "-.", ":"]), strict=False)
        ):
            style = {"color": colour, "linestyle": dashes} | line_kw
            if self.sweeps[i].size <= _FEW_ENTRIES:
                style = {"marker": "."} | style
            self.lines_ += ax.plot(self.sweeps[i], self.values[i], **style)
            self.lines_[-1].set_label(shorten(self.names[i], 30))
        ax.set(xlabel="sweep", ylabel=self.quantity)
        ax.xaxis.get_major_locator().set_params(integer=True)
        legend_beside(ax, ncols=-(-n_fits // _ROWS))
        self.ax_ = ax
        self.figure_ = ax.figure
        return self


def _named(estimator) -> list[tuple[str, Any]]:
    """Return pairs of a name and an estimator."""
    if isinstance(estimator, Mapping):
        return [(str(name), fit) for name, fit in estimator.items()]
    if not isinstance(estimator, list | tuple):
        return [(type(estimator).__name__, estimator)]
    return [(f"{i}: {type(fit).__name__}", fit) for i, fit in enumerate(estimator)]


def _trace(estimator, name) -> tuple[np.ndarray, np.ndarray, str]:
    """Return the sweeps, the values and what they are."""
    check_is_fitted(estimator)
    for values, sweeps, quantity in _TRACES:
        if hasattr(estimator, sweeps):
            found = np.asarray(getattr(estimator, sweeps))
            if found.size == 0:
                raise ValueError(
                    f"{name} was fitted without a trace: set evaluate_every to a "
                    f"number of sweeps from 1 to max_iter."
                )
            return found, np.asarray(getattr(estimator, values)), quantity
    raise TypeError(
        f"{name} keeps no trace: it has neither log_joint_iter_ nor bound_iter_."
    )
