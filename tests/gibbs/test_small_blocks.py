"""Blocks of up to four tokens, drawn by cumulants: against rational arithmetic."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from numba import njit

from sklda._core.problem import Problem
from sklda._gibbs.kernels.blocked import cumulants, given, small
from tests.helpers.block_weights import random_topics, weights
from tests.helpers.from_python import from_python
from tests.helpers.mutants import Edit, interpreted

KINDS = ("rows", "lists")
BLOCKED = "sklda._gibbs.kernels.blocked"
normaliser = from_python(cumulants.normaliser)
each_size = pytest.mark.parametrize("n", [1, 2, 3, 4])
each_depth = pytest.mark.parametrize("depth", [2, 4])


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


def cumulants_of(a, b, s, depth, dtype=np.float64):
    """Return the cumulants of each topic, with a factor of 1."""
    found = []
    for k in range(a.size):
        ratio = tuple(dtype((a[k] + i) / (s[k] + i)) for i in range(depth))
        p = cumulants.steps(dtype(b[k]), ratio, dtype(1))
        found.append(cumulants.cumulants(p))
    return np.array(found, np.float64)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("n_topics", [1, 2, 3, 7, 20])
def test_sums_of_cumulants(n_topics, n):
    for seed in range(4 if n_topics < 20 else 1):
        topics = random_topics(seed, n_topics)
        expected, means = brute_force(*topics, n)
        means = np.array([float(m) for m in means])
        # In single precision six or seven digits, less what cancels.
        for dtype, total_error, error in (
            (np.float64, 1e-10, 1e-8),
            (np.float32, 1e-5, 1e-5),
        ):
            own = cumulants_of(*topics, 4, dtype)
            total, factors = normaliser(n, tuple(own.sum(0)))
            assert total == pytest.approx(float(expected), rel=total_error)
            shares = [cumulants.combined(factors, one) / total for one in own]
            np.testing.assert_allclose(shares, means, rtol=error, atol=error / 10)


@each_depth
@pytest.mark.parametrize("topic", [(3.0, 2.0, 40.0), (1e4, 1e-5, 2e-5), (0.1, 5, 5)])
def test_cumulants_of_a_topic(topic, depth):
    # m_n = sum_c binomial(n - 1, c - 1) kappa_c m_(n - c) gives them one by one.
    m = [q * math.factorial(i) for i, q in enumerate(weights(*topic, 4))]
    kappa = [Fraction(0)]
    for n in range(1, depth + 1):
        before = [math.comb(n - 1, c - 1) * kappa[c] * m[n - c] for c in range(1, n)]
        kappa.append(m[n] - sum(before))
    found = cumulants_of(*(np.array([x]) for x in topic), depth)[0]
    # Less what cancels: a term of kappa_4 is p_0 ** 4.
    rtol = 1e-6 if topic[0] > 1e3 else 1e-10
    np.testing.assert_allclose(found, [float(x) for x in kappa[1:]], rtol=rtol)


# --- what Python runs, and what is compiled --------------------------------------


def a_document(n_topics, depth, seed=0):
    """Return priors, the counts n_k, and what blocks of a document are given."""
    rng = np.random.default_rng(seed)
    problem = Problem(None, 7, rng.uniform(0.1, 1, n_topics), 0.1)
    topic = np.zeros(problem.n_lanes, np.int32)
    z = rng.integers(n_topics, size=20).astype(np.uint16)
    topic[:n_topics] = 5 + np.bincount(z, minlength=n_topics)
    room = given.new_given(topic, problem.kernel_priors(), problem.n_lanes, depth)
    from_python(given.enter_blocks)(3, 15, z, room)
    return problem, z, room


@each_depth
def test_ratios_of_a_document(depth):
    problem, z, room = a_document(20, depth)
    n_dk = np.bincount(z[3:15], minlength=problem.n_lanes)
    np.testing.assert_array_equal(room.doc_topic, n_dk)
    alpha = np.pad(problem.doc_topic_prior, (0, problem.n_lanes - 20))
    for i, ratio in enumerate(room.ratio):
        expected = (n_dk + alpha + i) / (room.topic + 0.7 + i)
        np.testing.assert_allclose(ratio, expected, rtol=1e-6)
    # All topics together weigh 1 for a word with one token.
    beta, scale, scaled_beta = room.numbers
    assert (room.ratio[0] * (1 + beta) * scale).sum() == pytest.approx(1, rel=1e-5)
    assert scaled_beta == pytest.approx(beta * scale, rel=1e-6)


def of_tuples(room, p, q, r):
    """Return all that is written for tuples of two lengths."""
    cumulants.put(room.kappa, 3, cumulants.narrow(r))
    return (
        cumulants.at(room.kappa, 3),
        cumulants.wide(cumulants.narrow(q)),
        cumulants.steps(q[0], p, r[0]),
        cumulants.cumulants(q),
        cumulants.moved(p, q, r),
        (cumulants.combined(p, q),),
        cumulants.first_factors(p[0], room.zero),
        cumulants.last_factors(room.zero),
        given.ratios_of(2, room.ratio, room),
    )


@each_depth
def test_tuples_are_compiled_to_what_python_has(depth):
    rng, room = np.random.default_rng(depth), a_document(3, depth)[-1]
    numbers = [tuple(x) for x in rng.uniform(0.5, 2, (3, depth))]
    found, expected = njit(of_tuples)(room, *numbers), of_tuples(room, *numbers)
    for one, other in zip(found, expected, strict=True):
        assert len(one) == len(other)
        np.testing.assert_allclose(one, other, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("block", [[3], [3, 3], [3, 5], [5, 3, 3], [1, 2, 1, 2]])
def test_how_many_tokens_share_a_topic(block):
    block = np.array(block, np.uint16)
    found = [small._multiplicity.py_func(block, i) for i in range(block.size)]
    first = {k: i for i, k in reversed(list(enumerate(block.tolist())))}
    counts = [block.tolist().count(k) for k in block.tolist()]
    for i, k in enumerate(block.tolist()):
        assert found[i] == (counts[i] if first[k] == i else 0)


# --- rows and lists --------------------------------------------------------------


class OneWord:
    """A word in a document, with its counts in a row and in a list."""

    def __init__(self, n_topics, n_tokens, depth, seed, edits=()):
        both = f"{BLOCKED}.lists", f"{BLOCKED}.rows"
        modules = interpreted(both[0], edits, beside=both[1:], lanes=4).modules
        problem, self.words = (
            modules["sklda._core.problem"],
            modules[f"{BLOCKED}.words"],
        )
        given, listed = modules[f"{BLOCKED}.given"], modules[f"{BLOCKED}.listed"]
        rng, n_lanes = np.random.default_rng(seed), problem.padded(n_topics)
        self.z = rng.integers(n_topics, size=n_tokens).astype(np.uint16)
        self.n_topics, self.depth = n_topics, depth
        row = np.bincount(self.z, minlength=n_lanes).astype(np.int32)
        row[rng.integers(n_topics, size=2)] += 3  # in other documents
        topic = (row + 5 * (np.arange(n_lanes) < n_topics)).astype(np.int32)
        self.alpha, self.beta, self.beta_sum = np.zeros(n_lanes), 0.3, 2.4
        self.alpha[:n_topics] = rng.uniform(0.1, 1, n_topics)
        priors = problem.Problem(None, 8, self.alpha[:n_topics], 0.3).kernel_priors()
        order = rng.permutation(np.flatnonzero(row))
        n_slots = problem.padded(min(n_topics, n_tokens + 6) + 1)
        topics = np.full(n_slots, n_lanes, np.int32)
        counts = np.zeros_like(topics)
        topics[: order.size], counts[: order.size] = order, row[order]
        size = np.array([order.size], np.int32)
        state = modules["sklda._core.lists"].State(
            None, None, None, size, topics, counts
        )
        room = listed.new_list(state, depth)
        room = room._replace(topics=topics, counts=counts, size=size)
        self.of = {"rows": row, "lists": room}
        self.given = {
            "rows": given.new_given(topic, priors, n_lanes, depth),
            "lists": given.new_given(topic.copy(), priors, n_lanes + 4, depth),
        }
        for one in self.given.values():
            given.enter_blocks(0, n_tokens, self.z, one)
        listed.set_base(room, self.given["lists"])
        self.sums = {kind: self.call("weigh", kind) for kind in KINDS}

    def call(self, name, kind, *arguments):
        function = getattr(self.words, name)
        both = (self.of[kind], self.given[kind])
        return function(*arguments, *(both[:1] if name.endswith("_at") else both))

    def cumulants(self):
        """Return those of all topics, as the formulas have them."""
        given, row = self.given["rows"], self.of["rows"]
        i = np.arange(4)[:, np.newaxis]
        ratio = (given.doc_topic + self.alpha + i) / (given.topic + self.beta_sum + i)
        p = (ratio * (row + self.beta + i) * float(given.numbers[1])).T
        found = [cumulants.cumulants(x[: self.depth]) for x in p]
        return np.array(found)[: self.n_topics]

    def move(self, rng):
        """Move a token to where the list says, and the same in the row."""
        i = rng.integers(self.z.size)
        old = self.words.place_of(int(self.z[i]), self.of["lists"])
        self.change("lists", old, -1)
        self.change("rows", int(self.z[i]), -1)
        own = float(self.given["lists"].kappa[0][old])
        r = rng.uniform() * (self.sums["lists"][0] - own)
        new = self.call("draw_last", "lists", r, old)
        self.z[i] = self.words.topic_at(new, self.of["lists"])
        self.change("lists", new, 1)
        self.change("rows", int(self.z[i]), 1)
        self.call("drop_empty", "lists", old)

    def change(self, kind, place, n):
        self.sums[kind] = self.words.change(
            place, n, self.sums[kind], self.of[kind], self.given[kind]
        )


@each_depth
@pytest.mark.parametrize("n_topics", [2, 3, 9, 30])
def test_rows_and_lists_have_the_same_sums_after_any_change(n_topics, depth):
    word, rng = OneWord(n_topics, 7, depth, seed=n_topics), np.random.default_rng(depth)
    for _ in range(60):
        expected = word.cumulants()
        for kind in KINDS:
            kept = [array.copy() for array in word.given[kind].kappa]
            anew = word.call("weigh", kind)
            for sums in (word.sums[kind], anew):
                np.testing.assert_allclose(sums, expected.sum(0), rtol=2e-5, atol=1e-6)
            size = int(word.of["lists"].size[0]) if kind == "lists" else word.n_topics
            for one, other in zip(kept, word.given[kind].kappa, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)
            for k in range(n_topics):
                place = word.words.place_of(k, word.of[kind])
                if place < size:
                    found = [array[place] for array in word.given[kind].kappa]
                    np.testing.assert_allclose(found, expected[k], rtol=1e-4, atol=1e-6)
        both = np.empty((2, word.given["rows"].topic.size))
        for kind, row in zip(KINDS, both, strict=True):
            word.words.set_tokens(word.of[kind], row)
        np.testing.assert_array_equal(*both)
        word.move(rng)


def shares(word, kind, name, factors, besides):
    """Return how often each topic is drawn, and the probabilities by the formulas."""
    weight = np.maximum(word.cumulants() @ factors, 0)
    weight[besides] = 0
    but = word.words.place_of(besides, word.of[kind])
    # As many draws as topics are told apart, from even numbers: no chance at all.
    drawn = []
    for r in (np.arange(2000) + 0.5) / 2000 * weight.sum():
        arguments = (r, factors, but) if name == "draw_first" else (r, but)
        place = word.call(name, kind, *arguments)
        drawn.append(word.call("topic_at", kind, place))
        word.call("drop_empty", kind, place)  # a new topic
    return np.bincount(drawn, minlength=weight.size) / len(drawn), weight / weight.sum()


@each_size
@pytest.mark.parametrize("n_tokens", [2, 7])
def test_rows_and_lists_draw_with_the_same_probabilities(n_tokens, n):
    word = OneWord(9, n_tokens, 4, seed=1)
    _, factors = normaliser(n, tuple(word.cumulants().sum(0)))
    names = ["draw_first"] if n > 1 else ["draw_first", "draw_last"]
    for name, kind, besides in itertools.product(names, KINDS, word.z[:2].tolist()):
        found, expected = shares(word, kind, name, factors, besides)
        np.testing.assert_allclose(found, expected, atol=1e-3)


# Faults that enumeration would not find. Fault: tokens of the word, edit.
MUTANTS = {
    "another topic, the last, weighs nothing": (
        2,
        Edit("last_factors", "zero[0] + 1", "zero[0]"),
    ),
    **{
        f"another topic, the last, weighs by kappa_{i + 1}, too": (
            2,
            Edit(
                "last_factors",
                "(F, *zero[1:])",
                f"(F, *zero[1:{i}], 1, *zero[{i + 1}:])",
            ),
        )
        for i in (1, 2, 3)
    },
    "a lane of a list is lost": (7, Edit("_total", "total(S)", "(total(S) - S[0])")),
    "the lanes of a list count twice": (
        7,
        Edit("_total", "total(S)", "2 * total(S)"),
    ),
}


@pytest.mark.parametrize("fault", MUTANTS)
def test_mutants_draw_with_other_probabilities(fault):
    n_tokens, edit = MUTANTS[fault]
    word = OneWord(9, n_tokens, 4, seed=1, edits=[edit])
    _, factors = normaliser(1, tuple(word.cumulants().sum(0)))
    found, expected = shares(word, "lists", "draw_last", factors, int(word.z[0]))
    assert abs(found - expected).max() > 5e-3
