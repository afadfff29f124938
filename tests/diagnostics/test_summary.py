"""The table and the verdict: by arviz-stats, and right where the answer is known."""

import re
import sys

import numpy as np
import pytest

from sklda import CollapsedGibbsLDA, MedLDAClassifier, MedLDARegressor
from sklda.datasets import make_bars
from sklda.diagnostics import sample_chains
from sklda.diagnostics._verdict import Sweeps, judge, rows_of_pairs, texts
from sklda.inspection import ConvergenceDisplay
from tests.helpers.draws import autoregressions
from tests.helpers.selection import fast_and_slow

pytest.importorskip("arviz_stats")

X = make_bars(n_samples=100, random_state=0)[0]
X_TEST = make_bars(n_samples=20, random_state=1)[0]
LDA = CollapsedGibbsLDA(
    10, doc_topic_prior=1.0, topic_word_prior=1.0, burn_in=200, thin=4, max_iter=400
)
SWEEPS = Sweeps(burn_in=100, thin=2, n_iter=1000)


@pytest.fixture(scope="module")
def chains():
    return sample_chains(LDA, X, X_test=X_TEST, random_state=0)


def test_the_table_is_that_of_arviz(chains):
    arviz = pytest.importorskip("arviz_stats.base").array_stats
    table = chains.summary()
    for name, draws in chains.scalars_.items():
        row = table[name]
        assert row["r_hat"] == pytest.approx(float(arviz.rhat(draws)))
        assert row["ess_bulk"] == pytest.approx(float(arviz.ess(draws)))
        tail = arviz.ess(draws, method="tail", prob=(0.05, 0.95))
        assert row["ess_tail"] == pytest.approx(float(tail))
        assert row["mcse"] == pytest.approx(float(arviz.mcse(draws)))
        assert row["mean"] == pytest.approx(draws.mean())
        assert row["sd"] == pytest.approx(draws.std(ddof=1))
        means = draws.mean(axis=1)
        assert row["spread"] == pytest.approx(means.max() - means.min())


def test_pairs_that_do_not_vary_are_left_out():
    together = np.zeros((4, 51, 3), bool)
    together[..., 1] = True
    together[:, 25, 0] = True  # R-hat ignores the middle draw
    assert rows_of_pairs(together) == {}
    together[..., 2] = np.random.default_rng(0).random((4, 51)) < 0.5
    rows = rows_of_pairs(together)
    assert rows["pairs, median"]["r_hat"] == rows["pairs, worst"]["r_hat"] < 1.1
    assert rows == rows_of_pairs(together[..., 1:])


def test_r_hat_without_bounds_is_printed_as_such():
    stuck = np.zeros((4, 30, 1), bool)
    stuck[0] = True
    row = rows_of_pairs(stuck)["pairs, worst"]
    assert row["r_hat"] > 1e6
    assert "> 1e6" in texts(row)


def test_numbers_of_each_fit_are_in_the_table():
    model = CollapsedGibbsLDA(4, learn_priors="symmetric", max_iter=40, thin=1)
    chains = sample_chains(model, X, random_state=0)
    table = chains.summary()
    sums = [model.doc_topic_prior_.sum() for model in chains.estimators_]
    assert table["sum of alpha"]["mean"] == pytest.approx(np.mean(sums))
    assert table["beta"]["spread"] > 0
    assert np.isnan(table["beta"]["r_hat"])
    model = MedLDAClassifier(3, max_iter=10)
    chains = sample_chains(model, X[:30], np.arange(30) % 2, random_state=0)
    rates = [model.acceptance_rate_.mean() for model in chains.estimators_]
    assert chains.summary()["acceptance rate"]["mean"] == pytest.approx(np.mean(rates))


