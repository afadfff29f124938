"""Traffic by the scheduler and the client: names and sums, nothing of the corpus."""

import pickle

import numpy as np
import pytest
from dask import delayed
from distributed.comm import tcp
from scipy import sparse

from sklda.dask import CollapsedGibbsLDA, PartiallyCollapsedGibbsLDA, _samplers
from tests.dask.corpora import delayed_blocks, make

WORDS, LENGTH = 50, 2000


def block(seed, n_documents):
    """Return long documents of few words, made on a worker."""
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(WORDS), n_documents)
    return sparse.csr_array(rng.poisson(LENGTH * weights))


@pytest.fixture
def traffic(monkeypatch):
    """Count the bytes that this process, with client and scheduler, receives."""
    received = []
    read = tcp.read_bytes_rw

    async def noting(stream, n):
        received.append(n)
        return await read(stream, n)

    monkeypatch.setattr(tcp, "read_bytes_rw", noting)
    return received


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cls", "params"),
    [(PartiallyCollapsedGibbsLDA, {}), (CollapsedGibbsLDA, {"n_shards": 2})],
)
def test_nothing_large_passes(cls, params, processes, traffic, tmp_path):
    X = [delayed(block)(seed, 800) for seed in range(2)]
    model = cls(3, max_iter=8, random_state=0, client=processes, **params)
    model.set_params(storage=str(tmp_path), store_every=4).fit(X)
    model.score(X)
    n_tokens = model.topic_assignments_.size
    assert n_tokens > 3_000_000
    assert max(traffic) < 64_000
    # The topics of the tokens alone take two bytes each.
    assert sum(traffic) < 2 * n_tokens / 10


def test_a_part_receives_the_words_of_one_shard(client):
    n_shards, n_topics = 8, 100
    X = [delayed(block)(seed, 50) for seed in range(2)]
    model = CollapsedGibbsLDA(n_topics, n_shards=n_shards, max_iter=6, random_state=0)
    model.set_params(client=client, learn_priors=None, init="random").fit(X)
    assert model.n_partitions_ == 2
    # At most 2 bytes for the topic and 2 for the count, and the totals.
    table = 4 * n_topics * WORDS
    limit = table / n_shards + 8 * 128 + 2_000  # of Python's objects
    sizes = []
    for key, task in client.cluster.scheduler.tasks.items():
        if key.startswith("sklda-sweep-phase"):
            part = key.split("-part-")[1][0]
            sizes += [
                needed.nbytes
                for needed in task.dependencies
                if f"-part-{part}-" not in needed.key
            ]
    assert len(sizes) >= 6 * n_shards * 2
    assert max(sizes) < limit < table


def test_arguments_are_small(client):
    # Not what is sent only, but also what the scheduler stores for each task.
    model = make(client=client).fit(delayed_blocks())
    specs = {
        key: task.run_spec
        for key, task in client.cluster.scheduler.tasks.items()
        if str(key).startswith("sklda-")
    }
    assert len(specs) > 100
    assert max(len(pickle.dumps(spec)) for spec in specs.values()) < 4_000
    assert model.n_iter_ == 12


@pytest.mark.parametrize("n_parts", [1, 2, 8, 64, 512, 570])
@pytest.mark.parametrize("size", [(10, 1), (100_000, 100), (1_000_000, 1000)])
def test_tasks_of_a_sweep_are_bounded(n_parts, size):
    n_blocks = len(_samplers.word_bounds(n_parts, *size)) - 1
    assert 1 <= n_blocks <= n_parts
    # Sweep, count, mean, store, load, load the mean; and priors.
    assert n_parts * n_blocks + 6 * (n_parts + n_blocks) + 3 <= 4_000
