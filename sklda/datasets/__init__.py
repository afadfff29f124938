"""Corpora drawn from LDA, downloaded, or read from files and the package."""

from sklda.datasets._fetch_uci_bow import fetch_uci_bow
from sklda.datasets._ldac import load_ldac
from sklda.datasets._state_of_the_union import load_state_of_the_union
from sklda.datasets._synthetic import make_bars, make_lda_corpus
from sklda.datasets._uci_bow import load_uci_bow

__all__ = [
    "fetch_uci_bow",
    "load_ldac",
    "load_state_of_the_union",
    "load_uci_bow",
    "make_bars",
    "make_lda_corpus",
]