def test_frame_and_texts(chains):
    pytest.importorskip("pandas")
    table, frame = chains.summary(), chains.summary(as_frame=True)
    assert frame.index.tolist() == list(table)
    assert frame.loc["log_joint", "r_hat"] == table["log_joint"]["r_hat"]
    text = repr(chains)
    assert "4 chains of CollapsedGibbsLDA, 50 draws each" in text
    assert chains.verdict_ in " ".join(text.split("\n"))
    assert all(name in text for name in table)
    # As wide as a page shows on a screen of 1280 pixels.
    assert max(map(len, repr(chains).splitlines())) <= 86
    head = repr(chains).splitlines()[1].split()
    assert head == frame.columns.tolist()


def test_draws_as_arviz_takes_them(chains):
    pytest.importorskip("arviz_base")
    tree = chains.to_datatree()
    posterior, stats = tree["posterior"], tree["sample_stats"]
    assert dict(posterior.sizes) == {"chain": 4, "draw": 50}  # what plots draw
    assert dict(stats.sizes) == {"chain": 4, "draw": 50, "pair": 1000}
    for name, draws in chains.scalars_.items():
        np.testing.assert_array_equal(posterior[name], draws)
    np.testing.assert_array_equal(stats["pairs"], chains.pairs_)
    np.testing.assert_array_equal(stats["sweep"][2], chains.sweeps_)


def test_too_few_draws():
    chains = sample_chains(LDA.set_params(max_iter=240), X, random_state=0)
    LDA.set_params(max_iter=400)
    assert not chains.converged_
    match = re.fullmatch(r"Too few draws: 10 .*more\((\d+)\)\.", chains.verdict_)
    assert chains.more(int(match[1])).pairs_.shape[1] == 100
    assert "Too few" not in chains.verdict_


seeds = pytest.mark.parametrize("seed", fast_and_slow([0], [1]))


@seeds
def test_chains_that_are_too_short(seed):
    model = CollapsedGibbsLDA(10, burn_in=2, thin=1, max_iter=40)
    chains = sample_chains(model, X, random_state=seed)
    assert not chains.converged_
    assert "Burn-in was too short" in chains.verdict_
    assert "burn_in=40 and max_iter=78" in chains.verdict_


@pytest.mark.slow
@seeds
def test_good_chains(seed):
    chains = sample_chains(LDA, X, X_test=X_TEST, random_state=seed)
    chains.more(2000)
    assert chains.converged_, chains.verdict_
    assert "The 4 chains agree" in chains.verdict_


@seeds
def test_chains_stuck_in_two_modes(seed):
    # Two topics explain these documents as {0, 1} and {2, 3}, or as {0, 2} and {1, 3}.
    # The start decides: with so small a beta no chain comes to the other side.
    kinds = [[60, 60, 0, 0], [0, 0, 60, 60], [60, 0, 60, 0], [0, 60, 0, 60]]
    X = np.repeat(kinds, 6, axis=0)
    model = CollapsedGibbsLDA(
        2, doc_topic_prior=0.01, topic_word_prior=0.01, max_iter=400, thin=2
    )
    chains = sample_chains(model, X, n_chains=8, random_state=seed)
    partners = {
        int(model.topic_word_[model.topic_word_[:, 0].argmax(), 1:].argmax()) + 1
        for model in chains.estimators_
    }
    assert partners == {1, 2}
    assert not chains.converged_
    assert re.search("to different modes.*best_estimator_.*blocking", chains.verdict_)


