"""Collapsed variational Bayes without approximation, for small corpora.

Teh, Newman & Welling, "A collapsed variational Bayesian inference algorithm for
latent Dirichlet allocation", NIPS 2006, appendix: with the token taken out,

    gamma_k ~ exp(E[log(alpha_k + n_dk)] + E[log(beta + n_wk)]
                  - E[log(V beta + n_k)]).                                          (1)

Each count is a sum of independent Bernoulli variables, one per token of a group: a
document, a word, or the corpus. Let g_i be the probability that token i is on the
topic, p_i(a) the probability that a of the first i tokens are on it, and h_i(a) the
expectation of log(prior + a + number of tokens on it from token i on). A sweep has
these steps:

1. Compute all h of each group, from its last token to its first:

    h_i(a) = (1 - g_i) h_i+1(a) + g_i h_i+1(a + 1).                                 (2)

2. For each token i in turn, compute the three expectations of (1) without it, for each
   group as sum_a p_i(a) h_i+1(a), and set its responsibilities to gamma.
3. Add token i, with the new g_i, to the p of its groups:

    p_i+1(a) = (1 - g_i) p_i(a) + g_i p_i(a - 1).                                   (3)

Two recursions are necessary because dividing a token out of a distribution is unstable.
A cell holds one token, so each update is a step of coordinate ascent, and the bound
never falls. A sweep over N tokens takes O(K N^2) time and at most 16 K N^2 bytes.
"""

import numpy as np

from sklda._simd.arrays import beta_sum, entry, priors_of, zeros
from sklda._simd.compile import kernel, lean_kernel, nested_kernel
from sklda._simd.vector_math import exp_double, log_double

N_MOMENTS = 1  # means, of which a sweep reads only the shape


@lean_kernel
def _add_token(p, g):
    """Add a token of probability g to `p`, equation (3); the last entry must be 0."""
    for n in range(p.size - 1, 0, -1):
        p[n] = (1 - g) * p[n] + g * p[n - 1]
    p[0] *= 1 - g


@nested_kernel
def _no_tokens(n_topics, n_tokens):
    """Return the distributions of counts before any of n tokens is added."""
    p = zeros((n_topics, n_tokens + 1), np.float64)
    p[:, 0] = 1
    return p


@nested_kernel
def _expected_logs(tokens, responsibilities, prior):
    """Return h of a group, equation (2), (n_topics, n_tokens + 1, n_tokens + 1)."""
    n = tokens.size
    h = zeros((prior.size, n + 1, n + 1), np.float64)
    for k in range(prior.size):
        for a in range(n + 1):
            h[k, n, a] = log_double(prior[k] + a)
        for i in range(n - 1, -1, -1):
            g = np.float64(responsibilities[tokens[i], k])
            for a in range(i + 1):
                h[k, i, a] = (1 - g) * h[k, i + 1, a] + g * h[k, i + 1, a + 1]
    return h


@lean_kernel
def _fill_beta(priors, beta):
    """Fill in beta of each word and topic."""
    for w in range(beta.shape[0]):
        word_beta = priors_of(w, priors).topic_word
        for k in range(beta.shape[1]):
            beta[w, k] = entry(word_beta, k)


@nested_kernel
def _groups(corpus, n_words):
    """Return the tokens of each document, of each word, and all."""
    doc_ptr, word, _ = corpus
    tokens = np.arange(word.size)
    word_order = np.argsort(word, kind="mergesort")
    ends = np.searchsorted(word[word_order], np.arange(n_words + 1))
    docs = [tokens[doc_ptr[d] : doc_ptr[d + 1]] for d in range(doc_ptr.size - 1)]
    words = [word_order[ends[w] : ends[w + 1]] for w in range(n_words)]
    return docs, words, tokens


@kernel
def distributions(corpus, responsibilities, n_words, doc_topic, word_topic, topic):
    """Fill in the distributions of n_dk, n_wk and n_k; the tables must be 0.

    In a table, (n_topics, n_tokens + n_groups), the n + 1 columns of a group of n
    tokens follow those of the group before.
    """
    docs, words, tokens = _groups(corpus, n_words)
    for groups, table in ((docs, doc_topic), (words, word_topic), ([tokens], topic)):
        first = 0
        for group in groups:
            for k in range(table.shape[0]):
                table[k, first] = 1
                for i in range(group.size):
                    g = np.float64(responsibilities[group[i], k])
                    _add_token(table[k, first : first + i + 2], g)
            first += group.size + 1


@lean_kernel
def _expected_log(p, h, i):
    """Return the expected logarithm without the token after the first i of a group."""
    total = 0.0
    for a in range(i + 1):
        total += p[a] * h[i + 1, a]
    return total


@kernel
def sweep(corpus, responsibilities, shared, priors):
    """Update every token once; return the sum of all changes."""
    _, word, count = corpus
    n_words = shared[0].word_topic.shape[0]
    n_topics = np.count_nonzero(priors.doc_topic)
    alpha = priors.doc_topic[:n_topics].astype(np.float64)
    docs, words, tokens = _groups(corpus, n_words)
    beta = zeros((n_words, n_topics), np.float64)
    _fill_beta(priors, beta)
    word_h = [
        _expected_logs(words[w], responsibilities, beta[w]) for w in range(n_words)
    ]
    word_p = [_no_tokens(n_topics, group.size) for group in words]
    total, totals = beta_sum(n_words, priors), zeros(n_topics, np.float64)
    for k in range(n_topics):
        totals[k] = entry(total, k)
    all_h = _expected_logs(tokens, responsibilities, totals)
    all_p = _no_tokens(n_topics, tokens.size)
    seen = zeros(n_words, np.int64)  # tokens of each word before the present one
    value = zeros(n_topics, np.float64)
    total_change = 0.0
    for doc in docs:
        doc_h = _expected_logs(doc, responsibilities, alpha)
        doc_p = _no_tokens(n_topics, doc.size)
        for i in range(doc.size):
            c = doc[i]
            w = word[c]
            for k in range(n_topics):
                value[k] = (
                    _expected_log(doc_p[k], doc_h[k], i)
                    + _expected_log(word_p[w][k], word_h[w][k], seen[w])
                    - _expected_log(all_p[k], all_h[k], c)
                )
            highest = value.max()
            for k in range(n_topics):
                value[k] = exp_double(value[k] - highest)
            value /= value.sum()
            for k in range(n_topics):
                total_change += count[c] * abs(value[k] - responsibilities[c, k])
                responsibilities[c, k] = value[k]
                g = np.float64(responsibilities[c, k])
                _add_token(doc_p[k, : i + 2], g)
                _add_token(word_p[w][k, : seen[w] + 2], g)
                _add_token(all_p[k, : c + 2], g)
            seen[w] += 1
    return total_change
