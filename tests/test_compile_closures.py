"""Functions as values: captured names, defaults, functions that take and give functions, choices of functions."""

from __future__ import annotations

import collections
import contextlib
import functools
import logging
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees, agrees_in_value

import ccc
from ccc.categories.exponentials import EXPONENTIALS
from ccc.compile.program.numbering import Numbering
from ccc.compile.terms.stage import Recorder

# The functions below are written as users write them.
# ruff: noqa: E731, B023

CASES: list[Any] = []
V = np.array([0.3, 0.7, 1.1])


def case(*args: Any) -> Callable[[Any], Any]:
    """Enter a function into the table, at these arguments."""
    def enter(f: Any) -> Any:
        CASES.append(pytest.param(f, args, id=f"{f.__name__}-{len(CASES)}"))
        return f

    return enter


def adder(a):
    return lambda y: y + a


def scaler(a):
    def scaled(y):
        return y * a

    return scaled


def picked(x):
    if x > 1:
        k = x * 2
        return lambda y: y * k
    k = x * 3
    return lambda y: y + k


def late(x):
    def g(y):
        return y * k

    if x > 1:
        k = x * 2
        return g
    k = x * 3
    return g


@case(1.5)
@case(0.5)
def a_function_from_each_return(x):
    return picked(x)(x) * late(x)(2.0)


@case(2.5)
@case(1.5)
@case(0.5)
def a_choice_of_choices(x):
    f = (adder(x * x) if x > 2 else scaler(x + x)) if x > 1 else math.sin
    return f(x) * f(2.0 * x)


@case(V)
@case(-V)
def a_choice_that_captures_arrays(v):
    def of(w):
        return lambda y: (y * w).sum()

    f = of(v * v) if v[0] > 0 else of(np.exp(v))
    return f(v) * f(2.0 * v)


@case(1.5)
@case(0.5)
def a_choice_inside_a_loop(x):
    s = x
    for i in range(4):
        f = math.sin if i % 2 == 0 else adder(x * i)
        s = f(s)
    return s


@case(1.5)
@case(0.5)
def a_choice_bound_by_a_branch(x):
    if x > 1:
        k = x * 2
        f = lambda y: y * k
    else:
        k = x * 3
        f = lambda y: y + k
    a = f(x)
    k = 1.0
    return a + f(x)


@case(1.5)
@case(0.5)
def a_choice_in_a_tuple(x):
    f, c = (adder(x), 2.0) if x > 1 else (scaler(x), 3.0)
    return f(x) * c


@case(1.5)
@case(0.5)
def a_choice_as_an_argument(x):
    def twice(g, y):
        return g(g(y))

    return twice(adder(x) if x > 1 else math.exp, x)


@case(0.9)
def captures_are_found_when_called(x):
    def outer(y):
        return inner(y) * c

    c = 2.0
    inner = lambda y: y + c
    a = outer(x)
    c = x
    inner = lambda y: y * c
    return a * outer(x)


@case(0.9)
def the_same_function_after_its_capture_came_back(x):
    k = x
    f = lambda y, n: k * y + n
    a = f(x, 1)
    k = 2 * x
    b = f(x, 2)
    k = x
    return a * b * f(x, 1) * f(x, 2)


@case(0.9)
def lambdas_in_a_loop_see_the_last_index(x):
    fs = ()
    for i in (1.0, 2.0, 3.0):
        fs = (*fs, lambda y: y * i)
    return fs[0](x) + fs[1](x) * fs[2](x)


@case(0.9)
def lambdas_in_a_loop_with_defaults(x):
    fs = ()
    for i in (1.0, 2.0, x):
        fs = (*fs, lambda y, i=i: y * i)
    return fs[0](x) + fs[1](x) * fs[2](x)


@case(0.9)
def two_lambdas_on_one_line(x):
    f, g = lambda y: y * x, lambda y: y + x
    return f(g(x)) * (lambda y: (y) if y > 0 else (x))(x)


