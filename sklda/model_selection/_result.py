"""The result of a curve over numbers of topics, which prints as a table."""

from __future__ import annotations

from textwrap import fill

from sklearn.utils import Bunch

from sklda._topics.text_table import table_lines

_WIDTH = 80  # characters of the printed reasons
_FORMATS = {"seconds": ".2f"}  # all others have four decimals


class Curve(Bunch):
    """What `topic_number_curve` returns: a Bunch, but for how it prints."""

    def __repr__(self) -> str:
        if not {"n_components", "mean", "fits", "recommended"} <= set(self):
            return super().__repr__()  # of a copy that lacks something
        _, n_folds, n_repeats = self.fits["seconds"].shape
        title = (
            f"Curve over numbers of topics: means of {n_folds} folds, each with "
            f"{n_repeats} seed{'s' * (n_repeats > 1)}"
        )
        # The time of a fit comes last.
        names = [name for name in self.mean if name != "seconds"] + ["seconds"]
        columns = [
            [format(x, _FORMATS.get(name, ".4f")) for x in self.mean[name]]
            for name in names
        ]
        numbers = [str(k) for k in self.n_components]
        rows = [["n_components", *names], *zip(numbers, *columns, strict=True)]
        reasons = [
            f"recommended by {name}: {one.n_components}, because {one.reason}"
            for name, one in self.recommended.items()
        ]
        reasons = [fill(text, _WIDTH, subsequent_indent="    ") for text in reasons]
        agreed = [f"agreed: {self.agreed}"] if len(reasons) > 1 else []
        return "\n".join([title, *table_lines(rows, ">"), *reasons, *agreed])
