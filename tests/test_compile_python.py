"""What Python means: the compiled function against plain Python bit by bit, and its derivatives against each other and
against differences, under every exponential, forwards and backwards, and once more."""

from __future__ import annotations

# The functions below are written as users write them.
# ruff: noqa: E731, RUF005, RUF034, B905, F841, B007
import math
from collections.abc import Callable
from math import sin as sine
from typing import Any

import numpy as np
import numpy as xp
import pytest
from checks import agrees, agrees_in_value, value_of

CASES: list[Any] = []
M = np.arange(6.0).reshape(2, 3) / 7 + 0.1
V = np.array([0.3, 0.7, 1.1])


def case(*args: Any) -> Callable[[Any], Any]:
    """Enter a function into the table, at these arguments."""
    def enter(f: Any) -> Any:
        CASES.append(pytest.param(f, args, id=f"{f.__name__}-{len(CASES)}"))
        return f

    return enter


@case(2.0)
def chained(x):
    a = b = x * x
    a = a + 1.0
    return a * b


@case(2.0, 3.0)
def swap(x, y):
    x, y = (y, x)
    a, (b, c) = (x, (y, x * y))
    [d, e] = [a, b]
    return d * e * e + c


@case(1.5)
def aug(x):
    s = 1
    s += x
    s *= x
    s -= 2
    s /= 3
    s **= 2
    return s


@case(1.5)
def floordiv_mod(x):
    s = x * 3
    t = s // 2
    s %= 2
    return s * x + t


@case(1.5)
def latebind(x):
    k = 2.0

    def g(y):
        return k * y
    a = g(x)
    k = x
    return a + g(x)


@case(1.5)
def latebind_loop(x):

    def g(y):
        return k * y
    s = 0.0
    for i in range(3):
        k = x + i
        s = s + g(x)
    return s


@case(1.5)
def defaults_at_def(x):
    k = 2.0 * x

    def g(y, k=k):
        return k * y
    k = 5.0
    return g(x) + g(x, k=3.0)


@case(1.5)
def functions_in_tuple(x):
    fs = (lambda y: y * x, math.sin, lambda y: y + 1)
    t = x
    for f in fs:
        t = f(t)
    return t


@case(1.5)
def function_result(x):

    def make(a):

        def g(y):
            return a * y
        return g
    f, g = (make(x), make(2.0))
    return f(g(x))


def higher(f, x):
    return f(f(x))


@case(1.5)
def function_argument(x):
    return higher(lambda y: y * x, x) + higher(np.sin, x)


@case(1.5, 2.0)
def star(x, y):

    def g(a, *rest, scale=2.0):
        s = a
        for r in rest:
            s = s * r + scale
        return s
    return g(x) + g(x, y, x, scale=y) + g(*(x, y))


@case(1.5)
@case(-1.5)
def ifelse(x):
    if x > 2:
        y = x * x
    elif x > 0:
        y = math.sin(x)
    else:
        y = -x
    return y * x


@case(1.5)
@case(-1.5)
def ifreturn(x):
    if x > 2:
        return x * x
    if x > 0:
        if x > 1:
            return x ** 3
        x = x + 1
    return x * 2


@case(1.5)
def condexp(x):
    return (x * x if x > 1 else x) + (1 if x > 2 else 2)


@case(1.5, 3)
def ranges(x, n):
    s = 0
    for i in range(n):
        s = s + x * i
    for i in range(1, n):
        s = s + x ** i
    for i in range(5, 0, -2):
        s = s * x + i
    return s


@case(1.5)
def zero_times(x):
    s = 0
    for i in range(0):
        s = s + x
    for i in range(5, 5):
        s = s + x
    return s + x


@case(V)
def rows_sum(v):
    s = 0
    for a in v:
        s = s + a * a
    return s


@case(M)
def rows2(m):
    s = 0.0
    for r in m:
        for a in r:
            s = s + np.sin(a)
    return s


@case(M)
def rows_acc(m):
    s = 0.0
    for r in m:
        s = s + r * r
    return np.sum(s)


@case([1.0, 2.0, 3.0])
def listarg(xs):
    s = 0.0
    for x in xs:
        s = s * x + x
    return s


