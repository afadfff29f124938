"""The version of sklda, and the processors that it runs on."""

import sys

if sys.byteorder != "little" or sys.maxsize < 2**63 - 1:
    raise ImportError(
        "sklda requires a 64-bit little-endian Python, as for x86-64 and arm64, but "
        f"this Python is {sys.maxsize.bit_length() + 1}-bit and {sys.byteorder}-endian"
    )

__version__ = "0.1.0"


def series(version: str) -> str:
    """Return the name of the releases whose models are alike: "0.1" of "0.1.3".

    A development version is a series of its own, and so is "unknown".
    """
    is_release = "." in version and "dev" not in version
    return version.rpartition(".")[0] if is_release else version
