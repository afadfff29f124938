"""Topic proportions of documents under fixed topics, and random halves of documents.

Halves. Each token tosses a coin. Then random tokens leave the heavier half while that
brings the halves closer. The word of a token has no influence, so halves that differ in
words alone are equally likely. All numbers are integers or plain sums of weights, so
every processor gets the same bits.

Few tokens. Under fixed phi, the sum over all topics of the tokens of a set S is, up to
a factor,

    Z(S) = E prod_{i in S} sum_k g_k phi_ki,    g_k ~ Gamma(alpha_k, 1).          (1)

Sum over the tokens that share a topic with the last token of S. With this token itself,
they are a set T, and the other tokens are as if T did not exist:

    Z(S) = sum_T (|T| - 1)! v(T) Z(S - T),    v(T) = sum_k v_k(T),                (2)
    v_k(T) = alpha_k prod_{i in T} phi_ki,    Z({}) = 1.

The derivative of log Z(all) by the logarithm of row k of phi is the expected number of
tokens of topic k:

    N_k = sum_T |T|! v_k(T) Z(all - T) / Z(all).                                  (3)

All terms are positive, so nothing cancels. The cost for n tokens is O(2^n K + 3^n),
where sums over topics would cost O(K^n). Bit i of the number of a set is token i.

More tokens. Each token is left out once. A token of word w has topic k with probability

    g_wk = (alpha_k + N_k - g_wk) phi_kw / z_w,    N_k = sum_w n_w g_wk,          (4)

where z_w normalises, and N - g_w counts the other tokens. This is the zero-order update
of collapsed variational Bayes (Asuncion, Welling, Smyth & Teh, "On smoothing and
inference for topic models", UAI 2009). For a document of one token it is the posterior.
The proportions are theta_k = (alpha_k + N_k) / (A + n), where A = sum_k alpha_k.

Given N, (4) is linear in g_w:

    g_wk = (alpha_k + N_k) phi_kw / (z_w + phi_kw),    sum_k g_wk = 1,            (5)

so only z_w is stored of a word. An iteration has these steps, and costs O(K) per cell:

1. For each word, find z_w by Newton's method, such that (5) sums to 1.
2. Replace N by sum_w n_w g_w. The change of the roots y_k = sqrt(alpha_k + N_k) is the
   residual.
3. Correct the residual by the last changes of the roots and of the residual (Anderson,
   "Iterative procedures for nonlinear integral equations", Journal of the ACM, 1965).
   Without this, convergence is slow if topics share most of their words.
4. Stop when the roots are close to the fixed point. Small and large topics weigh alike
   in the roots, whose distance from the fixed point bounds the error of theta:

    sum_k |theta_k - theta'_k| <= 2 |y - y'| / sqrt(A + n).                       (6)
"""

import math
from typing import NamedTuple

import numpy as np

from sklda._sampling.linear_algebra import copy_to
from sklda._sampling.problem import LANES
from sklda._sampling.random_streams import enter_stream, hashed, next_uint64, uniform
from sklda._sampling.variates import first_above
from sklda._simd.arrays import zeros
from sklda._simd.compile import kernel, lean_kernel
from sklda._simd.vector_math import log_double
from sklda._simd.vectors import (
    broadcast,
    choose,
    load,
    square_root,
    store,
    to_double,
    total,
)
from sklda._tables.document import clear


@kernel
def deal_tokens(doc_ptr, word, count, count_bits, tokens_until, half):
    """Write into `half` how much of each cell is in the first half of its document.

    `count_bits` is `count` viewed as uint32, `tokens_until` is scratch space for an
    int64 per cell of the longest document. Cost: O(1) per cell and per 64 tokens, and
    O(log cells) for each of about sqrt(tokens) that change sides.
    """
    rng = zeros(2, np.uint64)
    for d in range(doc_ptr.size - 1):
        cells = slice(doc_ptr[d], doc_ptr[d + 1])
        until = tokens_until[: cells.stop - cells.start]
        enter_stream(_digest(word[cells], count_bits[cells]), 0, rng)
        lead = _toss(count[cells], rng, half[cells], until)
        _balance(count[cells], until, lead, rng, half[cells])


