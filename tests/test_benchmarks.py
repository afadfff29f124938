"""The split and the perplexity that the benchmarks compare programs by."""

import numpy as np
import pytest
from scipy import sparse

from benchmarks import corpora


@pytest.fixture
def counts(monkeypatch):
    """Return a small corpus of which the last 20 documents are test documents."""
    monkeypatch.setitem(corpora.N_TEST_DOCUMENTS, "small", 20)
    rng = np.random.default_rng(1)
    return sparse.csr_array(rng.poisson(0.7, size=(60, 30)))


def test_split_holds_out_half_of_the_last_documents(counts):
    train, held_out = corpora.split(counts, "small")
    assert (train[:40] != counts[:40]).nnz == 0
    assert (train[40:] + held_out != counts[40:]).nnz == 0
    tokens = counts[40:].sum()
    # Binomial with p = 1/2: four standard deviations are 2 sqrt(n).
    assert abs(held_out.sum() - tokens / 2) < 2 * np.sqrt(tokens)


def test_perplexity_is_that_of_the_definition(counts):
    rng = np.random.default_rng(2)
    theta = rng.dirichlet(np.ones(4), size=60)
    phi = rng.dirichlet(np.ones(30), size=4)
    probability = theta @ phi
    dense = counts.toarray()
    expected = np.exp(-(dense * np.log(probability)).sum() / dense.sum())
    assert corpora.perplexity(theta, phi, counts) == pytest.approx(expected, rel=1e-12)


def test_perplexity_of_knowing_nothing_is_the_size_of_the_vocabulary(counts):
    theta = np.ones((60, 1))
    phi = np.full((1, 30), 1 / 30)
    assert corpora.perplexity(theta, phi, counts) == pytest.approx(30)
