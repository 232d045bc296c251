"""Rotations of space by `scipy.spatial.transform`, as quaternions of length 1 with the real part last.

    q = (sin(a / 2) n, cos(a / 2))        (p q) v = p (q v)        v + 2 w (u x v) + 2 u x (u x v)   for q = (u, w)

Small angles are computed by series, which have derivatives of all orders there; `magnitude` has a kink at no rotation,
with slope 0. Where two of Euler's angles turn about one axis, the third is a constant.

>>> from_rotvec([0.0, 0.0, np.pi / 2]).apply([1.0, 0.0, 0.0]).round(12)
array([0., 1., 0.])

Reference: *Quaternion to Euler angles conversion: A direct, general and computationally efficient method* (Bernardes,
Viollet).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.spatial.transform

from ccc.compile.frontend.numpy_functions.table import definition_of, refuse
from ccc.primitives.frozen import ARGUMENTS, Arguments

transform: Any = scipy.spatial.transform
Rotation: Any = transform.Rotation
STILL = np.array([0.0, 0.0, 0.0, 1.0])
SMALL = 1e-6
"""The square of a length below which series are taken."""


def length(v: Any) -> Any:
    """The length along the last axis, which stays."""
    return np.linalg.norm(v, axis=-1, keepdims=True)


def of_length_one(q: Any) -> Any:
    size = length(q)
    if np.any(size == 0.0):
        raise ValueError("Found zero norm quaternions in `quat`.")
    return q / size


def product(p: Any, q: Any) -> Any:
    """The rotation `q`, and then `p`."""
    u, v, a, b = p[..., :3], q[..., :3], p[..., 3:], q[..., 3:]
    vector = a * v + b * u + np.cross(u, v)
    return np.concatenate([vector, a * b - np.sum(u * v, axis=-1, keepdims=True)], axis=-1)


def canonical_of(q: Any) -> Any:
    """Of a quaternion and its negative, which rotate alike, the one whose last part that is not zero is positive."""
    x, y, z, w = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    turned = (w < 0) | (w == 0) & ((x < 0) | (x == 0) & ((y < 0) | (y == 0) & (z < 0)))
    return np.where(turned[..., None], -q, q)


@dataclass
class Turns:
    """Rotations by the quaternions `q`, along the last axis."""

    __ccc_bases__ = (Rotation,)

    q: Any

    @property
    def single(self) -> Any:
        return np.ndim(self.q) == 1

    @property
    def shape(self) -> Any:
        return np.shape(self.q)[:-1]

    def as_quat(self, canonical: Any = False, *, scalar_first: Any = False) -> Any:
        q = canonical_of(self.q) if canonical else self.q + 0.0
        return np.roll(q, 1, axis=-1) if scalar_first else q

    def as_matrix(self) -> Any:
        x, y, z, w = self.q[..., 0], self.q[..., 1], self.q[..., 2], self.q[..., 3]
        rows = [[x * x - y * y - z * z + w * w, 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
                [2.0 * (x * y + z * w), -x * x + y * y - z * z + w * w, 2.0 * (y * z - x * w)],
                [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), -x * x - y * y + z * z + w * w]]
        return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)

    def as_rotvec(self, degrees: Any = False) -> Any:
        q = canonical_of(self.q)
        square = np.sum(q[..., :3] ** 2, axis=-1, keepdims=True)
        small = square < SMALL
        size = np.sqrt(np.where(small, 1.0, square))
        near = 2.0 + square / 3.0 + 0.15 * square * square
        scale = np.where(small, near, 2.0 * np.arctan2(size, q[..., 3:]) / size)
        return (np.rad2deg(scale) if degrees else scale) * q[..., :3]

    def as_mrp(self) -> Any:
        q = np.where(self.q[..., 3:] < 0, -self.q, self.q)
        return q[..., :3] / (1.0 + q[..., 3:])

    def as_euler(self, seq: Any, degrees: Any = False, *, suppress_warnings: Any = False) -> Any:
        if len(seq) != 3:
            raise ValueError(f"Expected 3 axes, got {seq}.")
        axes, inner = axes_of(seq), seq.isupper()
        i, j, k = axes[::-1] if inner else axes
        twice = i == k
        k = 3 - i - j if twice else k
        sign = (i - j) * (j - k) * (k - i) // 2
        one, other, third, w = self.q[..., i], self.q[..., j], self.q[..., k] * sign, self.q[..., 3]
        a, b, c, d = (w, one, other, third) if twice else (w - other, one + third, other + w, third - one)
        middle = 2.0 * np.arctan2(np.hypot(c, d), np.hypot(a, b))
        half_sum, half_difference = np.arctan2(b, a), np.arctan2(d, c)
        low, high = np.abs(middle) <= 1e-7, np.abs(middle - math.pi) <= 1e-7
        free = ~(low | high)
        alone = np.where(low, 2.0 * half_sum, 2.0 * half_difference * (1.0 if inner else -1.0))
        first = half_sum - half_difference
        last = np.where(free, half_sum + half_difference, alone if inner else 0.0)
        first = np.where(free, first, 0.0 if inner else alone)
        if not twice:
            last, middle = last * sign, middle - 0.5 * math.pi
        found = np.stack([last, middle, first] if inner else [first, middle, last], axis=-1)
        found = (found + math.pi) % (2.0 * math.pi) - math.pi
        return np.rad2deg(found) if degrees else found

    def apply(self, vectors: Any, inverse: Any = False) -> Any:
        u = -self.q[..., :3] if inverse else self.q[..., :3]
        v, w = np.asarray(vectors) * 1.0, self.q[..., 3:]
        across = np.cross(u, v)
        return v + 2.0 * (w * across + np.cross(u, across))

    def inv(self) -> Any:
        return Turns(self.q * np.array([-1.0, -1.0, -1.0, 1.0]))

    def magnitude(self) -> Any:
        return 2.0 * np.arctan2(np.linalg.norm(self.q[..., :3], axis=-1), np.abs(self.q[..., 3]))

    def mean(self, weights: Any = None, axis: Any = None) -> Any:
        if axis is not None:
            refuse("the mean of rotations has a derivative for axis=None")
        rows = np.reshape(self.q, (-1, 4))
        weighted = rows if weights is None else np.reshape(weights, (-1, 1)) * rows
        return Turns(np.linalg.eigh(np.transpose(weighted) @ rows)[1][:, -1])

    def __mul__(self, other: Any) -> Any:
        return Turns(of_length_one(product(self.q, other.as_quat())))

    def __pow__(self, n: Any) -> Any:
        return from_rotvec(n * self.as_rotvec())

    def __getitem__(self, key: Any) -> Any:
        return Turns(self.q[key])

    def __len__(self) -> int:
        return len(self.q)


def axes_of(seq: Any) -> Any:
    """The axes that letters name, lower ones those of space, upper ones those of the body."""
    lower = seq.lower()
    if (seq != lower and not seq.isupper()) or any(letter not in "xyz" for letter in lower):
        raise ValueError(f"Expected axes from `seq` to be from ['x', 'y', 'z'] or ['X', 'Y', 'Z'], got {seq}")
    if any(lower[i] == lower[i + 1] for i in range(len(lower) - 1)):
        raise ValueError(f"Expected consecutive axes to be different, got {seq}")
    return ["xyz".index(letter) for letter in lower]


# -- made of -----------------------------------------------------------------------------------------------------------


@definition_of(Rotation, Rotation.from_quat)
def from_quat(quat: Any, *, scalar_first: Any = False) -> Any:
    q = np.asarray(quat) * 1.0
    return Turns(of_length_one(np.roll(q, -1, axis=-1) if scalar_first else q))


@definition_of(Rotation.from_rotvec)
def from_rotvec(rotvec: Any, degrees: Any = False) -> Any:
    v = np.asarray(rotvec) * 1.0
    v = np.deg2rad(v) if degrees else v
    square = np.sum(v * v, axis=-1, keepdims=True)
    small = square < SMALL
    angle = np.sqrt(np.where(small, 1.0, square))
    scale = np.where(small, 0.5 - square / 48.0 + square * square / 3840.0, np.sin(0.5 * angle) / angle)
    w = np.where(small, 1.0 - square / 8.0 + square * square / 384.0, np.cos(0.5 * angle))
    return Turns(np.concatenate([v * scale, w], axis=-1))


@definition_of(Rotation.from_mrp)
def from_mrp(mrp: Any) -> Any:
    v = np.asarray(mrp) * 1.0
    square = np.sum(v * v, axis=-1, keepdims=True)
    return Turns(np.concatenate([2.0 * v, 1.0 - square], axis=-1) / (1.0 + square))


@definition_of(Rotation.from_euler)
def from_euler(seq: Any, angles: Any, degrees: Any = False) -> Any:
    angles = np.atleast_1d(np.asarray(angles) * 1.0)
    angles = np.deg2rad(angles) if degrees else angles
    axes = axes_of(seq)
    if np.shape(angles)[-1] != len(axes):
        raise ValueError("Expected last dimension of `angles` to match number of sequence axes specified, got "
                         f"{np.shape(angles)[-1]}.")
    found = about(axes[0], angles[..., 0])
    for i in tuple(range(1, len(axes))):
        following = about(axes[i], angles[..., i])
        found = product(found, following) if seq.isupper() else product(following, found)
    return Turns(found)


def about(axis: Any, angle: Any) -> Any:
    """The quaternion of a turn about an axis."""
    none = np.zeros_like(angle)
    return np.stack([np.sin(0.5 * angle) if i == axis else none for i in tuple(range(3))] + [np.cos(0.5 * angle)], -1)


@definition_of(Rotation.from_matrix)
def from_matrix(matrix: Any, assume_valid: Any = False) -> Any:
    m = np.asarray(matrix) * 1.0
    if not assume_valid:
        if np.any(np.linalg.det(m) <= 0.0):
            raise ValueError("Non-positive determinant (left-handed or null coordinate frame) in rotation matrix")
        m = nearest(m)
    trace = m[..., 0, 0] + m[..., 1, 1] + m[..., 2, 2]
    most = np.argmax(np.stack([m[..., 0, 0], m[..., 1, 1], m[..., 2, 2], trace], axis=-1), axis=-1)[..., None]
    found = [np.stack(parts, axis=-1) for parts in quaternions_of(m, trace)]
    chosen = np.where(most == 0, found[0], np.where(most == 1, found[1], np.where(most == 2, found[2], found[3])))
    return Turns(of_length_one(chosen))


def quaternions_of(m: Any, trace: Any) -> Any:
    """Four multiples of the quaternion of a matrix, each by one of its parts."""
    x, y, z = 1.0 - trace + 2.0 * m[..., 0, 0], 1.0 - trace + 2.0 * m[..., 1, 1], 1.0 - trace + 2.0 * m[..., 2, 2]
    xy, xz, yz = m[..., 1, 0] + m[..., 0, 1], m[..., 2, 0] + m[..., 0, 2], m[..., 2, 1] + m[..., 1, 2]
    xw, yw, zw = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    return [[x, xy, xz, xw], [xy, y, yz, yw], [xz, yz, z, zw], [xw, yw, zw, 1.0 + trace]]


def nearest(m: Any) -> Any:
    """The rotation that is nearest to a matrix: Newton's iteration for its polar factor, whose last step has the
    derivative of the limit."""
    for _ in range(64):
        inverse = np.swapaxes(np.linalg.inv(m), -1, -2)
        if np.all(np.abs(m - inverse) < 1e-15):
            break
        m = 0.5 * (m + inverse)
    return 0.5 * (m + np.swapaxes(np.linalg.inv(m), -1, -2))


@definition_of(Rotation.identity)
def identity(num: Any = None, *, shape: Any = None) -> Any:
    if shape is not None:
        return Turns(np.zeros((*tuple(np.atleast_1d(shape)), 4)) + STILL)
    return Turns(STILL + (0.0 if num is None else np.zeros((num, 4))))


@definition_of(Rotation.concatenate)
def concatenate(rotations: Any) -> Any:
    return Turns(np.concatenate([np.reshape(r.as_quat(), (-1, 4)) for r in rotations]))


# -- between rotations -------------------------------------------------------------------------------------------------


@dataclass
class Path:
    """Rotations at times, and between them those with a constant speed."""

    times: Any
    rotations: Any
    steps: Any

    def __call__(self, times: Any) -> Any:
        at = np.asarray(times) * 1.0
        if np.any(at < self.times[0]) or np.any(at > self.times[-1]):
            raise ValueError(f"Interpolation times must be within the range [{self.times[0]}, {self.times[-1]}], both "
                             "inclusive.")
        i = np.minimum(np.maximum(np.searchsorted(self.times, at) - 1, 0), len(self.times) - 2)
        share = (at - self.times[i]) / (self.times[i + 1] - self.times[i])
        return self.rotations[i] * from_rotvec(self.steps[i] * share[..., None])


@definition_of(transform.Slerp)
def Slerp(times: Any, rotations: Any) -> Any:
    q = rotations.as_quat()
    return Path(np.asarray(times) * 1.0, Turns(q[:-1]), (Turns(q[:-1]).inv() * Turns(q[1:])).as_rotvec())


# -- made before -------------------------------------------------------------------------------------------------------


def turns(made: Any) -> Arguments | None:
    return Turns, (), {"q": made.as_quat()}


ARGUMENTS.update({Rotation: turns})
