"""Hand tracking: where the surface of a posed hand is, against points that were measured.

A hand has a tree of bones; each vertex of its surface moves with several of them. The parameters are a rotation and a
translation of the whole and, for each finger, how far its three joints are bent and the first is spread.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np


class Hand(NamedTuple):
    """A bone has a parent, which stands before it, or -1. Vertices are homogeneous, one a row; so are their weights."""

    parents: np.ndarray
    base_relatives: np.ndarray
    inverse_base_absolutes: np.ndarray
    vertices: np.ndarray
    weights: np.ndarray
    triangles: np.ndarray
    mirrored: bool


def about_axis(r: np.ndarray) -> np.ndarray:
    """The rotation about the axis r by the angle |r|."""
    angle = math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    if angle < 1e-4:
        return np.eye(3)
    x, y, z = r[0] / angle, r[1] / angle, r[2] / angle
    s, c = math.sin(angle), math.cos(angle)
    v = 1.0 - c
    return np.array(
        [
            [x * x * v + c, x * y * v - z * s, x * z * v + y * s],
            [x * y * v + z * s, y * y * v + c, y * z * v - x * s],
            [x * z * v - y * s, y * z * v + x * s, z * z * v + c],
        ]
    )


def joint(bend: Any, spread: Any) -> np.ndarray:
    """The transform of a joint: a rotation about x, then one about z."""
    cx, sx = math.cos(bend), math.sin(bend)
    cz, sz = math.cos(spread), math.sin(spread)
    return np.array(
        [
            [cz, -sz * cx, sz * sx, 0.0],
            [sz, cz * cx, -cz * sx, 0.0],
            [0.0, sx, cx, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def bone_angles(theta: np.ndarray, bones: int) -> tuple[np.ndarray, np.ndarray]:
    """Bend and spread of each bone: the wrist, then four bones a finger of which the first is stiff, then the arm."""
    bend, spread = np.zeros(bones), np.zeros(bones)
    for finger in range(5):
        first = 4 * finger + 2
        bend[first], spread[first] = theta[6 + 4 * finger], theta[7 + 4 * finger]
        bend[first + 1], bend[first + 2] = theta[8 + 4 * finger], theta[9 + 4 * finger]
    return bend, spread


def skinned(theta: np.ndarray, hand: Hand, which: np.ndarray) -> np.ndarray:
    """The places of the vertices of the posed hand with these numbers, one a row."""
    bones, vertices, weights = len(hand.parents), hand.vertices[which], hand.weights[which]
    bend, spread = bone_angles(theta, bones)
    absolutes = np.zeros((bones, 4, 4))
    places = np.zeros((len(which), 3))
    for i in range(bones):
        relative = hand.base_relatives[i] @ joint(bend[i], spread[i])
        parent = hand.parents[i]
        absolutes[i] = relative if parent == -1 else absolutes[parent] @ relative
        transform = absolutes[i] @ hand.inverse_base_absolutes[i]
        places += weights[:, i : i + 1] * (vertices @ transform[:3].T)
    mirror = np.array([-1.0 if hand.mirrored else 1.0, 1.0, 1.0])
    return (places * mirror) @ about_axis(theta[:3]).T + theta[3:6]


def distances(theta: np.ndarray, hand: Hand, correspondences: np.ndarray, measured: np.ndarray) -> np.ndarray:
    """The measured points less the vertices that they belong to, one a row."""
    return measured - skinned(theta, hand, correspondences)


def surface_distances(
    theta: np.ndarray, u: np.ndarray, hand: Hand, correspondences: np.ndarray, measured: np.ndarray
) -> np.ndarray:
    """The measured points less points of the triangles that they belong to, whose coordinates there are u."""
    corners = hand.triangles[correspondences]
    places = np.reshape(skinned(theta, hand, np.ravel(corners)), (len(corners), 3, 3))
    a, b, c = places[:, 0], places[:, 1], places[:, 2]
    s, t = u[:, 0:1], u[:, 1:2]
    return measured - (s * a + t * b + (1.0 - s - t) * c)
