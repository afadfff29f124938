"""The coherence of gensim."""

import numpy as np
import pytest


def gensim_coherence(components, texts, names, n_words, **options):
    """Return gensim's coherence of topics in texts, lists of tokens."""
    models = pytest.importorskip("gensim.models")
    corpora = pytest.importorskip("gensim.corpora")
    dictionary = corpora.Dictionary([*texts, list(names)])
    top = np.argsort(-components, axis=1, kind="stable")[:, :n_words]
    model = models.CoherenceModel(
        topics=[[names[w] for w in topic] for topic in top],
        texts=texts,
        corpus=[dictionary.doc2bow(text) for text in texts],
        dictionary=dictionary,
        topn=n_words,
        processes=1,
        **options,
    )
    return model.get_coherence_per_topic()
