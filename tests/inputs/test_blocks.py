"""X in blocks, in a folder or memory-mapped: the model of the whole matrix."""

import pickle
import tracemalloc
from mmap import mmap

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from sklda import CVBLDA, DMRLDA, CollapsedGibbsLDA, MedLDAClassifier, MedLDARegressor
from sklda._data import corpus
from sklda._data.corpus import check_corpus, check_weights
from sklda._engine.estimator import take_up
from sklda.diagnostics import sample_chains
from sklda.metrics import document_completion_score, left_to_right_log_likelihood
from tests.helpers.comparison import assert_same_fit
from tests.helpers.forms import duplicates
from tests.helpers.processes import no_file_beyond
from tests.helpers.ways_to_fit import InLists

DOCUMENTS, WORDS = 60, 30


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.4, (DOCUMENTS, WORDS))
    counts[[0, 21, 59]] = 0  # empty documents, also at the ends
    return sparse.csr_array(counts)


def cut(X, n=7):
    return [X[first : first + n] for first in range(0, X.shape[0], n)]


def in_folder(X, folder):
    for i, block in enumerate(cut(X)):
        sparse.save_npz(folder / f"block-{i:03}.npz", block)
    return folder


def memory_mapped(X, folder):
    arrays = {"data": X.data, "indices": X.indices, "indptr": X.indptr}
    for name, array in arrays.items():
        np.save(folder / name, array)
    mapped = [np.load(folder / f"{name}.npy", mmap_mode="r") for name in arrays]
    return sparse.csr_array(tuple(mapped), shape=X.shape)


FORMS = {
    "list": lambda X, folder: cut(X),
    "generator": lambda X, folder: iter(cut(X)),
    "dense": lambda X, folder: (block.toarray() for block in cut(X)),
    "duplicates": lambda X, folder: (duplicates(block.toarray()) for block in cut(X)),
    "empty blocks": lambda X, folder: [X[:0], X[:30], X[30:30].toarray(), X[30:]],
    "folder": in_folder,
    "name of folder": lambda X, folder: str(in_folder(X, folder)),
    "memory-mapped": memory_mapped,
}


@pytest.fixture(autouse=True)
def read_in_blocks(monkeypatch):
    monkeypatch.setattr(corpus, "LARGE", 10)
    monkeypatch.setattr(corpus, "BLOCK_CELLS", 50)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_any_form_of_x_is_the_same_corpus(form, X, tmp_path):
    model = CollapsedGibbsLDA()
    found = check_corpus(model, form(X, tmp_path), reset=True)
    assert model.n_features_in_ == WORDS
    assert isinstance(found.word.base.obj, mmap)
    weights = check_weights(model, form(X, tmp_path), reset=False, whole=True)
    np.testing.assert_array_equal(found.doc_ptr, X.indptr)
    np.testing.assert_array_equal(found.word, X.indices)
    np.testing.assert_array_equal(np.diff(found.token_ptr), X.data)
    expected = found.doc_ptr, found.word, np.diff(found.token_ptr)
    for array, same in zip(weights, expected, strict=True):
        np.testing.assert_array_equal(array, same)


@pytest.fixture(scope="module")
def fitted(X):
    y, known = np.arange(DOCUMENTS) % 2, {"max_iter": 4, "random_state": 0}
    return {
        "LDA": CollapsedGibbsLDA(3, **known).fit(X),
        "weights": CVBLDA(3, tol=0, **known).fit(X),
        "covariates": DMRLDA(3, **known).fit(X, covariates=y),
        "classes": MedLDAClassifier(3, **known).fit(X, y),
        "numbers": MedLDARegressor(3, **known).fit(X, y),
    }


def results(models, form):
    """Yield what the methods and functions return that read X under fitted topics."""
    y = np.arange(DOCUMENTS) % 2
    for name, model in models.items():
        yield model.transform(form())
        if name in ("LDA", "weights", "covariates"):
            yield model.score(form())
            yield model.perplexity(form())
            yield document_completion_score(model, form())
    yield models["covariates"].transform(form(), covariates=y)
    yield models["covariates"].score(form(), covariates=y)
    for name in ("classes", "numbers"):
        yield models[name].predict(form())
        yield models[name].score(form(), y)
    yield models["classes"].decision_function(form())
    yield left_to_right_log_likelihood(models["LDA"], form(), random_state=0)
    yield clone(models["weights"]).partial_fit(form()).components_
    yield clone(models["weights"]).fit(form()).components_


def test_fitted_models_read_blocks(fitted, X):
    found = results(fitted, lambda: iter(cut(X)))
    for result, expected in zip(found, results(fitted, lambda: X), strict=True):
        np.testing.assert_array_equal(result, expected)


def test_what_reads_x_twice_refuses_generators(X, fitted, tmp_path):
    y = np.arange(DOCUMENTS) % 2
    for model in fitted.values():
        fresh = clone(model)
        with pytest.raises(
            ValueError, match=r"X is a list_iterator.*read only once.*list of"
        ):
            fresh.fit_transform(iter(cut(X)), y)
        assert not hasattr(fresh, "components_")
    model = clone(fitted["LDA"])
    expected = model.fit(X).transform(X)
    for same in (cut(X), in_folder(X, tmp_path)):
        np.testing.assert_array_equal(model.fit_transform(same), expected)
    pytest.importorskip("arviz_stats")
    for options in ({"X": iter(cut(X))}, {"X": X, "X_test": iter(cut(X))}):
        with pytest.raises(ValueError, match=r"_iterator.*sample_chains reads"):
            sample_chains(CollapsedGibbsLDA(3), **options)


