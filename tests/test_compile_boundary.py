"""What users pass and receive: structure and kinds of cotangents, `wrt`, errors for misuse, and the cache."""
# pyright: reportCallIssue=false, reportArgumentType=false
from __future__ import annotations

import gc
import math
import sys
import threading
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from checks import same

import ccc
from ccc.compile.api.kept import VARIANTS
from ccc.compile.diagnostics import WrongArguments
from ccc.errors import CCCError, HigherOrderBoundary

gradient = ccc.gradient


def product(x, y, z):
    return x * y * y * z


# -- structure and kinds -----------------------------------------------------------------------------------------

ONES = np.ones(2)
KINDS: list[tuple[str, Callable[..., Any], tuple[Any, ...], Any]] = [
    ("float", lambda x: x * x, (3.0,), 6.0),
    ("np.float64", lambda x: x * x, (np.float64(3.0),), np.float64(6.0)),
    ("float of np", lambda x: np.sin(x) * 0.0 + x, (3.0,), 1.0),
    ("np.float64 of math", lambda x: math.sin(x) * 0.0 + x, (np.float64(3.0),), np.float64(1.0)),
    ("np.float32", lambda x: x * x, (np.float32(3.0),), np.float32(6.0)),
    ("float32 array", lambda x: np.sum(x * x), (np.ones(2, np.float32),), np.full(2, 2.0, np.float32)),
    ("float32 beside float64", lambda x, y: np.sum(x * y), (np.ones(2, np.float32), ONES),
     (np.ones(2, np.float32), ONES)),
    ("0-d array", lambda x: x * x, (np.array(3.0),), np.array(6.0)),
    ("vector", lambda x: np.sum(x), (ONES,), ONES),
    ("matrix", lambda x: np.sum(x), (np.ones((1, 2)),), np.ones((1, 2))),
    ("tuple", lambda p: p[0] * p[1], ((2.0, 3.0),), (3.0, 2.0)),
    ("nested tuple", lambda p: p[0] * np.sum(p[1][0]) + p[1][1], ((2.0, (ONES, 3.0)),), (2.0, (2 * ONES, 1.0))),
    ("tuple with an int", lambda p: p[0] * p[1], ((2.0, 3),), (3.0, 2.0)),
    ("list", lambda xs: xs[0] * xs[1], ([2.0, 3.0],), [3.0, 2.0]),
    ("list of arrays", lambda xs: np.sum(xs[0] * xs[1]), ([ONES, 2 * ONES],), [2 * ONES, ONES]),
    ("unused", lambda x, y: x, (1.0, ONES), (1.0, np.zeros(2))),
    ("unused parts", lambda p, xs: p[0], ((1.0, ONES), [1.0, 2.0]), ((1.0, np.zeros(2)), [0.0, 0.0])),
    ("int beside", lambda x, n: x * n, (2.0, 3), (3.0, 2.0)),
    ("bool beside", lambda x, b: x if b else -x, (2.0, True), (1.0, None)),
    ("str beside", lambda x, s: x * 2 if s == "twice" else x, (2.0, "twice"), (2.0, None)),
    ("None beside", lambda x, y: x if y is None else x * y, (2.0, None), (1.0, None)),
    ("function beside", lambda x, f: f(x), (2.0, math.exp), (math.exp(2.0), None)),
    ("user function beside", lambda f, x: product(f(x), x, 1.0), (lambda t: t * 3.0, 2.0), (None, 36.0)),
    ("int array beside", lambda x, i: np.sum(x[i]), (ONES, np.array([0, 0])), (np.array([2.0, 0.0]), None)),
    ("bool array beside", lambda x, m: np.sum(np.where(m, x, 0.0)), (ONES, ONES > 2), (np.zeros(2), None)),
    ("ints alone", lambda x, y: x * y, (2, 3), (3.0, 2.0)),
    ("an int alone", lambda x: x * x, (3,), 6.0),
    ("ints in a tuple", lambda p: p[0] * p[1], ((2, 3),), (3.0, 2.0)),
]


@pytest.mark.parametrize(("f", "args", "expected"), [row[1:] for row in KINDS], ids=[row[0] for row in KINDS])
def test_a_cotangent_has_the_structure_and_kinds_of_its_argument(
    f: Callable[..., Any], args: tuple[Any, ...], expected: Any
) -> None:
    for found in (gradient(f)(*args), ccc.value_with_gradient(f)(*args)[1], ccc.value_with_pullback(f)(*args)[1](1.0)):
        assert same(found, expected), f"found {found!r}, expected {expected!r}"


