"""*Automatic Differentiation in Swift* (whitepaper, April 2018).

"Making arbitrary types support differentiation" (`Tree` and its sum, "tree-recursive neural networks"), "When is a
function differentiable?" (`tanh` and its adjoint `dTanh`), "Using automatic differentiation" (`foo` and its gradient
with respect to the first parameter), "Automatic Differentiation in the Swift compiler" (`f_prim`, `C_f`, `f_adj`,
`f_can_grad` and `∇f`), "Differentiating opaque closures and dynamic method dispatch" (the other `foo`, of a function),
"Derivative surgery" (`replaceGradient`, checkpoints), "Higher-order differentiation" (perturbation confusion) and
"Forward mode" (Hessian-vector products).

In the sum of two nodes the document has `l0 + l0` for the left part, where `l0 + l1` is meant.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

import ccc
from paper_examples.example import CURRIES, ROUNDING, Example, Outcome, close, compared

DOCUMENT = "AD in Swift"


# -- Making arbitrary types support differentiation: Tree ----------------------------------------------------------


@dataclass(frozen=True)
class Leaf:
    """`case leaf(Value)`"""

    value: Any


@dataclass(frozen=True)
class Node:
    """`case node(Tree, Value, Tree)`"""

    left: Any
    value: Any
    right: Any


Tree = Leaf | Node


def tree_sum(a: Tree, b: Tree) -> Tree:
    """`static func + (lhs: Tree, rhs: Tree) -> Tree`, with `l0 + l1` where the document has `l0 + l0`."""
    match a, b:
        case Leaf(x), Leaf(y):
            return Leaf(x + y)
        case Leaf(x), Node(l, y, r):
            return Node(l, x + y, r)
        case Node(l, x, r), Leaf(y):
            return Node(l, x + y, r)
        case Node(l0, x, r0), Node(l1, y, r1):
            return Node(tree_sum(l0, l1), x + y, tree_sum(r0, r1))


def tree_sum_as_printed(a: Tree, b: Tree) -> Tree:
    """The same with the document's `.node(l0 + l0, x + y, r0 + r1)`."""
    match a, b:
        case Leaf(x), Leaf(y):
            return Leaf(x + y)
        case Leaf(x), Node(l, y, r):
            return Node(l, x + y, r)
        case Node(l, x, r), Leaf(y):
            return Node(l, x + y, r)
        case Node(l0, x, r0), Node(_, y, r1):
            return Node(tree_sum_as_printed(l0, l0), x + y, tree_sum_as_printed(r0, r1))


def weigh(tree: Tree) -> Any:
    """A number that depends on each value of a tree in its own way."""
    if isinstance(tree, Leaf):
        return tree.value * tree.value
    return weigh(tree.left) * weigh(tree.right) + tree.value


def slopes_of_weigh(tree: Tree, ct: Any) -> Tree:
    """The gradient of `weigh` by the rule of products, by hand."""
    if isinstance(tree, Leaf):
        return Leaf(2 * tree.value * ct)
    left, right = slopes_of_weigh(tree.left, ct * weigh(tree.right)), slopes_of_weigh(tree.right, ct * weigh(tree.left))
    return Node(left, ct, right)


def cut(tree: Tree, shape: Tree) -> Tree:
    """The part of a tree where another one has values: `+` moves each value to the same place of the sum."""
    if isinstance(shape, Leaf):
        return Leaf(tree.value)
    assert isinstance(tree, Node)
    return Node(cut(tree.left, shape.left), tree.value, cut(tree.right, shape.right))


def weigh_sum(a: Tree, b: Tree) -> Any:
    return weigh(tree_sum(a, b))


def weigh_sum_as_printed(a: Tree, b: Tree) -> Any:
    return weigh(tree_sum_as_printed(a, b))


def tree_of(*parts: Any) -> Tree:
    """`tree_of(x)` is a leaf, `tree_of(left, x, right)` a node."""
    return Leaf(Fraction(parts[0])) if len(parts) == 1 else Node(parts[0], Fraction(parts[1]), parts[2])


