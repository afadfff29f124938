"""Word-topic counts as one list per word, of the topics that it has; and draws from it.

With many topics most of the table n_wk is zero. A list of the other entries makes
memory and the cost of a draw follow the topics that a word has now. With
t_k = (n_dk + alpha_k) / (n_k + V beta), the conditional of a token is

    p(z = k | rest) ~ t_k n_wk  +  t_k beta.

Only listed topics have the first part. The sum of the second changes in two terms when
a token moves. Where beta is an array, n_wk is n_wk + e_kw and beta the least of the
word (`sklda._core.word_prior`): topics with an excess never leave the list.
"""

from typing import NamedTuple

import numpy as np

from sklda._core.corpus import word_tokens
from sklda._core.entry import priors_of
from sklda._core.problem import LANES, Counts, count_type, padded
from sklda._core.random_streams import uniform, uniform_float32
from sklda._simd.compile import njit
from sklda._simd.places import entries_from, load_at_each, not_negative
from sklda._simd.prefetch import AHEAD, aligned_empty, prefetch
from sklda._simd.vectors import (
    any_lane,
    broadcast,
    choose,
    first_lane,
    last_in_all,
    load,
    running_sum,
    store,
    to_float,
    total,
)
from sklda._tables.document import ratio_without, update_ratio
from sklda._tables.weights import load_others, sum_others

UNKNOWN = -1
SPARE = 4  # topics that a list can take before others leave it


class ListCounts(NamedTuple):
    """The topics of the tokens, and for each word the list of the topics that it has.

    The list of word w is start[w]:start[w] + size[w]. The slots from there up to
    start[w + 1], a multiple of `LANES` away, hold topic n_lanes, of weight 0.
    """

    z: np.ndarray  # (n_tokens,) uint16
    topic: np.ndarray  # (n_lanes,) int32 or int64
    start: np.ndarray  # (n_words + 1,) int64
    size: np.ndarray  # (n_words,) int32
    list_topic: np.ndarray  # (start[-1],) int32
    list_count: np.ndarray  # (start[-1],) of that type, or float64: n_wk + e_kw


class WordList(NamedTuple):
    """The list of one word; `weight` has room for any."""

    topics: np.ndarray  # (n_slots,) int32
    counts: np.ndarray  # (n_slots,) int32, int64 or float64
    weight: np.ndarray  # (n_lanes + LANES,) float32, t_k n_wk, 0 after the last topic


class Cell(NamedTuple):
    """Numbers that a kernel carries from token to token of a cell."""

    topic: int  # of the last token, or `UNKNOWN`
    slot: int  # of that topic in the list
    size: int  # of the list
    others: float  # sum of the weights of all other slots
    ratio_sum: float  # sum of t_k over all topics


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def prefetch_list(word, c, state):
    """Prefetch the start of the list of a cell that comes after cell c."""
    w = not_negative(word[min(c + AHEAD, word.size - 1)])
    first = state.start[w]
    prefetch(state.size, w)
    for j in range(first, first + 2 * LANES, LANES):
        prefetch(state.list_topic, j)
        prefetch(state.list_count, j)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def weigh_list(ratio, topics, counts, size, weight, sought):
    """Weigh the topics of a list, all tokens counted.

    Return the sum of all but the topic `sought`, and its slot, 0 if absent.
    """
    wanted = broadcast(np.int32(sought), LANES)
    nothing = broadcast(np.float32(0), LANES)
    others, slot = nothing, np.int64(0)
    for block in range(0, not_negative(size), LANES):
        listed = load(topics, block, LANES)
        ratios = load_at_each(ratio, topics, block, LANES)
        weights = ratios * to_float(load(counts, block, LANES))
        store(weight, block, weights)
        found = listed == wanted
        others = others + choose(found, nothing, weights)
        slot = block + first_lane(found) if any_lane(found) else slot
    return total(others), slot


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def find(topics, size, k):
    """Return the slot of topic k in the list, or `size` if it is absent."""
    wanted = broadcast(np.int32(k), LANES)
    for block in range(0, size, LANES):
        found = load(topics, block, LANES) == wanted
        if any_lane(found):
            return block + first_lane(found)
    return size


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def pick_listed(weight, size, slot, r):
    """Return another slot with probability as its weight, r uniform in their sum."""
    most = broadcast(np.float32(r), LANES)
    before = broadcast(np.float32(0), LANES)
    j = size - 1  # unless rounding carries r past the end
    for block in range(0, size, LANES):
        ends = running_sum(load_others(weight, block, slot)) + before
        above = ends > most
        if any_lane(above):
            j = block + first_lane(above)
            break
        before = last_in_all(ends)
    # Rounding may make the sum of a slot without weight the first to exceed r.
    while j > 0 and (weight[j] <= 0 or j == slot):
        j -= 1
    return j


