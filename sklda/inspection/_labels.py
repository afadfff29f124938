"""Labels of circles, placed so that none covers another."""

import numpy as np

_SIDES = 16  # directions in which a place is looked for
_STEP = 4.0  # between the rings of places, in points
_RINGS = 40


def place_labels(ax, positions, labels, areas) -> list:
    """Write a label on each circle, those of the largest circles first.

    Where other labels are, it goes to the nearest place without labels and circles,
    with a line to the centre of its own. Places are distances in points, as are the
    radii of the circles, so they stay right when the figure is scaled as a whole.
    """
    ax.figure.figure.draw_without_rendering()  # the layout decides where circles lie
    pixels_per_point = ax.figure.dpi / 72
    centres = ax.transData.transform(positions)
    # The squares inside the circles: a label may touch the rim.
    halves = np.sqrt(areas / 2)[:, np.newaxis] / 2 * pixels_per_point
    circles = np.hstack([centres - halves, centres + halves])
    frame = ax.get_window_extent().extents
    texts = [None] * len(labels)
    taken = np.empty((0, 4))
    for k in np.argsort(-areas, kind="stable"):
        text = texts[k] = ax.annotate(
            labels[k],
            positions[k],
            (0, 0),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize="small",
            parse_math=False,
            arrowprops={
                "arrowstyle": "-",
                "linewidth": 0.6,
                "shrinkA": 0,
                "shrinkB": 0,
            },
        )
        extent = text.get_window_extent()
        half = np.array([extent.width, extent.height]) / 2 + 1
        boxes = centres[k] + _offsets() * pixels_per_point
        boxes = np.hstack([boxes - half, boxes + half])
        outside = (boxes[:, :2] < frame[:2]) | (boxes[:, 2:] > frame[2:])
        free = ~(outside.any(axis=1) | _meet(boxes, taken))
        free[1:] &= ~_meet(boxes[1:], circles)
        place = int(free.argmax())  # 0, on the circle, where none is free
        text.set_position(_offsets()[place])
        text.arrow_patch.set_visible(place > 0)
        taken = np.vstack([taken, boxes[place]])
    return texts


def _offsets() -> np.ndarray:
    """Return the centre and the rings around it, the nearest places first."""
    angles = np.arange(_SIDES) * 2 * np.pi / _SIDES
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    return np.vstack([np.zeros((1, 2)), *(_STEP * r * ring for r in range(1, _RINGS))])


def _meet(boxes, others) -> np.ndarray:
    """Return which boxes (left, bottom, right, top) overlap with any of the others."""
    low = boxes[:, np.newaxis, :2] < others[:, 2:]
    high = boxes[:, np.newaxis, 2:] > others[:, :2]
    return (low & high).all(axis=2).any(axis=1)
