"""What the tests of the blocked samplers find: kernels with one planted fault each.

As in `test_exactness`, a mutant must fail at p < 1e-6 the test that the right kernel
passes, on a problem with few assignments, where a fault shows best.
"""

import numpy as np
import pytest

from tests.helpers.enumeration import (
    Problem,
    chi_square_pvalue,
    cut,
    interpreted,
    sweep_exact_draws,
)
from tests.gibbs.test_exactness import RIGHT, WRONG

PROBLEMS = {
    "four": Problem((((0, 4),),), 2, (0.5, 0.7, 0.9), 0.05),
    "one topic likely": Problem((((0, 4),),), 1, (2.0, 1.0), 3.0),
    "flat": Problem((((0, 4),),), 1, (2.0, 2.0, 2.0), 0.05),
    "three": Problem((((0, 3),), ((0, 1), (1, 1))), 2, (0.3, 0.6), 0.3),
    "two words": Problem((((0, 2), (1, 3)),), 2, (0.4, 0.8), 0.2),
    "single": Problem((((0, 1), (1, 1), (2, 1)),), 3, (0.2, 0.5), 2.0),
    "words": Problem((((0, 2), (1, 1), (2, 1)),), 3, (0.2, 0.2), 0.5),
    "documents": Problem((((0, 2),), ((0, 2),)), 2, (0.3, 0.6, 0.9), 0.3),
    "large beta": Problem((((0, 4),), ((1, 1),)), 3, (0.5, 1.0), 3.0),
    "cut": cut(Problem((((0, 5),),), 2, (0.3, 0.6), 0.3), 2),
    "five topics": Problem((((0, 3),),), 1, (0.2, 0.8, 0.4, 1.0, 0.6), 0.5),
}
N_DRAWS = {"two words": 3000, "single": 12_000}


def pvalue(problem, kernel, seed):
    """Return the p-value of a kernel, and whether its tables are right."""
    n_draws = N_DRAWS.get(problem, 1500)
    problem = PROBLEMS[problem]
    with np.errstate(all="ignore"):  # a fault may well divide by zero
        seen, sound = sweep_exact_draws(kernel, problem, n_draws, seed)
    return chi_square_pvalue(seen, problem.posterior), sound


# --- blocks of up to four tokens -------------------------------------------------

# Fault: problem, and the edit as (old text, new text, occurrences).
SMALL = {
    "1/2 is missing in q(2)": ("two words", ("(b + _ONE) * _HALF", "(b + _ONE)", 1)),
    "1/3 is 1/2 in q(3)": ("three", ("(b + _TWO) / _THREE", "(b + _TWO) / _TWO", 1)),
    "1/4 is 1/2 in q(4)": (
        "large beta",
        ("(b + _THREE) * _QUARTER", "(b + _THREE) * _HALF", 1),
    ),
    "t_2 is that of a smaller total": (
        "two words",
        ("(a + _TWO) / (s + _TWO)", "(a + _TWO) / (s + _ONE)", 1),
    ),
    "l(2) is q(2)": ("two words", ("l2 = q2 - square * _HALF", "l2 = q2", 1)),
    "a term of l(3) is wrong": (
        "one topic likely",
        ("(q2 - square / _THREE)", "(q2 - square / _TWO)", 1),
    ),
    "a term of l(4) is missing": (
        "one topic likely",
        ("square * (q2 - square * _QUARTER)", "square * q2", 1),
    ),
    "h(3) is wrong": ("four", ("2 * l2 * l1 + 3 * l3", "l2 * l1 + 3 * l3", 1)),
    "shares of 2 are wrong": (
        "two words",
        ("return 2 * h2, h1, 2.0", "return 2 * h2, h1, 1.0", 1),
    ),
    "shares of 3 are wrong": (
        "four",
        ("3 * h3, h2, 2 * h1, 3.0", "3 * h3, h2, h1, 3.0", 1),
    ),
    "shares of 4 are wrong": (
        "four",
        ("h3, 2 * h2, 3 * h1, 4.0", "h3, h2, h1, 1.0", 1),
    ),
    "n! is missing": ("three", ("(1.0, 1.0, 2.0, 6.0)", "(1.0, 1.0, 1.0, 1.0)", 1)),
    "V is missing": ("words", ("np.float32(sizes.size) * beta", "beta", 1)),
    "alpha is not mended": (
        "four",
        (
            "a = np.float32(doc_topic[k]) + alpha[k]\n    set",
            "a = np.float32(doc_topic[k])\n    set",
            1,
        ),
    ),
    "beta is missing": (
        "four",
        ("of_topic(ratio, k, beta)", "of_topic(ratio, k, 0)", 5),
    ),
    "the block is not taken out": (
        "two words",
        ("-n, k, find(topics, size, k)", "0, k, find(topics, size, k)", 1),
    ),
    "the block stays in n_dk when it is weighed": (
        "two words",
        ("np.float64(doc_topic[k] - n)", "np.float64(doc_topic[k])", 1),
    ),
    "the block stays in n_wk when it is weighed": (
        "two words",
        ("np.float64(counts[j] - n)", "np.float64(counts[j])", 1),
    ),
    "the block stays in n_k when it is weighed": (
        "documents",
        ("np.float64(topic[k] - n)", "np.float64(topic[k])", 1),
    ),
    "the block stays in the sums when it is weighed": (
        "three",
        ("without[4] += l1 - weight[0, j]", "pass", 1),
    ),
    "tokens with one topic are taken for one": ("three", ("n += other > i", "pass", 1)),
    "the first mover may stay": (
        "documents",
        ("listed -= value[banned]\n        value[banned] = 0\n", "pass\n", 1),
    ),
    "the first mover's share is not left out": (
        "documents",
        ("uniform(rng) * (1 - stay) * total", "uniform(rng) * total", 1),
    ),
    "where tokens start to move is drawn anew": (
        "large beta",
        ("r /= stay", "r = uniform(rng)", 1),
    ),
    "where tokens start to move is not rescaled": ("four", ("r /= stay", "pass", 1)),
    "listed topics are there twice": (
        "two words",
        ("value[topics[j]] = 0", "pass", 1),
    ),
    "the sums are not mended": (
        "four",
        ("sums[4] += np.float64(l1) - weight[0, j] - (sums[0] - s1)", "pass", 1),
    ),
    "the ratios are not mended": (
        "four",
        (
            "    mend(k, doc_topic, topic, alpha, word_mass, beta, ratio, sums)\n",
            "",
            1,
        ),
    ),
    "the weights are not mended": (
        "two words",
        (
            "s4)\n    weight[0, j], weight[1, j], weight[2, j], weight[3, j]",
            "s4)\n    _",
            1,
        ),
    ),
    "a sub-block's other tokens are not counted": (
        "cut",
        ("np.float32(counts[j]) + beta)", "beta + 0 * counts[j])", 2),
    ),
    "the weights stay those of the word before": (
        "two words",
        ("if entered != w:\n", "if entered < 0:\n", 1),
    ),
    "the topic that a single token left is not mended": (
        "single",
        ("small_blocks.mend(old,", "(lambda *_: 0)(old,", 1),
    ),
    "the topic that a single token found is not mended": (
        "single",
        ("small_blocks.mend(new,", "(lambda *_: 0)(new,", 1),
    ),
    "a single token's topic attracts as before": (
        "three",
        ("listed -= weight[old_j]", "pass", 1),
    ),
}


