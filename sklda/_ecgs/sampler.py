"""The chains of Xiao & Stibor, which draw the tokens of a cell in groups."""

from collections.abc import Callable

import numpy as np

from sklda._ecgs.kernels import dynamic
from sklda._core.problem import Corpus, padded
from sklda._core.random_streams import new_stream
from sklda._gibbs.chain import Chain


class GroupedChain(Chain):
    """A chain that makes fewer draws than there are tokens; `kernel` draws groups.

    Without `damping` every cell is one group, else dynamic sampling parts it.
    """

    def __init__(self, kernel, damping: int | None, *start):
        self.damping = damping
        super().__init__(kernel, *start)
        self.sampling_rate: list[float] = []  # of each sweep: draws / tokens

    def _new_sweep(self, corpus: Corpus, seed: np.random.SeedSequence) -> Callable:
        if self.damping is None:
            return OneDraw(self.kernel, corpus)
        n_lanes, stream = padded(self.n_topics), new_stream(seed.spawn(1)[0])
        return DynamicDraws(self.kernel, corpus, n_lanes, self.damping, stream)

    def _redraw(self) -> None:
        super()._redraw()
        draws = sum(int(shard.sweep.n_draws.sum()) for shard in self.shards)
        tokens = self.state.z.size
        self.sampling_rate.append(draws / tokens if tokens > 0 else 1.0)


class OneDraw:
    """Shortcut: one draw for all tokens of a cell."""

    def __init__(self, kernel, corpus: Corpus):
        self.kernel = kernel
        self.corpus = corpus
        self.n_draws = np.ones(corpus.word.size, np.int32)

    def __call__(self, state, priors, rng) -> None:
        self.kernel.sweep(self.corpus, state, priors, rng, self.n_draws)


class DynamicDraws(OneDraw):
    """Dynamic sampling: as many draws as topics were drawn in sweeps before."""

    def __init__(self, kernel, corpus: Corpus, n_lanes: int, damping: int, stream):
        super().__init__(kernel, corpus)
        self.n_lanes = n_lanes
        self.stream = stream
        self.n_draws[:] = np.diff(corpus.token_ptr)
        self.gamma = dynamic.init(corpus, damping)
        self.total = damping  # of the weights of each cell

    def __call__(self, state, priors, rng) -> None:
        dynamic.draw(self.gamma, self.total, self.stream, self.n_draws)
        super().__call__(state, priors, rng)
        token_ptr = self.corpus.token_ptr
        self.gamma = dynamic.learn(token_ptr, state.z, self.gamma, self.n_lanes)
        self.total += 1
