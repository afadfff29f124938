"""A script of a user, which must pass `pyright`.

The last lines hold mistakes that it must find: a comment that silences nothing is an
error too.
"""

import numpy as np

import sklda
from sklda import (
    CVBLDA,
    CollapsedGibbsLDA,
    MedLDAClassifier,
    MedLDARegressor,
    inspection,
    metrics,
)
from sklda.datasets import load_state_of_the_union, make_lda_corpus
from sklda.diagnostics import SampledChains, sample_chains
from sklda.model_selection import TopicNumberDisplay, topic_number_curve

X, doc_topic, topic_word = make_lda_corpus(30, 20, 3, random_state=0)
y = doc_topic.argmax(axis=1)

lda = CollapsedGibbsLDA(3, blocking="nested", learn_priors="symmetric", max_iter=4)
theta: np.ndarray = lda.fit(X).transform(X)
score: float = lda.score(X) + lda.perplexity(X)
components: np.ndarray = lda.components_
trace: np.ndarray = lda.log_joint_
alpha: np.ndarray = lda.doc_topic_prior_
beta: float | np.ndarray = lda.topic_word_prior_
n_sweeps: int = lda.n_iter_

rate: float = (
    sklda.ECGSLDA(3, strategy="shortcut").fit(X.toarray()).sampling_rate_.mean()
)
assignments = sklda.UncollapsedGibbsLDA(3).fit([[1, 2], [0, 3]]).topic_assignments_
bound: np.ndarray = CVBLDA(3, approximation="zero-order").fit(X).bound_
classifier = MedLDAClassifier(3, sampler="light", max_iter=4).fit(X, y)
labels: np.ndarray = classifier.classes_[classifier.decision_function(X).argmax(axis=1)]
errors: np.ndarray = MedLDARegressor(3, max_iter=4).fit(X, y).predict(X) - y

lda = lda.set_params(max_iter=5)
names = np.array([f"word {w}" for w in range(20)])
words: list[list[str]] = inspection.top_words(lda, names, n_words=3)
prior: np.ndarray = sklda.seed_word_prior(
    names, {0: ["word 1"], 2: names[:3]}, n_components=3
)
CollapsedGibbsLDA(3, topic_word_prior=prior, max_iter=4).fit(X)
CVBLDA(3, topic_word_prior=[0.1] * 20).fit(X)
display = inspection.TopWordsDisplay.from_estimator(lda, names, n_words=3)
coherence: np.ndarray = metrics.topic_coherence(
    lda.components_, X, measure="npmi", n_words=3
)
diversity: float = metrics.topic_diversity(lda, n_words=3)
exclusivity: np.ndarray = metrics.topic_exclusivity(
    components.tolist(), "frex", weight=0.7
)
texts: list[str] = load_state_of_the_union().data
tokens = [text.split() for text in texts]
metrics.topic_coherence(lda, measure="c_v", texts=texts, feature_names=names)
metrics.topic_coherence(lda, measure="c_v", texts=tokens, feature_names=names, window=9)
partners: np.ndarray = metrics.align_topics(lda, [components, lda])[0].partners
prototype: int = metrics.topic_stability(
    [lda, components], "top-words", n_words=5
).prototype
likelihoods: np.ndarray = metrics.left_to_right_log_likelihood(lda, X, random_state=0)
completion: float = metrics.document_completion_score(lda, X, smoothing=0.1)
curve = topic_number_curve(lda, X, [2, 3], cv=3, measures=["score"], n_repeats=1)
choice: int | None = curve.choice
TopicNumberDisplay(curve=curve).plot(color="black").lines_[0]
chains: SampledChains = sample_chains(lda, X, n_chains=2, random_state=0).more(10)
verdict: str = chains.verdict_
draws: np.ndarray = chains.scalars_["log_joint"]
kept = CollapsedGibbsLDA(3, keep_draws=5).fit(X).draws_
if kept is not None:
    low, high = kept.doc_topic_interval(0.9, documents=[0, 1])
    effects: inspection.TopicEffects = inspection.estimate_effect(kept, y, topics=[0])
    table: str = repr(effects)
    means: inspection.TopicMeans = inspection.topic_means(
        kept, [2001, 2002] * (len(y) // 2), max_bins=2
    )
    inspection.TopicMeansDisplay(means=means).plot().axes_[0]
completion = metrics.vocabulary_score(lda, X, range(20), X)
MedLDAClassifier(class_weight="balanced")
MedLDAClassifier(class_weight={"a": 2.0})

CollapsedGibbsLDA(n_topics=3)  # pyright: ignore[reportCallIssue]
other = sklda.LdaModel  # pyright: ignore[reportAttributeAccessIssue]
CollapsedGibbsLDA(blocking="fast")  # pyright: ignore[reportArgumentType]
CollapsedGibbsLDA(blocking="both")  # pyright: ignore[reportArgumentType]
CVBLDA(approximation="first-order")  # pyright: ignore[reportArgumentType]
MedLDAClassifier(class_weight="balance")  # pyright: ignore[reportArgumentType]
inspection.TopWordsDisplay.from_estimator(lda, set(names.tolist()))  # pyright: ignore[reportArgumentType]
metrics.topic_coherence(lda.components_, X, measure="c_w2v")  # pyright: ignore[reportArgumentType]
topic_number_curve(lda, X, [2, 3], measures=["c_w2v"])  # pyright: ignore[reportArgumentType]
metrics.align_topics(components, [components], "cosine")  # pyright: ignore[reportArgumentType]
weights = lda.componets_  # pyright: ignore[reportAttributeAccessIssue]
lda.set_params(max_iter=5).fit_tranform(X)  # pyright: ignore[reportAttributeAccessIssue]
lda.transform()  # pyright: ignore[reportCallIssue]
lda.draws_.doc_topic_interval(0.9)  # pyright: ignore[reportOptionalMemberAccess]
found = sample_chains(lda, X).verdict  # pyright: ignore[reportAttributeAccessIssue]
title: str = lda.score(X)  # pyright: ignore[reportAssignmentType]