@lean_kernel
def _digest(word, count_bits):
    """Return the seed of a document: 64 bits that depend on all words and counts.

    If the seed were the row, the halves of a document would depend on earlier rows.
    """
    key = np.uint64(0)
    for c in range(word.size):
        cell = np.uint64(word[c]) | np.uint64(count_bits[c]) << np.uint64(32)
        key = hashed(key, cell)
    return key


@lean_kernel
def _tokens(count):
    """Return the weight of a token, the number of tokens, and the weight left over.

    A token weighs 1, or one unit in the last place of a float32 above 2**24.
    """
    weight = 1.0
    while count > weight * 2**24:
        weight *= 2
    n = np.floor(count / weight)
    return weight, np.int64(n), count - n * weight


@lean_kernel
def _toss(count, rng, half, until):
    """Toss a coin for each token; return by how much the first half is heavier."""
    lead, n_tokens = 0.0, 0
    for c in range(count.size):
        weight, n, last = _tokens(count[c])
        half[c] = _heads(n, rng) * weight
        n_tokens += n
        if last > 0:
            half[c] += _heads(1, rng) * last
            n_tokens += 1
        lead += 2 * half[c] - count[c]
        until[c] = n_tokens
    return lead


@lean_kernel
def _heads(n, rng):
    """Return the number of heads among n fair coins."""
    heads = 0
    while n > 0:
        bits = next_uint64(rng)
        if n < 64:
            bits >>= np.uint64(64 - n)
        heads += _ones(bits)
        n -= 64
    return heads


@lean_kernel
def _ones(bits):
    """Count the ones of 64 bits: first in pairs, then in fours, in bytes, in all."""
    bits -= (bits >> np.uint64(1)) & np.uint64(0x5555555555555555)
    fours = np.uint64(0x3333333333333333)
    bits = (bits & fours) + ((bits >> np.uint64(2)) & fours)
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@lean_kernel
def _balance(count, until, lead, rng, half):
    """Let random tokens of the heavier half change sides while the lead falls."""
    while lead != 0:
        token = np.int64(uniform(rng) * until[-1])
        c = first_above(until, token)  # the cell of the token
        if c > 0:
            token -= until[c - 1]
        weight, n, last = _tokens(count[c])
        heads = np.floor(half[c] / weight)
        if token < n:  # the tokens of a cell are alike: let the first be the heads
            in_first = token < heads
        else:
            weight, in_first = last, half[c] > heads
        if in_first == (lead > 0):
            if weight >= abs(lead):
                return
            change = weight if in_first else -weight
            half[c] -= change
            lead -= 2 * change


MOST_TOKENS = 8
N_SETS = 2**MOST_TOKENS
_FACTORIAL = np.cumprod([1.0, *range(1, MOST_TOKENS + 1)])
_SIZE = np.array([s.bit_count() for s in range(N_SETS)])


class SetScratch(NamedTuple):
    """Numbers of all sets of tokens of one document."""

    by_topic: np.ndarray  # (N_SETS * LANES,) float64, v_k of a few topics
    term: np.ndarray  # (N_SETS,) float64, (|T| - 1)! v(T)
    total: np.ndarray  # (N_SETS,) float64, Z


@lean_kernel
def dot(a, b):
    """Return the sum of the products of two arrays of whole registers."""
    sums = broadcast(np.float32(0), LANES)
    for k in range(0, a.size, LANES):
        sums = sums + load(a, k, LANES) * load(b, k, LANES)
    return total(sums)


