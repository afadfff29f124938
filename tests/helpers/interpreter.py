"""Python in a process of its own, for what a test cannot do to its own process."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

from sklda._simd.compilers import MESSAGE

ROOT = Path(__file__).resolve().parents[2]


def run_python(code: str, *options: str, **environment: str) -> str:
    """Run code in a fresh interpreter beside the checkout and return its output."""
    done = subprocess.run(
        [sys.executable, *options, "-c", textwrap.dedent(code)],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )
    # On a slow machine, the code may wait long for the compiler.
    stderr = done.stderr.replace(f"{MESSAGE}\n", "")
    assert (done.returncode, stderr) == (0, ""), stderr
    return done.stdout.strip()
