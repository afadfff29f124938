"""Draws of four chains whose verdict is known."""

import numpy as np

N_PAIRS = 100
SD = 0.05  # of the scalars within a chain, nats per token


def autoregressions(rng, shape, persistence):
    """Return draws of standard normal variables that persist along the second axis."""
    noise, last = rng.standard_normal(shape), rng.standard_normal((4, *shape[2:]))
    draws = np.empty_like(noise)
    for i in range(shape[1]):
        last = persistence * last + np.sqrt(1 - persistence**2) * noise[:, i]
        draws[:, i] = last
    return draws


def make_chains(kind, n, seed):
    """Return scalars, each (4, n), and pairs, (4, n, N_PAIRS), of chains of this kind.

    "independent" and "persistent" chains agree. "drifting" ones rise all the time,
    "slow" ones wander, "stuck" ones do not move at all. "modes" and "near modes" keep
    to a mode each; those of the latter, and "slow, near" chains, hardly differ in nats.
    """
    rng = np.random.default_rng(seed)
    persistence = {"persistent": 0.5, "slow": 0.99, "slow, near": 0.99}.get(kind, 0.0)
    draws = autoregressions(rng, (4, n, 3 + N_PAIRS), persistence)
    shift = np.linspace(-3, 3, 4)[:, np.newaxis]
    offsets = rng.permuted(np.broadcast_to(shift, (4, 3 + N_PAIRS)), axis=0)
    if kind in ("modes", "near modes", "stuck"):
        draws += offsets[:, np.newaxis]
    if kind == "stuck":
        draws[:] = draws[:, :1]
    if kind == "drifting":
        draws[..., 0] += np.linspace(0, 10, n)
    scalars = SD * draws[..., :3]
    if "near" in kind:
        scalars[..., 0] *= 0.05
    names = ["log_joint", "n_effective_topics", "loss"]
    together = draws[..., 3:] > rng.uniform(-1, 2, N_PAIRS)
    return dict(zip(names, np.moveaxis(scalars, -1, 0), strict=True)), together