@lean_kernel
def list_tokens(word, count, word_topic, alpha, token):
    """List the tokens of words that topics have; return their number.

    It is -1 if there are more than MOST_TOKENS tokens, or counts that are not whole.
    """
    n = np.float32(0)
    for c in range(word.size):
        n += count[c]
        if n > MOST_TOKENS or count[c] != np.floor(count[c]):
            return -1
    n_listed = 0
    for c in range(word.size):
        if dot(alpha, word_topic[word[c]]) > 0:
            for _ in range(np.int64(count[c])):
                token[n_listed] = word[c]
                n_listed += 1
    return n_listed


@lean_kernel
def _weigh_sets(token, word_topic, alpha, k, by_topic):
    """Write v_k of all sets, for the topics from k on."""
    store(by_topic, 0, to_double(load(alpha, k, LANES)))
    for i in range(token.size):
        phi = to_double(load(word_topic[token[i]], k, LANES))
        with_i = LANES << i
        for s in range(0, with_i, LANES):
            store(by_topic, with_i + s, load(by_topic, s, LANES) * phi)


@lean_kernel
def _sum_over_sets(n_tokens, term, sums):
    """Write Z of all sets of tokens, equation (2)."""
    sums[0] = 1
    for i in range(n_tokens):
        last = 1 << i
        for others in range(last):
            sum_, t = term[last] * sums[others], others
            while t > 0:  # all sets within `others`, except the empty one
                sum_ += term[last | t] * sums[others ^ t]
                t = (t - 1) & others
            sums[last | others] = sum_


@lean_kernel
def add_expected(token, word_topic, alpha, scratch, mass):
    """Write alpha_k + N_k into `mass`, (n_lanes,) float64."""
    n_sets = 1 << token.size
    by_topic, term, sums = scratch.by_topic, scratch.term, scratch.total
    for t in range(n_sets):
        term[t] = 0
    for k in range(0, alpha.size, LANES):
        _weigh_sets(token, word_topic, alpha, k, by_topic)
        for t in range(1, n_sets):
            sum_ = total(load(by_topic, t * LANES, LANES))
            term[t] += _FACTORIAL[_SIZE[t] - 1] * sum_
    _sum_over_sets(token.size, term, sums)
    for t in range(1, n_sets):
        term[t] = _FACTORIAL[_SIZE[t]] * sums[n_sets - 1 - t] / sums[n_sets - 1]
    for k in range(0, alpha.size, LANES):
        _weigh_sets(token, word_topic, alpha, k, by_topic)
        masses = load(by_topic, 0, LANES)
        for t in range(1, n_sets):
            terms = broadcast(term[t], LANES) * load(by_topic, t * LANES, LANES)
            masses = masses + terms
        store(mass, k, masses)


MAX_STEPS = 2000
N_CHANGES = 3  # last changes that correct a step
_LONGEST = np.float32(0.5)  # corrected step, relative to the length of the roots
_MOST_NEWTON_STEPS = 10
_NEAR = np.float32(0.1)  # distance of sum_k g_wk from 1 that ends Newton's method
_ROUNDING = np.float32(3e-7)  # of the residual, relative to the length of the roots
_CLEAR = np.float32(3)  # least change of the residual that counts, relative to rounding
_SHIFT = 64  # bits
_LEAST = np.float32(1e-37)  # likelihood below which a word is left out


class FoldInScratch(NamedTuple):
    """What is stored of one document; lanes beyond the topics hold 0."""

    normaliser: np.ndarray  # (n_cells,) float32, z of each cell
    prior: np.ndarray  # (n_lanes,) float32, alpha + N
    expected: np.ndarray  # (n_lanes,) float32, N
    root: np.ndarray  # (n_lanes,) float32, y
    response: np.ndarray  # (2, n_lanes) float32, g of a word and -dg/dz
    vectors: np.ndarray  # (5, n_lanes) float32
    changes: np.ndarray  # (N_CHANGES, n_lanes) float32, of the roots
    residual_changes: np.ndarray  # of that shape, of the residual; orthonormal


