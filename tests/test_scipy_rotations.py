"""Rotations of `scipy.spatial.transform`: values are SciPy's, derivatives those of differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc

pytest.importorskip("scipy")

from scipy.spatial.transform import Rotation, Slerp

RNG = np.random.default_rng(0)
Q, V, E = RNG.normal(size=(3, 4)), RNG.normal(size=(3, 3)), RNG.normal(size=(2, 3))
MADE = Rotation.from_euler("ZYX", [0.3, 0.2, 0.1])
PATH = Rotation.from_euler("xyz", [[0.1, 0.2, 0.3], [0.5, -0.2, 0.4], [0.9, 0.1, -0.6]])
BODY, SPACE = ("XYZ", "ZXZ", "YXY", "ZYX"), ("xyz", "zxz", "yzx", "yxy")


def angles(sequences: tuple[str, ...]) -> Callable[[Any], Any]:
    def f(e: Any) -> Any:
        total = 0.0
        for seq in sequences:
            r = Rotation.from_euler(seq, e)
            total = total + np.sum(r.as_euler(seq) ** 2) + np.sum(r.as_euler("zyx", degrees=True)) / 60.0
        return total

    return f


def batch(q: Any, v: Any) -> Any:
    r = Rotation.from_quat(q)
    moved = np.sum(r.apply(v) @ np.arange(3.0)) + r.apply(v, inverse=True)[0, 1] + np.sum(r.magnitude() ** 2)
    return moved + np.sum((r[1:] * r[0]).as_rotvec(degrees=True)) / 50.0 + len(r) * r.mean().magnitude()


def made_before(v: Any) -> Any:
    joined = Rotation.concatenate([MADE, Rotation.from_rotvec(v, degrees=True)])
    turned = (MADE ** 0.5).inv().apply(v) + Rotation.identity().apply(v) * MADE.apply(v)
    return np.sum(turned) + np.sum((Rotation.from_mrp(v * 0.3) * MADE).as_mrp()) + np.sum(joined.as_matrix()[1] ** 3)


def way(t: Any, e: Any) -> Any:
    slerp = Slerp([0.0, 1.0, 2.0], Rotation.from_euler("xyz", np.concatenate([e, e[:1] * 0.5])))
    between = slerp(np.array([t, 1.7, 2.0 * t])).as_quat() * np.arange(4.0)
    return np.sum(slerp(t).as_rotvec()) + np.sum(between) + np.sum(Slerp([0.0, 1.0, 2.0], PATH)(t).as_rotvec())


def quaternion(m: Any) -> Any:
    return np.sum(Rotation.from_matrix(m).as_quat(canonical=True, scalar_first=True) * np.arange(4.0))


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (lambda e: np.sum(Rotation.from_euler("Y", e[0, :1]).as_matrix() ** 3), (E,)),
    (angles(BODY), (E,)), (angles(SPACE), (E,)), (batch, (Q, V)), (made_before, (V[0],)), (way, (0.8, E)),
    (quaternion, (MADE.as_matrix(),)), (quaternion, (np.eye(3) + 0.1 * V,)),
    (quaternion, (Rotation.from_rotvec([3.0, 0.1, 0.2]).as_matrix(),)),
    (quaternion, (Rotation.from_rotvec([0.1, 3.0, 0.2]).as_matrix() @ np.diag([1.0, 1.1, 0.9]),)),
    (quaternion, (Rotation.from_rotvec([0.1, 0.2, -3.0]).as_matrix(),)),
]


def slopes(f: Callable[..., Any], args: tuple[Any, ...], step: float = 1e-6) -> list[Any]:
    """The derivatives by differences."""
    found = []
    for i, x in enumerate(args):
        at = np.asarray(x, float)
        slope = np.zeros(at.shape)
        for place in np.ndindex(at.shape):
            move = np.zeros(at.shape)
            move[place] = step
            ends = [f(*args[:i], x + s * (move if at.shape else step), *args[i + 1:]) for s in (1.0, -1.0)]
            slope[place] = (ends[0] - ends[1]) / (2.0 * step)
        found.append(slope)
    return found


@pytest.mark.share(8)
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("case", range(len(CASES)))
def test_values_are_scipys_and_derivatives_those_of_differences(case: int, backend: Any):
    f, args = CASES[case]
    value, found = ccc.value_with_gradient(f, backend=backend)(*args)
    np.testing.assert_allclose(value, f(*args), rtol=1e-12)
    expected = slopes(f, args)
    for slope, difference in zip(found if len(args) > 1 else (found,), expected, strict=True):
        np.testing.assert_allclose(slope, difference, rtol=1e-6, atol=1e-7)
    ones = [np.ones(np.shape(x))[()] for x in args]
    along = ccc.value_with_differential(f)(*args)[1](*ones)
    np.testing.assert_allclose(along, sum([np.sum(d) for d in expected]), rtol=1e-6)


@pytest.mark.parametrize("size", [0.0, 1e-5, 0.7e-3, 1.3e-3])
def test_small_angles_have_derivatives_of_all_orders(size: float):
    a, b = size * V[0], size * V[1]

    def f(a: Any) -> Any:
        return (Rotation.from_rotvec(a) * Rotation.from_rotvec(b)).as_rotvec() @ np.arange(1.0, 4.0)

    np.testing.assert_allclose(ccc.gradient(f)(a), slopes(f, (a,), 1e-5)[0], rtol=1e-6, atol=1e-8)
    second = np.stack([slopes(lambda x, i=i: ccc.gradient(f)(x)[i], (a,), 1e-5)[0] for i in range(3)])
    np.testing.assert_allclose(ccc.hessian(f)(a), second, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("f", "said"), [
    (lambda e: np.sum(Rotation.from_euler("xxz", e[0]).as_quat()), "consecutive axes"),
    (lambda e: np.sum(Rotation.from_euler("xYz", e[0]).as_quat()), "Expected axes"),
    (lambda e: np.sum(Rotation.from_euler("xy", e).as_quat()), "last dimension"),
    (lambda e: np.sum(Rotation.from_quat(0.0 * np.append(e, e)[:4]).as_quat()), "zero norm"),
    (lambda e: np.sum(Rotation.from_matrix(-np.eye(3) + 0.0 * e[0]).as_quat()), "Non-positive determinant"),
    (lambda e: np.sum(Slerp([0.0, 1.0, 2.0], PATH)(3.0 + 0.0 * e[0, 0]).as_quat()), "must be within the range"),
])
def test_what_scipy_raises(f: Callable[..., Any], said: str):
    for run in (f, ccc.gradient(f)):
        with pytest.raises(ValueError, match=said):
            run(E)
