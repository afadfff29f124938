"""Whether a fit fits into memory, checked before it starts."""

from pathlib import Path

from sklda._core.problem import padded


def check_memory(n_cells: int, n_topics: int, *, exact: bool) -> None:
    """Raise MemoryError if a fit needs more than half of the free memory."""
    needed = 4 * n_cells * padded(n_topics)
    if exact:
        needed += 16 * n_cells**2 * n_topics
    free = _free_memory()
    if free is not None and needed > free / 2:
        raise MemoryError(
            f"fit stores {n_topics} responsibilities for each of {n_cells:,} "
            f"document-word pairs: {needed / 2**30:.3g} GiB, more than half of the "
            f"{free / 2**30:.3g} GiB that are free. partial_fit takes the documents in "
            f"minibatches and stores none."
        )


def _free_memory() -> int | None:
    """Return the bytes that could be allocated, None where they are unknown."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        facts = dict(line.split(":", 1) for line in lines)
        return 1024 * int(facts["MemAvailable"].split()[0])
    except (OSError, KeyError, ValueError):
        return None