@lean_kernel
def _length(a):
    return np.sqrt(dot(a, a))


@lean_kernel
def _add_scaled(scale, a, out):
    scales = broadcast(scale, LANES)
    for k in range(0, a.size, LANES):
        store(out, k, load(out, k, LANES) + scales * load(a, k, LANES))


@lean_kernel
def _scale(scale, a):
    scales = broadcast(scale, LANES)
    for k in range(0, a.size, LANES):
        store(a, k, scales * load(a, k, LANES))


@lean_kernel
def _set_start(word, count, word_topic, alpha, scratch):
    """Start from the posterior of each token as if it were the only one."""
    expected = scratch.expected
    clear(expected)
    for c in range(word.size):
        row = word_topic[word[c]]
        scratch.normaliser[c] = dot(alpha, row)
        if scratch.normaliser[c] > _LEAST:
            scale = broadcast(count[c] / scratch.normaliser[c], LANES)
            for k in range(0, alpha.size, LANES):
                part = scale * load(alpha, k, LANES) * load(row, k, LANES)
                store(expected, k, load(expected, k, LANES) + part)
    for k in range(alpha.size):
        scratch.root[k] = np.sqrt(alpha[k] + expected[k])


@lean_kernel
def _normalise(prior, row, z, left_out, response, slope):
    """Return z with which g of equation (5) sums to about 1, and its last change.

    Newton's method solves 1 / sum_k g_k = 1, whose left side is nearly linear in z.
    `response` is g of z before its last change, `slope` is -dg/dz.
    """
    change, ones = np.float32(0), broadcast(np.float32(1), LANES)
    shares = broadcast(left_out, LANES)
    for _ in range(_MOST_NEWTON_STEPS):
        z += change
        sums = broadcast(np.float32(0), LANES)
        slopes, zs = sums, broadcast(z, LANES)
        for k in range(0, prior.size, LANES):
            phi = load(row, k, LANES)
            inverse = ones / (zs + shares * phi)
            g = load(prior, k, LANES) * phi * inverse
            h = g * inverse
            store(response, k, g)
            store(slope, k, h)
            sums = sums + g
            slopes = slopes + h
        sum_ = total(sums)
        excess = sum_ - np.float32(1)
        change = max(sum_ * excess / total(slopes), np.float32(-0.9) * z)
        if abs(excess) < _NEAR:
            break
    return z + change, change


@lean_kernel
def _expect(word, count, word_topic, scratch):
    """Write N = sum_w n_w g_w, given alpha + N of the last step in `scratch.prior`.

    The last change of z changes g to first order, which saves divisions.
    """
    response, slope = scratch.response
    expected, normaliser = scratch.expected, scratch.normaliser
    nothing = broadcast(np.float32(0), LANES)
    clear(expected)
    for c in range(word.size):
        if count[c] <= 0 or normaliser[c] <= _LEAST:
            continue
        row, left_out = word_topic[word[c]], min(count[c], np.float32(1))
        z, change = _normalise(
            scratch.prior, row, normaliser[c], left_out, response, slope
        )
        normaliser[c] = z
        n, changes = broadcast(count[c], LANES), broadcast(change, LANES)
        for k in range(0, expected.size, LANES):
            g = load(response, k, LANES) - changes * load(slope, k, LANES)
            part = n * choose(g > nothing, g, nothing)
            store(expected, k, load(expected, k, LANES) + part)


@lean_kernel
def _take_step(word, count, word_topic, alpha, root, scratch):
    """Write the change of the roots into `scratch.vectors[1]`; return its length."""
    residual, prior, expected = scratch.vectors[1], scratch.prior, scratch.expected
    for k in range(0, root.size, LANES):
        y = load(root, k, LANES)
        store(prior, k, y * y)
    _expect(word, count, word_topic, scratch)
    nothing = broadcast(np.float32(0), LANES)
    for k in range(0, root.size, LANES):
        value = load(alpha, k, LANES) + load(expected, k, LANES)
        sum_ = load(root, k, LANES) + square_root(value)
        # The difference of two roots, without cancellation.
        difference = (value - load(prior, k, LANES)) / sum_
        store(residual, k, choose(sum_ > nothing, difference, nothing))
    return _length(residual)


