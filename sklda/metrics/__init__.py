"""Measures for the topics of any model: coherence, stability, held-out likelihood.

The functions accept fitted estimators with ``components_``, including those of
scikit-learn, or arrays of word weights in topics.
"""

from sklda.metrics._alignment import (
    TopicAlignment,
    TopicStability,
    align_topics,
    topic_stability,
)
from sklda.metrics._coherence import topic_coherence, topic_diversity, topic_exclusivity
from sklda.metrics._held_out import (
    document_completion_score,
    left_to_right_log_likelihood,
    vocabulary_score,
)

__all__ = [
    "TopicAlignment",
    "TopicStability",
    "align_topics",
    "document_completion_score",
    "left_to_right_log_likelihood",
    "topic_coherence",
    "topic_diversity",
    "topic_exclusivity",
    "topic_stability",
    "vocabulary_score",
]
