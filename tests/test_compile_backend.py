"""Generated code: its text, what it costs, what it may overwrite, and that pullbacks neither raise nor warn."""

from __future__ import annotations

import linecache
import math
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import value_of

import ccc

HERE = Path(__file__).resolve()


def code(f: Callable[..., Any], *args: Any) -> str:
    return ccc.explain(f, *args).code


def lines(text: str) -> str:
    """A text written with an indentation, without it and without the first line break."""
    rows = text.strip("\n").splitlines()
    margin = len(rows[0]) - len(rows[0].lstrip())
    return "\n".join(row[margin:] for row in rows).rstrip()


# -- text --------------------------------------------------------------------------------------------------------


def affine(x, w, b):
    return x * w + b


def smaller(x, y):
    if x > y:
        return x * y
    return x - y


def recurrence(w, h, xs):
    for x in xs:
        h = math.tanh(w * h + x)
    return h


def items(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i]
    return s


def nested_items(a):
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] > 0:
                s += a[i, j] ** 2
            else:
                s += a[j, i]
    return s


def test_a_gradient_is_what_one_would_write() -> None:
    assert code(affine, 1.0, 2.0, 3.0) == lines("""
        def affine_gradient(x, w, b):
            return (w, x, 1.0)
    """)


def test_a_pullback_is_a_nested_function() -> None:
    assert code(ccc.value_with_pullback(affine), 1.0, 2.0, 3.0) == lines("""
        def affine_pullback(x, w, b):
            t = x * w
            t2 = t + b
            def pullback(ct):
                dx = ct * w
                dw = ct * x
                return (dx, dw, ct)
            return t2, pullback
    """)


def test_forward_mode_is_straight_code() -> None:
    assert code(ccc.value_with_differential(affine), 1.0, 2.0, 3.0) == lines("""
        def affine_differential(x, w, b, dx, dw, db):
            t = dx * w
            t2 = dw * x
            t3 = t + t2
            t4 = t3 + db
            return t4
    """)


def test_a_branch_stays_one_branch() -> None:
    assert code(smaller, 1.0, 2.0) == lines("""
        def smaller_gradient(x, y):
            t = x > y
            if t:
                y2 = y
                x2 = x
            else:
                y2 = 1.0
                x2 = (-1.0)
            return (y2, x2)
    """)


def test_the_tape_of_a_loop_holds_only_what_the_pullback_reads() -> None:
    assert code(recurrence, 0.5, 0.1, [1.0, 2.0]) == lines("""
        def recurrence_gradient(w, h, xs):
            h2 = h
            h3 = []
            h4 = []
            for t in xs:
                t2 = w * h2
                t3 = t2 + t
                h5 = math.tanh(t3)
                h3.append(h5)
                h4.append(h2)
                h2 = h5
            dw = 0.0
            dh = 1.0
            dxs = []
            for h6, h7 in zip(reversed(h3), reversed(h4)):
                t4 = h6 * h6
                t5 = 1.0 - t4
                t6 = dh * t5
                t7 = t6 * h7
                dh = t6 * w
                dw = dw + t7
                dxs.append(t6)
            dxs.reverse()
            return (dw, dh, dxs)
    """)


SCRIPT = """
import sys
sys.path[:0] = [{tests!r}, {root!r}]
import numpy as np
import ccc
import test_compile_backend as programs
for transform in (ccc.gradient, ccc.value_with_pullback, ccc.value_with_differential):
    for f, args in programs.TEXTS:
        print(ccc.explain(transform(f), *args).code)
"""
TEXTS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (affine, (1.0, 2.0, 3.0)), (smaller, (1.0, 2.0)), (recurrence, (0.5, 0.1, [1.0, 2.0])), (items, (np.ones(3),)),
    (nested_items, (np.ones((2, 2)),)),
]


@pytest.mark.nightly
def test_the_text_is_the_same_in_every_process() -> None:
    script = SCRIPT.format(tests=str(HERE.parent), root=str(HERE.parent.parent))
    texts = {
        subprocess.run([sys.executable, "-c", script], env={**os.environ, "PYTHONHASHSEED": seed}, check=True,
                       capture_output=True, text=True).stdout
        for seed in ("1", "271828")
    }
    assert len(texts) == 1
    assert "nested_items_gradient" in texts.pop()


def test_generated_lines_are_known_to_tracebacks() -> None:
    def f(x):
        return math.log(x) * x

    with pytest.raises(ValueError, match="math domain error") as caught:
        ccc.gradient(f)(-1.0)
    names = [entry.frame.code.path for entry in caught.traceback]
    generated = next(str(name) for name in names if str(name).startswith("<ccc f_gradient"))
    assert any("math.log(x)" in line for line in linecache.getlines(generated))


