"""How a block of tokens is drawn: against brute force in exact rational arithmetic.

n_k of the block's n tokens fall on topic k with probability ~ prod_k q_k(n_k), where
q(n) = prod_i (a + i) (b + i) / ((i + 1) (s + i)) over i < n.
"""

import itertools
import math
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from scipy import stats

from sklda._core.problem import padded
from sklda._gibbs.blocked_sampler import make_blocks
from sklda._gibbs.kernels.blocked import backward, cumulants, large, nested, small
from tests.helpers.corpora import corpus_of, words_of
from tests.helpers.enumeration import RIGHT, chi_square_pvalue
from tests.helpers.mutants import interpreted, streams

SIMULATIONS = {"nested": nested, "backward": backward}


def weights(a, b, s, n):
    """Return q(0), ..., q(n) of a topic."""
    a, b, s = Fraction(float(a)), Fraction(float(b)), Fraction(float(s))
    q = [Fraction(1)]
    for i in range(n):
        q.append(q[-1] * (a + i) * (b + i) / ((i + 1) * (s + i)))
    return q


def convolved(p, q):
    return [sum(p[i] * q[c - i] for i in range(c + 1)) for c in range(len(p))]


def random_topics(seed, n_topics, scale=1.0):
    """Return a, b and s as floats; b is at most s, as n_wk + beta is."""
    rng = np.random.default_rng(seed)
    a = scale * rng.gamma(0.5, 2, n_topics) + 0.01
    b = scale * rng.gamma(0.3, 2, n_topics) + 0.01
    return a, b, b + scale * rng.gamma(1, 20, n_topics)


# --- cumulants -------------------------------------------------------------------


def brute_force(a, b, s, n):
    """Return H_n and p(first token on k) by listing every way to place n tokens."""
    q = [weights(*topic, n) for topic in zip(a, b, s, strict=True)]
    total, means = Fraction(0), [Fraction(0)] * len(q)
    for placed in itertools.combinations_with_replacement(range(len(q)), n):
        weight = math.prod(q[k][placed.count(k)] for k in set(placed))
        total += weight
        for k in placed:
            means[k] += weight
    return total * math.factorial(n), [mean / total / n for mean in means]


def steps_of(a, b, s, dtype):
    """Return p_0, ..., p_3 of each topic, with a factor of 1."""
    ratio = np.array([(a + i) / (s + i) for i in range(4)], dtype)
    p = [
        cumulants.steps.py_func(k, dtype(0), ratio, dtype(1), dtype(b[k]))
        for k in range(a.size)
    ]
    return np.array(p, dtype)