@case(0.9)
def curried(x):
    add3 = lambda a: lambda b: lambda c: a * b + c
    return add3(x)(2.0)(x) * add3(3.0)(x)(x * x)


@case(0.9, 3)
def a_closure_over_a_carried_name(x, n):
    def step(y):
        return s * y + x

    s = 1.0
    for _ in range(n):
        s = step(s) * 0.5
    return s


@case(0.9, 3)
def a_closure_with_a_loop(x, n):
    def horner(*cs):
        s = 0.0
        for c in cs:
            s = s * x + c
        for i in range(n):
            s = s + x * i
        return s

    return horner(1.0, x, 3.0) * horner(x)


@case(0.9)
def shadowing(x):
    y = 2.0
    f = lambda x: (lambda y: x * y)(x + y)
    return f(x) * y * (lambda math: math + x)(x)


@case(0.9)
def named_arguments(x):
    def f(a, /, b, *rest, c=2.0, d):
        return a * b + c * d + sum(rest)

    return f(x, 2.0, d=x) + f(x, x, x, 3.0, d=1.0, c=x) + f(*(x, 2.0), d=2.0)


@case(V)
def array_closures(v):
    A = np.outer(v, v)
    solve = lambda b: A @ b
    return (solve(v) * solve(v * v)).sum()


module_lambdas = (lambda x: x * 2, lambda x: x * 3), {"f": lambda x: x * x}


@case(0.9)
def lambdas_of_a_module(x):
    return module_lambdas[0][0](x) * module_lambdas[0][1](x) + module_lambdas[1]["f"](x)


@case(0.9)
def derivatives_inside(x):
    f = lambda y: math.sin(y * x)
    return ccc.derivative(f)(x) * ccc.gradient(lambda y: y * y * x)(2.0)


@case(1.5, 12)
def caches(x, n):
    seen = []

    @functools.cache
    def fibonacci(k):
        return x if k < 2 else fibonacci(k - 1) + fibonacci(k - 2)

    @functools.cache
    def square(y):
        return y * y

    @functools.cache
    def noted(k):
        seen.append(k)
        return k * x

    s = fibonacci(60) * 1e-12 + noted(2) * noted(2) + noted(3)
    for i in range(n):
        s += fibonacci(i) * square(x) + square(2.0)
    fibonacci.cache_clear()
    return s + fibonacci(3) + len(seen)


@functools.cache
def binomial(n, k):
    return 1 if k in (0, n) else binomial(n - 1, k - 1) + binomial(n - 1, k)


@case(1.5)
def cache_of_a_module(x):
    return x * binomial(40, 20) * 1e-9


def equal_by_chance(x, y):
    square = functools.cache(lambda z: z * z)
    return square(x) + 3.0 * square(y)


def test_a_cache_by_real_numbers_has_the_derivative_of_each_call():
    assert ccc.gradient(equal_by_chance)(2.0, 2.0) == (4.0, 12.0)


class Counted:
    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.function, self.calls = function, 0

    def __call__(self, *args):
        self.calls += 1
        return self.function(*args)


@case(1.5)
def decorators(x):
    def scaled(function):
        @functools.wraps(function)
        def inner(*args):
            return function(*args) * x
        return inner

    @scaled
    def square(y):
        """The square."""
        return y * y

    @Counted
    def cube(y):
        return y * y * x

    assert (square.__name__, square.__doc__) == ("square", "The square.")
    assert cube.__name__ == "cube"  # type: ignore[attr-defined]
    return square.__call__(x) + square.__wrapped__(x) + math.sin.__call__(cube(x) + cube(2.0)) * cube.calls


@case(1.5)
def context_managers(x):
    steps = []

    @contextlib.contextmanager
    def noted(k):
        steps.append(k)
        try:
            yield k * x
        finally:
            steps.append(x)

    with noted(2.0) as a, noted(a) as b:
        s = a * b * steps[1]
    return s + sum(steps)