def sum_of_trees() -> Outcome:
    """`static func +` over pairs of trees of all shapes, exactly; and what `l0 + l0` would do."""
    one, pair = tree_of(2), tree_of(tree_of(1), 7, tree_of(8))
    right = tree_of(tree_of(2), 3, tree_of(tree_of(4), 5, tree_of(6)))
    left = tree_of(tree_of(tree_of(-1), "1/2", tree_of(3)), -2, tree_of("5/3"))
    trees = (one, pair, right, left)
    checks = []
    for i, a in enumerate(trees):
        for j, b in enumerate(trees):
            total = slopes_of_weigh(tree_sum(a, b), 1)
            by_hand = (weigh_sum(a, b), (cut(total, a), cut(total, b)))
            for e in CURRIES:
                found = ccc.value_with_gradient(weigh_sum, exponential=e)(a, b)
                checks.append((f"trees {i} and {j} with {e.name}", close(found, by_hand)))
    # (2 + 1)^2 * ((4 * 6)^2 + 13) + 10, where the sum is node(leaf 3, 10, node(leaf 4, 13, leaf 6))
    expected = (Fraction(9 * (576 + 13) + 10), (
        tree_of(tree_of(2 * 3 * 589), 1, tree_of(tree_of(9 * 2 * 4 * 36), 9, tree_of(9 * 2 * 6 * 16))),
        tree_of(tree_of(2 * 3 * 589), 1, tree_of(9)),
    ))  # fmt: skip
    d_right, d_pair = ccc.gradient(weigh_sum_as_printed)(right, pair)
    checks += [
        ("with l0 + l0 the left of the second tree has no influence", close(d_pair.left, tree_of(0))),
        ("and that of the first counts twice", close(d_right.left, tree_of(2 * (2 * 4) * 589))),
        ("which is another function", weigh_sum_as_printed(right, pair) != weigh_sum(right, pair)),
    ]
    notes = ["in the document the sum of two nodes has the left part l0 + l0, which is meant to be l0 + l1; as printed "
             f"the gradient for the left of the second tree is {d_pair.left.value}, not {6 * 589}"]  # fmt: skip
    return compared(weigh_sum, right, pair, expected=expected, checks=checks, notes=notes)


# -- "data structure-dependent algorithms such as tree-recursive neural networks" ----------------------------------


@dataclass(frozen=True)
class Cell:
    """The parameters of a network that follows the shape of its input."""

    w: Any
    u: Any
    b: Any


def encoded(cell: Cell, tree: Tree) -> Any:
    if isinstance(tree, Leaf):
        return np.tanh(tree.value)
    return np.tanh(cell.w @ encoded(cell, tree.left) + cell.u @ encoded(cell, tree.right) + cell.b + tree.value)


def tree_loss(cell: Cell, tree: Tree) -> Any:
    h = encoded(cell, tree)
    return np.sum(h * h)


def encoded_by_hand(cell: Cell, tree: Tree) -> tuple[Any, Callable[[Any], tuple[Cell, Tree]]]:
    """The code of a tree and its pullback by backpropagation through structure, in plain NumPy."""
    if isinstance(tree, Leaf):
        h = np.tanh(tree.value)
        zero = Cell(np.zeros_like(cell.w), np.zeros_like(cell.u), np.zeros_like(cell.b))
        return h, lambda ct: (zero, Leaf(ct * (1 - h * h)))
    left, left_back = encoded_by_hand(cell, tree.left)
    right, right_back = encoded_by_hand(cell, tree.right)
    h = np.tanh(cell.w @ left + cell.u @ right + cell.b + tree.value)

    def back(ct: Any) -> tuple[Cell, Tree]:
        dz = ct * (1 - h * h)
        one, d_left = left_back(cell.w.T @ dz)
        two, d_right = right_back(cell.u.T @ dz)
        d_cell = Cell(one.w + two.w + np.outer(dz, left), one.u + two.u + np.outer(dz, right), one.b + two.b + dz)
        return d_cell, Node(d_left, dz, d_right)

    return h, back


