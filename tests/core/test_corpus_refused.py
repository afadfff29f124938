"""Bad input gets an error that names the way out, and leaves nothing behind."""

import re
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer

from sklda import ECGSLDA, CollapsedGibbsLDA
from sklda.datasets import make_lda_corpus

X = make_lda_corpus(12, 7, 3, document_length=20, random_state=0)[0]
METHODS = ["transform", "score", "perplexity"]
LIMIT = 2**31 - 1


def make(**params):
    return CollapsedGibbsLDA(
        **{"n_components": 3, "max_iter": 4, "random_state": 0, **params}
    )


def refuse(match, X, **params):
    """Assert that fit raises ValueError with all these words, and sets nothing."""
    estimator = make(**params)
    with pytest.raises(ValueError, match=r"(?s)" + ".*".join(map(re.escape, match))):
        estimator.fit(X)
    assert vars(estimator) == vars(make(**params))


def cells(values, dtype, word=(), n_words=2):
    """Make a matrix of one document with these cells, duplicates and all."""
    data = np.asarray(values, dtype)
    word = np.asarray(word if len(word) else np.zeros(data.size), np.int32)
    return sparse.csr_array((data, word, [0, data.size]), shape=(1, n_words))


FORMS = {
    "dense": lambda X: X,
    "csr": sparse.csr_array,
    "csc": sparse.csc_matrix,
    "coordinates": sparse.coo_array,
}
form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


# Values


@form
@pytest.mark.parametrize("scale", [0.5, 1.25, 1e-3])
def test_fractions(form, scale):
    words = ["whole numbers", "tf-idf", "CountVectorizer", "CVBLDA", "real weights"]
    refuse(words, form(X.toarray() * scale))


def test_the_message_shows_a_fraction():
    refuse(["fractions such as 2.5"], [[1.0, 3.0], [2.5, 0.0]])


def test_fractional_duplicates_that_add_up_to_one():
    refuse(["fractions such as 0.5"], cells([0.5, 0.5], np.float64))


@form
@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.float32])
def test_negative_values(form, dtype):
    counts = X.toarray().astype(dtype)
    counts[2, 3] = -1
    refuse(["Negative values", "number of times", "CountVectorizer"], form(counts))


def test_negative_duplicates_that_add_up_to_a_count():
    refuse(["Negative values"], cells([-1, 3], np.int64))


@form
@pytest.mark.parametrize(
    ("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")]
)
def test_not_a_number_and_infinity(form, value, word):
    counts = X.toarray().astype(np.float64)
    counts[4, 5] = value
    refuse([word], form(counts))


@pytest.mark.parametrize(
    ("X", "word"),
    [
        (np.array([["two", "words"]]), "numeric"),
        (X.toarray()[0], "2D array"),
        (X.toarray()[0].tolist(), "2D array"),
        ([], "2D array"),
        (X.toarray() + 0j, "Complex"),
        ([np.array([1, None], object)], "NaN"),
        (np.empty((0, 4)), "0 sample"),
        (np.empty((4, 0)), "0 feature"),
    ],
    ids="strings 1d list [] complex objects no-documents no-words".split(),
)
def test_what_is_no_matrix_of_numbers(X, word):
    refuse([word], X)


TEXTS = ["", "all the words of a document", "and those of another"]
WORDS = [text.split() for text in TEXTS]
COUNTER = ["matrix of counts", "CountVectorizer"]


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (TEXTS, [*COUNTER, "fit_transform(texts)"]),
        (tuple(TEXTS), COUNTER),
        (np.array(TEXTS), COUNTER),
        (np.array(TEXTS, object), COUNTER),
        (TEXTS[1], COUNTER),
        (WORDS, [*COUNTER, "analyzer=list"]),
        ([[], [(0, 1), (3, 2)], [(1, 1)]], ["lists of pairs", "corpus2csc(X).T"]),
        ([X[[0]], X[[1]]], ["sparse rows", "scipy.sparse.vstack(X)"]),
        (np.array([X[[0]], X[[1]], None])[:2], ["sparse rows", "vstack"]),
    ],
    ids=["list", "tuple", "array", "objects", "one", "words", "pairs", "rows", "row"],
)
def test_what_has_not_been_counted(X, words):
    refuse(words, X)


@pytest.mark.parametrize("number", [3, np.array(3), None])
def test_lists_of_numbers_are_no_matrix(number):
    with pytest.raises((TypeError, ValueError), match=r"2D array|NoneType"):
        make().fit([number])


