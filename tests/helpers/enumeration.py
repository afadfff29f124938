"""Tiny corpora of which every assignment can be listed, and sweeps from exact draws.

The formulas are written down here a second time, from the paper and in plain Python,
so that they share no line with the library. A sampler is what `sklda._sampling.sampler`
says, compiled or, from `tests.helpers.mutants`, interpreted.
"""

import itertools
import math
from functools import cached_property
from types import SimpleNamespace

import numpy as np
from scipy import stats

from sklda._data.corpus import Corpus, part_of
from sklda._sampling.problem import Problem, word_prior
from sklda._tables.lists import split
from tests.helpers.mutants import streams

# The statistical tests are seeded and have about a thousand p-values. With right
# samplers, one of them fails for one seed in a hundred. A mutant, with one planted
# fault, must fail at p < 1e-6. So neither result depends on the seed.
RIGHT, WRONG = 1e-5, 1e-6


def _cells(text):
    """Return the words, 0 for a and so on, and the counts of runs of a letter."""
    runs = ((letter, len([*run])) for letter, run in itertools.groupby(text))
    return [("abcdefgh".index(letter), count) for letter, count in runs]


class TinyProblem:
    """A corpus, given as documents of (word, count) pairs, and its priors.

    Documents may also be a text such as ``"aab - bc"``: each letter is a token, and
    ``-`` is an empty document. Beta is one number, or those of each topic and word.
    """

    def __init__(self, docs, n_words, alpha, beta):
        if isinstance(docs, str):
            docs = [_cells(text.strip("-")) for text in docs.split()]
        self.docs, self.n_words = docs, n_words
        self.alpha, self.beta = alpha, beta
        self.n_topics = np.shape(alpha)[-1]
        self.alphas = np.broadcast_to(alpha, (len(self.docs), self.n_topics)).tolist()
        self.betas = np.broadcast_to(beta, (self.n_topics, n_words)).tolist()

    @cached_property
    def tokens(self):
        """Document and word of each token, in the order of the corpus."""
        return [
            (d, w)
            for d, doc in enumerate(self.docs)
            for w, count in doc
            for _ in range(count)
        ]

    @cached_property
    def corpus(self):
        cells = [cell for doc in self.docs for cell in doc]
        return Corpus(
            doc_ptr=np.cumsum([0, *map(len, self.docs)]).astype(np.int64),
            word=np.array([w for w, _ in cells], np.int32),
            token_ptr=np.cumsum([0, *(n for _, n in cells)]).astype(np.int64),
        )

    @cached_property
    def assignments(self):
        """Every z, (n_topics ** n_tokens, n_tokens), in the order of `number_of`."""
        topics = itertools.product(range(self.n_topics), repeat=len(self.tokens))
        return np.array(list(topics), np.uint16)

    def number_of(self, z):
        """Return the row of `assignments` that z is; one past the last for none."""
        if (z >= self.n_topics).any():
            return self.n_topics ** len(self.tokens)
        number = 0
        for k in z.tolist():
            number = number * self.n_topics + k
        return number

    @cached_property
    def log_joints(self):
        return np.array([self.log_joint(z) for z in self.assignments.tolist()])

    @cached_property
    def posterior(self):
        weights = np.exp(self.log_joints - self.log_joints.max())
        return weights / weights.sum()

    def tables(self, z):
        """Count the tokens that z gives a topic; return n_dk, n_kw and n_k."""
        n_dk = [[0] * self.n_topics for _ in self.docs]
        n_kw = [[0] * self.n_words for _ in range(self.n_topics)]
        n_k = [0] * self.n_topics
        for (d, w), k in zip(self.tokens, z, strict=False):
            n_dk[d][k] += 1
            n_kw[k][w] += 1
            n_k[k] += 1
        return n_dk, n_kw, n_k

    def log_joint(self, z):
        """Return log p(w, z), theta and phi integrated out, with all constants."""
        total = self.log_word_likelihood(z)
        for row, alpha in zip(self.tables(z)[0], self.alphas, strict=True):
            total += math.lgamma(sum(alpha)) - math.lgamma(sum(row) + sum(alpha))
            for n, a in zip(row, alpha, strict=True):
                total += math.lgamma(n + a) - math.lgamma(a)
        return total

    def log_word_likelihood(self, z):
        """Return log p(w | z)."""
        _, n_kw, n_k = self.tables(z)
        total = 0.0
        for row, n, betas in zip(n_kw, n_k, self.betas, strict=True):
            total += math.lgamma(sum(betas)) - math.lgamma(n + sum(betas))
            for m, beta in zip(row, betas, strict=True):
                total += math.lgamma(m + beta) - math.lgamma(beta)
        return total

    def urns(self, z):
        """Return, for each token, the weights of the topics and its own topic.

        The weights are (n_dk + alpha_k) (n_kw + beta_kw) / (n_k + sum_w beta_kw), the
        counts those of the tokens before it.
        """
        found = []
        for i, (d, w) in enumerate(self.tokens):
            n_dk, n_kw, n_k = self.tables(z[:i])
            weights = [
                (n_dk[d][k] + self.alphas[d][k])
                * (n_kw[k][w] + self.betas[k][w])
                / (n_k[k] + sum(self.betas[k]))
                for k in range(self.n_topics)
            ]
            found.append((weights, z[i]))
        return found

    def problem(self, sampler=None):
        """Return it as the sampler takes it."""
        cls, alpha = getattr(sampler, "Problem", Problem), np.array(self.alpha, float)
        beta = self.beta if np.ndim(self.beta) == 0 else np.array(self.beta, float)
        row = None
        if alpha.ndim == 2:
            alpha, row = np.unique(alpha, axis=0, return_inverse=True)
            row = row.astype(np.int32)
        return cls(self.corpus, self.n_words, alpha, word_prior(beta), row)


