"""Curves over numbers of topics: by hand, resumed, in parallel, on planted topics."""

import pickle
import re

import numpy as np
import pytest
from sklearn.decomposition import NMF, LatentDirichletAllocation
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline

from sklda import CollapsedGibbsLDA, MedLDAClassifier, metrics
from sklda.datasets import make_lda_corpus
from sklda.model_selection import topic_number_curve
from sklda.model_selection._result import by_score, by_stability

X, _, _ = make_lda_corpus(60, 40, 3, document_length=30, random_state=0)
LDA = CollapsedGibbsLDA(max_iter=6)
CHEAP = {"measures": ["score"], "n_repeats": 1, "cv": 2, "random_state": 0}


class Interrupted(CollapsedGibbsLDA):
    """Counts its fits, and interrupts one of them."""

    n_fits = 0
    last = 10**6

    def fit(self, X, y=None):
        type(self).n_fits += 1
        if type(self).n_fits == type(self).last:
            raise KeyboardInterrupt
        return super().fit(X)


@pytest.fixture
def interrupted():
    Interrupted.n_fits, Interrupted.last = 0, 10**6
    return Interrupted(max_iter=4)


def assert_same(curve, twin):
    for name, values in curve.fits.items():
        if name != "seconds":
            np.testing.assert_array_equal(twin.fits[name], values, err_msg=name)
    assert twin.recommended == curve.recommended


def test_curve_is_its_definition():
    folds = list(KFold(3).split(X))
    kinds = ["score", "npmi", "exclusivity", "diversity", "stability"]
    curve = topic_number_curve(LDA, X, [4, 2], cv=folds, n_repeats=2, random_state=0)
    assert curve.n_components.tolist() == [2, 4]
    assert list(curve.mean) == ["seconds", *kinds]
    assert curve.fits.seconds.min() > 0
    # The seeds are those of the fits, so the same models can be fitted again.
    random = np.random.RandomState(0)
    random.randint(2**31 - 1)
    seeds = random.randint(2**31 - 1, size=2)
    for i, k in enumerate(curve.n_components):
        for j, (train, test) in enumerate(folds):
            models = [
                CollapsedGibbsLDA(k, max_iter=6, random_state=seed).fit(X[train])
                for seed in seeds
            ]
            for r, model in enumerate(models):
                expected = [
                    metrics.document_completion_score(model, X[test]),
                    metrics.topic_coherence(model, X, "npmi").mean(),
                    metrics.topic_exclusivity(model).mean(),
                    metrics.topic_diversity(model, 10),
                ]
                assert [curve.fits[kind][i, j, r] for kind in kinds[:4]] == expected
            assert curve.fits.stability[i, j] == [
                metrics.topic_stability(models).overall
            ]
    for kind in kinds:
        fold_means = curve.fits[kind].mean(axis=2)
        np.testing.assert_allclose(curve.mean[kind], fold_means.mean(axis=1))
        error = fold_means.std(axis=1, ddof=1) / np.sqrt(3)
        np.testing.assert_allclose(curve.standard_error[kind], error)


def test_planted_number_is_found_by_both_rules():
    planted, _, _ = make_lda_corpus(
        300, 200, 5, document_length=80, doc_topic_prior=0.1, random_state=0
    )
    # The start is annealed, so chains of 40 sweeps have hardly settled.
    lda = CollapsedGibbsLDA(max_iter=80)
    curve = topic_number_curve(lda, planted, [2, 5, 12], cv=3, random_state=1)
    assert curve.agreed == 5
    assert {choice.n_components for choice in curve.recommended.values()} == {5}


@pytest.mark.parametrize(
    "model", [NMF(max_iter=400), LatentDirichletAllocation(max_iter=2)]
)
def test_models_of_scikit_learn(model):
    curve = topic_number_curve(model, X, [2, 3], cv=2, random_state=0)
    assert curve.mean.score.max() < 0
    assert np.isfinite(curve.mean.stability).all()