def test_a_column_of_texts_has_not_been_counted():
    pandas = pytest.importorskip("pandas")
    refuse(COUNTER, pandas.Series(TEXTS, index=[3, 5, 8]))


def test_way_out_for_lists_of_words():
    counts = CountVectorizer(analyzer=list).fit_transform(WORDS)
    assert make().fit(counts).n_features_in_ == 9


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (X * 0.5, "CountVectorizer.*CVBLDA"),
        (-X, "Negative values"),
        (X * np.nan, "NaN"),
        (X * np.inf, "infinity"),
        (X * 2**31, "limit of 2,147,483,647"),
    ],
    ids=["fractions", "negative", "NaN", "infinity", "too many"],
)
def test_values_after_fit(method, bad, words):
    with pytest.raises(ValueError, match=words):
        getattr(make().fit(X), method)(bad)


@pytest.mark.parametrize("method", ["fit", *METHODS])
@pytest.mark.parametrize(
    ("word", "doc_ptr"),
    [([0, 9], [0, 2]), ([0, -1], [0, 2]), ([0, 1], [0, 2, 1, 2])],
    ids=["beyond the last word", "before the first", "documents overlap"],
)
def test_cells_outside_the_matrix(word, doc_ptr, method):
    # SciPy builds these; a kernel would write where they point.
    arrays = (np.ones(2, int), np.array(word, np.int32), np.array(doc_ptr, np.int32))
    broken = sparse.csr_array(arrays, shape=(len(doc_ptr) - 1, 7))
    with pytest.raises(ValueError, match=r"must be (<|>=|a non)|non-decreasing"):
        getattr(make().fit(X), method)(broken)


# Sizes


def too_many(X):
    """Assert the refusal, and that it comes before memory is asked for."""
    tracemalloc.start()
    try:
        refuse(["above the limit of 2,147,483,647", "sample of the documents"], X)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # 2**31 tokens ask for 4 GB; what is imported on the way, for a few MB at most.
    assert peak < 2**26


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.float64, np.uint32])
def test_more_tokens_than_are_counted(dtype):
    too_many(np.array([[LIMIT, 1]], dtype))
    too_many(sparse.csr_array(np.array([[LIMIT], [1]], dtype)))


def test_one_count_beyond_its_type():
    # Cast to int32, 2**32 + 1 would be a 1 and pass.
    too_many(np.array([[2**32 + 1, 0]]))
    too_many(cells([2**32 + 1], np.int64))
    too_many(np.array([[1e300, 0]]))


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([2**62] * 4, np.int64),
        ([2**62] * 2, np.int64),
        ([2**63] * 2, np.uint64),
        ([2**64 - 1], np.uint64),
        ([2**64 - 1, 0], np.uint64),
        ([2**64 - 1, 2], np.uint64),
    ],
)
def test_sums_that_wrap_round_in_64_bits(values, dtype):
    # 4 * 2**62 and 2**64 - 1 + 2 are 0 and 1 there; 2 * 2**62 is negative.
    too_many(cells(values, dtype))


def test_more_words_than_are_numbered():
    wide = sparse.csr_array(([1], ([0], [5])), shape=(1, 2**31))
    refuse(["2,147,483,648 words", "limit of 2,147,483,647", "vocabulary"], wide)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n_words", [6, 8])
def test_wrong_number_of_words(method, n_words):
    other = np.ones((3, n_words), int)
    for X_other in (other, sparse.csr_array(other)):
        with pytest.raises(ValueError, match=f"{n_words} features.*expecting 7"):
            getattr(make().fit(X), method)(X_other)


# Order


@pytest.mark.parametrize("method", METHODS)
def test_not_fitted(method):
    with pytest.raises(NotFittedError, match="not fitted"):
        getattr(make(), method)(X)


def test_attributes_before_fit():
    estimator = make()
    with pytest.raises(NotFittedError, match="not fitted"):
        estimator.topic_word_  # noqa: B018
    with pytest.raises(NotFittedError, match="not fitted"):
        estimator.get_feature_names_out()
    assert not hasattr(estimator, "topic_word_")
    assert not hasattr(estimator, "components_")


# Parameters


