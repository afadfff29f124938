"""Random halves of documents: every balanced split of the tokens is as likely."""

import hashlib
from itertools import product
from math import comb, prod

import numpy as np
import pytest
from scipy.stats import chi2_contingency, chisquare

from sklda._data.corpus import WeightedCorpus
from sklda._fitted import fold_in
from sklda._fitted.kernels import fold_in as kernels
from tests.helpers.corpora import to_weights
from tests.helpers.from_python import from_python
from tests.helpers.mutants import interpreted


def same_counts(count, n_docs, seed):
    """Return documents of the same counts, each with words of its own."""
    rng = np.random.default_rng(seed)
    words = [np.sort(rng.choice(10_000, len(count), False)) for _ in range(n_docs)]
    return WeightedCorpus(
        doc_ptr=np.arange(n_docs + 1) * len(count),
        word=np.ravel(words).astype(np.int32),
        count=np.tile(np.float32(count), n_docs),
    )


def halves_of(weights, module=kernels):
    """Return the first halves, (n_cells,), of the kernel or of a mutant."""
    half = np.empty(weights.count.size)
    room = np.empty(np.diff(weights.doc_ptr).max(), np.int64)
    module.deal_tokens(*weights, weights.count.view(np.uint32), room, half)
    return half


def mutant(edits):
    name = "sklda._fitted.kernels.fold_in"
    module = interpreted(name, edits, compiled_draws=True).module
    hashed = module.hashed  # Python has integers of any size
    module.hashed = lambda key, i: np.uint64(hashed(np.uint64(key), i))
    ones = from_python(kernels._ones)
    module._ones = lambda bits: ones(np.uint64(bits))
    return module


def test_halves_are_whole_tokens_and_equal():
    counts = np.random.default_rng(0).poisson(1.5, (300, 20))
    counts[7] = 0
    counts[8, 3:] = 0
    weights = to_weights(counts)
    halves = fold_in.split_tokens(weights)
    np.testing.assert_array_equal(halves[0] + halves[1], weights.count)
    for half in halves:
        assert half.dtype == np.float32
        assert half.min() >= 0
        np.testing.assert_array_equal(half, half.round())
    docs = np.repeat(np.arange(300), np.diff(weights.doc_ptr))
    lead = np.bincount(docs, halves[0] - halves[1], 300)
    np.testing.assert_array_equal(abs(lead), counts.sum(axis=1) % 2)


@pytest.mark.parametrize("n_docs", [0, 2])
def test_halves_of_nothing(n_docs):
    for half in fold_in.split_tokens(to_weights(np.zeros((n_docs, 3), np.int64))):
        assert half.size == 0


def ways_to_halve(count):
    """Return the halves of a document, and how many subsets of its tokens each is."""
    ways = list(product(*(range(n + 1) for n in count)))
    ways = [way for way in ways if abs(2 * sum(way) - sum(count)) <= 1]
    n_subsets = [prod(map(comb, count, way)) for way in ways]
    return ways, np.array(n_subsets, float) / sum(n_subsets)


def p_value_of_halves(count, module):
    """Test that all balanced subsets of the tokens are equally likely."""
    ways, probability = ways_to_halve(count)
    n_docs = int(5 / probability.min())  # so that chi-square holds
    half = halves_of(same_counts(count, n_docs, seed=1), module)
    found = [ways.index(tuple(row)) for row in half.reshape(n_docs, -1).tolist()]
    expected = n_docs * probability
    return chisquare(np.bincount(found, minlength=len(ways)), expected).pvalue


COUNTS = [(2, 1, 3), (1, 1, 1, 1, 1), (4, 1), (70, 2)]


@pytest.mark.parametrize("count", COUNTS, ids=str)
def test_all_halves_are_equally_likely(count):
    assert p_value_of_halves(count, kernels) > 1e-3


