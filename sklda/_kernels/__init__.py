"""Numba kernels: one algorithm, one file. They know neither scikit-learn nor joblib.

A sampler is a module of three functions over a `State` of its own:

``init(corpus, n_words, priors, rng) -> State``
    Give every token a first topic, each drawn given the tokens before it.
``sweep(corpus, state, priors, rng) -> None``
    Redraw the topic of every token once, in place.
``read_counts(state) -> Counts``
    The count tables as the sweeps left them; they may be views of the state.

Every `State` has a field ``z``, the topic of each token in the order of the corpus.
"""
