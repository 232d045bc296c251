"""Control flow: every construct in value, gradient under each exponential, forward mode and second order; effects
happen as often and in the order in which plain Python has them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees, agrees_in_value, runs_in_stores, value_of

import ccc
from ccc.errors import NeedsScalar

XS = np.array([1.0, 2.0, 3.5, 4.0, 0.5])


# -- while -------------------------------------------------------------------------------------------------------------


def doubled(x: float) -> float:
    while x < 100.0:
        x = x * 1.7
    return x


def two_tests(x: float) -> float:
    y, n = x, 0
    while n < 5 and y < 50.0:
        y = y * x + math.sin(y)
        n += 1
    return y * n


def newton(a: float) -> float:
    x = a
    while True:
        y = 0.5 * (x + a / x)
        if abs(y - x) < 1e-14:
            break
        x = y
    return y


def until_returned(x: float) -> float:
    s = 0.0
    while True:
        s += x * x
        if s > 10.0:
            return s * 2.0
        x = x * 1.3


def bound_in_the_test(x: float) -> float:
    while (y := x * 0.7) > 1.0:
        x = y
    return x * y


def while_else(x: float) -> float:
    n = 0
    while x < 50.0:
        x = x * x + 1.0
        n += 1
        if n > 3:
            break
    else:
        x = x * 3.0
    return x


def nested_whiles(x: float) -> float:
    s, i = 0.0, 0
    while i < 3:
        y = x
        while y < 10.0:
            y = y * y
            if y > 8.0:
                s += y
                break
            s += 0.5 * y
        i += 1
        x = x + 0.1
    return s


@pytest.mark.parametrize(("f", "x"), [
    (doubled, 2.0), (doubled, 200.0), (two_tests, 1.3), (two_tests, 60.0), (newton, 3.0), (until_returned, 1.2),
    (bound_in_the_test, 9.0), (bound_in_the_test, 0.5), (while_else, 1.1), (while_else, 0.1), (nested_whiles, 1.3),
])
def test_while(f: Callable[[float], float], x: float) -> None:
    agrees(f, x)


def test_a_short_test_stays_where_the_user_wrote_it() -> None:
    assert "while x2 < 100.0:" in ccc.explain(doubled, 2.0).code


# -- leaving a for -----------------------------------------------------------------------------------------------------


def broken(xs: Any) -> float:
    s = 0.0
    for x in xs:
        if x > 3.0:
            break
        s += x * x
    return s


def returned(xs: Any) -> float:
    s = 0.0
    for i, x in enumerate(xs):
        s += x * x
        if s > 10.0:
            return s * i
    return s * s


def for_else(xs: Any) -> float:
    s = 1.0
    for x in xs:
        if x < 0.0:
            found = x
            break
        s *= x
    else:
        found = s
    return found * found


def else_returns(xs: Any) -> float:
    for x in xs:
        if x > 3.0:
            y = x * x
            break
    else:
        return xs[0] * 2.0
    return y


def continued(xs: Any) -> float:
    s = 0.0
    for x in xs:
        if x < 1.5:
            continue
        if x > 3.8:
            s += 1.0
            continue
        s += x * x
    return s


def nested(xs: Any) -> float:
    s = 0.0
    for i in range(4):
        for x in xs:
            if x * i > 6.2:
                break
            if x > 2.5:
                continue
            s += x * x * (i + 1)
            if s > 1000.0:
                return s * s
        else:
            s += 1.5 * s
    return s


def pairs(xs: Any) -> float:
    s = 0.0
    for a, b in zip(xs, xs * 2.0, strict=False):
        s += a * b
        if b > 3.9:
            break
    return s * a


@pytest.mark.parametrize("f", [broken, returned, for_else, else_returns, continued, nested, pairs])
@pytest.mark.parametrize("xs", [XS, XS * 0.3, -XS], ids=["xs", "small", "negative"])
def test_leaving_a_for(f: Callable[[Any], float], xs: Any) -> None:
    agrees(f, xs, second=xs is XS)


@pytest.mark.parametrize("f", [broken, returned, continued])
def test_leaving_a_for_over_a_list(f: Callable[[Any], float]) -> None:
    agrees(f, [1.0, 2.0, 3.5])
    agrees_in_value(f, [])


def counted(x: float, n: int) -> float:
    s, k = 0.0, 0
    for k in range(10, n, -2):
        s += x ** k
        if s > 50.0:
            break
    return s * k


def stepped(x: float, n: int) -> float:
    for k in range(1, n, n):
        x = x * k
        if x > 100.0:
            return x
    return x * x


@pytest.mark.parametrize(("f", "n"), [(counted, 2), (counted, 20), (stepped, 5), (stepped, 1)])
def test_ranges(f: Callable[[float, int], float], n: int) -> None:
    agrees(f, 1.3, n)


def unrolled(x: float) -> float:
    s = 0.0
    for c in (1.0, 2.0, 3.0):
        s += c * x
        if s > 4.0:
            break
        s *= 1.1
    else:
        s = s * 5
    return s


def in_a_closure(x: float) -> float:
    def step(y: float) -> float:
        for _ in range(10):
            if y > 20.0:
                if y > 21.0:
                    return y * 0.5
                break
            y = y * x
        return y

    return step(x) + (step(2 * x) if x > 1 else step(3 * x))


def early(x: float) -> float:
    if x > 0:
        if x > 2:
            if x > 5:
                return x * x
            y = x + 1
        else:
            y = 3 * x
        z = y * y
    else:
        z = x
    return z * x


@pytest.mark.share(2)
@pytest.mark.parametrize("x", [0.5, 1.4, 3.0, 6.0, -1.0])
@pytest.mark.parametrize("f", [unrolled, in_a_closure, early])
def test_paths(f: Callable[[float], float], x: float) -> None:
    agrees(f, x, exponentials=("Delta", "AdditiveMap") if x == 1.4 else ("Delta",))


def side_by_side(x: float) -> float:
    s = 0.0
    for i in range(6):
        if i > 1:
            if x * i > 4:
                continue
            s += x
        if i > 2:
            if s > 7:
                break
            s += i * x * x
        if i == 5:
            if s < 3:
                s = s * x
            elif s > 6:
                return s
        s *= 1.01
    return s


def out_of_two_loops(x: float) -> float:
    i, j = 0, 0
    for i in range(1, 4):  # noqa: B007
        for j in range(4):
            if x * j > 3:
                break
        else:
            continue
        break
    return x * i * j


def while_else_returns(x: float, k: int) -> float:
    i = 0
    while i < k:
        i += 1
        if i % 2 == 0:
            continue
        x = x + math.sin(x) * i
    else:
        if x > 3:
            return x * 2
    return x


def loops_in_branches(x: float) -> float:
    if x > 0:
        for _ in range(3):
            x = x * 1.2
            if x > 2:
                break
        else:
            return x * 5
    while x > 1:
        x = x - 0.3 * x
        if x < 1.2:
            if x > 1.1:
                return x ** 3
            x = x * 0.9
    return x


def descent(x: float, n: int) -> float:
    for _ in range(n):
        x = x - 0.1 * ccc.gradient(lambda t: (t - 1.0) ** 4)(x)
        if abs(x - 1) < 0.3:
            break
    return x


@pytest.mark.share(2)
@pytest.mark.parametrize(("f", "args"), [
    (side_by_side, (0.5,)), (side_by_side, (1.3,)), (side_by_side, (2.2,)), (out_of_two_loops, (0.7,)),
    (out_of_two_loops, (1.4,)), (while_else_returns, (1.2, 5)), (while_else_returns, (0.1, 3)),
    (while_else_returns, (0.3, 0)), (loops_in_branches, (0.5,)), (loops_in_branches, (1.6,)),
    (loops_in_branches, (4.0,)), (descent, (3.0, 5)), (descent, (3.0, 0)),
])
def test_mixtures(f: Callable[..., float], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


def shifted(x: float, left: bool) -> float:
    a = np.array([x, 2.0 * x, 0.1])
    s = 0.0
    for i, v in enumerate(a):
        if i < 2:
            a[i + 1] = v * 1.5
        s += v
        if left and s > 100.0:
            break
    return s


@pytest.mark.parametrize("left", [True, False])
def test_an_array_that_changes_under_its_loop_stands_in_a_store(left: bool) -> None:
    def whole(x: float) -> float:
        a = np.array([x, 2.0 * x, 0.1])
        s = 0.0
        for v in a:
            a[1] = v
            s += v
        return s

    f, args = (shifted, (1.3, True)) if left else (whole, (1.3,))
    runs_in_stores(f, *args, says="what the loop runs along")


def test_a_path_without_a_value_gives_none() -> None:
    def f(x: float) -> Any:
        for _ in range(3):
            if x > 1:
                return x
            x = x * 2

    def g(x: float) -> Any:
        found = f(x)
        return 3.0 * x if found is None else found * x

    def pair(x: float) -> Any:
        if x > 0.2:
            return [x, x * x]

    def h(x: float) -> Any:
        total = 0.0
        for part in pair(x) or [x]:
            total += part * x
        found = pair(x)
        return total if found is None else max(found) * total

    assert ccc.compiled(f)(0.1) is f(0.1) is None
    for x in (0.1, 0.3):
        agrees(g, x)
        agrees(h, x)
    with pytest.raises(TypeError, match="'NoneType' object is not iterable"):
        value_of(lambda x: sum(pair(x)), 0.1)
    for backend in ("numpy", "native"):
        gradient = ccc.value_with_gradient(f, backend=backend)
        assert gradient(0.3) == (1.2, 4.0)
        with pytest.raises(NeedsScalar, match="it is None here"):
            gradient(0.1)
    assert ccc.gradient(lambda x: ccc.gradient(f)(x) * x)(0.3) == 4.0


# -- effects -----------------------------------------------------------------------------------------------------------


def guarded(x: float) -> float:
    assert x > 0, f"bad {x!r:>5} {x:.2f}"
    if x > 100:
        raise ValueError(f"too big: {x}", 3)
    return math.sqrt(x)


def raises_in_a_loop(xs: Any) -> float:
    s = 0.0
    for i, x in enumerate(xs):
        if x < 0:
            raise ArithmeticError(f"item {i} is {x}")
        s += math.log(x)
    return s


def only_raises(x: float) -> float:
    raise NotImplementedError("later")


def inner_raise(x: float) -> float:
    def refuse(y: float) -> float:
        raise KeyError(y)

    return x * x if x > 0 else refuse(x) * 2


def test_raise_and_assert_are_no_obstacle() -> None:
    agrees(guarded, 2.0)
    agrees(raises_in_a_loop, XS)
    agrees(inner_raise, 2.0)


@pytest.mark.parametrize(("f", "x"), [
    (guarded, -1.0), (guarded, 200.0), (raises_in_a_loop, -XS), (only_raises, 1.0), (inner_raise, -1.0),
])
def test_exceptions_are_those_of_plain_python(f: Callable[[Any], float], x: Any) -> None:
    with pytest.raises(Exception) as expected:
        f(x)
    for transform in (value_of, lambda f, x: ccc.value_with_pullback(f)(x), lambda f, x: ccc.gradient(f)(x)):
        if f is only_raises and transform is not value_of:
            continue
        with pytest.raises(type(expected.value)) as found:
            transform(f, x)
        assert expected.value.args[1:] == found.value.args[1:]
        assert str(expected.value.args[:1]).startswith(str(found.value.args[:1])[:-3])  # pytest adds to an assertion


def talks(xs: Any, n: int) -> float:
    s = 0.0
    print("start", n, f"{n}{{}} \"x\" 'y'", sep="|")
    for i, x in enumerate(xs):
        if x > 3.7:
            print(f"stop at {i}: {x:.3f}", end="!\n")
            break
        s += x * x
        print(i, s, (x, i), [x, s], True)
    else:
        print("all")
    print("done")
    return s


@pytest.mark.parametrize("xs", [XS, XS[:2]], ids=["left", "whole"])
def test_printing(xs: Any, capsys: pytest.CaptureFixture[str]) -> None:
    talks(xs, 3)
    expected = capsys.readouterr().out
    for exponential in (ccc.Delta(), ccc.AdditiveMap(), ccc.AnyDerivative()):
        ccc.gradient(talks, wrt="xs", exponential=exponential)(xs, 3)
        assert capsys.readouterr().out == expected
    value_of(talks, xs, 3)
    assert capsys.readouterr().out == expected
    _, pullback = ccc.value_with_pullback(talks, wrt="xs")(xs, 3)
    assert capsys.readouterr().out == expected
    pullback(1.0)
    assert not capsys.readouterr().out
    ccc.value_with_pullback(ccc.gradient(talks, wrt="xs"), wrt="xs")(xs, 3)
    assert capsys.readouterr().out == expected


# -- match -------------------------------------------------------------------------------------------------------------


def matched(x: float, n: int) -> float:
    match n:
        case 0:
            return x
        case 1 | 2:
            y = x * x
        case k if k > 5:
            y = x * k
        case _:
            y = math.sin(x)
    return y * 2


def parts(x: float) -> float:
    match (x, 2):
        case (a, 1):
            return a
        case (a, b) if a > 1:
            return a * b
        case (a, b):
            return a + b
    return 0.0


def test_match() -> None:
    for n in (0, 1, 3, 8):
        agrees(matched, 1.3, n)
    agrees(parts, 2.0)
    agrees(parts, 0.5)


# -- comprehensions ----------------------------------------------------------------------------------------------------


def looped_over(xs: Any) -> float:
    s = 0.0
    for y in [x * x + 1 for x in xs]:
        s += math.sin(y)
    return s


def table(xs: Any) -> float:
    s = 0.0
    for row in [[x * i for x in xs] for i in range(3)]:
        for v in row:
            s += v * v
    return s


COMPREHENSIONS: dict[str, Callable[[Any], Any]] = {
    "list": looped_over,
    "nested": table,
    "sum": lambda xs: sum(x * x for x in xs),
    "conditions": lambda xs: sum(x * math.exp(x) for x in xs if x > 0.7 if x < 3.9),
    "two generators": lambda xs: sum(x * i for i in range(3) for x in xs if i != 1),
    "enumerate": lambda xs: sum(i * x for i, x in enumerate(xs)),
    "extremes": lambda xs: max(x * x for x in xs) - min([x * 3 for x in xs]),
    "any and all": lambda xs: xs[0] * 2.0 if any(x > 3 for x in xs) and all(x > 0 for x in xs) else xs[1],
    "list of": lambda xs: list(xs)[1] * list(xs)[-1],
    "sum of": lambda xs: sum(xs) * 2.0,
    "array of": lambda xs: np.sum(np.array([x * x for x in xs])),
    "known": lambda xs: sum([xs[0] * i for i in (1, 2, 3) if i != 2]),
}


@pytest.mark.parametrize("name", COMPREHENSIONS)
def test_comprehensions(name: str) -> None:
    agrees(COMPREHENSIONS[name], XS)
    if name != "array of":
        agrees(COMPREHENSIONS[name], [1.0, 2.0, 3.5], second=False)


def test_comprehensions_of_nothing() -> None:
    agrees(lambda x, n: sum(x ** i for i in range(n)) + x, 1.3, 0)
    agrees_in_value(lambda xs: max([x * 2.0 for x in xs[2:]]), np.array([1.0, 2.0]))


def test_a_list_whose_length_depends_on_its_items() -> None:
    agrees(lambda xs: len([x for x in xs if x > 1.1]) * xs[0], XS)
    agrees(lambda xs: sum([x * y for x in xs if x > 1.1 for y in [0.3, *xs] if y < x - 0.05]), XS)


def test_names_of_a_comprehension_are_its_own() -> None:
    def f(xs: Any) -> Any:
        i = 3.0
        found = [i * x for x in xs]
        again = [i for i in (1.0, 2.0)]
        return found[1] * i * again[1]

    agrees(f, XS)


# -- cost --------------------------------------------------------------------------------------------------------------


def test_a_million_steps() -> None:
    def f(x: float, n: int) -> float:
        i = 0
        while i < n:
            x = x * 0.999999 + 1e-6
            i += 1
            if x < -1.0:
                break
        return x

    n = 1_000_000
    assert value_of(f, 2.0, n) == f(2.0, n)
    gradient, _ = ccc.gradient(f)(2.0, n)
    assert math.isclose(gradient, 0.999999**n, rel_tol=1e-9)