@case([1.0, 2.0, 3.0], V, (1.0, 2.0))
def zips(xs, v, t):
    s = 0.0
    for a, b in zip(xs, v):
        s = s + a * b
    for (i, a), b in zip(enumerate(xs, 1), range(2)):
        s = s + a * i * b
    for i, (a, b) in enumerate(zip(xs, t), start=2):
        s = s + a * b * i
    for i, a in enumerate(v):
        s = s + a * i
    return s


@case(1.5, 4)
def loopvar_after(x, n):
    i = 7
    for i in range(n):
        x = x * 1.1
    return x * i


@case(1.5)
def loopvar_after2(x):
    for i in range(3):
        y = x * i
    return x * i + y


@case(V)
def methods(v):
    return v.sum() * v.reshape(3, 1).T.sum() + v.reshape((3, 1)).mean()


@case(M)
def indexing(m):
    s = m[0, 1] * m[-1, -1] + m[0].sum() + m[:, 1].sum() * 2 + m[..., 0].sum() + m[None, 0, ::2].sum()
    s = s + m[1][0] + m[[0, 1], [1, 2]].sum() + m[m > 0.3].sum() + m[:, [0, 2]].sum() + m[()].sum()
    return s


@case(1.5)
def boolops(x):
    a = x > 1 and x < 2
    b = x > 3 or x > 1
    c = not a
    y = x if a and b and (not c) else 0.0
    return y + (x and 2.0) + (0.0 or x)


@case(0.4)
def shortcircuit(x):
    return x if x == 0 or 1 / x > 2 else 2 * x


@case(0.4)
def shortchain(x):
    return x * 2 if 1 < x < 1 / x else x * 3


@case(1.5)
def chain(x):
    return x if 1 < x <= 2 < 3 else x * x


@case(1.5)
def walrus(x):
    if (y := (x * x)) > 2:
        return y * x
    return y


@case(1.5)
@case(0.5)
def walrus_arm(x):
    y = 1.0
    z = (y := (x * 2)) if x > 1 else 0.5
    return y * z * x


@case(1.5)
def two(x):
    f, g = (lambda x: x * 2, lambda x: x * 3)
    return f(x) * g(x)


@case(1.5)
def choice(x):
    f = math.sin if x > 1 else lambda y: y * x
    return f(x) * f(x)


@case(1.5)
@case(0.5)
def choice2(x):
    if x > 1:
        k = x * 2
        f = lambda y: y * k
    else:
        k = x * 3
        f = lambda y: y + k
    return f(x)


def pick(x):
    if x > 1:
        k = x * 2
        return lambda y: y * k
    k = x * 3
    return lambda y: y + k


@case(1.5)
@case(0.5)
def choice3(x):
    return pick(x)(x)


def pick2(x):

    def g(y):
        return y * k
    if x > 1:
        k = x * 2
        return g
    k = x * 3
    return g


@case(1.5)
@case(0.5)
def choice4(x):
    return pick2(x)(x)


def adder(a):
    return lambda y: y * a


@case(1.5)
@case(0.5)
def choice5(x):
    f = adder(x * x) if x > 1 else adder(x + 1)
    return f(x)


@case(1.5)
@case(0.5)
@case(2.5)
def choice6(x):
    f = (adder(x * x) if x > 2 else adder(x + x)) if x > 1 else math.sin
    return f(x)


@case(1.5)
def aliases(x):
    return sine(x) + xp.sin(x)


@case(1.5)
def lam_default(x):
    f = lambda y, g=lambda z: z * x: g(y) * y
    return f(x)


@case(1.5)
def nested_tuple(x):
    t = (x, (x * x, 2.0))
    t = t + (x * 3,)
    a, (b, c), d = t
    return t[0] * t[1][0] + t[-1] + a * b * c * d + len(t)


@case(1.5)
def sums(x):
    return sum([x, x * x, 1]) + sum((x, 2.0), start=1.0) + max(x, 1.0, x * x) + min(x, 2)


@case(1.5)
def kwonly(x):

    def f(a, /, b, *, c):
        return a * b * c
    return f(x, b=x, c=2.0) + f(x, x, c=x)


@case(V, 3)
def carried_array(v, n):
    s = np.zeros(3)
    for i in range(n):
        s = s + v * i
    return (s * s).sum()


