"""Curves over numbers of topics: by hand, resumed, in parallel, on planted topics."""

import pickle

import numpy as np
import pytest
from sklearn.decomposition import NMF
from sklearn.model_selection import KFold
from sklearn.utils import Bunch

from sklda import CollapsedGibbsLDA, metrics
from sklda.datasets import make_lda_corpus
from sklda.model_selection import TopicNumberDisplay, topic_number_curve
from sklda.model_selection._result import (
    TopicNumberCurve,
    behind_best,
    by_score,
    by_stability,
    fold_means,
    standard_error,
)

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
    numbers = {name: r.n_components for name, r in curve.recommended.items()}
    assert numbers == {"score": 5, "stability": 5}
    assert curve.choice == 5


def test_windows_of_texts_recommend_nothing():
    names = [f"w{w}" for w in range(40)]
    texts = [[names[w] for w in row.nonzero()[0]] for row in X.toarray()]
    options = {"measures": ["c_v"], "texts": texts, "feature_names": names}
    curve = topic_number_curve(LDA, X, [2, 3], **CHEAP | options)
    assert (curve.recommended, curve.choice) == ({}, None)
    assert curve.verdict == 'Measure "score" or "stability" to get a recommendation.'


def test_empty_documents_are_in_no_fold():
    padded = np.zeros((108, 40), int)
    kept = np.sort(np.random.default_rng(0).permutation(108)[:60])
    padded[kept] = X.toarray()
    curve = topic_number_curve(LDA, padded, [2, 3], **CHEAP)
    assert_same(curve, topic_number_curve(LDA, X, [2, 3], **CHEAP))
    assert "without the empty documents (48)" in " ".join(repr(curve).split())
    # The rows of folds are those of X, as those of texts and labels are.
    folds = [(kept[30:], kept[:30]), (kept[:30], kept[30:])]
    own = topic_number_curve(LDA, X, [2, 3], **CHEAP | {"cv": KFold(2)})
    with_empty = [(np.delete(np.arange(108), test), test) for _, test in folds]
    for cv in (folds, with_empty):
        assert_same(topic_number_curve(LDA, padded, [2, 3], **CHEAP | {"cv": cv}), own)
    last = np.vstack([X.toarray(), np.zeros((48, 40), int)])
    with pytest.raises(ValueError, match="All documents of a fold of cv are empty"):
        topic_number_curve(LDA, last, [2, 3], **CHEAP | {"cv": KFold(3)})


# --- the same again ------------------------------------------------------------------


@pytest.mark.slow
def test_processes_do_not_change_the_result():
    options = {"cv": 2, "random_state": 0}
    expected = topic_number_curve(LDA, X, [2, 3], **options)
    assert_same(topic_number_curve(LDA, X, [2, 3], **options, n_jobs=2), expected)


@pytest.mark.parametrize("last", [1, 4, 8])
def test_interrupted_curve_goes_on_where_it_was(last, tmp_path):
    interrupted = Interrupted(max_iter=4)
    Interrupted.n_fits = 0
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
    # Other documents are other fits.
    topic_number_curve(interrupted, X[:50], [2, 3], **options)
    assert Interrupted.n_fits == 19 + 8


def test_progress(capsys):
    topic_number_curve(LDA, X, [2, 3], **CHEAP)
    assert capsys.readouterr() == ("", "")
    topic_number_curve(LDA, X, [2, 3], **CHEAP, verbose=True)
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("Done") >= 4) == ("4 fits\n", True)


