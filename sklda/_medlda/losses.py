"""The losses of documents as Gaussian factors of their scores.

A document d has the factor exp(-loss) for each task t. The loss is a sum of hinges of
the score s_dt = sum_k eta_kt zbar_dk. For any x and c > 0 (Polson & Scott, 2011)

    exp(-2 c max(0, x)) = integral over xi of exp(-c x - c^2 xi x^2 / 2) f(xi).

So given xi, a document has the Gaussian factor exp(a s - b s^2 / 2); given x, xi is
inverse Gaussian with mean 1 / (c |x|) and shape 1. Zhu, Chen, Perkins & Zhang, "Gibbs
max-margin topic models with data augmentation", JMLR 2014.
"""

from typing import NamedTuple

import numpy as np

# An inverse Gaussian of infinite mean exceeds this once in 100,000 draws; larger values
# would only make the weights inexact.
HIGHEST_XI = 1e10


class Hinge(NamedTuple):
    """Loss 2 C w max(0, 1 - y s) of targets w y, with y = -1 or 1 and w > 0."""

    C: float

    def augment(
        self, targets: np.ndarray, scores: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw xi given 1 - y s; return a and b of exp(a s - b s^2 / 2)."""
        y, C = np.sign(targets), self.C * abs(targets)
        xi = draw_xi(C * abs(1 - y * scores), rng)
        return C * y * (1 + C * xi), C**2 * xi

    def __call__(self, targets: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Return w max(0, 1 - y s), without the factor 2 C."""
        return abs(targets) * np.maximum(0, 1 - np.sign(targets) * scores)


class EpsilonInsensitive(NamedTuple):
    """Loss 2 C max(0, |y - s| - epsilon): a hinge on either side of y."""

    C: float
    epsilon: float

    def augment(
        self, targets: np.ndarray, scores: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw xi of both hinges, whose linear terms cancel; return a and b."""
        low, high = targets - self.epsilon, targets + self.epsilon
        xi_low = draw_xi(self.C * abs(low - scores), rng)
        xi_high = draw_xi(self.C * abs(scores - high), rng)
        slope = self.C**2 * (xi_low * low + xi_high * high)
        return slope, self.C**2 * (xi_low + xi_high)

    def __call__(self, targets: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Return max(0, |y - s| - epsilon), without the factor 2 C."""
        return np.maximum(0, abs(targets - scores) - self.epsilon)


Loss = Hinge | EpsilonInsensitive  # targets and scores are (n_docs, n_tasks)


def draw_xi(c_x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw from inverse Gaussians with means 1 / c_x and shape 1; c_x may be 0.

    Michael, Schucany & Haas (1976): the square of a normal number, v, has a root on
    each side of the mean. Written in c_x, the smaller one is stable, 1 / v for c_x = 0.
    """
    v = np.maximum(rng.standard_normal(c_x.shape) ** 2, 1 / HIGHEST_XI)
    smaller = 2 / (2 * c_x + v + np.sqrt(v * (4 * c_x + v)))
    is_smaller = rng.random(c_x.shape) * (1 + c_x * smaller) <= 1
    # The product of both is the square of the mean.
    larger = 1 / np.maximum(c_x * (c_x * smaller), 1 / HIGHEST_XI)
    return np.where(is_smaller, smaller, larger)
