"""What a user writes, for type checkers: it must pass `mypy --strict` and `pyright`.

The last lines hold mistakes that both must find.
"""

import numpy as np

from sklda import CollapsedGibbsLDA, ECGSLDA, UncollapsedGibbsLDA
from sklda.datasets import make_lda_corpus

X, doc_topic, topic_word = make_lda_corpus(30, 20, 3, random_state=0)

lda = CollapsedGibbsLDA(3, sampler="dense", learn_priors="symmetric", max_iter=4)
theta: np.ndarray = lda.fit(X).transform(X)
score: float = lda.score(X) + lda.perplexity(X)
components: np.ndarray = lda.components_
trace: list[float] = lda.log_joint_.tolist()
n_sweeps: int = lda.n_iter_
ECGSLDA(3, strategy="shortcut").fit(X.toarray()).sampling_rate_.mean()
UncollapsedGibbsLDA(3).fit([[1, 2], [0, 3]]).topic_assignments_.size

CollapsedGibbsLDA(sampler="fast")  # type: ignore[arg-type]
CollapsedGibbsLDA(blocking="both")  # type: ignore[arg-type]
