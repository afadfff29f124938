"""The HTML page of a topic model: template, style, scripts and contents in one text."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from sklda._base.fitted_topics import count_models, normalise, top_indices
from sklda._topics.plotting import shorten
from sklda._topics.topic_distances import jensen_shannon_distances
from sklda._topics.word_scores import top_columns
from sklda.inspection._groups import Groups
from sklda.inspection._topic_map import classical_scaling

# A script may import only from those above it.
SCRIPTS = (
    "dom.js",
    "data.js",
    "state.js",
    "listbox.js",
    "labels.js",
    "topics.js",
    "map.js",
    "words.js",
    "documents.js",
    "groups.js",
    "search.js",
    "main.js",
)
STYLES = ("layout.css", "views.css")

_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./([\w.]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|function) (\w+))", re.MULTILINE)

N_RANKED = 30  # words of a topic, for each weight of the relevance
WEIGHTS = np.arange(11) / 10
N_TYPICAL = 10  # documents of a topic
MIN_PROPORTION = 0.01  # smaller proportions of topics are left out
MAX_TOPICS_OF_WORD = 8
MAX_TOPICS_OF_DOCUMENT = 12
SHORT_TEXT = 5  # texts of documents that are not typical are this many times shorter
FULL = 255  # the integer that stands for a proportion of 1


# --- the page ---------------------------------------------------------------------


def build_page(title: str, contents: dict[str, Any]) -> bytes:
    """Return the page in UTF-8.

    Its content security policy names scripts and style by their hashes: the browser
    runs nothing else, and loads nothing.
    """
    script, style = joined_script(), "".join(map(read_asset, STYLES))
    parts = {
        "TITLE": html.escape(title),
        "SCRIPT_HASH": _source_hash(script),
        "STYLE_HASH": _source_hash(style),
        "STYLE": style,
        "SCRIPT": script,
        "DATA": script_json(contents),
    }
    template = read_asset("explorer.html")
    page = re.sub(r"\{\{(\w+)\}\}", lambda field: parts[field[1]], template)
    # Lone surrogates, which only texts in the JSON can hold, become its escapes.
    return page.encode("utf-8", errors="backslashreplace")


def joined_script() -> str:
    """Return all scripts as one.

    A module cannot import from its own page. So each becomes a function that returns
    its exports, and imports become assignments.
    """
    script = "const modules = {};\n"
    for name in SCRIPTS:
        source = read_asset(name)
        exports = ", ".join(_EXPORT.findall(source))
        body = _IMPORT.sub(r'const \1 = modules["\2"];', _EXPORT.sub("", source))
        script += (
            f'modules["{name}"] = (() => {{\n{body}return {{ {exports} }};\n}})();\n'
        )
    return script


def read_asset(name: str) -> str:
    """Return the text of a file of the page."""
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")


def script_json(contents: Any) -> str:
    """Return JSON that can stand in a script element, whatever texts it holds."""
    text = json.dumps(
        contents, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    for character in "<\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _source_hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


# --- its contents -----------------------------------------------------------------


class ShownModel(NamedTuple):
    """A topic model and the documents that its page shows."""

    components: np.ndarray  # (n_topics, n_words)
    empty: np.ndarray  # (n_topics,) whether a topic has no token
    proportions: np.ndarray  # (n_documents, n_topics)
    word_counts: np.ndarray  # (n_words,)
    lengths: np.ndarray  # (n_documents,)
    frequencies: np.ndarray  # (n_topics,) proportions of all tokens
    feature_names: list[str]
    texts: list[str] | None
    topic_keys: list[int | str]  # names, or numbers of topics without a name
    groups: Groups | None
    classes: dict[str, Any] | None


def page_contents(model: ShownModel, max_text_length: int) -> dict[str, Any]:
    """Return all that the page stores, for JSON."""
    return {
        "topics": _topics(model),
        "words": _words(model),
        "documents": _documents(model, max_text_length),
        "groups": None if model.groups is None else _groups(model.groups, model),
        "classes": model.classes,
    }


def _topics(model: ShownModel) -> dict[str, Any]:
    topics = normalise(model.components)
    distances = jensen_shannon_distances(topics, topics)
    positions, explained = classical_scaling(distances)
    return {
        "names": [key if isinstance(key, str) else None for key in model.topic_keys],
        "empty": np.flatnonzero(model.empty).tolist(),
        "shares": model.frequencies.round(6).tolist(),
        "positions": positions.round(4).tolist(),
        "explained": explained.round(3).tolist(),
    }


def _words(model: ShownModel) -> dict[str, Any]:
    n_ranked = min(N_RANKED, model.components.shape[1])
    ranked_words = [
        top_columns(model.components, n_ranked, "relevance", float(weight))
        for weight in WEIGHTS
    ]
    ranking = np.stack(ranked_words, axis=1)  # (n_topics, n_weights, n_ranked)
    joint = (model.frequencies[:, np.newaxis] * normalise(model.components)).T
    # p(k | w); 0 for words without weight in any topic that occurs.
    topics_of_words = normalise(joint) * (joint.sum(axis=1, keepdims=True) > 0)
    ranked = np.zeros(joint.shape, dtype=bool)
    for k in np.flatnonzero(~model.empty):
        ranked[ranking[k], k] = True
    return {
        "names": model.feature_names,
        "counts": pack(model.word_counts),
        **_pack_rows(topics_of_words, MAX_TOPICS_OF_WORD, ranked),
        "weights": WEIGHTS.tolist(),
        "n_ranked": n_ranked,
        "ranking": pack(ranking.ravel()),
    }


def _documents(model: ShownModel, max_text_length: int) -> dict[str, Any]:
    n_typical = min(N_TYPICAL, len(model.proportions))
    typical = top_indices(model.proportions.T, n_typical)
    dates = None if model.groups is None else model.groups.dates
    is_typical = np.zeros(model.proportions.shape, dtype=bool)
    np.put_along_axis(is_typical.T, typical, ~model.empty[:, np.newaxis], axis=1)
    return {
        "texts": _excerpts(model.texts, is_typical.any(axis=1), max_text_length),
        "dates": None if dates is None else dates.astype(str).tolist(),
        "lengths": pack(model.lengths),
        **_pack_rows(model.proportions, MAX_TOPICS_OF_DOCUMENT, is_typical),
        "n_typical": n_typical,
        "typical": pack(typical.ravel()),
    }


def _excerpts(
    texts: list[str] | None, is_typical: np.ndarray, max_length: int
) -> list[str] | None:
    """Return the beginnings of texts, in which white space is one space."""
    if texts is None:
        return None
    short = max(max_length // SHORT_TEXT, 1)
    return [
        shorten(text, max_length if long else short)
        for text, long in zip(texts, is_typical, strict=True)
    ]


def _groups(groups: Groups, model: ShownModel) -> dict[str, Any]:
    # The proportion of each topic in the tokens of each group; 0 without tokens.
    tokens = np.zeros((len(groups.names), len(model.components)))
    np.add.at(tokens, groups.members, model.lengths[:, np.newaxis] * model.proportions)
    sums = tokens.sum(axis=1, keepdims=True)
    shares = tokens / np.where(sums > 0, sums, 1)
    return {
        "names": groups.names,
        "places": None if groups.places is None else groups.places.tolist(),
        "are_dates": groups.are_dates,
        "sizes": pack(groups.sizes()),
        "members": pack(groups.members),
        "shares": pack(shares.astype(np.float32).ravel()),
    }


def class_weights(estimator: Any, n_topics: int) -> dict[str, Any] | None:
    """Return the weight of each topic for each class, or None without classes.

    Two classes share one task: "other" is the first and "names" the second. With
    one-vs-rest, the weight of a topic is None except for the task that it belongs to.
    """
    if not hasattr(estimator, "classes_") or not hasattr(estimator, "coef_"):
        return None
    coef = np.asarray(estimator.coef_, dtype=np.float64)
    n_models = count_models(estimator)
    if coef.ndim != 2 or coef.shape[1] * n_models != n_topics:
        return None
    names = [str(name) for name in estimator.classes_]
    other = None
    if len(names) == 2 and len(coef) == 1:
        other, names = names[0], names[1:]
    if len(names) != len(coef):
        return None
    weights: list[list[float | None]] = [[None] * len(coef) for _ in range(n_topics)]
    for task, row in enumerate(coef):
        first = task * len(row) if n_models > 1 else 0
        for k, weight in enumerate(row, start=first):
            weights[k][task] = float(f"{weight:.4g}")
    return {"names": names, "other": other, "weights": weights}


def pack(values: np.ndarray) -> dict[str, str]:
    """Return an array as base64 of little-endian numbers, and their type.

    Non-negative whole numbers below 2 ** 32 take the smallest type that holds them, all
    others float32.
    """
    low, high = values.min(initial=0), values.max(initial=0)
    kind = np.dtype(np.float32)
    if low >= 0 and high < 2**32 and not (values % 1).any():
        kind = np.min_scalar_type(int(high))
    data = values.astype(kind.newbyteorder("<")).tobytes()
    return {"type": kind.name, "base64": base64.b64encode(data).decode("ascii")}


def _pack_rows(
    proportions: np.ndarray, n_largest: int, needed: np.ndarray
) -> dict[str, dict[str, str]]:
    """Pack the largest topics of each row, from `MIN_PROPORTION`, and those needed."""
    largest = np.zeros(proportions.shape, dtype=bool)
    columns = top_indices(proportions, min(n_largest, proportions.shape[1]))
    np.put_along_axis(largest, columns, True, axis=1)
    kept = (largest & (proportions >= MIN_PROPORTION)) | needed
    rows, columns = np.nonzero(kept)
    quantised = np.rint(FULL * proportions[rows, columns].clip(0, 1)).astype(np.uint8)
    return {
        "n_topics": pack(kept.sum(axis=1)),
        "topics": pack(columns),
        "parts": pack(quantised),
    }
