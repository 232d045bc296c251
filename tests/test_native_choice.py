"""`backend="auto"`: what is chosen, that it is chosen once, and that the choice shows in nothing but time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from test_corpus import PROGRAMS
from test_native_programs import close

import ccc
from compile.backends import choice

pytest.importorskip("llvmlite")


def reason(g: Any) -> str:
    """Why the only code of a transform is that of NumPy."""
    ((code,),) = g.codes.values()
    return code.left_to


def power(x: float, n: int) -> float:
    for _ in range(n):
        x = x * 1.0001
    return x


def product(a: np.ndarray, b: np.ndarray) -> Any:
    return np.sum(np.tanh(a @ b))


def long_text(x: float, n: int) -> float:
    y = x
    for i in range(n):
        y = math.sin(y * 0.5) * math.atan2(x, y + 0.25) * math.exp(-y * y) + i
        y = math.sin(y * 1.5) * math.atan2(x, y + 1.25) * math.exp(-y * y) + i
        y = math.sin(y * 2.5) * math.atan2(x, y + 2.25) * math.exp(-y * y) + i
        y = math.sin(y * 3.5) * math.atan2(x, y + 3.25) * math.exp(-y * y) + i
        y = math.sin(y * 4.5) * math.atan2(x, y + 4.25) * math.exp(-y * y) + i
        y = math.sin(y * 5.5) * math.atan2(x, y + 5.25) * math.exp(-y * y) + i
        y = math.sin(y * 6.5) * math.atan2(x, y + 6.25) * math.exp(-y * y) + i
        y = math.sin(y * 7.5) * math.atan2(x, y + 7.25) * math.exp(-y * y) + i
        y = math.sin(y * 8.5) * math.atan2(x, y + 8.25) * math.exp(-y * y) + i
        y = math.sin(y * 9.5) * math.atan2(x, y + 9.25) * math.exp(-y * y) + i
        y = math.sin(y * 10.5) * math.atan2(x, y + 10.25) * math.exp(-y * y) + i
        y = math.sin(y * 11.5) * math.atan2(x, y + 11.25) * math.exp(-y * y) + i
        y = math.sin(y * 12.5) * math.atan2(x, y + 12.25) * math.exp(-y * y) + i
        y = math.sin(y * 13.5) * math.atan2(x, y + 13.25) * math.exp(-y * y) + i
        y = math.sin(y * 14.5) * math.atan2(x, y + 14.25) * math.exp(-y * y) + i
        y = math.sin(y * 15.5) * math.atan2(x, y + 15.25) * math.exp(-y * y) + i
        y = math.sin(y * 16.5) * math.atan2(x, y + 16.25) * math.exp(-y * y) + i
        y = math.sin(y * 17.5) * math.atan2(x, y + 17.25) * math.exp(-y * y) + i
        y = math.sin(y * 18.5) * math.atan2(x, y + 18.25) * math.exp(-y * y) + i
        y = math.sin(y * 19.5) * math.atan2(x, y + 19.25) * math.exp(-y * y) + i
        y = math.sin(y * 20.5) * math.atan2(x, y + 20.25) * math.exp(-y * y) + i
        y = math.sin(y * 21.5) * math.atan2(x, y + 21.25) * math.exp(-y * y) + i
        y = math.sin(y * 22.5) * math.atan2(x, y + 22.25) * math.exp(-y * y) + i
        y = math.sin(y * 23.5) * math.atan2(x, y + 23.25) * math.exp(-y * y) + i
        y = math.sin(y * 24.5) * math.atan2(x, y + 24.25) * math.exp(-y * y) + i
        y = math.sin(y * 25.5) * math.atan2(x, y + 25.25) * math.exp(-y * y) + i
        y = math.sin(y * 26.5) * math.atan2(x, y + 26.25) * math.exp(-y * y) + i
        y = math.sin(y * 27.5) * math.atan2(x, y + 27.25) * math.exp(-y * y) + i
        y = math.sin(y * 28.5) * math.atan2(x, y + 28.25) * math.exp(-y * y) + i
        y = math.sin(y * 29.5) * math.atan2(x, y + 29.25) * math.exp(-y * y) + i
        y = math.sin(y * 30.5) * math.atan2(x, y + 30.25) * math.exp(-y * y) + i
        y = math.sin(y * 31.5) * math.atan2(x, y + 31.25) * math.exp(-y * y) + i
        y = math.sin(y * 32.5) * math.atan2(x, y + 32.25) * math.exp(-y * y) + i
        y = math.sin(y * 33.5) * math.atan2(x, y + 33.25) * math.exp(-y * y) + i
        y = math.sin(y * 34.5) * math.atan2(x, y + 34.25) * math.exp(-y * y) + i
        y = math.sin(y * 35.5) * math.atan2(x, y + 35.25) * math.exp(-y * y) + i
        y = math.sin(y * 36.5) * math.atan2(x, y + 36.25) * math.exp(-y * y) + i
        y = math.sin(y * 37.5) * math.atan2(x, y + 37.25) * math.exp(-y * y) + i
        y = math.sin(y * 38.5) * math.atan2(x, y + 38.25) * math.exp(-y * y) + i
        y = math.sin(y * 39.5) * math.atan2(x, y + 39.25) * math.exp(-y * y) + i
    return y


@pytest.mark.parametrize(("f", "args"), PROGRAMS[::4], ids=[f.__name__ for f, _ in PROGRAMS[::4]])
def test_results_are_those_of_the_backend_that_was_chosen(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    g = ccc.value_with_gradient(f, backend="auto")
    found = [g(*args) for _ in range(4)]
    assert all(repr(x) == repr(found[0]) for x in found)  # the same bits at each call
    other = "numpy" if reason(g) else "native"
    assert repr(found[0]) == repr(ccc.value_with_gradient(f, backend=other)(*args))
    assert close(ccc.value_with_gradient(f)(*args), found[0])
    assert ccc.explain(g, *args).backend == (f"numpy: {reason(g)}" if reason(g) else "native")


def test_small_functions_and_long_calls_are_machine_code() -> None:
    g = ccc.gradient(power, backend="auto")
    g(2.0, 3)
    assert not reason(g)
    for n, native in ((3, False), (100_000, True)):
        h = ccc.gradient(long_text, backend="auto")
        h(0.5, n)
        assert bool(reason(h)) is not native, reason(h)
    assert "longer to make" in ccc.explain(ccc.gradient(long_text, backend="auto"), 0.5, 3).backend


def test_the_choice_of_a_signature_stays() -> None:
    h = ccc.gradient(long_text, backend="auto")
    h(0.5, 3)
    h(0.5, 1000)
    assert reason(h)  # was chosen for the sizes of the first call


def test_large_products_are_left_to_numpy() -> None:
    for n, native in ((3, True), (200, False)):
        a = np.full((n, n), 0.01)
        g = ccc.gradient(product, backend="auto")
        assert close(ccc.gradient(product)(a, a), g(a, a))
        assert bool(reason(g)) is not native


def test_what_native_code_does_not_take_is_numpy() -> None:
    def says(x: float) -> float:
        print("computing")
        return x * x

    g = ccc.gradient(says, backend="auto")
    assert g(2.0) == 4.0 and reason(g) == "native code does not take `show`"


def grown(x: float) -> float:
    k = 1
    while k < 100:
        k = k * 3 + 1
    return x * (k * k * k * k * k * k * k * k * k * k * k)


def test_code_that_leaves_its_first_call_is_not_called_again() -> None:
    g = ccc.gradient(grown, backend="auto")
    expected = ccc.gradient(grown)(2.0)
    assert [g(2.0) for _ in range(3)] == [expected] * 3
    assert "leaves its first call" in reason(g)
    h = ccc.gradient(lambda x, i: x[i] * x[i], backend="auto")
    x = np.arange(3.0)
    with pytest.raises(IndexError):
        h(x, 3)  # that it ends with an error says nothing
    assert np.array_equal(h(x, 1)[0], [0.0, 2.0, 0.0]) and not reason(h)


def test_estimates_grow_with_the_program_and_its_arguments() -> None:
    from compile.backends.work import work
    from compile.elaborate import elaborate

    def of_matrix(a: np.ndarray) -> Any:
        s = 0.0
        for i in range(a.shape[0]):
            for j in range(len(a)):
                s += math.sin(a[i, j])
        return s

    program = elaborate(of_matrix, [np.ones((2, 2))]).program
    few, many = work(program, [np.ones((10, 5))]), work(program, [np.ones((20, 5))])
    assert 3.5 < many.steps / few.steps < 4.5 and many.loops == few.loops == 2 and not many.unbounded
    assert choice.making(2000) > choice.making(1000) > 0
