"""The result of a curve over numbers of topics, which prints as a table."""

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
