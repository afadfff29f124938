"""Priors that hold chosen words in chosen topics, or keep them out."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from numbers import Integral, Real

import numpy as np

from sklda._base.parameters import CONSTRAINTS, HIGHEST_PRIOR, LOWEST_PRIOR, validates
from sklda._base.sklearn_private import Interval
from sklda._core.checks import check_names
from sklda._core.types import NameList
from sklda._core.warn import warn_user

_PRIOR = Interval(Real, LOWEST_PRIOR, HIGHEST_PRIOR, closed="both")


@validates(
    n_components=CONSTRAINTS["n_components"], weight=[_PRIOR], base=[None, _PRIOR]
)
def seed_word_prior(
    feature_names: NameList,
    seeds: Mapping[int, NameList],
    *,
    n_components: int,
    weight: float = 100.0,
    base: float | None = None,
) -> np.ndarray:
    """Return a `topic_word_prior` that draws chosen words into chosen topics.

    A prior is no mere start: it acts as if each seed word had `weight` more tokens in
    its topic, which no sweep takes away. Chains begin with topics drawn from it, too.

    Parameters
    ----------
    feature_names : array-like of str
        The words, in the order of the columns of X:
        ``vectorizer.get_feature_names_out()``.
    seeds : mapping of int to array-like of str
        The seed words of some topics, which are numbered from 0. A word may be a seed
        of several topics. What is not among `feature_names` may be a pattern of
        :mod:`fnmatch` for all the words that match it, such as ``"econom*"``.
    n_components : int
        Number of topics K of the estimator, 1 to 65,535.
    weight : float, default=100.0
        Beta of the seed words in their topics, from 1e-10 to 1e10. A tenth of the
        tokens that a word has in X is much. A weight far below `base` keeps the words
        out of their topics instead.
    base : float, default=None
        Beta of all else, from 1e-10 to 1e10. None means 1 / K, as in the estimators.

    Returns
    -------
    ndarray of shape (n_components, n_words)
        The prior, for the parameter `topic_word_prior` of any estimator of sklda. It
        may be changed further, or multiplied by another one.

    Raises
    ------
    TypeError
        If `feature_names` or the words of a topic are not a list of names, or `seeds`
        is not a mapping.
    ValueError
        If no seed is among `feature_names`, there is no such topic, or a number is out
        of its range.

    Warns
    -----
    UserWarning
        Names the seeds that are not among `feature_names` and match none of them.

    See Also
    --------
    CollapsedGibbsLDA : Its notes say what an array costs.

    Notes
    -----
    Words that are seeds in any topic remain possible in all: `base` is their prior
    there.

    With a small beta such as 1e-8, a token is unlikely to come to a topic while none of
    its word is there, and a chain begins that way. It is no ban: for the posterior it
    costs a topic about log(1 / beta) nats to have the word, however many its tokens.
    `CVBLDA` gives each token a little of all topics and may come to have it.

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
    names = check_names(
        feature_names,
        "feature_names",
        "the words in the order of the columns of X",
        "Pass `vectorizer.get_feature_names_out()`.",
    )
    base = 1 / n_components if base is None else base
    prior = np.full((n_components, len(names)), base, dtype=np.float64)
    unknown: list[str] = []
    for topic, columns in _columns(names, seeds, n_components, unknown):
        prior[topic, columns] = weight
    if unknown:
        warn_user(
            f"These seeds are not among feature_names and match none of them: "
            f"{', '.join(map(repr, unknown))}."
        )
    return prior


def _columns(names, seeds, n_components, unknown: list[str]):
    """Return pairs of a topic and the columns of its seeds; note those without any."""
    if not isinstance(seeds, Mapping):
        raise TypeError(
            f"seeds must map numbers of topics to lists of words, such as "
            f"{{0: ['goal', 'match']}}; got {seeds!r}."
        )
    found, n_columns = [], 0
    for topic, words in seeds.items():
        is_number = isinstance(topic, Integral) and not isinstance(topic, bool)
        if not (is_number and 0 <= topic < n_components):
            raise ValueError(
                f"a topic of seeds must be an integer from 0 to {n_components - 1}, "
                f"got {topic!r}."
            )
        k = int(topic)
        what = f"seeds of topic {k}"
        columns: list[int] = []
        for seed in check_names(words, what, "words"):
            own = [i for i, name in enumerate(names) if name == seed]
            own = own or [i for i, one in enumerate(names) if fnmatchcase(one, seed)]
            if not own:
                unknown.append(seed)
            columns += own
        found.append((k, columns))
        n_columns += len(columns)
    if n_columns == 0:
        given = ", ".join(map(repr, unknown)) or "none"
        raise ValueError(
            f"seeds names no word of feature_names; given were {given}. Words must be "
            f"spelt as the vectorizer does, in general in lower case."
        )
    return found
