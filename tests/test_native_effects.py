"""What machine code prints, warns and calls: once and in order, though the code may leave, and NumPy's begins anew."""

import contextlib
import io
import logging
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.native import engine
from ccc.journal import HERE, Once, beginning_anew

pytestmark = pytest.mark.skipif(not engine.available(), reason="LLVM is not installed")


def told(f: Callable[..., Any], *args: Any) -> tuple[Any, ...]:
    """What a function gives or raises, and all that it prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            found = f(*args)
        except Exception as error:
            return type(error), error.args, out.getvalue()
    return found, out.getvalue()


def descent(w, xs, ys):
    for k in range(12):
        r = xs @ w - ys
        if k % 5 == 0:
            print(f"step {k}: {r @ r:.6f}", len(ys))
        w = w - 0.1 * (xs.T @ r) / len(ys)
    print("end", (k, w[0] > 0.0), sep=" | ")
    return np.sum(w**2)


def test_prints_are_calls_out_of_machine_code():
    rng = np.random.default_rng(0)
    args = rng.standard_normal(3), rng.standard_normal((20, 3)), rng.standard_normal(20)
    by_numpy, by_native = [ccc.value_with_gradient(descent, wrt="w", backend=b) for b in ("numpy", "native")]
    (value, slope), text = told(by_numpy, *args)
    for _ in range(3):
        (found, by_w), shown = told(by_native, *args)
        assert shown == text == told(descent, *args)[1] and text.count("step") == 3
        assert np.isclose(found, value, rtol=1e-12) and np.allclose(by_w, slope, rtol=1e-12)
    assert ccc.explain(by_native, *args).backend.startswith("native\ncalls out to numpy:\n  show")


def running(xs, n):
    total = 0.0
    for i in range(n):
        print("at", i, xs[i])
        total = total + xs[i] * i
        if total > 100.0:
            print("much")
            raise ValueError("total", i)
    return total * total


@pytest.mark.parametrize("backend", ["native", "auto", "numpy"])
def test_what_was_printed_is_not_printed_again_where_the_code_leaves(backend):
    f = ccc.gradient(running, wrt="xs", backend=backend)
    assert told(f, [1.0, 2.0, 3.0], 3) == ([0.0, 16.0, 32.0], told(running, [1.0, 2.0, 3.0], 3)[1])
    for xs, n in (([1.0, 2.0], 3), ([1.0, 200.0, 3.0], 3), ([], 1), ([1.0, 2.0, 3.0], 2)) * 2:
        plain, found = told(running, xs, n), told(f, xs, n)
        assert found[-1] == plain[-1] and (len(plain) == 2 or found == plain)
    assert not HERE.again and not HERE.done


class Lines(logging.Handler):
    """Keeps what is logged; raises where that is a text."""

    def __init__(self, bad=""):
        super().__init__()
        self.bad, self.lines = bad, []

    def handle(self, record):
        self.lines.append(record.getMessage())
        if self.lines[-1] == self.bad:
            raise ValueError(self.bad)
        return True


@pytest.fixture
def log():
    found = logging.getLogger("test_native_effects")
    found.setLevel(logging.INFO)
    yield found
    found.handlers.clear()


def test_a_call_that_raises_is_made_once(log):
    def f(x):
        for i in range(4):
            log.info("item %d", i)
            x = np.sin(x) * 2.0
        return x

    by_native = ccc.gradient(f, backend="native")
    log.addHandler(lines := Lines())
    by_native(np.float64(0.5))
    log.handlers[:] = [bad := Lines("item 2")]
    with pytest.raises(ValueError, match="item 2"):
        by_native(np.float64(0.5))
    assert lines.lines == [f"item {i}" for i in range(4)] and bad.lines == [f"item {i}" for i in range(3)]
    assert ccc.explain(by_native, np.float64(0.5)).backend.startswith("native\n")


def test_logs_warnings_and_clocks(log):
    def f(xs, n):
        begin = time.perf_counter()
        total = 0.0
        for i in range(n):
            log.info("item %d", i)
            total = total + float(xs[i]) * float(xs[i])
        warnings.warn("done", UserWarning, stacklevel=1)
        log.info("total %.3f, %s", total, time.perf_counter() >= begin)
        return total

    by_native = ccc.gradient(f, wrt="xs", backend="native")
    xs = np.array([1.0, 2.0, 3.0])
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        log.addHandler(lines := Lines())
        assert np.array_equal(by_native(xs, 3), 2.0 * xs)
        assert lines.lines == ["item 0", "item 1", "item 2", "total 14.000, True"] and len(warned) == 1
        log.handlers[:] = [lines := Lines()]
        with pytest.raises(IndexError):
            by_native(xs, 4)
        assert lines.lines == [f"item {i}" for i in range(4)] and len(warned) == 1
    assert ccc.explain(by_native, xs, 3).backend.startswith("native\n")


def test_what_programs_with_pullbacks_print_where_the_code_leaves_is_printed_once(log):
    def far(x, n):
        print("begun", n)
        k = 1
        for _ in range(n):
            k = k * 3
        return x * x * (k % 7)

    def logged(x, n):
        print("begun")
        if n > 2:
            log.info("item %d", n)
        return x * x / n

    log.addHandler(bad := Lines("item 80"))
    for f in (far, logged):
        by_native = ccc.value_with_pullback(f, wrt="x", backend="native")
        for n in (2, 80, 80, 0):
            plain, found = told(f, 1.5, n), told(by_native, 1.5, n)
            assert found[-1] == plain[-1]
            assert found[0] == plain[0] if len(plain) == 3 else found[0][0] == plain[0]
    assert bad.lines == ["item 80"] * 4 and not HERE.done


def test_prints_of_values_with_pullbacks_happen_once():
    def f(xs, n):
        total = 0.0
        for i in range(n):
            print(i)
            total = total + xs[i] * xs[i]
        return total

    (value, pullback), text = told(lambda xs: ccc.vjp(f, xs, 2, backend="native"), [1.0, 2.0])
    assert (value, text) == (5.0, "0\n1\n") and told(pullback, 1.0)[1] == ""


def test_loops_that_threads_could_share_print_in_order():
    def f(xs):
        total = np.zeros(len(xs))
        for i in range(len(xs)):
            if i % 50_000 == 0:
                print("at", i)
            total[i] = np.sin(xs[i]) * xs[i]
        return np.sum(total)

    xs = np.linspace(0.0, 1.0, 200_000)
    by_native = ccc.gradient(f, backend="native")
    slope, text = told(by_native, xs)
    assert text == "".join([f"at {i}\n" for i in range(0, 200_000, 50_000)])
    np.testing.assert_allclose(slope, np.cos(xs) * xs + np.sin(xs), rtol=1e-12)


def test_what_other_codes_do_meanwhile_is_their_own():
    seen = []
    note = Once(lambda x: seen.append(x) or x)

    def inner(x):
        note.noted(x)
        return NotImplemented

    code, other = beginning_anew(inner, lambda x: note(x) + note(10 * x))

    def outer(x):
        note.noted(-x)
        assert code(x) is NotImplemented and other(x) == 11 * x
        return NotImplemented

    first, then = beginning_anew(outer, lambda x: [note(-x), note(x)])
    assert first(1) is NotImplemented and seen == [-1, 1, 10]
    assert then(1) == [-1, 1] and seen == [-1, 1, 10, 1]


def test_what_is_shown_is_of_the_class_that_plain_python_has():
    def f(x, n):
        y = x
        for i in range(n):
            y = np.sin(y) * x
            print(f"{i} {y:.3f} {y!r}", y)
        z = max(y, x) if n > 1 else y
        print(f"{y!r} {z!r}", y, (i if n else "none", n))
        return z * x

    by_native = ccc.value_with_gradient(f, wrt="x", backend="native")
    for x in (1.2, np.float64(1.2), -1.2):
        for n in (0, 1, 3):
            (value, _), text = told(by_native, x, n)
            assert (repr(value), text) == (repr(f(x, n)), told(f, x, n)[1])


def test_what_is_shown_of_numbers_is_called_out() -> None:
    def f(x, n):
        y = x
        for i in range(n):
            y = np.sin(y) * x
            print(f"{i} {y:.3f} {y!r}", y)
        return y * x

    by_native = ccc.value_with_gradient(f, wrt="x", backend="native")
    assert told(by_native, 1.2, 3)[1] == told(f, 1.2, 3)[1]
    assert ccc.explain(by_native, 1.2, 3).backend.startswith("native\ncalls out")
