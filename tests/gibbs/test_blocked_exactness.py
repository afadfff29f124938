"""The blocked samplers draw from the exact posterior, with cells whole and cut.

As in `test_exactness`: tiny corpora of which every assignment is listed, one sweep from
each of many exact draws, and chi-square. Blocks of two to four tokens are drawn by sums
over topics, larger ones by tables, which differ between the two kernels.
"""

import numpy as np
import pytest

from sklda._gibbs.kernels.blocked import blocked_backward
from sklda._gibbs.kernels.blocked import blocked_nested
from tests.helpers.enumeration import (
    Problem,
    chi_square_pvalue,
    cut,
    interpreted,
    kernel_priors,
    stream,
    sweep_exact_draws,
)
from tests.gibbs.test_exactness import PROBLEMS, RIGHT, marginals

KERNELS = {"nested": blocked_nested, "backward": blocked_backward}

# Documents of (word, count) pairs, words, alpha, beta; each is drawn with its cells
# whole (None) and cut. There are blocks of one to six tokens, blocks of one word in a
# row, and blocks that are drawn in different ways side by side.
BLOCKS = {
    "1 topic": (Problem((((0, 6), (1, 3)), ((0, 4),)), 3, (0.7,), 0.4), (None, 1, 4)),
    "2 topics, 6 tokens": (
        Problem((((0, 6), (1, 1)), ((0, 1), (1, 2))), 3, (0.3, 0.9), 0.2),
        (None, 1, 2, 3, 4),
    ),
    "2 topics, 5 tokens": (
        Problem((((0, 5), (2, 2)), (), ((0, 3),)), 4, (1.4, 0.4), 0.6),
        (None, 2, 3, 4),
    ),
    "3 topics, 6 tokens": (
        Problem((((0, 6), (1, 1)),), 2, (0.2, 0.6, 1.1), 0.1),
        (None, 2, 3, 4),
    ),
    "3 topics, 4 tokens": (
        Problem((((0, 4),), ((0, 1), (1, 2))), 3, (1.5, 0.4, 2.5), 1.7),
        (None, 2, 3),
    ),
    "3 topics, small and large": (
        Problem((((0, 2), (1, 5)),), 2, (0.5, 0.3, 0.4), 0.05),
        (None, 4),
    ),
    "5 topics": (
        Problem((((0, 4),), ((0, 1),)), 2, (0.2, 0.4, 0.6, 0.8, 1.0), 0.2),
        (None, 2, 3),
    ),
    "5 topics, 5 tokens": (
        Problem((((0, 5),),), 1, (0.2, 0.4, 0.6, 0.8, 1.0), 0.2),
        (None, 3),
    ),
    "17 topics": (
        Problem((((0, 3),),), 2, tuple(np.linspace(0.1, 1, 17)), 0.5),
        (None, 2),
    ),
    "18 topics": (
        Problem((((0, 2),), ((0, 1),)), 2, tuple(np.linspace(0.05, 0.9, 18)), 0.3),
        (None,),
    ),
    "extreme priors": (PROBLEMS["extreme priors"], (None,)),
    "alpha of 10,000 tokens": (
        Problem((((0, 4), (1, 3)),), 2, (1e4, 3e4), 1e-5),
        (None, 2),
    ),
}
CASES = [(name, most) for name, (_, cuts) in BLOCKS.items() for most in cuts]


@pytest.fixture(params=KERNELS)
def kernel(request):
    return KERNELS[request.param]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "most"), CASES)
def test_a_sweep_leaves_the_posterior_as_it_is(kernel, name, most):
    problem = cut(BLOCKS[name][0], most)
    seen, sound = sweep_exact_draws(kernel, problem, 8000, seed=1)
    assert sound
    assert chi_square_pvalue(seen, problem.posterior) > RIGHT