@seeds
def test_annealed_chains_that_all_follow_the_frequent_words(seed):
    # Two frequent words suggest other topics than 120 rare ones. Heat settles the
    # frequent words first, so annealed chains agree on topics that are .1 nats worse.
    generator, rare = np.random.default_rng(1), np.full(60, 1 / 60)
    X = np.zeros((80, 122), int)
    for d, row in enumerate(X):
        share, first = 0.86 if d % 2 else 0.14, 2 + 60 * (d // 2 % 2)
        row[:2] = generator.multinomial(70, [share, 1 - share])
        row[first : first + 60] = generator.multinomial(35, rare)
    model = CollapsedGibbsLDA(
        2, doc_topic_prior=0.05, topic_word_prior=0.05, max_iter=600
    )
    verdict = sample_chains(model, X, random_state=seed).verdict_
    assert re.search("different modes|not met yet", verdict), verdict


HALF = np.array([[1], [1], [0], [0]])  # of the chains
ANNEALED = np.array([True, False] * 2)


def drawn(shift=0.0, slope=0.0, persistence=0.0, n=400, seed=0):
    """Return draws of four autoregressive chains, of which two are shifted."""
    draws = autoregressions(np.random.default_rng(seed), (4, n), persistence)
    return draws + np.array([[0], [0], [shift], [shift]]) + slope * np.arange(n)


@pytest.mark.parametrize(
    ("draws", "words"),
    [
        (drawn(n=19), "Too few draws: 19"),
        (drawn() - 9 * (np.arange(400) < 50), "too short: the log joint rises by 3.4"),
        (drawn() + HALF * np.linspace(0, 9, 400), "joint rises by 3 nats"),
        (drawn(slope=-0.001, shift=5), "different modes.*differ by 5"),
        (drawn(persistence=0.99), r"not met yet.*more\(9000\)"),
        (drawn(persistence=0.8, n=800), "4 chains agree"),  # worth 355, of 400
        (drawn(persistence=0.9, n=800), r"agree, but.*more\((?!2\))\d+\)"),
    ],
)
def test_verdicts_on_known_draws(draws, words):
    together = np.random.default_rng(1).random((4, draws.shape[1], 50)) < 0.3
    verdict = judge(draws, {"log_joint": draws}, together, SWEEPS, ANNEALED)
    assert re.search(words, verdict.sentence), verdict.sentence
    assert verdict.converged == ("4 chains agree" in words)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "persistence"), [(20, 0.8), (20, 0.9), (40, 0.9)])
def test_slow_chains_that_do_not_rise_are_seldom_said_to(n, persistence):
    # Some do, for chains of so few effective draws rise by chance.
    alarms = 0
    for seed in range(200):
        draws = drawn(persistence=persistence, n=n, seed=seed)
        together = np.zeros((4, n, 1), bool)
        verdict = judge(draws, {"log_joint": draws}, together, SWEEPS, ANNEALED)
        alarms += "too short" in verdict.sentence
    assert alarms <= 12


def test_without_arviz_stats(monkeypatch):
    monkeypatch.setitem(sys.modules, "arviz_stats", None)
    message = 'sample_chains needs arviz-stats: pip install "sklda[diagnostics]"'
    with pytest.raises(ImportError, match=f"^{re.escape(message)}$"):
        sample_chains(CollapsedGibbsLDA(), [[1, 2]])


# --- the picture -----------------------------------------------------------------


def test_traces_with_burn_in_and_r_hat(pyplot, chains):
    display = ConvergenceDisplay.from_chains(chains)
    for line, model in zip(display.lines_, chains.estimators_, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), model.log_joint_iter_)
        np.testing.assert_array_equal(line.get_ydata(), model.log_joint_)
    (shade,) = display.ax_.patches
    assert (shade.get_x(), shade.get_width()) == (0, 200)
    expected = chains.summary()["log_joint"]["r_hat"]
    assert display.r_hat == pytest.approx(expected)
    assert display.ax_.get_title() == f"R-hat {expected:.3f}"
    names = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert names == [*(f"chain {i}" for i in range(4)), "burn-in"]


def test_draws_where_there_is_no_trace(pyplot):
    model = MedLDARegressor(4, max_iter=20, thin=1)
    chains = sample_chains(model, X, np.arange(100), n_chains=2, random_state=0)
    display = ConvergenceDisplay.from_chains(chains)
    for i, line in enumerate(display.lines_):
        np.testing.assert_array_equal(line.get_xdata(), np.arange(11, 21))
        np.testing.assert_array_equal(line.get_ydata(), chains.scalars_["log_joint"][i])
    assert display.ax_.get_ylabel() == "log joint (nats per token)"