@lean_kernel
def _correct(residual, n, scratch, step):
    """Write the step: the residual, corrected by the last `n` changes (Anderson)."""
    copy_to(residual, step)
    for i in range(n):
        share = -dot(scratch.residual_changes[i], residual)
        _add_scaled(share, scratch.changes[i], step)
        _add_scaled(share, scratch.residual_changes[i], step)


@lean_kernel
def _remember(change, residual_change, n, scratch):
    """Store a change as the n-th, orthogonal to earlier ones; return their number."""
    for i in range(n):
        share = -dot(scratch.residual_changes[i], residual_change)
        _add_scaled(share, scratch.changes[i], change)
        _add_scaled(share, scratch.residual_changes[i], residual_change)
    length = _length(residual_change)
    if length <= _LEAST:
        return n
    lengths = broadcast(length, LANES)
    for k in range(0, change.size, LANES):
        store(scratch.changes[n], k, load(change, k, LANES) / lengths)
        store(scratch.residual_changes[n], k, load(residual_change, k, LANES) / lengths)
    return n + 1


@lean_kernel
def _move_on(root, step, alpha, radius, new):
    """Write root + step, at least sqrt(alpha), with the length of the fixed point."""
    sums = broadcast(np.float32(0), LANES)
    for k in range(0, root.size, LANES):
        moved = load(root, k, LANES) + load(step, k, LANES)
        least = square_root(load(alpha, k, LANES))
        moved = choose(moved > least, moved, least)
        store(new, k, moved)
        sums = sums + moved * moved
    _scale(radius / np.sqrt(total(sums)), new)


@lean_kernel
def _replace(present, new, change):
    """Write the change into `change`, and the new values into `present`."""
    for k in range(0, present.size, LANES):
        values = load(new, k, LANES)
        store(change, k, values - load(present, k, LANES))
        store(present, k, values)


@lean_kernel
def _bound_amplification(root, alpha):
    """Return a bound of the distance from the fixed point divided by the residual.

    Near the fixed point, a step multiplies a change of the roots by at most the largest
    N_k / (alpha_k + N_k).
    """
    largest = np.float32(1)
    for k in range(root.size):
        if alpha[k] > 0:
            largest = max(largest, root[k] * root[k] / alpha[k])
    return largest


@lean_kernel
def _solve(word, count, word_topic, alpha, tol, max_steps, scratch):
    """Write the roots of the fixed point; return whether theta is within `tol` of it.

    The estimated distance is the larger of the corrected step, and the residual times
    the largest ratio so far of a change of the roots to a change of the residual.
    Changes of the residual that may be rounding do not count.
    """
    root = scratch.root
    residual, new_residual, step, change, new = scratch.vectors
    radius = _length(root)
    limit = tol / np.float32(2) * radius  # equation (6)
    rounding = _ROUNDING * radius
    length, largest = np.float32(np.inf), np.float32(0)
    n, failed, arrived = np.int64(0), False, False
    copy_to(root, new)
    amplification = _bound_amplification(root, alpha)  # until it is measured
    for i in range(max_steps):
        new_length = _take_step(word, count, word_topic, alpha, new, scratch)
        if new_length > length and not failed:  # forget the changes, take a plain step
            n, failed = np.int64(0), True
            for k in range(root.size):
                new[k] = root[k] + residual[k]
            continue
        _replace(root, new, step)
        _replace(residual, new_residual, change)
        if i > 0:
            changed = _length(change)
            if changed > _CLEAR * rounding:
                largest = max(largest, _length(step) / changed)
                amplification = largest
            if not failed:
                n = _remember(step, change, n % N_CHANGES, scratch)
        length, failed = new_length, False
        _correct(residual, n, scratch, step)
        step_length = _length(step)
        if step_length > _LONGEST * radius:
            _scale(_LONGEST * radius / step_length, step)
        distance = max(step_length, amplification * length)
        _move_on(root, step, alpha, radius, new)
        arrived = distance <= limit or (i == 0 and length <= rounding)
        if arrived:
            break
    copy_to(new, root)
    return arrived


