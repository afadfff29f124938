"""A prior from lists of words that belong in topics, or outside."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from numbers import Integral

import numpy as np

from sklda._data.checks import check_names
from sklda._data.notices import warn_user
from sklda._data.types import NameList
from sklda._fitted.fitted_topics import check_feature_names
from sklda._sampling.parameters import CONSTRAINTS, PRIOR_RANGE, validates


@validates(
    n_components=CONSTRAINTS["n_components"],
    weight=[PRIOR_RANGE],
    base=[None, PRIOR_RANGE],
)
def seed_word_prior(
    feature_names: NameList,
    seeds: Mapping[int, NameList],
    *,
    n_components: int,
    weight: float = 100.0,
    base: float | None = None,
) -> np.ndarray:
    """Return a `topic_word_prior` that pulls chosen words into chosen topics.

    The prior acts as if each seed word had `weight` additional tokens in its topic, in
    all sweeps. Seeds can still occur in other topics. Chains start with topics drawn
    from the prior; the notes of `CollapsedGibbsLDA` state the cost of an array.

    Parameters
    ----------
    feature_names : array-like of str
        Words in the order of the columns of X: ``vectorizer.get_feature_names_out()``.
    seeds : mapping of int to array-like of str
        Seed words of topics, which are numbered from 0; a word may belong to several. A
        seed that is not among `feature_names` is a :mod:`fnmatch` pattern, such as
        ``"econom*"``, and stands for all words that match it.
    n_components : int
        Number of topics K of the estimator, 1 to 65,535.
    weight : float, default=100.0
        Beta of the seed words in their topics, from 1e-10 to 1e10. Begin with about the
        counts of the seeds in X: a tenth may be washed out, and ten times the counts
        leave the topic little but its seeds. A weight far below `base` keeps the words
        out instead.
    base : float, default=None
        Beta of all other words and topics, from 1e-10 to 1e10. None means 1 / K.

    Returns
    -------
    ndarray of shape (n_components, n_words)
        Prior for the parameter `topic_word_prior` of any estimator of sklda.

    Raises
    ------
    TypeError
        If `feature_names` or the words of a topic are not lists of names, or `seeds` is
        not a mapping.
    ValueError
        If no seed matches any of `feature_names`, a topic does not exist, or a number
        is out of range.

    Warns
    -----
    UserWarning
        If some seeds match none of `feature_names`.

    Notes
    -----
    A small beta such as 1e-8 does not exclude a word from a topic: adding the word
    costs the topic about log(1 / beta) nats, regardless of its number of tokens. Gibbs
    chains start without the word in the topic and rarely move it there; `CVBLDA`, which
    gives each token some probability in all topics, may do so.

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA, seed_word_prior
    >>> words = ["economic", "economy", "goal", "match"]
    >>> prior = seed_word_prior(
    ...     words, {0: ["econom*"], 1: ["goal"]}, n_components=2, weight=5, base=0.1
    ... )
    >>> prior
    array([[5. , 5. , 0.1, 0.1],
           [0.1, 0.1, 5. , 0.1]])
    >>> X = [[2, 1, 0, 0], [1, 3, 0, 0], [0, 0, 2, 2]]
    >>> lda = CollapsedGibbsLDA(2, topic_word_prior=prior, random_state=0).fit(X)
    >>> lda.topic_word_.argmax(axis=1)
    array([1, 2])
    """
    if not isinstance(seeds, Mapping):
        raise TypeError(
            f"seeds must map numbers of topics to lists of words, such as "
            f"{{0: ['goal', 'match']}}; got {seeds!r}."
        )
    names = check_feature_names(feature_names)
    base = 1 / n_components if base is None else base
    prior = np.full((n_components, len(names)), base, dtype=np.float64)
    n_found, unknown = 0, []
    for topic, words in seeds.items():
        is_number = isinstance(topic, Integral) and not isinstance(topic, bool)
        if not (is_number and 0 <= topic < n_components):
            raise ValueError(
                f"a topic of seeds must be an integer from 0 to {n_components - 1}, "
                f"got {topic!r}."
            )
        for seed in check_names(words, f"seeds of topic {topic}", "words"):
            fits = str.__eq__ if seed in names else fnmatchcase
            columns = [i for i, name in enumerate(names) if fits(name, seed)]
            prior[topic, columns] = weight
            n_found += len(columns)
            if not columns:
                unknown.append(seed)
    shown = ", ".join(map(repr, unknown)) or "none"
    if n_found == 0:
        raise ValueError(
            f"seeds has no word of feature_names; got {shown}. Spell words as the "
            "vectorizer does, usually in lower case."
        )
    if unknown:
        warn_user(f"These seeds match none of feature_names: {shown}.")
    return prior