# --- samplers and their states ---------------------------------------------------


def streams_of(sampler, seed):
    """Return random numbers as the sampler takes them."""
    return getattr(sampler, "streams", streams)(seed)


def copied(state, known=None):
    """Return a copy of a state that shares no array; arrays it has twice stay one."""
    known = {} if known is None else known
    if id(state) in known:
        return known[id(state)]
    new = state
    if isinstance(state, np.ndarray):
        new = state.copy(order="K")  # what users run is compiled for the same layout
    elif isinstance(state, list):
        new = [copied(part, known) for part in state]
    elif isinstance(state, tuple):
        parts = [copied(part, known) for part in state]
        new = type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
    known[id(state)] = new
    return new


def in_groups(kernel, n_draws):
    """Return a kernel of groups of tokens as a sampler.

    ``n_draws(n_tokens)`` is called at each sweep and says how many draws the cells get.
    """

    def sweep(problem, state, rng):
        draws = np.asarray(n_draws(np.diff(problem.corpus.token_ptr)), np.int32)
        priors = kernel.kernel_priors(problem)
        part = part_of(problem.corpus, 0, problem.corpus.doc_ptr.size - 1)
        alphas = problem.kernel_alphas()
        kernel.sweep_groups(part, state, priors, alphas, draws, rng.kernel)
        return state

    return SimpleNamespace(
        from_topics=kernel.from_topics, sweep=sweep, counts=kernel.counts
    )


def any_groups(kernel):
    """Return it with numbers of draws that differ from cell to cell and in time."""
    rng = np.random.default_rng(0)
    return in_groups(kernel, lambda n_tokens: rng.integers(1, n_tokens + 1))


def tables_of(state):
    """Return the state that holds the count tables, inside of what is around it."""
    for name in ("tables", "counts", "inner"):
        if hasattr(state, name):
            return tables_of(getattr(state, name))
    return state


