"""Refusal of work that needs too much memory, where the system tells what is free."""

from pathlib import Path

_MEMORY_INFO = Path("/proc/meminfo")


def free_memory() -> int | None:
    """Return the available memory in bytes, or None on systems other than Linux."""
    try:
        lines = _MEMORY_INFO.read_text("ascii").splitlines()
    except OSError:
        return None
    found = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
    return int(found[0]) * 1024 if found else None


def check_memory(n_bytes: int, subject: str, way_out: str, *, whole=False) -> None:
    """Raise MemoryError if bytes exceed half, or the `whole`, of the free memory."""
    free = free_memory()
    if free is not None and n_bytes > (free if whole else free // 2):
        raise MemoryError(
            f"{subject} can take up to {n_bytes:,} bytes, more than "
            f"{'' if whole else 'half of '}the {free:,} bytes of free memory: "
            f"{way_out}."
        )
