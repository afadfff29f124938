"""The version of sklda, below everything that states it."""

__version__ = "0.1.0"


def series(version: str) -> str:
    """Return the name of the releases whose models are alike: "0.1" of "0.1.3".

    A development version is a series of its own, and so is "unknown".
    """
    is_release = "." in version and "dev" not in version
    return version.rpartition(".")[0] if is_release else version
