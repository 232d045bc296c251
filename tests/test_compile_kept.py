"""What is compiled is kept for the process: by the form of functions, not by the objects that hold them."""

import dataclasses
import functools
import gc
import linecache
import math
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.api import kept, wrapper


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The functions that are compiled."""
    found: list[Any] = []
    build = wrapper.build
    monkeypatch.setattr(wrapper, "build", lambda f, *args: found.append(f) or build(f, *args))
    return found


def scaled(k: Any) -> Callable[..., Any]:
    return lambda x: x * x * k


def twice(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: f(f(x))


def chosen(f: Any, g: Any) -> Callable[..., Any]:
    return lambda x: f(x) * 2.0 if f is g else g(x)


VERBS: dict[str, Callable[[Any, float], Any]] = {
    "grad": lambda f, x: ccc.grad(f)(x),
    "gradient": lambda f, x: ccc.gradient(f)(x),
    "value_and_grad": lambda f, x: ccc.value_and_grad(f)(x)[1],
    "derivative": lambda f, x: ccc.derivative(f)(x),
    "vjp": lambda f, x: ccc.vjp(f, x)[1](1.0)[0],
    "jvp": lambda f, x: ccc.jvp(f, (x,), (1.0,))[1],
    "linearize": lambda f, x: ccc.linearize(f, x)[1](1.0),
    "pullback": lambda f, x: ccc.pullback(f)(x)(1.0),
    "jacobian": lambda f, x: ccc.jacobian(f)(x),
    "jacfwd": lambda f, x: ccc.jacfwd(f)(x),
    "second": lambda f, x: ccc.grad(ccc.grad(f))(x) * x,
    "hessian": lambda f, x: ccc.hessian(f)(x) * x,
    "hvp": lambda f, x: ccc.hvp(f)(x, x),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("k", [0.5, 2])
def test_verbs_that_are_made_anew_compile_once(verb: str, k: Any, built: list[Any]) -> None:
    run = VERBS[verb]
    assert run(scaled(k), 3.0) == 6.0 * k
    first = len(built)
    for _ in range(20):
        assert run(scaled(k), 3.0) == 6.0 * k
    assert len(built) == first > 0


@pytest.mark.parametrize("verb", VERBS)
def test_captured_numbers_are_those_of_the_closure(verb: str, built: list[Any]) -> None:
    run = VERBS[verb]
    assert run(scaled(1.0), 3.0) == 6.0
    first = len(built)
    assert [run(scaled(k / 4), 3.0) for k in range(50)] == [1.5 * k for k in range(50)]
    assert len(built) == first


def test_captured_integers_become_arguments(built: list[Any]) -> None:
    assert [ccc.grad(scaled(k))(3.0) for k in range(100)] == [6.0 * k for k in range(100)]
    assert len(built) == kept.VALUES + 1


def test_defaults_that_are_numbers_become_arguments(built: list[Any]) -> None:
    def of(k: Any) -> Any:
        return lambda x, k=k, *, at=k + 1.0: x * x * k + at if k > 0.0 else at

    assert [ccc.grad(of(k / 4))(3.0) for k in range(100)] == [6.0 * k / 4 for k in range(100)]
    assert len(built) <= 2 * kept.VALUES + 1
    values = [ccc.jvp(of(k / 4), (3.0,), (1.0,))[0] for k in range(1, 9)]
    assert values == [9.0 * k / 4 + k / 4 + 1.0 for k in range(1, 9)]


class Opaque:
    def __eq__(self, other: object) -> bool:
        return self is other


OPAQUE = Opaque()


@pytest.mark.parametrize("f", [
    lambda x: x * len(dict.fromkeys([1, 2])), lambda x: x * 2.0 if OPAQUE == OPAQUE else x,
])
def test_what_is_made_when_it_is_read_is_known_again(f: Callable[[float], float], built: list[Any]) -> None:
    """A method of a class is another object each time; of others from outside nothing but which they are is known."""
    assert [ccc.derivative(f)(x) for x in (1.0, 2.0, 3.0)] == [2.0] * 3
    assert len(built) == 1


def test_integers_that_have_to_be_known_stay_known(built: list[Any]) -> None:
    def reshaped(n: int) -> Callable[..., Any]:
        return lambda x: np.sum(x.reshape((2,) * n) * n)

    for _ in range(2):
        for n in range(1, 5):
            found = ccc.grad(reshaped(n))(np.ones(2**n))
            assert np.array_equal(found, np.full(2**n, float(n)))


def test_functions_that_are_captured_are_told_apart_by_code(built: list[Any]) -> None:
    assert ccc.grad(twice(math.sin))(1.0) == math.cos(math.sin(1.0)) * math.cos(1.0)
    assert ccc.grad(twice(math.exp))(0.0) == math.e
    assert [ccc.grad(twice(scaled(k)))(1.0) for k in (1.0, 2.0, 3.0)] == [4.0, 32.0, 108.0]
    assert len(built) == 3


def test_which_functions_are_one_is_part_of_the_form() -> None:
    for _ in range(3):
        f, g = scaled(1.0), scaled(2.0)
        assert [ccc.grad(chosen(*pair))(1.0) for pair in ((f, f), (f, g), (g, g), (g, f))] == [4.0, 4.0, 8.0, 2.0]

        def both(f: Any, g: Any) -> Callable[..., Any]:
            return lambda x: f(x) + 10.0 * g(x)

        assert [ccc.grad(both(*pair))(1.0) for pair in ((f, f), (f, g), (g, f))] == [22.0, 42.0, 24.0]


def test_variables_that_functions_share_are_part_of_the_form() -> None:
    def of(a: float, b: float, same: bool) -> Callable[..., Any]:
        def left(x: Any) -> Any:
            return a * x

        def right(x: Any) -> Any:
            return (a if same else b) * x

        return lambda x: left(x) * right(x)

    assert [ccc.grad(of(2.0, 5.0, same))(1.0) for same in (True, False, True)] == [8.0, 20.0, 8.0]


def test_variables_that_change_are_read_anew() -> None:
    def counter() -> tuple[Any, Any]:
        k: Any = 1.0

        def put(new: Any) -> None:
            nonlocal k
            k = new

        return lambda x: k(x) if callable(k) else k * x, put

    f, put = counter()
    g = ccc.grad(f)
    for _ in range(2):
        for new, expected in ((2.0, 2.0), (3, 3.0), (scaled(1.0), 2.0), (scaled(4.0), 8.0), (math.exp, math.e)):
            put(new)
            assert [g(1.0) for _ in range(5)] == [expected] * 5 == [ccc.grad(f)(1.0) for _ in range(5)]


def test_defaults_are_read_anew() -> None:
    def make(k: Any, f: Any) -> Callable[..., Any]:
        def inside(x: Any, a: Any = k, *, of: Any = f) -> Any:
            return of(x) * a

        return inside

    cases: list[Any] = [(2, scaled(1.0), 4.0), (3, scaled(1.0), 6.0), (3, math.exp, 3 * math.e), (4, scaled(5.0), 40.0)]
    for k, f, expected in cases:
        found = make(k, f)
        assert [ccc.grad(found)(1.0) for _ in range(3)] == [expected] * 3
        g = ccc.grad(found)
        assert [g(1.0) for _ in range(5)] == [expected] * 5
        found.__defaults__ = (100,)  # type: ignore[attr-defined]
        assert ccc.grad(found)(1.0) == pytest.approx(100 / k * expected, rel=1e-15)
        found.__kwdefaults__ = {"of": scaled(0.5)}  # type: ignore[attr-defined]
        assert ccc.grad(found)(1.0) == g(1.0) == 100.0


def test_lists_and_tuples_of_functions() -> None:
    def through(layers: Any) -> Callable[..., Any]:
        def run(x: Any) -> Any:
            for f in layers:
                x = f(x)
            return x

        return run

    for kind in (list, tuple):
        for a, b in ((1.0, 1.0), (2.0, 3.0)):
            assert ccc.grad(through(kind([scaled(a), scaled(b)])))(1.0) == 4.0 * a * a * b
        assert ccc.grad(through(kind([scaled(2.0), math.exp])))(1.0) == 4.0 * math.exp(2.0)
    layers = [scaled(1.0), scaled(2.0)]
    f = through(layers)
    g = ccc.grad(f)
    assert [g(1.0) for _ in range(5)] == [8.0] * 5
    layers[1] = scaled(5.0)
    assert [g(1.0) for _ in range(5)] == [20.0] * 5 == [ccc.grad(f)(1.0) for _ in range(5)]


@dataclasses.dataclass
class Layer:
    w: float

    def loss(self, x: float) -> float:
        return self.w * x * x


def test_methods_of_objects_that_are_made_anew(built: list[Any]) -> None:
    assert [ccc.grad(Layer(float(w)).loss)(1.0) for w in range(20)] == [2.0 * w for w in range(20)]
    assert len(built) == 1
    layer = Layer(3.0)
    g = ccc.grad(layer.loss)
    for w in (1.0, 2.0):
        layer.w = w
        assert [g(1.0) for _ in range(5)] == [2.0 * w] * 5


def test_partial_functions_that_are_made_anew(built: list[Any]) -> None:
    def f(k: Any, x: Any, power: Any) -> Any:
        return k * x**power

    found = [ccc.grad(functools.partial(f, float(k), power=2.0))(3.0) for k in range(20)]
    assert found == [6.0 * k for k in range(20)] and len(built) == 1
    assert ccc.grad(functools.partial(f, scaled(2.0)(1.0), power=3.0))(1.0) == 6.0


def test_functions_in_the_result_are_those_of_the_call() -> None:
    def beside(f: Any) -> Callable[..., Any]:
        return lambda x: (x * x, f)

    for f in (scaled(1.0), scaled(2.0)):
        with pytest.raises(ccc.CCCError):
            ccc.compiled(beside(f))(1.0)


def test_names_of_functions_are_theirs() -> None:
    def named(f: Any) -> Callable[..., Any]:
        return lambda x: x * 2.0 if f.__name__ == "two" else x

    one, two = scaled(1.0), scaled(1.0)
    two.__name__ = "two"
    assert [ccc.grad(named(f))(1.0) for f in (one, two, one)] == [1.0, 2.0, 1.0]


def test_rules_that_are_given_later_hold() -> None:
    f = scaled(1.0)
    assert ccc.grad(twice(f))(1.0) == 4.0

    @ccc.derivative_of(f)
    def rule(x: Any) -> Any:
        return f(x), lambda ct: ct * 10.0

    assert ccc.grad(twice(f))(1.0) == 100.0
    assert ccc.grad(twice(scaled(1.0)))(1.0) == 4.0


def made(i: int) -> Any:
    """A function with code of its own."""
    space: dict[str, Any] = {}
    text, name = f"def f(x):\n    return x * x + {i}.0\n", f"<kept {i}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), space)
    return space.pop("f")


def test_a_family_ends_with_its_code() -> None:
    f = made(1)
    before = len(kept._families)
    assert ccc.grad(f)(3.0) == 6.0
    code = weakref.ref(f.__code__)
    assert len(kept._families) == before + 1
    del f
    gc.collect()
    assert code() is None and len(kept._families) == before


def test_what_ends_with_python_itself_forgets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[Any] = []
    monkeypatch.setattr(sys, "is_finalizing", lambda: True)
    f = made(2)
    assert ccc.grad(f)(3.0) == 6.0
    monkeypatch.setattr(kept, "_families", None)  # as Python leaves the names of modules
    monkeypatch.setattr(sys, "unraisablehook", said.append)
    del f
    gc.collect()
    assert not said


def test_fresh_closures_leave_nothing_behind() -> None:
    def objects() -> int:
        gc.collect()
        return len(gc.get_objects())

    for backend in ("numpy", "native"):
        for k in range(10):
            ccc.grad(scaled(float(k)), backend=backend)(3.0)
        before = objects()
        for k in range(1000):
            assert ccc.grad(scaled(float(k)), backend=backend)(3.0) == 6.0 * k
        assert objects() <= before + 10