def tree_recursive_network() -> Outcome:
    """One network, trees of six shapes, the gradient for the cell and for each value of the tree."""
    random = np.random.default_rng(3)
    cell = Cell(random.normal(size=(3, 3)), random.normal(size=(3, 3)), random.normal(size=3))

    def leaf() -> Tree:
        return Leaf(random.normal(size=3))

    def node(left: Tree, right: Tree) -> Tree:
        return Node(left, random.normal(size=3), right)

    shapes = {
        "a leaf": leaf(),
        "two leaves": node(leaf(), leaf()),
        "to the left": node(node(node(leaf(), leaf()), leaf()), leaf()),
        "to the right": node(leaf(), node(leaf(), node(leaf(), leaf()))),
        "a zigzag": node(leaf(), node(node(leaf(), leaf()), leaf())),
        "all full": node(node(leaf(), leaf()), node(leaf(), leaf())),
    }
    checks = []
    expected: tuple[Any, Any] = (None, None)
    for name, tree in shapes.items():
        h, back = encoded_by_hand(cell, tree)
        expected = (np.sum(h * h), back(2 * h))
        for e in CURRIES:
            found = ccc.value_with_gradient(tree_loss, exponential=e)(cell, tree)
            checks.append((f"{name} with {e.name}", close(found, expected, 100 * ROUNDING)))
    return compared(
        tree_loss, cell, shapes["all full"], expected=expected, tolerance=100 * ROUNDING, checks=checks,
        notes=[f"shapes: {', '.join(shapes)}"],
    )


# -- When is a function differentiable? ----------------------------------------------------------------------------


def d_tanh(x: float, y: float, seed: float) -> float:
    """`dTanh`: "y is the original result of tanh(x), and x is the input parameter of the original function"."""
    return (1.0 - y * y) * seed


def tanh(x: float) -> float:
    return math.tanh(x)


def foo(x: float, y: float) -> float:
    return math.tanh(x) + math.tanh(y)


def adjoint_of_tanh() -> Outcome:
    """`let dtanh_dx = #gradient(tanh)`."""
    checks = []
    for x in (-1.5, 0.0, 0.25, 3.0):
        y = math.tanh(x)
        for exponential in CURRIES:
            adjoint = ccc.pullback(tanh, exponential=exponential)(x)
            claim = f"the pullback of tanh at {x} is dTanh with {exponential.name}"
            checks.append((claim, close(adjoint(2.0), d_tanh(x, y, 2.0), ROUNDING)))
    y = math.tanh(0.25)
    return compared(tanh, 0.25, expected=(y, 1.0 - y * y), tolerance=ROUNDING, checks=checks)