def test_windows_of_texts():
    names = [f"w{w}" for w in range(40)]
    texts = [[names[w] for w in np.repeat(np.arange(40), row)] for row in X.toarray()]
    options = {"measures": ["c_v"], "texts": texts, "feature_names": names}
    curve = topic_number_curve(LDA, X, [2, 3], **CHEAP | options)
    assert 0 < curve.mean.c_v.min() < 1
    assert curve.recommended == {}
    assert curve.agreed is None


# --- the same again ------------------------------------------------------------------


@pytest.mark.slow
def test_processes_do_not_change_the_result():
    curves = [
        topic_number_curve(LDA, X, [2, 3], cv=2, random_state=0, n_jobs=n_jobs)
        for n_jobs in (None, 2)
    ]
    assert_same(*curves)


@pytest.mark.parametrize("last", [1, 4, 8])
def test_interrupted_curve_goes_on_where_it_was(interrupted, last, tmp_path):
    expected = topic_number_curve(interrupted, X, [2, 3], cv=2, random_state=0)
    assert Interrupted.n_fits == 8
    Interrupted.n_fits, Interrupted.last = 0, last
    options = {"cv": 2, "random_state": 0, "memory": tmp_path}
    with pytest.raises(KeyboardInterrupt):
        topic_number_curve(interrupted, X, [2, 3], **options)
    Interrupted.last = 10**6
    curve = topic_number_curve(interrupted, X, [2, 3], **options)
    assert_same(curve, expected)
    assert Interrupted.n_fits == 8 + 1  # the interrupted one again
    # More numbers and more seeds take over what there is, with its seconds.
    wider = topic_number_curve(interrupted, X, [2, 3, 4], n_repeats=3, **options)
    assert Interrupted.n_fits == 9 + 4 + 6
    for name in ("score", "seconds"):
        np.testing.assert_array_equal(wider.fits[name][:2, :, :2], curve.fits[name])
    # Other documents, or other parameters, are other fits.
    topic_number_curve(interrupted, X[:50], [2, 3], **options)
    assert Interrupted.n_fits == 19 + 8
    topic_number_curve(interrupted.set_params(max_iter=5), X, [2, 3], **options)
    assert Interrupted.n_fits == 27 + 8


def test_progress(capsys):
    topic_number_curve(LDA, X, [2, 3], **CHEAP)
    assert capsys.readouterr().out == ""
    curve = topic_number_curve(LDA, X, [2, 3], **CHEAP, verbose=True)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    begin = "[topic_number_curve] fit 3/4, n_components=3, fold 1/2, repeat 1/1, "
    assert lines[2].startswith(f"{begin}score {curve.fits.score[1, 0, 0]:.4f}, ")


def test_prints_as_a_table():
    curve = topic_number_curve(LDA, X, [2, 13], cv=2, random_state=0)
    title, header, *rows = lines = repr(curve).splitlines()
    assert title.endswith("means of 2 folds, each with 2 seeds")
    kinds = ["score", "npmi", "exclusivity", "diversity", "stability", "seconds"]
    assert header.split() == ["n_components", *kinds]
    for i, k in enumerate(curve.n_components):
        first, *values = rows[i].split()
        assert first == str(k)
        means = [f"{curve.mean[name][i]:.4f}" for name in kinds[:-1]]
        assert values == [*means, f"{curve.mean.seconds[i]:.2f}"]
    text = " ".join(map(str.strip, lines))
    for name, choice in curve.recommended.items():
        assert f"by {name}: {choice.n_components}, because {choice.reason}" in text
    assert lines[-1] == f"agreed: {curve.agreed}"
    assert max(map(len, lines)) <= 80
    cheap = topic_number_curve(LDA, X, [2, 3], **CHEAP)
    assert "each with 1 seed\n" in repr(cheap)
    assert "agreed" not in repr(cheap)


def test_is_pickled():
    curve = topic_number_curve(LDA, X, [2, 3], **CHEAP)
    assert repr(pickle.loads(pickle.dumps(curve))) == repr(curve)


# --- recommendations -----------------------------------------------------------------