def by_cumulants(a, b, s, n, dtype):
    """Return the same from the sums of the cumulants of the topics."""
    p = steps_of(a, b, s, dtype)
    own = np.array([cumulants.cumulants.py_func(topic) for topic in p], np.float64)
    total, factors = cumulants.normaliser.py_func(n, own.sum(0))
    shares = [cumulants.combined.py_func(factors, one) for one in own]
    return total, np.array(shares) / total


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("n_topics", [1, 2, 3, 7, 20])
def test_sums_of_cumulants(n_topics, n):
    for seed in range(4 if n_topics < 20 else 1):
        topics = random_topics(seed, n_topics)
        expected, means = brute_force(*topics, n)
        total, shares = by_cumulants(*topics, n, np.float64)
        assert total == pytest.approx(float(expected), rel=1e-10)
        means = np.array([float(m) for m in means])
        np.testing.assert_allclose(shares, means, rtol=1e-8, atol=1e-12)
        # Six or seven digits, less what cancels in the cumulants.
        total, shares = by_cumulants(*topics, n, np.float32)
        assert total == pytest.approx(float(expected), rel=1e-5)
        np.testing.assert_allclose(shares, means, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("topic", [(3.0, 2.0, 40.0), (1e4, 1e-5, 2e-5), (0.1, 5, 5)])
def test_cumulants_of_a_topic(topic):
    # m_n = sum_c binomial(n - 1, c - 1) kappa_c m_(n - c) gives them one by one.
    m = [q * math.factorial(i) for i, q in enumerate(weights(*topic, 4))]
    kappa = [Fraction(0)]
    for n in range(1, 5):
        before = [math.comb(n - 1, c - 1) * kappa[c] * m[n - c] for c in range(1, n)]
        kappa.append(m[n] - sum(before))
    p = steps_of(*(np.array([x]) for x in topic), np.float64)[0]
    found = cumulants.cumulants.py_func(p)
    # Less what cancels: a term of kappa_4 is p_0 ** 4.
    rtol = 1e-6 if topic[0] > 1e3 else 1e-10
    np.testing.assert_allclose(found, [float(x) for x in kappa[1:]], rtol=rtol)


@pytest.mark.parametrize("depth", [2, 4])
def test_ratios_of_a_document(depth):
    rng = np.random.default_rng(0)
    n_dk, n_k = rng.integers(0, 9, (2, 16)).astype(np.int32)
    alpha = rng.uniform(0.1, 1, 16).astype(np.float32)
    beta_sum, ratio = np.float32(0.7), np.full((4, 16), np.nan, np.float32)
    total = cumulants.set_ratios(depth, n_dk, n_k + n_dk, alpha, beta_sum, ratio)
    i = np.arange(depth)[:, np.newaxis]
    expected = (n_dk + alpha + i) / (n_k + n_dk + beta_sum + i)
    np.testing.assert_allclose(ratio[:depth], expected, rtol=1e-6)
    assert np.isnan(ratio[depth:]).all()
    assert total == pytest.approx(expected[0].sum(), rel=1e-6)


@pytest.mark.parametrize("block", [[3], [3, 3], [3, 5], [5, 3, 3], [1, 2, 1, 2]])
def test_how_many_tokens_share_a_topic(block):
    block = np.array(block, np.uint16)
    found = [small._multiplicity.py_func(block, i) for i in range(block.size)]
    first = {k: i for i, k in reversed(list(enumerate(block.tolist())))}
    counts = [block.tolist().count(k) for k in block.tolist()]
    for i, k in enumerate(block.tolist()):
        assert found[i] == (counts[i] if first[k] == i else 0)


# --- blocks of a corpus ----------------------------------------------------------

COUNTS = np.array([[1, 5, 2, 0, 1, 9], [0] * 6, [1, 0, 0, 1, 1, 0], [4, 4, 4, 2, 3, 4]])


@pytest.mark.parametrize("most", [1, 2, 3, 4, 5, 100])
def test_blocks_hold_each_token_once_in_order(most):
    corpus = corpus_of(COUNTS)
    blocks = make_blocks(corpus, most)
    words, taken = words_of(corpus), []
    np.testing.assert_array_equal(np.diff(blocks.token_ptr), COUNTS.sum(1))
    for d, row in enumerate(COUNTS):
        own = slice(*blocks.doc_ptr[d : d + 2])
        size, word = blocks.size[own].tolist(), blocks.word[own].tolist()
        first = blocks.first[own].tolist()
        n_blocks = blocks.single_ptr[d] - blocks.doc_ptr[d]
        # Cells by their largest piece, the single tokens last.
        largest = [min(row[w], most) for w in word]
        assert largest == sorted(largest, reverse=True)
        assert n_blocks == sum(n > 1 for n in largest)
        # The pieces of a cell are neighbours, the smallest the last of them.
        for w, pieces in itertools.groupby(
            zip(word, size, strict=True), lambda x: x[0]
        ):
            pieces = [n for _, n in pieces]
            assert sum(pieces) == row[w]
            assert pieces[:-1] == [most] * (len(pieces) - 1)
            assert word.count(w) == len(pieces)
        for w, start, n in zip(word, first, size, strict=True):
            tokens = range(start, start + n)
            assert set(words[tokens]) == {w}
            assert blocks.token_ptr[d] <= start <= blocks.token_ptr[d + 1] - n
            taken += tokens
    assert sorted(taken) == list(range(corpus.token_ptr[-1]))


def test_blocks_of_each_cell_have_their_own_limit():
    corpus = corpus_of(np.array([[5, 3, 1], [6, 2, 2]]))
    blocks = make_blocks(corpus, np.array([2, 3, 3, 6, 1, 2]))
    assert blocks.word.tolist() == [1, 0, 0, 0, 2, 0, 2, 1, 1]
    assert blocks.size.tolist() == [3, 2, 2, 1, 1, 6, 2, 1, 1]
    assert blocks.doc_ptr.tolist() == [0, 5, 9]
    assert blocks.single_ptr.tolist() == [4, 7]


# --- rows and lists --------------------------------------------------------------


class OneWord:
    """A word in a document, with its counts in a row and in a list."""

    def __init__(self, n_topics, n_tokens, largest, seed):
        loaded = interpreted(f"{BLOCKED}.lists", beside=(f"{BLOCKED}.rows",), lanes=4)
        self.tables = loaded.modules[f"{BLOCKED}.tables"]
        problem = loaded.modules["sklda._core.problem"]
        rng, n_lanes = np.random.default_rng(seed), problem.padded(n_topics)
        self.z = rng.integers(n_topics, size=n_tokens).astype(np.uint16)
        self.n_topics = n_topics
        row = np.bincount(self.z, minlength=n_lanes).astype(np.int32)
        row[rng.integers(n_topics, size=2)] += 3  # in other documents
        topic = (row + 5 * (np.arange(n_lanes) < n_topics)).astype(np.int32)
        alpha = np.zeros(n_lanes, np.float32)
        alpha[:n_topics] = rng.uniform(0.1, 1, n_topics)
        self.alpha, self.beta, self.beta_sum = alpha, 0.3, 2.4
        priors = problem.Problem(None, 8, alpha[:n_topics].astype(float), 0.3)
        priors = priors.kernel_priors()
        listed = np.flatnonzero(row)
        topics = np.full(problem.padded(listed.size) + 4, n_lanes, np.int32)
        counts = np.zeros_like(topics)
        order = rng.permutation(listed)
        topics[: listed.size], counts[: listed.size] = order, row[order]
        t, n_columns = self.tables, n_lanes + 4
        size = np.array([listed.size], np.int32)
        room = t.new_list(n_columns)._replace(topics=topics, counts=counts, size=size)
        self.words = {"rows": row, "lists": room}
        self.given = {
            "rows": t.new_given(topic, priors, n_lanes),
            "lists": t.new_given(topic.copy(), priors, n_columns),
        }
        for given in self.given.values():
            t.enter_blocks(0, n_tokens, largest, self.z, given)
        t.set_base(room, self.given["lists"])

    def sums(self, n):
        """Return the sums by both, and as the formulas have them."""
        found = [self.tables.sums_of(n, self.words[k], self.given[k]) for k in KINDS]
        return np.array([*found, self.cumulants().sum(0)])[:, :n]

    def cumulants(self):
        given, row = self.given["rows"], self.words["rows"]
        i = np.arange(4)[:, np.newaxis]
        ratio = (given.doc_topic + given.alpha + i) / (given.topic + self.beta_sum + i)
        p = (ratio * (row + self.beta + i) * float(given.numbers[2])).T
        return np.array([cumulants.cumulants.py_func(x) for x in p])[: self.n_topics]


KINDS = ("rows", "lists")
BLOCKED = "sklda._gibbs.kernels.blocked"
each_size = pytest.mark.parametrize("n", [1, 2, 3, 4])


@each_size
@pytest.mark.parametrize("n_topics", [1, 3, 9])
def test_rows_and_lists_have_the_same_sums_after_any_change(n_topics, n):
    word = OneWord(n_topics, 7, n, seed=n)
    rng, t = np.random.default_rng(n), word.tables
    for _ in range(30):
        row, by_list, expected = word.sums(n)
        np.testing.assert_allclose(row, expected, rtol=2e-5, atol=1e-6)
        np.testing.assert_allclose(by_list, expected, rtol=2e-5, atol=1e-6)
        old, new = rng.choice(word.z), rng.integers(n_topics)
        word.z[np.flatnonzero(word.z == old)[0]] = new
        for kind in KINDS:
            t.change(int(old), -1, word.words[kind], word.given[kind])
            t.change(int(new), 1, word.words[kind], word.given[kind])
        for k in range(n_topics):
            n_wk = [t.tokens_on(k, word.words[kind]) for kind in KINDS]
            assert n_wk[0] == n_wk[1]
        both = np.empty((2, word.given["rows"].topic.size))
        for kind, row in zip(KINDS, both, strict=True):
            t.set_tokens(word.words[kind], row)
        np.testing.assert_array_equal(*both)


@each_size
def test_rows_and_lists_draw_with_the_same_probabilities(n):
    word = OneWord(9, 7, n, seed=n)
    _, factors = cumulants.normaliser.py_func(n, word.cumulants().sum(0))
    for besides in ((2, 2, 2), (0, 5, 5), (8, 1, 4)):
        weight = np.maximum(word.cumulants() @ factors, 0)
        weight[list(besides)] = 0
        # As many draws as topics are told apart, from even numbers: no chance at all.
        r = (np.arange(4000) + 0.5) / 4000 * weight.sum()
        for kind in KINDS:
            word.tables.sums_of(n, word.words[kind], word.given[kind])
            drawn = [
                word.tables.draw_from(
                    x, n, factors, besides, word.words[kind], word.given[kind]
                )
                for x in r
            ]
            share = np.bincount(drawn, minlength=9) / r.size
            np.testing.assert_allclose(share, weight / weight.sum(), atol=2e-3)


# --- tables ----------------------------------------------------------------------


def tables(a, b, s, n):
    """Return the probabilities that the kernel sets, the padding included."""
    a, b, s = (np.append(x, np.zeros(padded(x.size) - x.size)) for x in (a, b, s))
    s[s == 0] = 1
    pmf = np.full((n + 1, a.size), np.nan)
    large.set_weights(a, b, s, pmf)
    assert np.isfinite(pmf).all()
    assert (pmf >= 0).all()
    return pmf


@pytest.mark.parametrize("n", [1, 2, 5, 16, 17, 100, 101])
@pytest.mark.parametrize("scale", [1e-10, 1.0, 1e10])
@pytest.mark.parametrize("n_topics", [1, 2, 3, 20])
def test_weights_are_those_of_the_formula_but_for_a_tilt(n_topics, scale, n):
    a, b, s = random_topics(n, n_topics, scale)
    pmf = tables(a, b, s, n)
    tilts = []
    for k in range(n_topics):
        q = weights(a[k], b[k], s[k], n)
        log_q = np.array([math.log(x.numerator) - math.log(x.denominator) for x in q])
        with np.errstate(divide="ignore"):
            logs = np.log(pmf[:, k]) - log_q
        there = pmf[:, k] > 1e-290
        assert there.sum() >= 2
        counts = np.arange(n + 1)[there]
        tilts.append((logs[there][-1] - logs[there][0]) / (counts[-1] - counts[0]))
        line = logs[there][0] + tilts[-1] * (counts - counts[0])
        np.testing.assert_allclose(
            logs[there], line, atol=1e-9 * max(1, abs(logs[there]).max())
        )
    np.testing.assert_allclose(tilts, tilts[0], rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(pmf[1:, n_topics:], 0)


# Two topics: a, b and s of each, and the tokens of the block.
LARGE = {
    "few before": ((0.1, 0.2, 0.3), (0.4, 0.1, 0.5), 3000),
    "many before": ((1e4, 1e4, 1e5), (7e3, 2e4, 1e5), 3000),
    "other cells": ((30.1, 900.2, 4000.5), (500.5, 40.2, 9000.5), 2000),
    "all on one": ((1e-10, 1e-10, 1e-9), (1e-10, 1e-10, 1e-9), 3000),
    "far apart": ((1e10, 1e-10, 1e-5), (1e-10, 1e10, 1e10), 1000),
    "large priors": ((1e10, 1e10, 2e10), (1e10, 1e10, 3e10), 5000),
    "plain": ((5.5, 2.5, 90.0), (0.5, 7.5, 40.0), 100),
    "not so large": ((1e4, 1e4, 1e5), (7e3, 2e4, 1e5), 600),
}


def log_conditional(first, second, n):
    """Return log p(n_1 = j), the logarithms added up in extended precision."""
    i = np.arange(n, dtype=np.longdouble)
    logs = []
    for a, b, s in (first, second):
        steps = np.log((a + i) / (i + 1)) + np.log((b + i) / (s + i))
        logs.append(np.append(0, np.cumsum(steps)))
    both = logs[0] + logs[1][::-1]
    both -= both.max()
    return both - np.log(np.exp(both).sum())


@pytest.mark.parametrize("case", LARGE.values(), ids=LARGE)
def test_conditional_of_a_large_block(case):
    first, second, n = case
    expected = log_conditional(*case)
    pmf = tables(*np.array([first, second]).T, n)
    with np.errstate(divide="ignore"):
        logs = np.log(pmf[:, 0]) + np.log(pmf[::-1, 1])
    seen = expected > math.log(1e-12)
    assert np.isfinite(logs[seen]).all()
    logs -= np.log(np.exp(logs).sum())
    np.testing.assert_allclose(logs[seen], expected[seen].astype(float), atol=1e-8)


def draw(name, pmf, n_draws, seed):
    rng, drawn = streams(seed).kernel, np.empty((n_draws, pmf.shape[1]), np.int64)
    for row in drawn:
        SIMULATIONS[name].draw_counts(pmf, rng, row)
    assert (drawn >= 0).all()
    np.testing.assert_array_equal(drawn.sum(1), pmf.shape[0] - 1)
    return drawn


@pytest.mark.slow
@pytest.mark.parametrize("second", [1, 16])  # in another lane, and in the same
@pytest.mark.parametrize("name", SIMULATIONS)
def test_draws_of_a_large_block(name, second):
    # The probability of no token on a topic is about e^-300 here.
    case = LARGE["not so large"]
    pmf = np.zeros((case[2] + 1, 32))
    pmf[0] = 1
    pmf[:, [0, second]] = tables(*np.array(case[:2]).T, case[2])[:, :2]
    n_draws = 500
    seen = np.sort(draw(name, pmf, n_draws, seed=second)[:, 0])
    below = np.cumsum(np.exp(log_conditional(*case))).astype(float)
    # Counts are many: cut their range into ten parts of about the same probability.
    edges = np.searchsorted(below, np.arange(1, 10) / 10)
    observed = np.bincount(np.searchsorted(edges, seen, side="left"), minlength=10)
    expected = np.diff(below[edges], prepend=0, append=1) * n_draws
    assert stats.chisquare(observed, expected).pvalue > RIGHT


@pytest.mark.slow
@pytest.mark.parametrize("n", [400, 3000])
@pytest.mark.parametrize("n_topics", [3, 20])
@pytest.mark.parametrize("name", SIMULATIONS)
def test_all_tokens_of_a_large_block_get_a_topic(name, n_topics, n):
    for scale in (1e-10, 1.0, 1e3, 1e10):
        pmf = tables(*random_topics(1, n_topics, scale), n)
        assert not draw(name, pmf, 3, seed=n)[:, n_topics:].any()


@pytest.mark.slow
@pytest.mark.parametrize(("n_topics", "n"), [(2, 6), (3, 5), (3, 2), (5, 3), (18, 2)])
@pytest.mark.parametrize("name", SIMULATIONS)
def test_draws_of_a_small_block(name, n_topics, n):
    a, b, s = random_topics(n, n_topics)
    q = [weights(*topic, n) for topic in zip(a, b, s, strict=True)]
    total = reduce(convolved, q)[n]
    ways = [
        tuple(np.bincount(placed, minlength=n_topics).tolist())
        for placed in itertools.combinations_with_replacement(range(n_topics), n)
    ]
    probabilities = [
        float(math.prod(q[k][c] for k, c in enumerate(way)) / total) for way in ways
    ]
    assert sum(probabilities) == pytest.approx(1)
    drawn = draw(name, tables(a, b, s, n), 20_000, seed=5)[:, :n_topics]
    number = {way: i for i, way in enumerate(ways)}
    seen = np.bincount(
        [number[tuple(row)] for row in drawn.tolist()], minlength=len(ways)
    )
    assert chi_square_pvalue(np.append(seen, 0), np.array(probabilities)) > RIGHT


@pytest.mark.slow
@pytest.mark.parametrize("tilt", [0.3, 1.0, 4.0])
def test_both_simulations_draw_alike(tilt):
    # Neither a tilt nor a factor for a topic changes the draw.
    n, n_topics = 40, 20
    pmf = tables(*random_topics(8, n_topics), n)
    tilted = pmf * tilt ** np.arange(n + 1)[:, np.newaxis] * np.linspace(0.5, 2, 32)
    one = draw("nested", pmf, 4000, seed=6)
    other = draw("backward", tilted, 4000, seed=7)
    for k in range(n_topics):
        both = np.array([np.bincount(x[:, k], minlength=n + 1) for x in (one, other)])
        # Rare counts are one class.
        rare = both.sum(0) < 20
        both = np.column_stack([both[:, ~rare], both[:, rare].sum(1)])
        both = both[:, both.sum(0) > 0]
        if both.shape[1] > 1:
            assert stats.chi2_contingency(both).pvalue > RIGHT / n_topics
