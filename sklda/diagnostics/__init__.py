"""Convergence diagnostics from several parallel chains.

R-hat, effective sample sizes and standard errors come from arviz-stats: ``pip install
"sklda[diagnostics]"``.
"""

from sklda.diagnostics._sample_chains import SampledChains, sample_chains

__all__ = ["SampledChains", "sample_chains"]
