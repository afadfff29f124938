"""The sentences of the page; every figure in it comes from a report."""

HEAD = """\
Comparison with other programs
==============================

.. This page is written by ``python -m benchmarks.compare``: do not edit it.

sklda and programs that fit the same model, on the same matrix of counts, with the
Dirichlet parameters alpha = 0.1 and beta = 0.01 held fixed, each in a process of its
own that calculates with one thread unless a table says otherwise. The processes take
turns of a few sweeps, so that all meet the same machine. Times are those of sweeps
alone: loading, conversion of the corpus, imports and compilation are reported apart.
Figures are medians over turns, then over starts.

An *exact sampler* draws each token from its conditional distribution given all others:
``CollapsedGibbsLDA``, tomotopy, MALLET, lda. ECGSLDA (Gibbs sampling with fewer draws
than tokens), CVBLDA (zero-order), gensim and scikit-learn (variational Bayes)
approximate the posterior; a sweep is one pass over the corpus for all, in which batch
variational Bayes updates each document until it settles. With several threads the
samplers are approximations too.

MALLET takes no commands between sweeps: it is timed by the lines of its log, without
the log likelihood that it computes every tenth sweep, and its first sweeps include the
compilation by its virtual machine. lda is run by the steps of its ``fit``, without the
trace.

Run ``python -m pip install ".[bench]"``, then ``python -m benchmarks.compare run``,
``scale`` and ``growth``; programs that are missing are left out. ``--help`` lists
corpora, numbers of topics, programs, threads and starts; MALLET is used where
``mallet`` is on the PATH. ``python -m benchmarks.compare page`` writes this page again.
"""

SPEED = """\
Tokens per second
-----------------

Millions, at steady state. {dagger}
"""

QUALITY = """\
Seconds to a perplexity
-----------------------

Half of the words of the last documents are held out. The perplexity is exp of minus
the mean log of :math:`\\sum_k \\theta_{dk} \\phi_{kw}` over the held-out words, with
:math:`\\theta_{dk} = (n_{dk} + \\alpha) / (n_d + K \\alpha)` and :math:`\\phi_{kw} =
(n_{kw} + \\beta) / (n_k + V \\beta)`: of the last sweep for samplers; of their own
expectations for the others; "mean over kept samples" averages both over every tenth
sweep of the second half of the chain, as a fit does. The lowest perplexity but one in a
table is the lowest multiple of 25 that every exact sampler reaches. Evaluations are not
timed. – is not reached: within its sweeps, or its seconds.
"""

CURVES = """\
.. image:: images/benchmarks-perplexity.png
   :alt: Perplexity of held-out words against seconds of training
"""

PROCESS = """\
Memory, and what comes before the first sweep
---------------------------------------------

Peak memory of the process (of the virtual machine for MALLET), corpus included. Then
the seconds to import the program; of the first two sweeps of ten documents, without
compiled kernels on disk and with them; and from the matrix to the first sweep.
"""

SCALE = """\
A large corpus
--------------

A synthetic corpus of the shape of the New York Times one: {documents} documents,
{words} words, {tokens} tokens in {cells} cells, words by Zipf's law, drawn from 100
planted topics. Seconds of the first {sweeps} sweeps: with two threads as many shards.
Peak memory is that of the whole process, corpus included.
"""

GROWTH = """\
Growth
------

Seconds per sweep of synthetic corpora grow with tokens to the power {tokens} and with
topics to the power {topics}, from end to end.

.. image:: images/benchmarks-growth.png
   :alt: Seconds per sweep against tokens and against topics
"""