@kernel
def fold_in(corpus, n_cells, word_topic, alphas, row, max_steps, tol, out):
    """Write theta of each document into `out`, (n_docs, n_topics) float64.

    `corpus` is a WeightedCorpus of up to `n_cells` cells in a document, `word_topic`
    holds phi as (n_words, n_lanes) float32, and `alphas`, (n_rows, n_lanes), alpha of
    the documents with that `row`. A document is done when theta is within `tol` of the
    fixed point, as the sum of the absolute differences. Documents of few tokens take no
    steps, unless `max_steps` is less than MAX_STEPS. Return the number of documents not
    done after `max_steps`.
    """
    n_lanes = alphas.shape[1]
    scratch = FoldInScratch(
        zeros(n_cells, np.float32),
        zeros(n_lanes, np.float32),
        zeros(n_lanes, np.float32),
        zeros(n_lanes, np.float32),
        zeros((2, n_lanes), np.float32),
        zeros((5, n_lanes), np.float32),
        zeros((N_CHANGES, n_lanes), np.float32),
        zeros((N_CHANGES, n_lanes), np.float32),
    )
    token, mass = zeros(MOST_TOKENS, np.int64), zeros(n_lanes, np.float64)
    sets = SetScratch(
        zeros(N_SETS * LANES, np.float64),
        zeros(N_SETS, np.float64),
        zeros(N_SETS, np.float64),
    )
    n_failed = 0
    for d in range(corpus.doc_ptr.size - 1):
        cells = slice(corpus.doc_ptr[d], corpus.doc_ptr[d + 1])
        word, count = corpus.word[cells], corpus.count[cells]
        alpha, n_tokens = alphas[row[d]], -1
        if max_steps >= MAX_STEPS:
            n_tokens = list_tokens(word, count, word_topic, alpha, token)
        if n_tokens >= 0:
            add_expected(token[:n_tokens], word_topic, alpha, sets, mass)
        else:
            _set_start(word, count, word_topic, alpha, scratch)
            if not _solve(word, count, word_topic, alpha, tol, max_steps, scratch):
                n_failed += 1
            for k in range(alpha.size):
                mass[k] = np.float64(scratch.root[k]) * scratch.root[k]
        sum_ = 0.0
        for k in range(out.shape[1]):
            out[d, k] = mass[k]
            sum_ += out[d, k]
        for k in range(out.shape[1]):
            out[d, k] /= sum_
    return n_failed


@kernel
def log_predictive(doc_ptr, word, count, word_topic, exponent, doc_topic):
    """Return sum over all cells of count * log(sum_k theta_dk phi_kw).

    `word_topic` is phi divided by 2 to the power of the `exponent` of its word.
    """
    log_likelihood = 0.0
    for d in range(doc_ptr.size - 1):
        theta = doc_topic[d]
        for c in range(doc_ptr[d], doc_ptr[d + 1]):
            if count[c] > 0:
                row = word_topic[word[c]]
                likelihood = 0.0
                for k in range(theta.size):
                    likelihood += theta[k] * row[k]
                if likelihood == 0:
                    return -np.inf
                # The power of 2 turns subnormal numbers into normal ones.
                log_likelihood += count[c] * (
                    log_double(likelihood * 2.0**_SHIFT)
                    + (exponent[word[c]] - _SHIFT) * math.log(2)
                )
    return log_likelihood
