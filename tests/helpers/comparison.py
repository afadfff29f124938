"""Fitted models held against each other."""

import numpy as np


def fitted(model):
    """Return everything that fit has set."""
    return {k: v for k, v in vars(model).items() if k.endswith("_")}


def assert_same_fit(a, b):
    a, b = fitted(a), fitted(b)
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], strict=True, err_msg=name)
