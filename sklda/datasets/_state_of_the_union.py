"""Passages of the State of the Union addresses, which are part of the package."""

from __future__ import annotations

import bz2
from importlib.resources import files

import numpy as np
from sklearn.utils import Bunch

_DESCR = """\
State of the Union addresses, 1790 to 2019
------------------------------------------

Twelve passages from each of the 239 annual messages of the presidents of the United
States to Congress. A passage is a paragraph, or several short ones, of 300 to 1,500
characters. The passages of an address are in order and at equal distances.

The texts are in the public domain. They come from the R package sotu by Taylor B.
Arnold and from the American Presidency Project.
"""


def load_state_of_the_union() -> Bunch:
    """Load passages of all State of the Union addresses from 1790 to 2019.

    The corpus has 2,868 English passages with year, president and party: twelve from
    each address. It is part of the package and in the public domain.

    Returns
    -------
    dataset : :class:`~sklearn.utils.Bunch`
        Dictionary-like object with the attributes

        - data : list of str of length 2868, passages of 300 to 1,500 characters, in the
          order of the addresses.
        - year : ndarray of shape (2868,) of int64, the year of the address. 1933
          and 1973 have none, eleven years have two.
        - president : list of str of length 2868, such as ``"Abraham Lincoln"``.
        - target : ndarray of shape (2868,) of int64, the party of the president as an
          index into `target_names`.
        - target_names : list of str, the six parties in alphabetical order;
          ``"Nonpartisan"`` is George Washington.
        - DESCR : str, description of the corpus.

    See Also
    --------
    fetch_uci_bow : Download larger corpora of word counts, without labels.
    sklearn.datasets.fetch_20newsgroups : Download labelled text.

    Notes
    -----
    Cost: less than 0.1 s and about 8 MB of memory.

    Examples
    --------
    >>> from sklda.datasets import load_state_of_the_union
    >>> corpus = load_state_of_the_union()
    >>> print(corpus.year[1966], corpus.president[1966], corpus.data[1966][:46])
    1952 Harry S Truman This demonstration of the way free men govern
    """
    path = files("sklda.datasets") / "data" / "state_of_the_union.tsv.bz2"
    _, *lines = bz2.decompress(path.read_bytes()).decode("utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    years, presidents, parties, texts = map(list, zip(*rows, strict=True))
    target_names, target = np.unique(parties, return_inverse=True)
    return Bunch(
        data=texts,
        year=np.array(years, dtype=np.int64),
        president=presidents,
        target=target,
        target_names=target_names.tolist(),
        DESCR=_DESCR,
    )
