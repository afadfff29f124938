"""Sums of sparse matrices are those of dense ones, in the narrowest types."""

import itertools

import numpy as np
import pytest
from scipy import sparse

from sklda._engine.kept_samples import add_rows, joined

N_ROWS, CUTS = 50, [0, 7, 30, 50]


def tables(n_topics, scale=1.0, n=3):
    rng = np.random.default_rng(n_topics)
    counts = rng.poisson(0.3, (n, N_ROWS, n_topics)) * rng.integers(1, 90, (N_ROWS, 1))
    counts[:, [0, 20, 49]] = 0
    return counts * scale


def chunks(table):
    pairs = itertools.pairwise(CUTS)
    return (sparse.csr_array(table[first:last]) for first, last in pairs)


def summed(samples):
    total = []
    for table in samples:
        add_rows(total, chunks(table))
    return total


@pytest.mark.parametrize("n_topics", [1, 3, 300])
@pytest.mark.parametrize("scale", [1.0, 1000.0, 0.1])
def test_sums_are_those_of_dense_tables(n_topics, scale):
    samples = tables(n_topics, scale)
    rows, expected = joined(summed(samples)), sum(samples)
    np.testing.assert_array_equal(rows.dense(n_topics), expected)
    some = np.array([0, 3, 20, 48])
    np.testing.assert_array_equal(rows.take(some).dense(n_topics), expected[some])
    assert rows.topic.dtype == (np.uint16 if n_topics > 255 else np.uint8)
    whole = np.min_scalar_type(int(expected.max()))
    assert rows.value.dtype == (whole if scale >= 1 else np.float64)
