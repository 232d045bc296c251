"""What users hold with `backend="native"`: the verbs, and what goes in and comes out of machine code."""
# pyright: reportCallIssue=false, reportArgumentType=false
from __future__ import annotations

import gc
import inspect
import math
import pickle
import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import ccc
from ccc.compile.native import capi, cpus, target

pytest.importorskip("llvmlite")


def only_code(g: Any) -> Any:
    """The only code of a transform."""
    ((code,),) = g.codes.values()
    return code


def alike(a: Any, b: Any) -> bool:
    """Equal in structure and kinds, and in numbers up to rounding."""
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(alike(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and a.shape == b.shape and np.allclose(a, b, 1e-12)
    if isinstance(a, float):
        return type(a) is type(b) and math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-14)
    if hasattr(a, "__dataclass_fields__"):
        return type(a) is type(b) and all(alike(getattr(a, name), getattr(b, name)) for name in a.__dataclass_fields__)
    return type(a) is type(b) and a == b


# -- verbs ---------------------------------------------------------------------------------------------------------


def energy(x: np.ndarray) -> Any:
    return np.sum(np.sin(x) * x[0]) + x[1] ** 3


def field(x: np.ndarray) -> Any:
    return np.sin(x) * x[0]


POINT = np.array([0.3, 0.5, 1.2])
MOVE = np.array([1.0, 2.0, -1.0])


@pytest.mark.parametrize(("verb", "f", "args"), [
    (ccc.gradient, energy, (POINT,)), (ccc.value_with_gradient, energy, (POINT,)), (ccc.compiled, field, (POINT,)),
    (ccc.derivative, math.sin, (0.7,)), (ccc.hvp, energy, (POINT, MOVE)), (ccc.hessian, energy, (POINT,)),
    (ccc.jacobian, field, (POINT,)), (ccc.jacobian, math.exp, (0.5,)), (ccc.jacobian, lambda x: x * MOVE, (2.0,)),
    (ccc.jacfwd, field, (POINT,)), (ccc.jacrev, field, (POINT,)), (ccc.grad, energy, (POINT,)),
    (ccc.value_and_grad, energy, (POINT,)),
])  # fmt: skip
def test_every_verb_takes_a_backend(verb: Callable[..., Any], f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    expected = verb(f)(*args)
    g = verb(f, backend="native")
    assert alike(expected, g(*args)) and alike(expected, g(*args))
    assert alike(expected, verb(f, backend="numpy")(*args))


def test_no_verb_lacks_a_backend() -> None:
    from ccc import NAMES_OF

    others = {"arrow", "explain", "code_ir", "code_adjoint", "vjp_probe", "functional_grad"}  # no programs
    modules = ("ccc.compile.api.transforms", "ccc.compile.api.verbs")
    names = [name for module in modules for name in NAMES_OF[module] if name not in others]
    assert len(names) > 10
    for name in names:
        parameter = inspect.signature(getattr(ccc, name)).parameters["backend"]
        assert parameter.default is None and parameter.kind is parameter.KEYWORD_ONLY, name


def test_pullbacks_and_differentials_take_a_backend() -> None:
    for backend in ("numpy", "native"):
        value, pullback = ccc.value_with_pullback(field, backend=backend)(POINT)
        plain, expected = ccc.value_with_pullback(field)(POINT)
        assert alike(plain, value) and alike(expected(MOVE), pullback(MOVE)) and alike(expected(POINT), pullback(POINT))
        assert alike(expected(MOVE), ccc.pullback(field, backend=backend)(POINT)(MOVE))
        assert alike((expected(MOVE),), ccc.vjp(field, POINT, backend=backend)[1](MOVE))
        value, differential = ccc.value_with_differential(field, backend=backend)(POINT)
        plain, expected = ccc.value_with_differential(field)(POINT)
        assert alike(plain, value) and alike(expected(MOVE), differential(MOVE))
        assert alike((plain, expected(MOVE)), ccc.jvp(field, (POINT,), (MOVE,), backend=backend))


def test_a_backend_named_inside_a_program_is_that_of_the_program() -> None:
    def inside(x: np.ndarray) -> Any:
        return np.sum(ccc.hvp(energy, backend="native")(x, x)) + ccc.compiled(energy, backend="native")(x)

    def plain(x: np.ndarray) -> Any:
        return np.sum(ccc.hvp(energy)(x, x)) + energy(x)

    expected = ccc.gradient(plain)(POINT)
    assert alike(expected, ccc.gradient(inside)(POINT))
    assert alike(expected, ccc.gradient(inside, backend="native")(POINT))


# -- a function compiled -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_compiled_function_is_the_function(backend: str) -> None:
    def divided(x: int, y: int) -> Any:
        return x // y, x / y, x > y

    def chosen(x: Any, name: str) -> Any:
        return x * 2 if name == "double" else x

    f = ccc.compiled(divided, backend=backend)
    assert f(7, 2) == (3, 3.5, True) and f(-7, 2) == (-4, -3.5, False)
    with pytest.raises(ZeroDivisionError, match="integer division or modulo by zero"):
        f(1, 0)
    g = ccc.compiled(chosen, backend=backend)
    assert g(3, "double") == 6 and g(3, "not") == 3 and g(1.5, "double") == 3.0
    assert repr(g) == "compiled(chosen)"


def test_derivatives_in_a_compiled_function_are_one_program() -> None:
    def newton(x: float) -> float:
        while abs(x * x * x - 2.0) > 1e-12:
            x = x - (x * x * x - 2.0) / ccc.derivative(lambda y: y * y * y)(x)
        return x

    for backend in ("numpy", "native"):
        f = ccc.compiled(newton, backend=backend)
        assert math.isclose(f(1.0), 2.0 ** (1 / 3), rel_tol=1e-12)
        assert not only_code(f).left_to


# -- what goes in and comes out ------------------------------------------------------------------------------------


@dataclass
class Body:
    mass: float
    place: np.ndarray


@dataclass
class Pair:
    x: float
    y: float


class Reading(NamedTuple):
    weight: float
    values: np.ndarray


def energy_of(body: Body, g: float) -> Any:
    return body.mass * g * body.place[1] + np.sum(body.place**2)


def of_rows(rows: list[list[float]]) -> float:
    s = 0.0
    for row in rows:
        for y in row:
            s += y * y
    return s


def of_arrays(xs: list[np.ndarray]) -> Any:
    s = 0.0
    for x in xs:
        s += np.sum(x * x * x)
    return s


def of_pairs(pairs: list[tuple[float, float]], k: int) -> float:
    s = 0.0
    for a, b in pairs:
        s += a * b * k
    return s


def of_readings(readings: list[Reading]) -> Any:
    s = 0.0
    for r in readings:
        s += r.weight * np.sum(r.values)
    return s


@dataclass
class Circle:
    r: float


@dataclass
class Box:
    w: float
    h: float


@dataclass
class Scene:
    shape: Circle | Box
    scale: float


def area(shape: Circle | Box) -> float:
    return 3.0 * shape.r**2 if isinstance(shape, Circle) else shape.w * shape.h


def of_shapes(shapes: list[Circle | Box]) -> float:
    s = 0.0
    for shape in shapes:
        s += area(shape)
    return s


def of_scene(scene: Scene) -> float:
    return area(scene.shape) * scene.scale


def largest(shapes: list[Circle | Box]) -> Circle | Box | None:
    best = None
    for shape in shapes:
        if best is None or area(shape) > area(best):
            best = shape
    return best


def of_texts(x: float, names: list[str]) -> float:
    for name in names:
        x = x * 2.0 if name == "b" else x * x
    return x


def of_dict(d: dict[str, Any]) -> Any:
    return d["a"] * np.sum(d["b"][0]) * d["b"][1]


@pytest.mark.parametrize(("f", "args"), [
    (energy_of, (Body(2.0, POINT), 9.8)), (of_rows, ([[1.0, 2.0], [], [3.0]],)), (of_arrays, ([POINT, MOVE],)),
    (of_arrays, ([np.ones((2, 3)), np.ones((4, 2))],)), (of_pairs, ([(1.0, 2.0), (3.0, -4.0)], 2)),
    (of_dict, ({"a": 2.0, "b": (POINT, 0.5)},)),
    (lambda x, i: x[i] * i, (POINT, np.int64(1))), (lambda x, m: np.sum(x[m]), (POINT, np.array([0, 2, 2]))),
    (lambda x, m: np.sum(np.where(m, x, 0.0)), (POINT, np.array([True, False, True]))),
    (lambda x, b: x * 2.0 if b else x, (3.0, np.bool_(True))), (lambda x: x * x, (np.array(3.0),)),
    (lambda x: x * x, (np.float64(3.0),)), (lambda r: r.weight * r.values[0], (Reading(2.0, POINT),)),
    (of_shapes, ([Circle(1.0), Box(2.0, 3.0), Circle(0.5)],)), (of_scene, (Scene(Box(2.0, 3.0), 2.0),)),
    (lambda x, y: x * x if y is None else x * y, (2.0, None)), (of_scene, (Scene(Circle(2.0), 2.0),)),
    (lambda x: x * x, (3,)), (lambda t: t[0][0] * t[0][1][1] + t[1], (((2.0, POINT), 3.0),)),
])  # fmt: skip
def test_arguments_of_every_structure(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    g = ccc.value_with_gradient(f, backend="native")
    expected = ccc.value_with_gradient(f)(*args)
    for _ in range(3):
        assert alike(expected, g(*args)), (expected, g(*args))
    assert not only_code(g).left_to


def nested(x: Any, n: int) -> Any:
    return [(x * i, i, i > 1, [x + j for j in range(i)]) for i in range(n)]


def bodies(x: float, n: int) -> Any:
    found = [Body(x * i, np.ones(i) * x) for i in range(n)]
    return {"all": found, "last": Reading(x, np.zeros(3) + x), "none": None}


@pytest.mark.parametrize(("f", "args"), [
    (nested, (3.0, 4)), (nested, (POINT, 3)), (nested, (3.0, 0)), (bodies, (1.5, 3)),
    (lambda x: (x, {"a": x * 2, "b": (x, 1, True)}), (3.0,)), (lambda x: x.T, (np.arange(6.0).reshape(2, 3),)),
    (lambda x: (x > 0.4, np.argmax(x)), (POINT,)), (lambda x: x.shape, (POINT,)),
    (lambda x: x[0], (POINT,)), (lambda x: x[0] > x[1], (POINT,)), (lambda x: None, (1.0,)), (lambda x: (), (1.0,)),
    (lambda x: (x, "a"), (1.0,)),
    (largest, ([Circle(1.0), Box(2.0, 3.0), Circle(0.5)],)), (lambda n: [], (4.0,)), (lambda n: n // 2, (np.int64(7),)),
])  # fmt: skip
def test_results_of_every_structure(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    g = ccc.compiled(f, backend="native")
    assert alike(f(*args), g(*args)), (f(*args), g(*args))
    assert not only_code(g).left_to


def test_lists_of_texts_and_of_what_machine_code_does_not_take() -> None:
    rows = [[1.0, np.float64(2.0)], [3.0, 4.0]]
    for f, args, taken in [(of_texts, (2.0, ["a", "b"]), True), (of_rows, (rows,), False)]:
        g = ccc.value_with_gradient(f, backend="native")
        assert alike(ccc.value_with_gradient(f)(*args), g(*args))
        assert (not only_code(g).left_to) == taken


def test_another_structure_is_never_read_as_if_it_were_the_same() -> None:
    g = ccc.value_with_gradient(lambda p: p["a"] * p["b"], backend="native")
    for p in ({"a": 2.0, "b": 3.0}, {"b": 3.0, "a": 2.0}, {"a": 2.0, "b": np.float64(3.0)}, {"a": 2, "b": 3.0},
              {"a": 2.0, "b": 3.0, "c": 1.0}, {"a": POINT[:1], "b": 3.0}):  # fmt: skip
        expected = ccc.value_with_gradient(lambda p: np.sum(p["a"] * p["b"]) if len(p) < 0 else p["a"] * p["b"])
        if isinstance(p["a"], np.ndarray):
            with pytest.raises(TypeError):
                g(p)
            continue
        assert alike(expected(p), g(p)), p
        assert list(g(p)[1]) == list(p)
    h = ccc.compiled(lambda p: p.x * p.y, backend="native")
    assert h(Pair(2.0, 3.0)) == 6.0 and h(Pair(2, 3)) == 6 and type(h(Pair(2, 3))) is int
    k = ccc.compiled(lambda xs: sum(xs), backend="native")
    for xs in ([1.0, 2.0], [1.0, 2], [], [True, 2.5], [np.float64(1.0), 2.0], [2**70, 1.0]):
        assert alike(sum(xs), k(xs)) or math.isclose(sum(xs), k(xs)), xs


def test_arrays_whose_dtypes_lie_elsewhere_or_in_other_bytes() -> None:
    g = ccc.gradient(lambda x: np.sum(x * x), backend="native")
    assert alike(2 * POINT, g(pickle.loads(pickle.dumps(POINT))))
    assert not only_code(g).left_to
    swapped = POINT.astype(">f8")
    assert np.array_equal(g(swapped), 2 * POINT)
    unaligned = np.frombuffer(b"\0" + POINT.tobytes(), "f8", 3, 1)
    for a in (POINT[::2], np.broadcast_to(POINT, (2, 3)), np.ones((3, 2)).T, unaligned):
        assert np.array_equal(g(a), 2 * a)


def rearranged(d: dict[str, Any], b: Body, xs: list[tuple[float, bool]]) -> Any:
    return [(x * b.mass, flag, Pair(x, b.mass), {"a": d["a"] * x, "b": None}) for x, flag in xs]


def test_no_reference_is_lost_and_none_is_kept() -> None:
    d, b, xs = {"a": POINT.copy(), "i": np.int64(3)}, Body(2.0, MOVE.copy()), [(1.5, True), (2.5, False)]
    objects = [d, d["a"], d["i"], b, b.place, xs, xs[0], Body, Pair, np.ndarray, POINT.dtype, None, True, False, "mass"]
    f = ccc.compiled(rearranged, backend="native")
    assert alike(rearranged(d, b, xs), f(d, b, xs)) and not only_code(f).left_to
    gc.collect()
    before = list(map(sys.getrefcount, objects))
    for _ in range(1000):
        f(d, b, xs)
    gc.collect()
    assert all(abs(x - y) < 100 for x, y in zip(before, map(sys.getrefcount, objects), strict=True))


def halves(x: np.ndarray) -> Any:
    """Two results in one piece of memory, or none: the second may be the first."""
    y = x * 2.0
    return y, x[: len(x) // 2] + 1.0, y


@pytest.mark.parametrize("size", [7, 5_000, 300_000])
def test_results_keep_their_memory_while_they_live(size: int) -> None:
    f = ccc.compiled(halves, backend="native")
    g = ccc.value_with_pullback(halves, backend="native")
    kept: dict[int, Any] = {}
    for i in range(60):
        x = np.full(size, float(i))
        kept[i] = f(x) if i % 3 else (f(x)[0], g(x)[0][1], g(x)[1]((x, x[: size // 2], x)))
        kept.pop(i - 7 * (i % 2), None)
    for i, (a, b, c) in kept.items():
        assert np.all(a == 2.0 * i) and np.all(b == i + 1.0), i
        assert np.all(c == 2.0 * i) if i % 3 else np.all(c[size // 2 :] == 4.0 * i), i
        assert all(x.flags.writeable and x.flags.c_contiguous and x.flags.aligned for x in (a, b, c))
        a += 1.0
        assert np.all(b == i + 1.0)
    assert not only_code(f).left_to


# -- pullbacks -----------------------------------------------------------------------------------------------------


def power(x: float, n: int) -> float:
    return 1.0 if n == 0 else x * power(x, n - 1)


def walk(x: Any, steps: int) -> Any:
    path = [x]
    for i in range(steps):
        path.append(np.sin(path[-1]) * (i + 1))
    return path, path[-1][0]


@pytest.mark.parametrize(("f", "args", "cts"), [
    (field, (POINT,), (MOVE,)), (lambda x, y: (x * y, x), (2.0, 3.0), ((1.0, 10.0),)), (power, (1.5, 5), (2.0,)),
    (energy_of, (Body(2.0, POINT), 9.8), (3.0,)), (of_arrays, ([POINT, MOVE],), (0.5,)),
    (lambda x: {"a": np.tanh(x), "n": 3}, (POINT,), ({"a": MOVE, "n": None},)),
    (lambda x: None, (2.0,), (None,)),
])  # fmt: skip
def test_pullbacks_are_machine_code_too(f: Callable[..., Any], args: tuple[Any, ...], cts: tuple[Any, ...]) -> None:
    g = ccc.value_with_pullback(f, backend="native")
    plain, expected = ccc.value_with_pullback(f)(*args)
    value, pullback = g(*args)
    assert alike(plain, value)
    for ct in (*cts, *cts):
        assert alike(expected(ct), pullback(ct)), (expected(ct), pullback(ct))
    assert not only_code(g).left_to


def test_a_pullback_owns_what_it_reads_and_outlives_its_code() -> None:
    x = POINT.copy()
    _, pullback = ccc.value_with_pullback(walk, backend="native")(x, 3)
    ct = ([np.ones(3)] * 4, 2.0)
    expected = ccc.value_with_pullback(walk)(POINT, 3)[1](ct)
    x[:] = 7.0
    gc.collect()
    for _ in range(3):
        assert alike(expected, pullback(ct))
    many = [ccc.value_with_pullback(field, backend="native")(POINT * i)[1] for i in range(5)]
    gc.collect()
    for i, one in enumerate(many):
        assert alike(ccc.value_with_pullback(field)(POINT * i)[1](MOVE), one(MOVE))
    del many, pullback
    gc.collect()


@dataclass
class Layer:
    weights: Any
    scale: Any


def of_layers(layer: Layer) -> Any:
    return np.sum(layer.weights.weights ** 2) * layer.scale


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_pullback_owns_arrays_wherever_they_are(backend: str) -> None:
    def of_either(xs: list[Any]) -> Any:
        s = 0.0
        for x in xs:
            s += np.sum(x.weights ** 2) * x.scale if isinstance(x, Layer) else np.sum(x.values) * x.weight
        return s

    for f, arg in ((of_layers, Layer(Layer(POINT.copy(), 2.0), 3.0)),
                   (of_either, [Layer(POINT.copy(), 2.0), Reading(2.0, POINT.copy())])):  # fmt: skip
        expected = ccc.gradient(f)(arg)
        _, pullback = ccc.value_with_pullback(f, backend=backend)(arg)
        (arg[0] if isinstance(arg, list) else arg.weights).weights[:] = 100.0
        assert alike(expected, pullback(1.0))


def weighted(things: list[tuple[Body, int]], pair: Pair) -> Any:
    s = 0.0
    for body, n in things:
        s += (body.mass // 2) * (n // 1) * np.sum(body.place) * pair.x * (pair.y // 1)
    return s


def test_what_holds_nothing_that_is_differentiated_has_none_in_its_place() -> None:
    args = [(Body(2, POINT), 3), (Body(1, MOVE), 2)], Pair(2.0, 3)
    for verb in (ccc.gradient, ccc.value_with_gradient):
        assert alike(verb(weighted)(*args), verb(weighted, backend="native")(*args))
    expected, g = ccc.value_with_pullback(weighted)(*args), ccc.value_with_pullback(weighted, backend="native")
    assert alike(expected[1](2.0), g(*args)[1](2.0)) and not only_code(g).left_to
    assert expected[1](2.0)[0][0][0].mass is None and expected[1](2.0)[1].y is None


def test_a_pullback_whose_stack_ends_is_computed_in_numpy_or_raises() -> None:
    g = ccc.value_with_pullback(power, backend="native")
    value, pullback = g(1.001, 900)
    assert math.isclose(value, 1.001**900, rel_tol=1e-12)
    assert math.isclose(pullback(1.0)[0], 900 * 1.001**899, rel_tol=1e-11)


# -- what runs -----------------------------------------------------------------------------------------------------


def test_explain_says_what_computes_a_function_and_why() -> None:
    def says(x: np.ndarray) -> Any:
        print({"x": [x, None]})
        return np.sum(x)

    assert ccc.explain(energy, POINT).backend.startswith("numpy, and native when calls have taken ")
    for verb in (ccc.gradient, ccc.value_with_pullback, ccc.value_with_differential, ccc.compiled):
        assert ccc.explain(verb(energy, backend="numpy"), POINT).backend == "numpy"
    line = says.__code__.co_firstlineno + 1
    for verb in (ccc.gradient, ccc.value_with_pullback, ccc.compiled):
        assert ccc.explain(verb(energy, backend="native"), POINT).backend == "native"
        why = f"numpy: native code does not take `show` at line {line}"
        assert ccc.explain(verb(says, backend="native"), POINT).backend == why
    assert ccc.explain(ccc.hvp(energy, backend="native"), POINT, MOVE).backend == "native"
    assert "── backend" in str(ccc.explain(energy, POINT))
    assert ccc.explain(ccc.compiled(energy), POINT).code.startswith("def energy(x):")


def test_without_llvm_everything_is_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    from ccc.compile.native import engine

    monkeypatch.setattr(engine, "available", lambda: False)
    g = ccc.gradient(energy, backend="native")
    assert alike(ccc.gradient(energy)(POINT), g(POINT))
    assert "llvmlite is not installed" in only_code(g).left_to
    assert "llvmlite is not installed" in ccc.explain(g, POINT).backend


def elementary(x: np.ndarray, n: int) -> Any:
    s = 0.0
    for i in range(n):
        s += math.exp(-x[i]) * math.sin(x[i]) + math.log1p(x[i] * x[i]) - math.tanh(x[i]) ** 3
    return s + np.sum(np.cos(x) * np.sqrt(1.0 + x * x) + np.expm1(x) / (2.0 + np.arctan(x))) + x[0] ** 1.7


def test_a_processor_that_promises_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without fused multiply-adds and without vectors beyond those of every processor of the family."""
    from ccc.compile.native import engine

    x = np.linspace(0.1, 3.0, 37)
    expected = ccc.value_with_gradient(elementary)(x, 37)
    monkeypatch.setattr(engine, "cpu", lambda: cpus.BASELINE)
    for f, args in ((elementary, (x, 37)), (energy, (POINT,)), (of_rows, ([[1.0, 2.0], [3.0]],))):
        g = ccc.value_with_gradient(f, backend="native")
        expected, found = ccc.value_with_gradient(f)(*args), g(*args)
        assert alike(expected, found) and not only_code(g).left_to


def test_functions_outlive_the_variables_of_modules(monkeypatch):
    """When Python ends, what modules name goes first."""
    definitions: dict[Any, Any] = {}
    monkeypatch.setattr(capi, "DEFINITIONS", definitions)
    f = ccc.gradient(lambda x: x * math.sin(x), backend="native")
    expected = f(0.5)
    kept = [weakref.ref(definition) for definition in definitions.values()]
    definitions.clear()
    gc.collect()
    assert kept and all(definition() is not None for definition in kept)
    assert f(0.5) == expected


def cubed(x: float, k: int) -> float:
    return x * (k * k * k)


@pytest.mark.parametrize("verb", [ccc.gradient, ccc.value_with_pullback])
def test_an_explanation_says_how_many_calls_were_left_to_numpy(verb: Any) -> None:
    g = verb(cubed, wrt=0, backend="native")
    g(2.0, 3)
    assert ccc.explain(g, 2.0, 3).backend == "native"
    g(2.0, 10**10)
    left = "native\nleft to numpy when called: {}, for values that the code does not take"
    assert ccc.explain(g, 2.0, 3).backend == left.format("1 call")
    g(2.0, 10**10)
    assert ccc.explain(g, 2.0, 3).backend == left.format("2 calls")


def test_a_pullback_that_is_left_to_numpy_counts_as_left() -> None:
    def other(x: float) -> Any:
        return x * x, lambda ct: (2.0 * x * ct,)

    call = target.with_pullback(lambda x: (x * x, None), lambda tape, ct: NotImplemented, other, tried=True)
    _, pullback = call(3.0)
    assert call.leaves == 0 and pullback(1.0) == (6.0,) and call.leaves == 1
