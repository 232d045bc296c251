"""Loops along lists of arrays of which each has other sizes, as the layers of a network."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.native import engine

pytestmark = pytest.mark.skipif(not engine.available(), reason="LLVM is not installed")


@dataclass
class Dense:
    w: np.ndarray
    b: np.ndarray
    act: str


def network(layers: list[Dense], x, y):
    for layer in layers:
        x = x @ layer.w + layer.b
        if layer.act == "relu":
            x = np.maximum(x, 0.0)
        elif layer.act == "tanh":
            x = np.tanh(x)
    return np.mean((x - y) ** 2)


def plain(ws, x):
    for w in ws:
        x = np.tanh(x @ w)
    return np.sum(x**2)


def by_index(ws, x):
    i = 0
    while i < len(ws):
        x = np.tanh(x @ ws[i])
        i += 1
    return np.sum(x)


def kept(ws, x):
    hs = [x]
    for w in ws:
        hs.append(np.tanh(hs[-1] @ w))
    return sum(np.sum(h**2) for h in hs)


def pairs(ps, x):
    for w, b in ps[:-1]:
        x = np.tanh(x @ w + b)
    w, b = ps[-1]
    return np.sum(x @ w + b)


def of_dicts(ps, x):
    for p in ps:
        x = np.tanh(x @ p["W"] + p["b"])
    return np.mean(x)


def scaled(ws, x):
    for _ in range(3):
        for w in ws:
            x = (x @ w) * np.sum(w)
    return np.sum(x)


def equal_sizes(xs, h):
    for x in xs:
        h = np.tanh(h + x * h)
    return np.sum(h)


def normal(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape) / 2.0


WS = [normal(1, 3, 8), normal(2, 8, 8), normal(3, 8, 4), normal(4, 4, 1)]
DENSE = [Dense(normal(1, 3, 8), normal(2, 8), "tanh"), Dense(normal(3, 8, 8), normal(4, 8), "relu"),
         Dense(normal(5, 8, 1), normal(6, 1), "none")]  # fmt: skip
CASES: list[tuple[Any, tuple[Any, ...]]] = [
    (network, (DENSE, normal(7, 20, 3), normal(8, 20, 1))), (network, (DENSE, normal(7, 1, 3), normal(8, 1, 1))),
    (network, (DENSE[:2], normal(7, 5, 3), normal(8, 5, 8))),
    (network, (DENSE[1:2] * 3, normal(7, 5, 8), normal(8, 5, 8))),
    (plain, (WS, normal(7, 20, 3))), (plain, (WS[:1], normal(7, 20, 3))), (plain, ([], normal(7, 2, 3))),
    (by_index, (WS, normal(7, 6, 3))), (kept, (WS, normal(7, 6, 3))),
    (scaled, ([WS[0], normal(9, 8, 3)], normal(7, 4, 3))), (pairs, ([(d.w, d.b) for d in DENSE], normal(7, 6, 3))),
    (of_dicts, ([{"W": d.w, "b": d.b} for d in DENSE], normal(7, 6, 3))),
    (equal_sizes, ([normal(i, 5) for i in range(4)], normal(7, 5))),
]


def arrays(x: Any) -> list[np.ndarray]:
    if isinstance(x, np.ndarray):
        return [x]
    parts = x.values() if isinstance(x, dict) else vars(x).values() if isinstance(x, Dense) else x
    return [a for part in parts if part is not None for a in arrays(part)]


@pytest.mark.parametrize(("f", "args"), CASES)
def test_gradients_by_layers_are_machine_code(f: Any, args: Any) -> None:
    by_numpy, by_native = [ccc.value_with_gradient(f, wrt=(0, 1), backend=b) for b in ("numpy", "native")]
    (value, wanted), (same, found) = by_numpy(*args), by_native(*args)
    assert np.isclose(value, same, rtol=1e-12)
    for a, b in zip(arrays(list(wanted)), arrays(list(found)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-13)
    assert ccc.explain(by_native, *args).backend == "native"


def test_other_sizes_in_later_calls_are_right():
    by_native = ccc.gradient(plain, wrt="ws", backend="native")
    for widths in ((3, 8, 4), (3, 2), (3, 5, 5, 5, 2), (3, 1, 7), (3, 4, 1)):
        ws = [normal(i, m, n) for i, (m, n) in enumerate(pairwise(widths))]
        wanted = ccc.gradient(plain, wrt="ws", backend="numpy")(ws, WS[0][:3].T)
        for a, b in zip(wanted, by_native(ws, WS[0][:3].T), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("labels", ["ab", "aa"])
def test_gradients_have_nothing_where_texts_are(labels: str) -> None:
    layers = [Dense(normal(i, 3, 3), normal(i + 5, 3), {"a": "tanh", "b": "relu"}[x]) for i, x in enumerate(labels)]
    slope = ccc.gradient(network, wrt="layers", backend="native")(layers, normal(7, 5, 3), normal(8, 5, 3))
    assert [layer.act for layer in slope] == [None, None]
