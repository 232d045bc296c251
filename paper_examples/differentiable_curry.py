"""*The Differentiable Curry* (Martin Abadi, Dan Belov, Gordon Plotkin, Richard Wei, Dimitrios Vytiniotis), slides.

"AD by lifting primitives equipped with pullbacks", "Reverse-mode AD in one slide", "Recipe for AD: compile first to CCC
algebra", "AD and Higher-Order Functions" (the recurrent network), "Results (I)" and "(II)" (what they cost and what the
cotangent of a closure is), "CCC theorems", "Not just theory, curry is a Swift IL (SIL) instruction" (`papply`),
"Dependent types?" (`AnyDerivative`) and "Artificial exponentials".
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

import ccc
from ccc.additive import ZERO, add, is_zero
from ccc.arrows import Curry, Fix, postorder
from ccc.categories.exponentials import Opaque
from ccc.errors import CotangentMismatch
from ccc.objects import REAL, Exponential, Object, Product
from ccc.primitives.arithmetic import add as plus, less, mul as times, neg, sub
from ccc.probes import materialised, vjp
from paper_examples.example import CURRIES, ROUNDING, Example, Outcome, claimed, close, compared, refusal, short

DOCUMENT = "The Differentiable Curry"
EXACT = ccc.Host(Fraction)
HALF = Fraction(1, 2)
PAIR = Product((REAL, REAL))
FUNCTION = Exponential(REAL, REAL)


# -- AD by lifting primitives equipped with pullbacks --------------------------------------------------------------


def mult(x: Any, y: Any) -> Any:
    return x * y


def mult_by_itself(x: Any) -> Any:
    return mult(x, x)


def mult_d(x: Any, y: Any) -> tuple[Any, Callable[[Any], Any]]:
    """`multD(x,y) = (x*y, \\g->(g*y, g*x))`."""
    return x * y, lambda g: (g * y, g * x)


def lifted_mult() -> Outcome:
    x, y = Fraction(3, 2), Fraction(-5, 7)
    checks = []
    for exponential in CURRIES:
        value, pullback = ccc.value_with_pullback(mult, exponential=exponential)(x, y)
        by_hand, pullback_by_hand = mult_d(x, y)
        checks.append((f"multD with {exponential.name}: the value", value == by_hand))
        for g in (Fraction(1), Fraction(0), Fraction(-2, 3)):
            checks.append((f"multD with {exponential.name}: the pullback of {g}", pullback(g) == pullback_by_hand(g)))
    return compared(mult, x, y, expected=(Fraction(-15, 14), (y, x)), checks=checks)


# -- Reverse-mode AD in one slide ----------------------------------------------------------------------------------


def f1(x: Any) -> Any:
    return x * x + 1


def f2(v: Any) -> Any:
    return v * v * v


def g(x: Any) -> Any:
    v = f1(x)
    r = f2(v)
    return r


def g_d(x: Any, exponential: Any) -> tuple[Any, Callable[[Any], Any]]:
    """`gD`: the lifted `f1D` and `f2D`, composed."""
    v, pb_f1 = ccc.value_with_pullback(f1, exponential=exponential)(x)
    r, pb_f2 = ccc.value_with_pullback(f2, exponential=exponential)(v)

    def pullback(gt: Any) -> Any:
        gv = pb_f2(gt)
        gx = pb_f1(gv)
        return gx

    return r, pullback


def composed_pullbacks() -> Outcome:
    """`g(x) = (x^2 + 1)^3`, so `g'(x) = 6 x (x^2 + 1)^2`."""
    x = Fraction(2, 3)
    value, slope = (x**2 + 1) ** 3, 6 * x * (x**2 + 1) ** 2
    checks = []
    for exponential in CURRIES:
        r, pullback = g_d(x, exponential)
        checks.append((f"gD with {exponential.name}", (r, pullback(HALF)) == (value, slope / 2)))
    return compared(g, x, expected=(value, slope), checks=checks)


# -- Recipe for AD: compile first to CCC algebra -------------------------------------------------------------------


def f(x: Any, w: Any, b: Any) -> Any:
    r1 = x * w
    r2 = r1 + b
    return r2


def recipe() -> Outcome:
    """`prod(proj_left o mult, proj_right) o add`, over `((x, w), b)`."""
    term = ccc.arrow(f, 1.0, 1.0, 1.0)
    pair = Product((PAIR, REAL))
    as_the_slide = ccc.prod(
        ccc.proj_left(pair) >> ccc.primitive(times, REAL, REAL), ccc.proj_right(pair)
    ) >> ccc.primitive(plus, REAL, REAL)
    x, w, b = Fraction(2), Fraction(3), Fraction(5)
    checks = [("the compiled term is printed as on the slide", str(term) == "prod(proj_left o mult, proj_right) o add")]
    for exponential in CURRIES:
        value, pullback = vjp(as_the_slide, exponential=exponential, base=EXACT)(((x, w), b))
        checks.append((
            f"the slide's term, built from combinators, with {exponential.name}",
            (value, pullback(Fraction(1))) == (x * w + b, ((w, x), 1)),
        ))
    return compared(f, x, w, b, expected=(x * w + b, (w, x, Fraction(1))), checks=checks, notes=[f"f = {term}"])


# -- AD and Higher-Order Functions: a recurrent network ------------------------------------------------------------

XS = [np.array([0.5, -1.0, 0.25]), np.array([-0.3, 0.8, 1.2]), np.array([1.1, 0.4, -0.7]), np.array([0.2, -0.6, 0.9])]
START = (np.array([0.1, -0.2]), np.array([0.3, 0.05]))


def model() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Parameters of a cell with two units and three inputs: one row a gate and unit."""
    random = np.random.default_rng(8)
    return random.normal(size=(8, 3)), random.normal(size=(8, 2)), random.normal(size=8)


