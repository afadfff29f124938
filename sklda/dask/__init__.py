"""LDA for a corpus beyond one machine, on a cluster of Dask.

The estimators have the names and parameters of those of sklda. The fits of
PartiallyCollapsedGibbsLDA are the same, bit for bit, and so are those of
CollapsedGibbsLDA with one shard. With more shards they are not: here each shard has its
own copy of the counts, and those of sklda share one table. X is a dask array, a list of
delayed matrices or a dask bag. It needs the extra ``dask``: ``pip install
"sklda[dask]"``.
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
