"""The tables for users of other libraries: their names exist, and both sides agree."""

import ast
import inspect
import re
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from pydoc import locate

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from sklearn import decomposition, preprocessing
from sklearn.feature_extraction.text import CountVectorizer

from sklda import CVBLDA, DMRLDA, CollapsedGibbsLDA
from sklda.datasets import make_bars
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
    X, _, _ = make_bars(20, random_state=0)
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
    for steps in (CountVectorizer, preprocessing.OneHotEncoder):
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


THEIRS = {
    "scikit-learn": ["sklearn.decomposition.LatentDirichletAllocation"],
    "gensim": ["gensim.models.LdaModel", "gensim.models.CoherenceModel"],
    "tomotopy": ["tomotopy.LDAModel", "tomotopy.utils.Document", "tomotopy.TermWeight"],
    "BERTopic": ["bertopic.BERTopic"],
    "lda": ["lda.LDA"],
    "topica": ["topica.LDA", "topica.SeededLDA", "topica"],
}
BESIDE = {  # placeholders, and names of other packages
    "scikit-learn": {"n_top_words", "vocabulary", "CountVectorizer"},
    "gensim": {"array", "D", "LdaMulticore", "lda", "workers"},
    "tomotopy": {"doc"},
    "lda": {"vocab"},
}


def names_of(path: str) -> set[str]:
    """Return the names of an object, and those in its source if it is Python."""
    module, _, name = path.rpartition(".")
    target = getattr(import_module(module), name) if module else import_module(path)
    known = {name, *dir(target)}
    if inspect.isclass(target):
        with suppress(OSError, TypeError):  # compiled
            known |= {*re.findall(r"\w+", inspect.getsource(target))}
    for member in (target, *(getattr(target, name) for name in dir(target))):
        if callable(member):
            with suppress(TypeError, ValueError):  # compiled
                known |= {*inspect.signature(member).parameters}
    return known


@pytest.mark.parametrize("library", THEIRS)
def test_their_side_names_what_exists(library):
    pytest.importorskip(THEIRS[library][0].partition(".")[0])
    known = set().union(*map(names_of, THEIRS[library])) | BESIDE.get(library, set())
    code = [text for cell, _ in tables()[library] for text in LITERAL.findall(cell)]
    assert {name for text in code for name in names_in(text)} - known == set()


# --- both sides on one corpus -----------------------------------------------------

K, ALPHA, BETA = 5, 0.2, 0.05
RNG = np.random.default_rng(0)
PHI = RNG.dirichlet(np.full(60, BETA), K)
X = csr_array(RNG.multinomial(100, RNG.dirichlet(np.full(K, ALPHA), 300) @ PHI))


def of_sklearn():
    lda = decomposition.LatentDirichletAllocation(
        K, doc_topic_prior=ALPHA, topic_word_prior=BETA, max_iter=60, random_state=0
    ).fit(X)
    words = lda.components_ / lda.components_.sum(axis=1, keepdims=True)
    return words, lda.transform(X)


def of_gensim():
    gensim = pytest.importorskip("gensim")
    corpus = gensim.matutils.Sparse2Corpus(X, documents_columns=False)
    lda = gensim.models.LdaModel(
        corpus, num_topics=K, alpha=[ALPHA] * K, eta=BETA, passes=30, random_state=0
    )
    pairs = [lda.get_document_topics(doc, minimum_probability=0) for doc in corpus]
    return lda.get_topics(), np.array([[share for _, share in doc] for doc in pairs])


def of_tomotopy():
    tomotopy = pytest.importorskip("tomotopy")
    lda = tomotopy.LDAModel(k=K, alpha=ALPHA, eta=BETA, seed=0)
    lda.optim_interval = 0
    for row in X.toarray():
        lda.add_doc(np.repeat(np.arange(row.size), row).astype(str).tolist())
    lda.train(iterations=300, workers=1)
    words = np.zeros((K, X.shape[1]))
    columns = [int(word) for word in lda.used_vocabs]
    words[:, columns] = [lda.get_topic_word_dist(k) for k in range(K)]
    return words, np.array([doc.get_topic_dist() for doc in lda.docs])


def ours(**options):
    return {
        "doc_topic_prior": ALPHA,
        "topic_word_prior": BETA,
        "random_state": 0,
    } | options


SIDES = {
    "scikit-learn": (of_sklearn, CVBLDA(K, **ours(learn_priors=None))),
    "gensim": (of_gensim, CVBLDA(K, **ours(learn_priors=None))),
    "tomotopy": (of_tomotopy, CollapsedGibbsLDA(K, **ours(learn_priors=None))),
}


@pytest.mark.slow
@pytest.mark.parametrize("library", SIDES)
def test_both_sides_find_the_same_topics(library):
    theirs, lda = SIDES[library]
    words, shares = theirs()
    lda.fit(X)
    likeness = np.sqrt(words) @ np.sqrt(lda.topic_word_).T
    rows, columns = linear_sum_assignment(-likeness)
    assert (likeness[rows, columns] > 0.95).all(), likeness[rows, columns].round(2)
    # What documents are about: perfectly correlated if both sides mean the same.
    pairs = zip(shares[:, rows].T, lda.doc_topic_[:, columns].T, strict=True)
    correlations = np.array([np.corrcoef(a, b)[0, 1] for a, b in pairs])
    assert (correlations > 0.95).all(), correlations.round(2)