def test_prints_as_a_table():
    curve = topic_number_curve(LDA, X, [2, 13], cv=2, random_state=0)
    title, more, header, *rows = lines = repr(curve).splitlines()
    assert "means of 2 folds, each with 2 seeds; ±" in f"{title} {more}"
    kinds = ["score", "npmi", "exclusivity", "diversity", "stability", "seconds"]
    assert header.split() == ["topics", *kinds]
    errors = behind_best(curve.fits.score)[1]
    for i, k in enumerate(curve.n_components):
        first, score, error, *values = rows[i].split()
        assert (first, error) == (str(k), f"±{errors[i]:.4f}")
        values = [score, *values]
        means = [f"{curve.mean[name][i]:.4f}" for name in kinds[:-1]]
        assert values == [*means, f"{curve.mean.seconds[i]:.2f}"]
    assert " ".join(lines).endswith(f" {curve.verdict}")
    assert max(map(len, lines)) <= 80
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
        ([-7, -6, -6.5], 4, "rises until 4, by 1 nats, and falls after 4, by 0.5 nats"),
        ([-7, -6.05, -6], 4, "rises until 4, by 1 nats, and then stays"),
        ([-7, -6.5, -6], 8, "still rises at 8, the largest number"),
        ([-6, -6.03, -6.2], 2, "falls after 4, by 0.2 nats"),
        ([-6, -6.03, -6.05], 2, "is the same for all, within one standard error"),
        ([-6, -7, -6], 2, "falls after 2, by 1 nats, and is as good again at 8"),
    ],
)
def test_score_rule(means, chosen, words):
    found = by_score([2, 4, 8], values(*means))
    assert found.n_components == chosen
    assert found.reason == f"the held-out score {words}"
    # All numbers of the range are as good as the first.
    behind, error = behind_best(values(*means))
    numbers = np.array([2, 4, 8])
    in_range = (numbers >= chosen) & (numbers <= found.highest)
    assert (behind <= error)[in_range].all()


@pytest.mark.parametrize(
    ("means", "chosen", "words"),
    [
        ([0.6, 0.9, 0.88, 0.4], 4, "rises from 2 to 4 and falls after 8"),
        ([0.6, 0.7, 0.9], 8, "still rises at 8, the largest number"),
        ([0.9, 0.8, 0.4], 2, "only falls, from 0.90 with 2 topics"),
        ([0.6, 0.9, 0.4, 0.7], 4, "rises from 2 to 4 and falls after 4"),  # empty ones
        ([0.9, 0.4, 0.7, 0.3], 8, "rises from 4 to 8 and falls after 8"),  # few topics
        ([0.6, 0.9, 0.92], 4, "rises from 2 to 4, and does not fall up to 8"),
    ],
)
def test_stability_rule(means, chosen, words):
    numbers = [2, 4, 8, 16][: len(means)]
    found = by_stability(numbers, values(*means, seeds=1))
    assert found.n_components == chosen
    assert found.reason == f"stability {words}"
    # A single topic is stable by definition: 1 changes nothing.
    assert by_stability([1, *numbers], values(1.0, *means, seeds=1)) == found


def test_a_single_topic_leaves_one_number_without_a_rival():
    found = by_stability([1, 4], values(1.0, 0.3, seeds=1))
    assert (found.n_components, found.highest) == (4, 4)
    assert found.reason == "stability has no number above 1 to compare 4 with"


def curve_of(numbers, **fits):
    """Return a curve with these fits."""
    fits = Bunch(**fits, seconds=values(*numbers))
    mean = Bunch(**{name: of.mean(axis=(1, 2)) for name, of in fits.items()})
    error = Bunch(**{name: standard_error(fold_means(of)) for name, of in fits.items()})
    return TopicNumberCurve(
        n_components=np.array(numbers), mean=mean, standard_error=error, fits=fits
    )


@pytest.mark.parametrize(
    ("score", "stability", "choice", "headline"),
    [
        ([-7, -6, -6.01, -6.5], [0.6, 0.7, 0.9, 0.4], 8, "8 topics"),
        ([-7, -6, -6.01, -6.02], [0.6, 0.9, 0.89, 0.4], 4, "4 to 8 topics"),
        ([-7, -6, -6.01, -6.02], [0.9, 0.8, 0.7, 0.4], 4, "4 to 16 topics"),
        ([-7, -6.5, -6, -6.5], [0.6, 0.9, 0.7, 0.4], 8, "8 topics to predict, 4 to"),
        ([-6, -6.01, -6.01, -6], [0.9, 0.8, 0.7, 0.4], 2, "Any number from 2 to 16 to"),
        ([-6, -6.01, -6.01, -6], [0.6, 0.9, 0.7, 0.4], 4, "4 topics"),
        ([-7, -6.5, -6, -5], [0.9, 0.8, 0.7, 0.4], 16, "Try more than 16 topics"),
        ([-6, -6.5, -7, -8], [0.6, 0.9, 0.7, 0.4], 2, "Try fewer than 2 topics"),
        ([-6, -6.01, -7, -8], [0.9, 0.8, 0.7, 0.4], 2, "Try fewer than 2 topics"),
        ([-6, -6.01, -7, -6], [0.6, 0.9, 0.89, 0.4], 4, "4 topics"),
    ],
)
def test_headline_agrees_with_both_rules(score, stability, choice, headline):
    fits = Bunch(score=values(*score), stability=values(*stability, seeds=1))
    curve = curve_of([2, 4, 8, 16], **fits)
    assert curve.choice == choice
    assert curve.verdict.startswith(headline)
    reasons = "; ".join(found.reason for found in curve.recommended.values())
    assert curve.verdict.endswith(f": {reasons}.")


