"""sklda against its own history, by asv; `python -m benchmarks history` runs it.

The corpora are synthetic, so nothing is fetched.
"""

import sys
from pathlib import Path

# For `synthetic`. Not the folder above: that one holds a sklda of its
# own, and the one to be measured is the one that is installed.
sys.path.append(str(Path(__file__).resolve().parents[1]))
