"""Word-topic counts in one list per word, of the topics that it has; draws from lists.

With many topics most of the table n_wk is zero. A list of the other entries makes
memory and the cost of a draw follow the topics that a word has now. With
t_k = (n_dk + alpha_k) / (n_k + V beta), the conditional of a token is

    p(z = k | rest) ~ t_k n_wk  +  t_k beta.

Only listed topics have the first part. The sum of the second changes in two terms when
a token moves. If beta is an array, n_wk + e_kw takes the place of n_wk, and the least
beta of the word that of beta (`sklda._sampling.problem`). Topics with an excess e_kw
stand at the beginning of the list and never leave it.

A slot of a list is one integer, to halve the memory: the lowest bits, as many as the
number of topics takes, are a topic; the others are its number of tokens. First come the
functions that pack and unpack slots, then lists and draws from them, then the state of
a sampler.
"""

from typing import Any, NamedTuple

import numpy as np

from sklda._data.corpus import starts
from sklda._sampling.problem import LANES, Counts, count_type, padded, word_tokens
from sklda._sampling.random_streams import uniform, uniform_float32
from sklda._simd.arrays import (
    entries_from,
    entry,
    is_per_item,
    load_at_each,
    not_negative,
    priors_of,
)
from sklda._simd.compile import inlined_kernel, kernel, lean_kernel, preoptimised_kernel
from sklda._simd.vectors import (
    AHEAD,
    aligned_empty,
    any_lane,
    broadcast,
    choose,
    entries,
    first_lane,
    load,
    one_hot,
    prefetch,
    running_sums,
    store,
    to_float,
    total,
)
from sklda._tables.document import ratio_without, update_ratio

PACKED_BITS = 31  # of an int32 without its sign


def topic_bits(n_lanes: int) -> int:
    """Return the bits that a topic takes; the number n_lanes means no topic."""
    return int(n_lanes).bit_length()


def packed_type(n_lanes: int, most_tokens: int) -> type:
    """Return the type of slots with up to `most_tokens`, np.int32 or np.int64."""
    fits = most_tokens < 1 << (PACKED_BITS - topic_bits(n_lanes))
    return np.int32 if fits else np.int64


@inlined_kernel
def topic_of(number, bits):
    """Return the topic of a slot."""
    return np.int64(number) & ((1 << bits) - 1)


@inlined_kernel
def tokens_of(number, bits):
    """Return the number of tokens of a slot."""
    return np.int64(number) >> bits


@inlined_kernel
def load_topics(packed, begin, bits):
    """Return the topics of the slots from `begin` on, a vector of their type."""
    all_bits = broadcast(packed.dtype.type((1 << bits) - 1), LANES)
    return load(packed, begin, LANES) & all_bits


@inlined_kernel
def load_tokens(packed, begin, bits):
    """Return the tokens of the slots from `begin` on, a vector of their type."""
    return load(packed, begin, LANES) >> broadcast(packed.dtype.type(bits), LANES)


@inlined_kernel
def mass(j, n, word_list):
    """Return n_wk, or n_wk + e_kw, of the topic in slot j without n of its tokens."""
    tokens = tokens_of(word_list.packed[j], word_list.bits)
    return np.float32(tokens - n) + entry(word_list.excess, j)


@inlined_kernel
def is_empty(j, word_list):
    """Return whether the topic in slot j has neither tokens nor excess."""
    return mass(j, 0, word_list) == 0


@inlined_kernel
def find(packed, bits, size, k):
    """Return the slot of topic k in the list, or `size` if it is absent."""
    wanted = broadcast(packed.dtype.type(k), LANES)
    for begin in range(0, size, LANES):
        found = load_topics(packed, begin, bits) == wanted
        if any_lane(found):
            return begin + first_lane(found)
    return size


@inlined_kernel
def fill_gap(packed, size, j, absent):
    """Move the last topic of a list to the empty slot j; return the new size."""
    size -= 1
    packed[j] = packed[size]
    packed[size] = absent
    return size


def split(packed, bits):
    """Return the topics and the tokens of an array of slots."""
    return packed & ((1 << bits) - 1), packed >> bits


UNKNOWN = -1
SPARE = 4  # topics that a full list can take before others leave it


class ListCounts(NamedTuple):
    """The topics of the tokens, and for each word the list of the topics that it has.

    The list of word w is start[w]:start[w] + size[w]. The slots from there up to
    start[w + 1], a multiple of `LANES` away, hold topic n_lanes, without tokens.
    """

    z: np.ndarray  # (n_tokens,) uint16
    topic: np.ndarray  # (n_lanes,) int32 or int64
    start: np.ndarray  # (n_words + 1,) int64
    size: np.ndarray  # (n_words,) int32
    packed: np.ndarray  # (start[-1],) int32 or int64, topics and n_wk
    bits: int  # of a topic in a slot
    excess: np.float32 | np.ndarray  # 0; or e_kw, (start[-1],) float32