@njit(cache=True, nogil=True, _nrt=False)
def pick_any(ratio, n_lanes, old, r):
    """Return another topic with probability as its ratio, for r uniform in their sum.

    Sets the ratio of `old` to 0. Four blocks are summed at a time, because the sum over
    lanes takes longest.
    """
    ratio[old] = 0
    first, step = 0, 4 * LANES
    while first + step < n_lanes:
        sums = broadcast(np.float32(0), LANES)
        for block in range(first, first + step, LANES):
            sums = sums + load(ratio, block, LANES)
        sum_ = np.float64(total(sums))
        if r < sum_:
            break
        r -= sum_
        first += step
    k = first + pick_listed(ratio[first:], n_lanes - first, -1, r)
    while k > 0 and ratio[k] <= 0:
        k -= 1
    return k


@njit(cache=True, nogil=True, _nrt=False)
def add_topic(k, size, word_list):
    """Append a topic without tokens to the list."""
    topics, _, weight = word_list
    topics[size] = k
    if size & (LANES - 1) == 0:
        store(weight, size, broadcast(np.float32(0), LANES))


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def enter_cell(c, word, first, state, ratio_sum, weight, document):
    """Weigh the list of the word of cell c, and find the topic of its first token."""
    prefetch_list(word, c, state)
    w = not_negative(word[c])
    start = state.start[w]
    topics = entries_from(state.list_topic, start)
    counts = entries_from(state.list_count, start)
    k, size = np.int64(state.z[first]), np.int64(state.size[w])
    others, slot = weigh_list(document.ratio, topics, counts, size, weight, k)
    return WordList(topics, counts, weight), Cell(k, slot, size, others, ratio_sum)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def at_topic(k, cell, word_list):
    """Return the numbers of a cell whose next token has topic k."""
    k = np.int64(k)
    if k == cell.topic:
        return cell
    slot = find(word_list.topics, cell.size, k)
    others = sum_others(word_list.weight, cell.size, slot)
    return Cell(k, slot, cell.size, others, cell.ratio_sum)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def resample_listed(z, first, n, cell, word_list, priors, document, rng):
    """Resample the topic of n tokens of a cell, from z[first] on, that move together.

    `cell` is at their topic; return it after the draw. The draw tries the present topic
    first: most tokens keep it, and then nothing is written.
    """
    old, slot, size, others, ratio_sum = cell
    old, slot, size = not_negative(old), not_negative(slot), not_negative(size)
    topics, counts, weight = word_list
    doc_topic, topic, ratio = document
    beta = priors.topic_word
    # The weight of the present topic without these tokens.
    old_ratio = ratio_without(old, n, priors, document)
    old_weight = old_ratio * np.float32(counts[slot] - n)
    stay = old_weight + beta * old_ratio
    other_ratios = ratio_sum - ratio[old]
    listed = stay + others
    r = uniform_float32(rng) * (listed + beta * np.float32(other_ratios))
    if r < stay:
        return cell
    if r < listed:
        j = not_negative(pick_listed(weight, size, slot, r - stay))
        k = np.int64(topics[j])
    else:
        k = not_negative(pick_any(ratio, topic.size, old, uniform(rng) * other_ratios))
        j = not_negative(find(topics, size, k))
        if j == size:
            add_topic(k, size, word_list)
            size += 1
    for i in range(first, first + n):
        z[i] = k
    topic[old] -= n
    doc_topic[old] -= n
    counts[slot] -= n
    ratio[old] = old_ratio
    weight[slot] = old_weight
    ratio_sum = other_ratios + old_ratio - ratio[k]
    topic[k] += n
    doc_topic[k] += n
    counts[j] += n
    ratio_sum += update_ratio(k, priors, document)
    weight[j] = ratio[k] * np.float32(counts[j])
    if counts[slot] == 0:
        size = drop_topic(slot, size, topic.size, word_list)
    return Cell(UNKNOWN, 0, size, others, ratio_sum)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def resample_listed_cell(
    c, word, first, last, state, ratio_sum, priors, document, weight, rng
):
    """Resample the tokens of cell c one by one; return the new sum of the ratios."""
    word_list, cell = enter_cell(c, word, first, state, ratio_sum, weight, document)
    own = priors_of(not_negative(word[c]), priors)
    for i in range(not_negative(first), last):
        cell = at_topic(state.z[i], cell, word_list)
        cell = resample_listed(state.z, i, 1, cell, word_list, own, document, rng)
    state.size[not_negative(word[c])] = cell.size
    return cell.ratio_sum