def faults(state, words, n_topics, betas=0.0):
    """Return what is wrong with the tables of a state; `words` has that of each token.

    Lists of topics must hold each topic that the word has once, nothing else, and
    behind their end the topic n_lanes with the count 0. Tables of floats must hold
    `betas`, (n_topics, n_words), too, and lists what these have beyond their least.
    """
    state = tables_of(state)
    if (state.z >= n_topics).any():
        return ["a token has a topic that does not exist"]
    sparse = "packed" in state._fields
    n_words = state.size.size if sparse else len(state.word_topic)
    word_topic = np.zeros((n_words, state.topic.size), np.int32)
    np.add.at(word_topic, (words, state.z), 1)
    found = []
    if not np.array_equal(state.topic, word_topic.sum(0)):
        found.append("n_k is not the number of tokens on topic k")
    table = state.excess if sparse else state.word_topic
    if np.ndim(table) > 0 and table.dtype.kind == "f":
        least = np.min(betas, axis=0) if sparse else 0.0
        word_topic = word_topic.astype(float)
        word_topic[:, :n_topics] += (betas - least).T
    if not sparse:
        if not np.allclose(state.word_topic, word_topic, rtol=0, atol=1e-12):
            found.append("n_wk is not the number of tokens of w on topic k")
        return found
    topics, counts = split(state.packed, state.bits)
    topics, counts = topics.tolist(), (counts + state.excess).tolist()
    for w, row in enumerate(word_topic):
        first, last = state.start[w : w + 2].tolist()
        end = first + int(state.size[w])
        listed = sorted(zip(topics[first:end], counts[first:end], strict=True))
        expected = [(k, row[k]) for k in np.flatnonzero(row)]
        if len(listed) != len(expected) or not np.allclose(
            np.ravel(listed), np.ravel(expected), rtol=1e-6, atol=0
        ):
            found.append(f"the list of word {w} is not what its tokens have")
        padding = set(zip(topics[end:last], counts[end:last], strict=True))
        if padding - {(state.topic.size, 0)}:
            found.append(f"the list of word {w} goes on behind its end")
    return found


# --- draws of assignments --------------------------------------------------------


