"""The blocked samplers draw from the exact posterior, with cells whole and split.

As in `test_exactness`: tiny corpora of which every assignment is listed, one sweep from
each of many exact draws, and chi-square. Blocks of two to four tokens are drawn by
cumulants, larger ones by tables, which differ between the two simulations.
"""

import math

import numpy as np
import pytest

from sklda._gibbs.collapsed import Blocked
from sklda._gibbs.kernels.blocked import SMALL
from tests.gibbs.test_exactness import BETAS, PROBLEMS
from tests.helpers.blocks import TABLES, assert_right, plain
from tests.helpers.enumeration import (
    RIGHT,
    TinyProblem,
    assert_exact,
    assert_marginals,
    chi_square_pvalue,
    copied,
)
from tests.helpers.mutants import Edit, streams

SIMULATIONS = {"nested": True, "backward": False}
simulations = pytest.mark.parametrize("nested", SIMULATIONS.values(), ids=SIMULATIONS)

# Documents, words, alpha, beta. There are blocks of one to six tokens, blocks of one
# word in a row, and blocks that are drawn in different ways side by side.
BLOCKS = {
    "1 topic": TinyProblem("aaaaaabbb aaaa", 3, (0.7,), 0.4),
    "2 topics, 6 tokens": TinyProblem("aaaaaab abb", 3, (0.3, 0.9), 0.2),
    "2 topics, 5 tokens": TinyProblem("aaaaacc - aaa", 4, (1.4, 0.4), 0.6),
    "3 topics, 6 tokens": TinyProblem("aaaaaab", 2, (0.2, 0.6, 1.1), 0.1),
    "3 topics, 4 tokens": TinyProblem("aaaa abb", 3, (1.5, 0.4, 2.5), 1.7),
    "3 topics, small and large": TinyProblem("aabbbbb", 2, (0.5, 0.3, 0.4), 0.05),
    "5 topics": TinyProblem("aaaa a", 2, (0.2, 0.4, 0.6, 0.8, 1.0), 0.2),
    "5 topics, 5 tokens": TinyProblem("aaaaa", 1, (0.2, 0.4, 0.6, 0.8, 1.0), 0.2),
    "17 topics": TinyProblem("aaa", 2, tuple(np.linspace(0.1, 1, 17)), 0.5),
    "18 topics": TinyProblem("aa a", 2, tuple(np.linspace(0.05, 0.9, 18)), 0.3),
    "33 topics": TinyProblem("aa -", 1, tuple(np.linspace(1, 0.1, 33)), 0.2),
    "beta of each word and topic": TinyProblem("aaaabb", 3, (0.2, 0.6, 1.1), BETAS),
    "seeds, 6 tokens": TinyProblem(
        "aaaaaab abb", 3, (0.3, 0.9), ((0.1, 5, 0.1), (0.1, 0.1, 0.1))
    ),
    "extreme priors": PROBLEMS["extreme priors"],
    "alpha of 10,000 tokens": TinyProblem("aaaabbb", 2, (1e4, 3e4), 1e-5),
}


def ways(largest, sizes=(None, 1, 2, 3, 4)):
    """Return limits of blocks, and simulations, that differ for a cell of so many.

    Only blocks of more than four tokens differ between the two simulations.
    """
    sizes = [most for most in sizes if most is None or most < largest]
    nested = [True, False] if largest > SMALL else [True]
    return [(None, way) for way in nested] + [(most, True) for most in sizes if most]


def largest_cell(tiny):
    return max(count for doc in tiny.docs for _, count in doc)


CASES = [
    pytest.param(nested, name, most, id=f"{name}, {most}, {nested}")
    for name, tiny in BLOCKS.items()
    for most, nested in ways(largest_cell(tiny))
]


@pytest.mark.slow
@pytest.mark.parametrize(("nested", "name", "most"), CASES)
def test_a_sweep_leaves_the_posterior_as_it_is(nested, name, most):
    assert_exact(Blocked(nested, most), BLOCKS[name], 2500, seed=1)


def moments(tiny, z, n):
    """Return Q_k(0), ..., Q_k(n) of the first n tokens, a cell, given all others."""
    others = list(zip(tiny.tokens[n:], z[n:], strict=True))
    q, i = np.ones((tiny.n_topics, n + 1)), np.arange(n)
    for k, alpha in enumerate(tiny.alpha):
        a = alpha + sum(d == 0 and topic == k for (d, _), topic in others)
        b = tiny.beta + sum(w == 0 and topic == k for (_, w), topic in others)
        s = tiny.n_words * tiny.beta + sum(topic == k for _, topic in others)
        q[k, 1:] = np.cumprod((a + i) * (b + i) / (s + i))
    return q


def placed(q, n, *pinned):
    """Return the weight of n tokens besides one on each of the topics `pinned`."""
    product = np.eye(1, n + 1)[0]
    for k, weights in enumerate(q):
        before = pinned.count(k)
        series = [weights[before + m] / math.factorial(m) for m in range(n + 1)]
        product = np.convolve(product, series)[: n + 1]
    return product[n] * math.factorial(n)


def law_of_ends(q, n):
    """Return the probabilities of the topics of the first and the last token."""
    topics = range(len(q))
    if n == 1:
        weights = np.array([placed(q, 0, k) for k in topics])
    else:
        pairs = [(k, other) for k in topics for other in topics]
        weights = np.array([placed(q, n - 2, *pair) for pair in pairs])
    return weights / weights.sum()


def law_of_counts(q, n, topics):
    """Return the probabilities of 0, ..., n tokens on some topics together."""
    inside = np.isin(np.arange(len(q)), topics)
    weights = np.array(
        [
            math.comb(n, m) * placed(q[inside], m) * placed(q[~inside], n - m)
            for m in range(n + 1)
        ]
    )
    return weights / weights.sum()


