"""LDA on a Dask cluster, for a corpus too large for one machine.

The estimators have the same names and parameters as those of sklda, and document which
fits are identical. X is a Dask array or a list of delayed matrices. Install the extra
``dask``: ``pip install "sklda[dask]"``.
"""

try:
    import dask.array  # noqa: F401
    import distributed  # noqa: F401
except ImportError as error:
    raise ImportError(
        'sklda.dask needs dask and distributed: pip install "sklda[dask]".'
    ) from error

from sklda.dask._estimators import CollapsedGibbsLDA, PartiallyCollapsedGibbsLDA

__all__ = ["CollapsedGibbsLDA", "PartiallyCollapsedGibbsLDA"]
