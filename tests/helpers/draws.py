"""Draws from a posterior: made from counts, or of chains whose verdict is known."""

from dataclasses import replace

import numpy as np
from scipy.stats import t as student_t

from sklda._fitted.posterior_draws import PosteriorDraws


def draws_of(doc_topic, doc_topic_prior, learned_alpha=()):
    """Return draws with these document-topic counts, (n_draws, n_docs, n_topics).

    All tokens are of one word.
    """
    doc_topic = np.asarray(doc_topic)
    totals = doc_topic[0].sum(axis=1)
    return PosteriorDraws(
        sweeps=np.arange(len(doc_topic)),
        doc_topic_prior=np.asarray(doc_topic_prior, dtype=np.float64),
        topic_word_prior=0.1,
        learned_alpha=np.reshape(learned_alpha, (-1, doc_topic.shape[-1])),
        _doc_ends=np.cumsum(totals),
        _word_ends=np.array([totals.sum()]),
        _doc_topic=[_cells(counts) for counts in doc_topic],
        _word_topic=[_cells(counts.sum(axis=0)[np.newaxis]) for counts in doc_topic],
    )


def pooled_by_hand(estimates, within, df, level):
    """Pool by the formulas of Rubin, and of Barnard and Rubin.

    Return mean, standard error, degrees of freedom and both ends of the intervals.
    """
    m = len(estimates)
    between = (1 + 1 / m) * estimates.var(axis=0, ddof=1)
    gamma = between / (within + between)
    observed = (df + 1) / (df + 3) * df * (1 - gamma)
    df = 1 / (gamma**2 / (m - 1) + 1 / observed)
    mean, error = estimates.mean(axis=0), np.sqrt(within + between)
    half = student_t.ppf((1 + level) / 2, df) * error
    return mean, error, df, mean - half, mean + half


def assert_covers(covered, level):
    """Assert that intervals hold what they should as often as they say."""
    rate = np.mean(covered, axis=0)
    error = np.sqrt(level * (1 - level) / len(covered))
    assert (np.abs(rate - level) < 4 * error).all()


def named(draws, names):
    """Return draws whose topics have names."""
    return replace(draws, _topic_names=np.array(names, dtype=object))


def _cells(counts):
    rows, topics = np.nonzero(counts)
    return topics.astype(np.uint16), counts[rows, topics]


N_PAIRS = 100
SD = 0.05  # of the scalars within a chain, nats per token


def autoregressions(rng, shape, persistence):
    """Return draws of standard normal variables that persist along the second axis."""
    noise, last = rng.standard_normal(shape), rng.standard_normal((4, *shape[2:]))
    draws = np.empty_like(noise)
    for i in range(shape[1]):
        last = persistence * last + np.sqrt(1 - persistence**2) * noise[:, i]
        draws[:, i] = last
    return draws


def make_chains(kind, n, seed):
    """Return scalars, each (4, n), and pairs, (4, n, N_PAIRS), of chains of this kind.

    "independent" and "persistent" chains agree. "drifting" ones rise all the time,
    "slow" ones wander, "stuck" ones do not move at all. "modes" and "near modes" keep
    to a mode each; those of the latter, and "slow, near" chains, hardly differ in nats.
    """
    rng = np.random.default_rng(seed)
    persistence = {"persistent": 0.5, "slow": 0.99, "slow, near": 0.99}.get(kind, 0.0)
    draws = autoregressions(rng, (4, n, 3 + N_PAIRS), persistence)
    shift = np.linspace(-3, 3, 4)[:, np.newaxis]
    offsets = rng.permuted(np.broadcast_to(shift, (4, 3 + N_PAIRS)), axis=0)
    if kind in ("modes", "near modes", "stuck"):
        draws += offsets[:, np.newaxis]
    if kind == "stuck":
        draws[:] = draws[:, :1]
    if kind == "drifting":
        draws[..., 0] += np.linspace(0, 10, n)
    scalars = SD * draws[..., :3]
    if "near" in kind:
        scalars[..., 0] *= 0.05
    names = ["log_joint", "n_effective_topics", "loss"]
    together = draws[..., 3:] > rng.uniform(-1, 2, N_PAIRS)
    return dict(zip(names, np.moveaxis(scalars, -1, 0), strict=True)), together
