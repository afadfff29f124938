"""Large corpora that are drawn block by block, and their files."""

import mmap

import numpy as np
import pytest
from scipy import stats

from benchmarks import large, mapped
from benchmarks.large import LargeCorpus, Style
from sklda._fitted.fitted_topics import axis_sums

N_FORMS = 5  # of each of the 25 words of `counts`


@pytest.fixture
def real(counts):
    """Return a small corpus as if it were real, and topics of its tokens."""
    n_tokens = int(counts.sum())
    z = np.random.default_rng(0).choice(3, n_tokens, p=[0.6, 0.3, 0.1])
    return counts, z.astype(np.uint16)


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(large, "BLOCK", 5000)


def make(real, n_tokens=12_000, n_words=25 * N_FORMS, **options):
    return LargeCorpus(*real, n_tokens, n_words, **options)


def same(a, b):
    """Return whether two blocks have the same arrays."""
    pairs = [(getattr(a.X, n), getattr(b.X, n)) for n in ("data", "indices", "indptr")]
    return all(np.array_equal(*pair) for pair in [*pairs, (a.z, b.z)])


@pytest.mark.usefixtures("small_blocks")
def test_a_block_depends_on_its_number_and_the_seed_only(real):
    corpus = make(real)
    blocks = list(corpus)
    assert len(blocks) == corpus.n_blocks == 3
    backwards = [make(real).block(i) for i in (2, 1, 0)]
    assert all(map(same, blocks, backwards[::-1]))
    assert all(map(same, blocks[:2], make(real, n_tokens=50_000)))
    assert not same(blocks[0], blocks[1])
    assert not same(blocks[0], make(real, seed=1).block(0))


@pytest.mark.usefixtures("small_blocks")
def test_tokens_words_and_documents_are_as_many_as_asked_for(real):
    corpus = make(real, n_words=73, document_length=50)
    X, z = corpus.whole()
    assert X.shape == corpus.shape == (240, 73)
    assert [block.X.sum() for block in corpus] == [5000, 5000, 2000]
    assert z.size == X.sum()
    assert X.has_canonical_format
    lengths = X.sum(axis=1)
    assert lengths.min() > 0
    assert 0.4 < np.std(np.log(lengths)) < 0.8


def shares_of_forms(topic, word, reordered):
    ranks = np.log(1 + 1 / np.arange(1, N_FORMS + 1)) / np.log(N_FORMS + 1)
    turned = np.roll(ranks, large.shift(topic, word, N_FORMS))
    return (1 - reordered) * ranks + reordered * turned


@pytest.mark.parametrize("reordered", [0.0, 0.25, 1.0])
def test_words_of_a_topic_have_the_planted_distribution(real, reordered):
    counts, topics = real
    words = np.repeat(counts.indices, counts.data)
    style = Style(repeated=0.0, reordered=reordered)
    X, z = make(real, n_tokens=200_000, style=style).whole()
    drawn = np.repeat(X.indices, X.data)
    for k in range(3):
        found = np.bincount(drawn[z == k], minlength=X.shape[1])
        phi = np.bincount(words[topics == k], minlength=25) / (topics == k).sum()
        forms = [phi[w] * shares_of_forms(k, w, reordered) for w in range(25)]
        expected = np.concatenate(forms) * found.sum()
        assert found[expected == 0].sum() == 0
        often = expected > 0
        result = stats.chisquare(found[often], expected[often])
        assert result.pvalue > 1e-3  # nine seeded cases


@pytest.mark.parametrize("concentration", [1.0, 30.0])
def test_topics_of_documents_are_dirichlet_around_real_ones(real, concentration):
    """The variance of a Dirichlet-multinomial, with that of the real documents."""
    counts, topics = real
    length = 100
    style = Style(concentration, repeated=0.5)
    X, z = make(real, 400_000, document_length=length, style=style).whole()
    lengths = axis_sums(X, axis=1)
    document = np.repeat(np.arange(X.shape[0]), lengths)
    theta = np.bincount(document, z == 0, minlength=X.shape[0]) / lengths
    doc = np.repeat(np.arange(40), counts.sum(axis=1))
    planted = np.bincount(doc, topics == 0) / np.bincount(doc)
    # Given the real document: p (1 - p) (c + n) / (n (c + 1)), n tokens.
    inner = (planted * (1 - planted)).mean()
    n = 1 / np.mean(1 / lengths)
    spread = (concentration + n) / (n * (concentration + 1))
    expected = planted.var() + inner * spread
    assert theta.var() == pytest.approx(expected, rel=0.1)
    error = 5 * np.sqrt(expected / X.shape[0])
    assert theta.mean() == pytest.approx(planted.mean(), abs=error)


def test_repeated_words_make_cells_of_several_tokens(real):
    cells = [
        make(real, n_words=10_000, style=Style(repeated=share)).whole().X.nnz
        for share in (0.0, 0.5)
    ]
    assert cells[1] < 0.8 * cells[0]


@pytest.mark.usefixtures("small_blocks")
def test_mapped_files_hold_the_same_matrix_and_are_not_read(real, tmp_path):
    corpus = make(real)
    mapped.write_mapped(corpus, corpus.n_words, tmp_path / "X")
    X = mapped.read_mapped(tmp_path / "X")
    assert X.shape == corpus.shape
    assert same(large.Block(X, mapped.read_topics(tmp_path / "X")), corpus.whole())
    assert X.indptr.dtype == X.indices.dtype == np.int32
    for values in (X.data, X.indices):
        while isinstance(values.base, np.ndarray):
            values = values.base
        assert isinstance(values.base, mmap.mmap)
    with pytest.raises(FileExistsError):
        mapped.write_mapped(corpus, corpus.n_words, tmp_path / "X")
