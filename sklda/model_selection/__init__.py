"""Choose the number of topics, by how models predict and how stable they are.

Functions take unfitted topic models with ``components_``, those of scikit-learn
included.
"""

from sklda.model_selection._curve import topic_number_curve
from sklda.model_selection._display import TopicNumberDisplay

__all__ = ["TopicNumberDisplay", "topic_number_curve"]
