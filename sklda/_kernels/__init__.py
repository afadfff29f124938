"""Numba kernels: one algorithm, one file. They know neither scikit-learn nor joblib.

A sampler is a module of functions over a `State` of its own:

``init(corpus, n_words, priors, rng) -> State``
    Give every token a first topic, each drawn given the tokens before it.
``sweep(corpus, state, priors, rng) -> None``
    Redraw the topic of every token once, in place.
``read_counts(state) -> Counts``
    The count tables as the sweeps left them; they may be views of the state.
``copies(state, n) -> stack``, ``copy(stack, i) -> State``
    The counts once for each of n shards of the documents, and one of these states.
``merge(state, stack, first, last) -> None``
    Add what the copies changed of the words from `first` to before `last`; then the
    copies are equal to the state again. The topic totals are merged by the caller.

A kernel that draws tokens in groups takes one more argument of ``sweep``, the number of
groups of each cell. Every `State` has a field ``z``, the topic of each token in the
order of the corpus.
"""
