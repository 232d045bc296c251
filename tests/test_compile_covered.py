"""A `while` loop that computes part of another one goes; values, exceptions and what is printed stay."""

from __future__ import annotations

import contextlib
import io
import linecache
import math
import random

import numpy as np
import pytest
from checks import agrees, agrees_in_value, value_of
from random_programs import Program

import ccc
from ccc.compile.api.wrapper import Transform


def code_of(f, *args):
    """The text of what a program becomes, run once."""
    transform = Transform(f, backend="numpy")
    before = set(linecache.cache)
    with contextlib.suppress(ArithmeticError):
        transform(*args)
    (name,) = [name for name in set(linecache.cache) - before if name.startswith("<ccc")]
    return "".join(linecache.getlines(name))


def loops(f, *args):
    return code_of(f, *args).count("while ")


def root(x):
    y = x
    while abs(y * y - x) > 1e-12:
        y = 0.5 * (y + x / y)
    return y


def value_and_slope(x):
    value, differential = ccc.value_with_differential(root)(x)
    return value, differential(1.0)


def value_and_slopes(x):
    value, pullback = ccc.value_with_pullback(root)(x)
    return value, root(x), pullback(1.0), ccc.gradient(root)(x)


def test_a_value_and_a_derivative_are_one_loop():
    assert loops(value_and_slope, 2.0) == 1
    assert loops(value_and_slopes, 2.0) == 1
    value, slope = value_of(value_and_slope, 2.0)
    assert value == root(2.0) and slope == pytest.approx(0.5 / math.sqrt(2.0), rel=1e-14)
    agrees(lambda x: math.prod(value_and_slope(x)), 2.0)
    agrees_in_value(value_and_slopes, 3.0)


def test_in_the_order_of_what_raises():
    def f(x):
        a, n = x, 0
        while n < 4:
            a = 1.0 / (a - 1.0)
            n += 1
        print("between")
        b, c, m = x, 0.5, 0
        while m < 4:
            b = 1.0 / (b - 1.0)
            c = c * b
            m += 1
        return a, b, c

    assert loops(f, 0.25) == 1
    for x in (0.25, 1.0, 2.0, 1.5):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            agrees_in_value(f, x)
        assert printed.getvalue().count("between") in (0, 2)


def of_another_start(x):
    a, b, n = x, 0.0, 0
    while n < 4:
        a, n = math.sin(a) + 0.5, n + 1
    m = 0
    while m < 4:
        b, m = math.sin(b) + 0.5, m + 1
    return a, b


def of_another_test(x):
    a, b, n = x, x, 0
    while n < 4:
        a, n = math.sin(a) + 0.5, n + 1
    m = 0
    while m < 5:
        b, m = math.sin(b) + 0.5, m + 1
    return a, b


def of_another_step(x):
    a, b, n = x, x, 0
    while n < 4:
        a, n = math.sin(a) + 0.5, n + 1
    m = 0
    while m < 4:
        b, m = math.sin(b) - 0.5, m + 1
    return a, b


def of_the_first(x):
    a, b, n = x, x, 0
    while n < 4:
        a, n = math.sin(a) + 0.5, n + 1
    c, m = 0.0, 0
    while m < 4:
        b, c, m = math.sin(b) + 0.5, c + a, m + 1
    return a, b, c


def raising_in_more(x):
    a, n = x, 0
    while n < 4:
        a, n = math.sin(a) + 0.5, n + 1
    print("between")
    b, c, m = x, x, 0
    while m < 4:
        b, c, m = math.sin(b) + 0.5, 1.0 / (c - 1.0), m + 1
    return a, b, c


@pytest.mark.parametrize("f", [of_another_start, of_another_test, of_another_step, of_the_first, raising_in_more])
def test_others_stay(f):
    assert loops(f, 0.25) == 2
    for x in (0.25, 1.0, 2.0):
        agrees_in_value(f, x)


def test_arrays_that_are_handed_out_stay_two():
    def f(x):
        a, n = x, 0
        while n < 3:
            a, n = a * 0.5 + 1.0, n + 1
        b, m = x, 0
        while m < 3:
            b, m = b * 0.5 + 1.0, m + 1
        return a, b

    a, b = value_of(f, np.ones(3))
    assert not np.shares_memory(a, b)
    agrees_in_value(f, np.ones(3))


