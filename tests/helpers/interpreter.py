"""Python in a process of its own, for what a test cannot do to its own process."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

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
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()
