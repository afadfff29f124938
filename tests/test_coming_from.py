"""The tables for users of other libraries: our side names what exists."""

import ast
import inspect
import re
from functools import cache
from pathlib import Path
from pydoc import locate

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import OneHotEncoder

from sklda import CVBLDA, DMRLDA, CollapsedGibbsLDA
from sklda.datasets import make_lda_corpus
from tests.helpers.public_names import parameters, public_callables, public_modules

PAGE = Path(__file__).resolve().parents[1] / "doc" / "coming_from.rst"
ROW = re.compile(r"^   \* - (.*(?:\n {7}.*)*)\n     -(.*(?:\n {7}.*)*)", re.MULTILINE)
LITERAL, ROLE = re.compile(r"``([^`]+)``"), re.compile(r":\w+:`~?(sklda[\w.]*)`")
VALUES = {"X", "K", "D", "k", "a", "b", "array", "column", "meta", "classes", "dates"}
VALUES |= {"feature_names", "topic", "words", "prior", "weight", "axis", "alpha_sum"}
OUTSIDE = {"pickle", "joblib", "skops", "np", "set_word_prior", "tf-idf"}


def tables() -> dict[str, list[tuple[str, str]]]:
    """Return pairs of cells, theirs and ours, by the heading above their table."""
    parts = re.split(r"^(.+)\n-{3,}\n", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    sections = zip(parts[1::2], parts[2::2], strict=True)
    return {name: ROW.findall(text)[1:] for name, text in sections}


def names_in(literal: str) -> set[str]:
    """Return the names of parameters, functions and attributes in a piece of code."""
    try:
        tree = ast.parse(f"f({literal})")
    except SyntaxError:
        return set()  # options of a command, code of R
    found = {node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword)}
    found |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    found |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return {name for name in found - {"f"} if name is not None}


@cache
def names_of_sklda() -> set[str]:
    X, _, _ = make_lda_corpus(20, random_state=0)
    known = {name for module in public_modules() for name in module.__all__}
    for _, member in public_callables():
        known |= {parameter.name for parameter in parameters(member)}
        known.add(member.__name__)
    for fitted in (
        CollapsedGibbsLDA(2, max_iter=2, keep_draws=1, thin=1).fit(X),
        DMRLDA(2, max_iter=2, thin=1).fit(X, covariates=np.arange(20)),
        CVBLDA(2, max_iter=2, tol=0).fit(X),
    ):
        known |= {*dir(fitted)}
    for steps in (CountVectorizer, OneHotEncoder):
        known |= {steps.__name__, *inspect.signature(steps).parameters}
    return known | {*dir(np.ndarray)}


@pytest.mark.parametrize("library", tables())
def test_our_side_names_what_exists(library):
    rows = tables()[library]
    assert len(rows) > 3
    code = [text for _, ours in rows for text in LITERAL.findall(ours)]
    unknown = {name for text in code for name in names_in(text)} - names_of_sklda()
    assert unknown <= VALUES | OUTSIDE
    roles = [path for _, ours in rows for path in ROLE.findall(ours)]
    assert [path for path in roles if locate(path) is None] == []


def test_names_that_do_not_exist_are_found():
    assert names_in("CountVectorizer(min_df=..., max_df=...)") == {
        "CountVectorizer",
        "min_df",
        "max_df",
    }
    assert {"iterations", "doc_topics_"} & names_of_sklda() == set()


@pytest.mark.slow
def test_both_sides_of_scikit_learn_find_the_same_topics():
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(60, 0.05), 5)
    X = rng.multinomial(100, rng.dirichlet(np.full(5, 0.2), 300) @ topics)
    priors = {"doc_topic_prior": 0.2, "topic_word_prior": 0.05, "random_state": 0}
    theirs = LatentDirichletAllocation(5, max_iter=60, **priors).fit(X)
    words = theirs.components_ / theirs.components_.sum(axis=1, keepdims=True)
    ours = CVBLDA(5, learn_priors=None, **priors).fit(X)
    likeness = np.sqrt(words) @ np.sqrt(ours.topic_word_).T
    rows, columns = linear_sum_assignment(-likeness)
    assert (likeness[rows, columns] > 0.95).all(), likeness[rows, columns].round(2)
    # What documents are about: perfectly correlated if both sides mean the same.
    shares = zip(theirs.transform(X).T[rows], ours.doc_topic_.T[columns], strict=True)
    correlations = np.array([np.corrcoef(a, b)[0, 1] for a, b in shares])
    assert (correlations > 0.95).all(), correlations.round(2)
