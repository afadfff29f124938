"""The display of convergence, and what it draws of chains."""

import numpy as np
import pytest

from sklda import CVBLDA, CollapsedGibbsLDA, MedLDARegressor
from sklda.datasets import make_lda_corpus
from sklda.diagnostics import sample_chains
from sklda.inspection import ConvergenceDisplay

pytest.importorskip("arviz_stats")

X, THETA, _ = make_lda_corpus(40, 30, 4, document_length=30, random_state=0)


@pytest.fixture(scope="module")
def chains():
    model = CollapsedGibbsLDA(4, max_iter=60, burn_in=20, thin=1, evaluate_every=5)
    return sample_chains(model, X, n_chains=3, random_state=0)


def test_traces_with_burn_in_and_r_hat(pyplot, chains):
    display = ConvergenceDisplay.from_chains(chains)
    for line, model in zip(display.lines_, chains.estimators_, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), model.log_joint_iter_)
        np.testing.assert_array_equal(line.get_ydata(), model.log_joint_)
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
