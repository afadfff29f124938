"""Collapsed variational Bayes without approximation, for small corpora.

Teh, Newman & Welling, "A collapsed variational Bayesian inference algorithm for
latent Dirichlet allocation", NIPS 2006, appendix: with the token taken out,

    gamma_k ~ exp(E[log(alpha_k + n_dk)] + E[log(beta + n_wk)]
                  - E[log(V beta + n_k)]).

Each count is a sum of independent Bernoulli variables, one for each token of a group:
a document, a word, or the corpus. Let p_i(a) be the probability of a tokens on the
topic among the first i of the group, g_i the probability that token i is on it, and
h_i(a) = E[log(prior + a + tokens on it from token i on)]. Then

    p_i+1(a) = (1 - g_i) p_i(a) + g_i p_i(a - 1),
    h_i(a) = (1 - g_i) h_i+1(a) + g_i h_i+1(a + 1),

so without token i the expectation is sum_a p_i(a) h_i+1(a). All h are computed before a
sweep, p during it: no token is ever divided out of a distribution, which is unstable.
A cell holds one token here, so each update is a step of coordinate ascent, and the
bound never falls. For N tokens a sweep costs O(K N^2), and memory 16 K N^2 at most.
"""

import numpy as np

from sklda._core.entry import beta_sum, entry, priors_of
from sklda._simd.compile import njit
from sklda._simd.vector_math import exp_double, log_double

N_TABLES = 1  # means; a sweep takes only the number of words from them


@njit(cache=True, nogil=True, _nrt=False)
def _add_token(p, g):
    """Add a token of probability g; the last entry of `p` must be 0."""
    for n in range(p.size - 1, 0, -1):
        p[n] = (1 - g) * p[n] + g * p[n - 1]
    p[0] *= 1 - g


@njit(cache=True, nogil=True)
def _no_tokens(n_topics, n_tokens):
    """Return the distributions of counts before any of n tokens is added."""
    p = np.zeros((n_topics, n_tokens + 1))
    p[:, 0] = 1
    return p


@njit(cache=True, nogil=True)
def _expected_logs(tokens, responsibilities, prior):
    """Return h of a group, (n_topics, n_tokens + 1, n_tokens + 1)."""
    n = tokens.size
    h = np.zeros((prior.size, n + 1, n + 1))
    for k in range(prior.size):
        for a in range(n + 1):
            h[k, n, a] = log_double(prior[k] + a)
        for i in range(n - 1, -1, -1):
            g = np.float64(responsibilities[tokens[i], k])
            for a in range(i + 1):
                h[k, i, a] = (1 - g) * h[k, i + 1, a] + g * h[k, i + 1, a + 1]
    return h


@njit(cache=True, nogil=True, _nrt=False)
def _set_beta(priors, beta):
    """Set beta of each word and topic."""
    for w in range(beta.shape[0]):
        own = priors_of(w, priors).topic_word
        for k in range(beta.shape[1]):
            beta[w, k] = entry(own, k)


@njit(cache=True, nogil=True)
def _groups(corpus, n_words):
    """Return the tokens of each document, of each word, and all."""
    doc_ptr, word, _ = corpus
    tokens = np.arange(word.size)
    by_word = np.argsort(word, kind="mergesort")
    ends = np.searchsorted(word[by_word], np.arange(n_words + 1))
    docs = [tokens[doc_ptr[d] : doc_ptr[d + 1]] for d in range(doc_ptr.size - 1)]
    words = [by_word[ends[w] : ends[w + 1]] for w in range(n_words)]
    return docs, words, tokens


@njit(cache=True, nogil=True)
def distributions(corpus, responsibilities, n_words, doc_topic, word_topic, topic):
    """Fill in those of n_dk, n_wk and n_k; the tables must be 0.

    In a table, (n_topics, n_tokens + n_groups), the n + 1 columns of a group of n
    tokens follow those of the group before.
    """
    docs, words, tokens = _groups(corpus, n_words)
    _fill_distributions(docs, responsibilities, doc_topic)
    _fill_distributions(words, responsibilities, word_topic)
    _fill_distributions([tokens], responsibilities, topic)


@njit(cache=True, nogil=True)
def _fill_distributions(groups, responsibilities, table):
    """Fill in those of the number of tokens of each group on each topic."""
    first = 0
    for tokens in groups:
        for k in range(table.shape[0]):
            table[k, first] = 1
            for i in range(tokens.size):
                g = np.float64(responsibilities[tokens[i], k])
                _add_token(table[k, first : first + i + 2], g)
        first += tokens.size + 1


@njit(cache=True, nogil=True, _nrt=False)
def _expected_log(p, h, i):
    """Return the expectation without the token that follows i others of its group."""
    total = 0.0
    for a in range(i + 1):
        total += p[a] * h[i + 1, a]
    return total


@njit(cache=True, nogil=True)
def sweep(corpus, responsibilities, tables, priors):
    """Update every token once; return the sum of all changes."""
    _, word, count = corpus
    n_words = tables[0].word_topic.shape[0]
    n_topics = np.count_nonzero(priors.doc_topic)
    alpha = priors.doc_topic[:n_topics].astype(np.float64)
    docs, words, tokens = _groups(corpus, n_words)
    beta = np.zeros((n_words, n_topics))
    _set_beta(priors, beta)
    word_h = [
        _expected_logs(words[w], responsibilities, beta[w]) for w in range(n_words)
    ]
    word_p = [_no_tokens(n_topics, group.size) for group in words]
    total, totals = beta_sum(n_words, priors), np.zeros(n_topics)
    for k in range(n_topics):
        totals[k] = entry(total, k)
    all_h = _expected_logs(tokens, responsibilities, totals)
    all_p = _no_tokens(n_topics, tokens.size)
    seen = np.zeros(n_words, np.int64)  # tokens of each word before the present one
    value = np.zeros(n_topics)
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