def test_a_large_matrix_is_not_copied_into_memory(monkeypatch):
    X = sparse.random(20_000, 500, density=0.2, random_state=0)
    X = sparse.csr_array(X > 0, dtype=np.int32)
    monkeypatch.setattr(corpus, "BLOCK_CELLS", 2**14)
    tracemalloc.start()
    cells = check_corpus(CollapsedGibbsLDA(), X, reset=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert cells.word.size == X.nnz
    assert peak < X.nnz  # bytes; the arrays of the corpus have 12 per cell


# --- chains that go on -----------------------------------------------------------

WARM = {"max_iter": 4, "init": "random", "warm_start": True, "random_state": 0}
FIXED = WARM | {"learn_priors": None}
CHAINS = {
    "lists in shards": InLists(3, n_shards=2, **FIXED),
    "medlda": MedLDAClassifier(3, **WARM),
    "medlda in shards": MedLDAClassifier(3, sampler="gibbs", n_shards=2, **WARM),
}


def assert_in_files(chain):
    for array in (chain.problem.corpus.word, chain.problem.corpus.token_ptr):
        assert isinstance(array.base.obj, mmap)


@pytest.mark.parametrize("name", CHAINS)
def test_chains_that_go_on_read_the_same_files(name, X):
    y = np.arange(DOCUMENTS) % 3
    model = clone(CHAINS[name]).fit(cut(X), y)
    chain, copy = model._stored.chain, take_up(model)
    assert_in_files(chain)
    for array, same in zip(chain.problem.corpus, copy.problem.corpus, strict=True):
        assert array is same
    assert not np.shares_memory(chain.z, copy.z)
    longer = clone(CHAINS[name]).set_params(max_iter=8, burn_in=6).fit(X, y)
    stored = pickle.loads(pickle.dumps(model))
    for goes_on in (model, stored):
        assert_same_fit(goes_on.set_params(burn_in=2).fit(cut(X), y), longer)


# --- refusals --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda X: [X, X[:, 1:]],
            "Block 1 of X: X has 29 .*expecting 30.*the same words.*vectorizer of fit",
        ),
        (lambda X: iter([]), "no documents.*generator can be read only once"),
        (lambda X: iter([X, "a text"]), "Block 1 of X.*texts.*CountVectorizer"),
        (lambda X: iter([X, X.toarray()[0]]), "Block 1 of X.*Expected 2D array"),
        (lambda X: [X.toarray(), -X], "Block 1 of X: Negative values"),
        (lambda X: iter([X, X * 0.5]), "Block 1 of X: .*fractions"),
        (lambda X: "no/such/folder", "'no/such/folder', which is not a folder"),
        (lambda X: "word " * 1000, r"^X is '(word ){40}', which is not a folder"),
    ],
)
def test_wrong_blocks_are_refused(make, message, X):
    model = CollapsedGibbsLDA(3, max_iter=2)
    with pytest.raises(ValueError, match=message):
        model.fit(make(X))
    assert not hasattr(model, "components_")


def test_blocks_of_other_words_are_named(X):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X.toarray()).rename(columns="w{}".format)
    other = frame.rename(columns={"w3": "v"})
    model = CollapsedGibbsLDA(3, max_iter=2)
    assert len(model.fit([frame, frame]).feature_names_in_) == WORDS
    for call in (model.fit, model.transform):
        with pytest.raises(
            ValueError, match=r"(?s)Block 1 of X: .*unseen.*v.*missing.*w3"
        ):
            call([frame, other])


def test_other_files_are_passed_over(X, tmp_path):
    in_folder(X, tmp_path)
    for name in (".DS_Store", "._block-000.npz", "Thumbs.db", "readme.txt"):
        (tmp_path / name).write_bytes(b"\0\0\0\1Bud1")
    model = CollapsedGibbsLDA(3, max_iter=2, random_state=0).fit(tmp_path)
    assert_same_fit(model, clone(model).fit(X))
    np.savez(tmp_path / "dense.npz", X=X.toarray())
    with pytest.raises(ValueError, match=r"'dense.npz', which .*cannot read"):
        CollapsedGibbsLDA(3).fit(tmp_path)


@pytest.mark.parametrize(
    ("first", "last", "n_bytes"), [(20, 30, 500), (20, 21, 8), (58, 60, 0)]
)
def test_a_disk_that_is_full_for_a_while_is_noticed(first, last, n_bytes, X):
    # Each block is smaller than the buffers of the system, so errors could come late.
    def in_rows():
        rows = cut(X, 1)
        yield from rows[:first]
        with no_file_beyond(n_bytes):
            yield from rows[first:last]
        yield from rows[last:]

    rows = in_rows()
    with pytest.raises(OSError, match=r"12 bytes per .*do not fit in '.*TMPDIR"):
        check_corpus(CollapsedGibbsLDA(), rows, reset=True)
    rows.close()
