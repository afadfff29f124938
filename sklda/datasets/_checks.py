"""Parameter checks that several loaders share."""

import numbers
from typing import Any


def check_integer(value: Any, name: str, minimum: int) -> int:
    """Return `value` as int; ValueError if it is not an integer >= `minimum`."""
    is_integer = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not is_integer or value < minimum:
        raise ValueError(f"{name} must be an integer >= {minimum}, got {value!r}.")
    return int(value)