@case(V, 3)
def carried_array_aug(v, n):
    s = np.zeros(3)
    for i in range(n):
        s += v * i
    return (s * s).sum()


@case(V, 2)
def loopnest(v, n):
    s = 0.0
    for i in range(n):
        t = 1.0
        for j in range(i + 1):
            t = t * v[j]
        s = s + t
    return s


@case(1.5, 2.0)
def loop_closure(x, y):

    def step(s, i):
        return s * x + i
    s = y
    for i in range(3):
        s = step(s, i)
    return s


@case(1.5)
def tuple_carry(x):
    t = (x, 1.0)
    for i in range(3):
        a, b = t
        t = (b, a + b)
    return t[0] * t[1]


@case((1.5, (2.0, V)))
def tuplearg(t):
    a, (b, v) = t
    return a * b * v.sum() + t[1][0]


@case(1.5)
def loop_if(x):
    s = 0.0
    for i in range(5):
        if i % 2 == 0:
            s = s + x * i
        elif s > 2:
            s = s - 1
    return s


@case(1.5)
def static_index(x):
    t = (x, x * x, 3.0)
    s = 0.0
    for i in range(3):
        s = s + t[i]
    return s


@case(np.float64(1.5))
def npscalar(x):
    return x * x + np.sqrt(x)


@case(np.float32(1.5), V.astype(np.float32))
def f32(x, v):
    return (v * x).sum()


@case(1.5)
@case(0.5)
def walrus_in_or(x):
    y = 1.0
    z = x > 1 or (y := x * 3) > 1
    return y * (2.0 if z else x)


@case(1.5)
def default_tuple(x):
    def f(y, t=(x, 2.0)):
        return y * t[0] * t[1]
    x = 7.0
    return f(x)


@case(2.0)
def starred(x):
    a, *b = (x, x * x, 3.0)
    *c, d = [x, 2.0]
    return a * sum(b) * c[0] * d


@case(V, 3)
def updated_in_place(v, n):
    w = v * 2
    w += v
    w *= 2
    w -= 1.0
    w /= v
    w **= 2
    s: Any = 0.0
    for i in range(n):
        s += w * i
    return s.sum()


@case(V.astype(np.float32), V)
def updated_keeps_its_dtype(a, b):
    w = a * a
    w += b
    return (w * w).sum()


def shifted(p):
    p += 1.0
    return p


@case(V)
def updated_in_a_callee(v):
    return (shifted(v * 2) * v).sum()


@case(V)
def updated_after_a_branch(v):
    w = v * 2 if v[0] > 0 else v + 1
    w += v
    return w.sum()


@case(1.5)
def lists_grow(x):
    a = [x]
    a += [x * x]
    a = a * 2 + [1.0]
    return sum(a) * len(a)


@case(1.5)
def rebound_captures(x):
    k = x
    inner = lambda y: k * y
    outer = lambda y: inner(y) + y
    a = outer(x)
    k = 2 * x
    b = outer(x)
    k = x
    return a * b * outer(2.0)


@case(1.5, 2)
def known_and_unknown_ints(x, n):
    s = x
    for i in range(n, -n, -1):
        s = s * x if i % 2 else s + i
    return s


@case(2.0, 3)
def int_powers(x, n):
    return x ** n + n ** x + 2 ** n * x


@case(1.5, [])
@case(1.5, [2.0])
def an_empty_list(x, xs):
    s = x
    for y in xs:
        s = s * y
    return s


@case(M)
def matrix_methods(m):
    return (m.T @ m).trace() + m.mean(axis=0).max() + m.ravel()[1:-1].prod() + m.shape[0] * m.size


@case([V, 2 * V], (1.0, 2.0))
def arrays_in_a_list(vs, ws):
    s = 0.0
    for v, w in zip(vs, ws):
        s = s + (v * w).sum()
    return s + len(vs) * vs[0][1]


@case(1.5)
def fibonacci_by_hand(x):
    def go(n, a, b):
        return a if n == 0 else go(n - 1, b, a + b)
    return go(6, 0.0, x)


@case(0.7)
def compose_many(x):
    def compose(*fs):
        def run(y):
            for f in fs:
                y = f(y)
            return y
        return run
    return compose(math.sin, math.exp, lambda y: y * x)(x)


# -- values that are not one number, and exceptions ------------------------------------------------------------------


