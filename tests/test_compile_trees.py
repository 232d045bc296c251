"""Trees, linked lists, expressions and what may be None: values of tagged sums, whose shape is not part of a type."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from checks import agrees, agrees_in_value, value_of

import ccc
from ccc.compile.api.wrapper import Transform
from ccc.objects_of_values import object_of

# -- classes -----------------------------------------------------------------------------------------------------------


@dataclass
class Leaf:
    value: float


@dataclass
class Node:
    left: Leaf | Node
    right: Leaf | Node


@dataclass
class Link:
    v: float
    rest: Link | None = None


class Chain(NamedTuple):
    x: float
    rest: Any


@dataclass
class Rose:
    w: float
    kids: list[Rose] = field(default_factory=list)


@dataclass(frozen=True)
class Search:
    left: Search | None
    key: float
    right: Search | None


class Shape:
    def area(self) -> Any:
        raise NotImplementedError


@dataclass
class Circle(Shape):
    r: float

    def area(self) -> Any:
        return math.pi * self.r**2


@dataclass
class Box(Shape):
    w: float
    h: float

    def area(self) -> Any:
        return self.w * self.h

    @property
    def ratio(self) -> Any:
        return self.w / self.h


@dataclass
class Several(Shape):
    parts: list[Shape]

    def area(self) -> Any:
        return sum(p.area() for p in self.parts)


class Expr:
    def __add__(self, other: Expr) -> Expr:
        return Add(self, other)

    def __mul__(self, other: Expr) -> Expr:
        return Mul(self, other)


@dataclass
class Num(Expr):
    v: float


@dataclass
class Name(Expr):
    i: int


@dataclass
class Add(Expr):
    a: Expr
    b: Expr


@dataclass
class Mul(Expr):
    a: Expr
    b: Expr


@dataclass
class Dense:
    w: Any
    b: Any

    def __call__(self, x: Any) -> Any:
        return np.tanh(x @ self.w + self.b)


@dataclass
class Scale:
    w: Any
    b: Any

    def __call__(self, x: Any) -> Any:
        return x * self.w - self.b


@dataclass
class BinOp:
    op: str
    a: BinOp | Lit
    b: BinOp | Lit


@dataclass
class Lit:
    v: float
    neg: bool = False


@dataclass
class Layered:
    w: Any
    kids: tuple[Any, ...]


@dataclass
class Relu:
    def __call__(self, x: Any) -> Any:
        return np.maximum(x, 0.0)


@dataclass
class Network:
    layers: list[Any]

    def __call__(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x


@dataclass
class Noted:
    a: float
    b: float | None = None


# -- programs ----------------------------------------------------------------------------------------------------------


def total(t: Any) -> Any:
    if isinstance(t, Leaf):
        return math.sin(t.value)
    return total(t.left) * total(t.right)


def scaled(t: Any, k: Any) -> Any:
    return Leaf(t.value * k) if isinstance(t, Leaf) else Node(scaled(t.left, k), scaled(t.right, k))


def total_of_scaled(t: Any, k: Any) -> Any:
    return total(scaled(t, k))


def squares(t: Any) -> Any:
    match t:
        case Leaf(v):
            return v * v
        case Node(a, b):
            return squares(a) + 3.0 * squares(b)


def looks_inside(t: Any) -> Any:
    if isinstance(t, Node) and isinstance(t.left, Leaf):
        return t.left.value ** 2 + (0.0 if isinstance(t.right, Node) else t.right.value)
    return 1.0


def evaluated(e: Any, xs: Any) -> Any:
    match e:
        case Num(v):
            return v
        case Name(i):
            return xs[i]
        case Add(a, b):
            return evaluated(a, xs) + evaluated(b, xs)
        case Mul(Num(k), b):
            return k * evaluated(b, xs)
        case Mul(a, b):
            return evaluated(a, xs) * evaluated(b, xs)


def slope(e: Any, i: Any) -> Any:
    """The derivative of an expression, as an expression."""
    if isinstance(e, Num):
        return Num(0.0)
    if isinstance(e, Name):
        return Num(1.0 if e.i == i else 0.0)
    if isinstance(e, Add):
        return slope(e.a, i) + slope(e.b, i)
    return slope(e.a, i) * e.b + e.a * slope(e.b, i)


def slope_evaluated(e: Any, xs: Any) -> Any:
    return evaluated(slope(e, 0), xs) + evaluated(e, xs)


def along(node: Any) -> Any:
    s = 0.0
    while node is not None:
        s = s * 0.5 + node.v**2
        node = node.rest
    return s


def along_truth(node: Any) -> Any:
    t = 1.0
    while node:
        t *= node.x
        node = node.rest
    return t


def along_recursive(n: Any) -> Any:
    return 0.0 if n is None else n.v * n.v + 0.5 * along_recursive(n.rest)


def reversed_links(xs: Any) -> Any:
    head = None
    for x in xs:
        head = Link(x * 2.0, head)
    return along(head)


def first_above(node: Any, bound: Any) -> Any:
    while node is not None:
        if node.v > bound:
            return node.v * bound
        node = node.rest
    return -bound


def area_squared(s: Any) -> Any:
    return s.area() ** 2


def leaves_squared(t: Any) -> Any:
    return t.value**2 if isinstance(t, Leaf) else leaves_squared(t.left) + leaves_squared(t.right)


def grow(t: Any, depth: int) -> Any:
    return t if depth == 0 else grow(Node(t, Leaf(float(depth))), depth - 1)


def grown(x: Any) -> Any:
    return leaves_squared(grow(Leaf(x), 4))


def insert(t: Any, x: Any) -> Any:
    if t is None:
        return Search(None, x, None)
    if x < t.key:
        return Search(insert(t.left, x), t.key, t.right)
    return Search(t.left, t.key, insert(t.right, x))


def in_order(t: Any, w: Any) -> Any:
    if t is None:
        return 0.0, w
    a, w = in_order(t.left, w)
    b = w * t.key
    c, w = in_order(t.right, w * 0.5)
    return a + b + c, w


def sorted_sum(xs: Any) -> Any:
    t = None
    for x in xs:
        t = insert(t, x)
    return in_order(t, 1.0)[0]


def smallest(xs: Any) -> Any:
    best: Any = None
    for x in xs:
        if best is None or x < best:
            best = x
    return best * 2.0


def maybe(x: Any) -> Any:
    y = None
    if x > 0:
        y = x * x
    return 0.0 if y is None else y + 1.0


def one_of_two(x: Any, flag: Any) -> Any:
    s = Circle(x) if flag > 0 else Box(x, 2.0 * x)
    return s.area()


def rose(t: Any) -> Any:
    return t.w + sum(rose(c) * 2.0 for c in t.kids)


def layered(x: Any, w: Any, b: Any) -> Any:
    for i in range(3):
        layer = Dense(w, b) if i % 2 == 0 else Scale(w[0], b)
        x = layer(x)
    return np.sum(x * x)


def added(a: Any, b: Any) -> Any:
    match a, b:
        case Leaf(x), Leaf(y):
            return Leaf(x + y)
        case Node(p, q), Node(r, s):
            return Node(added(p, r), added(q, s))
        case Leaf(x), Node(r, s):
            return Node(r, added(Leaf(x), s))
        case Node(p, q), Leaf(y):
            return Node(added(p, Leaf(y)), q)


def total_of_added(a: Any, b: Any) -> Any:
    return leaves_squared(added(a, b))


def gradient_inside(t: Any) -> Any:
    g = ccc.gradient(leaves_squared)(t)
    return total(g)


def with_test(t: Any) -> Any:
    if not isinstance(t, Node):
        raise TypeError("a node")
    return leaves_squared(t.left)


def by_operator(e: Any) -> Any:
    if isinstance(e, Lit):
        return -e.v if e.neg else e.v
    a, b = by_operator(e.a), by_operator(e.b)
    if e.op == "+":
        return a + b
    if e.op == "*":
        return a * b
    raise ValueError(f"unknown {e.op}")


def by_pattern(e: Any) -> Any:
    match e:
        case Lit(v, True):
            return -v
        case Lit(v):
            return v
        case BinOp("+", a, b):
            return by_pattern(a) + by_pattern(b)
        case BinOp(_, a, b):
            return by_pattern(a) * by_pattern(b)


def by_type(e: Any) -> Any:
    return e.v if type(e) is Lit else by_type(e.a) * by_type(e.b)


def through_layers(t: Any, x: Any) -> Any:
    h = np.tanh(t.w * x)
    for k in t.kids:
        h = h + through_layers(k, h) * 0.5
    return h


def sum_through_layers(t: Any, x: Any) -> Any:
    return np.sum(through_layers(t, x))


def of_network(m: Any, x: Any) -> Any:
    return np.sum(m(x) ** 2)


def mirrored(t: Any) -> Any:
    return None if t is None else Search(mirrored(t.right), t.key**2, mirrored(t.left))


def weight(t: Any, d: Any = 1.0) -> Any:
    return 0.0 if t is None else t.key * d + weight(t.left, d * 0.5) + weight(t.right, d * 0.25)


def depth(t: Any) -> Any:
    return 0 if t is None else 1 + max(depth(t.left), depth(t.right))


def mirrored_weight(t: Any) -> Any:
    return weight(mirrored(t)) * depth(t)


def of_global(x: Any) -> Any:
    return weight(FOREST) * x


def of_dict(d: Any) -> Any:
    return weight(d["tree"]) * d["x"]


def with_key(t: Any, x: Any) -> Any:
    return weight(replace(t, key=x))


def of_list(ts: Any) -> Any:
    return sum(weight(t) for t in ts)


def with_a_stack(t: Any) -> Any:
    s, todo = 0.0, [t]
    while todo:
        n = todo.pop()
        if n is None:
            continue
        s = s + n.key**2
        todo.append(n.left)
        todo.append(n.right)
    return s


def array_or_none(x: Any, flag: Any) -> Any:
    m = None
    for i in range(3):
        if flag > i:
            m = x * i if m is None else m + x
    return np.sum(x) if m is None else np.sum(m**2)


def pair_or_none(xs: Any) -> Any:
    best: Any = None
    for i, x in enumerate(xs):
        if best is None or x > best[1]:
            best = (i, x)
    i, v = best
    return v * (i + 1)


def found(xs: Any, t: Any) -> Any:
    for x in xs:
        if x > t:
            return x
    return None


def found_or(xs: Any, t: Any) -> Any:
    r = found(xs, t)
    return t if r is None else r * 2.0


def noted(x: Any) -> Any:
    c = Noted(x)
    for _ in range(2):
        c = Noted(c.a * 2.0, x if c.b is None else c.b + x)
    return c.a + (0.0 if c.b is None else c.b**2)


SMALL = Node(Leaf(1.0), Leaf(3.0))
TREE = Node(Leaf(1.0), Node(Leaf(2.0), Leaf(0.5)))
X, Y = Name(0), Name(1)
W = np.array([[0.5, -1.0], [0.25, 0.75]])
SUM = BinOp("+", BinOp("*", Lit(2.0), Lit(3.0, True)), BinOp("*", Lit(4.0), Lit(5.0)))
FOREST = Search(Search(None, 1.0, None), 2.0, Search(None, 3.0, Search(None, 4.0, None)))
LAYERS = Layered(np.array([0.1, 0.2]), (
    Layered(np.array([0.3, 0.4]), ()),
    Layered(np.array([0.5, 0.6]), (Layered(np.array([0.7, 0.8]), ()),)),
))  # fmt: skip
NETWORK = Network([Dense(W, np.array([0.1, 0.2])), Relu(), Dense(2.0 * W, np.array([0.3, -0.2]))])
CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (total, (TREE,)), (total_of_scaled, (TREE, 0.5)), (squares, (TREE,)), (looks_inside, (TREE,)),
    (looks_inside, (SMALL,)), (looks_inside, (Node(TREE, TREE),)),
    (evaluated, (Num(2.0) * X + Y * X, [2.0, 3.0])), (slope_evaluated, (X * X * Y + Num(2.0) * X, [2.0, 3.0])),
    (along, (Link(1.0, Link(2.0, Link(3.0))),)), (along, (Link(1.0),)),
    (along_recursive, (Link(1.0, Link(2.0, Link(3.0))),)), (along_truth, (Chain(2.0, Chain(3.0, None)),)),
    (reversed_links, ([1.0, 2.0, 3.0],)), (first_above, (Link(1.0, Link(3.0, Link(4.0))), 2.0)),
    (first_above, (Link(1.0, Link(1.5)), 2.0)), (area_squared, (Circle(2.0),)),
    (area_squared, (Several([Circle(1.0), Box(2.0, 3.0), Several([Box(1.0, 1.0)])]),)), (grown, (1.5,)),
    (leaves_squared, (TREE,)), (sorted_sum, ([3.0, 1.0, 2.0],)), (smallest, ([3.0, 1.0, 2.0],)), (maybe, (2.0,)),
    (maybe, (-1.0,)), (one_of_two, (2.0, 1.0)), (one_of_two, (2.0, -1.0)),
    (rose, (Rose(1.0, [Rose(2.0), Rose(3.0, [Rose(4.0)])]),)), (rose, (Rose(1.0),)),
    (layered, (np.array([0.5, -0.25]), W, np.array([0.1, 0.2]))), (total_of_added, (TREE, SMALL)),
    (by_operator, (SUM,)), (by_pattern, (SUM,)), (by_type, (BinOp("*", Lit(2.0), Lit(3.0)),)),
    (sum_through_layers, (LAYERS, np.array([1.0, 2.0]))), (of_network, (NETWORK, np.array([1.0, 2.0]))),
    (mirrored_weight, (FOREST,)), (of_global, (2.0,)), (of_dict, ({"tree": FOREST, "x": 2.0},)),
    (with_key, (FOREST, 3.0)), (of_list, ([FOREST, FOREST.left],)), (with_a_stack, (FOREST,)),
    (array_or_none, (np.array([1.0, 2.0]), 2.5)), (array_or_none, (np.array([1.0, 2.0]), -2.0)),
    (pair_or_none, ([1.0, 3.0, 2.0],)), (found_or, ([1.0, 2.0], 1.5)), (found_or, ([1.0, 2.0], 2.5)), (noted, (1.5,)),
    (total_of_added, (SMALL, Leaf(2.0))), (gradient_inside, (TREE,)), (with_test, (TREE,)),
]  # fmt: skip


@pytest.mark.share(8)
@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_programs(f: Callable[..., Any], args: tuple[Any, ...]):
    agrees(f, *args)


# -- types -------------------------------------------------------------------------------------------------------------


def test_the_shape_of_a_tree_is_not_in_its_type():
    assert object_of(TREE) == object_of(SMALL) == object_of(Node(TREE, TREE))
    assert object_of(Link(1.0)) == object_of(Link(1.0, Link(2.0)))
    assert str(object_of(TREE)) == "Leaf{value: R} | Node{left: ..., right: ...}"


def test_a_new_shape_does_not_compile_anew():
    g = ccc.gradient(leaves_squared)
    for tree in (TREE, SMALL, Node(TREE, SMALL), Node(Node(Node(SMALL, TREE), TREE), Leaf(7.0))):
        doubled = scaled(tree, 2.0)
        assert g(tree) == doubled
    (codes,) = g.codes.values()
    assert len(codes) == 1


def test_a_class_that_is_not_annotated_so_is_found_by_its_values():
    @dataclass
    class Pile:
        top: float
        below: Any = None

    def height(p: Any) -> Any:
        return p.top if p.below is None else p.top * height(p.below)

    assert value_of(height, Pile(2.0, Pile(3.0, Pile(5.0)))) == 30.0
    assert ccc.gradient(height)(Pile(2.0, Pile(3.0, Pile(5.0)))) == Pile(15.0, Pile(10.0, Pile(6.0)))


def test_a_list_of_a_ten_thousand_links_needs_no_stack():
    links: Any = None
    for i in range(10_000):
        links = Link(1.0 + i % 3, links)
    found = ccc.gradient(along)(links)
    assert found.v == 2.0 * links.v * 0.5**9_999 and found.rest.rest.rest.v >= 0.0
    count = 0
    while found is not None:
        count, found = count + 1, found.rest
    assert count == 10_000


# -- what Python raises ------------------------------------------------------------------------------------------------


def doubled_left(t: Any) -> Any:
    return t.left.value * 2.0


def smallest_of_none(n: int, x: float) -> Any:
    best: Any = None
    for i in range(n):
        best = x * i
    return best * 2.0


@pytest.mark.parametrize(("f", "args"), [
    (doubled_left, (TREE,)), (doubled_left, (Node(TREE, Leaf(1.0)),)), (smallest_of_none, (0, 1.5)),
    (smallest_of_none, (3, 1.5)), (with_test, (Leaf(1.0),)), (with_test, (TREE,)), (along_recursive, (Link(1.0),)),
    (Transform(smallest), ([],)), (by_operator, (BinOp("-", Lit(1.0), Lit(2.0)),)),
    (pair_or_none, ([],)),
])  # fmt: skip
def test_the_same_is_raised(f: Callable[..., Any], args: tuple[Any, ...]):
    f = f.function if isinstance(f, Transform) else f  # type: ignore[reportAssignmentType]
    agrees_in_value(f, *args)


def test_the_cotangent_of_a_tree_is_one():
    value, pullback = ccc.value_with_pullback(mirrored)(FOREST)
    assert value == mirrored(FOREST)
    assert pullback(value).right.key == 2 * 3.0 * 3.0**2
    assert pullback(value).left == Search(None, 2.0, None)


def test_a_structure_that_holds_itself_is_refused():
    ring = Link(1.0)
    ring.rest = Link(2.0, ring)
    with pytest.raises(ccc.CCCError, match="holds itself"):
        ccc.gradient(along)(ring)
    rows: list[Any] = [1.0]
    rows.append(rows)
    with pytest.raises(ccc.CCCError, match="holds itself"):
        ccc.gradient(lambda rows: rows[0] * 2.0)(rows)
    shared = Leaf(3.0)
    assert ccc.gradient(leaves_squared)(Node(shared, shared)) == Node(Leaf(6.0), Leaf(6.0))


def test_a_fault_of_ours_is_not_taken_for_items_without_a_common_type(monkeypatch: pytest.MonkeyPatch):
    from ccc.primitives import structure

    def broken(*args: Any) -> Any:
        raise TypeError("ours")

    def pair(x):
        return [x, 2.0 * x]

    monkeypatch.setattr(structure, "listing", replace(structure.listing, type_rule=broken))
    with pytest.raises(TypeError, match="ours"):
        ccc.value_with_pullback(pair)(2.0)
