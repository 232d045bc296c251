"""Any pointwise category can be staged: here two that the project does not have, jets of second order and bounds of
errors, whose meaning on numbers is compared with what the compiler makes of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import ccc
from ccc.additive import ZERO, Zero, add, dense, parts
from ccc.arrows import Const, Curry, Fix, Prim, Scan, Unfold
from ccc.categories.forward import Forward, tangents
from ccc.categories.functions import Functions, arguments
from ccc.categories.pointwise import Pointwise
from ccc.categories.reverse import Reverse
from ccc.compile.frontend.elaborate import program_of
from ccc.compile.numpy_source.emit import Emitter
from ccc.compile.numpy_source.numpy_target import load
from ccc.compile.passes.improve import improve
from ccc.compile.program.lam import Program
from ccc.compile.terms import derive
from ccc.compile.terms.abstract import abstract
from ccc.compile.terms.meaning import meaning
from ccc.compile.terms.wanted import Part
from ccc.denotation import functor
from ccc.objects import Exponential, Object, Product, Real, is_discrete
from ccc.primitives import arithmetic

Jet = tuple[Any, Any, Any]


def moved(term: Prim, ds: Sequence[Any], y: Any, xs: Sequence[Any]) -> Any:
    """The tangent of a primitive's result for tangents of its arguments."""
    if all(isinstance(d, Zero) for d in ds):
        return ZERO
    return term.primitive.differential(tuple(ds), y, *xs, **dict(term.params))


SECOND: dict[str, Callable[..., Any]] = {
    "mul": lambda ds, y, *xs: ZERO if any(isinstance(d, Zero) for d in ds) else 2.0 * (ds[0] * ds[1]),
    "math.sin": lambda ds, y, x: ZERO if isinstance(ds[0], Zero) else -y * (ds[0] * ds[0]),
    "math.exp": lambda ds, y, x: ZERO if isinstance(ds[0], Zero) else y * (ds[0] * ds[0]),
}
"""The second derivatives of primitives along a tangent; that of the others here is zero."""