@njit(cache=True, nogil=True, _nrt=False)
def gather(z, first, last, cell, word_list, priors, document):
    """Move the tokens from z[first] to before z[last] to the topic of `cell`."""
    k, _, size, others, ratio_sum = cell
    topics, counts, weight = word_list
    doc_topic, topic, ratio = document
    for i in range(first, last):
        old = np.int64(z[i])
        if old == k:
            continue
        z[i] = k
        old_j, j = find(topics, size, old), find(topics, size, k)
        for one, slot, change in ((old, old_j, -1), (k, j, 1)):
            ratio_sum -= ratio[one]
            doc_topic[one] += change
            topic[one] += change
            counts[slot] += change
            ratio_sum += update_ratio(one, priors, document)
            weight[slot] = ratio[one] * np.float32(counts[slot])
        if counts[old_j] == 0:
            size = drop_topic(old_j, size, topic.size, word_list)
    return at_topic(k, Cell(UNKNOWN, 0, size, others, ratio_sum), word_list)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def fill_gap(topics, counts, size, j, absent):
    """Move the last topic of a list to the empty slot j; return the new size."""
    size -= 1
    topics[j] = topics[size]
    counts[j] = counts[size]
    topics[size] = absent
    counts[size] = 0
    return size


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def drop_topic(j, size, absent, word_list):
    """Do the same, and move the weight too."""
    topics, counts, weight = word_list
    size = fill_gap(topics, counts, size, j, absent)
    weight[j] = weight[size]
    weight[size] = 0
    return size


def from_topics(problem, z):
    """Return the state in which the tokens have the topics z.

    A list has room for all topics that its tokens can have, and `SPARE` more.
    """
    n_words, n_lanes, excess = problem.n_words, problem.n_lanes, problem.excess
    listed = np.diff(excess.word_ptr)
    most = word_tokens(problem) + listed + SPARE
    room = padded(np.minimum(most, problem.n_topics).astype(np.int64) + 1)
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(room)])
    kind = count_type(z.size)
    state = ListCounts(
        z=z,
        topic=np.zeros(n_lanes, kind),
        start=start,
        size=np.zeros(n_words, np.int32),
        list_topic=aligned_empty(start[-1], np.int32),
        list_count=aligned_empty(start[-1], np.result_type(kind, excess.value)),
    )
    state.list_topic[:], state.list_count[:] = n_lanes, 0
    slots = np.arange(excess.topic.size)
    slots += np.repeat(start[:-1] - excess.word_ptr[:-1], listed)
    state.size[:] = listed
    state.list_topic[slots] = excess.topic
    state.list_count[slots] = excess.value
    _list(problem.corpus, state)
    return state


tables = from_topics  # a state has nothing else


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
    """Return the count tables, made from the lists."""
    n_words, n_lanes = state.size.size, state.topic.size
    word_topic = np.zeros((n_words, n_lanes), state.list_count.dtype)
    word = np.repeat(np.arange(n_words, dtype=np.int32), np.diff(state.start))
    used = state.list_count > 0
    word_topic[word[used], state.list_topic[used]] = state.list_count[used]
    if problem.has_word_prior:
        word_ptr, topic, value = problem.excess
        word_topic[np.repeat(np.arange(n_words), np.diff(word_ptr)), topic] -= value
        word_topic = np.rint(word_topic).astype(state.topic.dtype)
    return Counts(word_topic, state.topic)
