"""Simulation-based calibration: right samplers pass, and it finds planted faults."""

from argparse import Namespace

import numpy as np
import pytest

from benchmarks import diagnostics
from sklda import CollapsedGibbsLDA
from tests.helpers.enumeration import RIGHT, WRONG
from tests.helpers.mutants import Edit, interpreted

OPTIONS = Namespace(burn_in=100, thin=20)
SHORT = Namespace(burn_in=12, thin=3)


def lowest_p_value(lda, n_documents, n_replications, until=0.0):
    """Return the lowest p-value; end early where it is below `until` at a look."""
    found = []
    for seed in range(n_replications):
        found.append(diagnostics.ranks_of(lda, seed, n_documents)[0])
        if (seed + 1) % 20 == 0:
            ranks = {name: [rank[name] for rank in found] for name in found[0]}
            lowest = min(diagnostics.p_values(ranks).values())
            if lowest < until:
                break
    names = "log_joint test_log_probability n_effective_topics share_of_pairs"
    assert list(ranks) == names.split()
    return lowest


def plain(*edits):
    """Return an estimator whose kernel Python runs, after edits."""
    name = "sklda._gibbs.kernels.single_site_lists"
    kernel = interpreted(name, edits, lanes=4, compiled_draws=True).module

    class Plain(CollapsedGibbsLDA):
        def _make_sampler(self, problem, threads):
            return kernel

    lda = diagnostics.new_estimator("single-site", SHORT)
    return Plain(**lda.get_params())


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["nested-2", "nested-4", "partially-collapsed", "uncollapsed"]
)
def test_samplers_are_calibrated(name):
    lda = diagnostics.new_estimator(name, OPTIONS)
    assert lowest_p_value(lda, 6, 40) > RIGHT


@pytest.fixture
def few_tokens(monkeypatch):
    # Small priors, under which topics differ more.
    monkeypatch.setattr(diagnostics, "ALPHA", (0.2, 0.5, 1.0))
    monkeypatch.setattr(diagnostics, "BETA", 0.5)
    monkeypatch.setattr(diagnostics, "N_WORDS", 8)
    monkeypatch.setattr(diagnostics, "MEAN_LENGTH", 12)
    # Fewer draws, which are sooner made, and few classes: the mutants fail with as many
    # ranks as with 19 draws in 20 classes.
    monkeypatch.setattr(diagnostics, "N_DRAWS", 9)
    monkeypatch.setattr(diagnostics, "N_BINS", 5)


MUTANTS = {
    "the token stays in n_dk": [Edit("ratio_without", "A[K] - N", "A[K]", nth=0, of=2)],
    "alpha is three times as large": [
        Edit("ratio_without", "np.float32(N) + A", "np.float32(N) + 3 * A", 0, 2),
        Edit("update_ratios", "load(alpha, *Z)", "3 * load(alpha, *Z)"),
    ],
}


@pytest.mark.slow
def test_interpreted_kernel_is_calibrated(few_tokens):
    assert lowest_p_value(plain(), 4, 60) > RIGHT


@pytest.mark.slow
@pytest.mark.parametrize("edits", MUTANTS.values(), ids=MUTANTS)
def test_mutants_are_not_calibrated(few_tokens, edits):
    # Five looks at four p-values: a right sampler fails for one seed in 50,000.
    assert lowest_p_value(plain(*edits), 4, 100, until=WRONG) < WRONG


def test_topics_are_in_the_order_of_tokens():
    X, z = diagnostics.draw_corpus(np.random.default_rng(0), 50)
    assert z.size == X.sum()
    assert X.shape == (50, diagnostics.N_WORDS)
    word = np.repeat(X.tocsr().indices, X.data)
    means = np.array([(word[z == k]).mean() for k in range(3)])
    assert np.ptp(means) > 0.5  # words depend on topics
