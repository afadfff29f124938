"""Objects of other libraries that hold counts: the message has the line to write."""

import numpy as np
import pytest
from scipy import sparse

from sklda import CollapsedGibbsLDA
from sklda.metrics import topic_coherence
from tests.helpers.small_fits import X, fit

MATRIX = r"X must be a matrix of counts .documents x words., but it "


@pytest.fixture(scope="module")
def fitted():
    return fit()


def refuse(fitted, documents, message, *, in_functions=True):
    """Assert that fit, transform and a function of X say what to do."""
    for call in (CollapsedGibbsLDA(3).fit, fitted.transform, fitted.score):
        with pytest.raises(ValueError, match=message):
            call(documents)
    if in_functions:
        with pytest.raises(ValueError, match=message):
            topic_coherence(fitted, documents, n_words=3)


def test_annotated_data(fitted, tmp_path):
    anndata = pytest.importorskip("anndata")
    adata = anndata.AnnData(sparse.csr_matrix(X).astype(np.float32))
    refuse(fitted, adata, f"{MATRIX}is of type AnnData: pass its counts, adata.X ")
    refuse(fitted, [adata], "Block 0 of X: .*adata.X", in_functions=False)
    adata.raw = adata
    refuse(fitted, adata.raw, f"{MATRIX}is of type Raw: pass its counts, adata.X ")
    np.testing.assert_array_equal(fitted.transform(adata.X), fitted.transform(X))
    adata.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    refuse(fitted, backed, r"adata\.to_memory\(\)\.X if it is backed")
    np.testing.assert_array_equal(backed.to_memory().X.toarray(), X.toarray())
    refuse(
        fitted, backed.X, r"pass X\.to_memory\(\), or blocks .*X\.shape\[0\], 10_000"
    )
    blocks = (backed.X[i : i + 10] for i in range(0, backed.X.shape[0], 10))
    np.testing.assert_array_equal(fitted.transform(blocks), fitted.transform(X))
    backed.file.close()


def test_frames_of_polars(fitted):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(
        {f"w{w}": column for w, column in enumerate(X.toarray().T)}
    )
    lazy = frame.lazy()
    refuse(fitted, lazy, rf"{MATRIX}is of type LazyFrame: pass X\.collect\(\)\.$")
    refuse(fitted, [lazy, lazy], "has items of type LazyFrame: pass X.collect")
    model = fit(lazy.collect())
    assert model.feature_names_in_[3] == "w3"
    np.testing.assert_array_equal(model.components_, fitted.components_)
    np.testing.assert_array_equal(
        model.transform(iter([frame])), model.transform(frame)
    )
    texts = polars.DataFrame({"text": ["a b", "c"], "n": [1, 2]})
    refuse(fitted, texts, rf"{MATRIX}is a table .*'text'.*fit_transform\(X\['text'\]\)")
    days = texts.select("n", day=polars.date(2008, 1, 1))
    refuse(fitted, days, "is a table with other columns: 'day'")
    refuse(fitted, texts["text"], rf"{MATRIX}contains texts.*\.transform\(texts\)")


def test_delayed_objects_of_dask(fitted):
    dask = pytest.importorskip("dask")
    block = dask.delayed(X)
    refuse(fitted, block, r"type Delayed\w*: pass X\.compute\(\), or .*sklda\.dask")
    refuse(fitted, [block], r"items of type Delayed\w*: pass X\.compute\(\)")


def test_blocks_where_a_function_reads_one_matrix(fitted, tmp_path):
    for blocks in ([X, X], iter([X]), str(tmp_path), tmp_path):
        with pytest.raises(ValueError, match=r"one matrix.*scipy\.sparse\.vstack"):
            topic_coherence(fitted, blocks, n_words=3)