class Assembly:
    """"some super low-level assembly tanh implementation": a function that nobody can read."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, x: float) -> float:
        self.calls += 1
        return math.tanh(x)


def opaque_tanh(x: float) -> float:
    """What is linked in, and not looked into: groups of exceptions are not read."""
    try:
        return ASSEMBLY(x)
    except* ArithmeticError:
        raise


ASSEMBLY = Assembly()


@ccc.derivative_of(opaque_tanh)
def opaque_tanh_with_adjoint(x: float) -> Any:
    """`@differentiable(reverse, adjoint: dTanh)`"""
    y = opaque_tanh(x)
    return y, lambda seed: d_tanh(x, y, seed)


def of_opaque_tanh(x: float, y: float) -> float:
    return opaque_tanh(x * y) + opaque_tanh(y)


def custom_adjoint_of_tanh() -> Outcome:
    """"the AD system to treat it as a primitive": the adjoint is taken, the function not looked into."""
    x, y = 0.25, -1.5
    checks = []
    for e in CURRIES:
        ASSEMBLY.calls = 0
        found = ccc.gradient(opaque_tanh, exponential=e)(x)
        checks.append((f"#gradient(tanh) with {e.name}", close(found, d_tanh(x, math.tanh(x), 1.0), ROUNDING)))
        checks.append((f"the value is taken once with {e.name}", ASSEMBLY.calls == 1))
        ASSEMBLY.calls = 0
    t = math.tanh(x)
    checks.append(("the adjoint has a derivative", close(
        ccc.gradient(ccc.gradient(opaque_tanh))(x), -2 * t * (1 - t * t), 4 * ROUNDING)))
    a, b = 1 / math.cosh(x * y) ** 2, 1 / math.cosh(y) ** 2
    expected = (math.tanh(x * y) + math.tanh(y), (a * y, a * x + b))
    return compared(of_opaque_tanh, x, y, expected=expected, tolerance=4 * ROUNDING, checks=checks)


def gradient_of_foo() -> Outcome:
    """`let dfoo_dx = #gradient(foo, withRespectTo: .0)` and `dfoo_dx(3, 4)`, "still in progress" there."""
    dfoo_dx = ccc.gradient(foo, wrt=0)
    expected = 1 / math.cosh(3) ** 2
    checks = [("dfoo_dx(3, 4) is 1/cosh(3)^2", close(dfoo_dx(3, 4), expected, ROUNDING))]
    return compared(
        foo, 3.0, 4.0, wrt=0, expected=(math.tanh(3) + math.tanh(4), expected), tolerance=ROUNDING, checks=checks
    )


# -- Automatic Differentiation in the Swift compiler ---------------------------------------------------------------


def of_foo_squared(x: float, y: float) -> float:
    """`f is called by g`: the square of foo."""
    u = foo(x, y)
    return u * u


def phases_of_foo() -> Outcome:
    """"a primal function f_prim : (T0, T1, ..., Tn) -> (C_f, U)", the adjoint, the canonical gradient and ∇f, as they
    are shown and run. The seed: "if f is called by g ... g_adj will pass ∂g/∂y as the seed to f_adj"."""
    explained = ccc.explain(foo, 3.0, 4.0)
    phases = (explained.primal, explained.adjoint, explained.canonical_gradient, explained.final_gradient)
    code: dict[str, Any] = {"math": math}
    exec("\n".join(phases), code)
    tape, value = code["foo_primal"](3.0, 4.0)
    slopes = (1 / math.cosh(3) ** 2, 1 / math.cosh(4) ** 2)
    by_seed = code["foo_adjoint"](tape, 2 * value)
    seeded = code["foo_canonical_gradient"](3.0, 4.0, 1.0)
    checks = [
        ("f_prim gives the result and what the adjoint reads", (tape, value) == (
            (math.tanh(3), math.tanh(4)), foo(3.0, 4.0))),
        ("f_adj at the seed 1 is the gradient", close(code["foo_adjoint"](tape, 1.0), slopes, ROUNDING)),
        ("f_can_grad keeps the result", close(seeded, (value, slopes), ROUNDING)),
        ("∇f is f_can_grad at the seed 1", close(code["foo_gradient"](3.0, 4.0), slopes, ROUNDING)),
        ("f_adj at the seed ∂g/∂y is ∇g", close(by_seed, ccc.gradient(of_foo_squared)(3.0, 4.0), ROUNDING)),
    ]  # fmt: skip
    notes = [line for text in (*phases[:1], explained.tape, *phases[1:]) for line in text.splitlines()]
    return compared(foo, 3.0, 4.0, expected=(value, slopes), tolerance=ROUNDING, checks=checks, notes=notes)


# -- Derivative surgery --------------------------------------------------------------------------------------------


def clipped(d: float) -> float:
    """`max(min(dPred, 1), -1)`"""
    return max(min(d, 1.0), -1.0)


def prediction(input: float, parameter: float) -> float:
    """`prediction(for:parameters:)`: "replaceGradient(of: prediction) { dPred in max(min(dPred, 1), -1) }" in each run,
    with the prediction fed back into the cell, which the document forgets."""
    found = input
    for _ in range(6):
        found = ccc.replace_gradient(found, clipped)
        found = math.tanh(parameter * found) * 3.0
    return found * found


def clipped_by_hand(input: float, parameter: float) -> tuple[float, tuple[float, float]]:
    """The value, and the cotangents of both arguments, clipped on the way back."""
    found = [input]
    for _ in range(6):
        found.append(math.tanh(parameter * found[-1]) * 3.0)
    d, d_parameter = 2 * found[-1], 0.0
    for before, after in reversed(list(itertools.pairwise(found))):
        slope = 3.0 * (1 - (after / 3.0) ** 2)
        d_parameter += d * slope * before
        d = clipped(d * slope * parameter)
    return found[-1] ** 2, (d, d_parameter)


def gradient_clipping() -> Outcome:
    """What flows back through the prediction stays in [-1, 1] in each run; without clipping it grows."""
    expected = clipped_by_hand(0.02, 0.8)
    free = ccc.gradient(lambda x, w: unclipped(x, w))(0.02, 0.8)
    checks = [
        ("clipping changes the gradient", abs(free[0]) > 1.0 >= abs(expected[1][0])),
        ("the value is the same", prediction(0.02, 0.8) == unclipped(0.02, 0.8)),
        ("in machine code too", close(ccc.gradient(prediction, backend="native")(0.02, 0.8), expected[1], 1e-12)),
    ]
    return compared(prediction, 0.02, 0.8, expected=expected, tolerance=100 * ROUNDING, checks=checks,
                    notes=[f"clipped {expected[1][0]:.6g}, as it is {free[0]:.6g}"])  # fmt: skip


def unclipped(input: float, parameter: float) -> float:
    found = input
    for _ in range(6):
        found = math.tanh(parameter * found) * 3.0
    return found * found


# -- Checkpointing: "selectively discarding and rematerializing primal values" --------------------------------------


def cell(h: float, x: float, w: float) -> float:
    return math.tanh(math.sin(math.exp(0.5 * h)) * w + x)


def unrolled(h: float, w: float, xs: list[float]) -> float:
    for x in xs:
        h = cell(h, x, w)
    return h


def with_checkpoints(h: float, w: float, xs: list[float]) -> float:
    for x in xs:
        h = ccc.checkpointed(cell)(h, x, w)
    return h


def checkpointing() -> Outcome:
    """"trade off computation for lower memory consumption": the tape holds the states alone, and computing each cell
    once more gives the same gradient."""
    xs = [0.1, -0.4, 0.3, 0.2]
    texts = [ccc.explain(f, 0.5, 0.8, xs).code for f in (unrolled, with_checkpoints)]
    kept = [text.partition("reversed")[0].count(".append(") for text in texts]
    exponentials = [text.count("math.exp(") for text in texts]
    plain = ccc.value_with_gradient(unrolled)(0.5, 0.8, xs)
    checks = [
        ("the same gradient to the last bit", ccc.value_with_gradient(with_checkpoints)(0.5, 0.8, xs) == plain),
        ("one list is kept instead of several", kept[1] == 1 < kept[0]),
        ("each cell is computed twice", exponentials == [1, 2]),
    ]
    return compared(with_checkpoints, 0.5, 0.8, xs, expected=plain, tolerance=4 * ROUNDING, checks=checks,
                    notes=[f"lists on the tape: {kept[0]} without checkpoints, {kept[1]} with"])  # fmt: skip


# -- Higher-order differentiation ----------------------------------------------------------------------------------


def confusing(x: float) -> float:
    """`x · d/dy (x + y)`: who takes the inner perturbation for the outer one finds 2 for its derivative."""
    return x * ccc.derivative(lambda y: x + y)(1.0)


def sensitive(x: float) -> float:
    """The same with pullbacks, where sensitivities could be confused."""
    _, pullback = ccc.value_with_pullback(lambda y: x * y)(2.0)
    return pullback(x)


def perturbation_confusion() -> Outcome:
    """"Perturbation confusion and sensitivity confusion are two common bugs in nested uses of the differential
    operator": the derivative of x · d/dy (x + y) is 1, that of x · d/dy (x y) is 2x."""
    checks = [("forward in forward", ccc.derivative(confusing)(1.0) == 1.0)]
    for e in CURRIES:
        found = ccc.value_with_gradient(sensitive, exponential=e)(3.0)
        checks.append((f"reverse in reverse with {e.name}", found == (9.0, 6.0)))
        _, differential = ccc.value_with_differential(ccc.gradient(sensitive, exponential=e))(3.0)
        checks.append((f"forward over reverse with {e.name}", differential(1.0) == 2.0))
    return compared(confusing, 1.0, expected=(1.0, 1.0), checks=checks)