@pytest.mark.parametrize("prior", [0.0, -1, "auto", 1j])
def test_priors_that_are_no_positive_number(prior):
    for name in ("doc_topic_prior", "topic_word_prior"):
        refuse([name, "[1e-10, 10000000000.0]"], X, **{name: prior})


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        ([0.1, 0.2], ["shape (2,)", "shape (3,)", "n_components=3"]),
        ([0.1] * 4, ["shape (4,)", "shape (3,)"]),
        ([], ["shape (0,)", "shape (3,)"]),
        ([[0.1, 0.2, 0.3]], ["shape (1, 3)", "shape (3,)"]),
        ([0.1, 0.0, 0.3], ["from 1e-10 to 1e+10", "got 0.0", "n_components"]),
        ([0.1, -2.0, 0.3], ["from 1e-10 to 1e+10", "got -2.0"]),
        ([0.1, np.nan, 0.3], ["from 1e-10 to 1e+10", "got nan"]),
        ([0.1, np.inf, 0.3], ["from 1e-10 to 1e+10", "got inf"]),
        (["a", "b", "c"], ["must hold numbers", "'a'"]),
        ({"a": 1}, ["must hold numbers"]),
    ],
)
def test_document_priors_per_topic(prior, words):
    # No == between arrays: compare the estimators without the parameter.
    estimator = make(doc_topic_prior=prior)
    match = "doc_topic_prior.*" + ".*".join(map(re.escape, words))
    with pytest.raises(ValueError, match=match):
        estimator.fit(X)
    assert set(vars(estimator)) == set(vars(make()))


def test_a_word_prior_per_word_is_refused():
    refuse(["topic_word_prior", "float"], X, topic_word_prior=[0.1] * 7)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"n_components": 0}, ["n_components", "[1, 65535]", "Got 0"]),
        ({"n_components": -3}, ["n_components", "[1, 65535]"]),
        ({"n_components": 2.5}, ["n_components", "int"]),
        ({"n_components": 65_536}, ["n_components", "[1, 65535]"]),
        ({"max_iter": 0}, ["max_iter", "[1, inf)"]),
        ({"thin": 0}, ["thin", "[1, inf)"]),
        ({"burn_in": -1}, ["burn_in", "[0, inf)"]),
        ({"burn_in": 4}, ["burn_in=4", "smaller than max_iter=4", "half"]),
        ({"burn_in": 9}, ["burn_in=9", "smaller than max_iter=4"]),
        ({"evaluate_every": -1}, ["evaluate_every", "[0, inf)"]),
        ({"learn_priors": "both"}, ["learn_priors", "symmetric"]),
        ({"blocking": "sideways"}, ["blocking", "nested"]),
        ({"n_shards": 0}, ["n_shards", "[1, inf)"]),
        ({"random_state": "now"}, ["random_state"]),
    ],
    ids=str,
)
def test_parameters_out_of_range(params, words):
    refuse(words, X, **params)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"strategy": "none"}, ["strategy", "dynamic"]),
        ({"strategy": None}, ["strategy", "shortcut"]),
        ({"damping": 0}, ["damping", "[1, 1000000000]", "Got 0"]),
        ({"damping": 1.5}, ["damping", "int"]),
        ({"damping": np.inf}, ["damping", "int"]),
        ({"damping": 10**9 + 1}, ["damping", "[1, 1000000000]"]),
        ({"n_components": 65_536}, ["n_components", "[1, 65535]"]),
        ({"n_shards": 0}, ["n_shards", "[1, inf)"]),
        ({"n_shards": 1.5}, ["n_shards", "int"]),
    ],
    ids=str,
)
def test_parameters_of_ecgs_out_of_range(params, words):
    match = r"(?s)" + ".*".join(map(re.escape, words))
    estimator = ECGSLDA(**params)
    with pytest.raises(ValueError, match=match):
        estimator.fit(X)
    assert vars(estimator) == vars(ECGSLDA(**params))


# A fit that is refused


def test_a_fitted_estimator_stays_as_it_was():
    estimator = make().fit(X)
    before = dict(vars(estimator))
    for bad in (X * 0.5, np.ones((3, 9)) * 0.5, np.full((2, 9), 2**31)):
        with pytest.raises(ValueError, match=r"whole numbers|limit"):
            estimator.fit(bad)
        assert vars(estimator).keys() == before.keys()
        assert all(vars(estimator)[name] is before[name] for name in before)
    assert estimator.transform(X).shape == (12, 3)


def test_names_of_words_survive_a_refused_fit():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X.toarray(), columns=list("abcdefg"))
    estimator = make().fit(frame)
    with pytest.raises(ValueError, match="whole numbers"):
        estimator.fit(frame.rename(columns=str.upper) * 0.5)
    assert "".join(estimator.feature_names_in_) == "abcdefg"
    with pytest.raises(ValueError, match="whole numbers"):
        estimator.fit(X * 0.5)
    assert "".join(estimator.feature_names_in_) == "abcdefg"
