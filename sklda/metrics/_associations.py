"""Measures of association between the top words of a topic, from their counts.

Each function takes `together`, (n_words, n_words): in how many units (documents or
windows) two words occur together, with those of one word on the diagonal. Words are in
the order of the topic.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

# What is added to the probability of a pair in windows, as Röder et al. do.
_EPSILON = 1e-12


def u_mass(together: np.ndarray, n_units: int, smoothing: float) -> float:
    """Return the mean of log((D(v, w) + smoothing) / D(w)), w ahead of v."""
    v, w = np.tril_indices_from(together, -1)
    documents = together.diagonal()[w]
    # A word w in no document: the pair then gets log(smoothing / D).
    documents = np.where(documents > 0, documents, n_units)
    return float(np.log((together[v, w] + smoothing) / documents).mean())


def npmi(together: np.ndarray, n_units: int, _: float) -> float:
    """Return the mean normalised pointwise mutual information, unsmoothed."""
    v, w = np.tril_indices_from(together, -1)
    joint = together[v, w] / n_units
    single = together.diagonal() / n_units
    values = np.where(joint == 1, 0.0, -1.0)
    # The logarithms exist where the words occur together in some documents, not in all.
    inside = (joint > 0) & (joint < 1)
    joint = joint[inside]
    ratio = joint / (single[v] * single[w])[inside]
    values[inside] = np.log(ratio) / -np.log(joint)
    return float(values.clip(-1, 1).mean())  # rounding can exceed the range


def c_uci(together: np.ndarray, n_units: int, _: float) -> float:
    """Return the mean pointwise mutual information of pairs in windows."""
    return _mean_of_pairs(_smoothed_pmi(together, n_units))


def c_npmi(together: np.ndarray, n_units: int, _: float) -> float:
    """Return the mean normalised pointwise mutual information of pairs in windows."""
    return _mean_of_pairs(_smoothed_npmi(together, n_units))


def c_v(together: np.ndarray, n_units: int, _: float) -> float:
    """Return the mean cosine between the vector of a word and that of all words.

    The vector of a word holds its normalised pointwise mutual information with each of
    the words, itself included; that of all words is the sum of these.
    """
    vectors = _smoothed_npmi(together, n_units)
    total = vectors.sum(axis=0)
    norms = np.linalg.norm(vectors, axis=1) * np.linalg.norm(total)
    products = vectors @ total
    cosines = np.divide(products, norms, out=np.zeros_like(products), where=norms > 0)
    return float(cosines.mean())


def _smoothed_pmi(together: np.ndarray, n_units: int) -> np.ndarray:
    """Return log((p(v, w) + epsilon) / (p(v) p(w))); 0 where v or w never occurs."""
    single = together.diagonal() / n_units
    independent = np.outer(single, single)
    ratio = np.ones(together.shape)
    joint = together / n_units + _EPSILON
    np.divide(joint, independent, out=ratio, where=independent > 0)
    return np.asarray(np.log(ratio))


def _smoothed_npmi(together: np.ndarray, n_units: int) -> np.ndarray:
    """Return the same over -log(p(v, w) + epsilon); 0 for a pair in all windows."""
    pmi = _smoothed_pmi(together, n_units)
    information = -np.log(together / n_units + _EPSILON)
    values = np.zeros_like(pmi)
    np.divide(pmi, information, out=values, where=together < n_units)
    return values


def _mean_of_pairs(values: np.ndarray) -> float:
    return float(values[np.tril_indices_from(values, -1)].mean())


Association: TypeAlias = Callable[[np.ndarray, int, float], float]
OF_DOCUMENTS: dict[str, Association] = {"u_mass": u_mass, "npmi": npmi}
OF_WINDOWS: dict[str, Association] = {"c_v": c_v, "c_uci": c_uci, "c_npmi": c_npmi}
DEFAULT_WINDOWS = {"c_v": 110, "c_uci": 10, "c_npmi": 10}
