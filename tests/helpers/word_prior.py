"""Problems on which faults in the use of an array of beta show.

`test_exactness` has the samplers without faults.
"""

from tests.helpers import enumeration
from tests.helpers.enumeration import TinyProblem
from tests.helpers.samplers import SAMPLERS

# Interpreted kernels have two lanes, so three topics fill two registers.
SMALL = {
    "words": TinyProblem("abb aa", 2, (0.3, 0.6), ((0.2, 3.0), (1.5, 0.4))),
    "topics": TinyProblem(
        "aaa a", 2, (0.8, 0.8, 0.8), ((0.5, 9), (0.5, 0.1), (0.5, 1))
    ),
    "one seed": TinyProblem("aa bb", 2, (0.5, 0.5), ((0.1, 0.1), (0.1, 2))),
    "of words": TinyProblem("aabb b", 2, (0.4, 0.9), ((0.1, 4), (0.1, 4))),
    "topics in a row": TinyProblem(
        "abc c", 3, (0.4, 2.0, 0.5), ((0.1, 2, 1), (1.5, 0.7, 0.1), (0.6, 0.1, 3))
    ),
    "words far apart": TinyProblem("aabb", 2, (1.0, 1.5), ((5.0, 0.1), (5.0, 0.1))),
}


def passes(name, problem, edits):
    """Return the verdict on a sampler after edits."""
    sampler, _ = SAMPLERS[name].plain(edits, lanes=2)
    return enumeration.passes(sampler, SMALL[problem], edits)