@case(1.5)
def a_logger_of_its_own(x):
    log = logging.getLogger("closures")
    log.debug("x is %s", x)
    return x * x


class Scaled:
    __rate = 2.0

    def __init__(self, value):
        self.__value = value
        self.__step()

    def __step(self):
        self.__value = self.__value * self.__rate

    @property
    def value(self):
        return self.__value


class Shifted(Scaled):
    def __init__(self, value):
        super().__init__(value)
        self.__value = 3.0

    def both(self):
        return self.__value * self.value


@case(1.5)
def private_names(x):
    """Two of one name, in a class and in its base, were one."""
    return Scaled(x).value * Shifted(x).both()


def nested(x):
    s = x
    for a in range(2):
        for b in range(2):
            for c in range(2):
                for d in range(2):
                    for e in range(2):
                        for f in range(2):
                            for g in range(2):
                                for h in range(2):
                                    s = s + x * (a + b + c + d + e + f + g + h)
    return s


def test_what_is_done_for_nested_loops_does_not_double_with_each(monkeypatch: pytest.MonkeyPatch):
    """Each fixed point began from nothing for each step of the one around it."""
    done = collections.Counter()

    def counting(cls: Any, name: str):
        plain = getattr(cls, name)
        monkeypatch.setattr(cls, name, lambda *args: (done.update([name]), plain(*args))[1])

    counting(Recorder, "again")
    counting(Numbering, "loop")
    assert ccc.gradient(nested, backend="numpy")(1.5) == 1.0 + 256 * 4
    assert done["again"] < 64 and done["loop"] < 128, done


@pytest.mark.share(2)
@pytest.mark.parametrize(("f", "args"), CASES)
def test_values_and_derivatives(f: Any, args: Any):
    agrees(f, *args)


@pytest.mark.parametrize("f", [*module_lambdas[0], module_lambdas[1]["f"], lambda x: x, lambda x: (x)+(1), lambda x: (
    x * x)])
def test_lambdas_are_told_apart(f: Any):
    agrees_in_value(f, 3.0)


def functions_compare_by_identity(x):
    f = math.sin
    return (1.0 if f is math.sin else 2.0), (1.0 if f is not math.cos else 2.0), callable(f), f == math.sin


def test_functions_as_known_values():
    agrees_in_value(functions_compare_by_identity, 1.0)


def closure_in_a_loop(w, xs):
    cell = lambda h, x: (w * h + x) ** 2
    h = 0.1
    for x in xs:
        h = cell(h, x)
    return h


@pytest.mark.parametrize(("word", "exponential"), EXPONENTIALS.items())
def test_exponentials_are_named_by_words(word: str, exponential: Any):
    args = 0.5, [1.0, 2.0]
    for verb in (ccc.gradient, ccc.value_with_gradient):
        found = verb(closure_in_a_loop, exponential=word)(*args)
        assert found == verb(closure_in_a_loop, exponential=exponential)(*args)
    value, pullback = ccc.value_with_pullback(closure_in_a_loop, exponential=word)(*args)
    assert (value, pullback(1.0)) == ccc.value_with_gradient(closure_in_a_loop)(*args)
    assert ccc.Reverse(word).exponential is exponential
    found = ccc.gradient(closure_in_a_loop, exponential=type(exponential))(*args)
    assert found == ccc.gradient(closure_in_a_loop)(*args)


@pytest.mark.parametrize("given", ["sum", "Delta", int, 3])
def test_what_is_no_exponential_is_refused(given: Any):
    with pytest.raises(ccc.CCCError, match="is no exponential") as raised:
        ccc.gradient(closure_in_a_loop, exponential=given)
    assert raised.value.code == "CC070" and "'additive'" in str(raised.value)
    with pytest.raises(ccc.CCCError, match="is no exponential"):
        ccc.Reverse(given)