def saddle(x: Any) -> Any:
    """`Σ i x_i² + x_0 x_1`, whose Hessian is known."""
    return np.sum(np.arange(1.0, 4.0) * x * x) + x[0] * x[1]


def hessian_vector_products() -> Outcome:
    """"efficient computation of Hessian-vector products": forward mode over reverse mode."""
    x, v = np.array([1.0, -2.0, 0.5]), np.array([3.0, 1.0, -1.0])
    hessian = np.array([[2.0, 1.0, 0.0], [1.0, 4.0, 0.0], [0.0, 0.0, 6.0]])
    checks = [
        ("hvp(x, v) is the Hessian times v", close(ccc.hvp(saddle)(x, v), hessian @ v, ROUNDING)),
        ("the Hessian whole", close(ccc.hessian(saddle)(x), hessian, ROUNDING)),
    ]
    return compared(saddle, x, expected=(9.75 - 2.0, hessian @ x), tolerance=ROUNDING, checks=checks)


# -- Differentiating opaque closures -------------------------------------------------------------------------------


def foo_of_function(f: Callable[[float], float]) -> float:
    """`func foo(_ f: (Float) -> Float) -> Float { return #gradient(f)(0) }`: "cannot differentiate an opaque closure"
    there."""
    return ccc.gradient(f)(0.0)


