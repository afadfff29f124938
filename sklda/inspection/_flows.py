"""Flows between the topics of successive models, and places in which few cross."""

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

_N_PASSES = 8  # over the columns, to order their topics


def transport(sources: np.ndarray, sinks: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Return the flows that carry masses to other places at the smallest cost.

    Parameters
    ----------
    sources : ndarray of shape (n,)
        Masses that are carried away.
    sinks : ndarray of shape (m,)
        Masses that must arrive, with the same sum.
    costs : ndarray of shape (n, m)
        Cost of each unit of mass.

    Returns
    -------
    ndarray of shape (n, m)
        Mass from each source to each sink.
    """
    n, m = costs.shape
    leaves = sparse.kron(sparse.eye_array(n), np.ones((1, m)))
    arrives = sparse.kron(np.ones((1, n)), sparse.eye_array(m))
    # The last equation follows from the others, but for rounding.
    solution = linprog(
        costs.ravel(),
        A_eq=sparse.vstack([leaves, arrives]).tocsr()[:-1],
        b_eq=np.concatenate([sources, sinks])[:-1],
    )
    flows: np.ndarray = solution.x.reshape(n, m).clip(0)
    return flows / flows.sum()


def places(
    flows: list[np.ndarray], frequencies: list[np.ndarray], room: float
) -> tuple[list[np.ndarray], float]:
    """Return the upper end of each bar, by column, and the height of the columns.

    Each topic gets the height of its bar, or `room` for its label if that is more. What
    is left in a column is shared between its topics.
    """
    rooms = [np.maximum(sizes, room) for sizes in frequencies]
    total = max(each.sum() for each in rooms)
    tops = []
    for order, each, sizes in zip(
        _orders(flows, frequencies), rooms, frequencies, strict=True
    ):
        slots = each + (total - each.sum()) / each.size
        ends = np.cumsum(slots[order])
        middles = np.empty(each.size)
        middles[order] = ends - slots[order] / 2
        tops.append(middles - sizes / 2)
    return tops, float(total)


def _orders(flows: list[np.ndarray], frequencies: list[np.ndarray]) -> list[np.ndarray]:
    """Return an order of the topics of each column in which few flows cross."""
    orders = [np.argsort(-sizes, kind="stable") for sizes in frequencies]
    for step in range(_N_PASSES):
        forwards = step % 2 == 0
        columns = range(1, len(orders)) if forwards else range(len(orders) - 2, -1, -1)
        for column in columns:
            # From each topic of this column to those of the one that is ordered.
            near = flows[column - 1].T if forwards else flows[column]
            fixed = orders[column - 1 if forwards else column + 1]
            middle = np.empty(fixed.size)
            sizes = near.sum(axis=0)[fixed]
            middle[fixed] = np.cumsum(sizes) - sizes / 2
            means = near @ middle / np.maximum(near.sum(axis=1), 1e-12)
            orders[column] = np.argsort(means, kind="stable")
    return orders


def stacked(flows: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return where each flow begins in its row, with columns in an order."""
    starts = np.empty(flows.shape)
    ordered = flows[:, order]
    starts[:, order] = np.cumsum(ordered, axis=1) - ordered
    return starts