# -- cost --------------------------------------------------------------------------------------------------------


def depth_of(line: str) -> int:
    return (len(line) - len(line.lstrip())) // 4


def inside_loops(text: str) -> list[str]:
    """The lines of a source that run once for each run of a loop."""
    found: list[str] = []
    open_loops: list[int] = []
    for line in text.splitlines():
        while open_loops and depth_of(line) <= open_loops[-1]:
            open_loops.pop()
        if open_loops:
            found.append(line.strip())
        if line.lstrip().startswith(("for ", "while ")):
            open_loops.append(depth_of(line))
    return found


def rows_in_branches(a, w):
    s = 0.0
    for i in range(len(a)):
        if w > 0:
            s += np.sum(a[i] * w)
        elif s > 0:
            s += a[i, 0]
    return s


def neighbours(x):
    s = 0.0
    for i in range(len(x) - 1):
        s += np.dot(x[i : i + 2], x[i : i + 2]) * x[i + 1]
    return s


@pytest.mark.parametrize(("f", "args"), [
    (items, (np.ones(3),)), (nested_items, (np.ones((2, 2)),)), (rows_in_branches, (np.ones((2, 2)), 0.5)),
    (neighbours, (np.ones(4),)),
], ids=lambda x: getattr(x, "__name__", ""))
def test_an_item_in_a_loop_is_updated_in_place(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    for transform in (ccc.gradient(f), ccc.value_with_pullback(f)):
        text = code(transform, *args)
        repeated = inside_loops(text)
        assert any(re.match(r"\w+\[.*\] \+= ", line) for line in repeated), text
        assert not any("zeros_like" in line or "add_at" in line or "copy" in line or "own(" in line
                       for line in repeated), text


def test_the_size_of_code_does_not_depend_on_trip_counts() -> None:
    def f(x, n):
        for i in range(n):
            x = math.sin(x) * i
        return x

    texts = {code(recurrence, 0.5, 0.1, [0.1] * n) for n in (1, 2, 1000)}
    assert len(texts) == 1
    assert code(f, 0.5, 3) == code(f, 0.5, 100_000)


def long_loop(x, n):
    s = 0.0
    for _ in range(n):
        s = s * 0.999 + x
    return s


def long_branching_loop(x, y, n):
    for _ in range(n):
        if x > 1.0:
            x = x * 0.5
        else:
            t = y * 0.01
            x = x + t
    return x


def test_a_million_steps() -> None:
    n = 1_000_000
    expected = 1000.0  # the limit of the geometric sum of 0.999 ** k
    assert ccc.gradient(long_loop)(0.5, n)[0] == pytest.approx(expected, rel=1e-9)
    _, differential = ccc.value_with_differential(long_loop, wrt=(0,))(0.5, n)
    assert differential(1.0) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("exponential", [ccc.Delta, ccc.AdditiveMap, ccc.AnyDerivative])
def test_a_hundred_thousand_steps(exponential: Any) -> None:
    dx, dy, _ = ccc.gradient(long_branching_loop, exponential=exponential())(0.5, 0.7, 100_000)
    _, differential = ccc.value_with_differential(long_branching_loop, wrt=(0, 1))(0.5, 0.7, 100_000)
    assert differential(1.0, 1.0) == pytest.approx(dx + dy, rel=1e-9)


def test_a_function_of_two_thousand_statements(tmp_path: Path) -> None:
    body = [f"    x = x * y + {i}.0 / (1.0 + x)" if i % 3 else f"    y = math.tanh(x + {i}.0)" for i in range(2000)]
    path = tmp_path / "long.py"
    path.write_text("\n".join(["import math", "def f(x, y):", *body, "    return x + y"]) + "\n")
    space: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    f = space["f"]
    value, (dx, dy) = ccc.value_with_gradient(f)(0.3, 0.4)
    assert value == f(0.3, 0.4)
    _, differential = ccc.value_with_differential(f)(0.3, 0.4)
    assert differential(1.0, 2.0) == pytest.approx(dx + 2 * dy, rel=1e-9, abs=1e-300)


# -- what may be overwritten -------------------------------------------------------------------------------------


SHARED = np.array([1.0, 2.0, 3.0])
CAPTURED = np.array([0.5, -0.5, 1.5])


def accumulates(x, y):
    a = x * 1.0
    a += y
    b = a * y
    b += SHARED
    b += CAPTURED
    b += a
    return a, b


def from_zeros(x):
    a = np.zeros(3)
    for i in range(3):
        a += x * i
    return a, x


def keeps(x):
    a = x + 1.0
    b = a
    a = a + x
    return b, a, x[::-1]


@pytest.mark.parametrize("f", [accumulates, lambda x, y: from_zeros(x), lambda x, y: keeps(y)])
def test_updates_change_nothing_that_can_be_seen(f: Callable[..., Any]) -> None:
    x, y = np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.2, 0.1])
    before = [v.copy() for v in (x, y, SHARED, CAPTURED)]
    first = value_of(f, x, y)
    kept = [v.copy() for v in first]
    value, pullback = ccc.value_with_pullback(f)(x, y)
    seeds = tuple([np.ones_like(v) for v in value])
    cts = pullback(seeds)
    kept_cts = [c.copy() for c in cts]
    value_of(f, x, y)
    pullback(tuple([3.0 * np.ones_like(v) for v in value]))
    assert all(np.array_equal(a, b) for a, b in zip(kept, first, strict=True))
    assert all(np.array_equal(a, b) for a, b in zip(kept_cts, cts, strict=True))
    assert all(np.array_equal(a, b) for a, b in zip(before, (x, y, SHARED, CAPTURED), strict=True))
    assert all(np.array_equal(s, np.ones_like(s)) for s in seeds)