class Jets(Pointwise):
    """`x |-> (y, dy, ddy)` along a curve through x. A function is one of jets, in which those that it captured are."""

    def of(self, a: Object) -> Object:
        return Product((a, tangents(a), tangents(a)))

    def terminal(self, a: Object) -> Any:
        return lambda x: ((), ZERO, ZERO)

    def prod(self, *arrows: Any) -> Any:
        return lambda x: tuple(zip(*[f(x) for f in arrows], strict=True))

    def proj(self, a: Product, index: int) -> Any:
        size = len(a.parts)
        return lambda x: (x[0][index], parts(x[1], size)[index], parts(x[2], size)[index])

    def curry(self, body: Any, term: Curry) -> Any:
        return lambda t: (lambda s: body(tuple(zip(t, s, strict=True))), ZERO, ZERO)

    def eval(self, function: Exponential) -> Any:
        return lambda x: x[0][0]((x[0][1], parts(x[1], 2)[1], parts(x[2], 2)[1]))

    def const(self, term: Const) -> Any:
        return lambda x: (self.base.const(term.value, term.cod), ZERO, ZERO)

    def primitive(self, term: Prim) -> Any:
        def jet(x: Jet) -> Jet:
            xs = arguments(x[0], term.dom)
            ds, es = [parts(d, len(xs)) if isinstance(term.dom, Product) else (d,) for d in x[1:]]
            y = self.base.apply(term.primitive, xs, dict(term.params), term.label)
            if is_discrete(term.cod):
                return y, ZERO, ZERO
            ds, es = [tuple([ZERO if d == () else dense(d) for d in dxs]) for dxs in (ds, es)]
            second = SECOND[term.primitive.name](ds, y, *xs) if term.primitive.name in SECOND else ZERO
            return y, moved(term, ds, y, xs), add(moved(term, es, y, xs), second)

        return jet

    def filled(self, x: Jet) -> Jet:
        zero = self.base.zero_of(x[0])
        return x[0], add(zero, x[1]), add(zero, x[2])

    def cond(self, test: Any, then: Any, orelse: Any) -> Any:
        return lambda x: self.base.cond(test(x)[0], lambda: self.filled(then(x)), lambda: self.filled(orelse(x)))

    def scan(self, body: Any, term: Scan) -> Any:
        lists, outputs = term.dom.parts[2], term.cod.parts[1]
        assert isinstance(lists, Product) and isinstance(outputs, Product)
        count, width = len(lists.parts), len(outputs.parts)

        def loop(x: Jet) -> Jet:
            g, init, xs = zip(x[0], parts(x[1], 3), parts(x[2], 3), strict=True)

            def step(s: Jet, e: tuple[Any, ...]) -> Any:
                items = e[:count], e[count : 2 * count], e[2 * count :]
                return self.split(body(tuple(zip(g, s, items, strict=True))), width)

            sequences = (*xs[0], *parts(xs[1], count), *parts(xs[2], count))
            return self.joined(self.base.scan(step, self.filled(init), sequences, 3 * width, term.reverse), width)

        return loop

    def unfold(self, test: Any, body: Any, term: Unfold) -> Any:
        outputs = term.cod.parts[1]
        assert isinstance(outputs, Product)
        width = len(outputs.parts)

        def loop(x: Jet) -> Jet:
            g, init = zip(x[0], parts(x[1], 2), parts(x[2], 2), strict=True)
            return self.joined(self.base.iterate(
                lambda s: test(tuple(zip(g, s, strict=True)))[0],
                lambda s: self.split(body(tuple(zip(g, s, strict=True))), width), self.filled(init), 3 * width,
            ), width)

        return loop

    def split(self, x: Jet, width: int) -> Any:
        """The state and the outputs, in one row, of what a loop's body gives."""
        (s, ys), (ds, dys), (es, eys) = x[0], parts(x[1], 2), parts(x[2], 2)
        return self.filled((s, ds, es)), (*ys, *parts(dys, width), *parts(eys, width))

    def joined(self, found: Any, width: int) -> Jet:
        (s, ds, es), columns = found
        return (s, columns[:width]), (ds, columns[width : 2 * width]), (es, columns[2 * width :])

    def fix(self, body: Any, term: Fix) -> Any:
        def knot(t: Jet) -> Jet:
            def unrolled(s: Jet) -> Jet:
                captured = zip(t, (lambda s: apply(self.filled(s)), ZERO, ZERO), strict=True)
                return self.filled(body(tuple(zip(captured, s, strict=True))))

            apply = self.base.recursive(unrolled, f"{term.name}_jet", Exponential(
                self.of(term.cod.dom), self.of(term.cod.cod)))
            return (lambda s: apply(self.filled(s))), ZERO, ZERO

        return knot


class Errors(Forward):
    """Values with bounds of their errors, to first order: what each argument may be off moves the result."""

    def primitive(self, term: Prim) -> Any:
        def bounded(x: Any) -> Any:
            xs = arguments(x[0], term.dom)
            ds = parts(x[1], len(xs)) if isinstance(term.dom, Product) else (x[1],)
            y = self.base.apply(term.primitive, xs, dict(term.params), term.label)
            bound: Any = ZERO
            for i, d in enumerate(ds):
                if not is_discrete(term.cod) and d != () and not isinstance(d, Zero):
                    alone = [dense(d) if i == j else ZERO for j in range(len(ds))]
                    change = moved(term, alone, y, xs)
                    bound = add(bound, arithmetic.absolute(change) if isinstance(term.cod, Real) else change)
            return y, bound

        return bounded


def polynomial(x: float) -> float:
    return x * x * x - 2.0 * x


def branches(x: float) -> float:
    if x > 1.0:
        y = math.sin(x) * x
    elif x > 0.0:
        y = 3.0
    else:
        y = -x
    return y * y


