"""
From texts to findings
======================

This example takes all steps of :doc:`/user_guide/from_texts_to_findings` with the
stories of the Reuters news agency from 1987 (Reuters-21578): count words, choose the
number of topics, run four chains, name the topics, and follow them through the year.
"""

# %%
# Read the stories of the usual split (ModApte), with their dates. Words in more than a
# tenth of the stories, such as "said" and "mln", say little about their subject. The
# pattern drops numbers, of which business news has many.
import gzip
import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import get_data_home
from sklearn.feature_extraction.text import CountVectorizer

from sklda import CollapsedGibbsLDA
from sklda.diagnostics import sample_chains
from sklda.inspection import (
    TopicMapDisplay,
    TopicMeansDisplay,
    name_topics,
    save_explorer,
    top_documents,
    top_words,
    topic_means,
)
from sklda.model_selection import TopicNumberDisplay, topic_number_curve

path = Path(get_data_home(), "reuters21578.jsonl.gz")
if not path.is_file():
    raise SystemExit(f"This example needs the stories of Reuters-21578 in {path}.")
with gzip.open(path, "rt", encoding="utf-8") as lines:
    stories = [json.loads(line) for line in lines]
stories = [story for story in stories if story["modapte"] in ("train", "test")]
texts = [f"{story['title']}. {story['body']}" for story in stories]
counter = CountVectorizer(
    stop_words="english", token_pattern=r"[a-z]{3,}", min_df=10, max_df=0.1
)
X = counter.fit_transform(texts)
kept = np.flatnonzero(X.sum(axis=1))
X, texts, stories = X[kept], [texts[i] for i in kept], [stories[i] for i in kept]
words = counter.get_feature_names_out()
print(f"{X.shape[0]:,} stories, {X.shape[1]:,} words, {X.sum():,} tokens")

# %%
# How many topics? A sample of the stories and short chains are enough to compare
# numbers. The curve prints a table and a verdict.
sample = np.random.default_rng(0).choice(X.shape[0], 2500, replace=False)
curve = topic_number_curve(
    CollapsedGibbsLDA(max_iter=60),
    X[sample],
    [10, 20, 40, 80],
    cv=3,
    measures=["score", "stability"],
    random_state=0,
)
print(curve)
TopicNumberDisplay(curve=curve).plot()
plt.show()

# %%
# Fit 30 topics, which are few enough to read, to all stories: four chains, of which two
# have an annealed start and two a random one. The verdict says whether they agree.
lda = CollapsedGibbsLDA(30, max_iter=400, keep_draws=25)
chains = sample_chains(lda, X, n_chains=4, n_jobs=2, random_state=0)
print(chains)
lda = chains.best_estimator_

# %%
# Look at the topics: their words, and the titles of their most typical stories.
typical, _ = top_documents(lda, X, n_documents=2)
share = lda.doc_topic_.mean(axis=0)
for k in np.argsort(-share)[:12]:
    print(f"{share[k]:.1%}  {', '.join(top_words(lda, words, 6)[k])}")
    for d in typical[k]:
        print(f"       {stories[d]['title'][:60]}")

# %%
# Name the topics that matter here. All tables and displays then show the names.
telling = {
    "opec": "oil",
    "corn": "grain",
    "dollar": "currencies",
    "coupon": "bonds",
    "coffee": "coffee and cocoa",
    "takeover": "takeovers",
    "gold": "energy and mining",
    "semiconductors": "trade with Japan",
}
for word, name in telling.items():
    name_topics(
        lda, {int(lda.topic_word_[:, counter.vocabulary_[word]].argmax()): name}
    )
print(top_words(lda, words, 7, as_frame=True).loc[list(telling.values())].to_string())
TopicMapDisplay.from_estimator(lda, words, 1)
plt.show()

# %%
# Follow four topics through the year, with intervals. There are no stories from
# May and from July to September, which leaves gaps.
MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT"]
dates = [story["date"].split()[0].split("-") for story in stories]
days = np.array(
    [f"{y}-{MONTHS.index(m) + 1:02}-{int(d):02}" for d, m, y in dates], dtype="M8[D]"
)
shown = [list(lda.topic_names_).index(name) for name in list(telling.values())[:4]]
TopicMeansDisplay.from_draws(
    lda.draws_, days, topics=shown, max_bins=40, random_state=0
)
plt.show()

# %%
# Which topics are typical of stories about Japan? sklda warns that the chain is short,
# that alpha wandered, and that the stories are short: the true differences are probably
# larger.
group = np.array(["Japan" if "japan" in s["places"] else "others" for s in stories])
means = topic_means(lda.draws_, group, random_state=0)
contrast = means.contrast("Japan", "others")
print(contrast.summary(as_frame=True).head(8).round(4).to_string())

# %%
# Save a page for readers of the results, and the sentences that a reader needs in order
# to repeat the study.
page = save_explorer("reuters.html", lda, X, feature_names=words, texts=texts)
print(f"{page.name}: {page.stat().st_size / 1e6:.1f} MB")
print(
    f"{X.shape[0]:,} documents, {X.shape[1]:,} words, {X.sum():,} tokens. "
    f"{type(lda).__name__}, {lda.n_components} topics,\n{lda.n_iter_} sweeps, "
    f"random_state={lda.random_state}, the best of 4 chains. {chains.verdict_}"
)
