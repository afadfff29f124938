"""The word-topic counts as one list per word of the topics that it has.

For many topics most of the table n_wk is zero, and a list of what is not makes both
memory and the cost of a draw follow the topics that a word has now. With
t_k = (n_dk + alpha_k) / (n_k + V beta), the conditional of a token is

    p(z = k | rest) ~ t_k n_wk  +  t_k beta,

zero in its first part but for the listed topics; the sum of the second changes in two
terms when a token moves. Where beta is an array, n_wk is n_wk + e_kw and beta the least
of the word, as `word_prior` says: topics with an excess are in the list forever.
"""

from typing import NamedTuple

import numpy as np

from sklda._core.compile import njit
from sklda._core.document import ratio_without, update_ratio
from sklda._core.prefetch import AHEAD, prefetch
from sklda._core.problem import LANES, Counts, padded
from sklda._core.random_streams import uniform

SPARE = 4  # topics that a list can take before others leave it


class State(NamedTuple):
    """The assignments, and for each word the list of the topics that it has.

    Word w's list is start[w]:start[w] + size[w]; the slots from there to start[w + 1],
    a multiple of `LANES` away, hold topic n_lanes (of weight 0) and count 0.
    """

    z: np.ndarray  # (n_tokens,) uint16
    topic: np.ndarray  # (n_lanes,) int32
    start: np.ndarray  # (n_words + 1,) int64
    size: np.ndarray  # (n_words,) int32
    list_topic: np.ndarray  # (start[-1],) int32
    list_count: np.ndarray  # (start[-1],) int32, or float64: n_wk + e_kw


class WordList(NamedTuple):
    """The slots of one word; `weight` has room for the longest list."""

    topics: np.ndarray  # (n_slots,) int32
    counts: np.ndarray  # (n_slots,) int32 or float64
    weight: np.ndarray  # (n_lanes + LANES,) float32, t_k n_wk


class Cell(NamedTuple):
    """Numbers that a kernel carries from token to token of a cell."""

    topic: int  # of the last token
    slot: int  # of that topic in the list
    size: int  # of the list
    listed: float  # sum of the weights of the list
    ratio_sum: float  # sum of t_k over all topics


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def prefetch_list(word, c, state):
    """Prefetch the start of the list of a cell that comes after cell c."""
    first = state.start[word[min(c + AHEAD, word.size - 1)]]
    for j in range(first, first + 2 * LANES, LANES):
        prefetch(state.list_topic, j)
        prefetch(state.list_count, j)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def list_of(w, state, weight):
    """Return the list of word w."""
    first, last = state.start[w], state.start[w + 1]
    return WordList(state.list_topic[first:last], state.list_count[first:last], weight)


@njit(cache=True, nogil=True, fastmath=True, _nrt=False)
def weigh(ratio, topics, counts, size, weight, sought):
    """Weigh the topics that a word has, all tokens counted.

    Return the sum, and the slot of the topic `sought` in the list, 0 if absent: it
    costs next to nothing while the sum waits for its last term.
    """
    total = np.float32(0)
    slot = 0
    for j in range(size):
        k = topics[j]
        slot = j if k == sought else slot
        weight[j] = ratio[k] * np.float32(counts[j])
        total += weight[j]
    return np.float64(total), slot


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def find(topics, size, k):
    """Return the slot of topic k in the list, or `size` where it is absent."""
    for block in range(0, size, LANES):
        slot = -1
        for j in range(LANES):
            slot = max(slot, j if topics[block + j] == k else -1)
        if slot >= 0:
            return block + slot
    return size


@njit(cache=True, nogil=True, _nrt=False)
def pick_listed(weight, size, r):
    """Return a slot of the list with probability as its weight, r in their sum."""
    last = 0
    for j in range(size):
        if weight[j] > 0:
            last = j
            r -= weight[j]
            if r < 0:
                break
    return last