# --- larger blocks ---------------------------------------------------------------

# Tables draw all blocks, as they do those of more than four tokens.
TABLES = ("SMALL = 4 ", "SMALL = 1 ", 1)
TILTED = ("<= PLAIN and plain_weights", "< 0 and plain_weights", 1)
BY_TABLES = {
    "the block stays in n_dk": (
        "two words",
        (
            "doc_topic[k] -= 1\n        topic[k] -= 1\n        counts",
            "topic[k] -= 1\n        counts",
            1,
        ),
    ),
    "V is missing": (
        "four",
        ("np.float64(word_mass)\n    for", "np.float64(beta)\n    for", 1),
    ),
    "beta is missing": ("four", ("b[k] = beta", "b[k] = 1e-6", 1)),
    "the word's other tokens are not counted": (
        "documents",
        ("b[topics[j]] += counts[j]", "pass", 1),
    ),
    "a sub-block's other tokens are not counted": (
        "cut",
        ("b[topics[j]] += counts[j]", "pass", 1),
    ),
    "1 / (c + 1) is 1 / (c + 2)": (
        "four",
        ("((c + 1) * total)", "((c + 2) * total)", 1),
    ),
    "n_k does not grow with the block": (
        "flat",
        (
            "((b[k] + c) / (s[k] + c))\n            pmf",
            "((b[k] + c) / s[k])\n            pmf",
            1,
        ),
    ),
    "n_wk does not grow with the block": (
        "four",
        (
            "((b[k] + c) / (s[k] + c))\n            pmf",
            "(b[k] / (s[k] + c))\n            pmf",
            1,
        ),
    ),
    "tokens are not shuffled": ("flat", ("    shuffle(block, rng)\n", "", 1)),
    "no token stays where it is": (
        "flat",
        ("uniform(rng) * (i + 1)", "uniform(rng) * i", 1),
    ),
    "what all topics share is not brought up to date": (
        "words",
        (
            "                small_blocks.enter_document(",
            "                (lambda *_: 0)(",
            1,
        ),
    ),
}
NESTED = {
    "left and right are exchanged": (
        "four",
        ("left[c - i] * right[i]", "left[i] * right[c - i]", 1),
    ),
    "all tokens never go right": (
        "flat",
        (
            "for i in range(1, c + 1):\n            for j in",
            "for i in range(1, c):\n            for j in",
            1,
        ),
    ),
    "no token on the left is sure": (
        "flat",
        ("parent[c, j] = left[0, j] * right[c, j]", "parent[c, j] = right[c, j]", 1),
        TILTED,
    ),
    "a node is split for all tokens": (
        "flat",
        ("uniform(rng) * tree[c, end + j]", "uniform(rng) * tree[n, end + j]", 1),
    ),
    "the right child is the neighbour": (
        "five topics",
        ("start + j, start + j + n_left", "start + j, start + j + 1", 1),
    ),
}
BACKWARD = {
    "empty topics are not weighed": (
        "five topics",
        ("empty[i] = empty[i + 1] * pmf[0, i]", "empty[i] = empty[i + 1]", 1),
        TILTED,
    ),
    "the search stops one below": (
        "five topics",
        ("last = middle\n", "last = max(middle - 1, first)\n", 1),
    ),
    "the search stops one above": (
        "five topics",
        ("first = middle + 1", "first = min(middle + 2, last)", 1),
    ),
    "the search looks one below": (
        "four",
        (
            "table[n, middle + 1] * empty[middle + 1] > r",
            "table[n, middle] * empty[middle] > r",
            1,
        ),
    ),
    "what is empty stays in the draw of a count": (
        "five topics",
        ("r = r / empty[last + 1] - table", "r = r - table", 1),
        TILTED,
    ),
    "the topics before stay in the draw of a count": (
        "four",
        (" - table[n, last] * pmf[0, last]", "", 1),
    ),
    "a count and what is left are exchanged": (
        "flat",
        ("pmf[c, last] * table[n - c, last]", "pmf[n - c, last] * table[c, last]", 1),
    ),
    "the last topic may have no token": (
        "four",
        ("        c = 1\n", "        c = 0\n", 1),
    ),
    "all tokens on one topic are not in the table": (
        "four",
        (
            "for i in range(1, c + 1):\n                for lane",
            "for i in range(1, c):\n                for lane",
            1,
        ),
    ),
    "no token on a topic is sure": (
        "five topics",
        ("pmf[0, lane] * table[c, lane]", "table[c, lane]", 1),
        TILTED,
    ),
    "lanes have each other's tokens": (
        "four",
        ("in_lane[lane],\n", "in_lane[LANES - 1 - lane],\n", 1),
    ),
    "lanes have the first one's table": (
        "four",
        ("table[:, lane::LANES]", "table[:, ::LANES]", 1),
    ),
}
OF_LANES = [fault for fault in BACKWARD if fault.startswith("lanes")]

