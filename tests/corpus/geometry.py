"""Vision and images: rotations, projections, chains of bones, blurs."""

from __future__ import annotations

import math

import numpy as np


def rotate(axis_angle: np.ndarray, point: np.ndarray) -> np.ndarray:
    """A point rotated by Rodrigues' formula."""
    theta = np.sqrt(np.sum(axis_angle**2))
    if theta < 1e-8:
        return point
    k = axis_angle / theta
    cross = np.array([
        k[1] * point[2] - k[2] * point[1], k[2] * point[0] - k[0] * point[2], k[0] * point[1] - k[1] * point[0],
    ])
    return point * np.cos(theta) + cross * np.sin(theta) + k * (k @ point) * (1 - np.cos(theta))


def reprojection(camera: np.ndarray, points: np.ndarray, seen: np.ndarray) -> float:
    """The squared residual of bundle adjustment for one camera with radial distortion."""
    total = 0.0
    for i in range(len(points)):
        p = rotate(camera[:3], points[i]) + camera[3:6]
        x = -p[0] / p[2]
        y = -p[1] / p[2]
        r2 = x * x + y * y
        distortion = 1 + camera[7] * r2 + camera[8] * r2 * r2
        total += (camera[6] * distortion * x - seen[i, 0]) ** 2
        total += (camera[6] * distortion * y - seen[i, 1]) ** 2
    return total


def about_z(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def about_x(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def finger(angles: list[tuple[float, float]], lengths: list[float], target: np.ndarray) -> float:
    """The squared distance of a finger tip, posed by a chain of bones, to a target."""
    orientation = np.eye(3)
    tip = np.zeros(3)
    for (bend, twist), length in zip(angles, lengths):  # noqa: B905
        orientation = orientation @ about_z(bend) @ about_x(twist)
        tip = tip + orientation @ np.array([length, 0.0, 0.0])
    return np.sum((tip - target) ** 2)


def planar_arm(angles: np.ndarray) -> float:
    """The reach along x of a planar arm with unit bones."""
    R = np.eye(2)
    tip = np.zeros(2)
    for a in angles:
        R = R @ np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        tip += R[:, 0]
    return tip[0]


def blur(image: np.ndarray, strength: float) -> float:
    """The squared interior after two steps of diffusion by slices."""
    u = image.copy()
    for _ in range(2):
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        u[1:-1, 1:-1] += strength * (around - 4 * u[1:-1, 1:-1])
    return np.sum(u[1:-1, 1:-1] ** 2)
