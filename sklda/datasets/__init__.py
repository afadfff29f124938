"""Corpora drawn from LDA, downloaded, or read from files and the package."""

from sklda.datasets._files import (
    fetch_uci_bow,
    load_ldac,
    load_state_of_the_union,
    load_uci_bow,
)
from sklda.datasets._synthetic import make_bars, make_lda_corpus

__all__ = [
    "fetch_uci_bow",
    "load_ldac",
    "load_state_of_the_union",
    "load_uci_bow",
    "make_bars",
    "make_lda_corpus",
]
