"""The native target against the NumPy target: the programs of the corpus, and what machine code leaves to the other."""
# pyright: reportCallIssue=false, reportArgumentType=false
from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import test_corpus_in_place
import test_corpus_mappings
from corpus import in_place
from native_checks import near
from test_corpus import PROGRAMS

import ccc
from ccc.compile.api.wrapper import Read
from ccc.compile.diagnostics import WrongArguments

pytest.importorskip("llvmlite")

FACTOR = 2.0
OTHERS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (in_place.log_likelihood, (test_corpus_in_place.A, test_corpus_in_place.B)),
    (in_place.heat, (test_corpus_in_place.U, 0.2, 5)),
    *test_corpus_mappings.PROGRAMS,
]
MAPPINGS = [f for f, _ in test_corpus_mappings.PROGRAMS]


def code_of(g: Any) -> Any:
    """The only code of a transform."""
    ((code,),) = g.codes.values()
    return code.code if isinstance(code, Read) else code


def close(a: Any, b: Any) -> bool:
    """Equal up to what another order of additions and other last places of elementary functions make."""
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(close, a, b))
    if a is None:
        return b is None
    size = float(np.max(np.abs(a), initial=1.0)) if isinstance(a, np.ndarray) else max(1.0, abs(a))
    alike = isinstance(b, type(a)) and np.shape(a) == np.shape(b)
    return alike and bool(np.all(np.abs(np.subtract(a, b)) <= 1e-10 * size))


