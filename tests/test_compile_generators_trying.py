"""Generators, `map`, `filter` and generator expressions that raise after some items: what came before stays."""

import contextlib
import io
import math
from typing import Any

import pytest

import ccc


class Mine(Exception):
    pass


def g(x):
    yield x
    yield 2 * x
    if x > 1.0:
        raise ValueError("late")
    yield 3 * x


def g2(x):
    yield x
    yield 1.0 / (x - 2.0)
    yield x * x


def gm(x):
    print("a")
    yield x
    print("b")
    yield x * x
    if x > 1.0:
        raise Mine("m")
    print("c")
    yield x


def yf(x):
    yield 5.0 * x
    yield from g(x)
    yield 7.0 * x


def ff(t):
    if t < 0.0:
        raise Mine("neg")
    return t * t


def gl(x, n):
    for i in range(n):
        if i == 3 and x > 1.0:
            raise ValueError("i")
        yield x * i


def appends(x):
    log = []
    try:
        for v in g(x):
            log.append(v)
    except ValueError:
        log.append(10.0 * x)
    return sum(log)


def adds(x):
    s = 0.0
    try:
        for v in g(x):
            s += v
    except ValueError:
        s += 10.0 * x
    return s


def in_an_expression(x):
    s = 0.0
    try:
        for a in (v * v for v in g(x)):
            s += a
    except ValueError:
        s += 10.0 * x
    return s


def maps(x):
    s = 0.0
    try:
        for a in map(lambda v: v * 3, g(x)):
            s += a
    except ValueError:
        s += 10.0 * x
    return s


def numbers(x):
    s = 0.0
    try:
        for i, a in enumerate(g(x)):
            s += a * (i + 1)
    except ValueError:
        s += 10.0 * x
    return s


def filters(x):
    s = 0.0
    try:
        for a in filter(lambda v: v > 0.0, g(x)):
            s += a
    except ValueError:
        s += 10.0 * x
    return s


def yields_from(x):
    s = 0.0
    try:
        for a in yf(x):
            s += a
    except ValueError:
        s += 10.0 * x
    return s


def prints(x):
    s = 0.0
    try:
        for a in gm(x):
            print(a)
            s += a
    except Mine:
        s += 10.0 * x
    else:
        s += 3 * x
    finally:
        s += x
    return s


def returns_first(x):
    for v in (math.sqrt(t) for t in [x, x - 5.0]):
        return v * x


def breaks_in_map(x):
    s = 0.0
    for v in map(ff, [x, x - 5.0, x]):
        s += v
        if s > 1.0:
            break
    return s


def raises_in_map(x):
    s = 0.0
    try:
        for v in map(ff, [x, x - 5.0, x]):
            s += v
    except Mine:
        s += 10 * x
    return s


def raises_in_expression(x):
    s = 0.0
    try:
        for v in (ff(t) for t in [x, x - 5.0, x]):
            s += v
    except Mine:
        s += 10 * x
    return s


def any_of_map(x):
    return any(map(lambda t: 1.0 / t > 0.0, [x, x - 2.0])) * x


def next_of_map(x):
    it = map(ff, [x, x - 5.0])
    return next(it) * 2.0


def in_a_function(x):
    s = [0.0]

    def run():
        for v in g(x):
            s[0] += v

    try:
        run()
    except ValueError:
        s[0] += 10 * x
    return s[0]


def raises_in_body(x):
    s = 0.0
    try:
        for v in gl(x, 6):
            if v > 3.0:
                raise Mine("big")
            s += v
    except ValueError:
        s += 10 * x
    except Mine:
        s += 20 * x
    return s


def adds_all(x):
    s = 0.0
    try:
        s = sum(g(x))
    except ValueError:
        s += 10 * x
    return s


def next_of_name(x):
    it = g2(x)
    s = next(it) * 3.0
    return s


def two_lists(x):
    s = 0.0
    for v in map(lambda a, b: a / b, [x, x], [1.0, x - 2.0]):
        s += v
        if v > 0.0:
            return s
    return s


def last_bound(x):
    w = 0.0
    try:
        for v in g(x):
            w = v * 2
    except ValueError:
        return w * 3
    return w


PROGRAMS: list[Any] = [
    appends,
    adds,
    in_an_expression,
    maps,
    numbers,
    filters,
    yields_from,
    prints,
    returns_first,
    breaks_in_map,
    raises_in_map,
    raises_in_expression,
    any_of_map,
    next_of_map,
    in_a_function,
    raises_in_body,
    adds_all,
    next_of_name,
    two_lists,
    last_bound,
]


@pytest.mark.share(3)
@pytest.mark.parametrize("x", [1.7, 2.0, 0.6])
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_items_before_what_is_raised_are_used(f: Any, backend: str, x: float) -> None:
    found = []
    for g in (f, ccc.compiled(f, backend=backend)):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            try:
                value: Any = g(x)
            except Exception as error:
                value = (type(error), str(error))
        found.append((value, out.getvalue()))
    assert found[0][1] == found[1][1]
    assert (
        found[0][0] == found[1][0]
        if isinstance(found[0][0], tuple)
        else found[1][0] == pytest.approx(found[0][0], rel=1e-12)
    )


@pytest.mark.parametrize("x", [1.7, 0.55])
@pytest.mark.parametrize("f", [f for f in PROGRAMS if f not in (prints, any_of_map)])
def test_derivatives_are_those_of_differences(f: Any, x: float) -> None:
    try:
        slope = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    except Exception as error:
        with pytest.raises(type(error)):
            ccc.gradient(f)(x)
        return
    assert ccc.gradient(f)(x) == pytest.approx(slope, rel=1e-5)