@njit(cache=True, nogil=True, fastmath=True, _nrt=False)
def pick_any(ratio, n_lanes, r):
    """Return a topic with probability as its ratio, for r uniform in their sum."""
    block = 0
    while block + LANES < n_lanes:
        block_sum = np.float32(0)
        for j in range(LANES):
            block_sum += ratio[block + j]
        if r < block_sum:
            break
        r -= block_sum
        block += LANES
    k = block
    while k < block + LANES - 1 and r >= ratio[k]:
        r -= ratio[k]
        k += 1
    while k > 0 and ratio[k] <= 0:  # rounding carried r into the padding
        k -= 1
    return k


@njit(cache=True, nogil=True, _nrt=False)
def draw_slot(r, listed, beta, word_list, ratio, size):
    """Draw a topic, for r uniform in `listed` + beta * sum(ratio); return its slot.

    That is `size`, the end of the list, for a topic that the word does not have yet.
    """
    topics, _, weight = word_list
    if size > 0 and r < listed:  # rounding can make r negative
        return pick_listed(weight, size, r)
    k = pick_any(ratio, ratio.size - LANES, (r - listed) / beta)
    j = find(topics, size, k)
    if j == size:
        topics[j] = k
        weight[j] = 0
    return j


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def enter_cell(c, word, first, state, ratio_sum, weight, document):
    """Weigh the list of the word of cell c, and find the topic of its first token.

    That is token ``first[c]``. Return the list, and the numbers of the cell.
    """
    prefetch_list(word, c, state)
    w = word[c]
    word_list = list_of(w, state, weight)
    topics, counts, _ = word_list
    k, size = np.int64(state.z[first[c]]), np.int64(state.size[w])
    listed, slot = weigh(document.ratio, topics, counts, size, weight, k)
    return word_list, Cell(k, slot, size, listed, ratio_sum)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def at_topic(k, cell, word_list):
    """Return the numbers of a cell whose next token has topic k."""
    k = np.int64(k)
    if k == cell.topic:
        return cell
    slot = find(word_list.topics, cell.size, k)
    return Cell(k, slot, cell.size, cell.listed, cell.ratio_sum)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def resample(z, first, n, cell, word_list, priors, document, rng):
    """Resample the topic of n tokens of a cell, from z[first] on, that move together.

    `cell` is at their topic; return it as it is after the move. The draw tries the
    present topic first: most tokens keep it, and then nothing is written.
    """
    old, old_j, size, listed, ratio_sum = cell
    topics, counts, weight = word_list
    doc_topic, topic, ratio = document
    beta = priors.topic_word
    # The weight of the present topic with the tokens themselves taken out.
    old_ratio = ratio_without(old, n, priors, document)
    old_weight = old_ratio * np.float32(counts[old_j] - n)
    stay = np.float64(old_weight) + beta * old_ratio
    other_listed = listed - weight[old_j]
    other_ratios = ratio_sum - ratio[old]
    r = uniform(rng) * (stay + other_listed + beta * other_ratios)
    if r < stay:
        return cell
    weight[old_j] = 0
    ratio[old] = 0
    j = draw_slot(r - stay, other_listed, beta, word_list, ratio, size)
    size = max(size, j + 1)
    topic[old] -= n
    doc_topic[old] -= n
    counts[old_j] -= n
    ratio[old] = old_ratio
    weight[old_j] = old_weight
    k = np.int64(topics[j])
    for i in range(first, first + n):
        z[i] = k
    listed = other_listed + old_weight - weight[j]
    ratio_sum = other_ratios + old_ratio - ratio[k]
    topic[k] += n
    doc_topic[k] += n
    counts[j] += n
    ratio_sum += update_ratio(k, priors, document)
    weight[j] = ratio[k] * np.float32(counts[j])
    listed += weight[j]
    if counts[old_j] == 0:
        size = fill_gap(topics, counts, size, old_j, topic.size)
        weight[old_j] = weight[size]
        j = old_j if j == size else j
    return Cell(k, j, size, listed, ratio_sum)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def resample_each(z, first, last, cell, word_list, priors, document, rng):
    """Resample the tokens of a cell one after the other."""
    for i in range(first, last):
        cell = at_topic(z[i], cell, word_list)
        cell = resample(z, i, 1, cell, word_list, priors, document, rng)
    return cell


