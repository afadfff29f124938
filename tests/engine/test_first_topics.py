"""The topics that tokens have before the first sweep."""

import numpy as np
import pytest

from sklda._engine.kernels.start import random_first_topics
from sklda._sampling.problem import Problem, WordPrior
from tests.helpers.corpora import random_corpus, words_of
from tests.helpers.enumeration import RIGHT, chi_square_pvalue
from tests.helpers.mutants import streams

CORPUS = random_corpus(1, 400, 3, mean=5)


def topics_with(beta, seed=0):
    problem = Problem(CORPUS, 3, np.ones(4), beta)
    return random_first_topics(problem, streams(seed).kernel)


def test_topics_of_a_word_follow_its_mean_prior():
    beta = np.array([[1, 3, 0.1], [2, 2, 1e-9], [0.5, 4, 1], [1, 1, 1]])
    mean = beta / beta.sum(axis=1, keepdims=True)
    z, words = topics_with(WordPrior(beta)), words_of(CORPUS)
    assert z.dtype == np.uint16
    for w in np.unique(words):
        seen = np.bincount(z[words == w], minlength=5)
        assert chi_square_pvalue(seen, mean[:, w] / mean[:, w].sum()) > RIGHT


@pytest.mark.parametrize("seed", range(3))
def test_equal_numbers_are_one_number(seed):
    array = topics_with(WordPrior(np.full((4, 3), 0.25)), seed)
    np.testing.assert_array_equal(array, topics_with(0.25, seed))