ONE_BLOCK = [
    pytest.param(n, most, nested, id=f"{n} tokens, {most}, {nested}")
    for n in range(1, 7)
    for most, nested in ways(n)
]


@pytest.mark.slow
@pytest.mark.parametrize("n_topics", [1, 2, 3, 5, 17, 33])
@pytest.mark.parametrize(("n", "most", "nested"), ONE_BLOCK)
def test_a_block_is_drawn_from_its_conditional(n, most, nested, n_topics):
    # The first block of a sweep is drawn given what all others were before, whatever it
    # was itself: scattered over all topics, or over one or two.
    rng, n_draws = np.random.default_rng(n_topics), 1200 if most is None else 600
    alpha = rng.gamma(0.5, 1, n_topics) + 0.02
    docs = (((0, n), (1, 1)), ((0, 3), (1, 1), (2, 1)), ((0, 2),))
    tiny = TinyProblem(docs, 4, tuple(alpha), 0.3)
    sampler, problem = Blocked(nested, most), tiny.problem()
    n = min(n, most or n)  # of the first block
    z = rng.integers(n_topics, size=len(tiny.tokens)).astype(np.uint16)
    starts = []
    for i in range(60):
        topics = rng.integers(n_topics, size=(1, 2, n)[i % 3])
        start = np.r_[rng.choice(topics, n), z[n:]].astype(np.uint16)
        starts.append(sampler.from_topics(problem, start))
    random, seen = streams(n), []
    for i in range(n_draws):
        state = copied(starts[i % 60])
        sampler.sweep(problem, state, random)
        seen.append(state.z[:n].copy())
    seen, q = np.array(seen, int), moments(tiny, z, n)
    assert seen.max() < n_topics
    ends = seen[:, 0] if n == 1 else seen[:, 0] * n_topics + seen[:, -1]
    expected = law_of_ends(q, n)
    observed = np.bincount(ends, minlength=expected.size + 1)
    assert chi_square_pvalue(observed, expected) > RIGHT
    likely = np.argsort(-q[:, 1])
    for topics in (likely[:1], likely[1:4:2]):
        observed = np.bincount(np.isin(seen, topics).sum(1), minlength=n + 2)
        assert chi_square_pvalue(observed, law_of_counts(q, n, topics)) > RIGHT


# Priors at the ends of their range, where float32 is narrow. Blocks have one to six
# tokens.
EXTREME = {
    "alpha": TinyProblem("aabb", 2, (9e9, 1e10, 7e9), 1.0),
    "alpha, one cell": TinyProblem("aa aa", 2, (9e9, 1e10), 0.1),
    "alpha, 4 tokens": TinyProblem("aaaabb", 2, (9e9, 1e10), 0.1),
    "beta": TinyProblem("aaabb", 2, (0.5, 1.5), 1e10),
    "both": TinyProblem("aaabb", 2, (9e9, 1e10), 1e10),
    "tiny beta": TinyProblem("aaabb", 2, (1.0, 0.5, 1.0), 1e-10),
    "tiny alpha": TinyProblem("aaa abb", 2, (1e-10, 1e-10), 0.3),
    "tiny": TinyProblem("aaa bbb", 2, (1e-10, 2e-10), 1e-10),
    "alpha and tiny beta": TinyProblem("aaaabb", 2, (9e9, 1e10), 1e-10),
    "alpha, 6 tokens": TinyProblem("aaaaaab", 2, (9e9, 1e10), 0.1),
    "tiny, 5 tokens": TinyProblem("aaaaabb", 2, (1e-10, 2e-10), 1e-10),
    "alphas far apart": TinyProblem("aaaabb", 2, (1e10, 1e-10, 1.0), 0.1),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tiny", "most", "nested"),
    [
        pytest.param(tiny, most, nested, id=f"{name}, {most}, {nested}")
        for name, tiny in EXTREME.items()
        for most, nested in ways(largest_cell(tiny), (2, 3, 4))
    ],
)
def test_priors_at_the_ends_of_their_range(nested, tiny, most):
    assert_exact(Blocked(nested, most), tiny, 1000, seed=2)


# With two lanes, three topics fill two registers.
OF_TABLES = [
    ("3 topics, 4 tokens", None, 2),
    ("3 topics, 4 tokens", 3, 2),
    ("5 topics", None, 2),
    ("5 topics", 2, 4),
    ("17 topics", None, 4),
    ("1 topic", 4, 2),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "most", "lanes"), OF_TABLES)
@simulations
def test_tables_draw_small_blocks_as_well(nested, name, most, lanes):
    sampler = plain(nested, most, *TABLES, lanes=lanes)
    assert_exact(sampler, BLOCKS[name], 500, seed=3)


# Weights that are tilted, and sums that are made anew as if all weight but that of the
# block were lost to rounding.
TILTED = (*TABLES, Edit("set_weights", "N > PLAIN", "True"))
SPOILT = [
    Edit("resample_small", "left[0] < X", "True"),
    Edit("redraw", "sums[0] < X", "True"),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "nested", "edits"),
    [
        ("flat", True, TILTED),
        ("five topics", False, TILTED),
        ("flat pair, same", True, SPOILT),
        ("pairs", True, SPOILT),
        ("flat 4 of 2 topics", True, SPOILT),
    ],
)
def test_rare_branches_are_exact(name, nested, edits):
    assert_right(name, nested, edits)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "most", "nested"),
    [
        ("2 topics, 5 tokens", None, True),
        ("2 topics, 5 tokens", None, False),
        ("3 topics, 4 tokens", 2, True),
    ],
)
def test_a_long_chain_has_the_marginals_of_the_posterior(nested, name, most):
    assert_marginals(Blocked(nested, most), BLOCKS[name], seed=4)
