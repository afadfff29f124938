"""The tokens of a word, with one name for what rows and lists can do.

`words` is either the row n_wk of a word, an array, or `Listed`. The compiler sees which
and takes the function for it. Each topic has a place; the arrays of what it weighs go
by places, too.
"""

from types import ModuleType
from typing import Any

from numba import types
from numba.extending import overload

from sklda._gibbs.kernels.blocked import listed, row
from sklda._gibbs.kernels.blocked.cumulants import CALLED, INLINED


def _kind(words: Any) -> ModuleType:
    """Return the functions for words, or for the type of them."""
    in_list = isinstance(words, listed.Listed | types.BaseNamedTuple)
    return listed if in_list else row


def place_of(k, words):
    """Return where topic k is, if the word has it."""
    return _kind(words).place_of(k, words)


@overload(place_of, jit_options=INLINED)
def _(k, words):
    return _kind(words).place_of


def topic_at(place, words):
    """Return the topic of a place."""
    return _kind(words).topic_at(place, words)


@overload(topic_at, jit_options=INLINED)
def _(place, words):
    return _kind(words).topic_at


def count_at(place, words):
    """Return n_wk of the topic of a place."""
    return _kind(words).count_at(place, words)


@overload(count_at, jit_options=INLINED)
def _(place, words):
    return _kind(words).count_at


def set_tokens(words, n_wk):
    """Set n_wk of all topics."""
    return _kind(words).set_tokens(words, n_wk)


@overload(set_tokens, jit_options=CALLED)
def _(words, n_wk):
    return _kind(words).set_tokens


def count(k, n, words, given):
    """Add n tokens to topic k of the word and of the document."""
    return _kind(words).count(k, n, words, given)


@overload(count, jit_options=CALLED)
def _(k, n, words, given):
    return _kind(words).count


def weigh(words, given):
    """Set the cumulants of the word; return the K_c with all tokens counted."""
    return _kind(words).weigh(words, given)


@overload(weigh, jit_options=INLINED)
def _(words, given):
    return _kind(words).weigh


def change(place, n, sums, words, given):
    """Add n tokens to the topic of a place; return the sums.

    A list keeps a topic without tokens until `drop_empty`.
    """
    return _kind(words).change(place, n, sums, words, given)


@overload(change, jit_options=INLINED)
def _(place, n, sums, words, given):
    return _kind(words).change


def drop_empty(place, words, given):
    """Drop a place of a list if its topic has no tokens; the last takes its place."""
    return _kind(words).drop_empty(place, words, given)


@overload(drop_empty, jit_options=INLINED)
def _(place, words, given):
    return _kind(words).drop_empty


def draw_first(r, factors, but, words, given):
    """Return the place of the first token of a block: any but one.

    r is uniform in the weights of all others.
    """
    return _kind(words).draw_first(r, factors, but, words, given)


@overload(draw_first, jit_options=INLINED)
def _(r, factors, but, words, given):
    return _kind(words).draw_first


def draw_last(r, but, words, given):
    """Return the place of the last token of a block: any but one.

    r is uniform in the weights of all others.
    """
    return _kind(words).draw_last(r, but, words, given)


@overload(draw_last, jit_options=INLINED)
def _(r, but, words, given):
    return _kind(words).draw_last
