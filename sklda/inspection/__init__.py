"""Looking at fitted topics: their words, their documents, and pictures of them.

Everything here takes any fitted estimator with ``components_`` and ``transform``, those
of scikit-learn included. The pictures need matplotlib: ``pip install "sklda[plot]"``.
"""

from ._convergence import ConvergenceDisplay
from ._document_topics import DocumentTopicsDisplay
from ._pyldavis import pyldavis_data
from ._top_words import TopWordsDisplay
from ._topic_map import TopicMapDisplay
from ._words import top_documents, top_words

__all__ = [
    "ConvergenceDisplay",
    "DocumentTopicsDisplay",
    "TopWordsDisplay",
    "TopicMapDisplay",
    "pyldavis_data",
    "top_documents",
    "top_words",
]
