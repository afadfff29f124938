"""Placement of labels on circles without overlaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.text import Annotation

# Candidate offsets of a label from the centre of its circle, in points: the centre
# itself, then rings around it.
_DIRECTIONS = 16
_RING_DISTANCE = 4.0
_RINGS = 40


def place_labels(
    ax: Any, positions: np.ndarray, labels: list[str], sizes: np.ndarray
) -> list[Annotation]:
    """Write a label on each circle, largest circles first.

    Where the centre of the circle is already covered by another label, the label moves
    to the nearest free offset and a line connects it to the centre. Offsets and
    diameters are in points, so labels stay apart when the whole figure is scaled.

    Cost: O(n_labels) for each candidate offset of each label.

    Parameters
    ----------
    ax : Axes
        Axes that show the circles.
    positions : ndarray of shape (n_labels, 2)
        Centres of the circles, in data coordinates.
    labels : list of str
        Text of each label.
    sizes : ndarray of shape (n_labels,)
        Squared diameters of the circles, in square points, as for ``Axes.scatter``.

    Returns
    -------
    list of Annotation
        The labels, in the order of `labels`.
    """
    ax.figure.figure.draw_without_rendering()  # the layout moves the circles
    pixels_per_point = ax.figure.dpi / 72
    centres = ax.transData.transform(positions)
    # Squares inscribed in the circles: a label may cover the rest of a circle.
    halves = np.sqrt(sizes / 2)[:, np.newaxis] / 2 * pixels_per_point
    circles = np.hstack([centres - halves, centres + halves])
    frame = ax.get_window_extent().extents
    offsets = _candidate_offsets()
    annotations = [
        _annotate(ax, label, position)
        for label, position in zip(labels, positions, strict=True)
    ]
    occupied = np.empty((0, 4))
    for k in np.argsort(-sizes, kind="stable"):
        extent = annotations[k].get_window_extent()
        half = np.array([extent.width, extent.height]) / 2 + 1
        middles = centres[k] + offsets * pixels_per_point
        boxes = np.hstack([middles - half, middles + half])
        outside = (boxes[:, :2] < frame[:2]) | (boxes[:, 2:] > frame[2:])
        free = ~(outside.any(axis=1) | _overlap(boxes, occupied))
        free[1:] &= ~_overlap(boxes[1:], circles)
        chosen = int(free.argmax())  # 0, the centre, if no candidate is free
        annotations[k].set_position(offsets[chosen])
        annotations[k].arrow_patch.set_visible(chosen > 0)
        occupied = np.vstack([occupied, boxes[chosen]])
    return annotations


def _annotate(ax: Any, label: str, position: np.ndarray) -> Any:
    """Write a label at a position, with a line to it that shows once it is moved."""
    return ax.annotate(
        label,
        position,
        (0, 0),
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize="small",
        parse_math=False,
        arrowprops={"arrowstyle": "-", "linewidth": 0.6, "shrinkA": 0, "shrinkB": 0},
    )


def _candidate_offsets() -> np.ndarray:
    """Return the centre and the points of the rings, nearest first, (n, 2)."""
    angles = np.arange(_DIRECTIONS) * 2 * np.pi / _DIRECTIONS
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    rings = [_RING_DISTANCE * r * ring for r in range(1, _RINGS)]
    return np.vstack([np.zeros((1, 2)), *rings])


def _overlap(boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return which boxes (left, bottom, right, top) overlap any of the others."""
    low = boxes[:, np.newaxis, :2] < others[:, 2:]
    high = boxes[:, np.newaxis, 2:] > others[:, :2]
    overlaps: np.ndarray = np.any(np.all(low & high, axis=2), axis=1)
    return overlaps
