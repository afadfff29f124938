import numpy as np

from benchmarks import corpora, medlda

CLASSES = (0, 19)  # alt.atheism, talk.religion.misc
NOTE = (
    "The paper: about 0.80. LightMedLDA: accuracy 0.76 to 0.83 for K = 5 to 50, "
    "in 0.9 to 1.0 s."
)


draw = medlda.draw_scores


def run(options) -> None:
    stop_words = not options.drop_stop_words
    parts = corpora.read_newsgroups(options.newsgroups_home, stop_words=stop_words)
    few = [(X[np.isin(y, CLASSES)], y[np.isin(y, CLASSES)]) for X, y in parts.values()]
    medlda.score(options, "binary", *few, NOTE)