def of_capturing(a: float) -> float:
    """The closure captures what is differentiated: its slope at 0 is a + a^2."""
    return foo_of_function(lambda x: math.sin(a * x) + a * a * x)


def of_chosen(a: float, left: bool) -> float:
    """Which function it is is known when it runs: the slope at 0 is a or a^3."""
    f = (lambda x: math.sin(a * x)) if left else (lambda x: a * a * a * x)
    return foo_of_function(f)


def of_foo(a: float) -> float:
    """The gradient of foo's result, of a closure made inside: d/db of b * b."""
    return ccc.gradient(lambda b: foo_of_function(lambda x: b * math.sin(b * x)))(a)


def opaque_closure() -> Outcome:
    """A function value carries its derivative, so that `foo` compiles with whatever function a program gives it."""
    chosen: Any = ccc.gradient(of_chosen, wrt=0)
    found = (chosen(2.0, True), chosen(2.0, False))
    checks = [
        ("one compilation serves both functions", found == (1.0, 12.0) and len(chosen.codes) == 1),
        ("foo(sin) is cos(0)", foo_of_function(math.sin) == 1.0),
        ("foo of x ↦ e^2x is 2", foo_of_function(lambda x: math.exp(2.0 * x)) == 2.0),
    ]
    for a in (2.0, -0.5):
        for e in CURRIES:
            for left, by_hand in ((True, (a, 1.0)), (False, (a**3, 3 * a * a))):
                found = ccc.value_with_gradient(of_chosen, wrt=0, exponential=e)(a, left)
                checks.append((f"the chosen function at {(a, left)} with {e.name}", close(found, by_hand, ROUNDING)))
            found = ccc.value_with_gradient(of_foo, exponential=e)(a)
            checks.append((f"the gradient of foo at {a} with {e.name}", close(found, (2 * a, 2.0), ROUNDING)))
    return compared(of_capturing, 2.0, expected=(6.0, 5.0), tolerance=ROUNDING, checks=checks)


EXAMPLES = (
    Example("Tree, static func +", DOCUMENT, sum_of_trees),
    Example("a tree-recursive network", DOCUMENT, tree_recursive_network),
    Example("tanh, adjoint: dTanh", DOCUMENT, adjoint_of_tanh),
    Example("tanh, a primitive by dTanh", DOCUMENT, custom_adjoint_of_tanh),
    Example("foo, withRespectTo: .0", DOCUMENT, gradient_of_foo),
    Example("f_prim, C_f, f_adj, ∇f", DOCUMENT, phases_of_foo),
    Example("foo(_ f) = #gradient(f)(0)", DOCUMENT, opaque_closure),
    Example("replaceGradient(of:)", DOCUMENT, gradient_clipping),
    Example("checkpointing", DOCUMENT, checkpointing),
    Example("perturbation confusion", DOCUMENT, perturbation_confusion),
    Example("Hessian-vector products", DOCUMENT, hessian_vector_products),
)
