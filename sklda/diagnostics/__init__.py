"""Diagnostics of convergence, from several chains side by side.

R-hat, effective sample sizes and standard errors are those of arviz-stats:
``pip install "sklda[diagnostics]"``.
"""

from sklda.diagnostics._result import SampledChains
from sklda.diagnostics._sample_chains import sample_chains

__all__ = ["SampledChains", "sample_chains"]
