"""Lists of the topics that a word has: what a draw from one may return."""

import numpy as np
import pytest

from sklda._tables import lists
from tests.helpers.from_python import from_python

pick = from_python(lists.pick_listed)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 15, 16, 18, 35])
def test_no_slot_without_weight_is_drawn(size):
    # Between two sums that differ by rounding alone there are random numbers, too: a
    # draw in ten million or so.
    rng = np.random.default_rng(size)
    for _ in range(100):
        weight = np.zeros(48, np.float32)
        weight[:size] = rng.gamma(0.5, 1, size) + 1e-3
        slot = int(rng.integers(-1, size)) if size > 1 else -1
        others = weight.copy()
        others[slot] *= slot < 0
        for end in np.cumsum(others[:size]):
            for side in (0, 9):
                near = np.nextafter(end, np.float32(side))
                for r in (end, near, np.nextafter(near, np.float32(side))):
                    assert others[pick(weight, size, slot, float(r))] > 0
