"""Objects that keep themselves where they are made, texts in objects, and random programs over graphs of objects."""

from __future__ import annotations

import collections
import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from checks import agrees, runs_in_stores
from random_checks import AGREED, FAILURES, outcome_of
from random_graphs import graphs

import ccc


class Child:
    def __init__(self, v: Any, parent: Any = None) -> None:
        self.v = v
        self.parent = parent
        self.children: list[Any] = []
        if parent is not None:
            parent.children.append(self)
        self.depth: int = 0 if parent is None else parent.depth + 1


@dataclass
class Worker:
    name: str
    pay: Any
    boss: Any = None
    reports: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.boss is not None:
            self.boss.reports.append(self)


class Ring:
    def __init__(self, v: Any) -> None:
        self.next = self
        self.held = [self]
        self.v = v


class Hasty:
    def __init__(self, v: Any, all: list[Any]) -> None:
        all.append(self)
        self.sum = sum([one.v for one in all])
        self.v = v


def children(x: float, n: int) -> Any:
    nodes = [Child(x)]
    for i in range(n):
        nodes.append(Child(x * i, nodes[i // 2]))
    nodes[n].parent.parent.children[0].v *= x
    for node in nodes:
        for child in node.children:
            child.v += node.v * 0.5
    return sum([node.v * (1 + node.depth) for node in nodes])


def workers(x: float, n: int) -> Any:
    first = Worker("a", x)
    others = [Worker("b" if i % 2 == 0 else "c", x * i, first) for i in range(n)]
    others[n - 1].boss.pay += x * x
    first.reports[0].pay = 9.0 * x
    by_name = {one.name: one for one in others}
    by_name["c"].pay *= 3.0
    return first.pay + sum([one.pay * (2.0 if one.name == "b" else 1.0) for one in others])


def rings(x: float, n: int) -> Any:
    a, b = Ring(x), Ring(2.0 * x)
    a.next, b.next = b, a
    chosen = a if n > 3 else b
    chosen.next.held[0].v += x * x
    chosen.next.next.held[0].v *= 2.0
    return a.v + 10.0 * b.v


@dataclass
class Fighter:
    at: list[int]
    life: Any
    foe: Fighter | None = None


def fighters(x: Any, n: int) -> Any:
    """Objects that lead to others of their class and hold lists, new in each run of a comprehension."""
    found = [Fighter([i, 0], x + i) for i in range(n)]
    for i, one in enumerate(found):
        one.foe = found[(i + 1) % n]
    for one in found:
        if one.foe is not None:
            one.foe.life -= 0.5 * one.life
            one.at[0] += one.foe.at[0]
    return sum([one.life * one.at[0] for one in found]) * found[0].life


@pytest.mark.share(2)
@pytest.mark.parametrize("f", [children, workers, rings, fighters], ids=lambda f: f.__name__)
def test_objects_that_keep_themselves_where_they_are_made(f: Callable[..., Any]) -> None:
    agrees(f, 1.3, 3)
    assert ccc.value_with_gradient(f, wrt=0, backend="native")(0.6, 4)[0] == f(0.6, 4)


def test_what_is_not_set_yet_is_not_there() -> None:
    def f(x: float, n: int) -> Any:
        found: list[Any] = []
        a, b = Hasty(x, found), Hasty(2.0 * x, found)
        chosen = a if n > 3 else b
        chosen.v += x
        return a.v + b.sum

    with pytest.raises(AttributeError):
        f(1.3, 3)
    with pytest.raises((AttributeError, ccc.CCCError)):
        ccc.value_with_gradient(f, wrt=0)(1.3, 3)


def test_a_few_random_programs_are_right_or_refused() -> None:
    found = [outcome_of(graphs(seed)).kind for seed in range(1)]
    assert not set(found) & set(FAILURES)
    assert AGREED in found


class Vertex:
    def __init__(self, v: Any) -> None:
        self.v = v
        self.next: list[Any] = []
        self.seen = 0


def along_vertices(x: np.ndarray) -> Any:
    """Items of an array and floats of Python's in one attribute."""
    vertices = [Vertex(v) for v in x]
    for one, other in pairwise(vertices):
        one.next.append(other)
        other.next.append(one)
    todo, total = [vertices[0]], 0.0
    while todo:
        vertex = todo.pop()
        if vertex.seen > 0:
            continue
        vertex.seen = 1
        vertex.v = vertex.v**2 + total
        total = vertex.v
        todo.extend(vertex.next)
    return total


def reversed_in_place(x: np.ndarray) -> Any:
    """The class is made by the function, and its objects hold each other."""

    class Cell:
        def __init__(self, v: Any, rest: Any) -> None:
            self.v = v
            self.rest = rest

        def longer(self, v: Any) -> Any:
            return Cell(v, self)

    first, last = Cell(x[0], None), None
    for v in x[1:]:
        first = first.longer(v)
    while first is not None:
        first.rest, last, first = last, first, first.rest
    total, k = 0.0, 1
    while last is not None:
        total, k, last = total + last.v * k, 2 * k, last.rest
    return total**2


@pytest.mark.parametrize("f", [along_vertices, reversed_in_place])
def test_objects_made_of_the_items_of_an_array_stand_in_stores(f: Callable[..., Any]) -> None:
    agrees(f, np.array([0.3, -0.4, 0.5]))


def by_two_classes(x: float, y: float) -> float:
    def scaled(w: float) -> Any:
        class Scaled:
            def __init__(self, v: float) -> None:
                self.v = v * w

            def total(self) -> float:
                return self.v * w

        return Scaled

    one, other = scaled(x), scaled(2.0)
    a, b = one(y), other(x)
    return a.total() * b.total() + isinstance(a, other)


def test_each_class_of_a_function_reads_the_variables_of_its_call() -> None:
    agrees(by_two_classes, 0.3, 0.5)


def counted_by_methods(x: np.ndarray) -> Any:
    def counter(w: Any) -> Any:
        c = 0.0

        class Counter:
            def up(self, v: Any) -> Any:
                nonlocal c
                c = c + v * w
                return c

        return Counter()

    a, b = counter(x[0]), counter(x[1])
    for v in x:
        b.up(a.up(v))
    return a.up(0.0) * b.up(0.0)


def test_what_methods_write_of_a_function_that_has_ended_is_carried_by_loops() -> None:
    agrees(counted_by_methods, np.array([0.3, -0.4, 0.5]))


def shortest_way(lengths: Any) -> Any:
    ways = {0: [(1, lengths[0]), (2, lengths[1])], 1: [(3, lengths[2])], 2: [(3, lengths[3])], 3: []}
    far = dict.fromkeys(ways, math.inf)
    far[0] = 0.0
    queue = [(0.0, 0)]
    while queue:
        so_far, here = heapq.heappop(queue)
        if so_far > far[here]:
            continue
        for there, length in ways[here]:
            if so_far + length * length < far[there]:
                far[there] = so_far + length * length
                heapq.heappush(queue, (far[there], there))
    return far[3]


def test_floats_of_python_stand_in_dicts_of_what_numpy_gives() -> None:
    runs_in_stores(shortest_way, np.array([0.7, 0.3, 0.9, 1.4]))


def searched(values: Any) -> Any:
    def insert(node: Any, key: Any, value: Any) -> Any:
        if node is None:
            return {"key": key, "value": value, "left": None, "right": None}
        side = "left" if key < node["key"] else "right"
        node[side] = insert(node[side], key, value)
        return node

    def added_up(node: Any, depth: int) -> Any:
        if node is None:
            return 0.0
        return node["value"] * depth + added_up(node["left"], depth + 1) + added_up(node["right"], depth + 1) ** 2

    root = None
    for i, value in enumerate(values):
        root = insert(root, i * 7 % 5, value)
    return added_up(root, 1)


def test_nodes_are_dicts_with_numbers_and_nodes_in_them() -> None:
    """An item at a known key may be anything that stands in the dict; what has no items raises if it is that."""
    runs_in_stores(searched, np.array([0.7, 0.35, 0.9]))


def a_number_with_items(x: Any) -> Any:
    found = {"a": x, "b": [x, 2.0 * x]}
    keys = ["b", "a"]
    return sum([found[key][0] for key in keys[: 1 + (x > 1.0)]])


def test_a_number_has_no_items() -> None:
    """Of one of several it is said when it is met, as in Python."""
    assert ccc.gradient(a_number_with_items)(0.5) == 1.0
    with pytest.raises(TypeError, match="'float' object is not subscriptable"):
        ccc.gradient(a_number_with_items)(1.5)


def test_what_a_loop_carries_may_hold_a_list_that_it_changes() -> None:
    """The list became one of the program, and a name for the object that holds it was carried without: `StopIteration`.
    """

    def f(x: float) -> float:
        a = Grown(x)
        b, left = a, 3
        while left:
            a.parts.append(b.v * left)
            b, left = b, left - 1
        return sum(b.parts) * x + len(a.parts)

    agrees(f, 1.5)


class Grown:
    def __init__(self, v: float) -> None:
        self.v = v
        self.parts: list[float] = []


class Link:
    __slots__ = ("after", "before", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.after = self
        self.before = self


class Chain:
    def __init__(self) -> None:
        self.end = Link(0.0)

    def append(self, value: Any) -> Any:
        link, last = Link(value), self.end.before
        last.after = self.end.before = link
        link.before, link.after = last, self.end
        return link

    def __iter__(self) -> Any:
        link = self.end.after
        while link is not self.end:
            yield link.value
            link = link.after


def chained(values: Any) -> Any:
    chain = Chain()
    links = [chain.append(value**2) for value in values]
    links[1].before.after, links[1].after.before = links[1].after, links[1].before
    links[0].value *= values[-1]
    return sum(v * k for k, v in enumerate(chain, 1)) + max(chain)


class Parts:
    """The `__init__` makes objects of its own class, as many as the arguments say."""

    def __init__(self, values: Any, low: int, high: int) -> None:
        self.low, self.high = low, high
        self.waiting: Any = 0.0
        self.left: Any = None
        self.right: Any = None
        if high - low == 1:
            self.total = values[low]
        else:
            middle = (low + high) // 2
            self.left = Parts(values, low, middle)
            self.right = Parts(values, middle, high)
            self.total = self.left.total + self.right.total

    def add(self, low: int, high: int, value: Any) -> None:
        if high <= self.low or low >= self.high:
            return
        self.total += value * (min(high, self.high) - max(low, self.low))
        if low <= self.low and self.high <= high:
            self.waiting += value
        else:
            self.left.add(low, high, value)
            self.right.add(low, high, value)


def in_parts(values: Any) -> Any:
    parts = Parts(values, 0, len(values))
    parts.add(0, 2, values[0] ** 2)
    parts.add(1, 3, parts.left.total)
    return parts.total * parts.right.total


class Traced:
    """A number that knows what it was made of, and how its derivative goes back there."""

    def __init__(self, data: Any, made_of: tuple[Traced, ...] = ()) -> None:
        self.data = data
        self.grad = 0.0
        self.made_of = made_of
        self.back: Callable[[], None] = lambda: None

    def __mul__(self, other: Traced) -> Traced:
        out = Traced(self.data * other.data, (self, other))

        def back() -> None:
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out.back = back
        return out

    def sin(self) -> Traced:
        out = Traced(math.sin(self.data), (self,))

        def back() -> None:
            self.grad += math.cos(self.data) * out.grad

        out.back = back
        return out

    def backward(self) -> None:
        order: list[Traced] = []
        visited: set[Traced] = set()

        def visit(one: Traced) -> None:
            if one not in visited:
                visited.add(one)
                for other in one.made_of:
                    visit(other)
                order.append(one)

        visit(self)
        self.grad = 1.0
        for one in reversed(order):
            one.back()


def traced(values: Any) -> Any:
    one = Traced(values[0])
    nodes = [one]
    for value in values:
        nodes.append(nodes[-1] * Traced(value))
        nodes.append((nodes[-1] * one).sin() if value > 0.5 else nodes[-1].sin())
    nodes[-1].backward()
    return sum([node.grad * len(node.made_of) for node in nodes]) + one.grad


@pytest.mark.share(4)
@pytest.mark.parametrize("f", [chained, in_parts, traced], ids=lambda f: f.__name__)
def test_objects_that_keep_themselves_or_make_others_of_their_class_have_their_places_first(
    f: Callable[..., Any],
) -> None:
    runs_in_stores(f, [0.7, 0.35, 0.9, 0.4])


class Buffer:
    def __init__(self, size: int) -> None:
        self.items: list[Any] = [None] * size
        self.first = self.count = 0

    def push(self, value: Any) -> None:
        self.items[(self.first + self.count) % len(self.items)] = value
        if self.count == len(self.items):
            self.first = (self.first + 1) % len(self.items)
        else:
            self.count += 1

    def __iter__(self) -> Any:
        for i in range(self.count):
            yield self.items[(self.first + i) % len(self.items)]


def buffered(values: Any, size: int) -> Any:
    buffer, found = Buffer(size), 0.0
    for value in values:
        buffer.push(value * value)
        found += sum(buffer) / buffer.count * value
    return found


def test_what_a_generator_of_places_gives_is_iterated_by_builtins() -> None:
    runs_in_stores(buffered, [0.7, 0.35, 0.9, 0.4], 3)


def test_a_program_whose_tests_rule_out_all_that_is_known_so_far_is_read_again() -> None:
    assert outcome_of(graphs(30316)).kind == AGREED


# -- numbers of objects --------------------------------------------------------------------------------------------


class Station:
    def __init__(self, v: Any) -> None:
        self.v = v
        self.next: Any = None


class Terminal(Station):
    pass


def test_the_number_of_an_object_is_a_key() -> None:
    def circle(x: float) -> float:
        stations = [Station(x * i) for i in range(4)]
        for i in range(4):
            stations[i].next = stations[(i + 1) % 4]
        seen, here, total = {}, stations[0], 0.0
        while id(here) not in seen:
            seen[id(here)] = len(seen)
            total += here.v * seen[id(here)]
            here = here.next
        return total * x

    agrees(circle, 1.5)


def test_things_of_several_kinds_have_different_numbers() -> None:
    def counted(x: float) -> float:
        a, b = Station(x), Terminal(x * x)
        c = a if x > 0 else b
        found: dict[int, int] = {}
        for each in (a, b, c, [x], {}, None):
            found[id(each)] = found.get(id(each), 0) + 1
        return x * max(found.values()) + len(found) + (id(a) == id(c)) * x * x

    agrees(counted, 1.5)
    agrees(counted, -1.5)


def test_rows_that_are_one_list_have_one_number() -> None:
    def distinct(x: float) -> float:
        row = [x, 2 * x]
        done, total = set(), 0.0
        for each in (row, row, [x, x]):
            if id(each) in done:
                continue
            done.add(id(each))
            total += sum(each)
        return total

    agrees(distinct, 1.5)


def test_the_number_of_a_number_is_refused() -> None:
    with pytest.raises(ccc.CCCError, match="`id` of what is no object"):
        ccc.gradient(lambda x: x * (id(x) > 0))(1.0)


class Looped:
    def __init__(self, v: float) -> None:
        self.v = v
        self.next = self

    def __repr__(self) -> str:
        return f"Looped({self.v})"


def ring_alone(x: float) -> float:
    ring = Looped(x)
    print(ring, ring.next.v)
    return x * ring.next.v


def list_in_itself(x: float) -> float:
    xs: list[Any] = [x, 2.0]
    xs.append(xs)
    print(xs)
    return x * xs[0]


def items_of_it(x: float) -> float:
    xs: list[Any] = [x, 2.0]
    xs.append(xs)
    print(xs[0], xs[1])
    return x * xs[2][0]


def dict_in_itself(x: float) -> float:
    items: dict[str, Any] = {"x": x}
    items["all"] = items
    return x * len(str(items))


@dataclass
class Linked:
    v: Any
    next: Any = None


@dataclass
class Leading:
    v: float
    to: list[Any] = field(default_factory=list)


class Branching:
    def __init__(self, v: float, parent: Any = None) -> None:
        self.v, self.parent = v, parent
        self.below: list[Any] = []

    def add(self, v: float) -> Any:
        self.below.append(Branching(v, self))
        return self.below[-1]

    def __repr__(self) -> str:
        return f"Branching({self.v}, {self.below})"


class Told:
    def __init__(self, v: float) -> None:
        self.v, self.next = v, self

    def __str__(self) -> str:
        return f"<{self.v} {type(self.next).__name__}>"

    def __repr__(self) -> str:
        return f"Told({self.v})"


def one_ring(x: float) -> float:
    ring = Linked(x)
    ring.next = ring
    print(ring, [ring, 1], f"{ring} {ring!r:>24}", {"a": (ring, x)})
    print("%s and %r" % (ring, ring), "{} {!r}".format(ring, ring))  # noqa: UP031, UP032
    return ring.next.v * len(str(ring))


def ring_of_a_loop(x: float, n: int = 4) -> float:
    first = last = Linked(x)
    for i in range(n):
        last.next = Linked(x * i)
        last = last.next
        print(i, first)
    last.next = first
    print(first, [first], repr(last))
    first.v = first.v * x
    print(first)
    return last.v * first.v


def graph(x: float, n: int = 3) -> float:
    nodes = [Leading(x * i) for i in range(n)]
    for i in range(n):
        nodes[i].to.append(nodes[(i + 1) % n])
    print(nodes[0], nodes)
    return nodes[2].v * x


def graph_with_weights(x: float) -> float:
    a, b = Leading(x), Leading(x * x)
    a.to.append((b, 2.0))
    b.to.append((a, x))
    print(a, b.to[0][1])
    return a.to[0][0].v


def tree_with_parents(x: float, n: int = 3) -> float:
    top = Branching(x)
    for i in range(n):
        top.add(x * i).add(x + i)
    print(top, top.below[1], len(str(top)))
    return top.below[0].below[0].v


def by_methods_of_its_own(x: float) -> float:
    told = Told(x)
    print(told, [told], f"{told} {told!r}", str(told), repr(told), {"a": told}, (told,))
    return told.next.v


def ring_of_other_values(x: float) -> float:
    whole, array, pair = Linked(3), Linked(np.array([x, x])), Linked(x + 1j)
    whole.next, array.next, pair.next = Linked(x > 1.0, whole), array, pair
    print(whole, array, pair)
    return x


def tuple_in_itself(x: float) -> float:
    xs: list[Any] = [x]
    pair = xs, x
    xs.append(pair)
    print(pair, xs)
    return x * pair[1]


class Pair(NamedTuple):
    of: Any
    v: float


def named_tuple_in_itself(x: float) -> float:
    xs: list[Any] = [x]
    xs.append(Pair(xs, x))
    print(xs, xs[1])
    return x * xs[0]


def deque_in_itself(x: float) -> float:
    xs: Any = collections.deque([x, 2.0])
    xs.append(xs)
    print(xs)
    return x * xs[0]


def ring_or_none(x: float) -> float:
    a = Linked(x)
    if x > 1.0:
        a.next = a
    print(a)
    return a.v


def ring_in_a_recursive_function(x: float) -> float:
    ring = Linked(x)
    ring.next = ring

    def go(n: int) -> float:
        if n == 0:
            return 0.0
        print(n, ring)
        ring.v = ring.v + 1.0
        return go(n - 1) + ring.v

    return go(3)


@pytest.mark.parametrize("f", [
    list_in_itself, dict_in_itself, one_ring, ring_of_a_loop, graph, graph_with_weights, tree_with_parents,
    by_methods_of_its_own, ring_of_other_values, tuple_in_itself, ring_or_none,
    named_tuple_in_itself, deque_in_itself, ring_in_a_recursive_function,
])
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_what_leads_back_to_itself_is_shown_as_in_python(
    f: Callable[[float], float], backend: str, capsys: pytest.CaptureFixture[str]
) -> None:
    value = f(1.5)
    shown = capsys.readouterr().out
    assert "..." in shown or "Told" in shown or "Branching" in shown or f is dict_in_itself
    assert ccc.compiled(f, backend=backend)(1.5) == value
    assert capsys.readouterr().out == shown
    if f is not ring_of_other_values:
        assert ccc.value_with_gradient(f, backend=backend)(1.5)[0] == value
        assert capsys.readouterr().out == shown


def test_a_dict_of_another_class_in_itself_is_not_shown() -> None:
    def f(x: float) -> float:
        xs: Any = collections.OrderedDict(a=x)
        xs["all"] = xs
        print(xs)
        return xs["a"]

    with pytest.raises(ccc.CCCError, match="what holds itself is shown as a text"):
        ccc.compiled(f)(1.5)


def test_its_parts_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert ccc.gradient(ring_alone)(1.5) == ccc.gradient(items_of_it)(1.5) == 3.0
    assert capsys.readouterr().out == "Looped(1.5) 1.5\n1.5 2.0\n"
