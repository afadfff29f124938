"""Displays of chains, and what they draw."""

import numpy as np
import pytest

from sklda import CVBLDA, CollapsedGibbsLDA, MedLDARegressor
from sklda.datasets import make_lda_corpus
from sklda.diagnostics import EssDisplay, RankDisplay, sample_chains
from sklda.inspection import ConvergenceDisplay

pytest.importorskip("arviz_stats")

X, THETA, _ = make_lda_corpus(40, 30, 4, document_length=30, random_state=0)


@pytest.fixture(scope="module")
def chains():
    model = CollapsedGibbsLDA(4, max_iter=60, burn_in=20, thin=1, evaluate_every=5)
    return sample_chains(model, X, n_chains=3, random_state=0)


def test_traces_with_burn_in_and_r_hat(pyplot, chains):
    display = ConvergenceDisplay.from_chains(chains)
    for line, one in zip(display.lines_, chains.estimators_, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), one.log_joint_iter_)
        np.testing.assert_array_equal(line.get_ydata(), one.log_joint_)
    (shade,) = display.ax_.patches
    assert (shade.get_x(), shade.get_width()) == (0, 20)
    expected = chains.summary()["log_joint"]["r_hat"]
    assert display.r_hat == pytest.approx(expected)
    assert display.ax_.get_title() == f"R-hat {expected:.3f}"
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["chain 0", "chain 1", "chain 2", "burn-in"]


def test_draws_where_there_is_no_trace(pyplot):
    model = MedLDARegressor(4, max_iter=20, thin=1)
    chains = sample_chains(model, X, THETA[:, 0], n_chains=2, random_state=0)
    display = ConvergenceDisplay.from_chains(chains)
    for i, line in enumerate(display.lines_):
        np.testing.assert_array_equal(line.get_xdata(), np.arange(11, 21))
        np.testing.assert_array_equal(line.get_ydata(), chains.scalars_["log_joint"][i])
    assert display.ax_.get_ylabel() == "log joint (nats per token)"
    starts = sample_chains(CVBLDA(4, max_iter=3, tol=0), X, n_chains=2, random_state=0)
    display = ConvergenceDisplay.from_chains(starts)
    assert display.r_hat is None
    assert display.ax_.get_ylabel() == "bound (nats per token)"


def test_ranks(pyplot, chains):
    display = RankDisplay.from_chains(chains, scalar="n_effective_topics")
    draws = chains.scalars_["n_effective_topics"]
    counts = np.array([step.get_data().values for step in display.steps_])
    edges = display.steps_[0].get_data().edges
    assert counts.shape == (3, 8)
    np.testing.assert_array_equal(counts.sum(axis=1), 40)
    np.testing.assert_array_equal(counts.sum(axis=0), 15)
    below = (draws[0] <= np.sort(draws.ravel())[14]).sum()
    assert counts[0, 0] == below
    assert (edges[0], edges[-1]) == (0.5, 120.5)
    assert display.ax_.get_xlabel() == "rank of n_effective_topics"


def test_effective_sample_sizes(pyplot, chains):
    display = EssDisplay.from_chains(chains)
    assert display.names == ["log_joint", "n_effective_topics"]
    table = chains.summary()
    for line, name in zip(display.lines_, display.names, strict=True):
        assert line.get_ydata()[-1] == pytest.approx(table[name]["ess_bulk"])
        assert line.get_xdata()[-1] == 60
    assert display.enough == 300
    few = sample_chains(CollapsedGibbsLDA(4, max_iter=4, thin=1), X, n_chains=2)
    with pytest.raises(ValueError, match="2 draws each"):
        EssDisplay.from_chains(few)