def test_a_seed_is_read_as_the_kind_of_the_value() -> None:
    for x, seeds in ((2.0, (1, np.float64(1.0), 1.0)), (np.float64(2.0), (1, 1.0)), (np.float32(2.0), (1, 1.0))):
        for f in (lambda x: x, lambda x: x * 3.0):
            _, pullback = ccc.value_with_pullback(f)(x)
            assert all(type(pullback(seed)) is type(x) for seed in seeds), (x, f)
    _, pullback = ccc.value_with_pullback(lambda x: x * 3.0)(np.ones(2, np.float32))
    assert all(same(pullback(seed), np.full(2, 3.0, np.float32)) for seed in ([1.0, 1.0], np.ones(2)))


def test_a_tangent_has_the_structure_of_the_value() -> None:
    def f(x, y):
        return (x * y, (np.array([x, y]), y * 2))

    value, differential = ccc.value_with_differential(f)(2.0, 3.0)
    assert same(value, (6.0, (np.array([2.0, 3.0]), 6.0)))
    assert same(differential(1.0, 10.0), (23.0, (np.array([1.0, 10.0]), 20.0)))


# -- wrt ---------------------------------------------------------------------------------------------------------

WRT: list[Any] = [None, "x", 0, 1, -1, ("x",), (2, 0), ("z", "x"), (-2,), (), ["y"], ("y", "y"), (0, "z")]


@pytest.mark.parametrize("wrt", WRT, ids=repr)
def test_wrt(wrt: Any) -> None:
    dx, dy, dz = 3.0 * 3.0 * 4.0, 2 * 2.0 * 3.0 * 4.0, 2.0 * 3.0 * 3.0
    entries = {"x": dx, "y": dy, "z": dz, 0: dx, 1: dy, 2: dz, -1: dz, -2: dy}
    expected: Any = (dx, dy, dz)
    if wrt is not None:
        expected = tuple([entries[w] for w in wrt]) if isinstance(wrt, tuple | list) else entries[wrt]
    args = (2.0, 3.0, 4.0)
    for found in (gradient(product, wrt=wrt)(*args), ccc.value_with_pullback(product, wrt=wrt)(*args)[1](1.0)):
        assert found == expected


def test_keyword_arguments_are_differentiated_only_when_named() -> None:
    assert gradient(product)(2.0, 3.0, z=4.0) == (36.0, 48.0)
    assert gradient(product)(2.0, y=3.0, z=4.0) == 36.0
    assert gradient(product, wrt="z")(2.0, 3.0, z=4.0) == 18.0
    assert gradient(product, wrt=("z", "x"))(2.0, 3.0, z=4.0) == (18.0, 36.0)
    assert gradient(product, wrt=("y",))(z=4.0, x=2.0, y=3.0) == (48.0,)


def test_defaults_are_not_differentiated() -> None:
    def f(x, scale=3.0, *, power=2):
        return scale * x**power

    assert gradient(f)(2.0) == 12.0
    assert gradient(f)(2.0, 1.0) == (4.0, 4.0)
    assert gradient(f)(2.0, power=3) == 36.0


# -- misuse ------------------------------------------------------------------------------------------------------


def returns_a_function(x):
    return lambda t: t * x


MISUSE: list[tuple[str, Callable[[], Any], type[CCCError], str]] = [
    ("unknown name", lambda: gradient(product, wrt="w")(1.0, 2.0, 3.0), WrongArguments, "'w'"),
    ("position too large", lambda: gradient(product, wrt=3)(1.0, 2.0, 3.0), WrongArguments, "wrt=3"),
    ("position too small", lambda: gradient(product, wrt=-4)(1.0, 2.0, 3.0), WrongArguments, "wrt=-4"),
    ("wrt of another type", lambda: gradient(product, wrt=1.5)(1.0, 2.0, 3.0), WrongArguments, "wrt=1.5"),
    ("a keyword not given", lambda: gradient(product, wrt="z")(1.0, 2.0), CCCError, "z"),
    ("too many arguments", lambda: gradient(product)(1.0, 2.0, 3.0, 4.0), CCCError, "3"),
    ("unknown keyword", lambda: gradient(product)(1.0, 2.0, w=3.0), CCCError, "w"),
    ("no function", lambda: gradient(3.0), WrongArguments, "takes a function"),  # type: ignore[arg-type]
    ("array result", lambda: gradient(lambda x: x * x)(np.ones(2)), CCCError, "scalar"),
    ("tuple result", lambda: gradient(lambda x: (x, x))(1.0), CCCError, "scalar"),
    ("integer array", lambda: gradient(lambda x: np.sum(x))(np.arange(3)), WrongArguments, "int"),
    ("integer array named", lambda: gradient(lambda x, y: np.sum(x) * y, wrt="x")(np.arange(3), 2.0), WrongArguments,
     "int"),
    ("function result", lambda: gradient(returns_a_function)(1.0), HigherOrderBoundary, "function"),
    ("function result of a pullback", lambda: ccc.value_with_pullback(returns_a_function)(1.0), HigherOrderBoundary,
     "function"),
    ("function in a tuple", lambda: ccc.value_with_pullback(lambda x: (x, lambda t: t * x))(1.0), HigherOrderBoundary,
     r"\[1\]"),
    ("function in wrt", lambda: gradient(lambda f, x: f(x), wrt="f")(math.sin, 1.0), HigherOrderBoundary, "`f`"),
    ("function in wrt by position", lambda: gradient(lambda f, x: f(x), wrt=0)(lambda t: t, 1.0), HigherOrderBoundary,
     "`f`"),
    ("cotangent of another structure", lambda: ccc.value_with_pullback(lambda x: (x, x))(1.0)[1](1.0), WrongArguments,
     "tuple of 2"),
    ("cotangent that is no number", lambda: ccc.value_with_pullback(lambda x: x)(1.0)[1]("1"), WrongArguments, "str"),
    ("too few tangents", lambda: ccc.value_with_differential(lambda x, y: x * y)(1.0, 2.0)[1](1.0), WrongArguments,
     "2 tangents"),
    ("complex", lambda: gradient(lambda x: x * x)(1j), CCCError, "complex"),
    ("array of objects", lambda: gradient(lambda x: x)(np.array([None])), CCCError, "object"),
]