@pytest.mark.share(4)
@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_gradients_agree(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    g, other = ccc.value_with_gradient(f, backend="native"), ccc.value_with_gradient(f, backend="numpy")
    assert not near(other, args, g(*args), other(*args))
    assert not code_of(g).left_to


@pytest.mark.share(4)
@pytest.mark.parametrize(("f", "args"), PROGRAMS[2::5], ids=[f.__name__ for f, _ in PROGRAMS[2::5]])
def test_values_pullbacks_and_differentials_agree(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    plain = ccc.compiled(f, backend="numpy")(*args)
    assert close(plain, ccc.compiled(f, backend="native")(*args))
    for verb in (ccc.value_with_pullback, ccc.value_with_differential):
        (value, expected), (again, found) = verb(f, backend="numpy")(*args), verb(f, backend="native")(*args)
        moves = ccc.gradient(f, wrt=tuple(range(len(args))))(*args)
        given = (1.5,) if verb is ccc.value_with_pullback else moves
        assert close(value, again) and close(expected(*given), found(*given))


@pytest.mark.parametrize(("f", "args"), OTHERS, ids=[f.__name__ for f, _ in OTHERS])
def test_what_is_taken_agrees_and_what_is_not_is_named(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    for verb in (ccc.compiled, ccc.value_with_gradient):
        g, other = verb(f, backend="native"), verb(f, backend="numpy")
        assert not near(other, args, g(*args), other(*args))
        reason = code_of(g).left_to
        assert reason == "" or (f in MAPPINGS and "\n" not in reason), reason


def picked(x: Any, i: int) -> Any:
    return x[i] * x[i]


def quotient(x: float, y: float) -> float:
    return x / y


def logarithm(x: float, n: int) -> float:
    s = 0.0
    for i in range(n):
        s = s + math.log(x - i)
    return s


def grows(x: float) -> float:
    k = 1
    while k < 100:
        k = k * 3 + 1
    return x * k**2 * k**3 * k**4


def without_end(x: float) -> float:
    while x < 10.0:
        x = x * math.sqrt(x - 1.0)
    return x


def refused(x: float, limit: float) -> float:
    if x > limit:
        raise ValueError(f"{x} is beyond {limit}")
    return x * x


def found_first(xs: list[float], k: float) -> float:
    for i in range(len(xs)):
        if xs[i] == 0.0:
            raise ArithmeticError("a zero")
        if xs[i] > k:
            return xs[i] * k
    raise LookupError("none") from KeyError(k)


def bound_late(x: float, flag: bool) -> float:
    if flag:
        y = x * x
    return y * x


@pytest.mark.parametrize(("f", "args"), [
    (refused, (2.0, 3.0)), (found_first, ([1.0, -2.0, 5.0, 0.0], 3.0)), (bound_late, (1.5, True)),
])  # fmt: skip
def test_programs_that_may_raise_and_do_not(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    g = ccc.value_with_gradient(f, backend="native")
    assert close(ccc.value_with_gradient(f)(*args), g(*args)) and not code_of(g).left_to


@pytest.mark.parametrize(("f", "args", "error"), [
    (refused, (4.0, 3.0), ValueError), (found_first, ([1.0, 2.0], 3.0), LookupError),
    (found_first, ([1.0, 0.0, 5.0], 3.0), ArithmeticError), (bound_late, (1.5, False), UnboundLocalError),
    (picked, (np.arange(3.0), 3), IndexError), (picked, (np.arange(3.0), -4), IndexError),
    (quotient, (1.0, 0.0), ZeroDivisionError), (logarithm, (3.0, 4), ValueError), (without_end, (0.5,), ValueError),
    (lambda x, y: np.sum(x + y), (np.ones(2), np.ones(3)), ValueError),
    (lambda x, y: np.sum(x @ y), (np.ones((2, 3)), np.ones(2)), ValueError),
])  # fmt: skip
def test_errors_are_those_of_python(f: Callable[..., Any], args: tuple[Any, ...], error: type[Exception]) -> None:
    g = ccc.gradient(f, backend="native")
    with pytest.raises(error) as plain:
        f(*args)
    with pytest.raises(error) as found:
        g(*args)
    assert str(found.value) == str(plain.value)
    assert not code_of(g).left_to


def test_what_machine_code_leaves_is_computed_all_the_same() -> None:
    g = ccc.gradient(picked, backend="native")
    assert np.array_equal(g(np.arange(3.0), -1)[0], [0.0, 0.0, 4.0])
    assert ccc.gradient(grows, backend="native")(2.0) == ccc.gradient(grows)(2.0)  # beyond 64 bits
    wide = ccc.gradient(lambda x, y: np.sum(x * y), backend="native")
    dx, dy = wide(np.ones((2, 3)), np.arange(3.0))
    assert np.array_equal(dx, np.tile(np.arange(3.0), (2, 1))) and np.array_equal(dy, [2.0, 2.0, 2.0])


def test_arrays_of_any_memory_layout() -> None:
    g = ccc.gradient(lambda x: np.sum(np.sin(x) * x[0]), backend="native")
    x = np.arange(24.0).reshape(4, 6)
    for view in (x, x.T, x[::2], x[:, ::-1], x[1:, 2:]):
        assert np.allclose(g(view), g(np.ascontiguousarray(view)), rtol=1e-14, atol=0.0)
    assert np.allclose(ccc.gradient(lambda x: np.sum(x * x), backend="native")(x[:0]), x[:0])


def test_results_are_new_and_of_the_kinds_of_the_arguments() -> None:
    g = ccc.value_with_gradient(lambda x, s: np.sum(x) * s, backend="native")
    x = np.arange(3.0)
    value, (dx, ds) = g(x, 2.0)
    assert type(value) is np.float64 and type(ds) is float and dx.dtype == x.dtype and not np.shares_memory(dx, x)
    again = g(x, 2.0)[1][0]
    again[0] = 7.0
    assert np.array_equal(g(x, 2.0)[1][0], [2.0, 2.0, 2.0]) and np.array_equal(x, [0.0, 1.0, 2.0])


def test_a_code_serves_the_types_that_it_was_made_for() -> None:
    g = ccc.gradient(lambda x, y: np.sum(x * y), backend="native")
    for x, y in [(np.ones(3), np.arange(3.0)), (np.ones(1), np.arange(3.0)), (np.ones(3), 2.0), (np.ones(3), 2),
                 (np.ones((2, 3)), np.ones(3)), (2.0, 3.0), (2, 3), (np.ones(3), np.arange(3.0))]:
        plain = ccc.gradient(lambda x, y: np.sum(x * y))(x, y)
        assert close(plain, g(x, y)), (x, y)
    with pytest.raises(TypeError):
        g(np.ones(3))


def test_names_from_outside_are_read_anew() -> None:
    global FACTOR
    g = ccc.gradient(lambda x: FACTOR * x * x, backend="native")
    assert g(3.0) == 12.0
    FACTOR = 5.0
    assert g(3.0) == 30.0
    FACTOR = 2.0
    assert g(3.0) == 12.0


def test_other_dtypes_are_left_by_name() -> None:
    g = ccc.gradient(lambda x: np.sum(x * x), backend="native")
    assert g(np.ones(3, np.float16)).dtype == np.float16
    assert code_of(g).left_to == "arrays of float16"


def test_a_backend_that_is_not_known() -> None:
    with pytest.raises(WrongArguments, match="'numpy', 'native'"):
        ccc.gradient(picked, backend="fast")


def rows_onto_rows(a: np.ndarray) -> Any:
    b = a * 2.0
    b += b[0]
    b[1:] += b[:-1]
    b[:, 0] += b[0]
    c = b.T
    return np.sum(b * b) + c[0, 1] * np.sum(b[1:] * a[:-1])


def nearest(points: np.ndarray, centres: np.ndarray) -> Any:
    total, largest = 0.0, 0.0
    for point in points:
        distances = np.sum((centres - point) ** 2, axis=1)
        total += np.min(distances)
        largest = max(largest, distances[0])
    return total + largest * total


def mixed(xs: np.ndarray, n: int) -> Any:
    """Loops whose reverse can be joined with them beside loops whose reverse cannot."""
    a, b, c = 0.0, 1.0, 0.0
    for x in xs:
        a += math.sin(x) * x
    for x in xs:
        b = b * math.cos(x) + a
    for i in range(n):
        for x in xs:
            c += x * x * i
        c *= 0.5
    return a * b + c


def lists_of_their_own(xs: list[float], k: float) -> Any:
    ys = xs[:]
    ys[0] = k
    ys.append(k * k)
    zs = ys[1:]
    zs[0] = zs[0] * k
    ws = zs + ys
    ws[1] = 3.0 * k
    last = ws.pop()
    ws.append(last * k)
    return sum(ys) * xs[0] + sum(zs) * ys[1] + sum(ws) * last


def positive(x: np.ndarray) -> Any:
    """Of loops that keep which way they went, and run on vectors."""
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            s += x[i] ** 2
    return s


def chosen_items(xs: list[float], k: float) -> float:
    s = k if any([x > 2.0 for x in xs]) else -k
    return s * k + sum(x * x for x in xs if x > k)


@pytest.mark.parametrize(("f", "args"), [
    (positive, (np.sin(np.arange(29.0)),)), (chosen_items, ([0.1, 0.6, 0.1, 0.35, 3.0], 0.05)),
    (lists_of_their_own, ([1.0, 2.0, -0.5], 0.7)), (rows_onto_rows, (np.arange(9.0).reshape(3, 3) / 7.0,)),
    (nearest, (np.sin(np.arange(12.0)).reshape(6, 2), np.cos(np.arange(6.0)).reshape(3, 2))),
    (mixed, (np.array([0.3, -0.8, 1.1]), 4)), (mixed, (np.array([]), 3)),
])  # fmt: skip
def test_what_shares_memory_or_is_fused(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    g = ccc.value_with_gradient(f, backend="native")
    assert close(ccc.value_with_gradient(f)(*args), g(*args)), (ccc.value_with_gradient(f)(*args), g(*args))
    assert close(ccc.gradient(f)(*args), ccc.gradient(f, backend="native")(*args))
    assert not code_of(g).left_to


def test_a_million_steps() -> None:
    def decay(x: float, n: int) -> float:
        for _ in range(n):
            x = x - 1e-6 * x * x
        return x

    g = ccc.gradient(decay, backend="native")
    assert math.isclose(g(1.0, 1_000_000)[0], 0.25, rel_tol=1e-5)


def test_deep_recursion_ends_as_in_python() -> None:
    def power(x: float, n: int) -> float:
        return 1.0 if n == 0 else x * power(x, n - 1)

    g = ccc.gradient(power, backend="native")
    assert math.isclose(g(1.001, 400)[0], 400 * 1.001**399, rel_tol=1e-12) and not code_of(g).left_to
    with pytest.raises(RecursionError):
        g(1.0, 10**6)


def test_threads_share_one_code() -> None:
    g = ccc.gradient(lambda x: np.sum(np.exp(x) * x), backend="native")
    x = np.linspace(0.0, 1.0, 1000)
    expected, found = ccc.gradient(lambda x: np.sum(np.exp(x) * x))(x), list[Any]()
    threads = [threading.Thread(target=lambda: found.append(g(x))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and all(np.allclose(expected, y, rtol=1e-13) for y in found)
    assert len(g.codes) == 1


def test_constants_around_a_function():
    """Constants written behind a function had the names of those before it, and LLVM took no such module."""
    def f(x: np.ndarray, n: int) -> Any:
        a = np.append(x, 0.3)

        def inner(t: np.ndarray, k: int) -> Any:
            return np.sum(np.append(t, 0.4)) if k > n else inner(t * 2.0, k + 1)

        return np.sum(a * a) + inner(x, 0) + np.sum(np.append(x, 0.5) * a)

    x = np.array([0.5, 0.25])
    native = ccc.compiled(f, backend="native")
    assert native(x, 3) == pytest.approx(f(x, 3)) and not code_of(native).left_to
