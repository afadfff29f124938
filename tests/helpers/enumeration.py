"""Tiny corpora of which every assignment can be listed, and kernels with edited source.

The formulas are written down here a second time, from the paper and in plain Python,
so that they share no line with the library.
"""

import copy
import importlib
import itertools
import math
import random
import re
from functools import cached_property
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
from scipy import stats

import sklda
from sklda._core.corpus import cut_cells
from sklda._core import random_streams as draws
from sklda._core.problem import LANES, Corpus, Priors

KERNELS = Path(sklda.__file__).parent / "_kernels"


class Problem:
    """A corpus, given as documents of (word, count) pairs, and its priors."""

    def __init__(self, docs, n_words, alpha, beta):
        self.docs, self.n_words = docs, n_words
        self.alpha, self.beta = alpha, beta
        self.n_topics = len(alpha)

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
        n_kw = [[0] * self.n_words for _ in self.alpha]
        n_k = [0] * self.n_topics
        for (d, w), k in zip(self.tokens, z, strict=False):
            n_dk[d][k] += 1
            n_kw[k][w] += 1
            n_k[k] += 1
        return n_dk, n_kw, n_k

    def log_joint(self, z):
        """Return log p(w, z), theta and phi integrated out, with all constants."""
        sum_alpha = sum(self.alpha)
        total = self.log_word_likelihood(z)
        for row in self.tables(z)[0]:
            total += math.lgamma(sum_alpha) - math.lgamma(sum(row) + sum_alpha)
            for n, a in zip(row, self.alpha, strict=True):
                total += math.lgamma(n + a) - math.lgamma(a)
        return total

    def log_word_likelihood(self, z):
        """Return log p(w | z)."""
        _, n_kw, n_k = self.tables(z)
        v_beta = self.n_words * self.beta
        total = 0.0
        for row, n in zip(n_kw, n_k, strict=True):
            total += math.lgamma(v_beta) - math.lgamma(n + v_beta)
            for m in row:
                total += math.lgamma(m + self.beta) - math.lgamma(self.beta)
        return total

    def urns(self, z):
        """Return, for each token, the weights of the topics and its own topic.

        The weights are (n_dk + alpha_k) (n_kw + beta) / (n_k + V beta), the counts
        those of the tokens before it.
        """
        found = []
        for i, (d, w) in enumerate(self.tokens):
            n_dk, n_kw, n_k = self.tables(z[:i])
            weights = [
                (n_dk[d][k] + self.alpha[k])
                * (n_kw[k][w] + self.beta)
                / (n_k[k] + self.n_words * self.beta)
                for k in range(self.n_topics)
            ]
            found.append((weights, z[i]))
        return found


def cut(problem, most):
    """Return the problem with cells of at most `most` tokens; None is as it is."""
    problem.posterior  # noqa: B018  all copies share it
    other = copy.copy(problem)
    if most is not None:
        other.corpus = cut_cells(problem.corpus, most)
    return other


# --- what kernels take -----------------------------------------------------------


def padded(n, kernel):
    """Return the smallest multiple of the kernel's lanes that is at least n."""
    lanes = getattr(kernel, "LANES", LANES)
    return -(-n // lanes) * lanes


def kernel_priors(kernel, alpha, beta):
    lanes = np.zeros(padded(len(alpha), kernel), np.float32)
    lanes[: len(alpha)] = alpha
    return Priors(lanes, np.float32(beta))


def stream(seed):
    return draws.new_stream(np.random.SeedSequence(seed))


def in_groups(kernel, n_draws):
    """Return a kernel of groups of tokens as one that is swept like the others.

    ``n_draws(n_tokens)`` is asked at each sweep how many draws the cells get.
    """

    def sweep(corpus, state, priors, rng):
        draws_ = np.asarray(n_draws(np.diff(corpus.token_ptr)), np.int32)
        kernel.sweep(corpus, state, priors, rng, draws_)

    return SimpleNamespace(**{**vars(kernel), "sweep": sweep})


def any_groups(kernel):
    """Return it with numbers of draws that differ from cell to cell and in time."""
    rng = np.random.default_rng(0)
    return in_groups(kernel, lambda n_tokens: rng.integers(1, n_tokens + 1))


def state_of(kernel, problem, z):
    """Return the kernel's state that holds the assignment z."""
    n_words, n_lanes = problem.n_words, padded(problem.n_topics, kernel)
    _, n_kw, n_k = problem.tables(z)
    word_topic = np.zeros((n_words, n_lanes), np.int32)
    word_topic[:, : problem.n_topics] = np.transpose(n_kw)
    topic = np.zeros(n_lanes, np.int32)
    topic[: problem.n_topics] = n_k
    z = np.array(z, np.uint16)
    if "list_topic" not in kernel.State._fields:
        return kernel.State(z=z, word_topic=word_topic, topic=topic)
    most = np.minimum(word_topic.sum(1), problem.n_topics).astype(np.int64)
    room = padded(most + 1, kernel)
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(room)])
    list_topic = np.full(start[-1], n_lanes, np.int32)
    list_count = np.zeros(start[-1], np.int32)
    for w, row in enumerate(word_topic):
        topics = np.flatnonzero(row)[::-1]  # a list may have any order
        list_topic[start[w] : start[w] + topics.size] = topics
        list_count[start[w] : start[w] + topics.size] = row[topics]
    size = (word_topic > 0).sum(1).astype(np.int32)
    return kernel.State(z, topic, start, size, list_topic, list_count)