# Priors at the ends of their range, where float32 is too narrow: such blocks must go to
# the tables. Blocks have one, two, three and four tokens.
EXTREME = {
    "alpha": Problem((((0, 2), (1, 2)),), 2, (9e9, 1e10, 7e9), 1.0),
    "alpha, one cell": Problem((((0, 2),), ((0, 2),)), 2, (9e9, 1e10), 0.1),
    "alpha, 4 tokens": Problem((((0, 4), (1, 2)),), 2, (9e9, 1e10), 0.1),
    "beta": Problem((((0, 3), (1, 2)),), 2, (0.5, 1.5), 1e10),
    "both": Problem((((0, 3), (1, 2)),), 2, (9e9, 1e10), 1e10),
    "tiny beta": Problem((((0, 3), (1, 2)),), 2, (1.0, 0.5, 1.0), 1e-10),
    "tiny alpha": Problem((((0, 3),), ((0, 1), (1, 2))), 2, (1e-10, 1e-10), 0.3),
    "tiny": Problem((((0, 3),), ((1, 3),)), 2, (1e-10, 2e-10), 1e-10),
    "alpha and tiny beta": Problem((((0, 4), (1, 2)),), 2, (9e9, 1e10), 1e-10),
    "alphas far apart": Problem((((0, 4), (1, 2)),), 2, (1e10, 1e-10, 1.0), 0.1),
}


@pytest.mark.slow
@pytest.mark.parametrize("most", [None, 2])
@pytest.mark.parametrize("problem", EXTREME.values(), ids=EXTREME)
def test_priors_at_the_ends_of_their_range(kernel, problem, most):
    problem = cut(problem, most)
    seen, sound = sweep_exact_draws(kernel, problem, 5000, seed=2)
    assert sound
    assert chi_square_pvalue(seen, problem.posterior) > RIGHT


# The tables draw blocks of two to four tokens only where sums over topics cannot. Here
# they draw all blocks. With two lanes, three topics fill two registers.
TABLES = ("SMALL = 4 ", "SMALL = 1 ", 1)
OF_TABLES = [
    ("3 topics, 4 tokens", None, 2),
    ("3 topics, 4 tokens", 3, 2),
    ("5 topics", None, 2),
    ("5 topics", 2, 4),
    ("17 topics", None, 4),
    ("1 topic", 4, 16),
]


@pytest.mark.slow
@pytest.mark.parametrize(("problem", "most", "lanes"), OF_TABLES)
@pytest.mark.parametrize("name", KERNELS)
def test_tables_draw_small_blocks_as_well(name, problem, most, lanes):
    kernel = interpreted(f"blocked_{name}", [TABLES], lanes=lanes)
    problem = cut(BLOCKS[problem][0], most)
    seen, sound = sweep_exact_draws(kernel, problem, 1000, seed=3)
    assert sound
    assert chi_square_pvalue(seen, problem.posterior) > RIGHT


@pytest.mark.slow
@pytest.mark.parametrize("most", [None, 2])
@pytest.mark.parametrize("name", ["2 topics, 5 tokens", "3 topics, 4 tokens"])
def test_a_long_chain_has_the_marginals_of_the_posterior(kernel, name, most):
    # As in test_exactness, where the number of standard errors is explained.
    problem, n_batches, batch = cut(BLOCKS[name][0], most), 100, 300
    priors, rng = kernel_priors(kernel, problem.alpha, problem.beta), stream(4)
    state = kernel.init(problem.corpus, problem.n_words, priors, rng)
    chain = np.empty((n_batches * batch, state.z.size), np.uint16)
    for z in chain:
        kernel.sweep(problem.corpus, state, priors, rng)
        z[:] = state.z
    expected = problem.posterior @ marginals(problem, problem.assignments)
    means = marginals(problem, chain).reshape(n_batches, batch, -1).mean(1)
    errors = means.std(0, ddof=1) / np.sqrt(n_batches)
    assert (abs(means.mean(0) - expected) < 4.5 * errors).all()
    assert errors.max() < 0.03  # or nothing was tested
