import numpy as np

from benchmarks import PAPER, corpora, medlda

draw = medlda.draw
CLASSES = (0, 19)  # alt.atheism, talk.religion.misc


def run(options) -> None:
    documents = corpora.read_newsgroups(options)
    few = [(X[np.isin(y, CLASSES)], y[np.isin(y, CLASSES)]) for X, y in documents]
    medlda.score(options, "binary", *few, PAPER["medlda-binary"])
