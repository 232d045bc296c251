"""Where two parts of the language meet: empty lists of the caller, NaN among items, iterators whose items have turns,
what is raised of the compiler's own values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from checks import agrees, agrees_in_value

import ccc

BACKENDS = ["numpy", "native"]


class Holder:
    def __init__(self) -> None:
        self.history: list[int] = []


def put(xs: list[Any], n: Any) -> Any:
    xs.append(n)
    return f"{xs[0]}", xs[0] * 2


def pushed(xs: list[int], n: int) -> int:
    for i in range(n):
        xs.append(i)
    out = 0
    while xs:
        out = out * 10 + xs.pop()
    return out


def put_in_one_branch(xs: list[int], n: int) -> list[int]:
    if n:
        xs.append(n)
    return xs


def put_in_an_attribute(o: Holder, n: int) -> int:
    o.history.append(-n)
    return n


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("f", "n"), [(put, 3), (put, 1.5), (put, True), (pushed, 3), (put_in_one_branch, 2)])
def test_what_is_put_into_an_empty_list_of_the_caller_is_what_it_is(
    f: Callable[..., Any], n: Any, backend: str
) -> None:
    mine, plain = list[Any](), list[Any]()
    assert repr(ccc.compiled(f, backend=backend)(mine, n)) == repr(f(plain, n))
    assert repr(mine) == repr(plain)


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_put_into_an_empty_list_of_an_object_is_what_it_is(backend: str) -> None:
    mine = Holder()
    ccc.compiled(put_in_an_attribute, backend=backend)(mine, 2)
    assert repr(mine.history) == "[-2]"


def among(x: float) -> tuple[Any, ...]:
    n = x - x
    xs = [n, 1.0]
    return n in xs, xs.count(n), xs.index(n), n in (1.0, n), xs == [n, 1.0], n == n, n not in [n]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("x", [math.inf, 1.0])
def test_a_number_is_found_among_items_where_it_is_one(x: float, backend: str) -> None:
    assert ccc.compiled(among, backend=backend)(x) == among(x)


def unpacked(x: float) -> float:
    def src() -> Iterator[float]:
        for k in range(3):
            print("asked", k)
            yield k * x

    a, b = itertools.islice(src(), 2)
    return a + b


def listed(x: float) -> list[float]:
    def src() -> Iterator[float]:
        for k in range(3):
            print("asked", k)
            yield k * x

    return list(itertools.islice(src(), 2))


def mapped_and_filtered(x: float) -> tuple[list[float], list[bool]]:
    def src(tag: str) -> Iterator[float]:
        for v in [x, 2.0 * x]:
            print(tag, v)
            yield v

    def big(v: float) -> bool:
        print("big", v)
        return v > 1.0

    return list(filter(big, src("a"))), list(map(big, src("b")))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [unpacked, listed, mapped_and_filtered])
def test_items_are_asked_for_as_often_as_python_asks(
    f: Callable[..., Any], backend: str, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = f(0.7)
    shown = capsys.readouterr().out
    assert ccc.compiled(f, backend=backend)(0.7) == expected
    assert capsys.readouterr().out == shown


def absolute(d: Any) -> Any:
    try:
        return abs(d)
    except Exception as error:
        return str(error)


class Weighed:
    def __init__(self) -> None:
        self.w = 1.0


@pytest.mark.parametrize("value", [None, {"a": 1.0}, Weighed()])
def test_what_is_said_of_the_compilers_values_is_said_of_their_classes(value: Any) -> None:
    agrees_in_value(absolute, value)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_slope_at_a_root_that_is_complex(backend: str) -> None:
    with pytest.raises(ccc.CCCError, match=r"complex\(x\)"):
        ccc.gradient(lambda x: abs(x**0.5), backend=backend)(-4.0)
    assert ccc.gradient(lambda x: abs(complex(x) ** 0.5), backend=backend)(-4.0) == pytest.approx(-0.25)


def mapped_together(x: float) -> list[float]:
    def src(tag: str, n: int) -> Iterator[float]:
        for k in range(n):
            print(tag, k)
            yield k * x

    return list(map(lambda p, q: p * q, src("a", 2), src("b", 3)))


def zipped_in_a_comprehension(x: float) -> list[float]:
    def see(tag: str, v: float) -> float:
        print(tag, v)
        return v * x

    def src(tag: str) -> Iterator[float]:
        return map(lambda v: see(tag, v), [1.0, 2.0])

    return [p + q for p, q in zip(src("a"), src("b"), strict=False) if p > x]


def put_into_a_list(x: float) -> tuple[list[float], dict[str, float]]:
    def src() -> Iterator[float]:
        for k in range(2):
            print(k)
            yield k * x

    out = [x]
    out.extend(src())
    return out, dict(zip("ab", src(), strict=False))


def put_into_dicts(x: float) -> tuple[dict[Any, float], dict[Any, float], dict[Any, float]]:
    def src(n: int) -> Iterator[float]:
        for k in range(n):
            print(n, k)
            yield k * x

    def updated(pairs: Iterator[tuple[Any, float]]) -> dict[Any, float]:
        d: dict[Any, float] = {}
        d.update(pairs)
        return d

    return updated(zip("ab", src(3), strict=False)), dict(zip(src(3), filter(bool, src(2)), strict=False)), dict(
        enumerate(src(2)))


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [mapped_together, zipped_in_a_comprehension, put_into_a_list, put_into_dicts])
def test_several_iterators_are_asked_side_by_side(
    f: Callable[..., Any], backend: str, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = f(0.7)
    shown = capsys.readouterr().out
    assert ccc.compiled(f, backend=backend)(0.7) == expected
    assert capsys.readouterr().out == shown


def handed_over(x: float) -> float:
    def total() -> Iterator[Any]:
        t = 0.0
        for v in [x, 2.0 * x]:
            yield v
            t += v
        return t

    def wrap() -> Iterator[float]:
        r = yield from total()
        yield r * x

    return sum(v * v for v in wrap()) + max(list(wrap()))


def what_it_returned(x: float) -> float:
    def g() -> Iterator[Any]:
        yield x
        return 3.0 * x

    it = g()
    next(it)
    try:
        next(it)
    except StopIteration as end:
        return end.value * end.args[0]
    return 0.0


@pytest.mark.share(2)
@pytest.mark.parametrize("f", [handed_over, what_it_returned])
def test_what_generators_return(f: Callable[..., Any]) -> None:
    agrees(f, 1.7, second=False)
    assert ccc.compiled(f, backend="native")(1.7) == pytest.approx(f(1.7))


def raised_by_name(k: int) -> int:
    raise KeyError(k, 1) if k else KeyError(k)


def deleted(o: Holder) -> int:
    del o.history
    return 1


@pytest.mark.parametrize(
    ("f", "arg", "says"), [(raised_by_name, 1, "in a branch of its own"), (deleted, Holder(), "None from then on")])
def test_refusals_say_what_to_write(f: Callable[..., Any], arg: Any, says: str) -> None:
    with pytest.raises(ccc.CCCError, match=says):
        ccc.compiled(f)(arg)
