"""The protocols of samplers, and of parameters that a chain samples beside the topics.

A sampler is a module or a small immutable object with the functions of `Sampler`.
Settings, labels and threads are attributes of the sampler; all that changes is in its
state. Arrays of a state share memory only if they are the same object, because chains
are copied and pickled. Sharding, groups of tokens and labels are samplers composed
around other samplers. `tests/test_protocol.py` checks each of them.
"""

from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from sklda._data.corpus import Corpus
from sklda._sampling.problem import Counts, Problem, ProblemOfCells
from sklda._sampling.random_streams import RandomStreams
from sklda._sampling.threads import Threads


class SamplerState(Protocol):
    """The topics of the tokens and counts made from them, which a sweep changes."""

    @property
    def z(self) -> np.ndarray:
        """Topic of each token in the order of the corpus, (n_tokens,) uint16."""

    @property
    def topic(self) -> np.ndarray:
        """Tokens on each topic, (n_lanes,) int32 or int64."""


S = TypeVar("S", bound=SamplerState)


class SweepInfo(NamedTuple):
    """What a sweep over all tokens did."""

    n_draws: int  # of topics: fewer than tokens where several move together
    n_proposed: int = 0  # Metropolis-Hastings steps
    n_accepted: int = 0


def acceptance_rate(sweeps: Sequence[SweepInfo]) -> np.ndarray:
    """Return the share of proposals that each sweep accepts; 1 without proposals."""
    _, proposed, accepted = np.reshape(sweeps, (-1, 3)).T
    return np.where(proposed > 0, accepted / np.maximum(proposed, 1), 1.0)


class Sampler(Protocol[S]):
    """A Markov transition of the topics of all tokens."""

    def from_topics(self, problem: Problem[Corpus], z: np.ndarray) -> S:
        """Return the state in which the tokens have the topics z.

        Sweeps change z in place.
        """

    def sweep(self, problem: Problem[Corpus], state: S, rng: RandomStreams) -> None:
        """Resample every token once; the state changes in place.

        The priors of the problem may differ from sweep to sweep, but an array of beta
        must remain the one of `from_topics`.
        """

    def counts(self, problem: Problem[Corpus], state: S) -> Counts:
        """Return the count tables, (n_words, n_lanes) and (n_lanes,), of the state.

        They may be the state's own: read them before the next sweep.
        """

    def info(self, problem: Problem[Corpus], state: S) -> SweepInfo:
        """Return what the last sweep did, in far less time than a sweep takes.

        Shards share the numbers that this reads: the state of any shard will do.
        """


class Shardable(Sampler[S], Protocol[S]):
    """A sampler whose shards sweep parts of the cells at the same time.

    Two parts share neither documents nor words. So shards share the topics of the
    tokens and all counts but `topic`.
    """

    def tables(self, problem: Problem[Corpus], z: np.ndarray) -> Any:
        """Return counts of the topics z, a named tuple with fields `z` and `topic`."""

    def over(self, tables: Any, problem: ProblemOfCells) -> S:
        """Return a state over counts of all documents, for the cells of the problem."""


def over(tables: Any, problem: ProblemOfCells) -> Any:
    """Return the tables: the function `over` of samplers whose state is only tables."""
    return tables


def info(problem: Problem[Corpus], state: Any) -> SweepInfo:
    """Return one draw per token: the function `info` of samplers without groups."""
    return SweepInfo(state.z.size)


class SampledParameters(Protocol):
    """Parameters that a chain samples: the present sample and the kept ones.

    Only lists change in place, which grow with the chain; `copy_of` copies them.
    """

    def resample(self, chain: Any) -> Problem:
        """Draw the parameters given the topics; return the problem with the priors.

        The chain has `problem`, `state`, `counts` and `n_sweeps`. Parameters that the
        sampler draws with the topics are read from the state.
        """

    def keep(self, problem: Problem, sweep: int) -> None:
        """Add the present sample, which the problem has, to the kept ones."""

    def forget(self, burn_in: int) -> None:
        """Drop all kept samples; sweeps up to `burn_in` do not count."""

    def log_density(self) -> float:
        """Return what the present sample adds to the log joint of words and topics."""

    def scalars(self) -> dict[str, float]:
        """Return numbers of the present sample for diagnostics of convergence."""

    def attributes(self) -> dict[str, Any]:
        """Return the fitted attributes of the kept samples."""


class SampledPrior(SampledParameters, Protocol):
    """The priors of topics and words, if a chain samples them."""

    threads: Threads  # that share the work of a draw
    kept: list[Any]  # kept samples

    def mean(self, problem: Problem) -> Problem:
        """Return the problem with the means of the priors over the kept samples."""

    def kept_values(self) -> Any:
        """Return what tells alpha of each kept sample, as arrays."""

    def for_more_documents(self, problem: Problem) -> Self:
        """Return the present sample, without kept ones, for more documents."""


P = TypeVar("P", bound=SampledParameters)


def copy_of(parameters: P) -> P:
    """Return a copy that later draws do not change."""
    duplicate = copy(parameters)
    fields = vars(parameters).items()
    lists = {name: value.copy() for name, value in fields if isinstance(value, list)}
    vars(duplicate).update(lists)
    return duplicate