class WordList(NamedTuple):
    """The list of one word; `weight` is long enough for any list."""

    packed: np.ndarray  # (n_slots,) int32 or int64
    bits: int
    excess: np.float32 | np.ndarray  # 0; or (n_slots,)
    weight: np.ndarray  # (n_lanes + LANES,) float32, t_k n_wk, 0 after the last topic


class Cell(NamedTuple):
    """Numbers that a kernel carries from token to token of a cell."""

    topic: int  # of the last token, or `UNKNOWN`
    slot: int  # of that topic in the list
    size: int  # of the list
    other_sum: float  # sum of the weights of all other slots
    ratio_sum: float  # sum of t_k over all topics


@inlined_kernel
def prefetch_list(word, c, state):
    """Prefetch the first four lines of the list of a cell that comes after cell c.

    Where the list starts is itself prefetched for a later cell: a large vocabulary does
    not fit into the cache, and the load would wait for memory.
    """
    later = not_negative(word[min(c + 2 * AHEAD, word.size - 1)])
    prefetch(state.start, later)
    prefetch(state.size, later)
    first = state.start[not_negative(word[min(c + AHEAD, word.size - 1)])]
    for j in range(first, first + 4 * LANES, LANES):
        prefetch(state.packed, j)


@inlined_kernel
def load_ratios(ratio, begin, word_list):
    """Return the ratios of the topics in the slots from `begin` on.

    Topics with an excess ascend. If most topics have one, most registers hold topics in
    a row, whose ratios one load reads.
    """
    packed, bits, excess, _ = word_list
    end = begin + LANES - 1
    if is_per_item(excess) and entry(excess, end) > 0:
        first = topic_of(packed[begin], bits)
        if topic_of(packed[end], bits) - first == end - begin:
            return load(ratio, first, LANES)
    return load_at_each(ratio, packed, bits, begin, LANES)


@inlined_kernel
def load_others(weight, begin, k):
    """Return a register of weights from `begin` on, in which weight k becomes 0."""
    nothing = broadcast(np.float32(0), LANES)
    return choose(one_hot(k - begin, LANES), nothing, load(weight, begin, LANES))


@lean_kernel
def sum_others(weight, size, k):
    """Return the sum of all weights but weight k.

    Subtracting a dominant weight from the total would lose all digits.
    """
    sums = broadcast(np.float32(0), LANES)
    for begin in range(0, size, LANES):
        sums = sums + load_others(weight, begin, k)
    return total(sums)


@preoptimised_kernel
def weigh_list(ratio, size, sought, word_list):
    """Weigh the topics of a list, with all tokens counted.

    Return the sum of the weights of all topics but `sought`, and the slot of `sought`,
    or 0 if it is absent.
    """
    packed, bits, excess, weight = word_list
    wanted = broadcast(packed.dtype.type(sought), LANES)
    nothing = broadcast(np.float32(0), LANES)
    other_sum, slot = nothing, np.int64(0)
    for begin in range(0, not_negative(size), LANES):
        ratios = load_ratios(ratio, begin, word_list)
        tokens = to_float(load_tokens(packed, begin, bits))
        weights = ratios * (tokens + entries(excess, begin, LANES))
        store(weight, begin, weights)
        found = load_topics(packed, begin, bits) == wanted
        other_sum = other_sum + choose(found, nothing, weights)
        slot = begin + first_lane(found) if any_lane(found) else slot
    return total(other_sum), slot


@preoptimised_kernel
def pick_listed(weight, size, slot, r):
    """Draw a slot other than `slot` in proportion to its weight.

    `r` is uniform from 0 to the sum of these weights.
    """
    most = broadcast(np.float32(r), LANES)
    before = broadcast(np.float32(0), LANES)
    j = size - 1  # unless rounding carries r past the end
    for begin in range(0, size, LANES):
        _, ends, whole = running_sums(load_others(weight, begin, slot))
        above = ends + before > most
        if any_lane(above):
            j = begin + first_lane(above)
            break
        before = before + whole
    # Rounding may make the sum of a slot without weight the first to exceed r.
    while j > 0 and (not weight[j] > 0 or j == slot):
        j -= 1
    return j


@lean_kernel
def pick_any(ratio, n_lanes, old, r):
    """Draw a topic other than `old` in proportion to its ratio; set that of `old` to 0.

    `r` is uniform from 0 to the sum of these ratios. Four registers are added before
    their lanes are, because the sum over lanes takes longest.
    """
    ratio[old] = 0
    first, step = 0, 4 * LANES
    while first + step < n_lanes:
        sums = broadcast(np.float32(0), LANES)
        for begin in range(first, first + step, LANES):
            sums = sums + load(ratio, begin, LANES)
        sum_ = np.float64(total(sums))
        if r < sum_:
            break
        r -= sum_
        first += step
    k = first + pick_listed(ratio[first:], n_lanes - first, -1, r)
    while k > 0 and not ratio[k] > 0:
        k -= 1
    return k


