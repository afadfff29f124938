"""A held-out score across vocabularies."""

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from sklda import CollapsedGibbsLDA
from sklda.datasets import make_lda_corpus
from sklda.metrics import vocabulary_score
from tests.helpers.known_topics import KnownTopics

X, _, _ = make_lda_corpus(
    300, 400, 5, document_length=80, topic_word_prior=0.05, random_state=0
)
TRAIN, TEST = X[:200], X[200:]
SMOOTHED = np.asarray(TRAIN.sum(axis=0)).ravel() + 1.0
FREQUENCY = SMOOTHED / SMOOTHED.sum()


def test_score_by_hand():
    columns = np.flatnonzero(SMOOTHED > 10)[::-1]  # in the order of the model
    lda = CollapsedGibbsLDA(5, max_iter=20, random_state=0).fit(TRAIN[:, columns])
    unknown = np.setdiff1d(np.arange(400), columns)
    tokens = np.asarray(TEST.sum(axis=0)).ravel()
    n_known = tokens[columns].sum()
    expected = n_known * lda.score(TEST[:, columns])
    expected += n_known * np.log(FREQUENCY[columns].sum())
    expected += sum(tokens[w] * np.log(FREQUENCY[w]) for w in unknown)
    found = vocabulary_score(lda, TEST, columns, TRAIN)
    assert found == pytest.approx(expected / tokens.sum())


@pytest.mark.parametrize("n_known", [1, 50, 400])
def test_a_topic_of_frequencies_scores_the_same_for_any_words(n_known):
    columns = np.random.default_rng(n_known).permutation(400)[:n_known]
    model = KnownTopics(SMOOTHED[np.newaxis, columns], topic_word_prior_=0.0)
    model.theta = np.ones((TEST.shape[0], 1))
    tokens = np.asarray(TEST.sum(axis=0)).ravel()
    expected = tokens @ np.log(FREQUENCY) / tokens.sum()
    found = vocabulary_score(model, TEST.toarray(), columns, TRAIN.toarray())
    assert found == pytest.approx(expected, rel=1e-6)


def test_fewer_words_score_higher_alone_and_lower_over_all():
    alone, over_all = [], []
    for least in (1, 30, 100):
        columns = np.flatnonzero(SMOOTHED >= least)
        lda = CollapsedGibbsLDA(5, max_iter=60, random_state=0).fit(TRAIN[:, columns])
        alone.append(lda.score(TEST[:, columns]))
        over_all.append(vocabulary_score(lda, TEST, columns, TRAIN))
    assert (np.diff(alone) > 0.1).all()
    assert (np.diff(over_all) < -0.02).all()


def test_documents_without_tokens():
    lda = CollapsedGibbsLDA(2, max_iter=2, random_state=0).fit(TRAIN[:, :9])
    with pytest.warns(UndefinedMetricWarning, match="no tokens"):
        assert vocabulary_score(lda, TEST * 0, range(9), TRAIN) == 0
