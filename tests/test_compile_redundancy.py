"""Nothing is computed twice or for nothing, and nothing else changes: values, memory, exceptions, what is printed."""

from __future__ import annotations

import linecache
import math
import random

import numpy as np
import pytest
from checks import agrees, agrees_in_value, same, value_of
from mend_cases import loaded

import ccc
from ccc.compile.api.wrapper import Transform
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.passes.improve import improve, straight
from ccc.compile.program.lam import Block
from ccc.compile.program.numbering import Numbering
from ccc.compile.program.pretty import program_text
from ccc.compile.terms.plan import Kind, Plan, derived

X = np.array([0.5, -1.25, 2.0])


def code_of(f, *args):
    """The text of what a program becomes."""
    transform = Transform(f)
    before = set(linecache.cache)
    transform(*args)
    (name,) = [name for name in set(linecache.cache) - before if name.startswith("<ccc")]
    return "".join(linecache.getlines(name))


def cost(points, centres):
    total = 0.0
    for point in points:
        total += np.min(np.sum((centres - point) ** 2, axis=1))
    return total


def layers(x, a, b):
    for _ in range(3):
        x = np.tanh(a @ x) + b
    return x @ x


def test_value_numbers_are_found_once_for_passes_that_change_nothing(monkeypatch: pytest.MonkeyPatch):
    counted: list[int] = []
    begin = Numbering.__init__

    def counting(numbering: Numbering, block: Block) -> None:
        counted.append(1)
        begin(numbering, block)

    program = elaborate(layers, (X, np.ones((3, 3)), X)).program
    made = derived(Plan(Kind.GRADIENT, (0, 1, 2), Transform(layers).exponential), program)
    monkeypatch.setattr(Numbering, "__init__", counting)
    improve(made)
    assert len(counted) == 1
    improve(made)
    assert len(counted) == 2 and made.facts is None


def newton(points, centres):
    slope = ccc.gradient(cost, wrt="centres")
    slopes, differential = ccc.value_with_differential(slope, wrt="centres")(points, centres)
    return slopes / differential(np.ones(np.shape(centres)))


def chain(x, w):
    y = x
    for row in w:
        y = np.tanh(y * row) @ np.outer(row, row)
    return y


def columns(x, w):
    _, along = ccc.value_with_differential(chain, wrt="x")(x, w)
    return np.array([along(move) for move in np.eye(len(x))])


def test_loops_along_the_same_sequence_share_what_they_compute():
    R = np.random.default_rng(0)
    points = R.normal(size=(9, 2))
    centres = points[:3] + 0.1
    code = code_of(newton, points, centres)
    assert code.count("** 2") == 1
    assert code.count("centres - ") == 2  # to keep a difference costs more than to compute it again
    slopes = ccc.gradient(cost, wrt="centres")(points, centres)
    counts = np.bincount(np.argmin(np.sum((points[:, None] - centres) ** 2, axis=2), axis=1), minlength=3)
    np.testing.assert_allclose(newton(points, centres), value_of(newton, points, centres))
    np.testing.assert_allclose(value_of(newton, points, centres), slopes / (2 * counts[:, None]))


def test_a_jacobian_computes_the_function_once():
    w = np.random.default_rng(1).normal(size=(6, 3))
    assert code_of(columns, X, w).count("tanh") == 1
    found = value_of(columns, X, w)
    for i, move in enumerate(np.eye(3)):
        expected = (chain(X + 1e-6 * move, w) - chain(X - 1e-6 * move, w)) / 2e-6
        np.testing.assert_allclose(found[i], expected, atol=1e-8)


def bent(x, w):
    y = x
    for row in w:
        y = np.tanh(y * row) * row if row[0] > 0 else y @ np.outer(row, np.sin(row))
    return y


def bent_columns(x, w):
    _, along = ccc.value_with_differential(bent, wrt="x")(x, w)
    return np.array([along(move) for move in np.eye(len(x))])


def test_a_jacobian_computes_the_arms_of_branches_once():
    w = np.random.default_rng(1).normal(size=(6, 3))
    code = code_of(bent_columns, X, w)
    assert (code.count("tanh"), code.count("np.sin"), code.count("outer")) == (1, 1, 1)
    found = value_of(bent_columns, X, w)
    np.testing.assert_allclose(found, [ccc.value_with_differential(bent, wrt="x")(X, w)[1](e) for e in np.eye(3)])
    native = ccc.compiled(bent_columns, backend="native")(X, w)
    np.testing.assert_allclose(native, found, rtol=1e-12)


