"""Choose the number of topics by the prediction and the stability of models.

The functions accept unfitted topic models that have ``components_`` once fitted,
including those of scikit-learn.
"""

from sklda.model_selection._curve import topic_number_curve
from sklda.model_selection._result import (
    Recommendation,
    TopicNumberCurve,
    TopicNumberDisplay,
)

__all__ = [
    "Recommendation",
    "TopicNumberCurve",
    "TopicNumberDisplay",
    "topic_number_curve",
]
