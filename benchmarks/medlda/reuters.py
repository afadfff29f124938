import gzip
import html
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks import medlda

draw = medlda.draw
KINDS = {("YES", "TRAIN"): "train", ("YES", "TEST"): "test"}  # of ModApte
STORY = re.compile(r"<REUTERS ([^>]*)>(.*?)</REUTERS>", re.DOTALL)
CLOSING = re.compile(r"\breuters?\s*$", re.IGNORECASE)


class Story(NamedTuple):
    kind: str  # train, test or unused
    topics: list[str]
    text: str


def run(options) -> None:
    labels, train, test = load(options.reuters_home)
    medlda.score(options, "reuters", train, test, labels=labels)


def parse_sgml(text: str) -> Iterator[Story]:
    def between(tag, story):
        found = re.search(rf"<{tag}\b[^>]*>(.*?)</{tag}>", story, re.DOTALL)
        return found[1] if found else ""

    for attributes, story in STORY.findall(text):
        attribute = dict(re.findall(r'(\w+)="(.*?)"', attributes))
        kind = KINDS.get((attribute["TOPICS"], attribute["LEWISSPLIT"]), "unused")
        topics = re.findall(r"<D>(.*?)</D>", between("TOPICS", story))
        # A few stories are one unprocessed text, without title and body.
        words = [between("TITLE", story), between("BODY", story)]
        if not any(words):
            words = [re.sub(r"<[^>]*>", "", between("TEXT", story))]
        words = html.unescape("\n".join(words)).strip()
        yield Story(kind, topics, CLOSING.sub("", words))


def read_stories(folder) -> Iterator[Story]:
    """Yield all stories of a folder, in one file of lines or in SGML files."""
    lines = Path(folder, "reuters21578.jsonl.gz")
    paths = sorted(Path(folder).glob("*.sgm"))
    if lines.exists():
        with gzip.open(lines, "rt", encoding="utf-8") as stories:
            for story in map(json.loads, stories):
                text = f"{story['title']}\n{story['body']}"
                yield Story(story["modapte"], story["topics"], text)
    elif not paths:
        raise FileNotFoundError(f"no *.sgm and no {lines.name} in {folder}")
    else:
        for path in paths:
            yield from parse_sgml(path.read_text(encoding="latin-1"))


def load(folder, n_labels=10) -> tuple[list[str], tuple, tuple]:
    """Return the topics with most training stories, and counts and indicators of both.

    Stories with none of these topics stay, with a row of zeros. Words are runs of at
    least two letters in three training stories or more, without English stop words.
    """
    stories = list(read_stories(folder))
    train, test = ([s for s in stories if s.kind == k] for k in ("train", "test"))
    sizes = Counter(topic for story in train for topic in set(story.topics))
    labels = [topic for topic, _ in sizes.most_common(n_labels)]
    words = CountVectorizer(stop_words="english", token_pattern="[a-z]{2,}", min_df=3)
    words.fit(story.text for story in train)

    def labelled(some):
        X = sparse.csr_array(words.transform(story.text for story in some))
        Y = [[int(label in story.topics) for label in labels] for story in some]
        return X, np.array(Y)

    return labels, labelled(train), labelled(test)
