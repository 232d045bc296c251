"""Nested functions stand in the place of their calls where that shares what they compute, and nothing else changes."""

from __future__ import annotations

import linecache
import math

import pytest
from checks import agrees, agrees_in_value, value_of

import ccc
from ccc.compile.api.wrapper import Transform
from ccc.compile.frontend.elaborate import program_of
from ccc.compile.numpy_source.numpy_target import NUMPY
from ccc.compile.passes.inlining import copy_of_program
from ccc.compile.program.lam import Lambda
from ccc.compile.program.verify import verify


def code_of(f, *args):
    """The text of what a program becomes."""
    transform = Transform(f, backend="numpy")
    before = set(linecache.cache)
    transform(*args)
    (name,) = [name for name in set(linecache.cache) - before if name.startswith("<ccc")]
    return "".join(linecache.getlines(name))


def test_a_function_that_is_called_once_shares_what_is_around_it():
    def f(x):
        def inner(y):
            return math.sin(x) * y

        return math.sin(x) + inner(x)

    code = code_of(f, 0.5)
    assert code.count("def ") == 1 and code.count("math.sin") == 1
    agrees(f, 0.5)


def test_a_function_that_is_called_twice_stays():
    def f(x):
        def inner(y):
            return math.sin(x) * y

        return inner(x) + inner(x + 1.0)

    assert code_of(f, 0.5).count("def ") == 2
    agrees(f, 0.5)


def test_of_a_call_that_gives_nothing_what_raises_stays(capsys):
    def f(x, y):
        def inner(z):
            s = math.sin(z)
            return s / y

        print("before")
        _ = inner(x)
        print("behind")
        return inner(x + 1.0) + inner(x + 2.0)

    code = code_of(f, 0.5, 2.0)
    assert code.count("inner(") == 3  # one of them defines it
    capsys.readouterr()
    for y in (2.0, 0.0):
        agrees_in_value(f, 0.5, y)
        assert capsys.readouterr().out == ("before\nbehind\n" if y else "before\n") * 2


def test_functions_that_call_themselves_stay():
    def f(x, n):
        def power(k):
            return 1.0 if k == 0 else x * power(k - 1)

        power(1)
        return power(n)

    assert value_of(f, 2.0, 5) == 32.0
    assert ccc.gradient(f, wrt="x", backend="numpy")(2.0, 5) == 80.0


def test_a_function_in_a_function_and_in_a_loop():
    def f(x, n):
        total = 0.0
        for i in range(n):
            def outer(y):
                def inner(z):
                    return z * x

                return inner(y) * y

            total += outer(x + i)
        return total

    assert code_of(f, 0.5, 3).count("def ") == 1
    agrees(f, 0.5, 3)


@pytest.mark.parametrize("flag", [True, False])
def test_a_function_in_an_arm(flag):
    def f(x, flag):
        y = x
        if flag:
            def inner(z):
                return math.exp(z) / x

            y = inner(y) + math.exp(y)
        return y

    assert code_of(f, 0.5, flag).count("math.exp") == 1
    agrees_in_value(f, 0.5, flag)
    agrees_in_value(f, 0.0, flag)


def test_a_copy_has_variables_of_its_own_for_what_a_function_reads_that_is_bound_behind_it() -> None:
    def f(x: float) -> float:
        y = x * 2.0

        def g(t: float) -> float:
            return t * y if t > 0.5 else t + y

        return g(x) + g(y)

    program = program_of(f, (1.5,))
    lets = program.block.lets
    (made,) = [let for let in lets if isinstance(let.op, Lambda)]
    lets.remove(made)
    lets.insert(0, made)
    verify(program)
    copy = copy_of_program(program)
    verify(copy)
    assert NUMPY.lower(copy, False, ()).function()(1.5) == f(1.5)
