"""Calls of code that is known: as short as they are, they see every change of arguments and of what is outside."""
# pyright: reportCallIssue=false, reportArgumentType=false
from __future__ import annotations

import gc
import linecache
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc

BACKENDS = ["numpy", "native"]
SCALE: Any = 2.0
HELPER: Any = np.sin
LIMITS: Any = (1.0, 3)


def scaled(x: Any, y: Any) -> Any:
    return np.sum(x * y) * SCALE + np.sum(HELPER(x)) * LIMITS[1]


@pytest.fixture(params=BACKENDS)
def backend(request: Any) -> str:
    if request.param == "native":
        pytest.importorskip("llvmlite")
    return request.param


def agree(g: Callable[..., Any], f: Callable[..., Any], *args: Any) -> None:
    for _ in range(3):  # the first compiles, the second shortens the way, the third takes it
        found, expected = g(*args), f(*args)
        fine = 64 * np.finfo(getattr(found, "dtype", float)).eps if np.result_type(found).kind == "f" else 0.0
        assert type(found) is type(expected) and np.allclose(found, expected, rtol=fine, atol=0.0), (found, expected)


@pytest.mark.parametrize("x", [
    np.ones(3), np.ones(1), np.ones((2, 3)), np.ones((2, 1)), np.arange(3), np.ones(3, np.float32), np.array(2.0), 2.0,
    3, np.float64(2.0), np.int64(2),
])  # fmt: skip
def test_arguments_of_another_type_find_other_code(backend: str, x: Any) -> None:
    g = ccc.compiled(scaled, backend=backend)
    first = np.ones(3)
    agree(g, scaled, first, 2.0)
    agree(g, scaled, x, 2.0)
    agree(g, scaled, first, 2.0)
    agree(g, scaled, x, x)
    with pytest.raises(TypeError):
        g(x)
    with pytest.raises(TypeError):
        g(x, x, x)
    agree(g, scaled, first, 3.0)


def test_what_is_outside_may_change(backend: str) -> None:
    global SCALE, HELPER, LIMITS
    g = ccc.compiled(scaled, backend=backend)
    x = np.ones(3)
    try:
        agree(g, scaled, x, x)
        for scale in (5.0, np.array([1.0, 2.0]), 7, np.float64(1.5), np.ones((1, 2)), 5.0):
            SCALE = scale
            agree(g, scaled, x, x)
        for helper in (np.cos, lambda y: y * y, np.sin):
            HELPER = helper
            agree(g, scaled, x, x)
        for limits in ((1.0, 4), (2.0, 4), [1.0, 3], (1.0, 3)):
            LIMITS = limits
            agree(g, scaled, x, x)
    finally:
        SCALE, HELPER, LIMITS = 2.0, np.sin, (1.0, 3)


def test_closures_and_attributes_may_change(backend: str) -> None:
    factor: Any = 2.0

    def f(x: float) -> Any:
        return x * factor

    g = ccc.compiled(f, backend=backend)
    agree(g, f, 3.0)
    factor = 4.0
    agree(g, f, 3.0)
    factor = np.ones(2)
    agree(g, f, 3.0)


def test_strings_and_functions_as_arguments(backend: str) -> None:
    def f(x: Any, how: Any) -> Any:
        return how(x) if callable(how) else x * 2.0 if how == "twice" else x

    g = ccc.compiled(f, backend=backend)
    for how in ("twice", "once", np.sin, np.cos, None, "twice"):
        agree(g, f, np.ones(2), how)
        agree(g, f, 2.0, how)


@pytest.mark.parametrize("count", [32])
def test_threads_that_race_compile_once(backend: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    import ccc.compile.api.wrapper as wrapper

    built: list[Any] = []
    build = wrapper.build

    def counted(*args: Any) -> Any:
        built.append(args[0])
        return build(*args)

    monkeypatch.setattr(wrapper, "build", counted)
    g = ccc.gradient(lambda x: np.sum(np.exp(x) * x), backend=backend)
    x = np.linspace(0.0, 1.0, 100)
    start, found = threading.Barrier(count), list[Any]()

    def run() -> None:
        start.wait()
        for _ in range(5):
            found.append(g(x))

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(built) == 1 and len(g.codes) == 1
    assert len(found) == 5 * count and all(np.allclose(y, np.exp(x) * (1.0 + x), rtol=1e-14) for y in found)


def test_threads_that_call_with_different_types(backend: str) -> None:
    """Eight threads, each with arguments of its own, of four types and growing sizes."""

    def f(x: Any, y: Any) -> Any:
        return x * y + x

    g, failures = ccc.compiled(f, backend=backend), list[Any]()
    kinds: list[Any] = [2.0, np.ones(3), np.ones((2, 2)), np.array([1.0])]

    def run(i: int) -> None:
        for k in range(200):
            x = kinds[(i + k // 50) % 4] * (k + 1.0)
            if not np.array_equal(g(x, 3.0), f(x, 3.0)):
                failures.append((x, g(x, 3.0)))

    threads = [threading.Thread(target=run, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_short_way_is_taken_while_names_and_arguments_are_the_same(backend: str) -> None:
    space: dict[str, Any] = {"np": np}
    source: str = "def f(x, y):\n    return np.sum(x) * y + step(y)\ndef step(y):\n    return y * y\n"
    linecache.cache["<short>"] = (len(source), None, [*source.splitlines(True)], "<short>")
    exec(compile(source, "<short>", "exec"), space)
    g, x = ccc.gradient(space["f"], wrt="y", backend=backend), np.arange(3.0)
    for _ in range(3):
        assert g(x, 2.0) == 7.0 and g(x, y=2.0) == 7.0 and g(y=2.0, x=x) == 7.0
    old = space["step"]
    space["step"] = lambda y: 3.0 * y
    assert g(x, 2.0) == g(x, y=2.0) == 6.0
    space["step"] = old
    assert g(x, 2.0) == 7.0
    del space["step"]
    with pytest.raises(ccc.CCCError, match="step"):
        g(x, 2.0)
    space["step"] = old
    assert g(x, 2.0) == g(x, 2.0) == 7.0
    with pytest.raises(TypeError):
        g()


def test_what_is_compiled_ends_with_its_last_reference(backend: str) -> None:
    g = ccc.gradient(lambda x: x * x, backend=backend)
    assert [g(3.0) for _ in range(4)] == [6.0] * 4
    seen = weakref.ref(g)
    del g
    gc.collect()
    assert seen() is None