def faults(state, words, n_topics):
    """Return what is wrong with the tables of a state; `words` has that of each token.

    Lists of topics must hold each topic that the word has once, nothing else, and
    behind their end the topic n_lanes with the count 0.
    """
    if (state.z >= n_topics).any():
        return ["a token has a topic that does not exist"]
    sparse = "list_topic" in state._fields
    n_words = state.size.size if sparse else len(state.word_topic)
    word_topic = np.zeros((n_words, state.topic.size), np.int32)
    np.add.at(word_topic, (words, state.z), 1)
    found = []
    if not np.array_equal(state.topic, word_topic.sum(0)):
        found.append("n_k is not the number of tokens on topic k")
    if not sparse:
        if not np.array_equal(state.word_topic, word_topic):
            found.append("n_wk is not the number of tokens of w on topic k")
        return found
    topics, counts = state.list_topic.tolist(), state.list_count.tolist()
    for w, row in enumerate(word_topic):
        first, last = state.start[w : w + 2].tolist()
        end = first + int(state.size[w])
        listed = sorted(zip(topics[first:end], counts[first:end], strict=True))
        if listed != [(k, row[k]) for k in np.flatnonzero(row)]:
            found.append(f"the list of word {w} is not what its tokens have")
        padding = set(zip(topics[end:last], counts[end:last], strict=True))
        if padding - {(state.topic.size, 0)}:
            found.append(f"the list of word {w} goes on behind its end")
    return found


# --- draws of assignments --------------------------------------------------------


def sweep_exact_draws(kernel, problem, n_draws, seed):
    """Sweep once from each of `n_draws` independent draws from the posterior.

    Return how often each assignment came out, those that cannot be at the end; and
    whether the tables were right wherever they were looked at.
    """
    exact = np.random.default_rng(seed).choice(
        problem.posterior.size, n_draws, p=problem.posterior
    )
    priors = kernel_priors(kernel, problem.alpha, problem.beta)
    rng = getattr(kernel, "stream", stream)(seed)
    first = {
        number: state_of(kernel, problem, problem.assignments[number])
        for number in np.unique(exact).tolist()
    }

    def swept():
        for number in exact.tolist():
            state = kernel.State(*(array.copy() for array in first[number]))
            kernel.sweep(problem.corpus, state, priors, rng)
            yield state

    return _count(problem, swept())


def start(kernel, problem, n_draws, seed):
    """Return the same for `n_draws` first assignments, those of `init`."""
    priors = kernel_priors(kernel, problem.alpha, problem.beta)
    rng = getattr(kernel, "stream", stream)(seed)
    states = (
        kernel.init(problem.corpus, problem.n_words, priors, rng)
        for _ in range(n_draws)
    )
    return _count(problem, states)


def _count(problem, states):
    words = np.array([w for _, w in problem.tokens])
    numbers, sound = [], True
    for i, state in enumerate(states):
        numbers.append(problem.number_of(state.z))
        if i % 16 == 0:  # to look is slower than to sweep
            sound = sound and not faults(state, words, problem.n_topics)
    n_assignments = len(problem.assignments)
    return np.bincount(numbers, minlength=n_assignments + 1), sound


def chi_square_pvalue(seen, probabilities):
    """Return the p-value of counts, the last of which is of what cannot happen.

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


# --- edited kernels --------------------------------------------------------------


def interpreted(name, edits=(), *, lanes=LANES, compiled_draws=False):
    """Return a kernel that Python itself runs, made from its source after edits.

    An edit is (old text, new text, number of its occurrences), in the module or in
    those whose functions it calls: `parts` of the kernel holds them all. With fewer
    lanes a sweep is faster, and few topics fill several registers. The random numbers
    are Python's own, which is faster too, unless `compiled_draws` asks for those of
    the kernels.
    """
    sources = _sources(name)
    for old, new, times in edits:
        assert sum(source.count(old) for source in sources.values()) == times, old
        sources = {part: text.replace(old, new) for part, text in sources.items()}
    parts = {}
    for part, source in sources.items():
        kernel = parts[part] = _execute(part, source)
        for called in parts:
            _call_instead(kernel, called, parts[called])
        kernel.LANES = lanes
        kernel.padded = lambda n: -(-n // lanes) * lanes
        if not compiled_draws:
            kernel.uniform = random.Random.random
            kernel.next_uint64 = lambda rng: np.uint64(rng.getrandbits(64))
    kernel.stream = stream if compiled_draws else random.Random
    kernel.parts = list(parts.values())
    return kernel


def _sources(name):
    """Return the source of a kernel and before it those of the modules it imports."""
    source = (KERNELS / f"{name}.py").read_text(encoding="utf-8")
    assert source.count("from numba import njit\n") <= 1
    found = {}
    imported = re.findall(r"^from sklda\._kernels\.(\w+) import", source, re.M)
    for names in re.findall(r"^from sklda\._kernels import (.+)$", source, re.M):
        imported += names.split(", ")
    for called in imported:
        if called not in ("arrays", "draws"):
            found |= _sources(called)
    return found | {name: source.replace("from numba import njit\n", "")}


def _call_instead(kernel, name, called):
    """Replace a module, or what a kernel imported from it, by `called` and its own."""
    module = importlib.import_module(f"sklda._kernels.{name}")
    own = {id(value): key for key, value in vars(module).items() if callable(value)}
    for key, value in list(vars(kernel).items()):
        if value is module:
            setattr(kernel, key, called)
        elif id(value) in own and not key.startswith("__"):
            setattr(kernel, key, getattr(called, own[id(value)]))


def _execute(name, source):
    """Run the source of a kernel whose functions are not to be compiled."""
    module = ModuleType(f"interpreted_{name}")
    module.njit = lambda **_: lambda function: function
    exec(compile(source, str(KERNELS / f"{name}.py"), "exec"), vars(module))
    return module