def sweep_exact_draws(
    sampler, tiny, n_draws, seed, until=0.0, start=None, *, while_sound=False
):
    """Sweep once from each of `n_draws` independent draws from the posterior.

    Where all tokens are one block, a sweep is a draw from the posterior whatever was
    before: then each sweep is from the assignment `start`.

    Return the number of times that each assignment was drawn, the last number for those
    that cannot be; and whether the tables were right wherever they were looked at.

    Draws end early once the p-value is below `until`, which is looked at eleven times,
    or, `while_sound`, once a table is wrong. With 1e-6 for mutants, a right sampler
    would be called wrong with a probability of at most twelve in a million.
    """
    exact = np.random.default_rng(seed).choice(
        tiny.posterior.size, n_draws, p=tiny.posterior
    )
    if start is not None:
        exact[:] = tiny.number_of(np.array(start))
    problem, rng = tiny.problem(sampler), streams_of(sampler, seed)
    first = {
        number: sampler.from_topics(problem, tiny.assignments[number].copy())
        for number in np.unique(exact).tolist()
    }
    words = [w for _, w in tiny.tokens]
    seen, sound = np.zeros(tiny.posterior.size + 1, np.int64), True
    parts = (1, 2, 3, 6, 9, 12, 18, 24, 36, 48, 72) if until > 0 else ()
    looks = {n_draws * part // 96 for part in parts}
    for i, number in enumerate(exact.tolist()):
        if i in looks and chi_square_pvalue(seen, tiny.posterior) < until:
            break
        state = copied(first[number])
        sampler.sweep(problem, state, rng)
        seen[tiny.number_of(state.z)] += 1
        if i % 16 == 0:  # to look is slower than to sweep
            found = faults(state, words, tiny.n_topics, np.array(tiny.betas))
            sound = sound and not found
            if while_sound and not sound:
                break
    return seen, sound


def chi_square_pvalue(seen, probabilities):
    """Return the p-value of counts, the last of which is of impossible outcomes.

    Outcomes are merged, the rarest first, until 5 draws are expected in each class:
    the distribution of the statistic is then close enough to chi-square.
    """
    if seen[-1] > 0:
        return 0.0
    expected = probabilities * seen.sum()
    classes = [[0, 0.0]]
    for outcome in np.argsort(expected):
        if classes[-1][1] >= 5:
            classes.append([0, 0.0])
        classes[-1][0] += seen[outcome]
        classes[-1][1] += expected[outcome]
    observed, expected = np.array(classes).T
    statistic = ((observed - expected) ** 2 / expected).sum()
    return (
        float(stats.chi2.sf(statistic, len(classes) - 1)) if len(classes) > 1 else 1.0
    )


def assert_exact(sampler, tiny, n_draws, seed, start=None):
    """Assert that a sweep leaves the posterior as it is."""
    seen, sound = sweep_exact_draws(sampler, tiny, n_draws, seed, start=start)
    assert sound
    assert chi_square_pvalue(seen, tiny.posterior) > RIGHT


def is_wrong(mutant, tiny, n_draws, seed, start=None, *, or_unsound=False):
    """Return whether a sweep clearly changes the posterior.

    The tables of the state count only where they may be wrong `or_unsound`.
    """
    with np.errstate(all="ignore"):  # a fault may well divide by zero
        try:
            seen, sound = sweep_exact_draws(
                mutant, tiny, n_draws, seed, WRONG, start, while_sound=or_unsound
            )
        except IndexError:  # an interpreted kernel does not bear a wrong index
            return True
    if or_unsound and not sound:
        return True
    return chi_square_pvalue(seen, tiny.posterior) < WRONG


def verdict(p: float) -> bool | None:
    """Return True for a right sampler, False for a wrong one, None if it is unclear."""
    return p > RIGHT if not WRONG <= p <= RIGHT else None


def passes(sampler, tiny, edits, start=None, *, n_draws=1000, or_unsound=False):
    """Return the verdict on a sampler that Python runs after edits.

    One without edits needs few draws: interpreted and compiled chains are the same, see
    tests/sampling/test_kernels.py. It raises AssertionError if it is not exact.
    """
    if not edits:
        assert_exact(sampler, tiny, n_draws, seed=4, start=start)
        return True
    wrong = is_wrong(sampler, tiny, 20_000, 5, start, or_unsound=or_unsound)
    return False if wrong else None


# --- long chains -----------------------------------------------------------------


def marginals(tiny, z):
    """Return for each row of z which tokens share a topic, and n_kw."""
    pairs = itertools.combinations(range(z.shape[1]), 2)
    words = np.array([w for _, w in tiny.tokens])
    cells = itertools.product(range(tiny.n_topics), np.unique(words))
    return np.column_stack(
        [z[:, i] == z[:, j] for i, j in pairs]
        + [(z[:, words == w] == k).sum(1) for k, w in cells]
    ).astype(float)


def mean_and_error(values, n_batches):
    """Return the mean over a chain and its standard error, by means of batches.

    A batch is much longer than the memory of the chain, so the means of batches are
    almost independent.
    """
    means = np.reshape(values, (n_batches, len(values) // n_batches, -1)).mean(axis=1)
    return means.mean(axis=0), means.std(axis=0, ddof=1) / np.sqrt(n_batches)


def assert_marginals(sampler, tiny, seed, n_batches=100, batch=300):
    """Assert that a long chain has the marginals of the posterior."""
    problem, rng = tiny.problem(sampler), streams_of(sampler, seed)
    state = sampler.from_topics(problem, tiny.assignments[0].copy())
    chain = np.empty((n_batches * batch, state.z.size), np.uint16)
    for z in chain:
        sampler.sweep(problem, state, rng)
        z[:] = state.z
    expected = tiny.posterior @ marginals(tiny, tiny.assignments)
    means, errors = mean_and_error(marginals(tiny, chain), n_batches)
    # With 59 degrees of freedom or more, 4.5 standard errors are one false alarm in
    # 30,000 values; a chain has under 30.
    assert (abs(means - expected) < 4.5 * errors).all()
    assert errors.max() < 0.03  # or nothing was tested
