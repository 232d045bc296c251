"""Trees whose shape is the caller's, in machine code: nodes in memory, cotangents of which parts are nothing."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from native_checks import near, never_left

import ccc
from ccc.compile.native import engine, stacks

pytestmark = pytest.mark.skipif(not engine.available(), reason="LLVM is not installed")


@dataclass
class Const:
    v: float


@dataclass
class Place:
    i: int


@dataclass
class Sum:
    left: Const | Place | Sum | Times
    right: Const | Place | Sum | Times


@dataclass
class Times:
    left: Const | Place | Sum | Times
    right: Const | Place | Sum | Times


def evaluated(e: Any, xs: Any) -> Any:
    match e:
        case Const(v):
            return v
        case Place(i):
            return xs[i]
        case Sum(a, b):
            return evaluated(a, xs) + evaluated(b, xs)
        case Times(a, b):
            return evaluated(a, xs) * math.sin(evaluated(b, xs))


@dataclass
class Many:
    w: np.ndarray
    below: list[Many]


def weighed(t: Many, x: Any) -> float:
    s = float(np.sum(t.w * x))
    for y in t.below:
        s += weighed(y, x * 0.5)
    return s


@dataclass
class Two:
    key: float
    left: Two | None = None
    right: Two | None = None


def inserted(t: Two | None, k: float) -> Two:
    if t is None:
        return Two(k)
    if k < t.key:
        return Two(t.key, inserted(t.left, k), t.right)
    return Two(t.key, t.left, inserted(t.right, k))


def walked(t: Two | None, d: float, s: float) -> float:
    return 0.0 if t is None else t.key * d + walked(t.left, d * s, s) + walked(t.right, d * s, s)


def sorted_by_inserting(xs: list[float], s: float) -> float:
    t = None
    for x in xs:
        t = inserted(t, x)
    return walked(t, 1.0, s)


def squares(t: Two | None) -> float:
    return 0.0 if t is None else t.key**2 + squares(t.left) * 0.5 + squares(t.right)


def scaled(t: Two | None, s: float) -> Two | None:
    return None if t is None else Two(t.key * s, scaled(t.left, s), scaled(t.right, s))


def of_scaled(t: Two, s: float) -> float:
    return squares(scaled(t, s))


def deep(t: Two | None) -> int:
    return 0 if t is None else 1 + max(deep(t.left), deep(t.right))


def by_depth(t: Two, s: float) -> float:
    return squares(t) * s ** deep(t)


def of_gradient(t: Two, s: float) -> float:
    g = ccc.gradient(squares)(t)
    return g.key * s + (0.0 if g.left is None else g.left.key)


def descended(t: Two, rate: float) -> Two | None:
    g = ccc.gradient(squares)(t)

    def moved(a: Any, b: Any) -> Two | None:
        return None if a is None else Two(a.key - rate * b.key, moved(a.left, b.left), moved(a.right, b.right))

    return moved(t, g)


def chosen(t: Two, u: Two, s: float) -> float:
    v = t if s > 0.3 else u
    return squares(v) * s


def of_several(ts: list[Two], s: float) -> float:
    found = 0.0
    for t in ts:
        found += squares(t) * s
    return found


@dataclass
class Link:
    v: float
    next: Link | None


def along(link: Link | None, s: float) -> float:
    found = 0.0
    while link is not None:
        found = found * s + math.sin(link.v)
        link = link.next
    return found


def turned(link: Link | None, s: float) -> float:
    out = None
    while link is not None:
        out = Link(link.v * 2.0, out)
        link = link.next
    return along(out, s)


def stacked(xs: list[float], s: float) -> float:
    top = None
    for x in xs:
        if x > 0:
            top = Link(x, top)
        elif top is not None:
            top = top.next
    return along(top, s)


@dataclass
class Split:
    feature: int
    bound: float
    low: Split | Leaf
    high: Split | Leaf


@dataclass
class Leaf:
    value: np.ndarray


def predicted(t: Split | Leaf, x: Any) -> Any:
    while isinstance(t, Split):
        t = t.low if x[t.feature] < t.bound else t.high
    return t.value


def error(t: Split | Leaf, xs: Any) -> float:
    found = 0.0
    for x in xs:
        found += float(np.sum(predicted(t, x) ** 2 * x))
    return found


class Of(NamedTuple):
    v: float
    left: Of | None
    right: Of | None


def of_named(t: Of | None, s: float) -> float:
    return 0.0 if t is None else t.v * s + of_named(t.left, s * s) + of_named(t.right, s * 0.5)


def wider(t: Two, s: float) -> float:
    """A node of NumPy's numbers among those of Python's."""
    u = Two(float(np.sum(np.ones(2) * s)), t, None)
    if s > 0.2:
        u = Two(s, u, inserted(t, s * 2.0))
    return squares(u)


def around(e: Any, s: float) -> float:
    """Smaller sums as parts of larger ones."""
    return evaluated(Sum(Times(e, Const(s)), Place(0)), [s, 2.0 * s])


@dataclass
class Named:
    w: np.ndarray
    name: str
    below: list[Named]


def by_name(t: Named, x: Any) -> Any:
    found = np.sum(t.w * x) * (2.0 if t.name == "a" else 1.0)
    for y in t.below:
        found = found + by_name(y, np.tanh(x * y.w))
    return found


def copied(t: Two, s: float) -> float:
    u = copy.deepcopy(t)
    u.key = u.key * s
    u.left = None
    return squares(u) * s + squares(t)


def copied_below(t: Many, s: float) -> float:
    u = copy.deepcopy(t)
    u.below[0].w[0] = s
    return weighed(u, s) + weighed(t, 2.0)


def all_copied(ts: list[Two], s: float) -> float:
    return squares(copy.deepcopy(ts)[1]) * s


NAMED = Named(
    np.ones(2), "r", [Named(np.array([0.5, 0.1]), "a", [Named(np.ones(2), "b", [])]), Named(np.ones(2), "b", [])]
)
EXPRESSION = Sum(Times(Const(2.0), Place(0)), Times(Place(1), Sum(Const(0.3), Place(0))))
MANY = Many(np.array([1.0, 2.0]), [Many(np.array([0.5, 0.1]), []), Many(np.ones(2), [Many(np.array([3.0, 4.0]), [])])])
TREE = Two(1.0, Two(0.5, None, Two(0.7)), Two(2.0, Two(1.5)))
LINKS = Link(1.0, Link(2.0, Link(0.5, Link(-1.0, None))))
TESTS = Split(0, 0.5, Leaf(np.array([1.0, 2.0])), Split(1, 0.2, Leaf(np.array([3.0, 4.0])), Leaf(np.array([5.0, 6.0]))))
XS = np.array([[0.1, 0.2], [0.7, 0.1], [0.9, 0.9], [0.6, 0.3]])
PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (evaluated, (EXPRESSION, np.array([0.3, 0.4]))), (weighed, (MANY, np.array([0.5, 0.6]))),
    (sorted_by_inserting, ([3.0, 1.0, 2.0, 5.0, 4.0], 0.7)), (of_scaled, (TREE, 0.9)), (by_depth, (TREE, 0.9)),
    (of_gradient, (TREE, 0.4)), (chosen, (TREE, Two(4.0), 0.5)), (chosen, (TREE, Two(4.0), 0.1)),
    (of_several, ([TREE, Two(3.0)], 0.5)), (along, (LINKS, 0.8)), (turned, (LINKS, 0.8)),
    (stacked, ([1.0, 2.0, -1.0, 3.0, -1.0, 4.0], 0.5)), (error, (TESTS, XS)),
    (of_named, (Of(1.0, Of(2.0, None, None), Of(3.0, None, Of(4.0, None, None))), 0.7)), (wider, (TREE, 0.4)),
    (copied, (TREE, 0.7)), (all_copied, ([Two(3.0), TREE], 0.7)),
    (copied_below, (MANY, 0.7)), (wider, (TREE, 0.1)), (around, (EXPRESSION, 0.4)), (around, (Const(0.5), 0.4)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=[f"{f.__name__}{i}" for i, (f, _) in enumerate(PROGRAMS)])
def test_trees_are_machine_code_with_their_gradients(
    f: Callable[..., Any], args: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stacks, "POISONED", True)
    value, gradient = f(*copy.deepcopy(args)), ccc.gradient(f, backend="numpy")(*copy.deepcopy(args))
    with never_left():
        assert not near(f, args, ccc.compiled(f, backend="native")(*args), value)
        assert not near(f, args, ccc.gradient(f, backend="native")(*args), gradient)


def test_trees_are_results() -> None:
    with never_left():
        assert ccc.compiled(scaled, backend="native")(TREE, 2.0) == scaled(TREE, 2.0)
        found = ccc.compiled(descended, backend="native")(TREE, 0.1)
    assert found == descended(TREE, 0.1)


def test_what_several_places_hold_has_a_cotangent_in_each() -> None:
    one = Two(2.0)
    with never_left():
        found = ccc.gradient(squares, backend="native")(Two(1.0, one, one))
    assert found == Two(2.0, Two(2.0), Two(4.0)) == ccc.gradient(squares, backend="numpy")(Two(1.0, one, one))


def chain(n: int) -> Link | None:
    link = None
    for i in range(n):
        link = Link(float(i), link)
    return link


def length_of(link: Link | None) -> int:
    n = 0
    while link is not None:
        n, link = n + 1, link.next
    return n


@pytest.mark.parametrize("n", [100, 3_000, 30_000])
def test_trees_of_any_depth_are_taken_and_given(n: int) -> None:
    """Those too deep for the stack are left to NumPy."""
    assert length_of(ccc.compiled(chain, backend="native")(n)) == n
    native, numpy = [ccc.compiled(along, backend=backend) for backend in ("native", "numpy")]
    assert native(chain(n), 0.9) == pytest.approx(numpy(chain(n), 0.9))


def test_a_cycle_is_refused_though_there_is_code_for_trees() -> None:
    native = ccc.compiled(squares, backend="native")
    assert native(TREE) == squares(TREE)
    ring = Two(1.0)
    ring.left = ring
    with pytest.raises(ccc.CCCError, match="holds itself"):
        native(ring)


def test_cotangents_that_differ_in_shape_are_added_where_they_meet() -> None:
    def f(t: Two, s: float) -> float:
        found = t.key * s
        if t.left is not None:
            found += t.left.key**2
        if t.right is not None and t.right.left is not None:
            found += t.right.left.key * s + squares(t.right)
        return found

    with never_left():
        found = ccc.gradient(f, backend="native")(TREE, 0.5)
    assert found == ccc.gradient(f, backend="numpy")(TREE, 0.5)


def equal(t: Any, u: Any, s: float) -> float:
    return s * t.v if t == u else 2.0 * s * u.v


def unequal(t: Any, u: Any, s: float) -> float:
    return s * t.v if t != u else 2.0 * s * u.v


def among(t: Any, ts: Any, s: float) -> float:
    return s if t in ts else 3.0 * s * t.v


@dataclass
class Counted:
    v: float
    k: int = 0
    left: Counted | None = None
    right: Counted | None = None


@dataclass
class Several:
    v: float
    xs: list[Several]


def counted(k: int) -> Counted:
    return Counted(1.0, 0, Counted(2.0), Counted(3.0, k, None, Counted(4.0)))


def several(*last: float) -> Several:
    return Several(1.0, [Several(2.0, []), Several(3.0, [Several(v, []) for v in last])])


@pytest.mark.parametrize("f", [equal, unequal])
@pytest.mark.parametrize(("t", "u"), [
    (counted(1), counted(1)), (counted(1), counted(2)), (several(4.0), several(4.0)), (several(4.0), several()),
    (several(4.0), several(4.0, 5.0)), (Link(1.0, Link(2.0, None)), Link(1.0, None)), (LINKS, LINKS),
])  # fmt: skip
def test_trees_are_compared_node_by_node(f: Callable[..., Any], t: Any, u: Any) -> None:
    with never_left():
        assert ccc.compiled(f, backend="native")(t, u, 0.5) == f(t, u, 0.5)
        assert ccc.gradient(f, wrt="s", backend="native")(t, u, 0.5) == f(t, u, 1.0)


def test_trees_are_found_in_lists() -> None:
    with never_left():
        found = ccc.gradient(among, wrt="s", backend="native")
        assert found(counted(1), [counted(2), counted(1)], 0.5) == 1.0
        assert found(counted(1), [counted(2)], 0.5) == 3.0


def rest_among(t: Any, s: float) -> float:
    return s if t.next in [Link(1.0, None), t, None] else 3.0 * s


def links_among(t: Any, s: float) -> float:
    found, link = 0.0, t
    while link is not None:
        if link.next in (t, Link(2.0, None), None):
            found += s * link.v
        link = link.next
    return found


@pytest.mark.parametrize("f", [rest_among, links_among])
@pytest.mark.parametrize("t", [
    Link(3.0, Link(1.0, None)), Link(3.0, None), Link(3.0, Link(3.0, None)), Link(1.0, Link(2.0, None)),
    Link(3.0, Link(2.0, Link(2.0, None))),
])  # fmt: skip
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_tree_is_compared_with_what_it_is_a_part_of(f: Callable[..., Any], t: Any, backend: Any) -> None:
    assert ccc.compiled(f, backend=backend)(t, 0.5) == f(t, 0.5)
    assert ccc.gradient(f, wrt="s", backend=backend)(t, 0.5) == f(t, 1.0)


def test_nodes_with_texts_and_lists_of_nodes_have_gradients() -> None:
    native, numpy = [ccc.gradient(by_name, backend=backend)(NAMED, 0.7) for backend in ("native", "numpy")]
    assert not near(by_name, (NAMED, 0.7), native, numpy)


class Part:
    """A part that is known to those inside it."""

    def __init__(self, v: Any, parent: Part | None = None) -> None:
        self.v, self.parent = v, parent
        self.children: list[Any] = []
        if parent is not None:
            parent.children.append(self)

    def top(self, depth: int) -> Part:
        if depth == 0 or self.parent is None:
            return self
        return self.parent.top(depth - 1)

    def total(self, depth: int) -> Any:
        found = self.v
        if depth > 0:
            for child in self.children:
                found += 0.5 * child.total(depth - 1)
        return found


def grown(x: Any, n: int) -> Any:
    root = Part(x * x)
    parts = [root.top(2), Part(x, root.top(2))]
    for i in range(n):
        parts.append(Part(x * i, parts[i].top(1)))
        parts[i].v *= 1.5
    return root.total(2) + len(root.children)


def test_objects_that_are_known_to_each_other_are_changed() -> None:
    """Which of the objects in a store a name leads to may be a constant."""
    with never_left():
        assert ccc.compiled(grown, backend="native")(1.5, 4) == pytest.approx(grown(1.5, 4))
        assert ccc.gradient(grown, backend="native")(1.5, 4) == ccc.gradient(grown, backend="numpy")(1.5, 4)


def called_in_turn(x: Any, n: int, k: int) -> Any:
    s, total, row = x * x, x, [x, 0.5]
    calls: list[Any] = [lambda t, a=s: a * t for _ in range(n)]

    def g(t: Any) -> Any:
        nonlocal total
        total = 0.5 * total + t
        row[1] = t
        return total * 0.5 + t

    s = 0.5 * s + (calls[0] if x > 1.0 else g)(0.5 * x)
    if k == 0:
        s = 0.5 * s + calls[1 - k](x * x)
    calls.insert(0, lambda t: t + row[0])
    return s + g(s)


def test_cotangents_of_functions_that_are_not_one_of_the_same_are_left() -> None:
    native, numpy = [ccc.gradient(called_in_turn, backend=backend)(1.3, 3, 0) for backend in ("native", "numpy")]
    assert native == numpy