def test_what_does_not_change_in_a_loop_is_computed_before_it():
    def f(x, y, n):
        total = 0.0
        for i in range(n):
            for j in range(i):
                total += np.sum(np.sin(x) * 2.0 * y) * j
        return total

    lines = code_of(f, X, X + 1.0, 3).splitlines()
    (sine,) = [line for line in lines if "np.sin" in line]
    assert len(sine) - len(sine.lstrip()) == 4
    agrees(f, X, X + 1.0, 3)


def test_results_are_arrays_of_their_own():
    def f(x):
        return x * 2.0, x * 2.0, [x + 1.0, x + 1.0], (x + 1.0)[:2]

    a, b, (c, d), e = value_of(f, X)
    assert same((a, b, [c, d], e), f(X))
    for i, one in enumerate([a, b, c, d, e]):
        for other in [a, b, c, d, e][i + 1 :]:
            assert not np.shares_memory(one, other)


def test_sums_that_are_always_equal_stay_arrays_of_their_own():
    def f(x, n):
        a, b, c = np.zeros(3), np.zeros(3), [0.0]
        d = [0.0]
        for i in range(n):
            a += x * i
            b += x * i
            c.append(i * x[0])
            d.append(i * x[0])
        return a, b, c, d

    a, b, c, d = value_of(f, X, 3)
    assert same((a, b, c, d), f(X, 3))
    assert not np.shares_memory(a, b)
    assert c is not d


def shifted(xs, n):
    a, b, s = 1.0, 1.0, 0.0
    for i in range(n):
        a, b = b * xs[i], a * xs[i]
        s += a - b
    c, d = 1.0, 1.0
    for i in range(n):
        c, d = d * xs[i], c * xs[i] + 1e-3
        s += c * d
    return s


def nested_alike(x):
    total = 0.0
    for a in x:
        for b in x:
            for c in x:
                total += math.sin(a * b) * c + math.sin(a * a)
    for a in x:
        total += math.sin(a * a) * a
    return total


def of_unequal_lengths(x, y):
    total = 0.0
    for a, b in zip(x, y, strict=False):
        total += math.exp(a) * b
    for a in x:
        total += math.exp(a) * a
    for b, a in zip(y, x, strict=False):
        total *= math.exp(a) + b
    return total


def whiles(x, n):
    a, i = x, 0
    while i < n:
        a, i = math.sin(a) + x, i + 1
    b, j = x, 0
    while j < n:
        b, j = math.sin(b) + x, j + 1
    return a * b


def of_one_test(x, n):
    if n > 1:
        a = np.sum(np.exp(x))
        b = np.exp(x) * 2.0
    else:
        a, b = x[0], x * 3.0
    c = np.exp(x) * b if n > 1 else b * b
    return np.sum(c) * a


def carried_along(x, n):
    a, b = np.zeros(3), np.zeros(3)
    for i in range(n):
        a = a + x * i
        b = b + x * (i + 1)
    c, d = np.zeros(3), np.zeros(3)
    for i in range(n):
        d = d + x * (i + 1)
        c = c + x * i
        d = d * c
    return np.sum(a * b * c * d)


@pytest.mark.parametrize(("f", "args"), [
    (shifted, ([0.5, 1.5, -0.75], 3)), (nested_alike, ([0.5, 1.5, -0.75],)), (nested_alike, (X,)),
    (of_unequal_lengths, ([0.5, 1.5, -0.75], [0.25, -1.5])), (whiles, (0.5, 3)), (of_one_test, (X, 2)),
    (of_one_test, (X, 1)), (carried_along, (X, 3)),
], ids=lambda x: getattr(x, "__name__", ""))
def test_a_program_agrees(f, args):
    agrees(f, *args)


def reciprocals(xs, n):
    print("first")
    ys = [1.0 / x for x in xs]
    print("second")
    zs = [1.0 / x for x in xs]
    xs[n]
    return sum(ys) + sum(zs)