@pytest.mark.parametrize(("call", "error", "text"), [row[1:] for row in MISUSE], ids=[row[0] for row in MISUSE])
def test_misuse_is_refused_by_name(call: Callable[[], Any], error: type[CCCError], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


# -- the cache ---------------------------------------------------------------------------------------------------


def codes(transform: Any) -> int:
    return sum(map(len, transform.codes.values()))


def test_new_sizes_do_not_compile_again_except_to_and_from_one() -> None:
    g = gradient(lambda x, y: np.sum(x * y))
    for n in (2, 3, 7, 1000):
        assert same(g(np.ones(n), np.full(n, 2.0)), (np.full(n, 2.0), np.ones(n)))
        assert codes(g) == 1
    assert same(g(np.ones(1), np.ones(5)), (np.full(1, 5.0), np.ones(5)))
    assert codes(g) == 2
    assert same(g(np.ones((3, 5)), np.ones(5)), (np.ones((3, 5)), np.full(5, 3.0)))
    assert codes(g) == 3
    assert same(g(np.ones((4, 2)), np.ones(2)), (np.ones((4, 2)), np.full(2, 4.0)))
    assert codes(g) == 3
    g(np.ones(1), np.ones(9))
    assert codes(g) == 3


def test_lengths_of_lists_and_values_do_not_compile_again() -> None:
    g = gradient(total_of_list)
    for n in (1, 2, 50):
        assert g([0.5] * n, n) == ([1.0] * n, None)
    assert codes(g) == 1


def total_of_list(xs, n):
    s = 0.0
    for i in range(n):
        s = s + xs[i]
    return s


def test_types_compile_anew() -> None:
    g = gradient(lambda x: x * x)
    for count, x in enumerate((1.0, np.float64(1.0), np.float32(1.0)), 1):
        assert type(g(x)) is type(x)
        assert codes(g) == count


def test_the_cache_is_bounded() -> None:
    g = gradient(lambda x, s: x * len(s))
    for n in range(2 * VARIANTS):
        assert g(2.0, "a" * n) == (float(n), None)
    assert codes(g) <= VARIANTS


def test_threads_that_race_compile_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from ccc.compile.api import wrapper

    made: list[int] = []
    build = wrapper.build

    def counted(*args: Any) -> Any:
        made.append(1)
        return build(*args)

    monkeypatch.setattr(wrapper, "build", counted)
    g = gradient(lambda x, y: math.sin(x) * y)
    barrier, found = threading.Barrier(16), []

    def call(i: int) -> None:
        barrier.wait()
        found.append(g(0.0, float(i)))

    threads = [threading.Thread(target=call, args=(i,)) for i in range(16)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert sorted(found) == [(float(i), 0.0) for i in range(16)]
    assert len(made) == 1
    assert codes(g) == 1


FACTOR = 2.0
OFFSETS = np.array([1.0, 2.0])


def helper(x):
    return x * FACTOR


def scaled(x):
    return helper(x) * x + np.sum(OFFSETS) * x


def test_a_rebound_global_is_seen_at_the_next_call(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules[__name__]
    g = gradient(scaled)
    assert g(1.0) == 4.0 + 3.0
    monkeypatch.setattr(module, "FACTOR", 5.0)
    assert g(1.0) == 10.0 + 3.0
    monkeypatch.setattr(module, "OFFSETS", np.array([0.0, 0.0, 7.0]))
    assert g(1.0) == 10.0 + 7.0
    assert codes(g) == 1
    monkeypatch.setattr(module, "helper", lambda x: x * x)
    assert g(2.0) == 12.0 + 7.0


def test_a_rebound_closure_cell_is_seen_at_the_next_call() -> None:
    k = 2.0

    def f(x):
        return x * k

    g = gradient(f)
    assert g(1.0) == 2.0
    k = 3.0
    assert g(1.0) == 3.0
    assert codes(g) == 1


def test_a_held_pullback_keeps_the_globals_of_its_call(monkeypatch: pytest.MonkeyPatch) -> None:
    _, pullback = ccc.value_with_pullback(scaled)(1.0)
    monkeypatch.setattr(sys.modules[__name__], "FACTOR", 50.0)
    OFFSETS[0] += 10.0
    try:
        assert pullback(1.0) == 7.0
    finally:
        OFFSETS[0] -= 10.0


def test_transforms_are_freed() -> None:
    import weakref

    g = gradient(lambda x: x * x)
    g(1.0)
    ref = weakref.ref(g)
    del g
    gc.collect()
    assert ref() is None


# -- exact scalars -----------------------------------------------------------------------------------------------


def rational(x, y):
    s = x
    for k in range(3):
        if s > y:
            t = s * x
            s = t - y / 2
        else:
            s = s + k / y
    return s * s


def test_fractions_stay_exact() -> None:
    x = Fraction(1, 3)
    assert gradient(lambda x: x**3 / 3)(x) == x * x
    second = gradient(gradient(lambda x: x**3 / 3 + x / 2))(x)
    assert type(second) is Fraction and second == 2 * x
    dx, dy = gradient(rational)(Fraction(1, 3), Fraction(2, 7))
    h = Fraction(1, 10**6)

    def quotient(a: Fraction, b: Fraction) -> Fraction:
        args = Fraction(1, 3), Fraction(2, 7)
        up, down = [rational(args[0] + s * a, args[1] + s * b) for s in (h, -h)]
        return (Fraction(up) - Fraction(down)) / (2 * h)

    assert type(dx) is Fraction and type(dy) is Fraction
    assert abs(dx - quotient(Fraction(1), Fraction(0))) < Fraction(1, 10**3)
    assert abs(dy - quotient(Fraction(0), Fraction(1))) < Fraction(1, 10**3)


def test_transcendental_functions_of_fractions_are_refused_by_name() -> None:
    with pytest.raises(CCCError, match="sin"):
        gradient(lambda x: math.sin(x))(Fraction(1, 3))


class Rows(list[Any]):
    """A list that is none."""


class Couple(tuple[Any, ...]):
    """A tuple that is none."""


class Weights(dict[str, Any]):
    """A dict that is none."""


STRANGERS: list[Any] = [
    Couple([1.0, 2.0]), {frozenset(): 1.0}, ({"p": Couple([2.0])}, 1.0), [Couple([1.0])], Weights(a=[Couple([1.0])]),
]
STRUCTURES: list[Any] = [
    OrderedDict(a=1.0), defaultdict(float, a=1.0), Counter(a=2.0), Weights(a=np.ones(2)), Rows([1.0]), deque([1.0]),
    {"p": Rows([2.0])}, [Weights(a=1.0)], Weights(a=[Weights(b=1.0)]),
]


@pytest.mark.parametrize("x", STRANGERS, ids=lambda x: type(x).__name__)
def test_containers_that_are_no_structures_are_refused_by_name(x: Any) -> None:
    def f(y: float, x: Any) -> float:
        return y * y

    d = (1.0, x)
    for verb in (
        lambda: ccc.gradient(f)(2.0, x), lambda: gradient(f, wrt="x")(2.0, x), lambda: ccc.grad(f, argnums=1)(2.0, x),
        lambda: ccc.vjp(f, 2.0, x), lambda: ccc.jvp(f, (2.0, x), d), lambda: ccc.linearize(f, 2.0, x),
        lambda: ccc.gradient(lambda x: 1.0)(x), lambda: ccc.value_with_gradient(f)(2.0, x),
    ):
        with pytest.raises(WrongArguments, match=r"`x.*` is a .*, and no structure that is differentiated"):
            verb()
    assert gradient(f, wrt="y")(2.0, x) == 4.0
    assert ccc.compiled(f)(2.0, x) == 4.0


@pytest.mark.parametrize("x", STRUCTURES, ids=lambda x: type(x).__name__)
def test_cotangents_of_containers_of_users_are_of_their_class(x: Any) -> None:
    found = gradient(lambda y, x: y * y)(2.0, x)[1]
    assert type(found) is type(x) and len(found) == len(x)


def test_containers_of_no_numbers_are_constants() -> None:
    found = gradient(lambda x, names: x * len(names["a"]))(2.0, OrderedDict(a="four"))
    assert found == (4.0, OrderedDict(a=None))
