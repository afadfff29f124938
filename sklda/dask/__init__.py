"""LDA for a corpus beyond one machine, on a cluster of Dask.

The estimators have the names and parameters of those of sklda, and say which of their
fits are the same. X is a dask array, a list of delayed matrices or a dask bag. Install
the extra ``dask``: ``pip install "sklda[dask]"``.
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