def values(*means, seeds=2):
    """Return three folds of unlike difficulty, whose differences vary a little."""
    folds = np.array([-1.0, 0, 1])
    noise = np.outer(np.arange(len(means)), [0.1, 0, -0.1])
    return np.repeat((np.array(means)[:, None] + folds + noise)[:, :, None], seeds, 2)


@pytest.mark.parametrize(
    ("means", "chosen", "words"),
    [
        ([-7, -6, -6.5], 4, r"^the held-out score is best, -6.0000$"),
        ([-7, -6.05, -6], 4, r"-6.0500, is within one .*-6.0000 with 8 .*try more"),
        ([-7, -6.5, -6], 8, r"best, -6.0000; that is the largest number, so try more"),
        ([-6, -6.03, -6.2], 2, r"^the held-out score is best, -6.0000$"),
    ],
)
def test_score_rule(means, chosen, words):
    found = by_score([2, 4, 8], values(*means))
    assert found.n_components == chosen
    assert re.search(words, found.reason)


@pytest.mark.parametrize(
    ("means", "chosen", "words"),
    [
        ([0.6, 0.9, 0.4], 4, r"to 0.90 for .* from 0.60 with 2 .* to 0.40 with 8$"),
        ([0.6, 0.7, 0.9], 8, r"to 0.90 for .* from 0.70.* the largest number"),
        ([0.9, 0.8, 0.4], 2, r"only falls, from 0.90.* the smallest number"),
        ([0.6, 0.9, 0.4, 0.7], 4, r"to 0.90 for"),  # empty topics are alike
        ([0.9, 0.4, 0.7, 0.3], 8, r"to 0.70 for"),  # as few topics are
        ([0.6, 0.9, 0.92], 4, r"to 0.90 for"),  # within the error
    ],
)
def test_stability_rule(means, chosen, words):
    numbers = [2, 4, 8, 16][: len(means)]
    found = by_stability(numbers, values(*means, seeds=1))
    assert found.n_components == chosen
    assert re.search(words, found.reason)
    # A single topic is stable by definition: 1 changes nothing.
    found = by_stability([1, *numbers], values(1.0, *means, seeds=1))
    assert found.n_components == chosen
    words = words.replace("smallest number", "smallest number above 1,")
    assert re.search(words, found.reason)


def test_a_single_topic_leaves_one_number_without_a_rival():
    found = by_stability([1, 4], values(1.0, 0.3, seeds=1))
    assert found.n_components == 4
    assert found.reason == "it is the only number above 1, so try more"


# --- refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"param_range": [2, 41]}, r"41 topics, more than the \d+ distinct words in X"),
        ({"param_range": [2, 31]}, r"31 topics, more than the 30 training documents"),
        ({"param_range": [2, 2]}, r"param_range must contain at least two distinct"),
        ({"measures": ["stability"]}, r"n_repeats=1 leaves no other fit to compare"),
        ({"measures": ["c_v"]}, r"texts must be given"),
        ({"texts": ["a"]}, r"texts has no effect without"),
        ({"cv": [(range(50), range(50, 60))]}, r"at least 2 folds.*got 1"),
        ({"memory": "x", "random_state": None}, r"random_state must be an int"),
        ({"estimator": make_pipeline(LDA)}, r"Pipeline.*a different vocabulary.*as X"),
        ({"estimator": Ridge()}, r"parameter n_components, got Ridge"),
        ({"estimator": MedLDAClassifier()}, r"MedLDAClassifier needs y"),
    ],
)
def test_what_is_refused(changed, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sound = {"estimator": LDA, "X": X, "param_range": [2, 3], **CHEAP}
    with pytest.raises((TypeError, ValueError), match=words):
        topic_number_curve(**sound | changed)
    assert list(tmp_path.iterdir()) == [], "a refused call leaves no folder"


def test_equal_repeats_are_refused():
    class NoSeed(NMF):
        def __init__(self, n_components=2):
            super().__init__(n_components)

    options = CHEAP | {"n_repeats": 2}
    with pytest.raises(ValueError, match=r"n_repeats=2 would repeat identical fits"):
        topic_number_curve(NoSeed(), X, [2, 3], **options)
