"""sklda against its own history: `asv run --config benchmarks/asv.conf.json`."""

import sys
from pathlib import Path

# For `synthetic`. The folder above this one has a checkout of sklda, but the installed
# one is measured.
sys.path.append(str(Path(__file__).resolve().parents[1]))
