"""Bundle adjustment: where cameras see points, against where they were seen.

The functions of one observation take a camera, a point and a feature as tuples of numbers, or of arrays with one entry
for each of many observations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Vector = tuple[Any, Any, Any]


def cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def rotated(r: Vector, p: Vector) -> Vector:
    """A point turned about the axis r by the angle |r|, as Rodrigues has it; where r is zero, as near zero."""
    angle = np.sqrt(np.maximum(r[0] * r[0] + r[1] * r[1] + r[2] * r[2], 1e-300))
    sine, cosine = np.sin(angle), np.cos(angle)
    axis = (r[0] / angle, r[1] / angle, r[2] / angle)
    c = cross(axis, p)
    along = (axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2]) * (1.0 - cosine)
    return (
        p[0] * cosine + c[0] * sine + axis[0] * along,
        p[1] * cosine + c[1] * sine + axis[1] * along,
        p[2] * cosine + c[2] * sine + axis[2] * along,
    )


def projected(camera: Any, point: Any) -> tuple[Any, Any]:
    """Where a camera sees a point; it has a rotation, a place, a focal length, a centre and a radial distortion."""
    r1, r2, r3, c1, c2, c3, focal, u0, v0, k1, k2 = camera
    x, y, z = rotated((r1, r2, r3), (point[0] - c1, point[1] - c2, point[2] - c3))
    u, v = x / z, y / z
    square = u * u + v * v
    distortion = 1.0 + k1 * square + k2 * square * square
    return u * distortion * focal + u0, v * distortion * focal + v0


def reprojection_error(camera: Any, point: Any, weight: Any, feature: Any) -> tuple[Any, Any]:
    """The weighted difference of what is seen and what was seen."""
    u, v = projected(camera, point)
    return weight * (u - feature[0]), weight * (v - feature[1])


def weight_error(weight: Any) -> Any:
    return 1.0 - weight * weight


def observed_errors(
    cameras: np.ndarray, points: np.ndarray, weights: np.ndarray, features: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The errors of observations that are the rows of the arguments: two of reprojection and that of the weight."""
    u, v = reprojection_error(cameras.T, points.T, weights, features.T)
    return u, v, weight_error(weights)


def errors(
    cameras: np.ndarray,
    points: np.ndarray,
    weights: np.ndarray,
    features: np.ndarray,
    camera_of: np.ndarray,
    point_of: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The errors of observations, of which each has a camera and a point by number."""
    return observed_errors(cameras[camera_of], points[point_of], weights, features)