def sigmoid(x: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-x))


def lstm_cell(ps: Any, state: Any, x: Any) -> Any:
    w, u, b = ps
    h, c = state
    z = w @ x + u @ h + b
    c_next = sigmoid(z[2:4]) * c + sigmoid(z[0:2]) * np.tanh(z[6:8])
    h_next = sigmoid(z[4:6]) * np.tanh(c_next)
    return h_next, c_next


def rnn(xs: Any, cell_fn: Any, start: Any) -> Any:
    """The slide's, word by word, with the first state given."""

    def go(idx: int, state: Any) -> Any:
        if idx < len(xs):
            return go(idx + 1, cell_fn(state, xs[idx]))
        else:
            return state

    return loss_fn(go(0, start))


def rnn_by_loop(xs: Any, cell_fn: Any, start: Any) -> Any:
    """The slide's `go(idx, state)`, written as the loop that it is."""
    state = start
    for x in xs:
        state = cell_fn(state, x)
    return loss_fn(state)


def loss_fn(state: Any) -> Any:
    h, _ = state
    return np.sum(h * h)


def loss(ps: Any, xs: Any, start: Any) -> Any:
    """`λ ps. rnn(xs, λ h x. lstmCell(ps, h, x))`."""
    return rnn(xs, lambda h, x: lstm_cell(ps, h, x), start)


def loss_by_loop(ps: Any, xs: Any, start: Any) -> Any:
    return rnn_by_loop(xs, lambda h, x: lstm_cell(ps, h, x), start)


def loss_by_hand(ps: Any, xs: Sequence[Any], start: Any) -> tuple[Any, Any]:
    """Value and gradient by the equations of backpropagation through time, in plain NumPy."""
    w, u, b = ps
    h, c = start
    tape = []
    for x in xs:
        z = w @ x + u @ h + b
        i, k, o = (1.0 / (1.0 + np.exp(-z[s])) for s in (slice(0, 2), slice(2, 4), slice(4, 6)))
        t = np.tanh(z[6:8])
        c_next = k * c + i * t
        tape.append((x, h, c, c_next, i, k, o, t))
        h, c = o * np.tanh(c_next), c_next
    dh, dc = 2 * h, np.zeros(2)
    dw, du, db = np.zeros_like(w), np.zeros_like(u), np.zeros_like(b)
    for x, before, c, c_next, i, k, o, t in reversed(tape):
        squashed = np.tanh(c_next)
        dc = dc + dh * o * (1 - squashed**2)
        gates = (dc * t * i * (1 - i), dc * c * k * (1 - k), dh * squashed * o * (1 - o), dc * i * (1 - t**2))
        dz = np.concatenate(gates)
        dw, du, db = dw + np.outer(dz, x), du + np.outer(dz, before), db + dz
        dh, dc = u.T @ dz, dc * k
    return h @ h, (dw, du, db)


def slope_by_differences(ps: Any, direction: Any) -> float:
    """The derivative of the loss in a direction, by a central difference of the plain Python function."""
    step = np.finfo(float).eps ** (1 / 3)
    there, back = (
        loss(tuple(p + sign * step * d for p, d in zip(ps, direction, strict=True)), XS, START) for sign in (1, -1)
    )
    return float((there - back) / (2 * step))


def recurrent_network() -> Outcome:
    """`grads = grad (λ ps. rnn(xs, λ h x. lstmCell(ps, h, x))) (model)`, with the recursive `go`."""
    ps = model()
    value, cts = loss_by_hand(ps, XS, START)
    direction = tuple(np.cos(np.arange(p.size)).reshape(p.shape) for p in ps)
    along = sum(float(np.sum(ct * d)) for ct, d in zip(cts, direction, strict=True))
    checks = [("the hand-written gradient is that of finite differences",
               close(slope_by_differences(ps, direction), along, 1e-8))]  # fmt: skip
    for length in range(1, len(XS) + 1):
        by_hand = loss_by_hand(ps, XS[:length], START)
        for e in CURRIES:
            found = ccc.value_with_gradient(loss, wrt=0, exponential=e)(ps, XS[:length], START)
            checks.append((f"{length} inputs with {e.name}", close(found, by_hand, 100 * ROUNDING)))
    nodes = list(postorder(ccc.arrow(loss, ps, XS, START)))
    checks += [
        ("go is one recursion of the term", sum(isinstance(node, Fix) for node in nodes) == 1),
        ("the cell is one closure of the term", sum(isinstance(node, Curry) for node in nodes) == 1),
    ]
    lengths = range(1, len(XS) + 1)
    runs = {e.name: [calls_of_recursion(ps, n, e) for n in lengths] for e in CURRIES}
    again = [b for _, b in runs["AdditiveMap"]]
    growth = np.diff(again, 2)
    checks += [
        ("go runs n + 1 times and the cell n times", all(a == 2 * n + 1 for found in runs.values()
                                                         for n, (a, _) in zip(lengths, found, strict=True))),
        ("the dependent curry runs nothing again", all(b == 0 for name in ("Delta", "AnyDerivative")
                                                       for _, b in runs[name])),
        ("the simply typed curry runs them again as often as n^2", growth[0] > 0 and len(set(growth.tolist())) == 1),
    ]  # fmt: skip
    notes = [f"AdditiveMap runs go and the cell {', '.join(map(str, again))} times again for 1, 2, 3, 4 inputs; "
             "Delta never"]  # fmt: skip
    return compared(
        loss, ps, XS, START, wrt=0, expected=(value, cts), tolerance=100 * ROUNDING, checks=checks, notes=notes
    )


