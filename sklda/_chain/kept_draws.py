"""Samples of a chain, as counts without zeros."""

from typing import Any, NamedTuple

import numpy as np

from sklda._base.schedule import Schedule
from sklda._core.corpus import document_lengths, tokens_before, word_tokens
from sklda._core.doc_topic_counts import doc_topic_cells, word_topic_cells
from sklda._core.memory import check_memory
from sklda._core.problem import Corpus, Counts, Problem
from sklda._topics.posterior_draws import PosteriorDraws


class Draw(NamedTuple):
    """One sample: topic and count of every count above 0, row after row.

    The counts of a row add up to its tokens, so the rows need no pointers.
    """

    sweep: int
    doc_topic_prior: np.ndarray
    topic_word_prior: float | np.ndarray
    doc_topic: tuple[np.ndarray, np.ndarray]
    word_topic: tuple[np.ndarray, np.ndarray]


def draw_of(
    problem: Problem[Corpus], z: np.ndarray, counts: Counts, sweep: int
) -> Draw:
    """Return the present sample of a chain."""
    return Draw(
        sweep,
        problem.doc_topic_prior,
        problem.beta,
        _stored(*doc_topic_cells(problem.corpus, z, problem.n_lanes)),
        _stored(*word_topic_cells(counts.word_topic, problem.n_topics)),
    )


def _stored(topic, count):
    """Return copies in the types that take least memory."""
    narrow = np.min_scalar_type(count.max(initial=0))
    return topic.astype(np.uint16), count.astype(narrow)


def posterior_draws(chain: Any) -> PosteriorDraws | None:
    """Return the draws of a chain as users get them; None if there are none."""
    problem, draws, prior = chain.problem, list(chain.draws), chain.prior
    if not draws:
        return None
    alpha, beta = problem.doc_topic_prior, problem.beta
    if prior is not None:
        alpha = np.array([draw.doc_topic_prior for draw in draws])
        if prior.samples_words:
            beta = np.array([draw.topic_word_prior for draw in draws])
    return PosteriorDraws(
        sweeps=np.array([draw.sweep for draw in draws], dtype=np.int64),
        doc_topic_prior=alpha,
        topic_word_prior=beta,
        learned_alpha=np.reshape(
            [update.alpha for update in chain.prior_updates], (-1, problem.n_topics)
        ),
        _prior_row=problem.prior_row,
        _doc_ends=tokens_before(problem.corpus)[1:],
        _word_ends=np.cumsum(word_tokens(problem).astype(np.int64)),
        _doc_topic=[draw.doc_topic for draw in draws],
        _word_topic=[draw.word_topic for draw in draws],
    )


def most_bytes(problem: Problem[Corpus]) -> int:
    """Return the memory that one draw can take, whatever the topics of the tokens."""
    total = 0
    frequencies = word_tokens(problem).astype(np.int64)
    for tokens in (document_lengths(problem.corpus), frequencies):
        width = np.min_scalar_type(tokens.max(initial=0)).itemsize
        cells = int(np.minimum(tokens, problem.n_topics).sum())
        total += cells * (np.dtype(np.uint16).itemsize + width)
    return total


def draw_interval(keep_draws: int, schedule: Schedule) -> int:
    """Return how many kept samples there are from one draw to the next.

    Draws should be far apart, since neighbours say nearly the same.
    """
    return max(1, schedule.n_kept // max(keep_draws, 1))


def check_keep_draws(
    keep_draws: int,
    schedule: Schedule,
    problem: Problem[Corpus],
    n_before: int = 0,
    n_chains: int = 1,
) -> None:
    """Refuse to keep more draws than a fit has samples, or than memory holds.

    There are `n_before` of the fits before, unless a burn-in ends them.
    """
    if keep_draws == 0:
        return
    n_before = n_before if schedule.burn_in == 0 else 0
    if keep_draws > schedule.n_kept + n_before:
        before = f", and {n_before} of earlier fits" if n_before > 0 else ""
        burn_in, thin, n_new = schedule.burn_in, schedule.thin, keep_draws - n_before
        ways = [f"burn_in={burn_in} with max_iter={burn_in + n_new * thin}"]
        if shorter := (schedule.max_iter - burn_in) // n_new:
            ways.insert(0, f"thin={shorter}")
        raise ValueError(
            f"keep_draws={keep_draws} exceeds the number of kept samples, "
            f"{schedule.n_kept}: every thin={thin}-th of the sweeps between burn_in="
            f"{burn_in} and max_iter={schedule.max_iter}{before}. To keep as many, set "
            f"{', or '.join(ways)}."
        )
    chains = f" of {n_chains} chains" if n_chains > 1 else ""
    check_memory(
        n_chains * keep_draws * most_bytes(problem),
        f"The draws that keep_draws={keep_draws}{chains} keeps",
        "keep fewer draws",
    )