def p_value_of_patterns(module):
    """Test that each place is in the first half of half of the documents."""
    half = halves_of(same_counts([1] * 20, 1000, seed=2), module)
    heads = half.reshape(1000, 20).sum(axis=0)
    # Those of a document sum to 10: so 19 degrees of freedom, and a factor of 19 / 20.
    return chisquare(np.r_[heads, 1000 - heads] * 1.0, 500, ddof=20).pvalue


def test_documents_of_one_length_have_halves_of_their_own():
    assert p_value_of_patterns(kernels) > 1e-3


def passes(name, problem, edits):
    """Return the verdict on the kernel that Python runs after edits."""
    module = mutant(edits)
    if problem == "lengths":
        p = p_value_of_patterns(module)
    else:
        try:
            p = min(p_value_of_halves(count, module) for count in COUNTS[:3])
        except ValueError:  # not a half
            return False
    return p > 1e-3 if not 1e-6 <= p <= 1e-3 else None


def test_halves_depend_on_the_document_alone():
    counts = np.random.default_rng(3).poisson(0.3, (40, 50))
    weights = to_weights(counts)
    first, _ = fold_in.split_tokens(weights)
    for d in range(40):
        alone, _ = fold_in.split_tokens(to_weights(counts[d : d + 1]))
        np.testing.assert_array_equal(
            alone, first[weights.doc_ptr[d] : weights.doc_ptr[d + 1]]
        )


def test_halves_are_the_same_on_every_processor():
    cell = np.arange(2000)
    counts = (cell * 7919 % 13 // 4 + cell % 3 / 4).reshape(40, 50)  # exact in binary
    digest = hashlib.sha256(halves_of(to_weights(counts)).astype("<f4").tobytes())
    assert digest.hexdigest()[:16] == "ed1d9af7d57a0013"


def test_fractions_are_tokens_of_less_weight():
    counts = np.random.default_rng(5).gamma(0.5, 2, (200, 12)).astype(np.float32)
    half = halves_of(to_weights(counts)).reshape(counts.shape)
    rest = counts - np.floor(counts)
    whole = half - rest * (half > np.floor(half))
    np.testing.assert_array_equal(whole, np.round(whole))
    largest = np.where(counts >= 1, 1, counts).max(axis=1)
    assert (abs(2 * half - counts).sum(axis=1) > 0).all()
    assert (abs((2 * half - counts).sum(axis=1)) <= largest + 1e-6).all()


@pytest.mark.parametrize("count", [(0.5, 0.3, 0.1, 0.4), (1.5, 0.25, 2.25, 1)], ids=str)
def test_fractions_do_not_depend_on_the_order_of_words(count):
    n_docs = 4000
    tables = []
    for order in (slice(None), slice(None, None, -1)):
        half = halves_of(same_counts(count[order], n_docs, seed=6))
        rows = half.astype(np.float32).reshape(n_docs, -1)[:, order]
        tables.append([tuple(row) for row in rows.tolist()])
    ways = sorted(set(tables[0] + tables[1]))
    assert len(ways) > 5
    found = [[table.count(way) for way in ways] for table in tables]
    common = np.sum(found, axis=0) >= 10
    assert chi2_contingency(np.array(found)[:, common]).pvalue > 1e-3


@pytest.mark.parametrize("count", [2**20, 2**24, 2**31, 2**39])
def test_large_counts(count):
    # A token above 2**24 is the last bit of a float32.
    token = max(count / 2**24, 1)
    half = halves_of(same_counts([count] * 5, 20, seed=7)).reshape(20, 5)
    assert (abs(half.sum(axis=1) - 2.5 * count) <= token / 2).all()
    # Hypergeometric: the variance of a cell is a quarter of its tokens, times 4 / 5;
    # the mean of 100 squares, 80 of them free, is within 5 sqrt(2 / 80) of it.
    ratio = np.mean((half - count / 2) ** 2) / (token * count / 5)
    assert abs(ratio - 1) < 0.8