@njit(cache=True, nogil=True, _nrt=False)
def gather(z, first, last, cell, word_list, priors, document):
    """Move tokens of a cell, from z[first] to before z[last], to the topic of `cell`.

    Return the numbers of the cell after that.
    """
    k, j, size, listed, ratio_sum = cell
    topics, counts, weight = word_list
    doc_topic, topic, ratio = document
    for i in range(first, last):
        old = np.int64(z[i])
        if old == k:
            continue
        z[i] = k
        old_j = find(topics, size, old)
        for one, slot, change in ((old, old_j, -1), (k, j, 1)):
            listed -= weight[slot]
            ratio_sum -= ratio[one]
            doc_topic[one] += change
            topic[one] += change
            counts[slot] += change
            ratio_sum += update_ratio(one, priors, document)
            weight[slot] = ratio[one] * np.float32(counts[slot])
            listed += weight[slot]
        if counts[old_j] == 0:
            size = fill_gap(topics, counts, size, old_j, topic.size)
            weight[old_j] = weight[size]
            j = old_j if j == size else j
    return Cell(k, j, size, listed, ratio_sum)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def fill_gap(topics, counts, size, j, absent):
    """Move the last topic of the list to the empty slot j; return the new size."""
    size -= 1
    topics[j] = topics[size]
    counts[j] = counts[size]
    topics[size] = absent
    counts[size] = 0
    return size


def from_topics(problem, z):
    """Return the state in which the tokens have the topics z.

    Each list has room for all topics that its tokens can have, and `SPARE` more.
    """
    corpus, n_words, n_lanes = problem.corpus, problem.n_words, problem.n_lanes
    tokens = np.bincount(corpus.word, np.diff(corpus.token_ptr), n_words)
    excess = problem.excess
    most = tokens + np.diff(excess.word_ptr) + SPARE
    room = padded(np.minimum(most, problem.n_topics).astype(np.int64) + 1)
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(room)])
    state = State(
        z=z,
        topic=np.zeros(n_lanes, np.int32),
        start=start,
        size=np.zeros(n_words, np.int32),
        list_topic=np.full(start[-1], n_lanes, np.int32),
        list_count=np.zeros(start[-1], excess.value.dtype),
    )
    _list_excess(excess, state)
    _list(corpus, state)
    return state


@njit(cache=True, nogil=True)
def _list_excess(excess, state):
    word_ptr, topic, value = excess
    for w in range(word_ptr.size - 1):
        state.size[w] = word_ptr[w + 1] - word_ptr[w]
        for j in range(state.size[w]):
            slot = state.start[w] + j
            state.list_topic[slot] = topic[word_ptr[w] + j]
            state.list_count[slot] = value[word_ptr[w] + j]


@njit(cache=True, nogil=True)
def _list(corpus, state):
    _, word, token_ptr = corpus
    z, topic, start, sizes, list_topic, list_count = state
    for c in range(word.size):
        w = word[c]
        topics = list_topic[start[w] : start[w + 1]]
        for i in range(token_ptr[c], token_ptr[c + 1]):
            k = np.int64(z[i])
            topic[k] += 1
            j = find(topics, np.int64(sizes[w]), k)
            if j == sizes[w]:
                topics[j] = k
                sizes[w] += 1
            list_count[start[w] + j] += 1


def kernel_priors(problem):
    """Return the priors as kernels over lists take them."""
    if problem.has_word_prior:
        return problem.kernel_priors(problem.topic_word_prior.least.astype(np.float32))
    return problem.kernel_priors()


def counts(problem, state):
    """Return the count tables, made anew from the lists."""
    n_words, n_lanes = state.size.size, state.topic.size
    word_topic = np.zeros((n_words, n_lanes), state.list_count.dtype)
    word = np.repeat(np.arange(n_words, dtype=np.int32), np.diff(state.start))
    used = state.list_count > 0
    word_topic[word[used], state.list_topic[used]] = state.list_count[used]
    if problem.has_word_prior:
        word_ptr, topic, value = problem.excess
        word_topic[np.repeat(np.arange(n_words), np.diff(word_ptr)), topic] -= value
        word_topic = np.rint(word_topic).astype(np.int32)
    return Counts(word_topic, state.topic)