def calls_of_recursion(ps: Any, length: int, exponential: Any) -> tuple[int, int]:
    """How often `go` and the cell run, together, forward and again backward."""
    xs = XS[:length]
    return counted(ccc.arrow(loss, ps, xs, START), (ps, xs, START), 1.0, exponential).bodies


def network_by_loop() -> Outcome:
    """The same network with a loop for `go`: the same numbers, and what each curry runs for it."""
    ps = model()
    term = ccc.arrow(loss_by_loop, ps, XS, START)
    runs = {e.name: counted(term, (ps, XS, START), 1.0, e) for e in CURRIES}
    by_recursion, by_loop = (ccc.value_with_gradient(each, wrt=0)(ps, XS, START) for each in (loss, loss_by_loop))
    checks = [
        ("the recursion gives the same numbers", close(by_recursion, by_loop, 8 * ROUNDING)),
        ("the cell is one closure of the term", sum(isinstance(node, Curry) for node in postorder(term)) == 1),
        ("the simply typed curry runs the cell again for each input", runs["AdditiveMap"].bodies == (4, 4)),
        ("the dependent curry never does", runs["Delta"].bodies == runs["AnyDerivative"].bodies == (4, 0)),
    ]
    notes = [f"{name}: the cell runs {a} times forward, {b} times again backward" for name, (a, b) in (
        (name, cost.bodies) for name, cost in runs.items())]
    expected = loss_by_hand(ps, XS, START)
    return compared(
        loss_by_loop, ps, XS, START, wrt=0, expected=expected, tolerance=100 * ROUNDING, checks=checks, notes=notes
    )


def updated(ps: Any, along: Any) -> Any:
    """`update(model, along: grads)`"""
    return tuple([p - 0.1 * d for p, d in zip(ps, along, strict=True)])


def minibatch_loop() -> Outcome:
    """`for xs in minibatch { grads = …; update(model, along: grads) }`, over sequences of several lengths."""
    ps = by_hand = model()
    grads = ccc.value_with_gradient(loss, wrt=0)
    minibatch = [XS[:2], XS, XS[1:], XS[3:], XS[::-1]] * 4
    checks = []
    for i, xs in enumerate(minibatch):
        value, along = grads(ps, xs, START)
        value_by_hand, along_by_hand = loss_by_hand(by_hand, xs, START)
        checks.append((f"the loss before update {i}", close(value, value_by_hand, 1e-12)))
        ps, by_hand = updated(ps, along), updated(by_hand, along_by_hand)
        checks.append((f"the model after update {i}", close(ps, by_hand, 1e-12)))
    first, last = (sum(float(loss(each, xs, START)) for xs in minibatch) for each in (model(), ps))
    checks.append(("the loss of the minibatch falls", last < first))
    xs = XS[::-1]
    notes = [f"loss of the minibatch {first:.4f}, after {len(minibatch)} updates {last:.4f}"]
    return compared(
        loss, ps, xs, START, wrt=0, expected=loss_by_hand(by_hand, xs, START), tolerance=1e-12, checks=checks,
        notes=notes,
    )  # fmt: skip


# -- Results (I) and (II): what the two curries cost ---------------------------------------------------------------


class Cost:
    """Runs counted by `Counting`: primitives and bodies of `curry`, forward and again backward, and pullbacks."""

    def __init__(self) -> None:
        self.count: Counter[str] = Counter()
        self.forward: Counter[str] = Counter()

    @property
    def primitives(self) -> tuple[int, int, int]:
        """Primitives run forward, run again by the pullback, and pulled back."""
        return (*self.forward_and_again("primitive"), self.count["pullback"])

    @property
    def bodies(self) -> tuple[int, int]:
        """Bodies of `curry` run forward, and run again by the pullback."""
        return self.forward_and_again("body")

    def forward_and_again(self, what: str) -> tuple[int, int]:
        return self.forward[what], self.count[what] - self.forward[what]


COUNTED = (times, neg)  # the primitives that carry cotangents; a test of recursion and its n - 1 carry none