def test_a_pullback_is_not_affected_by_what_the_user_changes() -> None:
    def f(x, y, xs):
        s = 0.0
        for v in xs:
            s = s + v * v
        return x * y * y + SHARED * s, x

    x, y, xs = np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.6, 0.7]), [1.0, 2.0]
    value, pullback = ccc.value_with_pullback(f)(x, y, xs)
    seed = (np.array([1.0, 0.0, 2.0]), np.array([0.5, 0.5, 0.5]))
    before = pullback(seed)
    kept = [np.array(c) for c in before]
    seed_kept = [s.copy() for s in seed]
    x[:], y[:], xs[0] = 99.0, -99.0, 77.0
    for v in value:
        v[:] = 55.0
    again = pullback(seed)
    assert all(np.array_equal(a, b) for a, b in zip(kept, map(np.array, again), strict=True))
    for ct in again:
        ct[:] = [44.0] * len(ct) if isinstance(ct, list) else 44.0  # type: ignore[index]
    assert all(np.array_equal(a, b) for a, b in zip(kept, map(np.array, before), strict=True))
    assert all(np.array_equal(a, b) for a, b in zip(kept, map(np.array, pullback(seed)), strict=True))
    assert all(np.array_equal(a, b) for a, b in zip(seed_kept, seed, strict=True))


def test_a_differential_is_not_affected_by_what_the_user_changes() -> None:
    x = np.array([1.0, 2.0])
    value, differential = ccc.value_with_differential(lambda x: x * x)(x)
    before = differential(np.ones(2))
    x[:] = 9.0
    value[:] = 7.0
    assert np.array_equal(differential(np.ones(2)), before)


def shared_memory(values: list[np.ndarray]) -> bool:
    return any(np.shares_memory(a, b) for i, a in enumerate(values) for b in values[:i])


FRESH: list[Callable[..., Any]] = [
    lambda x, y: x + y, lambda x, y: x, lambda x, y: (x, x), lambda x, y: (x[::-1], y.T), lambda x, y: x[1:],
    lambda x, y: (x + y, x - y), lambda x, y: np.reshape(x, (3, 1)), lambda x, y: np.stack([x, y]), lambda x, y: (y, x),
    lambda x, y: np.sum(x + y), lambda x, y: np.concatenate([x, y]),
]


@pytest.mark.parametrize("f", FRESH, ids=range(len(FRESH)))
def test_cotangents_are_fresh_writable_and_distinct(f: Callable[..., Any]) -> None:
    x, y = np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.6, 0.7])
    value, pullback = ccc.value_with_pullback(f)(x, y)
    leaves = list(value) if isinstance(value, tuple) else [value]
    seeds = [np.ones_like(v) if isinstance(v, np.ndarray) else 1.0 for v in leaves]
    seed = tuple(seeds) if isinstance(value, tuple) else seeds[0]
    found = [*pullback(seed), *pullback(seed)]
    assert all(ct.flags.writeable for ct in found)
    assert not shared_memory([*found, x, y, *[s for s in seeds if isinstance(s, np.ndarray)]])
    if not isinstance(value, tuple) and not isinstance(value, np.ndarray):
        found = list(ccc.gradient(f)(x, y))
        assert all(ct.flags.writeable for ct in found)
        assert not shared_memory([*found, x, y])


