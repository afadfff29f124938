"""Problems with few assignments, on which faults of blocked samplers show best."""

from tests.helpers import enumeration
from tests.helpers.enumeration import TinyProblem, assert_exact
from tests.helpers.mutants import Edit
from tests.helpers.samplers import blocked

PROBLEMS = {
    "four": TinyProblem("aaaa", 2, (0.5, 0.7, 0.9), 0.05),
    "flat": TinyProblem("aaaa", 1, (2.0, 2.0, 2.0), 0.05),
    "three": TinyProblem("aaa ab", 2, (0.3, 0.6), 0.3),
    "two words": TinyProblem("aabbb", 2, (0.4, 0.8), 0.2),
    "documents": TinyProblem("aa aa", 2, (0.3, 0.6, 0.9), 0.3),
    "pairs": TinyProblem("aa a", 2, (0.8, 0.5, 0.6, 0.7), 0.4),
    "singles": TinyProblem("aab", 2, (0.4, 0.5, 0.3), 0.3),
    "split": TinyProblem("aaaaa", 2, (0.3, 0.6), 0.3),
    "peaked documents": TinyProblem("aa aa", 3, (1.0, 1.5), 0.05),
    "five topics": TinyProblem("aaa", 1, (0.2, 0.8, 0.4, 1.0, 0.6), 0.5),
    "pair beside": TinyProblem("aa a", 2, (1.5, 0.5, 0.7, 0.9, 1.1, 1.3), 1.5),
    # One block, from one start.
    "pair, same": TinyProblem("aa", 2, (0.5, 1.2, 0.8), 0.4),
    "pair, different": TinyProblem("aa", 2, (0.5, 1.2, 0.8), 0.4),
    "peaked pair": TinyProblem("aa", 2, (9.0, 0.9, 0.5), 0.1),
    "flat pair, same": TinyProblem("aa", 2, (2.0, 1.5, 1.0, 1.0, 1.0), 3.0),
    "flat pair, different": TinyProblem("aa", 2, (2.0, 1.5, 1.0, 1.0, 1.0), 3.0),
    "3 of 3 topics": TinyProblem("aaa", 2, (0.5, 1.2, 0.8), 0.4),
    "flat 3 alike": TinyProblem("aaa", 1, (2.0, 1.0, 1.5), 2.0),
    "flat 3 of 2 topics": TinyProblem("aaa", 1, (2.0, 1.0, 1.5), 2.0),
    "4 alike": TinyProblem("aaaa", 2, (0.6, 0.9, 0.4), 0.5),
    "4 spread": TinyProblem("aaaa", 8, (0.3, 0.2), 1.0),
    "4 wide": TinyProblem("aaaa", 2, (0.4, 0.3), 1.0),
    "flat 4 alike": TinyProblem("aaaa", 1, (2.0, 1.5), 2.0),
    "flat 4 of 2 topics": TinyProblem("aaaa", 1, (2.0, 1.5), 2.0),
}
STARTS = {
    "pair, same": (0, 0),
    "pair, different": (0, 1),
    "peaked pair": (1, 1),
    "flat pair, same": (0, 0),
    "flat pair, different": (0, 1),
    "3 of 3 topics": (0, 1, 2),
    "flat 3 alike": (0, 0, 0),
    "flat 3 of 2 topics": (0, 1, 0),
    "4 alike": (0, 0, 0, 0),
    "4 spread": (0, 0, 0, 0),
    "4 wide": (0, 0, 1, 1),
    "flat 4 alike": (0, 0, 0, 0),
    "flat 4 of 2 topics": (0, 1, 0, 0),
}
MOST = {"split": 2}

# The tables draw blocks of more than four tokens only. Here they draw all blocks.
TABLES = (
    Edit("kernels.blocked", "SMALL = SPARE", "SMALL = 1"),
    Edit("Blocked.sweep", "2 if L <= 2 else S", "4"),
)


def plain(nested, most, *edits, lanes=2):
    """Return the sampler as Python runs it, after edits."""
    return blocked(nested, most).plain(edits, lanes=lanes)[0]


def assert_right(name, nested, edits):
    """Assert that what Python runs is exact on a problem."""
    assert_exact(plain(nested, None, *edits), PROBLEMS[name], 500, 6, STARTS.get(name))


def passes(name, problem, edits):
    """Return the verdict on a sampler of blocks after edits."""
    nested, tables = not name.startswith("backward"), () if name == "small" else TABLES
    # One lane, the longest search, where lanes are not what is tested.
    lanes = 1 if name == "backward" else 2
    sampler = plain(nested, MOST.get(problem), *tables, *edits, lanes=lanes)
    tiny, start = PROBLEMS[problem], STARTS.get(problem)
    return enumeration.passes(sampler, tiny, edits, start, n_draws=500)