def loop(x: float) -> float:
    s = 1.0
    for i in range(5):
        s = s * x + i if s < 10.0 else s - math.exp(x)
    return s


def loop_with_outputs(x: float) -> float:
    s, found = x, [x]
    for i in range(4):
        s = s * x
        found.append(s * i)
    total = 0.0
    for y in found:
        total = total + y * y
    return total


def while_(x: float) -> float:
    y, n = x, 0
    while y < 20.0 and n < 6:
        y = y * y + 1.0 if n < 2 else y + x
        n = n + 1
    return y


def while_with_outputs(x: float) -> float:
    y, found = x, [1.0]
    while y < 20.0:
        y = y + x * x + 1.0
        found.append(math.sin(y))
    return sum(found) * found[-1]


def closures(x: float) -> float:
    def twice(f: Callable[[float], float], y: float) -> float:
        return f(f(y))

    return twice(lambda y: y * x + 1.0, twice(math.sin, x))


def recursion(x: float) -> float:
    def power(n: int, y: float) -> float:
        return y if n < 1 else power(n - 1, y * x) + y

    return power(4, x + 1.0)


PROGRAMS = [polynomial, branches, loop, loop_with_outputs, while_, while_with_outputs, closures, recursion]
POINTS = (-0.75, 0.5, 1.25, 3.0)


def staged(f: Callable[[float], float], k: Pointwise) -> Callable[[Any], Any]:
    """The code of what a function of a number means in a category."""
    program = meaning(program_of(f, (1.0,)), k)
    improve(program)
    return load(Emitter(program).emitted())


def values(y: Any) -> Any:
    """Numbers for symbolic zeros."""
    return tuple([0.0 if isinstance(part, Zero) else part for part in y]) if isinstance(y, tuple) else y


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize(("k", "beside"), [(Functions(), ()), (Forward(), (1.0,)), (Errors(), (0.5,)),
                                           (Jets(), (1.0, 0.0)), (Jets(), (0.5, 2.0))],
                         ids=lambda given: type(given).__name__ if isinstance(given, Pointwise) else "")
def test_the_staged_meaning_is_the_one_on_numbers(f: Any, k: Pointwise, beside: tuple[float, ...]):
    code, on_numbers = staged(f, k), functor(k, abstract(program_of(f, (1.0,))))
    for x in POINTS:
        argument = (x, *beside) if beside else x
        assert code(argument) == pytest.approx(values(on_numbers(argument)), rel=1e-13)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_jets_hold_the_first_two_derivatives(f: Any):
    code, slope = staged(f, Jets()), ccc.derivative(f)
    curvature = ccc.derivative(lambda x: slope(x))
    for x in POINTS:
        assert code((x, 1.0, 0.0)) == pytest.approx((f(x), slope(x), curvature(x)), rel=1e-12)


@pytest.mark.parametrize("f", [loop, while_, recursion], ids=lambda f: f.__name__)
def test_the_program_of_a_derivative_has_a_meaning_as_any(f: Any):
    def gradient() -> Program:
        return derive.reverse(program_of(f, (1.0,)), (Part(0),), Reverse(), True, False)

    code, on_numbers = load(Emitter(meaning(gradient(), Forward())).emitted()), functor(Forward(), abstract(gradient()))
    for x in POINTS:
        assert code((x, 1.0)) == pytest.approx(values(on_numbers((x, 1.0))), rel=1e-13)
        assert code((x, 1.0))[0] == pytest.approx(ccc.gradient(f)(x), rel=1e-13)


def test_errors_do_not_cancel():
    assert staged(lambda x: x * x - x, Errors())((3.0, 0.5)) == (6.0, 3.5)


def test_a_staged_meaning_has_no_trace_of_the_category():
    program = meaning(program_of(closures, (1.0,)), Jets())
    assert not any(let.op.blocks for let in program.block.lets)