def test_headline_at_the_smallest_number():
    alone = curve_of([8, 16, 32], stability=values(0.9, 0.8, 0.4, seeds=1))
    assert alone.verdict.startswith("Try fewer than 8 topics: stability only falls")
    # There are no fewer than 1.
    single = curve_of([1, 2, 4], score=values(-6, -7, -8))
    assert (single.choice, single.verdict[:9]) == (1, "1 topic: ")


@pytest.mark.parametrize("missing", [np.nan, -np.inf])
@pytest.mark.parametrize("name", ["score", "stability"])
def test_measures_that_are_not_finite(missing, name, pyplot):
    for place in ([0], [0, 1, 2], [2]):
        means = np.array([0.6, 0.9, 0.4])
        means[place] = missing
        curve = curve_of([2, 5, 10], **{name: values(*means)})
        assert (curve.choice, curve.recommended) == (None, {})
        bad = [f"the {name} of {k} topics is {missing}" for k in [2, 5, 10]]
        expected = "; ".join(bad[i] for i in place)
        assert curve.verdict == f"No recommendation: {expected}."
        assert f"{missing:.4f}" in repr(curve)
        TopicNumberDisplay(curve=curve).plot()
    other = {"score": "stability", "stability": "score"}[name]
    both = curve_of(
        [2, 5, 10], **{other: values(0.6, 0.9, 0.4), name: curve.fits[name]}
    )
    assert both.choice == 5
    assert both.verdict.startswith("5 topics: ")
    assert both.verdict.endswith(f"; the {name} of 10 topics is {missing}.")


# --- the picture --------------------------------------------------------------------


def test_panels_show_the_curve(pyplot):
    options = {"cv": 2, "random_state": 0, "measures": ["stability", "score"]}
    curve = topic_number_curve(LDA, X, [2, 4, 8], **options)
    display = TopicNumberDisplay(curve=curve).plot()
    names = ["stability", "score", "seconds"]
    for panel, line, name in zip(display.axes_, display.lines_, names, strict=True):
        assert line.get_xdata().tolist() == [2, 4, 8]
        assert line.get_ydata().tolist() == curve.mean[name].tolist()
        (band,) = panel.collections
        heights = band.get_paths()[0].vertices[:, 1]
        error = curve.standard_error[name]
        if name == "score":
            error = behind_best(curve.fits.score)[1]
        assert heights.min() == pytest.approx((curve.mean[name] - error).min())
        assert [tick.get_text() for tick in panel.get_xticklabels()] == list("248")
        if name != "seconds":
            chosen = curve.recommended[name].n_components
            assert panel.get_title().endswith(f"\nrecommends {chosen}")
            assert panel.lines[-1].get_xdata() == [chosen, chosen]


# --- refused -------------------------------------------------------------------------


class NoSeed(NMF):
    def __init__(self, n_components=2):
        super().__init__(n_components)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"param_range": [2, 31]}, r"31 topics, more than the 30 training documents"),
        ({"texts": ["a"]}, r"texts has no effect without"),
        ({"memory": "x", "random_state": None}, r"random_state must be an int"),
        ({"estimator": NoSeed(), "n_repeats": 2}, r"would repeat identical fits"),
    ],
)
def test_what_is_refused(changed, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sound = {"estimator": LDA, "X": X, "param_range": [2, 3], **CHEAP}
    with pytest.raises((TypeError, ValueError), match=words):
        topic_number_curve(**sound | changed)
    assert list(tmp_path.iterdir()) == [], "a refused call leaves no folder"
