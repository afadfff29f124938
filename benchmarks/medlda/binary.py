import numpy as np

from benchmarks import corpora, medlda

draw = medlda.draw
CLASSES = (0, 19)  # alt.atheism, talk.religion.misc
NOTE = (
    "The paper: about 0.80. LightMedLDA: accuracy 0.76 to 0.83 for K = 5 to 50, "
    "in 0.9 to 1.0 s."
)


def run(options) -> None:
    documents = corpora.read_newsgroups(options)
    few = [(X[np.isin(y, CLASSES)], y[np.isin(y, CLASSES)]) for X, y in documents]
    medlda.score(options, "binary", *few, NOTE)
