"""Kernels of collapsed variational Bayes, against slow and obvious NumPy."""

import numpy as np
import pytest
from scipy import stats

from sklda._cvb.estimator import bound as _bound
from sklda._cvb.kernels import gaussian as cvb_gaussian
from sklda._cvb.kernels import zero_order as cvb_zero_order
from sklda._cvb.kernels import moments
from sklda._core import vector_math as special
from sklda._cvb.kernels import count_distributions as spread
from sklda._core.problem import Priors, Weights, pad_prior
from sklda._cvb.engine import Fit
from tests.helpers.enumeration import KERNELS, interpreted

KERNELS_OF = {"zero-order": cvb_zero_order, "gaussian": cvb_gaussian}
each_kernel = pytest.mark.parametrize("name", KERNELS_OF)


def random_weights(seed, n_docs=15, n_words=12, *, whole=True):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.8, (n_docs, n_words)) * rng.choice([1, 1, 5], n_words)
    if not whole:
        counts = counts * rng.uniform(0.01, 1.5, counts.shape)
    counts[seed % n_docs] = 0
    docs, words = counts.nonzero()
    doc_ptr = np.searchsorted(docs, np.arange(n_docs + 1)).astype(np.int64)
    count = counts[docs, words].astype(np.float32)
    return Weights(doc_ptr, words.astype(np.int32), count)


def make_fit(kernel, weights, n_words, n_topics, seed=0, alpha=0.3, beta=0.2, shards=1):
    alpha = alpha * np.random.default_rng(seed).uniform(0.5, 1.5, n_topics)
    seed = np.random.SeedSequence(seed)
    return Fit(kernel, weights, n_words, alpha, beta, seed, shards)


def responsibilities(fit):
    return fit.gamma[:, : fit.n_topics].astype(np.float64)


def plain_update(fit, gamma, c, name):
    """Return the new gamma of a cell by equation 18, all sums made from nothing."""
    count, word, document = fit.weights.count, fit.weights.word, fit.document
    one = np.zeros(count.size)
    one[c] = min(count[c], 1)
    alpha, beta = fit.doc_topic_prior, fit.topic_word_prior
    mean = (count - one)[:, None] * gamma
    variance = mean * (1 - gamma)
    groups = (document == document[c], word == word[c], np.full(count.size, True))
    prior = (alpha, beta, fit.n_words * beta)
    a, b, n = (p + mean[g].sum(0) for p, g in zip(prior, groups, strict=True))
    if name == "gaussian":
        va, vb, vn = (variance[g].sum(0) for g in groups)
        # exp E[log(prior + count)], not below the prior: no count is below 0.
        a = np.maximum(a * np.exp(-va / (2 * a**2)), alpha)
        b = np.maximum(b * np.exp(-vb / (2 * b**2)), beta)
        n = np.maximum(n * np.exp(-vn / (2 * n**2)), prior[2])
    value = a * b / n
    return value / value.sum()


def plain_sweep(fit, name):
    gamma = responsibilities(fit)
    before = gamma.copy()
    for c in range(fit.weights.word.size):
        gamma[c] = plain_update(fit, gamma, c, name)
    return gamma, fit.weights.count @ abs(gamma - before).sum(axis=1)


def sweeps_error(fit, name, kernel=None):
    """Return the largest error of gamma in four sweeps, each from the kernel's own."""
    worst = 0.0
    fit.kernel = kernel or fit.kernel
    for _ in range(4):
        expected, moved = plain_sweep(fit, name)
        fit.sweep()
        worst = max(worst, abs(responsibilities(fit) - expected).max())
        if kernel is None:
            assert fit.change == pytest.approx(moved / fit.lengths.sum(), abs=1e-5)
    return worst


@each_kernel
@pytest.mark.parametrize("n_topics", [1, 3, 16, 21])
@pytest.mark.parametrize("whole", [True, False])
def test_sweep_is_the_equation(name, n_topics, whole):
    # Counts of float32, about 20, are right to 1e-6, and an error of one update is
    # handed on to those after it: 1e-5 in a sweep. The mutants below are off by 1e-3.
    weights = random_weights(n_topics, whole=whole)
    fit = make_fit(KERNELS_OF[name], weights, 12, n_topics)
    assert sweeps_error(fit, name) < 1e-5
    assert not fit.gamma[:, n_topics:].any()


@each_kernel
def test_one_update_is_the_equation(name):
    # The first cell of a sweep finds tables without the errors of others.
    for seed in range(30):
        weights = random_weights(seed, whole=seed % 2)
        fit = make_fit(KERNELS_OF[name], weights, 12, 5, seed)
        for _ in range(3):
            fit.sweep()
        fit.tables = fit._count_anew()
        expected = plain_update(fit, responsibilities(fit), 0, name)
        fit.sweep()
        np.testing.assert_allclose(responsibilities(fit)[0], expected, atol=1e-6)