# -- singular points ---------------------------------------------------------------------------------------------

ZERO3 = np.array([0.0, 1.0, 4.0])
SINGULAR: list[tuple[str, Callable[..., Any], Any, Any]] = [
    ("math.sqrt", lambda x: math.sqrt(x), 0.0, math.inf),
    ("np.sqrt", lambda x: np.sqrt(x), 0.0, math.inf),
    ("half power", lambda x: x**0.5, 0.0, math.inf),
    ("zero power", lambda x: x**0, 0.0, 0.0),
    ("abs", lambda x: abs(x), 0.0, 0.0),
    ("np.abs", lambda x: np.sum(np.abs(x)), np.array([0.0, -1.0]), np.array([0.0, -1.0])),
    ("norm", lambda x: np.linalg.norm(x), np.zeros(3), np.zeros(3)),
    ("max", lambda x: np.max(x), np.array([1.0, 3.0, 3.0]), np.array([0.0, 0.5, 0.5])),
    ("maximum", lambda x: np.maximum(x, 2.0), 2.0, 0.5),
    ("where", lambda x: np.sum(np.where(x > 0, np.sqrt(x), 0.0)), ZERO3, np.array([0.0, 0.5, 0.25])),
    ("where with floats", lambda x: math.sqrt(x) if x > 0 else 0.0, 0.0, 0.0),
    ("sqrt array", lambda x: np.sum(np.sqrt(x)), ZERO3, np.array([math.inf, 0.5, 0.25])),
    ("hypot", lambda x: math.hypot(x, x), 0.0, 0.0),
    ("product", lambda x: np.prod(x), np.array([0.0, 2.0, 3.0]), np.array([6.0, 0.0, 0.0])),
]


@pytest.mark.parametrize(("f", "x", "expected"), [row[1:] for row in SINGULAR], ids=[row[0] for row in SINGULAR])
def test_no_pullback_raises_or_warns(f: Callable[..., Any], x: Any, expected: Any) -> None:
    for found in (ccc.gradient(f)(x), ccc.value_with_pullback(f)(x)[1](1.0)):
        assert np.array_equal(found, expected), found
    zero = ccc.value_with_pullback(f)(x)[1](0.0)
    assert np.array_equal(zero, np.zeros_like(x)), zero


WARNING: list[tuple[str, Callable[..., Any], Any, Any]] = [
    ("np.log", lambda x: np.log(x), np.float64(0.0), math.inf),
    ("log array", lambda x: np.sum(np.log(x)), np.array([0.0, 2.0]), np.array([math.inf, 0.5])),
    ("division", lambda x: np.sum(1.0 / x), np.array([0.0, 2.0]), np.array([-math.inf, -0.25])),
    ("where", lambda x: np.sum(np.where(x > 0, np.log(x), 0.0)), np.array([0.0, 2.0]), np.array([0.0, 0.5])),
    ("square root", lambda x: np.sum(np.where(x >= 0, np.sqrt(x), 0.0)), np.array([-1.0, 4.0]), np.array([0.0, 0.25])),
]


@pytest.mark.parametrize(("f", "x", "expected"), [row[1:] for row in WARNING], ids=[row[0] for row in WARNING])
def test_the_primal_warns_as_numpy_does(f: Callable[..., Any], x: Any, expected: Any) -> None:
    with warnings.catch_warnings(record=True) as plain:
        warnings.simplefilter("always")
        f(x)
    assert plain
    with warnings.catch_warnings(record=True) as compiled:
        warnings.simplefilter("always")
        _, pullback = ccc.value_with_pullback(f)(x)
    assert [str(w.message) for w in compiled] == [str(w.message) for w in plain]
    assert np.array_equal(pullback(1.0), expected)
    assert np.array_equal(pullback(0.0), np.zeros_like(x))


@pytest.mark.parametrize("f", [lambda x: math.sqrt(x - 1.0), lambda x: math.log(x), lambda x: 1.0 / x])
def test_what_plain_python_raises_is_raised(f: Callable[..., Any]) -> None:
    with pytest.raises((ValueError, ZeroDivisionError)) as plain:
        f(0.0)
    for transform in (ccc.gradient, ccc.value_with_pullback, ccc.value_with_differential):
        with pytest.raises(type(plain.value), match=re.escape(str(plain.value))):
            transform(f)(0.0)