def two_results(x, y):
    return {"sum": x + y}["sum"] if False else (x + y, [x, y], (), "text", None, x > y)


def of_a_range(x, n):
    return x, range(n), range(1, n, 2), len(range(n)), 2 in range(5)


def numpy_kinds(x, y, v):
    return x + 1, x * y, v[0] * y, v[0] + x, v > 0.5, v.astype(np.float32)[1] * 2.0, np.float32(x) * y


def nothing(x):
    y = x


def negative_zero(x):
    return -0.0 if x > 0 else 0.0, x * -0.0, 0.0 - x


def kinds_in_branches(x):
    return (1 if x > 0 else 2.0), (True if x > 0 else 0), ("a" if x > 0 else "a")


def isinstances(x, n, v, t):
    return (isinstance(x, float), isinstance(n, int), isinstance(v, np.ndarray), isinstance(t, tuple),
            isinstance(x, int | float), callable(abs), callable(x) if n < 0 else False)


@pytest.mark.parametrize(("f", "args"), [
    (two_results, (1.0, 2.0)), (of_a_range, (1.0, 4)), (numpy_kinds, (1.5, np.float64(2.5), V)), (nothing, (1.0,)),
    (negative_zero, (1.0,)), (negative_zero, (-1.0,)), (kinds_in_branches, (1.0,)), (kinds_in_branches, (-1.0,)),
    (isinstances, (1.0, 1, V, (1.0,))),
])
def test_values(f: Any, args: Any):
    agrees_in_value(f, *args)


def out_of_range(v):
    return v[7]


def divides_by_zero(x):
    return x / (x - x)


def divides_constants(x):
    return x + 1 / 0


def outside_the_domain(x):
    return math.sqrt(-x)


def unpacks_too_few(v):
    a, b = v
    return a * b


def shapes_do_not_fit(v):
    return v + np.ones(4)


def grows_in_place(v):
    w = v * 2
    w += np.ones((2, 3))
    return w.sum()


def ambiguous_truth(v):
    return 1.0 if v > 0 else 2.0


def overflows(x):
    return math.exp(1000.0 * x)


@pytest.mark.parametrize(("f", "args"), [
    (out_of_range, (V,)), (divides_by_zero, (1.0,)), (divides_constants, (1.0,)), (outside_the_domain, (1.0,)),
    (unpacks_too_few, (V,)), (shapes_do_not_fit, (V,)), (grows_in_place, (V,)), (ambiguous_truth, (V,)),
    (overflows, (1.0,)),
])
def test_exceptions(f: Any, args: Any):
    agrees_in_value(f, *args)


def test_what_is_not_evaluated_does_not_raise():
    def guarded(x: float) -> float:
        return x if x == 0 or 1 / x > 2 else 2 * x

    def chained(x: float) -> float:
        return x * 2 if 1 < x < 1 / x else x * 3

    def chosen(x: float) -> float:
        return 1 / x if x != 0 else x

    for f in (guarded, chained, chosen):
        agrees_in_value(f, 0.0)


COMPARED = [
    lambda x: (x, x) <= (x, x), lambda x: (x, x) < (x, x), lambda x: (x, 1) < (x, 2), lambda x: (x, 1, 2) <= (x, 1),
    lambda x: (x, 1) != (x, 1), lambda x: ((x, 1), 2) == ((x, 1), 2), lambda x: (x,) == (), lambda x: [x, 1] > [x, 0],
    lambda x: [x] == [x], lambda x: [x] == [x, x], lambda x: sorted([(x, 2), (x, 1)])[0][1],
]


@pytest.mark.parametrize("x", [V, math.nan, 1.5], ids=["array", "nan", "number"])
def test_items_that_are_one_object_are_equal(x: Any):
    """Whether they are equal was asked: of an array that has no answer, and a NaN says no."""
    for f in COMPARED:
        assert value_of(f, x) == f(x)


def test_one_function_of_the_program_for_one_signature():
    assert value_of(compose_many, 0.7) == compose_many(0.7)


# -- checks ----------------------------------------------------------------------------------------------------------


@pytest.mark.share(2)
@pytest.mark.parametrize(("f", "args"), CASES)
def test_values_and_derivatives(f: Any, args: Any):
    agrees(f, *args)
