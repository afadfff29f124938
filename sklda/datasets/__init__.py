"""Corpora: drawn from the model, installed beside us, to download, or in files."""

from ._docstrings import load_docstrings
from ._fetch_uci_bow import fetch_uci_bow
from ._ldac import load_ldac
from ._synthetic import make_bars, make_lda_corpus
from ._uci_bow import load_uci_bow

__all__ = [
    "fetch_uci_bow",
    "load_docstrings",
    "load_ldac",
    "load_uci_bow",
    "make_bars",
    "make_lda_corpus",
]