MUTANTS = {
    "zero-order": [
        ("own = one * gamma[k]", "own = np.float32(0)"),
        ("np.float64(word_mean.shape[0]) * priors.topic_word", "priors.topic_word"),
        ("one = min(count[c], _ONE)", "one = count[c]"),
        ("one = min(count[c], _ONE)", "one = _ONE"),
        ("topic_mean[k] += doc[k]\n    return", "pass\n    return"),
        ("(rest[k] + n_dk)", "(rest[k] + doc[k])"),
        ("word_mean[k] += count * change", "word_mean[k] += change"),
    ],
    "gaussian": [
        ("own_var = own * (_ONE - gamma[k])", "own_var = own"),
        ("var_k * per_c * per_c", "np.float32(0)"),
        ("var_wk * per_b * per_b", "var_wk * per_b"),
        ("_HALF * var_dk", "_ONE * var_dk"),
        ("max(in_doc, alpha[k])", "in_doc"),
        ("max(in_word, beta)", "in_word"),
        ("rest_var[k] = max(topic_var[k], 0.0)", "rest_var[k] = topic_mean[k]"),
        ("topic_var[k] += doc_var[k]", "pass"),
        ("doc_variance[k] += change", "pass"),
    ],
}


@pytest.mark.parametrize(
    ("name", "old", "new"), [(name, *m) for name, all_ in MUTANTS.items() for m in all_]
)
def test_a_wrong_kernel_is_noticed(name, old, new):
    file = f"cvb_{name.replace('-', '_')}"
    sources = [(KERNELS / f"{n}.py").read_text("utf-8") for n in (file, "moments")]
    times = sum(source.count(old) for source in sources)
    assert times > 0
    weights = random_weights(3, n_docs=8, n_words=6, whole=False)
    fit = make_fit(KERNELS_OF[name], weights, 6, 3)
    mutant = interpreted(file, [(old, new, times)])
    with np.errstate(all="ignore"):
        assert sweeps_error(fit, name, mutant) > 1e-3


@each_kernel
def test_interpreted_kernel_passes(name):
    weights = random_weights(3, n_docs=8, n_words=6, whole=False)
    fit = make_fit(KERNELS_OF[name], weights, 6, 3)
    kernel = interpreted(f"cvb_{name.replace('-', '_')}")
    assert sweeps_error(fit, name, kernel) < 1e-5


@each_kernel
@pytest.mark.parametrize("whole", [True, False])
def test_tables_do_not_drift(name, whole, monkeypatch):
    # 300 sweeps without a recount. An entry of 200 is changed some 15,000 times, and
    # each change is rounded by up to 8e-6: a random walk of about 1e-3.
    monkeypatch.setattr("sklda._cvb.engine._RECOUNT_INTERVAL", 10**9)
    weights = random_weights(1, n_docs=60, n_words=20, whole=whole)
    fit = make_fit(KERNELS_OF[name], weights, 20, 7)
    for _ in range(300):
        fit.sweep()
    np.testing.assert_allclose(fit.gamma.sum(axis=1), 1, atol=1e-6)
    for table, anew in zip(fit.tables, fit._count_anew(), strict=True):
        np.testing.assert_allclose(
            table.word_topic, anew.word_topic, rtol=3e-5, atol=1e-3
        )
        np.testing.assert_allclose(table.topic, anew.topic, rtol=3e-5, atol=1e-3)


@each_kernel
@pytest.mark.parametrize("alpha", [1e-10, 1e10])
@pytest.mark.parametrize("beta", [1e-10, 1e10])
def test_priors_at_the_ends_of_their_range(name, alpha, beta):
    for n_topics in (1, 5, 20):
        fit = make_fit(
            KERNELS_OF[name], random_weights(2), 12, n_topics, alpha=alpha, beta=beta
        )
        for _ in range(20):
            fit.sweep()
            np.testing.assert_allclose(fit.gamma.sum(axis=1), 1, atol=1e-5)
            assert (fit.gamma >= 0).all()


def test_exp():
    x = np.linspace(-80, 80, 200_001).astype(np.float32)
    found = np.array([special.exp(value) for value in x], np.float64)
    np.testing.assert_allclose(found, np.exp(x.astype(np.float64)), rtol=5e-7)
    assert special.exp(np.float32(0)) == 1