class Counting(ccc.Reverse):
    """Reverse mode on the host that counts what it runs."""

    def __init__(self, exponential: Any, base: Any, cost: Cost) -> None:
        super().__init__(exponential, base)
        self.cost = cost

    def counting(self, what: str, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def counted_function(x: Any) -> Any:
            self.cost.count[what] += not is_zero(x)
            return function(x)

        return counted_function

    def primitive(self, term: Any) -> Any:
        lifted = super().primitive(term)
        if term.primitive not in COUNTED:
            return lifted

        def run(x: Any) -> Any:
            y, pullback = lifted(x)
            return y, self.counting("pullback", pullback)

        return self.counting("primitive", run)

    def curry(self, body: Any, term: Any) -> Any:
        return super().curry(self.counting("body", body), term)

    def fix(self, body: Any, term: Any) -> Any:
        return super().fix(self.counting("body", body), term)


def counted(term: Any, x: Any, ct: Any, exponential: Any, base: Any = None) -> Cost:
    """What one run of a term and one of its pullback cost."""
    cost = Cost()
    _, pullback = ccc.functor(Counting(exponential, base or ccc.Host(), cost), term)(x)
    cost.forward = cost.count.copy()
    pullback(ct)
    return cost


def called_often(n: int) -> Any:
    """`let g = λ s. t * s in g (g (... (g s)))`, n calls."""
    context = Product((FUNCTION, REAL))
    once = ccc.prod(ccc.proj_left(context), ccc.eval_(FUNCTION))
    start = ccc.prod(ccc.proj_left(PAIR) >> ccc.curry(ccc.primitive(times, REAL, REAL)), ccc.proj_right(PAIR))
    return ccc.compose(start, *[once] * n, ccc.proj_right(context))


def chain(depth: int) -> Any:
    """`h_0 = λ s. t * s` and `h_i = λ s. - h_(i-1) s`, which captures `h_(i-1)`; then `h_depth s`."""
    step = ccc.curry(ccc.eval_(FUNCTION) >> ccc.primitive(neg, REAL))
    first = ccc.proj_left(PAIR) >> ccc.curry(ccc.primitive(times, REAL, REAL))
    return ccc.prod(ccc.compose(first, *[step] * depth), ccc.proj_right(PAIR)) >> ccc.eval_(FUNCTION)


def nesting(depth: int) -> Any:
    """`h_(i-1)` is created inside the body of `h_i`, which is `λ s. - h_(i-1) s`."""
    body = ccc.primitive(times, REAL, REAL)
    for _ in range(depth):
        made = ccc.prod(ccc.proj_left(PAIR) >> ccc.curry(body), ccc.proj_right(PAIR))
        body = made >> ccc.eval_(FUNCTION) >> ccc.primitive(neg, REAL)
    return body


def recursion() -> Any:
    """`letrec f n = y if n < 1 else y * - f (n - 1) in f n`, of (y, n)."""
    captured = Product((REAL, FUNCTION))
    context = Product((captured, REAL))
    y, itself = ccc.proj_left(context) >> ccc.proj_left(captured), ccc.proj_left(context) >> ccc.proj_right(captured)
    n, one = ccc.proj_right(context), ccc.const(context, 1.0)
    before = ccc.prod(n, one) >> ccc.primitive(sub, REAL, REAL)
    again = ccc.prod(itself, before) >> ccc.eval_(FUNCTION) >> ccc.primitive(neg, REAL)
    body = ccc.cond(
        ccc.prod(n, one) >> ccc.primitive(less, REAL, REAL), y, ccc.prod(y, again) >> ccc.primitive(times, REAL, REAL)
    )
    return ccc.prod(ccc.proj_left(PAIR) >> ccc.fix(body), ccc.proj_right(PAIR)) >> ccc.eval_(FUNCTION)


Triple = tuple[int, int, int]


def costs(
    term_of: Callable[[int], Any], point_of: Callable[[int], Any], formula: Callable[[int], tuple[Any, Any]],
    simply_typed: Callable[[int], Triple], dependent: Callable[[int], Triple], sizes: Sequence[int],
) -> Outcome:  # fmt: skip
    """A family of programs: exact gradients, and primitives run (forward, again, backward) under each curry."""
    checks, notes, found = [], [], []
    for n in sizes:
        term, x, expected = term_of(n), point_of(n), formula(n)
        found = []
        for exponential in CURRIES:
            value, pullback = vjp(term, exponential=exponential, base=EXACT)(x)
            found.append((value, pullback(Fraction(1))))
            checks.append((f"the gradient for {n} with {exponential.name}", found[-1] == expected))
            cost = counted(term, x, Fraction(1), exponential, EXACT).primitives
            wanted = simply_typed(n) if isinstance(exponential, ccc.AdditiveMap) else dependent(n)
            claim = f"the cost for {n} with {exponential.name}: found {cost}, expected {wanted}"
            checks.append((claim, cost == wanted))
        notes.append(f"{n:2}: AdditiveMap {simply_typed(n)}, Delta {dependent(n)}")
    notes = ["primitives run forward, run again, pulled back:", *notes]
    agree = all(each == found[0] for each in found)
    return claimed(*found[0], expected=formula(sizes[-1]), agree=agree, checks=checks, notes=notes)


T, S = Fraction(2), Fraction(3)


def cost_of_calls() -> Outcome:
    return costs(
        called_often, lambda n: (T, S), lambda n: (T**n * S, (n * T ** (n - 1) * S, T**n)),
        lambda n: (n, n, 2 * n), lambda n: (n, 0, n), (1, 2, 5, 10),
    )  # fmt: skip


def cost_of_chain() -> Outcome:
    return costs(
        chain, lambda d: (T, S), lambda d: ((-1) ** d * T * S, ((-1) ** d * S, (-1) ** d * T)),
        lambda d: (d + 1, (d + 1) * (d + 2) // 2, (d + 1) * (d + 4) // 2), lambda d: (d + 1, 0, d + 1), (0, 1, 2, 8),
    )  # fmt: skip


def cost_of_nesting() -> Outcome:
    return costs(
        nesting, lambda d: (T, S), lambda d: ((-1) ** d * T * S, ((-1) ** d * S, (-1) ** d * T)),
        lambda d: (d + 1, 2 ** (d + 1) - d - 2, 2 ** (d + 1) - 1), lambda d: (d + 1, 0, d + 1), (0, 1, 2, 8),
    )  # fmt: skip


def cost_of_recursion() -> Outcome:
    return costs(
        lambda n: recursion(), lambda n: (T, Fraction(n)),
        lambda n: ((-1) ** n * T ** (n + 1), ((-1) ** n * (n + 1) * T**n, Fraction(0))),
        lambda n: (2 * n, n * n + n, n * n + 3 * n), lambda n: (2 * n, 0, 2 * n), (0, 1, 2, 6),
    )  # fmt: skip


# -- CCC theorems --------------------------------------------------------------------------------------------------

POINTS = ((Fraction(2, 3), Fraction(-5, 7)), (Fraction(1), Fraction(4)), (Fraction(-9, 4), Fraction(0)))


def same_by_terms(foo1: Any, foo2: Any, formula: Callable[..., Any], points: Sequence[Any]) -> list[tuple[str, bool]]:
    """Whether both terms have the value and the pullback of a formula, exactly, under each curry."""
    checks = []
    for name, foo in (("foo1", foo1), ("foo2", foo2)):
        for exponential in CURRIES:
            derivative = vjp(ccc.arrow(foo, *[1.0] * len(points[0])), exponential=exponential, base=EXACT)
            for x in points:
                value, slopes = formula(*x)
                found, pullback = derivative(x)
                backwards = all(
                    close(pullback(ct), tuple(ct * slope for slope in slopes))
                    for ct in (Fraction(1), Fraction(-3, 5), Fraction(0))
                )
                checks.append((f"the term of {name} at {x} with {exponential.name}", found == value and backwards))
    return checks


def body(a: Any, b: Any) -> Any:
    """The `f :: (Float, Float) => Float` of the slide, here `a^2 b`: not symmetric."""
    return a * a * b


def partial_foo1(a: Any, b: Any) -> Any:
    g = lambda xb: body(a, xb)  # noqa: E731 - the slide's `let g = λ xb -> f (a, xb)`
    return g(b)


def partial_foo2(a: Any, b: Any) -> Any:
    return body(a, b)


def partial_application() -> Outcome:
    """`foo1 (a, b) = let g = λ xb → f (a, xb) in g b` and `foo2 (a, b) = f (a, b)`."""
    def formula(a: Fraction, b: Fraction) -> Any:
        return a**2 * b, (2 * a * b, a**2)

    checks = same_by_terms(partial_foo1, partial_foo2, formula, POINTS)
    checks.append(("foo1 makes a closure, foo2 none", (closures(partial_foo1), closures(partial_foo2)) == (1, 0)))
    notes = [f"foo1 = {ccc.arrow(partial_foo1, 1.0, 1.0)}", f"foo2 = {ccc.arrow(partial_foo2, 1.0, 1.0)}"]
    checks += same_by_code(partial_foo2, POINTS[0], formula)
    return compared(partial_foo1, *POINTS[0], expected=formula(*POINTS[0]), checks=checks, notes=notes)


def closures(function: Callable[..., Any]) -> int:
    """How many closures the term of a function of two reals makes."""
    return closures_of(function, 1.0, 1.0)


def same_by_code(function: Any, x: Any, formula: Callable[..., Any]) -> list[tuple[str, bool]]:
    """Whether the generated code of a function has the value and gradient of a formula."""
    return [
        (f"foo2 with {e.name}", ccc.value_with_gradient(function, exponential=e)(*x) == formula(*x)) for e in CURRIES
    ]


def forget_foo1(f: Any, g: Any, x: Any) -> Any:
    y1 = f(x)
    y2 = g(x)  # noqa: F841 - the result that is forgotten
    return y1


def forget_foo2(f: Any, g: Any, x: Any) -> Any:
    return f(x)


def forget1(a: Any, b: Any, x: Any) -> Any:
    return forget_foo1(lambda s: a * s * s, lambda s: b * s, x)


def forget2(a: Any, b: Any, x: Any) -> Any:
    return forget_foo2(lambda s: a * s * s, lambda s: b * s, x)


def forgetting_results() -> Outcome:
    """`foo1 (f, g) x = let y1 = f x; y2 = g x in y1` and `foo2 (f, g) x = f x`, f and g capturing a and b."""
    def formula(a: Fraction, b: Fraction, x: Fraction) -> Any:
        return a * x**2, (x**2, Fraction(0), 2 * a * x)

    points = [(*p, s) for p, s in zip(POINTS, (HALF, Fraction(-3), Fraction(7, 2)), strict=True)]
    checks = same_by_terms(forget1, forget2, formula, points) + same_by_code(forget2, points[0], formula)
    notes = [f"foo1 = {ccc.arrow(forget_foo1, FUNCTION, FUNCTION, 1.0)}",
             f"foo2 = {ccc.arrow(forget_foo2, FUNCTION, FUNCTION, 1.0)}"]
    return compared(forget1, *points[0], expected=formula(*points[0]), checks=checks, notes=notes)


def sum_foo1(f: Any, x: Any) -> Any:
    y1 = f(x)
    y2 = f(x)
    return y1 + y2


def sum_foo2(f: Any, x: Any) -> Any:
    y = f(x)
    return y + y


def sum1(a: Any, x: Any) -> Any:
    return sum_foo1(lambda s: a * s * s, x)


def sum2(a: Any, x: Any) -> Any:
    return sum_foo2(lambda s: a * s * s, x)


def summing_results() -> Outcome:
    """`foo1 f x = let y1 = f x; y2 = f x in y1 + y2` and `foo2 f x = let y = f x in (y + y)`, f capturing a."""
    def formula(a: Fraction, x: Fraction) -> Any:
        return 2 * a * x**2, (2 * x**2, 4 * a * x)

    checks = same_by_terms(sum1, sum2, formula, POINTS) + same_by_code(sum2, POINTS[0], formula)
    for exponential in CURRIES:  # the calls of f that each makes, summed with a weight: {x ↦ 2} both times
        calls = [
            ccc.functional_grad(foo, mult_by_itself, exponential=exponential)
            for foo in (lambda f: sum_foo1(f, 3.0), lambda f: sum_foo2(f, 3.0))
        ]
        weighed = [c.fold(lambda s, m: s * m) for c in calls]
        checks.append((f"the calls of f with {exponential.name}", weighed == [6, 6]))
    notes = [f"foo1 = {ccc.arrow(sum_foo1, FUNCTION, 1.0)}", f"foo2 = {ccc.arrow(sum_foo2, FUNCTION, 1.0)}"]
    return compared(sum1, *POINTS[0], expected=formula(*POINTS[0]), checks=checks, notes=notes)


def exponential_laws() -> Outcome:
    """`(prod (curry f) id) . eval ≌ f` and `curry ((prod h id) . eval) ≌ h`, the second seen through a call."""
    f_term = ccc.arrow(body, 1.0, 1.0)
    called = ccc.prod(ccc.proj_left(PAIR) >> ccc.curry(f_term), ccc.proj_right(PAIR)) >> ccc.eval_(FUNCTION)
    h = ccc.prod(ccc.id_(REAL), ccc.id_(REAL)) >> ccc.primitive(times, REAL, REAL) >> ccc.curry(f_term)
    again = ccc.curry(ccc.prod(ccc.proj_left(PAIR) >> h, ccc.proj_right(PAIR)) >> ccc.eval_(FUNCTION))
    checks = []
    found: list[Any] = []
    for exponential in CURRIES:
        for x, y in POINTS:
            value, pullback = vjp(called, exponential=exponential, base=EXACT)((x, y))
            found.append((value, pullback(Fraction(1))))
            expected = (x**2 * y, (2 * x * y, x**2))
            checks.append((f"(prod (curry f) id) . eval at {(x, y)} with {exponential.name}", found[-1] == expected))
            seen = [
                ccc.vjp_probe(each, x, [(y, Fraction(1)), (HALF, Fraction(-2))], exponential=exponential)
                for each in (h, again)
            ]
            by_hand = 4 * x**3 * y - 2 * (4 * x**3 * HALF)  # h x s = x^4 s
            checks.append((f"curry ((prod h id) . eval) at {x} with {exponential.name}", seen == [by_hand, by_hand]))
    x, y = POINTS[0]
    expected = (x**2 * y, (2 * x * y, x**2))
    agree = found[:3] == found[3:6] == found[6:]
    return claimed(*found[0], expected=expected, agree=agree, checks=checks, notes=[f"{called}  ≌  {f_term}"])


# -- Results (II): G[\x -> y + x] = Float --------------------------------------------------------------------------


def one_captured(y: Any, z: Any, x: Any) -> Any:
    return (lambda x: y + x)(x)


def two_captured(y: Any, z: Any, x: Any) -> Any:
    return (lambda x: y + z + x)(x)


def none_captured(y: Any, z: Any, x: Any) -> Any:
    return (lambda x: 1.0 + x)(x)


def closure_of(function: Callable[..., Any]) -> Curry:
    """The closure that the compiled term of a function makes."""
    (made,) = [node for node in postorder(ccc.arrow(function, 1.0, 1.0, 1.0)) if isinstance(node, Curry)]
    return made


def cotangent_of_closure(made: Curry, env: Any, s: Any, ct: Any, exponential: Any) -> tuple[Any, Any]:
    """What a call of the closure at `s` with cotangent `ct` gives for the closure; and that, pulled back to `env`."""
    k = ccc.Reverse(exponential, EXACT)
    closure, pullback = ccc.functor(k, made)(env)
    _, call_pullback = k.eval(made.cod)((closure, s))
    found, _ = call_pullback(ct)
    return found, materialised(pullback(found), env, made.dom)


def dependent_cotangents() -> Outcome:
    """`G[\\x -> y + x] = Float`, `G[\\x -> y + z + x] = (Float, Float)`; G[S => R] = AdditiveMap (S, G[R]) in (I)."""
    y, z, x, ct = Fraction(2), Fraction(3), Fraction(5), Fraction(7)
    checks, notes, shown, agree = [], [], [], True
    cases: tuple[tuple[str, Any, Any, Object, Any], ...] = (
        ("\\x -> y + x", one_captured, y, REAL, ct),
        ("\\x -> y + z + x", two_captured, (y, z), PAIR, (ct, ct)),
        ("\\x -> 1 + x", none_captured, (), Product(()), ()),
    )
    for name, function, env, space, expected in cases:
        made = closure_of(function)
        delta, additive = ccc.Delta(), ccc.AdditiveMap()
        checks.append((f"G[{name}] is {space}", delta.cotangent(made.cod, environment=made.dom) == space))
        checks.append((f"G[{made.cod}] = AdditiveMap(R, R)", str(additive.cotangent(made.cod)) == "AdditiveMap(R, R)"))
        found, _ = cotangent_of_closure(made, env, x, ct, delta)
        shown.append(materialised(found, env, made.dom))
        checks.append((f"the cotangent of {name} is {expected}", close(shown[-1], expected)))
        calls, _ = cotangent_of_closure(made, env, x, ct, additive)
        checks.append((f"the formal sum of {name} is {{5 ↦ 7}}", list(calls.terms()) == [(x, ct)]))
        pulled_back = [cotangent_of_closure(made, env, x, ct, exponential)[1] for exponential in CURRIES]
        agree = agree and all(close(each, expected) for each in pulled_back)
        formal = " + ".join(f"{{{s} ↦ {m}}}" for s, m in calls.terms())
        notes.append(f"G[{name}] = {space} under Delta, here {short(shown[-1], 20)}; under AdditiveMap {formal}")
    value, gradient = vjp(ccc.arrow(two_captured, 1.0, 1.0, 1.0), base=EXACT)((y, z, x))
    checks.append(("the gradient of y + z + x", close((value, gradient(ct)), (y + z + x, (ct, ct, ct)))))
    expected = (Fraction(10), (Fraction(7), (Fraction(7), Fraction(7)), ()))
    return claimed(value, tuple(shown), expected=expected, agree=agree, checks=checks, notes=notes)


# -- Not just theory, curry is a Swift IL (SIL) instruction --------------------------------------------------------


@dataclass(frozen=True)
class LinLayer:
    """`struct LinLayer { Tensor w; func call(x:Tensor):Tensor { return (x*w); } }`"""

    w: Any

    def call(self, x: Any) -> Any:
        return x * self.w


def func_1(x: Any, layer: LinLayer) -> Any:
    """`func func_1(x: Tensor, self : LinLayer) : Tensor { return (x * self.w); }`"""
    return x * layer.w


def papply(function: Callable[[Any, Any], Any], s: Any) -> Callable[[Any], Any]:
    """`papply : (((T,S) => R), S) => (T => R)`"""
    return lambda t: function(t, s)


def use_site(linlayer: LinLayer, inputs: Any) -> Any:
    h = papply(func_1, linlayer)
    r = h(inputs)
    return r


def call_site(linlayer: LinLayer, inputs: Any) -> Any:
    """`linlayer.call(inputs);`"""
    return linlayer.call(inputs)


def bound_method(linlayer: LinLayer, inputs: Any) -> Any:
    h = linlayer.call
    return h(inputs)


def by_partial(linlayer: LinLayer, inputs: Any) -> Any:
    h = functools.partial(func_1, layer=linlayer)
    return h(inputs)


def partial_layer() -> Outcome:
    """"We need to backpropagate back through to linlayer": by the compiled closure and by the combinator `papply`; the
    gradient at the layer is a `LinLayer`."""
    w, x = Fraction(3, 4), Fraction(-2)
    layer = LinLayer(w)
    h = ccc.papply(ccc.arrow(func_1, 1.0, LinLayer(1.0)))  # S => (T => R), here LinLayer to Tensor => Tensor
    pair = Product((h.dom, REAL))
    by_papply = ccc.prod(ccc.proj_left(pair) >> h, ccc.proj_right(pair)) >> ccc.eval_(FUNCTION)
    checks = [("papply makes a closure of the term", closures_of(use_site, layer, x) == 1)]
    for exponential in CURRIES:
        value, pullback = vjp(by_papply, exponential=exponential, base=EXACT)(((w,), x))
        checks.append((f"papply with {exponential.name}", (value, pullback(Fraction(1))) == (w * x, ((x,), w))))
        for each in (call_site, bound_method, by_partial):
            found = ccc.value_with_gradient(each, exponential=exponential)(layer, x)
            checks.append((f"{each.__name__} with {exponential.name}", found == (w * x, (LinLayer(x), w))))
    expected = (w * x, (LinLayer(x), w))
    return compared(use_site, layer, x, expected=expected, checks=checks, notes=[f"papply(func_1) = {h}"])


def closures_of(function: Callable[..., Any], *args: Any) -> int:
    """How many closures the term of a function makes."""
    return sum(isinstance(node, Curry) for node in postorder(ccc.arrow(function, *args)))


# -- Dependent types? Swift is not dependently-typed… --------------------------------------------------------------


def two_closures(a: Any, b: Any, x: Any) -> Any:
    """Both capture one number, so that only the closure that a cotangent belongs to tells them apart."""
    first = (lambda s: a * s)(x)
    second = (lambda s: b * s * s)(first)
    return first + second


def any_derivative() -> Outcome:
    """`G[S => T] = AnyDerivative`, "an opaque type with 0 and +", which knows which closure it belongs to."""
    a, b, x, ct = Fraction(2), Fraction(3), Fraction(5), Fraction(1)
    first, second = (node for node in postorder(ccc.arrow(two_closures, 1.0, 1.0, 1.0)) if isinstance(node, Curry))
    opaque = ccc.AnyDerivative()
    of_first, _ = cotangent_of_closure(first, a, x, ct, opaque)
    again, _ = cotangent_of_closure(first, a, Fraction(11), ct, opaque)
    of_second, _ = cotangent_of_closure(second, b, x, ct, opaque)
    of_swapped = refusal(CotangentMismatch, lambda: add(of_first, of_second))
    reached = refusal(CotangentMismatch, lambda: ccc.functor(ccc.Reverse(opaque, EXACT), second)(b)[1](of_first))
    one, two = (cotangent_of_closure(made, env, x, ct, ccc.Delta())[0] for made, env in ((first, a), (second, b)))
    checks = [
        ("two calls of one closure add up", add(of_first, again) == Opaque(of_first.space, x + 11)),
        ("adding cotangents of two closures is refused", "different closures cannot be added" in of_swapped),
        ("the cotangent of one closure is refused by the other", "a cotangent of" in reached),
        ("Delta alone cannot tell them apart", add(one, two) == x + x * x),
        ("0 + x = x + 0 = x", add(ZERO, of_first) == of_first == add(of_first, ZERO)),
    ]
    expected = (a * x + b * (a * x) ** 2, (x + 2 * a * b * x**2, (a * x) ** 2, a + 2 * a**2 * b * x))
    notes = [f"cotangents of the two closures, added: {of_swapped}"]
    return compared(two_closures, a, b, x, expected=expected, checks=checks, notes=notes)


# -- Artificial exponentials ---------------------------------------------------------------------------------------


def to_function(a: Any) -> Any:
    """`h : A => (B => C)`"""
    return lambda b: a * b * b


def of_function(h: Any) -> Any:
    """`h : (A => B) => C`"""
    return 2.0 * h(3.0) + h(5.0)


def function_as_result() -> Outcome:
    """"Cannot do anything useful with `vjp(h : (A => (B => C))`": refused; `vjp_probe` asks at chosen points."""
    term = ccc.curry(ccc.arrow(lambda a, b: a * b * b, 1.0, 1.0))
    messages = [
        refusal(ccc.HigherOrderBoundary, lambda: ccc.value_with_pullback(to_function)(2.0)),
        refusal(ccc.HigherOrderBoundary, lambda: vjp(term)),
    ]
    checks = [
        ("value_with_pullback refuses, naming the result", "result is a function" in messages[0]),
        ("vjp of the term refuses, naming the result", "result: R => R is a function" in messages[1]),
    ]
    probes = [(3.0, 1.0), (5.0, 10.0)]
    found = [ccc.vjp_probe(to_function, 2.0, probes, exponential=exponential) for exponential in CURRIES]
    found += [ccc.vjp_probe(term, 2.0, probes, exponential=exponential) for exponential in CURRIES]
    agree = all(each == found[0] for each in found)
    notes = [*(f"refused: {message}" for message in messages), "vjp_probe at (3, 1) and (5, 10): 1*3^2 + 10*5^2 = 259"]
    return claimed(None, found[0], expected=(None, 259.0), agree=agree, checks=checks, notes=notes)


def function_as_argument() -> Outcome:
    """"… or `vjp(h : (A => B) => C)`": refused; `functional_grad` gives the calls that h makes."""
    term = ccc.arrow(of_function, FUNCTION)
    messages = [
        refusal(ccc.HigherOrderBoundary, lambda: ccc.gradient(of_function, wrt=0)(mult_by_itself)),
        refusal(ccc.HigherOrderBoundary, lambda: vjp(term)),
    ]
    checks = [
        ("gradient refuses, naming the argument", "argument `h` is a function" in messages[0]),
        ("vjp of the term refuses, naming the argument", "argument: R => R is a function" in messages[1]),
    ]
    square = ccc.arrow(mult_by_itself, 1.0)
    found = [sorted(ccc.functional_grad(of_function, mult_by_itself, exponential=e).terms()) for e in CURRIES]
    found += [sorted(ccc.functional_grad(term, square, exponential=e).terms()) for e in CURRIES]
    agree = all(each == found[0] for each in found)
    notes = [*(f"refused: {message}" for message in messages), "functional_grad: the calls {3 ↦ 2} + {5 ↦ 1}"]
    value = of_function(mult_by_itself)
    return claimed(
        value, found[0], expected=(43.0, [(3.0, 2.0), (5.0, 1.0)]), agree=agree, checks=checks, notes=notes
    )


EXAMPLES = (
    Example("mult, multD", DOCUMENT, lifted_mult),
    Example("gD = f1D, f2D composed", DOCUMENT, composed_pullbacks),
    Example("f(x, w, b) as combinators", DOCUMENT, recipe),
    Example("rnn with λ h x. lstmCell", DOCUMENT, recurrent_network),
    Example("rnn, a loop for go", DOCUMENT, network_by_loop),
    Example("for xs in minibatch", DOCUMENT, minibatch_loop),
    Example("a closure called n times", DOCUMENT, cost_of_calls),
    Example("a chain of closures", DOCUMENT, cost_of_chain),
    Example("closures nested", DOCUMENT, cost_of_nesting),
    Example("letrec", DOCUMENT, cost_of_recursion),
    Example("(prod (curry f) id) . eval", DOCUMENT, exponential_laws),
    Example("partial applications", DOCUMENT, partial_application),
    Example("forgetting results", DOCUMENT, forgetting_results),
    Example("summing results", DOCUMENT, summing_results),
    Example("G[\\x -> y + x] = Float", DOCUMENT, dependent_cotangents),
    Example("papply (func_1, linlayer)", DOCUMENT, partial_layer),
    Example("AnyDerivative", DOCUMENT, any_derivative),
    Example("h : A => (B => C)", DOCUMENT, function_as_result),
    Example("h : (A => B) => C", DOCUMENT, function_as_argument),
)