def test_a_derivative_does_not_raise_for_a_loop_that_does_not_run():
    def steps(x, n):
        y = x
        while n > 0:
            y, n = y + math.log(x), n - 1
        return y

    def f(x, n, k):
        _, differential = ccc.value_with_differential(steps, wrt="x")(abs(x) + 1.0, n)
        slope, y = differential(1.0), 0.0
        if k > 0:
            y = steps(x, n)
        return slope, y

    for x, n, k in ((2.0, 3, 1), (2.0, 3, 0), (-2.0, 3, 0), (0.0, 0, 1)):
        assert value_of(f, x, n, k)[0] == pytest.approx(1.0 + n / (abs(x) + 1.0))
    with pytest.raises(ValueError, match="math domain error|positive input"):
        value_of(f, -2.0, 3, 1)


STEPS = [
    "{a} = {a} + 0.5 * {b}", "{b} = math.sin({a})", "{b} = 1.0 / ({a} - k)", "{a} = {b} * {b} - {a}",
    "{a} = {a} if {a} > {b} else {b}", "if {a} > {b}:\n    {a} = {a} - {b}\nelse:\n    {b} = {b} - 1.0 / ({a} - k)",
    "for {i} in xs:\n    {a} = {a} * 0.5 + {i}", "{a} = float(np.sum(np.array([{a}, k]) * {b}))",
    "for {i} in xs:\n    {b} = {b} + {i} * y",
]  # fmt: skip


def two_loops(seed):
    """A program with two loops, the second made from the first by leaving it as it is or changing a little; perhaps in
    one more loop, or in an arm."""
    r = random.Random(seed)
    steps = [r.choice(STEPS) for _ in range(r.randint(1, 3))]
    init, test = r.choice(["x", "0.5", "k", "y"]), r.choice(["{m} < 3", "{m} < 5 and {a} < 4.0"])
    change = r.choice(["", "", "", "more", "more", "step", "init", "test", "raises"])
    lines, parts = list[str](), list[str]()
    for part, changed in zip("pq", r.choice([("", change), (change, "")]), strict=True):
        names = {name: name + part for name in "abcim"}
        own = [*steps, "{c} = {c} * 2.0 + {a}"] if changed == "more" else list(steps)
        if changed == "raises":
            own.append("{c} = 1.0 / ({c} - 2.0)")
        if changed == "step":
            own[r.randrange(len(own))] = r.choice(STEPS)
        start = "1.5" if changed == "init" else init
        lines.append("{a}, {b}, {c}, {m} = ".format(**names) + f"{start}, 0.5, 1.0, 0")
        lines.append(f"while {'{m} < 4' if changed == 'test' else test}:".format(**names))
        body = "\n".join([*own, "{m} += 1"]).format(**names)
        lines += [f"    {line}" for line in body.splitlines()]
        if part == "p":
            lines += r.choice([[], ["print('between')"], ["t = 1.0 / bp", "print(t)"], ["k = k + 1.0"]])
        parts += [f"a{part}", f"b{part}", f"c{part}"]
    lines.append(f"total = total + {' * '.join(parts)}")
    around = r.choice(["y = x + 1.0", "for y in xs:", "y = x\nif x > k:", "y = 0.5\nfor n in range(2):"]).splitlines()
    indent = "    " if around[-1].endswith(":") else ""
    text = ["def f(x, k):", "    xs, total = [x, k, 0.25], 0.0", *[f"    {line}" for line in around]]
    text += [f"    {indent}{line}" for line in lines] + ["    return total"]
    return Program(seed, "\n".join(["import math", "import numpy as np", "", *text, ""]), [])


def outcome(f, *args):
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            found = f(*args)
        except ArithmeticError as error:
            found = type(error), str(error)
    return repr(found), printed.getvalue()


def test_random_loops_are_those_of_python():
    merged = 0
    for seed in range(80):
        program = two_loops(seed)
        f = program.load()
        merged += loops(f, 0.25, 0.75) == 1
        compiled = Transform(f, backend="numpy")
        for args in ((0.25, 0.75), (1.0, 0.5), (2.0, 2.0), (-0.5, -0.5)):
            assert outcome(compiled, *args) == outcome(f, *args), f"{program.source}\n{args}"
    assert merged > 20
