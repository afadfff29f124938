"""Square roots of the numbers in a vector."""

import numpy as np
from llvmlite import ir

from sklda._simd.vector_type import lowers_each, signature


def square_root(vector):
    """Return the square roots, correctly rounded; none may be negative."""
    return np.sqrt(vector)


@lowers_each(square_root, lambda vector: signature(vector, vector))
def _(builder, sig, vector):
    kind = ir.FunctionType(vector.type, [vector.type])
    name = f"llvm.sqrt.v{vector.type.count}{vector.type.element.intrinsic_name}"
    root = builder.module.declare_intrinsic(name, fnty=kind)
    return builder.call(root, [vector])