@lean_kernel
def add_topic(k, size, word_list):
    """Append a topic without tokens to the list."""
    packed, _, _, weight = word_list
    packed[size] = k
    if size & (LANES - 1) == 0:
        store(weight, size, broadcast(np.float32(0), LANES))


@inlined_kernel
def enter_cell(c, word, first, state, ratio_sum, weight, document):
    """Weigh the list of the word of cell c, and find the topic of its first token."""
    prefetch_list(word, c, state)
    w = not_negative(word[c])
    start = state.start[w]
    packed, excess = (
        entries_from(state.packed, start),
        entries_from(state.excess, start),
    )
    word_list = WordList(packed, state.bits, excess, weight)
    k, size = np.int64(state.z[first]), np.int64(state.size[w])
    other_sum, slot = weigh_list(document.ratio, size, k, word_list)
    return word_list, Cell(k, slot, size, other_sum, ratio_sum)


@inlined_kernel
def at_topic(k, cell, word_list):
    """Return `cell` with its numbers set for a next token of topic k."""
    k = np.int64(k)
    if k == cell.topic:
        return cell
    slot = find(word_list.packed, word_list.bits, cell.size, k)
    other_sum = sum_others(word_list.weight, cell.size, slot)
    return Cell(k, slot, cell.size, other_sum, cell.ratio_sum)


@preoptimised_kernel
def resample_listed(z, first, n, cell, word_list, priors, document, rng):
    """Resample the topic of n tokens of a cell, from z[first] on, that move together.

    `cell` is at their topic; return it after the draw. The draw tries the present topic
    first: most tokens keep it, and then nothing is written.
    """
    old, slot, size, other_sum, ratio_sum = cell
    old, slot, size = not_negative(old), not_negative(slot), not_negative(size)
    packed, bits, _, weight = word_list
    doc_topic, topic, ratio = document
    beta = priors.topic_word
    # The weight of the present topic without these tokens.
    old_ratio = ratio_without(old, n, priors, document)
    old_weight = old_ratio * mass(slot, n, word_list)
    stay = old_weight + beta * old_ratio
    other_ratios = ratio_sum - ratio[old]
    listed = stay + other_sum
    r = uniform_float32(rng) * (listed + beta * np.float32(other_ratios))
    if r < stay:
        return cell
    if r < listed:
        j = not_negative(pick_listed(weight, size, slot, r - stay))
        k = topic_of(packed[j], bits)
    else:
        k = not_negative(pick_any(ratio, topic.size, old, uniform(rng) * other_ratios))
        j = not_negative(find(packed, bits, size, k))
        if j == size:
            add_topic(k, size, word_list)
            size += 1
    for i in range(first, first + n):
        z[i] = k
    topic[old] -= n
    doc_topic[old] -= n
    packed[slot] -= n << bits
    ratio[old] = old_ratio
    weight[slot] = old_weight
    ratio_sum = other_ratios + old_ratio - ratio[k]
    topic[k] += n
    doc_topic[k] += n
    packed[j] += n << bits
    ratio_sum += update_ratio(k, priors, document)
    weight[j] = ratio[k] * mass(j, 0, word_list)
    if is_empty(slot, word_list):
        size = drop_topic(slot, size, topic.size, word_list)
    return Cell(UNKNOWN, 0, size, other_sum, ratio_sum)


@preoptimised_kernel
def resample_listed_cell(
    c, word, first, last, state, ratio_sum, priors, document, weight, rng
):
    """Resample the tokens of cell c one by one; return the new sum of the ratios."""
    word_list, cell = enter_cell(c, word, first, state, ratio_sum, weight, document)
    word_priors = priors_of(not_negative(word[c]), priors)
    for i in range(not_negative(first), last):
        cell = at_topic(state.z[i], cell, word_list)
        cell = resample_listed(
            state.z, i, 1, cell, word_list, word_priors, document, rng
        )
    state.size[not_negative(word[c])] = cell.size
    return cell.ratio_sum


@lean_kernel
def gather(z, first, last, cell, word_list, priors, document):
    """Move the tokens from z[first] to before z[last] to the topic of `cell`."""
    k, _, size, other_sum, ratio_sum = cell
    packed, bits, _, weight = word_list
    doc_topic, topic, ratio = document
    for i in range(first, last):
        old = np.int64(z[i])
        if old == k:
            continue
        z[i] = k
        old_j, j = find(packed, bits, size, old), find(packed, bits, size, k)
        for changed, slot, change in ((old, old_j, -1), (k, j, 1)):
            ratio_sum -= ratio[changed]
            doc_topic[changed] += change
            topic[changed] += change
            packed[slot] += change << bits
            ratio_sum += update_ratio(changed, priors, document)
            weight[slot] = ratio[changed] * mass(slot, 0, word_list)
        if is_empty(old_j, word_list):
            size = drop_topic(old_j, size, topic.size, word_list)
    return at_topic(k, Cell(UNKNOWN, 0, size, other_sum, ratio_sum), word_list)