@pytest.mark.parametrize(("xs", "n"), [([1.0, 2.0], 1), ([1.0, 0.0], 1), ([1.0, 2.0], 5)])
def test_what_raises_still_raises_and_at_the_same_place(xs, n, capsys):
    agrees_in_value(reciprocals, xs, n)
    printed = capsys.readouterr().out.splitlines()
    assert printed == ["first"] * 2 if 0.0 in xs else ["first", "second"] * 2


def test_a_loop_that_does_not_run_raises_nothing():
    def f(x, n):
        total = 0.0
        for i in range(n):
            total += i / x + math.log(x)
        return total

    assert value_of(f, 0.0, 0) == 0.0
    agrees(f, 2.0, 3)


def test_a_derivative_of_a_loop_that_does_not_run_raises_nothing():
    def f(x, y, k, n):
        total = 0.0
        for i in range(n):
            total += x[k] * np.sum(x * y) * i / x[k]
        return total

    agrees(f, X, X + 1.0, 1, 2)
    dx, dy = ccc.gradient(f)(X, np.ones(2), 7, 0)[:2]
    assert same((dx, dy), (np.zeros(3), np.zeros(2)))


def test_an_array_from_outside_of_a_loop_is_not_changed_by_it():
    def f(x, n):
        total = 0.0
        for i in range(n):
            y = x * 2.0
            y[0] += i
            total += np.sum(y * y)
        return total

    agrees(f, X, 3)


STEPS = (
    "{a} * {b}", "{a} + {b}", "{a} / (2.0 + {b} * {b})", "math.sin({a})", "-{a}", "{a} ** 3.0", "abs({a})",
    "np.maximum({a}, {b})", "{a} * n", "n * 2 + 1", "np.where({a} > 0.0, {a}, {b})", "math.sqrt({a} * {a} + 1.0)",
    "{a} % 3.0", "float(n) * {b}", "{a} - {a}", "0.0 * {a}", "math.atan2({a}, {b} + 3.0)", "np.sign({a}) * {b}",
)


def straight_source(seed):
    """The source of a function of numbers that computes some things twice."""
    choose, names = random.Random(seed), ["x", "y"]
    lines = ["import math", "import numpy as np", "def f(x, y, n):"]
    for i in range(choose.randrange(3, 14)):
        step = choose.choice(STEPS).format(a=choose.choice(names[-4:]), b=choose.choice(names))
        lines.append(f"    v{i} = {step}")
        names.append(f"v{i}")
    return "\n".join([*lines, f"    return {names[-1]} + {choose.choice(names)} * x", ""])


@pytest.mark.parametrize("verb", [ccc.gradient, ccc.value_with_gradient, ccc.derivative])
def test_staging_leaves_nothing_to_do_in_a_straight_program_of_numbers(tmp_path, verb):
    found = 0
    for seed in range(40):
        f = loaded(tmp_path / f"straight{seed}.py", straight_source(seed))["f"]
        transform = verb(f)
        program = derived(Plan(transform.kind, (0,), transform.exponential), elaborate(f, (0.5, 0.7, 3), {}).program)
        if straight(program):
            before = program_text(program)
            improve(program, staged=False)
            assert program_text(program) == before
            found += 1
    assert found > 20


def two_loops_as_long(x, v):
    """Behind other passes the second loop is known to be as long as the first, so it runs along the same range."""
    first, a = np.tanh([v[::2]]), v
    for _ in range(len(v)):
        a = np.tanh(np.outer(v, a[::2]) @ np.array([first[-1, 0], x]))
    n = 0
    for _, _entry in enumerate(a):
        n = n if n > 2 else n + 1
    return np.sum(a) * n


def test_a_loop_runs_along_a_range_that_is_made_before_it():
    agrees(two_loops_as_long, 1.5, np.array([-1.486, -0.889, 1.064, -0.316]))


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_no_verb_gives_out_one_array_twice(backend: str) -> None:
    def f(x):
        return x.copy(), x.copy(), (x * 2.0)[1:], (x * 2.0)[:-1]

    def scalar(x):
        return x.sum(), f(x)

    (values, _), (_, differential) = [
        verb(f, backend=backend)(X) for verb in (ccc.value_with_pullback, ccc.value_with_differential)]
    given = [values, differential(X), ccc.value_with_gradient(scalar, has_aux=True, backend=backend)(X)[0][1]]
    for found in given:
        assert not any(np.shares_memory(a, b) for i, a in enumerate(found) for b in found[:i])
        found[0][0] = 7.0
        assert found[1][0] == X[0]
