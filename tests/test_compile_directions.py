"""Tangents and cotangents of another shape, structure or kind than what they belong to are refused: of each verb that
takes one, called by the user or inside a program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import ccc

BACKENDS = ["numpy", "native"]
PAIR = np.ones(2)


@dataclass
class Body:
    mass: Any
    place: Any


def doubled(x: Any) -> Any:
    return 2.0 * x


def scaled(t: Any) -> Any:
    return (t[0] * 2.0, t[1] * 3.0)


def by_name(d: Any) -> Any:
    return {"a": d["a"] * 2.0, "b": d["b"] * 3.0}


def moved(body: Any) -> Any:
    return Body(body.mass * 2.0, body.place * 3.0)


def each(xs: Any) -> Any:
    return [2.0 * x for x in xs]


def cubes(x: Any) -> Any:
    return np.sum(x**3)


ARRAY = [np.ones(3), np.ones(1), np.ones((2, 2)), np.ones((1, 2)), 1.0, 1, np.array(1.0), PAIR * 1j, (1.0, 1.0), [1.0],
         {"a": 1.0}, None, "ab"]
NUMBER = [np.ones(1), PAIR, 1j, "1", [1.0], (1.0,), None]
WRONG: list[tuple[Callable[..., Any], Any, list[Any]]] = [
    (doubled, PAIR, ARRAY),
    (doubled, 3.0, NUMBER),
    (scaled, (3.0, PAIR), [(1.0,), (1.0, PAIR, 1.0), 1.0, (1.0, np.ones(3)), (1.0, 0.0), PAIR, (PAIR, 1.0), None]),
    (by_name, {"a": 3.0, "b": PAIR}, [{"a": 1.0}, {"a": 1.0, "b": PAIR, "c": 1.0}, {"a": 1.0, "b": np.ones(3)},
                                      (1.0, PAIR), Body(1.0, PAIR), {"a": PAIR, "b": PAIR}]),
    (moved, Body(3.0, PAIR), [Body(1.0, np.ones(3)), Body(PAIR, PAIR), {"mass": 1.0, "place": PAIR}, (1.0, PAIR)]),
    (each, [3.0, 4.0], [[1.0, 2.0, 3.0], [1.0], np.ones(3), 1.0, [[1.0], [2.0]], [1j, 2j], {0: 1.0, 1: 2.0}, None,
                        [PAIR, PAIR], [1.0, PAIR]]),
    (each, [PAIR, np.ones(3)], [[PAIR, PAIR], [np.ones(3), PAIR], [np.ones((2, 1)), np.ones((3, 1))], [PAIR], PAIR]),
]
CASES = [(f, x, d) for f, x, wrong in WRONG for d in wrong]
NAMES = [f"{f.__name__}-{i}-{type(d).__name__}" for i, (f, _, d) in enumerate(CASES)]


def pulled_inside(f: Any, x: Any, d: Any, backend: Any) -> Any:
    return ccc.compiled(lambda x, d: ccc.pullback(f)(x)(d), backend=backend)(x, d)


def pushed_inside(f: Any, x: Any, d: Any, backend: Any) -> Any:
    return ccc.compiled(lambda x, d: ccc.jvp(f, (x,), (d,))[1], backend=backend)(x, d)


VERBS: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "pullback": lambda f, x, d, backend: ccc.pullback(f, backend=backend)(x)(d),
    "vjp": lambda f, x, d, backend: ccc.vjp(f, x, backend=backend)[1](d)[0],
    "value_with_differential": lambda f, x, d, backend: ccc.value_with_differential(f, backend=backend)(x)[1](d),
    "linearize": lambda f, x, d, backend: ccc.linearize(f, x, backend=backend)[1](d),
    "jvp": lambda f, x, d, backend: ccc.jvp(f, (x,), (d,), backend=backend)[1],
    "pullback inside": pulled_inside,
    "jvp inside": pushed_inside,
}


@pytest.mark.share(12)
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("i", range(len(CASES)), ids=NAMES)
def test_a_direction_of_another_shape_or_structure_is_refused(i: int, verb: str) -> None:
    """Of each case half of the verbs ask for one target, half for the other, and of each verb half of the cases."""
    f, x, d = CASES[i]
    backend = BACKENDS[(i + list(VERBS).index(verb)) % 2]
    with pytest.raises(ccc.CCCError, match="^error.CC0(70|25)"):
        VERBS[verb](f, x, d, backend)


RIGHT: list[tuple[Callable[..., Any], Any, Any, Any]] = [
    (doubled, PAIR, np.array([1, 3]), np.array([2.0, 6.0])),
    (doubled, PAIR, [1.0, 3.0], np.array([2.0, 6.0])),
    (doubled, 3.0, 2, 4.0),
    (scaled, (3.0, PAIR), (1, PAIR), (2.0, 3.0 * PAIR)),
    (by_name, {"a": 3.0, "b": PAIR}, {"b": PAIR, "a": 5.0}, {"a": 10.0, "b": 3.0 * PAIR}),
    (moved, Body(3.0, PAIR), Body(5.0, PAIR), Body(10.0, 3.0 * PAIR)),
    (each, [3.0, 4.0], [1, 2], [2.0, 4.0]),
    (each, [3.0, 4.0], np.array([1.0, 2.0]), [2.0, 4.0]),
    (each, [PAIR, np.ones(3)], [PAIR, np.zeros(3)], [2.0 * PAIR, np.zeros(3)]),
]


@pytest.mark.share(4)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("f", "x", "d", "wanted"), RIGHT, ids=range(len(RIGHT)))
def test_a_direction_that_fits_is_taken(f: Any, x: Any, d: Any, wanted: Any, verb: str, backend: str) -> None:
    found = VERBS[verb](f, x, d, backend)
    same = vars if isinstance(wanted, Body) else lambda y: y
    np.testing.assert_equal(same(found), same(wanted))


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_vector_of_another_shape_is_refused_by_the_product_with_a_hessian(backend: str) -> None:
    """It was broadcast: three numbers came out for a function of two."""
    product = ccc.hvp(lambda x: np.sum(x * x), backend=backend)
    for _ in range(4):  # also by the code that is called at once
        np.testing.assert_array_equal(product(PAIR, PAIR), 2.0 * PAIR)
        with pytest.raises(ccc.CCCError, match=r"the tangent of `x` has the shape \(3,\), `x` has \(2,\)"):
            product(PAIR, np.ones(3))
        with pytest.raises(ccc.CCCError, match=r"the tangent of `x` has the shape \(1,\), `x` has \(2,\)"):
            product(PAIR, np.ones(1))
        with pytest.raises(ccc.CCCError, match="with 2 axes, `x` is an array of float64 with 1 axis"):
            product(PAIR, np.ones((1, 2)))
        with pytest.raises(ccc.CCCError, match="the tangent of `x` is a real number"):
            product(PAIR, 1.0)


@pytest.mark.parametrize("ct", [np.ones(3), 1.0, PAIR * 1j, (1.0, 1.0), None])
def test_cotangents_given_to_the_other_verbs_are_compared(ct: Any) -> None:
    refused = pytest.raises(ccc.CCCError, match="error.CC070.: the cotangent of `value")
    with refused:
        ccc.code_adjoint(doubled, PAIR)(PAIR)[1](ct)
    with refused:
        ccc.vjp_probe(lambda x: lambda b: x * b, PAIR, [(PAIR, PAIR), (PAIR, ct)])
    if not isinstance(ct, float):
        with refused:
            ccc.functional_grad(lambda g: 2.0 * g(3.0), lambda x: x * x, ct)


def test_the_cotangent_of_a_dict_that_grows_has_keys_of_it() -> None:
    def powers(x: float, n: int) -> dict[int, float]:
        found: dict[int, float] = {}
        for i in range(n):
            found[i] = x**i
        return found

    _, pullback = ccc.value_with_pullback(powers, wrt="x")(3.0, 3)
    assert pullback({2: 1.0}) == 6.0
    for ct in ({3: 1.0}, [0.0, 1.0, 0.0], {2: PAIR}, {2: 1j}):
        with pytest.raises(ccc.CCCError, match=r"error.CC070"):
            pullback(ct)


def test_the_vector_of_a_dict_is_read_by_its_names() -> None:
    """Its values were read in their order."""
    product = ccc.hvp(lambda d: d["a"] ** 2 * d["b"])
    assert product({"a": 2.0, "b": 3.0}, {"b": 1.0, "a": 0.0}) == {"a": 4.0, "b": 0.0}


@pytest.mark.parametrize("backend", BACKENDS)
def test_directions_are_compared_in_loops_and_derivatives(backend: str) -> None:
    def f(x: Any, vs: Any) -> Any:
        total = 0.0
        for v in vs:
            total = total + np.sum(ccc.hvp(cubes)(x, v) * v)
        return total

    dx, dvs = ccc.gradient(f, backend=backend)(PAIR, np.ones((3, 2)))
    np.testing.assert_allclose((dx, dvs[0]), ([18.0, 18.0], [12.0, 12.0]))
    with pytest.raises(ccc.CCCError, match=r"has the shape \(4,\), `x` has \(2,\)"):
        ccc.gradient(f, backend=backend)(PAIR, np.ones((3, 4)))


def test_nothing_is_compared_that_surely_fits() -> None:
    def step(x: Any, target: Any) -> Any:
        value, pullback = ccc.value_with_pullback(np.sin)(x)
        return pullback(value - target)

    assert "check_like" not in ccc.explain(ccc.compiled(step), PAIR, PAIR).code
    assert "check_like" not in ccc.explain(ccc.jacobian(np.sin), PAIR).code
    assert "check_like" not in ccc.explain(ccc.hessian(cubes), PAIR).code


def test_what_may_be_a_number_is_looked_at_where_it_runs() -> None:
    def f(x: float, v: Any) -> Any:
        d = np.sum(v) if x > 0.0 else v
        return ccc.hvp(lambda x: x**3)(x, d)

    assert ccc.compiled(f)(2.0, PAIR) == 24.0
    with pytest.raises(ccc.CCCError, match=r"the tangent of `x` has the shape \(2,\), `x` is a number"):
        ccc.compiled(f)(-2.0, PAIR)


def test_a_program_with_a_direction_stays_machine_code() -> None:
    assert ccc.explain(ccc.hvp(cubes, backend="native"), PAIR, PAIR).backend == "native"


def test_a_recursion_along_integers_alone():
    def f(x: float, n: int) -> float:
        def go(i: int, k: int) -> float:
            return x * i if k < 1 else go(i + 1, k - 1) * x

        return go(0, n)

    value, differential = ccc.value_with_differential(f, wrt=0)(1.5, 3)
    assert (value, differential(1.0)) == (f(1.5, 3), 4 * 3 * 1.5**3)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_ints_beside_floats_in_a_list_have_real_tangents(backend: str):
    def appended(xs, x, i):
        ys = list(xs)
        ys.append(x)
        return ys[i] * x

    def of_rows(rows, x, i):
        rows = [row[:] for row in rows]
        rows[0][0] = x
        return rows[i][0] * x

    _, differential = ccc.value_with_differential(appended, wrt="x", backend=backend)([1.0, 2, 3], 2.5, 1)
    assert differential(1.0) == 2.0
    for rows in ([[1.0, 2], [3, 4]], [[1, 2.0], [3, 4]]):
        _, differential = ccc.value_with_differential(of_rows, wrt="x", backend=backend)(rows, 2.5, 1)
        assert differential(1.0) == 3.0
        assert ccc.hvp(of_rows, argnums=1, backend=backend)(rows, 2.5, 0, 1.0) == 2.0
