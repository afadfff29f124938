"""Search in arrays that ascend."""

from sklda._simd.compile import lean_kernel


@lean_kernel
def first_above(numbers, r):
    """Return the first place whose number exceeds r, or the size, by bisection.

    NumPy's search would take half a second to compile.
    """
    first, last = 0, numbers.size
    while first < last:
        middle = (first + last) // 2
        if numbers[middle] > r:
            last = middle
        else:
            first = middle + 1
    return first
