"""Each rule of simplification rewrites a program and leaves its twin alone; the exact ones keep every bit."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from test_ccc_primitives_samples import SAMPLES

from ccc.compile.numpy_source.emit import Emitter
from ccc.compile.numpy_source.numpy_target import load
from ccc.compile.program import simplify
from ccc.compile.program.lam import Program, Var
from ccc.compile.program.pretty import program_text
from ccc.compile.program.simplify import RULES, Rule
from ccc.compile.terms.readback import finished
from ccc.compile.terms.staging import Staging
from ccc.laws.staging import Unsimplified
from ccc.objects import REAL, Array, Object
from ccc.primitives import arithmetic
from ccc.primitives.broadcasting import broadcast_like, unbroadcast
from ccc.primitives.elementary_math import exp, tanh
from ccc.primitives.elementary_numpy import cosh
from ccc.primitives.guarded import both0, over0, times0, unit, where_real
from ccc.primitives.primitive import Primitive
from ccc.primitives.registry import PRIMITIVES

Body = Callable[[Any, Any], Any]
ROW, ROWS = Array("float64", ("n",)), Array("float64", ("n", "n"))

CASES: dict[str, tuple[Body, Body, tuple[Object, Object], str]] = {
    "spread-factor": (
        lambda x, y: broadcast_like(x, y) * y, lambda x, y: broadcast_like(x, y) * x, (REAL, ROW), "x * y"),
    "times-one": (lambda x, y: 1.0 * (x * y), lambda x, y: 2.0 * (x * y), (REAL, REAL), "x * y"),
    "times-minus-one": (lambda x, y: x * -1.0 + y, lambda x, y: x * -2.0 + y, (REAL, REAL), "-x; t + y"),
    "negated-factor": (lambda x, y: -x * y, lambda x, y: exp(x) * y, (REAL, REAL), "x * y; -t"),
    "negated-term": (lambda x, y: x * y + -y, lambda x, y: x + -y, (REAL, REAL), "x * y; t - y"),
    "sum-of-negated": (
        lambda x, y: unbroadcast(-x, y), lambda x, y: unbroadcast(x, y), (ROWS, ROW), "unbroadcast(x, y); -t"),
    "negation": (lambda x, y: -(-x * y), lambda x, y: -(x * y), (REAL, REAL), "x * y"),
    "quotient": (
        lambda x, y: over0(x, cosh(y)), lambda x, y: over0(x, y), (ROW, ROW), "np.cosh(y); x / t"),
    "unit": (
        lambda x, y: unit(x, exp(y) + 1.0), lambda x, y: unit(x, exp(y)), (REAL, REAL),
        "math.exp(y); t + 1.0; x / t2"),
    "product": (lambda x, y: times0(x, tanh(y)), lambda x, y: times0(x, y), (REAL, REAL), "math.tanh(y); x * t"),
    "one-strong": (
        lambda x, y: both0(tanh(x), y), lambda x, y: both0(x, y), (REAL, REAL), "math.tanh(x); times0(y, t)"),
    "real-power": (
        lambda x, y: where_real(x, exp(y), 0.5) * y, lambda x, y: where_real(x, y, 0.5), (REAL, REAL),
        "x * y"),
}  # fmt: skip
"""What a rule rewrites, what it leaves alone, the types of both arguments, and the lets that it gives."""

EDGES = (0.0, -0.0, 1.0, -1.5, 1e-300, -3e300, math.inf, -math.inf, math.nan)


def recorded(f: Body, objects: tuple[Object, Object], staging: Callable[[], Staging] = Staging) -> Program:
    st = staging()
    x, y = [st.param(st.block, name, a) for name, a in zip("xy", objects, strict=True)]
    return finished("f", [("x", x), ("y", y)], st.block, st.atom(f(x, y)))


def lets_of(program: Program) -> str:
    return "; ".join(line.partition(" = ")[2] for line in program_text(program).splitlines()[1:-1])


@pytest.fixture(params=RULES, ids=lambda rule: rule.name)
def rule(request: Any, monkeypatch: Any) -> Rule:
    """One rule, which is the only one meanwhile."""
    monkeypatch.setattr(simplify, "_OF", {request.param.of: (request.param,)})
    return request.param


def test_a_rule_rewrites_a_program_and_leaves_its_twin_alone(rule: Rule) -> None:
    f, twin, objects, after = CASES[rule.name]
    assert lets_of(recorded(f, objects)) == after != lets_of(recorded(f, objects, Unsimplified))
    assert lets_of(recorded(twin, objects)) == lets_of(recorded(twin, objects, Unsimplified))


def test_a_product_of_two_spread_numbers_has_their_shape() -> None:
    program = recorded(lambda x, y: broadcast_like(x, y) * broadcast_like(2.0, y), (REAL, ROW))
    assert load(Emitter(program).emitted())(3.0, np.zeros(2)).tolist() == [6.0, 6.0]


def test_every_rule_has_a_program() -> None:
    assert list(CASES) == [rule.name for rule in RULES]


def values(a: Object) -> list[Any]:
    if a == REAL:
        return list(EDGES)
    shape = (2,) if a == ROW else (2, 2)
    rows = [np.array([x, y]) for x, y in product(EDGES, repeat=2)]
    return rows if shape == (2,) else [np.array([row, row[::-1]]) for row in rows]


def bits(x: Any) -> list[bytes]:
    """The bits of numbers; one NaN is as good as another."""
    return [b"nan" if n != n else struct.pack("d", n) for n in np.ravel(x)]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_an_exact_rule_keeps_every_bit_and_another_one_does_not(rule: Rule) -> None:
    f, _, objects, _ = CASES[rule.name]
    run, plain = [load(Emitter(recorded(f, objects, staging)).emitted()) for staging in (Staging, Unsimplified)]
    same = []
    for x, y in product(*map(values, objects)):
        try:
            expected = plain(x, y)
        except OverflowError:
            continue
        same.append(bits(run(x, y)) == bits(expected))
    assert len(same) > 40 and all(same) == rule.exact


def of_numbers(p: Primitive) -> list[tuple[Any, ...]]:
    """The samples of a primitive that are numbers alone."""
    return [s.args for s in SAMPLES.get(p.name, ()) if not s.params and {type(x) for x in s.args} <= {int, float}]


@pytest.mark.parametrize("p", [p for p in PRIMITIVES if of_numbers(p)], ids=lambda p: p.name)
def test_what_has_constants_alone_is_computed_where_it_is_exact(p: Primitive) -> None:
    for args in of_numbers(p):
        st = Staging()
        found, value = st.apply(p, args, {}, None), p.value(*args)
        if p.exact and type(value) in (int, float):
            assert (type(found), bits(found)) == (type(value), bits(value)) and not st.block.lets
        else:
            assert isinstance(found, Var) and len(st.block.lets) == 1


def test_what_raises_of_constants_is_left_to_the_run() -> None:
    assert isinstance(Staging().apply(arithmetic.div, (1.0, 0.0), {}, None), Var)