@inlined_kernel
def drop_topic(j, size, absent, word_list):
    """Replace topic and weight in slot j by the last of the list; return its size."""
    weight = word_list.weight
    size = fill_gap(word_list.packed, size, j, absent)
    weight[j] = weight[size]
    weight[size] = 0
    return size


def from_topics(problem, z):
    """Return the state in which the tokens have the topics z.

    A list is long enough for all topics that its tokens can have, and `SPARE` more.
    """
    n_lanes, excess, tokens = problem.n_lanes, problem.excess, word_tokens(problem)
    listed = np.diff(excess.word_ptr)
    most = np.minimum(tokens + listed + SPARE, problem.n_topics)
    state = empty_lists(z, n_lanes, most, tokens.max(initial=0))
    slots = np.arange(excess.topic.size)
    slots += np.repeat(state.start[:-1] - excess.word_ptr[:-1], listed)
    state.size[:], state.packed[slots] = listed, excess.topic
    if problem.has_word_prior:
        state = state._replace(excess=np.zeros(state.packed.size, np.float32))
        state.excess[slots] = excess.value
    _fill_lists(problem.corpus, state)
    return state


tables = from_topics  # the state contains count tables only


def empty_lists(z, n_lanes, most_topics, most_tokens):
    """Return empty lists that are long enough for `most_topics` of each word."""
    start = starts(padded(most_topics.astype(np.int64) + 1))
    packed = aligned_empty(start[-1], packed_type(n_lanes, most_tokens))
    packed[:] = n_lanes
    return ListCounts(
        z=z,
        topic=np.zeros(n_lanes, count_type(z.size)),
        start=start,
        size=np.zeros(most_topics.size, np.int32),
        packed=packed,
        bits=topic_bits(n_lanes),
        excess=np.float32(0),
    )


@kernel
def _fill_lists(corpus, state):
    _, word, token_ptr = corpus
    z, topic, start, sizes, packed, bits, _ = state
    for c in range(word.size):
        w = word[c]
        word_slots = packed[start[w] : start[w + 1]]
        for i in range(token_ptr[c], token_ptr[c + 1]):
            k = np.int64(z[i])
            topic[k] += 1
            j = find(word_slots, bits, np.int64(sizes[w]), k)
            if j == sizes[w]:
                word_slots[j] = k
                sizes[w] += 1
            word_slots[j] += 1 << bits


def kernel_priors(problem):
    """Return the priors as kernels over lists take them."""
    if problem.has_word_prior:
        return problem.kernel_priors(problem.topic_word_prior.least.astype(np.float32))
    return problem.kernel_priors()


@kernel
def _fill_entries(first, size, packed, bits, start, topic, count):
    """Fill in where the entries of each list start, and their topics and counts."""
    end = 0
    for i in range(size.size):
        for number in packed[first[i] : first[i] + size[i]]:
            topic[end] = topic_of(number, bits)
            count[end] = tokens_of(number, bits)
            end += tokens_of(number, bits) > 0
        start[i + 1] = end


class ListTable:
    """The table of counts that lists stand for, (n_words, n_lanes).

    Its rows are made when they are read, so that it takes no memory.
    """

    def __init__(self, state: ListCounts) -> None:
        self.state, self.dtype = state, state.topic.dtype
        self.shape = state.size.size, state.topic.size

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, words) -> np.ndarray:
        """Return the rows of some words, (n, n_lanes)."""
        start, topics, counts = self.entries(words)
        rows = np.zeros((start.size - 1, self.shape[1]), self.dtype)
        rows[np.repeat(np.arange(start.size - 1), np.diff(start)), topics] = counts
        return rows

    def entries(self, words: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the counts above 0 of some words, as `word_topic_entries` does."""
        state = self.state
        first, size = state.start[: len(self)][words], state.size[words]
        start, most = np.zeros(size.size + 1, np.int64), size.sum(dtype=np.int64)
        topic, count = np.empty(most, np.uint16), np.empty(most, self.dtype)
        _fill_entries(first, size, state.packed, state.bits, start, topic, count)
        return start, topic[: start[-1]], count[: start[-1]]

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return self[:].astype(dtype or self.dtype, copy=False)


def counts(problem, state):
    """Return the count tables; rows of words are made from the lists."""
    return Counts(ListTable(state), state.topic)
