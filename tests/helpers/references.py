"""What other programs, or plain steps, make of the same documents."""

import numpy as np


def fixed_point(counts, components, alpha, n_steps=20_000):
    """Return theta after many plain steps of equation (1), in double precision."""
    phi = components / components.sum(1, keepdims=True)
    left_out = np.minimum(counts, 1)[:, :, np.newaxis]
    responsibility = (alpha * phi.T) / (alpha @ phi)[:, np.newaxis]
    responsibility = np.tile(responsibility, (len(counts), 1, 1))
    for _ in range(n_steps):
        expected = np.einsum("dw,dwk->dk", counts, responsibility)
        others = (alpha + expected)[:, np.newaxis] - left_out * responsibility
        new = others * phi.T
        new /= new.sum(axis=2, keepdims=True)
        if abs(new - responsibility).max() < 1e-12:
            break
        responsibility = new
    mass = alpha.sum() + counts.sum(axis=1, keepdims=True)
    return (alpha + np.einsum("dw,dwk->dk", counts, responsibility)) / mass
