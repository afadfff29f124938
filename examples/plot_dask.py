"""
A corpus on a cluster
=====================

``sklda.dask`` fits topics to documents that are stored on the workers of a Dask
cluster. In this example, the cluster consists of two threads of this process, and the
documents are passages of the State of the Union addresses. Each worker counts its own
partitions of the texts with a ``CountVectorizer``.
"""

# %%
# To use a real cluster, change only how the client starts.
from collections import Counter

import dask.bag as db
import matplotlib.pyplot as plt
import numpy as np
from dask import delayed
from distributed import Client
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

import sklda
from sklda.dask import PartiallyCollapsedGibbsLDA
from sklda.datasets import load_state_of_the_union
from sklda.inspection import TopWordsDisplay

client = Client(n_workers=1, threads_per_worker=2, processes=False)
passages = load_state_of_the_union().data
texts = db.from_sequence(passages, npartitions=8)

# %%
# All partitions need the same columns, so collect the vocabulary from all of them: each
# partition returns its words with their document frequencies.
stop_words = [*ENGLISH_STOP_WORDS, "does", "let", "shall"]
tokens = {"stop_words": stop_words, "token_pattern": r"[^\W\d]{3,}"}
analyse = CountVectorizer(**tokens).build_analyzer()


def document_frequencies(block):
    return [Counter(word for text in block for word in set(analyse(text)))]


frequencies = sum(texts.map_partitions(document_frequencies).compute(), Counter())
most = 0.1 * texts.count().compute()  # more frequent words are in all topics
vocabulary = sorted(word for word, n in frequencies.items() if 5 <= n <= most)
print(f"{len(vocabulary):,} words")


# %%
# Then count each partition separately. The result is a list of delayed CSR matrices;
# nothing has been computed yet.
def count(block):
    return CountVectorizer(vocabulary=vocabulary, **tokens).transform(list(block))


X = [delayed(count)(part) for part in texts.to_delayed()]

# %%
# The fit sends only the names of tasks to the cluster. The topics of documents and
# tokens stay there.
lda = PartiallyCollapsedGibbsLDA(
    20, doc_topic_prior=0.1, topic_word_prior=0.01, max_iter=200, random_state=0
)
lda.fit(X)
print(lda.doc_topic_)
print(f"perplexity {lda.perplexity(X):.0f}")

# %%
# ``to_local`` returns an ordinary estimator, for example for plots.
local = lda.to_local()
TopWordsDisplay.from_estimator(
    local, feature_names=vocabulary, topics=range(10), n_words=8
)
plt.show()

# %%
# On a single machine, the same seed gives the same topics, bit for bit.
alone = sklda.PartiallyCollapsedGibbsLDA(**local.get_params()).fit(count(passages))
print(f"same topics: {np.array_equal(alone.components_, lda.components_)}")
client.close()
