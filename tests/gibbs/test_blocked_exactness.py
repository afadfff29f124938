"""The blocked samplers draw from the exact posterior, with cells whole and split.

As in `test_exactness`: tiny corpora of which every assignment is listed, one sweep from
each of many exact draws, and chi-square. Blocks of two to four tokens are drawn by sums
over topics, larger ones by tables, which differ between the two simulations.
"""

import numpy as np
import pytest

from sklda._gibbs.blocked_sampler import Blocked
from sklda._gibbs.kernels.blocked import lists, rows
from tests.gibbs.test_exactness import PROBLEMS
from tests.helpers.enumeration import TinyProblem, assert_exact, assert_marginals
from tests.helpers.mutants import Edit, interpreted

SIMULATIONS = {"nested": True, "backward": False}
simulations = pytest.mark.parametrize("nested", SIMULATIONS.values(), ids=SIMULATIONS)
KERNELS = {"rows": rows, "lists": lists}
kernels = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)

# Documents of (word, count) pairs, words, alpha, beta; each is drawn with its cells
# whole (None) and split. There are blocks of one to six tokens, blocks of one word in a
# row, and blocks that are drawn in different ways side by side.
BLOCKS = {
    "1 topic": (
        TinyProblem((((0, 6), (1, 3)), ((0, 4),)), 3, (0.7,), 0.4),
        (None, 1, 4),
    ),
    "2 topics, 6 tokens": (
        TinyProblem((((0, 6), (1, 1)), ((0, 1), (1, 2))), 3, (0.3, 0.9), 0.2),
        (None, 1, 2, 3, 4),
    ),
    "2 topics, 5 tokens": (
        TinyProblem((((0, 5), (2, 2)), (), ((0, 3),)), 4, (1.4, 0.4), 0.6),
        (None, 2, 3, 4),
    ),
    "3 topics, 6 tokens": (
        TinyProblem((((0, 6), (1, 1)),), 2, (0.2, 0.6, 1.1), 0.1),
        (None, 2, 3, 4),
    ),
    "3 topics, 4 tokens": (
        TinyProblem((((0, 4),), ((0, 1), (1, 2))), 3, (1.5, 0.4, 2.5), 1.7),
        (None, 2, 3),
    ),
    "3 topics, small and large": (
        TinyProblem((((0, 2), (1, 5)),), 2, (0.5, 0.3, 0.4), 0.05),
        (None, 4),
    ),
    "5 topics": (
        TinyProblem((((0, 4),), ((0, 1),)), 2, (0.2, 0.4, 0.6, 0.8, 1.0), 0.2),
        (None, 2, 3),
    ),
    "5 topics, 5 tokens": (
        TinyProblem((((0, 5),),), 1, (0.2, 0.4, 0.6, 0.8, 1.0), 0.2),
        (None, 3),
    ),
    "17 topics": (
        TinyProblem((((0, 3),),), 2, tuple(np.linspace(0.1, 1, 17)), 0.5),
        (None, 2),
    ),
    "18 topics": (
        TinyProblem((((0, 2),), ((0, 1),)), 2, tuple(np.linspace(0.05, 0.9, 18)), 0.3),
        (None,),
    ),
    "extreme priors": (PROBLEMS["extreme priors"], (None,)),
    "alpha of 10,000 tokens": (
        TinyProblem((((0, 4), (1, 3)),), 2, (1e4, 3e4), 1e-5),
        (None, 2),
    ),
}
CASES = [(name, most) for name, (_, sizes) in BLOCKS.items() for most in sizes]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "most"), CASES)
@simulations
@kernels
def test_a_sweep_leaves_the_posterior_as_it_is(kernel, nested, name, most):
    assert_exact(Blocked(kernel, nested, most), BLOCKS[name][0], 8000, seed=1)


# Priors at the ends of their range, where float32 is too narrow: such blocks must go to
# the tables. Blocks have one, two, three and four tokens.
EXTREME = {
    "alpha": TinyProblem((((0, 2), (1, 2)),), 2, (9e9, 1e10, 7e9), 1.0),
    "alpha, one cell": TinyProblem((((0, 2),), ((0, 2),)), 2, (9e9, 1e10), 0.1),
    "alpha, 4 tokens": TinyProblem((((0, 4), (1, 2)),), 2, (9e9, 1e10), 0.1),
    "beta": TinyProblem((((0, 3), (1, 2)),), 2, (0.5, 1.5), 1e10),
    "both": TinyProblem((((0, 3), (1, 2)),), 2, (9e9, 1e10), 1e10),
    "tiny beta": TinyProblem((((0, 3), (1, 2)),), 2, (1.0, 0.5, 1.0), 1e-10),
    "tiny alpha": TinyProblem((((0, 3),), ((0, 1), (1, 2))), 2, (1e-10, 1e-10), 0.3),
    "tiny": TinyProblem((((0, 3),), ((1, 3),)), 2, (1e-10, 2e-10), 1e-10),
    "alpha and tiny beta": TinyProblem((((0, 4), (1, 2)),), 2, (9e9, 1e10), 1e-10),
    "alphas far apart": TinyProblem((((0, 4), (1, 2)),), 2, (1e10, 1e-10, 1.0), 0.1),
}


@pytest.mark.slow
@pytest.mark.parametrize("most", [None, 2])
@pytest.mark.parametrize("tiny", EXTREME.values(), ids=EXTREME)
@simulations
@kernels
def test_priors_at_the_ends_of_their_range(kernel, nested, tiny, most):
    assert_exact(Blocked(kernel, nested, most), tiny, 5000, seed=2)


# The tables draw blocks of two to four tokens only where sums over topics cannot. Here
# they draw all blocks. With two lanes, three topics fill two registers.
TABLES = Edit("small", "SMALL = 4", "SMALL = 1")
OF_TABLES = [
    ("3 topics, 4 tokens", None, 2),
    ("3 topics, 4 tokens", 3, 2),
    ("5 topics", None, 2),
    ("5 topics", 2, 4),
    ("17 topics", None, 4),
    ("1 topic", 4, 16),
]


def plain(nested, most, *edits, lanes=2):
    """Return the sampler as Python runs it, after edits."""
    loaded = interpreted("sklda._gibbs.blocked_sampler", edits, lanes=lanes)
    return loaded.sampler(loaded.module.Blocked(kernel, nested, most))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "most", "lanes"), OF_TABLES)
@simulations
def test_tables_draw_small_blocks_as_well(nested, name, most, lanes):
    sampler = plain(nested, most, TABLES, lanes=lanes)
    assert_exact(sampler, BLOCKS[name][0], 1000, seed=3)


@pytest.mark.slow
@pytest.mark.parametrize("most", [None, 2])
@pytest.mark.parametrize("name", ["2 topics, 5 tokens", "3 topics, 4 tokens"])
@simulations
@kernels
def test_a_long_chain_has_the_marginals_of_the_posterior(kernel, nested, name, most):
    assert_marginals(Blocked(kernel, nested, most), BLOCKS[name][0], seed=4)
