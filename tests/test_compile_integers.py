"""Ints in differentiated arguments: floats in every verb, structure and mode, unless the program needs them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from checks import same

import ccc
from ccc.compile.diagnostics import CompileError
from ccc.compile.native.installation import installed


@dataclass
class Pair:
    w: Any
    b: Any


class Named(NamedTuple):
    w: Any
    b: Any


def product(w: Any, b: Any) -> Any:
    return w * b * w


STRUCTURES: list[tuple[Callable[[Any], Any], Callable[[Any, Any], Any]]] = [
    (lambda p: product(p[0], p[1]), lambda w, b: (w, b)),
    (lambda p: product(p[0], p[1]), lambda w, b: [w, b]),
    (lambda p: product(p["w"], p["b"]), lambda w, b: {"w": w, "b": b}),
    (lambda p: product(p.w, p.b), Pair),
    (lambda p: product(p.w, p.b), Named),
    (lambda p: product(p[0]["w"], p[1][0].b), lambda w, b: ({"w": w}, [Pair(1.0, b)])),
]
NUMBERS = [(2.0, 3), (2, 3.0), (2, 3)]
BACKENDS = ["numpy", *["native"] * installed()]


@pytest.mark.share(8)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("w, b", NUMBERS)
@pytest.mark.parametrize("number", range(len(STRUCTURES)))
def test_an_int_is_read_as_the_float_that_it_is(number: int, w: Any, b: Any, backend: str) -> None:
    f, made = STRUCTURES[number]
    x, floats, d = made(w, b), made(float(w), float(b)), made(1.0, 10.0)
    one: dict[str, Callable[[Any], Any]] = {
        "gradient": lambda x: ccc.gradient(f, backend=backend)(x),
        "value_with_gradient": lambda x: ccc.value_with_gradient(f, backend=backend)(x),
        "grad": lambda x: ccc.grad(f, backend=backend)(x),
        "allow_int": lambda x: ccc.grad(f, backend=backend, allow_int=True)(x),
        "value_and_grad": lambda x: ccc.value_and_grad(f, backend=backend)(x),
        "pullback": lambda x: ccc.pullback(f, backend=backend)(x)(1.0),
        "vjp": lambda x: ccc.vjp(f, x, backend=backend)[1](1.0),
        "jvp": lambda x: ccc.jvp(f, (x,), (d,), backend=backend),
        "linearize": lambda x: ccc.linearize(f, x, backend=backend)[1](d),
        "value_with_differential": lambda x: ccc.value_with_differential(f, backend=backend)(x)[1](d),
        "hvp": lambda x: ccc.hvp(f, backend=backend)(x, d),
        "jacobian": lambda x: ccc.jacobian(f, backend=backend)(x),
        "inside": lambda x: ccc.compiled(lambda p: ccc.gradient(f)(p), backend=backend)(x),
        "wrt": lambda x: ccc.gradient(lambda k, p: k * f(p), wrt="p", backend=backend)(1, x),
    }
    for name, verb in one.items():
        if name == "jacobian" and isinstance(x, list | tuple) and not isinstance(x, Named):
            continue
        assert same(verb(x), verb(floats)), name


@pytest.mark.parametrize("backend", BACKENDS)
def test_arguments_do_not_depend_on_their_neighbours(backend: str) -> None:
    assert same(ccc.gradient(lambda x, y: x * y, backend=backend)(2, 3.0), (3.0, 2.0))
    assert same(ccc.gradient(lambda x, y: x * y, backend=backend)(2.0, 3), (3.0, 2.0))
    assert ccc.jvp(lambda w, b: w * b, (2.0, 1), (1.0, 1.0), backend=backend) == (2.0, 3.0)
    assert ccc.linearize(lambda w, b: w * b, 2.0, 1, backend=backend)[1](1.0, 1.0) == 3.0
    assert ccc.jacfwd(lambda w: w * w, backend=backend)(3) == ccc.hessian(lambda w: w**3, backend=backend)(1) == 6.0
    assert ccc.derivative(lambda x: x * x, backend=backend)(3) == 6.0
    assert ccc.gradient(ccc.gradient(lambda x, n: x * n * n, wrt=0), wrt=1)(2.0, 3) == 6.0


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_kept_gradient_takes_ints_and_floats_in_turn(backend: str) -> None:
    g = ccc.gradient(lambda xs, y: xs[0] * xs[1] * y, backend=backend)
    for _ in range(3):
        for xs, y in (([2, 3.0], 5), ([2.0, 3.0], 5.0), ([2, 3], 5.0), ([2.0, 3.0], 5)):
            assert same(g(xs, y), ([15.0, 10.0], 6.0))
    for _ in range(3):
        assert same(ccc.gradient(lambda rows: rows[0][0] * rows[1][0])([[2], [3.0]]), [[3.0], [2.0]])


def showing(n: float, x: float, end: str = "") -> float:
    print(n, f"{n * 2:>5}", [n, n], [n, x], (n, x), end, n if x > 1 else None)
    table = {}
    for i in range(2):
        table[i * 2] = n if x > 1 + 4 * i else None
    print(table)
    for i in range(2):
        print(i * n)
        if x > 9:
            raise ValueError(f"{n} is too much", n)
    return n * x * x


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_int_that_is_read_as_a_float_is_shown_as_an_int(backend: str, capsys: pytest.CaptureFixture[str]) -> None:
    g = ccc.value_with_gradient(showing, backend=backend)
    for n, x in ((3, 2.0), (3.0, 2.0), (4, 2), (3, 2.0), (4.5, 2)):
        expected = showing(n, x), capsys.readouterr().out
        (value, gradient), text = g(n, x), capsys.readouterr().out
        assert (value, text) == expected
        assert gradient == (x * x, 2.0 * n * x)
    for n in (3, 3.0):
        with pytest.raises(ValueError) as expected_error:
            showing(n, 10.0)
        with pytest.raises(ValueError) as found:
            g(n, 10.0)
        assert found.value.args == expected_error.value.args


@dataclass
class Counted:
    w: float
    calls: int = 0


@pytest.mark.parametrize("backend", BACKENDS)
def test_texts_of_lists_show_ints_that_are_read_as_floats(backend: str) -> None:
    def f(parts: list[Counted]) -> Any:
        total = 0.0
        for part in parts:
            part.calls += 1
            total += part.w * part.w
        return total, f"calls {[part.calls for part in parts]}"

    g = ccc.value_with_gradient(f, has_aux=True, backend=backend)
    for n in (0, 2):
        (_, text), slopes = g([Counted(2.0), Counted(3.0, n)])
        assert text == f"calls [1, {n + 1}]"
        assert [slope.w for slope in slopes] == [4.0, 6.0]


def of_bools(xs: Sequence[int], x: float) -> float:
    total = 0.0
    for v in xs:
        total += x if isinstance(v, bool) else v * x * x
    return total


def test_bools_among_ints_are_told_apart_or_refused() -> None:
    for xs in ([1, 2], [True, False], [3]):
        assert ccc.value_with_gradient(of_bools, wrt="x")(xs, 2.0)[0] == of_bools(xs, 2.0)
    with pytest.raises(ccc.CCCError, match="`isinstance` of an integer is not known"):
        ccc.gradient(of_bools, wrt="x")([True, 2], 2.0)
    assert ccc.gradient(lambda xs, x: sum([v * x for v in xs]), wrt="x")([True, 2, False], 2.0) == 3.0


def steered(x: float, n: int) -> float:
    for _ in range(n):
        x = x * x
    return x


def seeded(x: float, n: int) -> float:
    for _ in range(3):
        n = (1103515245 * n + 12345) % 2**31
    return x * n


class Op(NamedTuple):
    name: str
    f: Callable[..., Any]
    n: int = 2


NEEDED = [
    Op("range", steered),
    Op("index of a list", lambda x, n: [x, x * x, x + 1.0][n]),
    Op("index of an array", lambda x, n: np.array([x, x * x, x + 1.0])[n]),
    Op("slice", lambda x, n: np.sum(np.array([x, x * x, x + 1.0])[:n])),
    Op("shape", lambda x, n: x * np.sum(np.ones(n))),
    Op("reshape", lambda x, n: np.sum(np.reshape(x * np.arange(6.0), (n, 3))[0])),
    Op("how often", lambda x, n: sum([x] * n)),
    Op("//", lambda x, n: x * (n // 2)),
    Op("%", lambda x, n: x * (n % 2 + 1)),
    Op("np.floor_divide", lambda x, n: x * np.floor_divide(n, 2)),
    Op("random numbers", seeded, 42),
    Op("bits", lambda x, n: x * (n & 3) + x * (n << 1)),
    Op("int", lambda x, n: x * int(n)),
    Op("round", lambda x, n: x * round(n)),
    Op("floor", lambda x, n: x * math.floor(n)),
    Op("factorial", lambda x, n: x * math.factorial(n)),
    Op("a key", lambda x, n: {k: x * k for k in [n, 5]}[n]),
    Op("isinstance", lambda x, n: x * n if isinstance(n, int) else x),
    Op("type", lambda x, n: x * n if type(n) is int else x),
    Op("in a loop", lambda x, n: sum([x * k for k in range(n * n)])),
    Op("a product that is an index", lambda x, n: np.array([x, x * x, x + 1.0])[n * 1]),
]


@pytest.mark.share(4)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("op", NEEDED, ids=[op.name for op in NEEDED])
def test_an_int_that_the_program_needs_has_no_derivative(op: Op, backend: str) -> None:
    f, n = op.f, op.n
    value, (dx, dn) = ccc.value_with_gradient(f, backend=backend)(1.5, n)
    assert value == pytest.approx(f(1.5, n), rel=1e-15)
    assert dn is None and dx == pytest.approx((f(1.5 + 1e-6, n) - f(1.5 - 1e-6, n)) / 2e-6, rel=1e-6)
    assert ccc.vjp(f, 1.5, n, backend=backend)[1](1.0) == (dx, None)
    assert ccc.gradient(lambda p: f(p["x"], p["n"]), backend=backend)({"x": 1.5, "n": n}) == {"x": dx, "n": None}
    assert ccc.compiled(lambda x, n: ccc.gradient(f)(x, n), backend=backend)(1.5, n) == (dx, None)
    for still in (0.0, 0, None):
        assert ccc.jvp(f, (1.5, n), (2.0, still), backend=backend)[1] == pytest.approx(2.0 * dx)
    with pytest.raises(ccc.CCCError, match="tangent of `n` is not zero"):
        ccc.jvp(f, (1.5, n), (2.0, 1.0), backend=backend)
    with pytest.raises(ccc.CCCError, match="is not zero"):
        ccc.hvp(lambda p: f(*p), backend=backend)((1.5, n), (1.0, 1.0))


def test_one_int_is_needed_and_another_is_not() -> None:
    def f(x: Any, n: Any, k: Any) -> Any:
        return sum([x * k for _ in range(n)])

    assert same(ccc.gradient(f)(2.0, 3, 5), (15.0, None, 6.0))
    assert same(ccc.gradient(f)(2, 3, 5), (15.0, None, 6.0))
    rows = [(0, 2, 1.5), (1, 3, 2)]
    found = ccc.gradient(lambda w, rows: sum([w[i] * k * x for i, k, x in rows]))([1.0, 2.0], rows)
    assert same(found, ([3.0, 6.0], [(None, 1.5, 2.0), (None, 4.0, 6.0)]))


def test_an_int_needed_alone_has_no_gradient_and_no_derivative() -> None:
    def f(n: Any) -> Any:
        return sum(range(n)) * 1.0

    assert ccc.gradient(f)(3) is None
    assert ccc.jacfwd(f)(3) is None and ccc.hessian(f)(3) is None
    with pytest.raises(ccc.CCCError, match="needs `n` as an integer"):
        ccc.derivative(f)(3)


def test_other_integers_are_not_differentiated() -> None:
    for x in (True, np.int64(3), np.True_):
        assert ccc.gradient(lambda x, y: x * y)(x, 2.0) == (None, float(x))
    assert same(ccc.gradient(lambda i, y: np.sum(i * y))(np.arange(3), 2.0), (None, 3.0))
    assert ccc.grad(lambda i: np.sum(i * 2.0), allow_int=True)(np.arange(3)) is None
    assert ccc.gradient(lambda x, n: x * n, wrt="x")(2.0, 3) == 3.0
    assert type(ccc.compiled(lambda n: n * n)(3)) is int


def test_an_int_that_no_float_is_near_to_is_refused_and_says_so() -> None:
    g = ccc.gradient(lambda x: x * x)
    with pytest.raises(ccc.CCCError, match="1329 bits"):
        g(10**400)
    assert g(3) == 6.0


def test_ints_where_reals_beside_them_make_no_derivative_of_them() -> None:
    assert ccc.gradient(lambda xs, i: xs[i] * i)([1.0, 2.0], 1) == ([0.0, 1.0], None)
    with pytest.raises(ccc.CCCError, match="integers, found a real"):
        ccc.gradient(lambda xs, i: xs[i])([1.0, 2.0], 1.0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_int_to_a_negative_power_is_a_float(backend: str):
    """It was typed as an int: `isinstance` said so, and what needs an int took it."""
    def f(n: int, x: float) -> float:
        return x if isinstance(n ** -1, int) else x * n ** -1 + pow(n, -2) % 1

    assert ccc.compiled(f, backend=backend)(4, 3.0) == f(4, 3.0)
    assert ccc.gradient(f, wrt="x", backend=backend)(4, 3.0) == 0.25
    with pytest.raises(CompileError, match="range needs integers"):
        ccc.compiled(lambda n: list(range(n ** -1)), backend=backend)(4)
    with pytest.raises(ZeroDivisionError):
        ccc.compiled(lambda n: n ** -1, backend=backend)(0)


# -- integers of which it is not known whose they are ----------------------------------------------------------------


def summed(y: np.ndarray, z: np.ndarray) -> np.ndarray:
    s = 0
    for t in y:
        s = s + t
    return z + s


def chosen(y: np.ndarray, z: np.ndarray) -> np.ndarray:
    s = y[0] if z[1] > 2 else z[0]
    v = z * s
    w = np.zeros_like(v)
    w[:] = v
    return w


def packed(y: np.ndarray, z: np.ndarray) -> np.ndarray:
    s = 1
    for t in y:
        s = s * t
    return np.zeros(2, dtype=np.array([s, s]).dtype) + z[0]


@pytest.mark.parametrize("f, one, other", [
    (summed, "int16", "int32"), (chosen, "int16", "int32"), (packed, "int64", "uint16")])
def test_a_dtype_that_shows_only_when_it_runs_is_refused(f, one, other):
    with pytest.raises(ccc.CCCError, match=f"depends on what an integer is when it runs: {one} or {other}"):
        ccc.compiled(f)(np.array([40000, 20000], dtype="uint16"), np.array([5, 7], dtype="int16"))


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("dtypes", [("int64", "int64"), ("int32", "int32"), ("int8", "float64"), ("int16", "int32")])
def test_a_dtype_that_each_of_several_integers_gives_is_known(backend, dtypes):
    y, z = np.array([3, 100], dtype=dtypes[0]), np.array([5, 7], dtype=dtypes[1])
    found, expected = ccc.compiled(summed, backend=backend)(y, z), summed(y, z)
    assert found.dtype == expected.dtype and found.tolist() == expected.tolist()


SEED = 2**60 + 4321
"""An integer that no float is."""


def cast(n: int, x: float) -> float:
    return float(np.uint64(n) % np.uint64(1000)) * x


def first(n: int, x: float) -> float:
    return float(np.array([n], dtype=np.uint64)[0] % np.uint64(1000)) * x


def put(n: int, x: float) -> float:
    state = np.zeros(2, np.uint64)
    state[0] = n
    return float(state[0] % np.uint64(1000)) * x


def drawn(n: int, x: float) -> float:
    return np.random.default_rng(n).normal() * x


@pytest.mark.parametrize("f", [cast, first, put, drawn])
def test_what_becomes_an_integer_of_numpy_or_a_seed_stays_one(f: Callable[..., Any]) -> None:
    assert ccc.value_with_gradient(f)(SEED, 0.5) == (f(SEED, 0.5), (None, f(SEED, 1.0)))