def test_start_gives_each_cell_one_topic():
    weights = random_weights(0, n_docs=40)
    fit = make_fit(cvb_zero_order, weights, 12, 5)
    assert (fit.gamma.max(axis=1) == 1).all()
    assert (fit.gamma.sum(axis=1) == 1).all()
    other = make_fit(cvb_gaussian, weights, 12, 5)
    np.testing.assert_array_equal(fit.gamma, other.gamma)
    assert (fit.gamma.argmax(axis=1) != fit.gamma[0].argmax()).any()


def test_start_is_drawn_given_the_cells_before_it():
    # Two words in one document: the second joins the first with probability
    # (1 + a) (0 + b) / (1 + 2b) against a b / 2b, here 2 / 3.
    weights = Weights(np.array([0, 2]), np.array([0, 1], np.int32), np.ones(2, "f"))
    same = 0
    for seed in range(2000):
        kernel, seed = cvb_zero_order, np.random.SeedSequence(seed)
        fit = Fit(kernel, weights, 2, np.array([1.0, 1.0]), 0.5, seed, 1)
        same += (fit.gamma[0] == fit.gamma[1]).all()
    weights = np.array([2 * 0.5 / 2, 1 * 0.5 / 1])
    expected = weights[0] / weights.sum()
    # Five standard errors of 2,000 draws are 0.056.
    assert same / 2000 == pytest.approx(expected, abs=0.056)


# --- how counts are spread -----------------------------------------------------------


def poisson_binomial(probabilities):
    p = np.ones(1)
    for g in probabilities:
        p = np.convolve(p, [1 - g, g])
    return p


@pytest.mark.parametrize("n_tokens", [1, 2, 7, 40, 400])
def test_spread_is_close_to_the_truth(n_tokens):
    # In nats per token; the parts of a bound that are estimated are some of -1 to -9.
    rng = np.random.default_rng(n_tokens)
    for shape in (0.05, 0.3, 1.0):
        g = rng.beta(shape, 4 * shape, n_tokens)
        p = poisson_binomial(g)
        weights = Weights(
            np.array([0, n_tokens]),
            np.zeros(n_tokens, np.int32),
            np.ones(n_tokens, np.float32),
        )
        gamma = np.zeros((n_tokens, 16), np.float32)
        gamma[:, 0], gamma[:, 1] = g, 1 - g
        docs, words, totals = _bound.spreads(weights, gamma, 1, 2)
        for prior in (0.01, 0.5, 3.0):
            rising = np.concatenate([[0], np.cumsum(np.log(prior + np.arange(len(p))))])
            expected = sum(p @ rising[: len(p)] for p in (p, p[::-1]))
            for found in (docs, words, totals):
                value = found.log_rising(np.full(2, prior))
                assert value == pytest.approx(expected, abs=5e-3 * n_tokens)


def test_spread_of_one_or_no_spread_is_exact():
    weights = Weights(np.array([0, 1]), np.zeros(1, np.int32), np.ones(1, np.float32))
    for g in (0.0, 1e-5, 0.3, 0.999, 1.0):
        gamma = np.zeros((1, 16), np.float32)
        gamma[0, :2] = g, 1 - g
        docs, _, _ = _bound.spreads(weights, gamma, 1, 2)
        value = docs.log_rising(np.array([0.1, 0.2]))
        expected = g * np.log(0.1) + (1 - g) * np.log(0.2)
        assert value == pytest.approx(expected, abs=1e-6)


def test_binomial_is_entered_as_it_is():
    table = np.zeros(spread.SIZE)
    spread._add_binomial(3.0, 3.0 * 0.7, 0.5, table)
    expected = 0.5 * stats.binom.pmf(np.arange(spread.SIZE), 10, 0.3)
    np.testing.assert_allclose(table, expected, atol=1e-10)


def test_moments_of_weights():
    weights = random_weights(0, whole=False)
    gamma = np.random.default_rng(0).dirichlet(np.ones(16), weights.word.size)
    gamma = gamma.astype(np.float32)
    for add, part in ((moments.add_means, 1), (moments.add_variances, 1 - gamma)):
        found, expected = np.zeros((12, 16), np.float32), np.zeros((12, 16))
        add(weights.word, weights.count, gamma, found)
        np.add.at(expected, weights.word, weights.count[:, None] * gamma * part)
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_priors_of_kernels_are_padded():
    fit = make_fit(cvb_zero_order, random_weights(0), 12, 5)
    alpha, beta = fit._priors()
    assert isinstance(fit._priors(), Priors)
    np.testing.assert_array_equal(alpha, pad_prior(fit.doc_topic_prior))
    assert beta == np.float32(0.2)