MUTANTS = [
    *(("nested", [], SMALL, fault) for fault in SMALL),
    *(("nested", [TABLES], BY_TABLES, fault) for fault in BY_TABLES),
    *(("nested", [TABLES], NESTED, fault) for fault in NESTED),
    *(("backward", [TABLES], BACKWARD, fault) for fault in BACKWARD),
]


def lanes_of(name, fault=None):
    """Return one lane, the longest search, where lanes are not what is tested."""
    return 1 if name == "backward" and fault not in OF_LANES else 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "edits", "problem"),
    [
        *(("nested", [], problem) for problem in PROBLEMS),
        *((name, [TABLES], p) for p in PROBLEMS for name in ("nested", "backward")),
        ("nested", [TABLES, TILTED], "flat"),
        ("backward", [TABLES, TILTED], "five topics"),
    ],
    ids=str,
)
def test_interpreted_kernels_pass(name, edits, problem):
    kernel = interpreted(f"blocked_{name}", edits, lanes=lanes_of(name))
    p, sound = pvalue(problem, kernel, seed=6)
    assert sound
    assert p > RIGHT


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "edits", "group", "fault"),
    MUTANTS,
    ids=[f"{m[0]}-{m[3]}" for m in MUTANTS],
)
def test_mutants_fail(name, edits, group, fault):
    problem, *edit = group[fault]
    lanes = lanes_of(name, fault)
    mutant = interpreted(f"blocked_{name}", [*edits, *edit], lanes=lanes)
    p, _ = pvalue(problem, mutant, seed=7)
    assert p < WRONG


LIST_MUTANTS = {
    "an empty topic is not dropped": (
        [],
        (
            "return drop_empty(topics, counts, weight, size, alpha.size)",
            "return size",
            1,
        ),
    ),
    "an empty topic is not dropped before a table": (
        [TABLES],
        ("size = drop_empty(topics, counts, no_weights, size, alpha.size)", "pass", 1),
    ),
    "the size is forgotten": ([], ("sizes[w] = drawn", "pass", 1)),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", LIST_MUTANTS)
def test_mutants_of_lists_are_noticed(fault):
    edits, edit = LIST_MUTANTS[fault]
    mutant = interpreted("blocked_nested", [*edits, edit], lanes=2)
    _, sound = sweep_exact_draws(mutant, PROBLEMS["documents"], 500, seed=8)
    assert not sound
