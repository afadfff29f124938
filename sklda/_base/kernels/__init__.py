"""Numba loops of documents under fixed topics."""
