"""Concatenations and slices added to zeros, read item by item: the same as copies of them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from native_checks import gradients_agree, modules

import ccc
from benchmarks.programs import ode
from ccc.compile.api import wrapper
from ccc.compile.native import cpus, engine, module, parts, target
from ccc.compile.passes import improve

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")


def joined(x: np.ndarray, y: np.ndarray) -> Any:
    return np.sum(np.concatenate([x, y]) ** 2 * np.arange(len(x) + len(y)))


def with_constants(x: np.ndarray, y: np.ndarray) -> Any:
    z = np.concatenate([np.zeros(1), x, y[::-1]])
    return np.sum(z[1:] * z[:-1]) + z[0] + np.sum(np.concatenate([x[:-1], np.full(2, y[0])]) ** 3)


def of_concatenations(x: np.ndarray, y: np.ndarray) -> Any:
    z = np.concatenate([x * y[0], np.tanh(x)])
    return np.sum(np.sin(np.concatenate([z[3:], z[:3]])) * z)


def many(x: np.ndarray, y: np.ndarray) -> Any:
    """More parts than an item is looked for in."""
    return np.sum(np.sin(np.concatenate([x, y, x * 2.0, y * y, x])) * np.concatenate([x, x, y, x, y]))


def diffused(x: np.ndarray, y: np.ndarray) -> Any:
    """Around a ring, and each step reads the one before at other places."""
    u = x
    for _ in range(3):
        u = u + 0.1 * (np.concatenate([u[1:], u[:1]]) - 2 * u + np.concatenate([u[-1:], u[:-1]]))
    return np.sum(u * u * y[0])


def changed(x: np.ndarray, y: np.ndarray) -> Any:
    """What parts are read of changes before they are."""
    a = np.concatenate([x])
    b = np.concatenate([a[1:], y[:1]])
    a[0] = 3.0 * y[0]
    a[1:] += b[:-1]
    return np.sum(a * b * np.concatenate([a[2:], a[:2]]))


def of_integers(x: np.ndarray, y: np.ndarray) -> Any:
    n = np.concatenate([np.array([1, 2]), np.arange(3)])
    return np.sum(x[n % len(x)]) + np.sum(np.concatenate([x > 0, y > 0]) * 1.0)


def stencil(x: np.ndarray, y: np.ndarray) -> Any:
    z = np.zeros(len(x) + 2)
    z[1:-1] = x
    z[0] = y[0]
    return np.sum((z[2:] - 2 * z[1:-1] + z[:-2]) ** 2)


def placed(x: np.ndarray, y: np.ndarray) -> Any:
    """In zeros that something else is added to, that are read twice, that take one number, and with other slices."""
    a, b, c, d = np.zeros(len(x)), np.zeros(len(x)), np.zeros(len(x)), np.zeros(len(x))
    a[1:] += np.tanh(x[:-1])
    a[:-1] += x[1:]
    b[2:-1] += x[2:-1] * y[0]
    c[1:] += y[:1]
    d[::2] += x[::2]
    return np.sum(a * x) + np.sum(b * b + b) + np.sum(c * x) + np.sum(d * x)


def within_runs(x: np.ndarray, y: np.ndarray) -> Any:
    total = 0.0
    for i in range(len(x)):
        z = np.concatenate([x[i:], x[:i]])
        total += np.sum(z * x) * x[i] * y[0]
    return total


PROGRAMS = (
    joined, with_constants, of_concatenations, many, diffused, changed, of_integers, stencil, placed, within_runs,
)  # fmt: skip


@pytest.mark.share(4)
@pytest.mark.parametrize("f", PROGRAMS)
def test_programs(f):
    for n in (1, 2, 7, 8, 9, 17, 64, 1003):
        for m in (1, 5):
            try:
                f(np.ones(n), np.ones(m))
            except ValueError:  # sizes that do not fit
                continue
            gradients_agree(f, np.sin(np.arange(n) * 1.7 + 0.3), np.cos(np.arange(m) * 0.9))


@pytest.mark.parametrize("f", PROGRAMS)
def test_without_vectors(monkeypatch, f):
    monkeypatch.setattr(cpus.Cpu, "lanes", 0)
    gradients_agree(f, np.sin(np.arange(9) * 1.7 + 0.3), np.cos(np.arange(5) * 0.9))


@pytest.mark.parametrize("f", [g for g in PROGRAMS if g is not of_integers])
def test_second_derivatives(f):
    x, y = np.sin(np.arange(9) * 1.7 + 0.3), np.cos(np.arange(5) * 0.9)
    gradients_agree(lambda x, y: np.sum(ccc.gradient(f, wrt="x")(x, y) ** 2), x, y)


def shifted(x: np.ndarray, y: np.ndarray) -> Any:
    return np.sum(np.concatenate([y, x[:-1]]) * np.concatenate([x[1:], y]))


def test_nothing_is_read_beyond_an_array():
    """A part that ends where memory ends: its neighbours cannot be read."""
    mmap = pytest.importorskip("mmap")
    ctypes = pytest.importorskip("ctypes")
    page = mmap.PAGESIZE
    memory = mmap.mmap(-1, 3 * page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    protect = getattr(ctypes.CDLL(None), "mprotect", None)
    if protect is None:
        pytest.skip("no `mprotect` here")
    for guard in (start, start + 2 * page):
        assert protect(ctypes.c_void_p(guard), page, 0) == 0
    try:
        for first, last in ((page, page + 8 * 11), (2 * page - 8 * 11, 2 * page)):
            x = np.frombuffer(memory, np.float64, 11, first)
            x[:] = np.arange(11) * 0.1
            assert last - first == x.nbytes
            gradients_agree(diffused, x, np.ones(2))
            gradients_agree(shifted, x, np.ones(1))
            del x
    finally:
        for guard in (start, start + 2 * page):
            protect(ctypes.c_void_p(guard), page, 3)


def last(x: np.ndarray) -> Any:
    return ode.last_component(x, 3)


def test_a_concatenation_is_read_where_it_is_used(monkeypatch):
    """A stage of a step is one loop, that reads the stage before at two places."""
    if not engine.cpu().lanes:
        pytest.skip("no masks here")
    texts, x = modules(monkeypatch), np.random.default_rng(0).random(40)

    def loops() -> int:
        wrapper.forget()
        texts.clear()
        gradients_agree(last, x)
        return len(re.findall(r"^lanes\d+:", texts[-1], re.M))

    found = loops()
    monkeypatch.setattr(parts, "in_parts", lambda m, xs: False)
    monkeypatch.setattr(parts, "places", lambda m, let: False)
    assert 2 * found < loops()


def test_what_only_sizes_are_read_of_is_not_computed(monkeypatch):
    """The cotangent of a part has its size: the pullback does not compute the stages again of which these are parts."""
    texts, x = modules(monkeypatch), np.random.default_rng(0).random(40)

    def writes() -> int:
        wrapper.forget()
        texts.clear()
        gradients_agree(last, x)
        return texts[-1].count("store <")

    found = writes()
    monkeypatch.setattr(module, "read_for_sizes", lambda program: set())
    monkeypatch.setattr(improve, "PASSES", [p for p in improve.PASSES if p.name != "size-reads"])
    assert found < writes()
